"""What a spelling of a target means, whatever other targets there are."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from itertools import combinations
from pathlib import Path
from typing import Any

import pytest

from kcfg.core import targets
from kcfg.core.errors import AmbiguousError, UnknownError
from kcfg.core.targets import UnstatedError, find, names, spellings

SPELLINGS = {
    "b200": "B200, b-200, NVIDIA B200, HGX B200, DGX B200, 10.0, sm_100a, SM_100A, sm_100f, sm100",
    "b300": "B300, HGX B300, sm_103, sm_103a, sm_103f, 10.3",
    "gb10": "GB10, NVIDIA GB10, DGX Spark, dgx-spark, sm_121, sm_121a, 12.1",
    "gb200": "GB200, NVIDIA GB200, GB200 NVL72",
    "gb300": "GB300, gb-300, GB300 NVL72",
    "h100": "H100, H100 SXM, H100 SXM5, NVIDIA H100 80GB HBM3, sm_90a, sm_90, 9.0",
    "h100_pcie": "H100 PCIe, NVIDIA H100 PCIe",
    "h200": "H200, H200 SXM, NVIDIA H200",
    "rtx_5090": "rtx-5090, RTX5090, NVIDIA GeForce RTX 5090, sm_120, sm_120a, 12.0",
    "rtx_pro_6000": "RTX PRO 6000, RTX PRO 6000 Blackwell, RTX 6000 Pro,"
    " NVIDIA RTX PRO 6000 Blackwell Workstation Edition",
    "rtx_pro_6000_max_q": "RTX PRO 6000 Max-Q, RTX PRO 6000 Blackwell Max-Q,"
    " NVIDIA RTX PRO 6000 Blackwell Max-Q Workstation Edition",
    "rtx_pro_6000_server": "RTX PRO 6000 Server, RTX PRO 6000 Blackwell Server,"
    " NVIDIA RTX PRO 6000 Blackwell Server Edition",
    "thor": "Thor, Jetson Thor, AGX Thor, NVIDIA Jetson AGX Thor Developer Kit, T5000,"
    " Jetson T5000, sm_110a, 11.0",
}


def written(name: str) -> tuple[str, ...]:
    """A target's name, its spellings, and more of them as people write them."""
    own = SPELLINGS.get(name, "").split(", ")
    return tuple(filter(None, (name, f" {name} ", *own, *spellings(find(name)))))


def test_every_target_is_written_as_people_do() -> None:
    lacking = set(names()) - set(SPELLINGS)
    assert not lacking, "SPELLINGS of this file lacks how people write these targets"


@pytest.mark.parametrize("name", names())
def test_spellings(name: str) -> None:
    assert {find(spelling).name for spelling in written(name)} == {name}


@pytest.mark.parametrize(
    ("spelling", "arch"),
    [("sm_90", "sm_90"), ("SM_100F", "sm_100f"), ("sm121", "sm_121"), ("10.3", "sm_103a")],
)
def test_a_spelled_variant_is_kept(spelling: str, arch: str) -> None:
    assert find(spelling).arch == arch


def test_no_spelling_is_of_two_targets() -> None:
    every = [{name, *spellings(find(name)), *find(name).unstated} for name in names()]
    plain = [{"".join(filter(str.isalnum, each.lower())) for each in own} for own in every]
    assert all(not one & other for one, other in combinations(plain, 2))


def test_the_names_of_an_architecture_are_one_targets() -> None:
    arches = [find(name).arch for name in names()]
    leading = [find(name).arch for name in names() if find(name).names_arch]
    assert sorted(leading) == sorted(set(arches))
    assert all(find(arch).arch == arch and find(arch).names_arch for arch in leading)


@pytest.mark.parametrize(
    "unknown",
    [
        *("", "sm_99", "100", "10", "b200a", "__init__", "a100", "NVIDIA"),
        *("sm_90f", "sm_101a", "sm_100b", "compute_100"),
    ],
)
def test_an_unknown_name_is_refused_with_the_known_ones(unknown: str) -> None:
    with pytest.raises(UnknownError) as raised:
        find(unknown)
    assert not isinstance(raised.value, (AmbiguousError, UnstatedError))
    assert all(name in str(raised.value) for name in names())


@pytest.mark.parametrize(
    ("slip", "meant"),
    [("b2000", "b200"), ("GB20", "gb200"), ("DGX Sparc", "DGX Spark"), ("H100 PCI", "H100 PCIe")],
)
def test_a_slip_is_told_what_was_likely_meant(slip: str, meant: str) -> None:
    with pytest.raises(UnknownError, match=f"did you mean '{meant}'") as raised:
        find(slip)
    assert raised.value.nearest == meant


@pytest.mark.parametrize(
    ("product", "beside"),
    [
        ("B100", "b200"),
        ("GH200", "h200"),
        ("NVIDIA GH200 480GB", "h200"),
        ("H200 NVL", "h200"),
        ("NVIDIA H100 NVL", "h100"),
        ("Jetson T4000", "thor"),
        ("GeForce RTX 5080", "rtx_5090"),
        ("RTX PRO 5000 Blackwell", "rtx_pro_6000"),
    ],
)
def test_a_product_without_figures_is_none_but_near_one(product: str, beside: str) -> None:
    with pytest.raises(UnstatedError) as raised:
        find(product)
    assert raised.value.nearest == beside
    said = f"its architecture ({find(beside).arch}) and limits are those of {beside!r};"
    assert said in str(raised.value)
    assert all(name in str(raised.value) for name in names())


# Targets that are added


Add = Callable[..., None]


@pytest.fixture
def add(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Add]:
    """Adds a target: one like another, but for its names and what is given."""

    def forget() -> None:
        names.cache_clear()
        find.cache_clear()

    def write(name: str, like: str, **given: Any) -> None:
        own = {"name": name, "product": name, "aliases": (), "unstated": (), "names_arch": False}
        (tmp_path / f"{name}.py").write_text(
            f"from kcfg.core.targets.{like} import TARGET as LIKE\n"
            f"TARGET = LIKE.replace(**{own | given!r})\n"
        )
        monkeypatch.delitem(sys.modules, f"{targets.__name__}.{name}", raising=False)
        forget()

    monkeypatch.setattr(targets, "__path__", [*targets.__path__, str(tmp_path)])
    yield write
    for path in tmp_path.iterdir():
        sys.modules.pop(f"{targets.__name__}.{path.stem}", None)
    monkeypatch.undo()
    forget()


def test_another_target_changes_no_spelling(add: Add) -> None:
    every = {spelling: name for name in names() for spelling in written(name)}
    for name in names():
        add(f"a_{name}", like=name, aliases=(f"another {name}",))
    assert {spelling: find(spelling).name for spelling in every} == every
    assert find("Another GB10").name == "a_gb10"
    assert spellings(find("a_gb10")) == ("another gb10",)


def test_a_new_architecture_is_found_by_its_names(add: Add) -> None:
    add("x1", like="b200", arch="sm_130a", cc="13.0")
    assert [find(name).name for name in ("sm_130", "sm_130f", "13.0")] == ["x1"] * 3
    add("x2", like="b200", arch="sm_130a", cc="13.0", names_arch=True)
    assert [find(name).name for name in ("sm_130", "sm_130f", "13.0")] == ["x2"] * 3


@pytest.mark.parametrize("names_arch", [False, True])
def test_an_architecture_that_several_or_none_of_several_claim_names_none(
    add: Add, names_arch: bool
) -> None:
    for name in ("x1", "x2"):
        add(name, like="b200", arch="sm_130a", cc="13.0", names_arch=names_arch)
    for shared in ("sm_130a", "13.0"):
        with pytest.raises(AmbiguousError, match=f"'{shared}' may be any of x1, x2") as raised:
            find(shared)
        assert raised.value.known == ("x1", "x2")
