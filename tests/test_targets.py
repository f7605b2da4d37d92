"""Targets: their spellings, what every limit declares, and what must hold between limits."""

from __future__ import annotations

import subprocess
import sys
from typing import get_args

import pytest

from kcfg.core.errors import AmbiguousError, UnknownError
from kcfg.core.hardware.target import Target, Unit
from kcfg.core.targets import DEFAULT, find, names

TARGETS = [find(name) for name in names()]
each_target = pytest.mark.parametrize("target", TARGETS, ids=names())


def test_the_default_is_listed_first() -> None:
    assert names()[0] == DEFAULT == "b200"
    assert list(names()[1:]) == sorted(names()[1:])
    assert find() is find("b200")


@pytest.mark.parametrize(
    ("spelling", "name"),
    [
        ("b200", "b200"),
        ("B200", "b200"),
        (" b-200 ", "b200"),
        ("NVIDIA B200", "b200"),
        ("sm_100a", "b200"),
        ("SM_100A", "b200"),
        ("sm_100", "b200"),
        ("sm_100f", "b200"),
        ("sm100", "b200"),
        ("10.0", "b200"),
        ("sm_103a", "b300"),
        ("10.3", "b300"),
        ("H100", "h100"),
        ("sm_110a", "thor"),
        ("RTX PRO 6000", "rtx_pro_6000"),
        ("rtx-5090", "rtx_5090"),
    ],
)
def test_spellings(spelling: str, name: str) -> None:
    assert find(spelling).name == name


@pytest.mark.parametrize(
    ("shared", "targets"),
    [
        ("sm_90a", ("h100", "h200")),
        ("9.0", ("h100", "h200")),
        ("sm_120", ("rtx_5090", "rtx_pro_6000")),
    ],
)
def test_a_shared_architecture_names_no_target(shared: str, targets: tuple[str, ...]) -> None:
    with pytest.raises(AmbiguousError) as raised:
        find(shared)
    assert raised.value.known == targets
    for name in (shared, *targets):
        assert name in str(raised.value)


@pytest.mark.parametrize("unknown", ["", "sm_99", "100", "10", "b200a", "__init__", "a100"])
def test_an_unknown_name_is_refused_with_the_known_ones(unknown: str) -> None:
    with pytest.raises(UnknownError) as raised:
        find(unknown)
    assert not isinstance(raised.value, AmbiguousError)
    assert all(name in str(raised.value) for name in names())


def test_the_other_board_of_a_chip_is_not_taken_for_it() -> None:
    with pytest.raises(UnknownError, match="did you mean 'b200'") as raised:
        find("GB200")
    assert raised.value.nearest == "b200"


@each_target
def test_a_target_answers_to_what_it_says_of_itself(target: Target) -> None:
    assert find(target.name) is target
    assert target.arch == f"sm_{target.cc.replace('.', '')}a"


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


def test_the_b200() -> None:
    b200 = find("b200")
    assert (b200.sm_count, b200.smem_per_sm, b200.smem_optin_per_block) == (148, 233472, 232448)
    assert (b200.tmem_columns, b200.tmem_lanes, b200.tmem_alloc_min) == (512, 128, 32)
    assert (b200.setmaxnreg_min, b200.setmaxnreg_max, b200.setmaxnreg_multiple) == (24, 256, 8)
    assert b200.dense_tflops["bf16"] == 2250


@each_target
def test_rows_give_every_limit_with_unit_doc_and_source(target: Target) -> None:
    rows = list(target.rows())
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
