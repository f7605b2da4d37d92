"""What ``kcfg emit`` writes: compiled by real compilers, and equal to the report it views.

Where a compiler is missing its tests are skipped. Mojo's is the ``mojo`` package of PyPI; it
is large and no dependency of kcfg, so its test runs only where somebody has put it on PATH:
``pip install mojo && pytest tests/test_emit.py -k mojo``.
"""

from __future__ import annotations

import ast
import io
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml
from shapes import FA4_26, INDEXER, MLA, SHAPES, derive
from typer.testing import CliRunner, Result

from kcfg.cli import emit_hook
from kcfg.cli.main import application
from kcfg.core import emit, presets, targets
from kcfg.core.emit.identifiers import identifier
from kcfg.core.emit.languages import cpp
from kcfg.core.engine.quantity import choice
from kcfg.core.kernel import Kernel
from kcfg.core.report import report
from kcfg.core.spec import Spec, read

HOSTILE = [
    "3b",
    "float",
    'a "b"\\',
    "line\nbreak */ ??/",
    "模型",
    "std",
    "a.b[1]--c",
    "int",
    "x" * 300,
]
"""Names of specs that code must survive."""

HUGE = FA4_26 | {"qkv_dtype": "float32", "qk_depth": 256, "ov_depth": 256, "pair_cta": True}
"""An unsupported shape whose number of mbarriers comes near 2**32."""


def needs(program: str) -> pytest.MarkDecorator:
    return pytest.mark.skipif(not shutil.which(program), reason=f"{program} is not on PATH")


def specs() -> list[Spec]:
    """Every configuration of every preset."""
    found = []
    for name in presets.names():
        for item in read(presets.text(name), name):
            assert isinstance(item, Spec)
            found.append(item)
    return found


def spec_of(text: str) -> Spec:
    """The first spec of a text."""
    spec = next(iter(read(text, "text")))
    assert isinstance(spec, Spec)
    return spec


def supported() -> list[Kernel]:
    """The known shapes that upstream takes, or has no verdict on."""
    kernels = (derive(each.kernel, each.release, each.inputs) for each in SHAPES)
    return [kernel for kernel in kernels if not outline_of(kernel).refused]


def outline_of(kernel: Kernel) -> Any:
    from kcfg.core.emit.outline import outline

    return outline(kernel, None, ())


def module(text: str) -> dict[str, Any]:
    """What an emitted Python module defines."""
    found: dict[str, Any] = {}
    exec(compile(text, "emitted", "exec"), found)
    return found


def compiled(command: list[str], folder: Path) -> str:
    """What a compiler has to say; empty where it is content."""
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)
    return (done.stderr or f"exit code {done.returncode}") if done.returncode else ""


CPP = ["g++", "-std=c++17", "-Wall", "-Wextra", "-Werror"]


# Compilers


@needs("g++")
def test_every_preset_compiles_as_cpp(tmp_path: Path) -> None:
    for number, spec in enumerate(specs()):
        text = emit.emit(spec.derive(), "cpp", label=spec.name)
        (tmp_path / f"{number}.h").write_text(text, encoding="utf-8")
    includes = (f'#include "{path.name}"\n' for path in sorted(tmp_path.glob("*.h")))
    (tmp_path / "all.cpp").write_text("".join(includes))
    assert compiled([*CPP, "-fsyntax-only", "all.cpp"], tmp_path) == ""


@needs("g++")
def test_a_kernel_with_element_types_of_its_own_compiles_as_cpp(tmp_path: Path) -> None:
    class Quantised(type(derive("index_prefill", "26.7", INDEXER))):  # type: ignore[misc]
        weights: str = choice("dtype", "What no other kernel has.", ("int4", "int8"), repeated=True)

    given = {name: getattr(derive("index_prefill", "26.7", INDEXER), name) for name in INDEXER}
    kernel = Quantised(target=targets.find(), **given, weights="int8")
    (tmp_path / "own.h").write_text(emit.emit(kernel, "cpp"), encoding="utf-8")
    use = "static_assert(kcfg::index_prefill::weights == kcfg::index_prefill::DType::int8);\n"
    (tmp_path / "own.cpp").write_text(f'#include "own.h"\n{use}', encoding="utf-8")
    assert compiled([*CPP, "-fsyntax-only", "own.cpp"], tmp_path) == ""


@needs("g++")
def test_every_release_and_any_name_compiles_as_cpp(tmp_path: Path) -> None:
    kernels = [derive(each.kernel, each.release, each.inputs) for each in SHAPES]
    kernels.append(derive("fa4", "26.6", HUGE))
    kernels.append(derive("fa4", "26.6", FA4_26 | {"group": 1 << 20, "nope_depth": 1 << 15}))
    labelled = [(kernel, f"shape {number}") for number, kernel in enumerate(kernels)]
    labelled += [(kernels[0], label) for label in HOSTILE]
    includes = []
    for number, (kernel, label) in enumerate(labelled):
        text = emit.emit(kernel, "cpp", label=label, unsupported=True)
        (tmp_path / f"{number}.h").write_text(text, encoding="utf-8")
        includes.append(f'#include "{number}.h"\n')
    (tmp_path / "all.cpp").write_text("".join(includes))
    assert compiled([*CPP, "-Wno-cpp", "-fsyntax-only", "all.cpp"], tmp_path) == ""


@needs("g++")
@pytest.mark.parametrize(("shape", "above"), [(FA4_26, 1 << 16), (HUGE, 1 << 32)])
def test_cpp_constants_are_the_values(shape: dict[str, Any], above: int, tmp_path: Path) -> None:
    kernel = derive("fa4", "26.6", shape)
    (tmp_path / "fa4.h").write_text(emit.emit(kernel, "cpp", unsupported=True))
    values = {key: value for key, value in kernel.values().items() if not isinstance(value, str)}
    assert max(values.values()) > above, "each case is here for its size"
    lines = (f'std::cout << kcfg::fa4::{identifier(key)} << "\\n";' for key in values)
    program = '#include "fa4.h"\n#include <iostream>\nint main() {\n' + "\n".join(lines) + "\n}\n"
    (tmp_path / "main.cpp").write_text(program)
    assert compiled([*CPP, "-Wno-cpp", "-o", "main", "main.cpp"], tmp_path) == ""
    printed = subprocess.check_output([tmp_path / "main"], text=True).split()
    assert printed == [str(int(value)) for value in values.values()]


@needs("g++")
@pytest.mark.parametrize(
    ("old", "new", "why"),
    [
        ("k_offset = 16384", "k_offset = 16385", "k follows what is before it"),
        ("int limit = 115712", "int limit = 232449", "no block gets more shared memory"),
        ("S1_column = 128", "S1_column = 256", "S1 ends within the allocation"),
        ("s_full_first = 10", "s_full_first = 9", "s_full follows the group before it"),
        ("consumer_cap = 216", "consumer_cap = 224", "setmaxnreg deals out what there is"),
        ("consumer_cap = 216", "consumer_cap = 212", "setmaxnreg takes such multiples"),
        ("min_blocks = 2", "min_blocks = 3", "their registers fit"),
        ("needs_opt_in = true", "needs_opt_in = false", "more than the default needs the"),
    ],
)
def test_what_does_not_add_up_does_not_compile(
    old: str, new: str, why: str, tmp_path: Path
) -> None:
    text = emit.emit(derive("index_prefill", "26.6", INDEXER | {"num_heads": 64}), "cpp")
    assert text.count(old) == 1
    (tmp_path / "broken.cpp").write_text(text.replace(old, new).replace("#pragma once", ""))
    assert why in compiled([*CPP, "-fsyntax-only", "broken.cpp"], tmp_path)


def test_each_sub_partition_has_its_own_sum_where_a_warpgroup_has_several_counts() -> None:
    """MLA prefill: the last warpgroup has two warps of 48 and two of 24, and the first have 512."""
    text = emit.emit(derive("mla_prefill", "26.6", MLA), "python")
    with pytest.raises(AssertionError, match="changed by hand"):  # the sums hold, the seal not
        module(text.replace("idle_cap: Final = 24", "idle_cap: Final = 48"))
    for old, new, short in (
        ("mma_cap: Final = 48", "mma_cap: Final = 56", "0"),
        ("load_cap: Final = 48", "load_cap: Final = 56", "1"),
        ("idle_cap: Final = 24", "idle_cap: Final = 56", "2"),
        ("softmax1_cap: Final = 184", "softmax1_cap: Final = 192", "0"),
    ):
        assert text.count(old) == 1
        why = f"setmaxnreg deals out what there is in sub-partition {short}"
        with pytest.raises(AssertionError, match=why):
            module(text.replace(old, new))
    one = emit.emit(derive("fa4", "26.6", FA4_26), "python")
    assert one.count("setmaxnreg deals out what there is") == 1


KERNEL = """\
#include "index.cuh"

namespace cfg = kcfg::index;

extern __shared__ __align__(1024) unsigned char block[];

__global__ void __launch_bounds__(cfg::launch::threads, cfg::launch::min_blocks)
    scores(const unsigned char *q, float *out) {
  unsigned char *queries = block + cfg::smem::q_offset;
  auto *scales = reinterpret_cast<float *>(block + cfg::smem::q_scales_offset);
  auto *bars = reinterpret_cast<unsigned long long *>(block + cfg::smem::mbarriers_offset);
  const int warp = threadIdx.x / cfg::limits::warp_size;

  if (threadIdx.x == 0) {
    for (int i = 0; i < cfg::barriers::k_full_count; ++i) {
      const auto *bar = bars + cfg::barriers::k_full_first + i;
      asm volatile("mbarrier.init.shared::cta.b64 [%0], %1;" ::"r"(
                       static_cast<unsigned>(__cvta_generic_to_shared(bar))),
                   "r"(cfg::barriers::k_full_arrivals));
    }
  }
  if constexpr (cfg::inputs::dtype == cfg::DType::float8_e4m3fn) {
    for (int i = threadIdx.x; i < cfg::smem::q_bytes; i += cfg::launch::threads) queries[i] = q[i];
  }
  __syncthreads();
#ifdef __CUDA_ARCH_FEAT_SM100_ALL
  if (warp < cfg::registers::consumer_first_warp + cfg::registers::consumer_warps) {
    asm volatile("setmaxnreg.inc.sync.aligned.u32 %0;" ::"n"(cfg::registers::consumer_cap));
  } else {
    asm volatile("setmaxnreg.dec.sync.aligned.u32 %0;" ::"n"(cfg::registers::mma_cap));
  }
#endif
  if (warp < cfg::registers::consumer_warps) scales[threadIdx.x] = queries[threadIdx.x];
  __syncthreads();
  out[blockIdx.x * cfg::launch::threads + threadIdx.x] = scales[threadIdx.x % cfg::smem::q_align];
}

int main() {
  if (cfg::prepare(scores) != cudaSuccess) return 1;
  scores<<<1, cfg::launch::threads, cfg::launch::dynamic_smem>>>(nullptr, nullptr);
  return cudaDeviceSynchronize() != cudaSuccess;
}
"""


@needs("nvcc")
def test_a_cuda_kernel_is_built_from_it(tmp_path: Path) -> None:
    kernel = derive("index_prefill", "26.6", INDEXER)
    (tmp_path / "index.cuh").write_text(emit.emit(kernel, "cuda", label="index"))
    (tmp_path / "kernel.cu").write_text(KERNEL)
    command = ["nvcc", "-std=c++17", "-arch=sm_100a", "-Werror", "all-warnings", "-c", "kernel.cu"]
    assert compiled(command, tmp_path) == ""


@needs("mojo")
def test_mojo_holds_the_numbers_to_their_conditions(tmp_path: Path) -> None:
    chosen = {
        "index": derive("index_prefill", "26.7", INDEXER),
        "attention": derive("fa4", "26.7", FA4_26),
        "decode": next(each for each in supported() if each.kernel == "mla_decode"),
        "gemm": next(each for each in supported() if each.kernel == "matmul"),
    }
    lines = []
    for name, kernel in chosen.items():
        (tmp_path / f"{name}.mojo").write_text(emit.emit(kernel, "mojo"))
        lines.append(f"    {name}.check()")
    imports = [f"import {name}" for name in chosen]
    program = "\n".join([*imports, "def main():", *lines, "    print(index.smem.k_offset)", ""])
    (tmp_path / "main.mojo").write_text(program)
    run = ["mojo", "run", "main.mojo"]
    done = subprocess.run(run, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert done.stdout == "32768\n", done.stderr
    broken = (
        (tmp_path / "index.mojo").read_text().replace("k_offset: Int = 32768", "k_offset: Int = 0")
    )
    (tmp_path / "index.mojo").write_text(broken)
    assert "k follows what is before it" in compiled(run, tmp_path)


# The report, in code


@pytest.mark.parametrize("kernel", supported(), ids=lambda each: f"{each.kernel}@{each.release}")
def test_python_has_the_whole_report(kernel: Kernel) -> None:
    found = module(emit.emit(kernel, "python"))
    told = report(kernel)
    for key, value in told["values"].items():
        assert found[identifier(key)] == value
    for key, value in told["inputs"].items():
        assert getattr(found["inputs"], identifier(key)) == value
    smem, tmem, registers = told["smem"], told["tmem"], told["registers"]
    for region in smem["regions"] if smem else ():
        for part in ("offset", "bytes", "align", "stages"):
            if not region["padding"]:
                name = identifier(f"{region['name']}_{part}")
                assert getattr(found["smem"], name) == region[part]
    for region in tmem["regions"] if tmem else ():
        for part in ("column", "columns", "lane", "lanes"):
            assert getattr(found["tmem"], f"{region['name']}_{part}") == region[part]
    for role in registers["roles"] if registers else ():
        name = identifier(role["role"])
        first, last = role["warps"]
        assert getattr(found["registers"], f"{name}_first_warp") == first
        assert getattr(found["registers"], f"{name}_warps") == last - first + 1
        assert getattr(found["registers"], f"{name}_cap", None) == role["cap"]
    for group in told["barriers"]["groups"] if told["barriers"] else ():
        for part in ("first", "count", "arrivals"):
            assert getattr(found["barriers"], f"{group['name']}_{part}", None) == group[part]
    if registers:
        assert found["launch"].threads == registers["threads"]


def test_launch_takes_what_upstream_launches_with() -> None:
    kernels = [each for each in supported() if "launch_smem_used" in each.values()]
    assert kernels
    for kernel in kernels:
        launch = module(emit.emit(kernel, "python"))["launch"]
        assert launch.dynamic_smem == kernel.read("launch_smem_used")
        assert launch.needs_opt_in is (launch.dynamic_smem > 49152)


@pytest.mark.parametrize(("partitions", "needed"), [(8, False), (16, True)])
def test_a_cluster_over_the_portable_size_needs_its_attribute(
    partitions: int, needed: bool
) -> None:
    shape = FA4_26 | {"BM": 128, "single_o": True, "splitk_partitions": partitions}
    launch = module(emit.emit(derive("fa4", "26.6", shape), "python"))["launch"]
    assert (launch.cluster_x, launch.needs_non_portable) == (partitions, needed)


def test_python_asserts_at_import() -> None:
    text = emit.emit(derive("index_prefill", "26.6", INDEXER), "python")
    with pytest.raises(AssertionError, match="k follows what is before it"):
        module(text.replace("k_offset: Final = 16384", "k_offset: Final = 0"))


def test_absent_words_and_truth_have_a_form_in_every_language() -> None:
    kernel = derive("fa4", "26.6", FA4_26)
    texts = {language: emit.emit(kernel, language) for language in emit.names()}
    assert "bool is_mla = false;" in texts["cpp"]
    assert "Swizzle swizzle_mode = Swizzle::_128B;" in texts["cuda"]
    assert "DType rope_dtype = DType::absent;" in texts["cpp"]
    assert "rope_dtype: Final = None\n" in texts["python"]
    assert "# rope_dtype: absent\n" in texts["mojo"]
    assert "comptime qkv_dtype: DType = DType.bfloat16\n" in texts["mojo"]


def test_the_first_lines_say_what_it_is_of() -> None:
    spec = specs()[0]
    for language in emit.names():
        first = "\n".join(emit.emit(spec.derive(), language, label=spec.name).splitlines()[:2])
        for word in ("kcfg 0.1.0", spec.kernel, spec.release, "b200", str(spec.name), "sha256:"):
            assert word in first


def test_the_digest_is_that_of_the_inputs() -> None:
    from kcfg.core.emit.outline import digest

    one = derive("index_prefill", "26.6", INDEXER)
    same = derive("index_prefill", "26.6", dict(reversed(INDEXER.items())))
    assert digest(one) == digest(same)
    others = [
        derive("index_prefill", "26.7", INDEXER),
        derive("index_prefill", "26.6", INDEXER | {"depth": 64}),
    ]
    assert len({digest(each) for each in (one, *others)}) == 3


# Names


def test_names_become_identifiers() -> None:
    assert identifier("mma_shape[0]") == "mma_shape_0"
    assert identifier("mbars.CrossP_count") == "mbars_CrossP_count"
    assert identifier("128B") == "_128B"
    assert identifier("a--b__c") == "a_b_c"
    assert identifier("default", cpp.RESERVED) == "default_"
    assert identifier("模型") == "_"


def test_two_names_never_become_one() -> None:
    text = (
        "defines: g\ninputs: {n: 2}\nvalues: {n_: n, __n: 3, size: 4, size_: 5}\n"
        "shared: {_: {mbarriers: n}}\n"
    )
    for language in emit.names():
        assert run("-", "--lang", language, stdin=text).exit_code == 0
    found = module(run("-", "--lang", "python", stdin=text).stdout)
    assert [found[name] for name in ("n", "n_2", "size", "size_2")] == [2, 3, 4, 5]


# The command


def run(*arguments: str, stdin: str | None = None) -> Result:
    return CliRunner().invoke(application(["emit"]), ["emit", *arguments], input=stdin)


@pytest.fixture
def spec(tmp_path: Path) -> Path:
    path = tmp_path / "index.yaml"
    path.write_text(yaml.safe_dump({"kernel": "index_prefill", "release": 26.6, "shape": INDEXER}))
    return path


def test_the_same_input_gives_the_same_bytes(spec: Path) -> None:
    program = "from kcfg.cli.main import main; main()"
    texts = set()
    for seed, path in (("1", str(spec)), ("2", spec.name)):
        environment = {**os.environ, **path_of_kcfg(), "PYTHONHASHSEED": seed}
        command = [sys.executable, "-c", program, "emit", path, "--lang", "cpp"]
        done = subprocess.run(
            command,
            cwd=spec.parent,
            env=environment,
            capture_output=True,
            check=True,
        )
        texts.add(done.stdout)
    assert len(texts) == 1
    assert texts.pop().endswith(b"}  // namespace kcfg::index_prefill\n")


def path_of_kcfg() -> dict[str, str]:
    """The environment in which a process elsewhere finds the kcfg that is tested."""
    return {"PYTHONPATH": os.pathsep.join(os.path.abspath(each) for each in sys.path if each)}


def test_check_compares_a_file_with_what_would_be_written(spec: Path) -> None:
    header = spec.with_name("index.h")
    asked = (str(spec), "--lang", "cpp")
    assert run(*asked, "-o", str(header)).exit_code == 0
    assert run(*asked, "--check", str(header)).exit_code == 0
    header.write_text(header.read_text().replace("k_stages = 5", "k_stages = 6", 1))
    differs = run(*asked, "--check", str(header))
    assert differs.exit_code == 1
    assert "1 line gone, 1 new" in differs.stdout
    assert "-inline constexpr int k_stages = 6;" in differs.stdout
    assert "+inline constexpr int k_stages = 5;" in differs.stdout
    missing = run(*asked, "--check", str(spec.with_name("no.h")))
    assert missing.exit_code == 2
    assert "no such file" in missing.stderr


def test_check_names_line_ends_and_cuts_a_long_difference(spec: Path) -> None:
    header = spec.with_name("index.h")
    asked = (str(spec), "--lang", "cpp")
    run(*asked, "-o", str(header))
    header.write_bytes(header.read_bytes().replace(b"\n", b"\r\n"))
    assert "line ends only" in run(*asked, "--check", str(header)).stdout
    header.write_bytes(b"\xff\xfe nothing of it\n")
    other = run(*asked, "--check", str(header))
    assert other.exit_code == 1
    assert len(other.stdout.splitlines()) < 50
    assert "more lines)" in other.stdout


@pytest.mark.parametrize("language", emit.names())
def test_what_cannot_run_is_refused_unless_asked_for(language: str, spec: Path) -> None:
    asked = (str(spec), "--lang", language, "--set", "mma_n=256")
    refused = run(*asked)
    assert refused.exit_code == 1
    assert refused.stdout == ""
    assert "one consumer warpgroup fails" in refused.stderr
    assert "--allow-unsupported" in refused.stderr
    emitted = run(*asked, "--allow-unsupported")
    assert emitted.exit_code == 0
    assert "ot to be launched" in emitted.stdout.partition("ctas_per_sm")[0]


def test_what_upstream_takes_though_it_does_not_add_up_says_so() -> None:
    shape = "shape: {qkv_dtype: fp8, rope_gmem_dtype: bf16, rope_mma_dtype: bf16, scale_dtype: f32,"
    shape += " num_q_heads: 128, group: 1, depth: 192, page_size: 128, num_q: 1}"
    asked = f"kernel: mla_prefill\nrelease: 26.7\n{shape}\n"
    emitted = run("-", "--lang", "cpp", stdin=asked)
    assert emitted.exit_code == 0
    assert "\n// warning CFG003: the layout takes " in emitted.stdout
    assert "\n// does not hold: smem::used <= smem::limit, " in emitted.stdout


def test_of_a_launch_that_says_little_little_is_emitted() -> None:
    emitted = run("-", "--lang", "cpp", stdin="kernel: launch\nshape: {threads: 128}\n")
    assert emitted.exit_code == 0
    assert "namespace kcfg::launch {" in emitted.stdout
    assert "constexpr int threads = 128;" in emitted.stdout
    assert "namespace smem" not in emitted.stdout
    refused = run("-", "--lang", "cpp", stdin="kernel: launch\nshape: {threads: 1056}\n")
    assert refused.exit_code == 1
    assert "BLK001" in refused.stderr


def test_one_configuration_is_chosen_by_name() -> None:
    several = ("--preset", "llama-3-70b-o", "--lang", "cpp")
    unclear = run(*several)
    assert unclear.exit_code == 2
    assert "llama-3-70b-o-m1, llama-3-70b-o-m8" in unclear.stderr
    assert "kcfg::llama_3_70b_o_m8 {" in run(*several, "--name", "llama-3-70b-o-m8").stdout
    unknown = run(*several, "--name", "m9")
    assert unknown.exit_code == 2
    assert "no spec of this name" in unknown.stderr


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("--lang", "rust"), "unknown language 'rust'; known: cpp, cuda, mojo, python"),
        (("--lang", "cpp", "-o", "a", "--check", "b"), "give one of them"),
        ((), "--lang"),
    ],
)
def test_wrong_usage(arguments: tuple[str, ...], message: str, spec: Path) -> None:
    wrong = run(str(spec), *arguments)
    assert wrong.exit_code == 2
    assert message in " ".join(wrong.stderr.split())


# The hook


def listed(folder: Path, emits: str) -> None:
    (folder / "pyproject.toml").write_text(f"[tool.kcfg]\n{emits}\n")


def test_the_hook_checks_and_writes_what_is_listed(
    spec: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = spec.parent
    listed(
        folder,
        'emit = [{spec = "index.yaml", lang = "cpp", output = "src/index.h"},'
        ' {spec = "index.yaml", lang = "python", output = "index.py"}]',
    )
    (folder / "src").mkdir()
    monkeypatch.chdir(folder / "src")  # paths are the project's, wherever it runs
    assert emit_hook.run([]) == 2
    assert "no such file" in capsys.readouterr().err
    assert emit_hook.run(["--write"]) == 0
    assert sorted(capsys.readouterr().out.split("\n")) == [
        "",
        "../index.py: written",
        "index.h: written",
    ]
    assert emit_hook.run([]) == 0
    assert emit_hook.run(["--write"]) == 0
    assert capsys.readouterr().out == ""
    spec.write_text(spec.read_text().replace("depth: 128", "depth: 64"))
    assert emit_hook.run([]) == 1
    shown = capsys.readouterr()
    assert "index.h: not what kcfg emits" in shown.out
    assert "kcfg-emit --write" in shown.err


def test_the_project_says_the_target(spec: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    listed(
        spec.parent, 'target = "b300"\nemit = [{spec = "index.yaml", lang = "cpp", output = "i.h"}]'
    )
    monkeypatch.chdir(spec.parent)
    assert emit_hook.run(["--write"]) == 0
    assert "for b300" in (spec.parent / "i.h").read_text()
    assert run("index.yaml", "--lang", "cpp", "--check", "i.h").exit_code == 0


@pytest.mark.parametrize("write", [True, False])
@pytest.mark.parametrize(
    ("output", "message"),
    [
        ("../x.h", "is outside the project's folder"),
        ("src/../../x.h", "is outside the project's folder"),
        ("ABSOLUTE/x.h", "is absolute"),
        ("there/x.h", "is outside the project's folder"),
        ("x.h", "is outside the project's folder"),
        ("index.yaml", "is a spec of this list"),
        ("./index.yaml", "is a spec of this list"),
        ("pyproject.toml", "is this project file itself"),
        ("src/../a.h", "is listed twice"),
    ],
)
def test_the_hook_writes_below_its_project_only(
    output: str,
    message: str,
    write: bool,
    spec: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    folder = spec.parent / "project"
    (folder / "src").mkdir(parents=True)
    spec.rename(folder / spec.name)
    (folder / "there").symlink_to(spec.parent)
    (folder / "x.h").symlink_to(spec.parent / "x.h")
    output = output.replace("ABSOLUTE", str(folder))
    listed(
        folder,
        'emit = [{spec = "index.yaml", lang = "cpp", output = "a.h"},'
        f' {{spec = "index.yaml", lang = "cpp", output = "{output}"}}]',
    )
    before = {path: path.read_bytes() for path in folder.glob("*.*") if path.is_file()}
    monkeypatch.chdir(folder / "src")
    assert emit_hook.run(["--write"] if write else []) == 2
    said = capsys.readouterr().err
    assert "entry 2: output `" in said and message in said
    assert before == {path: path.read_bytes() for path in folder.glob("*.*") if path.is_file()}
    assert os.listdir(spec.parent) == ["project"]


def test_the_hook_reads_a_project_and_a_spec_once(
    spec: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    entry = '{{spec = "index.yaml", lang = "cpp", output = "{}.h"}}'
    listed(spec.parent, f"emit = [{', '.join(map(entry.format, range(50)))}]")
    monkeypatch.chdir(spec.parent)
    opened: list[str] = []
    read = io.open

    def tell(path: Any, *more: Any, **options: Any) -> Any:
        opened.append(os.path.basename(path))
        return read(path, *more, **options)

    monkeypatch.setattr("builtins.open", tell)
    assert emit_hook.run(["--write"]) == 0
    assert opened.count("index.yaml") == opened.count("pyproject.toml") == 1
    assert len(capsys.readouterr().out.splitlines()) == 50


@pytest.mark.parametrize(
    ("emits", "message"),
    [
        ("emit = 3", "expected a list of tables"),
        ('emit = ["a.yaml"]', "entry 1: expected a table"),
        ('emit = [{spec = "a", lang = "cpp"}]', "entry 1: missing output"),
        ('emit = [{spec = "a", lang = "c", output = "b"}]', "unknown lang of entry 1 'c'"),
        ('emit = [{spec = 1, lang = "cpp", output = "b"}]', "spec takes a text in quotes"),
        ('emit = [{sepc = "a", lang = "cpp", output = "b"}]', "did you mean `spec`?"),
        (
            'emit = [{spec = "a", lang = "cpp", output = "b"},'
            ' {spec = "c", lang = "cpp", output = "b"}]',
            "entry 2: output 'b' is listed twice",
        ),
    ],
)
def test_a_wrong_list_is_told(
    emits: str,
    message: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    listed(tmp_path, emits)
    monkeypatch.chdir(tmp_path)
    assert emit_hook.run([]) == 2
    assert message in capsys.readouterr().err


def test_a_project_without_a_list_is_told_and_fails_no_commit(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    listed(tmp_path, "")
    monkeypatch.chdir(tmp_path)
    assert emit_hook.run([]) == emit_hook.run(["--write"]) == 0
    assert "nothing to emit: no pyproject.toml with" in capsys.readouterr().err


def test_the_hook_makes_the_folders_of_what_it_writes(
    spec: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    listed(spec.parent, 'emit = [{spec = "index.yaml", lang = "cpp", output = "src/gen/i.h"}]')
    monkeypatch.chdir(spec.parent)
    assert emit_hook.run([]) == 2
    assert not Path("src").exists()
    assert emit_hook.run(["--write"]) == 0
    assert emit_hook.run([]) == 0
    (spec.parent / "src/gen/i.h").unlink()
    (spec.parent / "src/gen").rmdir()
    (spec.parent / "src/gen").write_text("")
    capsys.readouterr()
    assert emit_hook.run(["--write"]) == 2
    assert "src/gen/i.h: cannot be written" in capsys.readouterr().err


def test_the_hook_is_one_that_pre_commit_takes() -> None:
    root = Path(__file__).parent.parent
    hooks = yaml.safe_load((root / ".pre-commit-hooks.yaml").read_text())
    hook = next(each for each in hooks if each["id"] == "kcfg-emit")
    assert hook["entry"] == "kcfg-emit"
    assert hook["pass_filenames"] is False


# Changed by hand


def numbers(text: str, mark: str) -> Iterator[tuple[int, int]]:
    """Where the numbers of the code are, comments and texts left out."""
    at = 0
    for line in text.splitlines(keepends=True):
        code = re.sub(r'"[^"]*"', lambda found: " " * len(found[0]), line.split(mark)[0])
        if not code.lstrip().startswith("#"):
            for found in re.finditer(r"(?<![\w.])\d+(?![\w.])", code):
                yield at + found.start(), at + found.end()
        at += len(line)


@pytest.mark.parametrize("name", ["deepseek-v3-2-index", "llama-3-70b-gate-up-nvfp4"])
def test_a_number_that_is_changed_by_hand_is_caught_wherever_it_stands(name: str) -> None:
    spec = spec_of(presets.text(name))
    text = emit.emit(spec.derive(), "python")
    module(text)
    places = list(numbers(text, "#"))
    assert len(places) > 50
    for start, end in places:
        changed = f"{text[:start]}{int(text[start:end]) + 8}{text[end:]}"
        with pytest.raises(AssertionError):
            module(changed)


# A number, another one, and what speaks against that although no seal does.
APART = [
    ("llama-3-8b", "num_kv_stages: Final = 5", 6, "num_kv_stages by its formula"),
    ("llama-3-8b", "smem_used: Final = 230676", 230684, "smem_used by its formula"),
    ("llama-3-8b", "BN: Final = 128", 136, "BN by its formula"),
    ("llama-3-8b", "page_size: Final = 128", 64, "page_size is as given"),
    ("llama-3-8b", "    threads: Final = 512", 384, "threads is num_threads"),
    ("llama-3-8b", "cluster_x: Final = 1", 2, "launch.cluster_x is cluster_size"),
    ("llama-3-8b", "S1_column: Final = 128", 120, "S1 lies apart from S0"),
    ("llama-3-8b", "P1_column: Final = 0", 8, "P1 starts where what it shares does"),
    ("llama-3-8b", "O1_lane: Final = 0", 8, "O1 ends within the lanes"),
    ("llama-3-8b", "mma_first_warp: Final = 12", 11, "mma has other warps than correction"),
    ("llama-3-8b", "kv_stride: Final = 32768", 32776, "kv is made of its slots"),
    ("llama-3-8b", "kv_offset: Final = 230488", 230496, "kv lies where its index says"),
    ("deepseek-v3-2-index", "min_blocks: Final = 2", 1, "launch.min_blocks is ctas_per_sm"),
    ("deepseek-v3-gate-up-tp8-deepgemm", "N: Final = 16", 24, "mma.N is umma_n"),
    ("deepseek-v3-gate-up-tp8-deepgemm", "empty_offset: Final = 229472", 0, "in its region"),
    ("llama-3-8b", "idle_first_warp: Final = 14", 15, "idle is within the block"),
    ("deepseek-v3-gate-up-tp8-deepgemm", "empty_mbarriers_bytes: Final = 96", 104, "empty fills"),
    ("deepseek-v3-gate-up-tp8-deepgemm", "    used: Final = 40", 32, "sfb ends within"),
    ("deepseek-v3-2-sparse", "q_k_v_offset: Final = 0", 8, "q_k_v starts where what it shares"),
    ("lanes", "a_columns: Final = 64", 72, "c lies apart from a"),
    ("hand", "ab_tx_bytes: Final = 49152", 49160, "ab brings what its copies do"),
    ("hand", "ab_copy_1: Final = 32768", 32776, "ab brings what its copies do"),
    ("hand", "ab_expect_tx: Final = 49152", 49160, "the full barrier of ab waits for its copies"),
]

HAND = """\
kernel: launch
shape:
  threads: 384
  shared:
    regions:
      - {name: a, ring: ab, of: bf16, shape: [128, 64], align: 1024}
      - {name: b, ring: ab, of: bf16, shape: [256, 64], align: 1024}
      - {name: full, ring: ab, mbarriers: true}
      - {name: empty, ring: ab, mbarriers: true}
  pipelines: [{name: ab, stages: 4, maps: [a, b], expect_tx: 49152}]
  tma:
    - {name: a, box: [64, 128], dtype: bf16, swizzle: 128B}
    - {name: b, box: [64, 256], dtype: bf16, swizzle: 128B}
"""


def test_a_formula_that_another_number_makes_divide_by_zero_is_emitted() -> None:
    """Such a number is noticed: by the compiler, which takes no division by zero."""
    text = "defines: g\ninputs: {a: 32}\nvalues: {n: a, x: 64 // (n - 24)}\n"
    emitted = run("-", "--lang", "python", stdin=text)
    assert emitted.exit_code == 0 and "assert x == 64 // (n - 24)" in emitted.stdout
    assert module(emitted.stdout)["x"] == 8


LANES = """\
kernel: launch
shape:
  tmem:
    allocations: [128]
    regions:
      - {name: a, columns: 64, lane: 0, lanes: 64}
      - {name: b, column: 0, columns: 64, lane: 64, lanes: 64}
      - {name: c, column: 64, columns: 64}
"""

BY_HAND = {"hand": HAND, "lanes": LANES}


@pytest.mark.parametrize(("name", "old", "new", "why"), APART)
def test_sections_hold_each_other_without_the_seals(
    name: str, old: str, new: int, why: str
) -> None:
    """Where a number is changed and its seal with it, its twins and its formula still stand."""
    spec = spec_of(BY_HAND.get(name) or presets.text(name))
    text = emit.emit(spec.derive(), "python")
    assert text.count(f"\n{old} ") or text.count(f" {old} ")
    tree = ast.parse(text.replace(old, f"{old.rpartition(' ')[0]} {new}", 1))
    asserted = [each for each in tree.body if isinstance(each, ast.Assert)]
    tree.body = [each for each in tree.body if not isinstance(each, ast.Assert)]
    exec(compile(tree, "emitted", "exec"), found := dict[str, Any]())
    broken = {
        ast.literal_eval(each.msg)
        for each in asserted
        if each.msg is not None and not eval(ast.unparse(each.test), found)
    }
    assert any(why in each for each in broken if "changed by hand" not in each)


def test_a_launch_is_emitted_as_far_as_it_is_said() -> None:
    shape = (
        "block: [16, 16], grid: [100, 2], cluster: [2], shared: {static: 1000}, blocks_per_sm: 3"
    )
    spec = spec_of(f"kernel: launch\nshape: {{{shape}, registers: {{maxnreg: 64}}}}\n")
    text = emit.emit(spec.derive(), "python")
    found = module(text)
    said = {key: value for key, value in vars(found["launch"]).items() if key[0] != "_"}
    assert said == {
        "threads": 256,
        "block_x": 16,
        "block_y": 16,
        "min_blocks": 3,
        "max_registers": 64,
        "static_smem": 1000,
        "cluster_x": 2,
        "needs_non_portable": False,
        "grid_x": 100,
        "grid_y": 2,
    }
    assert "smem" not in found  # of dynamic memory nothing is said
    for old, why in (("block_y: Final = 16", "has these threads"), ("grid_x: Final = 100", "fill")):
        with pytest.raises(AssertionError, match=why):
            module(text.replace(old, f"{old}1"))
    assert "launch::dynamic_smem" not in emit.emit(spec.derive(), "cuda")
    nothing = spec_of("kernel: launch\nshape: {cooperative: true}\n").derive()
    assert emit.emit(nothing, "mojo").endswith('used."""\n    pass\n')


def test_parts_of_one_name_are_no_twins() -> None:
    shape = "{mbarriers: [{name: a, count: 2}, {name: a, count: 2}], mma: [{M: 64}, {N: 8}]}"
    found = emit.emit(spec_of(f"kernel: launch\nshape: {shape}\n").derive(), "python")
    assert "a_2_count: Final = 2" in found and "a_2_count is" not in found
    assert "instruction1_N: Final = 8" in found


@needs("g++")
def test_the_seals_are_those_of_a_compiler_too(tmp_path: Path) -> None:
    spec = next(each for each in specs() if each.source.startswith("deepseek-v3-2-index#"))
    text = emit.emit(spec.derive(), "cpp", namespace="my::indexer")
    assert "\nnamespace my::indexer {\n" in text
    (tmp_path / "a.h").write_text(text)
    changed = re.sub(r"(int static_reg_budget = )(\d+)", lambda m: f"{m[1]}{int(m[2]) + 8}", text)
    assert changed != text
    (tmp_path / "b.h").write_text(changed)
    for file, said in (("a.h", ""), ("b.h", "changed by hand: one of")):
        (tmp_path / "all.cpp").write_text(f'#include "{file}"\n')
        told = compiled([*CPP, "-fsyntax-only", "all.cpp"], tmp_path)
        assert said in told and bool(said) is bool(told)


@pytest.mark.parametrize(
    ("namespace", "lang", "said"),
    [
        ("my::int", "cpp", "int cannot be a namespace"),
        ("my.gemm", "cuda", "expected a namespace such as my::gemm"),
        ("", "cpp", "expected a namespace"),
        ("mine", "python", "python has no namespaces"),
    ],
)
def test_what_is_no_namespace_is_refused(namespace: str, lang: str, said: str) -> None:
    with pytest.raises(emit.NamespaceError, match=re.escape(said)):
        emit.emit(specs()[0].derive(), lang, namespace=namespace)


def test_upstreams_members_stand_apart_from_steps() -> None:
    text = emit.emit(derive("fa4", "26.6", FA4_26), "python")
    own, steps = text.index(": its members."), text.index("# kcfg's steps on the way")
    assert own < text.index("\nnum_kv_stages: Final =") < steps < text.index("\nslots: Final =")
