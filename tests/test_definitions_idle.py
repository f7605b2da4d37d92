"""What a definition says in vain: keys that nothing would read, cases that never come up."""

from __future__ import annotations

from pathlib import Path

import defined
import pytest

from kcfg.cli.hook import run as validate
from kcfg.core.report import report

G = "defines: g\n"
MODE = f"{G}inputs: {{mode: {{choices: [fast, exact]}}, n: {{default: 3, most: 8}}}}\nvalues:\n"


@pytest.mark.parametrize(
    ("text", "place", "says"),
    [
        ("shared:\n  a: {bytes: 16, shape: [2]}\n", "3:18", "say their type by `of`"),
        ("shared:\n  a: {bytes: 16, stride: 32}\n", "3:18", "say how many `stages`"),
        ("shared:\n  a: {bytes: 16, offset: 32}\n", "3:18", "what a region lies `in`"),
        (
            "shared:\n  a: {struct: {x: {bytes: 4}, y: {bytes: 4, offset: 8}}}\n",
            "3:45",
            "what a region lies `in`",
        ),
        ("shared:\n  a: {of: bf16, shape: []}\n", "3:24", "as [128, 64]: there is none"),
        ("shared:\n  a: {mbarriers: 2, stages: 2}\n", "3:21", "as in `mbarriers: 2 * stages`"),
        ("shared:\n  a: {mbarriers: 2, tma: true}\n", "3:21", "leave it out"),
        ("shared:\n  a: {mbarriers: {}}\n", "3:18", "expected groups of mbarriers"),
        (
            "shared:\n  a: {mbarriers: {full: 2}, arrivals: 128}\n",
            "3:29",
            "each group says its own",
        ),
        (
            "shared:\n  full: {mbarriers: 2}\n  b: {mbarriers: {full: 3}}\n",
            "4:19",
            "`full` are there already, in line 3",
        ),
        (
            "shared:\n  a: {struct: {x: {bytes: 2}}, swizzle: 128B}\n",
            "3:32",
            "`swizzle` does not go with `struct`: say it of the members",
        ),
        ("shared:\n  a: {union: {x: {bytes: 2}}, bytes: 2}\n", "3:31", "the members say how large"),
        ("shared: {a: {}}\n", "2:13", "this one is empty"),
        ("shared_limit: 1024\n", "2:1", "say `shared_bytes`"),
        ("tensor_memory: {a: {}}\n", "2:20", "this one is empty"),
        (
            "tensor_memory:\n  a: {columns: 32}\n  b: {columns: 32, offset: 32}\n",
            "4:20",
            "`at` says a first column",
        ),
        (
            "tensor_memory:\n  a: {columns: 64}\n  b: {columns: 32, in: a, at: 32}\n",
            "4:27",
            "say `offset` in place of `at`",
        ),
        (
            "tensor_memory:\n  s: {columns: 64, count: 2}\n  s0: {columns: 32, lanes: 16}\n",
            "4:3",
            "`s0` is the name of one of several `s`",
        ),
        ("roles: {a: {}}\n", "2:12", "this one is empty"),
        ("roles: {a: {warps: 0-3, direction: inc}}\n", "2:25", "how `registers` are set"),
        ("roles: {a: {warp: 4-5}}\n", "2:19", "write `warps: 4-5`"),
        ("inputs: {a: {}}\n", "2:13", "this one is empty"),
        ("inputs: {a: {default: , unit: bytes}}\n", "2:23", "leave it out"),
        ("inputs: {a: {choices: [x, y], unit: bytes}}\n", "2:37", "a text, which is in no bytes"),
        ("inputs: {a: {choices: [bf16], unit: dtype}}\n", "2:37", "list them by `dtype`"),
        ("inputs: {a: {default: true, unit: bytes}}\n", "2:35", "a truth value, which is in no"),
        ("inputs: {a: {default: 4, unit: swizzle}}\n", "2:32", "a number, which is in no swizzle"),
        ("inputs: {a: {dtype: [bf16], choices: [x]}}\n", "2:38", "keep one of them"),
        ("values: {x: {is: 2, doc: }}\n", "2:26", "or no key at all"),
        ("title:\n", "2:7", "or no key at all"),
        ("without: [x]\n", "2:1", "what `extends` takes over"),
        ("extends: index_prefill 26.6\nwithout:\n", "3:9", "expected the names of values"),
        ("extends: [a]\n", "2:10", "expected a kernel, or the path of a definition, not a list"),
        ("extends: index_prefill 26.6\nwithout: [n_tokens, n_tokens]\n", "3:21", "given twice"),
        (
            "extends: index_prefill 26.6\nwithout: [q_bytes]\n",
            "3:11",
            "`q_bytes` is read by `fixed_smem_bytes`, which stays",
        ),
        (
            "extends: index_prefill 26.6\nwithout: n_tokens\nvalues: {n_tokens: 3}\n",
            "3:10",
            "`n_tokens` is said under `values` too",
        ),
        ("extends: index_prefill 26.6\ninputs: {k_stages: 4}\n", "3:10", "is a value of what"),
        ("target: h200\nneeds: tcgen05\n", "2:9", "g needs tcgen05 tensor cores; h200"),
        ("launch: {pipelines: [{stages: max}]}\n", "2:31", "a formula counts them here"),
    ],
)
def test_what_would_mean_nothing_is_refused(text: str, place: str, says: str) -> None:
    ((at, message),) = defined.complaints(G + text)
    assert at == place, message
    assert says in message


@pytest.mark.parametrize(
    ("value", "place", "says"),
    [
        ("{by: [n, n], cases: {[3, 3]: 2}}", "4:15", "`n` is given twice"),
        ("{by: n, cases: {3: 2, 4: true}}", "4:31", "a truth value, where the first case gives"),
    ],
)
def test_a_table_says_each_thing_once(value: str, place: str, says: str) -> None:
    ((at, message),) = defined.complaints(f"{MODE}  x: {value}\n")
    assert at == place, message
    assert says in message


@pytest.mark.parametrize(
    ("value", "place", "says"),
    [
        ("{by: mode, cases: {fast: 1, fats: 2, exact: 3}}", "4:34", "did you mean `fast`?"),
        ("{by: n, cases: {3: 2, 16: 3}}", "4:28", "must be at most 8, not 16"),
        ('1 if mode == "fats" else 2', "4:19", "never 'fats': one of fast, exact; did you mean"),
        ("1 if mode in ['fast', 'slow'] else 2", "4:28", "`mode` is never 'slow'"),
    ],
)
def test_what_no_input_is_is_doubted_and_derived(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], value: str, place: str, says: str
) -> None:
    path = tmp_path / "g.kcfg.yaml"
    path.write_text(f"{MODE}  x: {value}\n---\nkernel: g\nshape: {{mode: fast}}\n")
    assert validate([str(path)]) == 0
    (found, _) = capsys.readouterr().out.strip().splitlines()
    assert found.startswith(f"{path}:{place}: warning SPEC003 ") and says in found
    assert validate([str(path), "--strict"]) == 1


def test_specs_may_name_the_target_that_a_definition_does_not(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "g.kcfg.yaml"
    path.write_text(f"{G}needs: wgmma\n---\nkernel: g\ntarget: h200\n")
    assert validate([str(path)]) == 0, capsys.readouterr().out
    path.write_text(f"{G}needs: wgmma\n---\nkernel: g\n")
    assert validate([str(path)]) == 1
    assert "g needs wgmma tensor cores" in capsys.readouterr().out


def test_a_child_may_have_fewer_choices_than_what_it_extends() -> None:
    child = "---\ndefines: h\nextends: g\ninputs: {mode: {choices: [fast]}}\n---\nkernel: h\n"
    for value in ("{by: mode, cases: {fast: 2, exact: 3}}", '2 if mode == "fast" else 3'):
        assert not defined.complaints(f"{MODE}  x: {value}\n{child}shape: {{mode: fast}}\n")


@pytest.mark.parametrize(("align", "says"), [(0, "at least 1, not 0"), (24, "write 16 or 32")])
def test_an_alignment_is_a_power_of_two(align: int, says: str) -> None:
    for region in (f"{{bytes: 8, align: {align}}}", f"{{mbarriers: 1, align: {align}}}"):
        ((place, message),) = defined.complaints(f"{G}shared:\n  a: {region}\n")
        assert place == f"3:{region.index('align') + 13}"
        assert says in message


def test_what_is_read_is_not_dropped() -> None:
    base = "defines: b\ninputs: {n: 3}\nvalues: {x: n, y: n, z: y}\nshared: {r: {bytes: x}}\n"
    for name, place in (("x", "shared.r"), ("y", "values.z")):
        (found,) = [
            each
            for item in defined.read(f"{base}---\ndefines: c\nextends: b\nwithout: {name}\n", "t")
            if isinstance(item, list)
            for each in item
        ]
        assert (found.line, found.column) == (7, 10)
        assert found.path.startswith(place)
        assert f"`{name}` is dropped by `without`, and read here" in found.message


def test_an_allocation_alone_is_tensor_memory_of_which_the_total_is_known() -> None:
    kernel = defined.derived(f"{G}tensor_memory_allocated: 48\n")
    told = report(kernel)
    assert (told["tmem"]["allocated"], told["tmem"]["regions"]) == (48, [])
    assert "TMEM001" in {each["rule"] for each in told["findings"]}
