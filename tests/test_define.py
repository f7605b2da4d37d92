"""``kcfg define``: a shipped kernel written out reports the same, and a skeleton derives."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import compare
import defined
import pytest
import shapes
from typer.testing import CliRunner

from kcfg.cli.main import application
from kcfg.core import kernels, targets
from kcfg.core.definitions import writing
from kcfg.core.definitions.spelling import name_of
from kcfg.core.report import report
from kcfg.core.spec import Spec

GOLDEN = Path(__file__).parent / "golden"
REACHED = [
    *(("fa4", release) for release in ("25.6", "25.7", "26.1")),
    *(("index_prefill", release) for release in ("26.6", "26.7")),
    *(("mha_depth512", release) for release in ("26.5", "26.6", "26.7")),
    ("mla_sparse", "26.7"),
]
"""The releases written in Python whose every formula is an expression."""
OUT_OF_REACH = [each for each in shapes.IN_PYTHON if each not in REACHED]
REACHED_SHAPES = [shape for shape in shapes.SHAPES if shape[:2] in REACHED]
DEFINED = [shape for shape in shapes.SHAPES if shape[:2] not in shapes.IN_PYTHON]
LABELS = ("kernel", "release", "digest", "name", "source")


@pytest.mark.parametrize("release", ["26.6", "26.7"])
def test_a_kernel_written_out_reports_the_same(release: str) -> None:
    shipped, target = kernels.find("index_prefill", release), targets.find()
    again = defined.made(writing.like(shipped))
    rows: list[dict[str, Any]] = list(compare.rows(GOLDEN / f"index_prefill@{release}.0.jsonl"))
    for row in rows:
        before, after = (report(cls(target=target, **row["inputs"])) for cls in (shipped, again))
        for found in (before, after):
            for key in (*LABELS, "findings"):
                del found[key]
            if found["smem"]:
                del found["smem"]["struct"]
        assert after == before, row["inputs"]


@pytest.mark.parametrize("shape", DEFINED, ids=lambda shape: shape.id)
def test_a_shipped_definition_is_written_out_as_it_stands(shape: shapes.Shape) -> None:
    shipped, given = kernels.find(shape.kernel, shape.release), shape.inputs
    again = defined.made(writing.like(shipped))
    before, after = (report(cls(target=targets.find(), **given)) for cls in (shipped, again))
    for found in (before, after):
        for key in LABELS:
            del found[key]
        for each in found["findings"]:  # only what is one's own is told how to change
            each["message"] = each["message"].removesuffix(f"; {each['fix']}")
            each["fix"] = ""
    assert after == before


@pytest.mark.parametrize("shape", REACHED_SHAPES, ids=lambda shape: shape.id)
def test_a_kernel_written_out_gives_the_same_values(shape: shapes.Shape) -> None:
    shipped, target = kernels.find(shape.kernel, shape.release), targets.find()
    again = defined.made(writing.like(shipped))
    before, after = (
        cls(target=target, **{names[key]: value for key, value in shape.inputs.items()})
        for cls in (shipped, again)
        for names in [{member.key: name for name, member in cls.inputs.items()}]
    )
    for quantity in shipped.quantities.values():
        name = "supported" if quantity.key == "supported" else name_of(shipped, quantity)
        assert after.read(name) == before.read(quantity.key), quantity.key
    one, two = report(before), report(after)
    if two["smem"] and two["smem"]["regions"]:
        assert _named(two["smem"]["regions"]) == _named(one["smem"]["regions"])
    if two["registers"]:
        for role in one["registers"]["roles"]:
            role["role"] = role["role"].replace(" ", "_")
        assert two["registers"] == one["registers"]


def _named(regions: list[dict[str, Any]]) -> list[dict[str, Any]]:
    keys = ("name", "offset", "bytes", "stages")
    return [{key: region[key] for key in keys} for region in regions]


@pytest.mark.parametrize("shape", OUT_OF_REACH, ids=lambda each: "@".join(each))
def test_what_the_grammar_does_not_reach_is_said(shape: tuple[str, str]) -> None:
    with pytest.raises(writing.BeyondError) as caught:
        writing.like(kernels.find(*shape))
    assert caught.value.reasons and all(caught.value.reasons.values())
    done = CliRunner().invoke(application(["define"]), ["define", "--like", *shape])
    assert done.exit_code == 1
    assert all(name in done.output for name in caught.value.reasons)


def test_a_skeleton_derives_as_it_stands() -> None:
    text = writing.new("mine")
    (spec,) = defined.read(text, "mine.kcfg.yaml")
    assert isinstance(spec, Spec), spec
    kernel = spec.derive()
    assert all(pin.allows(kernel.read(key)) for key, pin in spec.expect.items())
    assert not [each for each in report(kernel)["findings"] if each["severity"] != "info"]


def test_a_file_is_never_overwritten(tmp_path: Path) -> None:
    path = tmp_path / "mine.kcfg.yaml"
    arguments = ["define", "--new", "mine", "-o", str(path)]
    assert CliRunner().invoke(application(["define"]), arguments).exit_code == 0
    assert path.read_text() == writing.new("mine")
    done = CliRunner().invoke(application(["define"]), arguments)
    assert done.exit_code == 2 and "exists" in done.output


@pytest.mark.parametrize(
    "arguments", [[], ["--new", "a b"], ["--like", "fa5"], ["--like", "fa4", "--new", "x"]]
)
def test_what_is_asked_wrongly(arguments: list[str]) -> None:
    assert CliRunner().invoke(application(["define"]), ["define", *arguments]).exit_code == 2


@pytest.mark.parametrize("needs", ["", "mma.sync", "wgmma", "tcgen05"])
def test_what_a_kernel_needs_is_written_out(needs: str) -> None:
    shipped = kernels.find("index_prefill", "26.6")
    written = writing.like(type("Other", (shipped,), {"needs": needs}))
    assert defined.made(written).needs == needs
