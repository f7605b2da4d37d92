"""Targets: what every limit declares, what must hold between limits, and how they are listed."""

from __future__ import annotations

import json
import subprocess
import sys
from itertools import combinations
from pathlib import Path
from typing import Any, get_args

import pytest

from kcfg.core.findings import findings
from kcfg.core.hardware.target import Target, Unit
from kcfg.core.rules import rules
from kcfg.core.spec import Spec, read
from kcfg.core.targets import DEFAULT, find, names, spellings

TARGETS = [find(name) for name in names()]
each_target = pytest.mark.parametrize("target", TARGETS, ids=names())


def test_the_default_is_listed_first() -> None:
    assert names()[0] == DEFAULT == "b200"
    assert list(names()[1:]) == sorted(names()[1:])
    assert find() is find("b200")


@each_target
def test_a_target_answers_to_what_it_says_of_itself(target: Target) -> None:
    assert find(target.name) is target
    assert target.arch == f"sm_{target.cc.replace('.', '')}a"


READ: dict[str, dict[str, Any]] = json.loads(
    (Path(__file__).parent / "data" / "targets.json").read_text()
)


@pytest.mark.parametrize("name", READ)
def test_figures_are_those_that_were_read(name: str) -> None:
    figures = json.loads(json.dumps(vars(find(name))))
    assert {key: figures[key] for key in READ[name]} == READ[name]


@each_target
def test_limits_agree_with_each_other(target: Target) -> None:
    assert target.max_threads_per_sm == target.max_warps_per_sm * target.warp_size
    assert target.registers_per_sub_partition * target.sub_partitions == target.registers_per_sm
    assert (
        target.register_alloc_rounding_per_thread * target.warp_size
        == target.register_alloc_unit_per_warp
    )
    assert target.smem_optin_per_block + target.smem_reserved_per_block == target.smem_per_sm
    assert target.carveout_kb[-1] * 1024 == target.smem_per_sm
    assert list(target.carveout_kb) == sorted(target.carveout_kb)
    has_tensor_memory = target.mma == "tcgen05"
    for name in ("tmem_columns", "tmem_lanes", "tmem_cell_bits", "tmem_alloc_min"):
        assert bool(getattr(target, name)) == has_tensor_memory
    assert target.tmem_alloc_power_of_two == has_tensor_memory


OF_PRODUCT = {
    *("name", "product", "aliases", "unstated", "names_arch", "sm_count", "sm_count_note"),
    *("l2_bytes", "dram_bytes", "dram_bytes_per_s", "max_sm_clock_mhz", "dense_tflops", "basis"),
}
"""What may differ between targets of one architecture."""

TWINS = [
    (one.name, other.name) for one, other in combinations(TARGETS, 2) if one.arch == other.arch
]


def judged(page: str, target: str) -> list[tuple[Any, ...]]:
    """What the rules find in a page's example on a target, without its words."""
    (spec,) = read(f"{{kernel: launch, target: {target}, {page}}}", "test.yaml")
    assert isinstance(spec, Spec), [str(problem) for problem in spec]
    found = findings(spec.derive())
    return [(each.rule, each.severity, each.path, each.value, each.limit) for each in found]


@pytest.mark.parametrize(("one", "other"), TWINS)
def test_targets_of_an_architecture_are_judged_alike(one: str, other: str) -> None:
    limits = [
        {key: value for key, value in vars(find(name)).items() if key not in OF_PRODUCT}
        for name in (one, other)
    ]
    assert limits[0] == limits[1]
    for page in (page for each in rules() for page in (each.fails, each.passes)):
        if page.startswith("shape:"):
            assert judged(page, one) == judged(page, other)


@pytest.mark.parametrize("name", ["gb10", "h100_pcie", "rtx_pro_6000_max_q", "rtx_pro_6000_server"])
def test_what_was_not_read_is_not_given(name: str) -> None:
    target = find(name)
    assert (target.l2_bytes, target.dram_bytes_per_s, target.dense_tflops) == (None, None, {})
    assert "the number of SMs alone" in target.basis


def listed(capsys: pytest.CaptureFixture[str], *arguments: str) -> str:
    """What ``kcfg targets`` prints."""
    from kcfg.cli.main import application

    with pytest.raises(SystemExit) as leaving:
        application(["targets", *arguments])(["targets", *arguments])
    assert not leaving.value.code
    return capsys.readouterr().out


def test_the_list_has_every_target_and_its_spellings(capsys: pytest.CaptureFixture[str]) -> None:
    facts = json.loads(listed(capsys, "--format", "json"))
    assert [each["name"] for each in facts] == list(names())
    assert [tuple(each["spellings"]) for each in facts] == [*map(spellings, TARGETS)]
    table, _, others = listed(capsys).partition("\nOther names\n")
    for target in TARGETS:
        assert f"  {target.name} " in table and target.arch in table
        assert all(name in " ".join(others.split()) for name in spellings(target))


def test_one_target_is_shown_by_any_spelling(capsys: pytest.CaptureFixture[str]) -> None:
    page = listed(capsys, "DGX Spark")
    assert page.startswith("gb10 (sm_121a)\n  Also called DGX Spark, sm_121, ")
    facts = json.loads(listed(capsys, "DGX Spark", "--format", "json"))
    assert (facts["name"], facts["spellings"]) == ("gb10", list(spellings(find("gb10"))))


def test_the_b200() -> None:
    b200 = find("b200")
    assert (b200.sm_count, b200.smem_per_sm, b200.smem_optin_per_block) == (148, 233472, 232448)
    assert (b200.tmem_columns, b200.tmem_lanes, b200.tmem_alloc_min) == (512, 128, 32)
    assert (b200.setmaxnreg_min, b200.setmaxnreg_max, b200.setmaxnreg_multiple) == (24, 256, 8)
    assert b200.dense_tflops["bf16"] == 2250


@each_target
def test_rows_give_every_limit_with_unit_doc_and_source(target: Target) -> None:
    rows = [tuple(vars(row).values()) for row in target.rows()]
    assert [name for name, *_ in rows] == list(Target.limits) == list(vars(target))
    for name, value, unit, doc, source in rows:
        assert value is getattr(target, name)
        assert unit in get_args(Unit)
        assert doc.endswith(".")
        assert source


def test_a_target_does_not_change() -> None:
    b200 = find("b200")
    with pytest.raises(AttributeError, match="replace"):
        b200.sm_count = 152  # type: ignore[misc]
    with pytest.raises(AttributeError):
        del b200.sm_count
    assert b200.sm_count == 148


def test_replace_makes_another_target() -> None:
    b200 = find("b200")
    other = b200.replace(sm_count=152)
    assert (other.sm_count, b200.sm_count) == (152, 148)
    assert {**vars(other), "sm_count": 148} == vars(b200)
    with pytest.raises(TypeError, match="no limit sm_cont"):
        b200.replace(sm_cont=152)


def test_a_target_states_every_limit_without_a_default() -> None:
    stated = vars(find("b200"))
    for name, declared in Target.limits.items():
        if name in ("sm_count", "l2_bytes"):
            assert not isinstance(declared.default, int)
            with pytest.raises(TypeError, match=f"needs {name}"):
                Target(**{key: value for key, value in stated.items() if key != name})


def test_one_target_is_imported_without_the_others() -> None:
    code = (
        "import sys; before = set(sys.modules); from kcfg.core.targets import find; find('b200');"
        "print(sorted(m for m in sys.modules if m.startswith('kcfg.core.targets.')),"
        "[m for m in ('dataclasses', 'inspect', 'difflib', 'json', 'pathlib')"
        " if m in sys.modules and m not in before])"
    )
    bare = [sys.executable, "-c", code]
    done = subprocess.run(bare, capture_output=True, text=True, check=True)
    loaded, _, heavy = done.stdout.partition("] ")
    assert loaded == "['kcfg.core.targets.b200'"
    assert heavy.strip() == "[]"
