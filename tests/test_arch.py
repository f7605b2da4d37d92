"""Which code runs on which device: as tools and a device answered, and as CHK006 says it."""

from __future__ import annotations

import json
import re
from itertools import product
from pathlib import Path

import pytest

from kcfg.core.findings import Finding, findings
from kcfg.core.hardware.arch import parsed, runs_on, variants
from kcfg.core.spec import Spec, read
from kcfg.core.targets import find, names

DATA = Path(__file__).parent / "data"
SEEN = json.loads((DATA / "code_runs_on.json").read_text())
CODE = [*SEEN["machine code of 13.0"], "sm_101", "sm_101a", "sm_101f"]
PTX = [name.replace("sm_", "compute_") for name in CODE]
DEVICES = {name: find(name) for name in names()}


def capability(plain: str) -> str:
    """The capability of a plain target: sm_103 is for 10.3."""
    return re.sub(r"sm_(\d+)(\d)", r"\1.\2", plain)


@pytest.mark.parametrize("release", ["13.0", "12.9"])
@pytest.mark.parametrize(("kind", "prefix"), [("ptx", "compute_"), ("machine code", "sm_")])
def test_code_runs_where_the_tools_take_it(kind: str, prefix: str, release: str) -> None:
    took = SEEN[f"{kind} of {release}"]
    devices = {each for accepted in took.values() for each in accepted}
    for code, device in product(took, devices):
        runs = runs_on(code.replace("sm_", prefix), capability(device))
        assert runs == (device in took[code]), (code, device)


def test_code_runs_where_a_device_ran_it() -> None:
    device = SEEN["one H200, 9.0"]
    assert all(runs_on(code, "9.0") for code in device["ran"])
    assert not any(runs_on(code, "9.0") for code in device["refused"])


PAIRS = [
    # Plain machine code: the same major, the same or a later minor.
    ("sm_90", "9.0 / 10.0 10.3 11.0 12.0 12.1"),
    ("sm_100", "10.0 10.3 / 9.0 11.0 12.0 12.1"),
    ("sm_103", "10.3 / 9.0 10.0 11.0 12.0 12.1"),
    ("sm_110", "11.0 / 9.0 10.0 10.3 12.0 12.1"),
    ("sm_120", "12.0 12.1 / 9.0 10.0 10.3 11.0"),
    ("sm_121", "12.1 / 9.0 10.0 10.3 11.0 12.0"),
    ("sm_89", "/ 9.0 10.0 10.3 11.0 12.0 12.1"),
    # A family likewise; 10.1 is its own.
    ("sm_100f", "10.0 10.3 / 9.0 10.1 11.0 12.0 12.1"),
    ("sm_103f", "10.3 / 9.0 10.0 11.0 12.0 12.1"),
    ("sm_110f", "11.0 / 10.0 10.3 12.0"),
    ("sm_120f", "12.0 12.1 / 10.0 10.3 11.0"),
    ("sm_121f", "12.1 / 12.0 10.3"),
    ("sm_101", "10.1 / 10.0 10.3 11.0"),
    ("sm_101f", "10.1 / 10.0 10.3 11.0"),
    # An architecture alone, as machine code or PTX.
    ("sm_90a", "9.0 / 10.0 10.3 11.0 12.0 12.1"),
    ("sm_100a", "10.0 / 9.0 10.3 11.0 12.0 12.1"),
    ("sm_101a", "10.1 / 10.0 10.3 11.0"),
    ("sm_103a", "10.3 / 10.0"),
    ("sm_110a", "11.0 / 10.0 10.3 12.0"),
    ("sm_120a", "12.0 / 12.1 10.0"),
    ("sm_121a", "12.1 / 12.0"),
    ("compute_100a", "10.0 / 10.3 11.0 12.0"),
    # PTX: any later device; of a family, its members.
    ("compute_75", "9.0 10.0 10.3 11.0 12.0 12.1 /"),
    ("compute_100", "10.0 10.3 11.0 12.0 12.1 / 9.0"),
    ("compute_103", "10.3 11.0 12.0 12.1 / 10.0"),
    ("compute_100f", "10.0 10.3 / 9.0 11.0 12.0"),
    ("compute_120f", "12.0 12.1 / 11.0"),
    # No such target.
    ("sm_90f", "/ 9.0 10.0"),
    ("gfx942", "/ 9.0 10.0"),
    ("sm_100b", "/ 10.0"),
]


@pytest.mark.parametrize(("code", "devices"), PAIRS)
def test_pairs(code: str, devices: str) -> None:
    runs, not_there = (part.split() for part in devices.split("/"))
    assert [runs_on(code, cc) for cc in runs] == [True] * len(runs)
    assert [runs_on(code, cc) for cc in not_there] == [False] * len(not_there)


def test_a_variant_only_narrows_and_ptx_only_widens() -> None:
    for plain, target in product(CODE, DEVICES.values()):
        plain, cc = plain.rstrip("af"), target.cc
        specific, family = runs_on(f"{plain}a", cc), runs_on(f"{plain}f", cc)
        assert specific <= (family or parsed(f"{plain}f") is None)
        assert (specific or family) <= runs_on(plain, cc)
        assert runs_on(plain, cc) <= runs_on(plain.replace("sm_", "compute_"), cc)


@pytest.mark.parametrize("name", ["sm_100a", "SM_100A", "sm100a", "sm-100a", " sm_100a "])
def test_names_are_taken_as_people_write_them(name: str) -> None:
    code = parsed(name)
    assert code == parsed("sm_100a") == (False, (10, 0), "a")


@pytest.mark.parametrize("name", ["", "sm_", "sm_9", "sm_090", "sm_90f", "sm_100af", "100a"])
def test_other_names_are_none_of_a_compilation_target(name: str) -> None:
    assert parsed(name) is None


def test_variants_of_a_plain_target() -> None:
    assert variants("sm_90") == ("sm_90a",)
    assert variants("sm_121") == ("sm_121a", "sm_121f")
    assert variants("sm_121a") == ()


# CHK006


def found(target: str, code: str) -> list[Finding]:
    """What CHK006 says of code on a target."""
    text = f"{{kernel: launch, target: {target!r}, shape: {{compiled: {{target: {code!r}}}}}}}"
    (spec,) = read(text, "test.yaml")
    assert isinstance(spec, Spec), [str(problem) for problem in spec]
    return [each for each in findings(spec.derive()) if each.rule == "CHK006"]


SPELLED = [*names(), "sm_90", "sm_100", "sm_100f", "sm_103f", "sm_110f", "sm_120f", "sm_121"]


@pytest.mark.parametrize("target", SPELLED)
def test_a_build_is_refused_where_it_does_not_run_and_advice_is_what_works(target: str) -> None:
    for code in (*CODE, *PTX, "gfx942"):
        said = found(target, code)
        assert bool(said) != runs_on(code, find(target).cc), code
        for each in said:
            assert each.message.startswith(f"compiled for {code}, which does not run on")
            compile_for = re.match(r"compile for (\w+)", each.fix)
            assert compile_for is not None
            assert not found(target, compile_for[1])
            others = re.findall(r"`target: (\w+)`", each.fix)
            assert all(not found(other, code) for other in others)
            assert target not in others


def test_a_build_may_be_named_by_its_gpu() -> None:
    assert not found("b200", "GB200")
    assert not found("gb300", "10.3")
    (said,) = found("b200", "DGX Spark")
    assert said.fix == "compile for sm_100a, or say `target: sm_121a`"
