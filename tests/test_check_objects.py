"""Cubins, fatbins, PTX and Triton's cache against specs: every figure that they state."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from checking import FINE, LOGS, WARNED, WRONG, judge, launch

from kcfg.core.check import text, tools

BUILDS = Path(__file__).parent / "builds"
CUBIN, FATBIN, PTX = (
    BUILDS / f"launched.{kind}" for kind in ("sm_100a.cubin", "fatbin", "sm_100a.ptx")
)
needs_tool = pytest.mark.skipif(
    tools.find(cubin=False) is None, reason="needs cuobjdump: pip install nvidia-cuda-cuobjdump"
)

BOUNDED = (
    "threads: 384, registers: {launch_bounds: [384, 1]}, shared: {static: 0}, named_barriers: [0]"
)
CLUSTERED = (
    "threads: 256, registers: {launch_bounds: [256, 2]}, cluster: [2], shared: {static: 1024},"
    " named_barriers: [0]"
)
SIZED = "threads: 128, cluster: [2, 1, 1], shared: {static: 0}"
CAPPED = "threads: 64, registers: {maxnreg: 40}, shared: {static: 0}"
TRITON = (
    "threads: 128, cluster: [1], shared: {static: 0, dynamic: 98320}, tmem: {allocations: [128]}"
)

# The kernel, what was configured, and what must be said of each of its builds.
VERDICTS = [
    ("bounded", BOUNDED, FINE, FINE),
    ("clustered", CLUSTERED, FINE, FINE),
    ("sized", SIZED, FINE, FINE),
    ("capped", CAPPED, FINE, FINE),
    ("bounded", BOUNDED.replace("static: 0", "static: 16"), {"CHK004": WRONG}, {"CHK004": WRONG}),
    ("bounded", BOUNDED.replace("[0]", "[0, 1]"), {"CHK005": WARNED}, FINE),
    # 384 threads of a kernel bounded to 256; another cap, which PTX does not name.
    (
        "clustered",
        "threads: 384, registers: {launch_bounds: [384, 1]}",
        {"CHK012": WRONG, "CHK017": WARNED},
        {"CHK012": WRONG, "CHK016": WARNED},
    ),
    (
        "bounded",
        "threads: 256, registers: {launch_bounds: [256, 1]}",
        {"CHK012": WARNED, "CHK017": WARNED},
        {"CHK012": WARNED},
    ),
    ("clustered", "threads: 256, cluster: [4]", {"CHK013": WRONG}, {"CHK013": WRONG}),
    ("clustered", "threads: 256, cluster: [1, 2]", {"CHK013": WRONG}, {"CHK013": WRONG}),
    ("sized", "threads: 256", {"CHK011": WRONG}, {"CHK011": WRONG}),
    ("sized", "block: [64, 2]", {"CHK011": WRONG}, {"CHK011": WRONG}),
    ("capped", "threads: 64, registers: {maxnreg: 48}", {"CHK017": WARNED}, {"CHK017": WARNED}),
]


@pytest.mark.parametrize(("kernel", "shape", "object", "ptx"), VERDICTS)
def test_verdict_on_ptx(
    tmp_path: Path, kernel: str, shape: str, object: dict[str, str], ptx: dict[str, str]
) -> None:
    judged = judge(tmp_path, launch(shape), PTX, name=kernel)
    assert (judged.rules, judged.code) == (ptx, int(WRONG in ptx.values()))
    assert f"judged: {kernel} for compute_100a, as reported by its PTX" in judged.notes


@needs_tool
def test_verdicts_on_objects(tmp_path: Path) -> None:
    for kernel, shape, rules, _ in VERDICTS:
        for path in (CUBIN, FATBIN):
            judged = judge(tmp_path, launch(shape), path, name=kernel)
            assert (kernel, judged.rules) == (kernel, rules)
            assert (
                f"{path}: judged: {kernel} for sm_100a, as reported by cuobjdump (" in judged.notes
            )
            assert "bytes of constant memory: no configuration says it" in judged.notes


@needs_tool
def test_the_code_of_the_target_is_judged(tmp_path: Path) -> None:
    judged = judge(tmp_path, launch(BOUNDED, "h200"), FATBIN, name="bounded")
    assert judged.rules == FINE and "judged: bounded for sm_90a" in judged.notes
    assert judge(tmp_path, launch(BOUNDED, "h200"), CUBIN, name="bounded").rules == {
        "CHK006": WRONG
    }


@needs_tool
def test_an_object_through_a_pipe_and_a_saved_dump(tmp_path: Path) -> None:
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    with subprocess.Popen(["cp", str(CUBIN), str(pipe)]):
        assert judge(tmp_path, launch(BOUNDED), pipe, name="bounded").rules == FINE
    tool = tools.find(cubin=True)
    assert tool is not None
    dump = subprocess.run(
        [tool.path, "--dump-elf", "--dump-resource-usage", CUBIN], capture_output=True, check=True
    )
    said = judge(tmp_path, launch("threads: 256"), dump.stdout, name="sized")
    assert said.rules == {"CHK011": WRONG} and said.of("CHK011").line > 0


@needs_tool
def test_of_what_is_not_linked_shared_memory_is_not_known(tmp_path: Path) -> None:
    """One kernel: cuobjdump lists the function it calls beside it, and 0 bytes for both."""
    shape = "threads: 256, registers: {launch_bounds: [256]}, shared: {static: 1024}"
    judged = judge(tmp_path, launch(shape), BUILDS / "relocatable.sm_100a.cubin")
    assert judged.rules == FINE and "judged: unlinked for sm_100a" in judged.notes
    assert "CHK004: cuobjdump does not report static shared memory here" in judged.notes


TENSOR = "threads: 128, tmem: {{allocations: [{}]}}, shared: {{static: 4}}"


@pytest.mark.parametrize(
    ("kernel", "columns", "rules"),
    [
        ("fixed", 128, FINE),
        ("fixed", 256, {"CHK015": WRONG}),
        ("held", 256, FINE),
        ("held", 128, {"CHK015": WRONG}),
        ("chosen", 64, FINE),
    ],
)
def test_tensor_memory_that_ptx_allocates(
    tmp_path: Path, kernel: str, columns: int, rules: dict[str, str]
) -> None:
    ptx = BUILDS / "tensor.sm_100a.ptx"
    judged = judge(tmp_path, launch(TENSOR.format(columns)), ptx, name=kernel)
    assert judged.rules == rules
    unclear = "not judged: tensor memory: what it allocates cannot be told"
    assert (unclear in judged.notes) is (kernel == "chosen")


@pytest.mark.parametrize(
    ("held", "also", "told"),
    [("256", "", "256"), ("0x100", "", "256"), ("256", "mov.b32 \t%r2, 128;", "")],
)
def test_tensor_memory_by_what_a_register_holds(
    tmp_path: Path, held: str, also: str, told: str
) -> None:
    text = (BUILDS / "tensor.sm_100a.ptx").read_text()
    assert text.count("mov.b32 \t%r2, 256;") == 1
    ptx = tmp_path / "held.ptx"
    ptx.write_text(text.replace("mov.b32 \t%r2, 256;", f"{also}mov.b32 \t%r2, {held};"))
    judged = judge(tmp_path, launch(TENSOR.format(64)), ptx, name="held")
    assert judged.rules == ({"CHK015": WRONG} if told else FINE)
    assert ("what it allocates cannot be told" in judged.notes) is (not told)
    assert not told or f"built for {told} columns" in judged.of("CHK015").message


def test_tensor_memory_that_nobody_allocates_and_clusters_that_bounds_refuse(
    tmp_path: Path,
) -> None:
    bare = judge(tmp_path, launch(f"{SIZED}, tmem: {{allocations: [64]}}"), PTX, name="sized")
    assert bare.rules == {"CHK015": WRONG}
    none = judge(tmp_path, launch(SIZED), PTX, name="sized")
    assert none.rules == FINE and "CHK015" not in none.notes  # neither has any
    ptx, bounds = BUILDS / "tensor.sm_100a.ptx", "registers: {launch_bounds: [128, 1, 4]}"
    for cluster, third, rules in (
        (4, 4, FINE),
        (8, 8, {"CHK018": WRONG}),
        (2, 2, {"CHK018": WARNED}),
    ):
        shape = f"threads: 128, cluster: [{cluster}], {bounds.replace('4', str(third))}"
        assert judge(tmp_path, launch(shape), ptx, name="fixed").rules == rules


# Triton


@needs_tool
@pytest.mark.parametrize("file", ["mm.json", "mm.cubin"])
def test_triton_with_its_cubin(tmp_path: Path, file: str) -> None:
    judged = judge(tmp_path, launch(TRITON), BUILDS / file)
    assert judged.rules == FINE
    assert "judged: mm for sm_100a, as reported by Triton and cuobjdump" in judged.notes
    assert "3 stages of loops: no configuration says it" in judged.notes
    wrong = (
        "threads: 256, cluster: [2], shared: {dynamic: 98304}, tmem: {allocations: [256]},"
        " registers: {launch_bounds: [256, 1]}"
    )
    found = judge(tmp_path, launch(wrong), BUILDS / file).rules
    assert {f"CHK0{number}" for number in (11, 13, 14, 15)} <= found.keys()


def test_triton_alone(tmp_path: Path) -> None:
    alone = tmp_path / "mm.json"
    shutil.copy(BUILDS / "mm.json", alone)
    judged = judge(tmp_path, launch(TRITON), alone)
    assert judged.rules == FINE and "CHK001: Triton does not report the registers" in judged.notes
    alone.write_text('{"num_warps": 4}')
    assert (
        "is not what Triton keeps" in judge(tmp_path, launch(TRITON), alone).of("SPEC001").message
    )


def test_tritons_list_of_files_is_passed_over(tmp_path: Path) -> None:
    group = tmp_path / "__grp__mm.json"
    group.write_text('{"child_paths": {"mm.ttir": "/cache/mm.ttir"}}')
    judged = judge(tmp_path, launch(TRITON), group, BUILDS / "mm.json")
    assert judged.rules == FINE and "judged: mm" in judged.notes
    assert judge(tmp_path, launch(TRITON), group).of("LOG001").severity == WRONG


def test_of_a_derived_kernel_the_reasons_are_the_builds(tmp_path: Path) -> None:
    spec = (
        "kernel: fa4\nrelease: 26.6\nshape: {qkv_dtype: bf16, num_q_heads: 32, group: 4,"
        " qk_depth: 128, ov_depth: 128, page_size: 128}\n"
    )
    ptx = BUILDS / "tensor.sm_100a.ptx"
    judged = judge(tmp_path, spec, ptx, name="fixed")
    assert judged.rules == {"CHK012": WRONG, "CHK015": WRONG, "CHK019": WRONG}
    assert "CHK001: its PTX does not report the registers here" in judged.notes
    log = judge(tmp_path, spec, LOG.encode(), name="clean_scale")
    assert "CHK001" in log.rules and "CHK001" not in log.notes  # judged, and so not named as not


# Where the tool is


def test_without_the_tool(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tools, "find", lambda **_: None)
    judged = judge(tmp_path, launch(BOUNDED), CUBIN, name="bounded")
    assert judged.code == 2
    assert "`pip install nvidia-cuda-cuobjdump`" in judged.of("SPEC001").message
    both = judge(tmp_path, launch(TRITON), BUILDS / "mm.json")
    assert both.rules == FINE and "its cubin is not read: objects are read by" in both.notes


def test_it_is_found_on_path_then_in_cuda_home(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for folder in ("path", "home/bin"):
        program = tmp_path / folder / "cuobjdump"
        program.parent.mkdir(parents=True)
        program.write_text("#!/bin/sh\necho 'cuobjdump fatal : no' >&2\nexit 255\n")
        program.chmod(0o755)
    monkeypatch.setenv("PATH", str(tmp_path / "path"))
    monkeypatch.setenv("CUDA_HOME", str(tmp_path / "home"))
    assert tools.find(cubin=True) == (tools.CUOBJDUMP, f"{tmp_path}/path/cuobjdump", "on PATH")
    judged = judge(tmp_path, launch(BOUNDED), CUBIN)
    assert "cuobjdump could not read it: cuobjdump fatal : no" in judged.of("SPEC001").message
    monkeypatch.setenv("PATH", "")
    found = (tools.CUOBJDUMP, f"{tmp_path}/home/bin/cuobjdump", "in CUDA_HOME")
    assert tools.find(cubin=True) == found


def test_nvdisasm_reads_cubins_where_there_is_no_cuobjdump(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    program = tmp_path / "nvdisasm"
    program.write_text(f"#!/bin/sh\nexec /bin/cat {BUILDS}/launched.sm_100a.nvdisasm.txt\n")
    program.chmod(0o755)
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.delenv("CUDA_HOME", raising=False)
    monkeypatch.delenv("CUDA_PATH", raising=False)
    monkeypatch.setattr(tools, "_packaged", lambda program: ())
    for kernel, shape, rules, _ in VERDICTS:
        judged = judge(tmp_path, launch(shape), CUBIN, name=kernel)
        assert (kernel, judged.rules) == (kernel, rules)
        assert f"as reported by nvdisasm (on PATH: {program})" in judged.notes
        assert "904 bytes of constant memory: no configuration says it" in judged.notes
    missing = judge(tmp_path, launch(BOUNDED), FATBIN, name="bounded").of("SPEC001").message
    assert "`pip install nvidia-cuda-cuobjdump`" in missing  # nvdisasm takes no fatbin


def test_nvdisasm_has_bounds_in_three_dimensions_and_constants_in_several_banks(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Of a real dump: 384 threads as 96 x 4, and 8 bytes in a second bank."""
    head, bounds, tail = (
        (BUILDS / "launched.sm_100a.nvdisasm.txt").read_text().rpartition("EIATTR_MAX_THREADS")
    )
    tail = tail.replace("0x00000180", "0x00000060", 1).replace("0x00000001", "0x00000004", 1)
    bank = '\t.section\t.nv.constant2.bounded,"a",@progbits\n\t.zero\t\t8\n'
    (tmp_path / "dump").write_text(f"{head}{bounds}{tail}\n{bank}")
    program = tmp_path / "nvdisasm"
    program.write_text(f"#!/bin/sh\nexec /bin/cat {tmp_path}/dump\n")
    program.chmod(0o755)
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.delenv("CUDA_HOME", raising=False)
    monkeypatch.delenv("CUDA_PATH", raising=False)
    monkeypatch.setattr(tools, "_packaged", lambda program: ())
    judged = judge(tmp_path, launch(BOUNDED), CUBIN, name="bounded")
    assert judged.rules == FINE
    assert "912 bytes of constant memory" in judged.notes


# What cannot be read


def test_what_is_no_build_is_refused(tmp_path: Path) -> None:
    noise = bytes(range(1, 32)) * 40
    for data in (noise, bytes(1 << 16)):
        judged = judge(tmp_path, launch(BOUNDED), data)
        assert judged.code == 2 and "binary" in judged.of("SPEC001").message


def test_a_log_without_end_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(text, "MOST_BYTES", 1 << 22)
    with subprocess.Popen(["yes", "x" * 4000], stdout=subprocess.PIPE) as endless:
        assert endless.stdout is not None
        path = Path(f"/dev/fd/{endless.stdout.fileno()}")
        judged = judge(tmp_path, launch(BOUNDED), path)
        endless.kill()
    assert judged.code == 2 and "are no log of a build" in judged.of("SPEC001").message


def test_ptx_without_end_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(text, "MOST_LINES", 1000)
    endless = PTX.read_bytes() + b"\t.loc 1 2 3\n" * 100_000
    judged = judge(tmp_path, launch(BOUNDED), endless)
    assert judged.code == 2 and "are no log of a build" in judged.of("SPEC001").message


def test_comments_of_ptx_are_no_directives(tmp_path: Path) -> None:
    """Nor do directives have to stand on lines of their own."""
    ptx = (
        ".version 9.0\n.target sm_100a\n/* .visible .entry old()\n.reqntid 64 */\n"
        ".visible .entry k() .reqntid 128 /* .maxnreg 32 */ { // .maxntid 5\n\tret;\n}\n"
    )
    judged = judge(tmp_path, launch("threads: 128, registers: {maxnreg: 40}"), ptx.encode())
    assert judged.rules == FINE and "judged: k for compute_100a" in judged.notes


LONG = "9" * 5000
LOG = (LOGS / "clean.sm_100a.ptxas.txt").read_text()


@pytest.mark.parametrize(
    ("log", "name", "what"),
    [
        (LOG.replace("10 registers", f"{LONG} registers"), "clean_scale", "the registers"),
        (LOG.replace("4096 bytes", f"{LONG} bytes"), "clean_scale", "static shared memory"),
        (PTX.read_text().replace(".reqntid 128", f".reqntid {LONG}"), "sized", "threads"),
        (f'{{"num_warps": {LONG}, "name": "k", "shared": 0}}', "k", "threads"),
        (f'{{"num_warps": 4, "name": "k", "shared": {LONG}}}', "k", "dynamic"),
        (f"Function k:\n REG:8 STACK:0 SHARED:{LONG} LOCAL:0\n", "k", "static shared memory"),
        (f"Function k:\n REG:8 STACK:0 SHARED:0 LOCAL:{LONG} \n", "k", "bytes of local memory"),
    ],
)
def test_a_figure_that_is_too_long_is_refused_in_words(
    tmp_path: Path, log: str, name: str, what: str
) -> None:
    file = tmp_path / "k.json"
    file.write_text(log)
    shape = "threads: 128, registers: {launch_bounds: [128]}"
    judged = judge(tmp_path, launch(shape), file, name=name)
    assert judged.rules.keys() <= {"CHK012"}  # of the other figures, which are read
    assert f"{what}: 5,000 digits are no figure" in judged.notes


# Several specs


def several(folder: Path) -> Path:
    specs = folder / "kernels.kcfg.yaml"
    specs.write_text(
        "".join(
            f"---\nkernel: launch\nname: {kernel}\nbuild: {{kernel: {kernel}}}\n"
            f"shape: {{{shape}}}\n"
            for kernel, shape in (("bounded", BOUNDED), ("sized", "threads: 256"))
        )
    )
    return specs


def run(*arguments: str, folder: Path, program: str = "kcfg.cli.main") -> tuple[int, str]:
    found = subprocess.run(
        [sys.executable, "-P", "-m", program, *arguments],
        cwd=folder,
        capture_output=True,
        text=True,
        check=False,
    )
    return found.returncode, found.stdout + found.stderr


def test_specs_say_which_kernel_is_theirs(tmp_path: Path) -> None:
    specs = several(tmp_path)
    log = LOGS / "templated.sm_100a.ptxas.txt"
    other = tmp_path / "other.yaml"
    other.write_text('kernel: launch\nbuild: {kernel: "tile_sum<double*"}\nshape: {threads: 256}\n')
    code, said = run("check", specs.name, other.name, str(PTX), str(log), folder=tmp_path)
    assert code == 1 and "4 files, 3 specs: 1 error" in said
    assert "judged: bounded for compute_100a" in said
    assert "judged: void tk::tile_sum<double" in said
    assert "CHK011 compiled for a block of just 128 threads, the configuration has 256" in said


def test_the_hook_checks_what_the_project_lists(tmp_path: Path) -> None:
    several(tmp_path)
    (tmp_path / "build").mkdir()
    shutil.copy(PTX, tmp_path / "build" / "all.ptx")
    line = PTX.read_text().splitlines().index(".reqntid 128, 1, 1") + 1
    project = tmp_path / "pyproject.toml"
    hook = "kcfg.cli.check_hook"
    code, said = run(folder=tmp_path, program=hook)
    assert code == 0 and "nothing to check: no pyproject.toml with" in said
    project.write_text('[tool.kcfg]\ncheck = [{spec = "*.kcfg.yaml", build = "build/*.ptx"}]\n')
    code, said = run(folder=tmp_path, program=hook)
    assert code == 1 and f"build/all.ptx:{line}:1: error CHK011" in said
    inside = run(folder=tmp_path / "build", program=hook)
    assert inside[0] == 1 and f"all.ptx:{line}:1: error CHK011" in inside[1]
    project.write_text('[tool.kcfg]\ncheck = [{spec = "*.kcfg.yaml", build = "build/*.log"}]\n')
    code, said = run(folder=tmp_path, program=hook)
    assert code == 2 and "no file fits `build/*.log`" in said
    project.write_text('[tool.kcfg]\ncheck = [{spec = "-", build = "-"}]\n')
    assert "./-: error SPEC001 no such file" in run(folder=tmp_path, program=hook)[1]
    project.write_text('[tool.kcfg]\ncheck = [{spec = "*.kcfg.yaml"}]\n')
    assert "entry 1: missing build" in run(folder=tmp_path, program=hook)[1]
