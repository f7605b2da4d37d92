"""Every view of a block's registers: what each sub-partition has, where these differ."""

from __future__ import annotations

import json

from setters import SHORT, as_shape, derived
from typer.testing import CliRunner, Result

from kcfg.cli.main import application
from kcfg.cli.pictures.scene import scene
from kcfg.core.report import Derived, report


def kcfg(*arguments: str, stdin: str = "") -> Result:
    return CliRunner().invoke(application(list(arguments)), list(arguments), input=stdin)


def test_every_view_shows_the_sub_partitions_where_they_differ() -> None:
    text = f"{{kernel: launch, target: h200, shape: {{{SHORT}}}}}"
    table = [
        "number   asked  granted  free",
        "0  16,896   16,384  -512",
        "1-3  16,128   16,384   256",
    ]
    for command in ("derive", "explain"):
        lines = [line.strip() for line in kcfg(command, "-", stdin=text).stdout.splitlines()]
        at = lines.index("By sub-partition, the warps of equal number modulo 4:")
        assert lines[at + 1 : at + 4] == table
    drawn = kcfg("draw", "-", stdin=text).stdout
    assert "after setmaxnreg, in sub-partition 0\n" in drawn
    assert "after setmaxnreg, in each of sub-partitions 1, 2 and 3\n" in drawn
    assert "In sub-partition 0 the warps ask for 16 registers per lane more than" in drawn
    told = json.loads(kcfg("explain", "-", "--format", "json", stdin=text).stdout)
    parts = told["registers"]["pool"]["sub_partitions"]
    assert parts[0] == {"granted": 16384, "asked": 16896, "free": -512}
    assert parts[1:] == [{"granted": 16384, "asked": 16128, "free": 256}] * 3


def test_where_they_are_alike_it_is_a_line() -> None:
    for command in ("derive", "explain"):
        said = kcfg(command, "--preset", "llama-3-8b").stdout
        assert "  16,384 of 16,384 in each sub-partition\n" in said
    drawn = kcfg("draw", "--preset", "llama-3-8b").stdout
    assert "after setmaxnreg\n" in drawn and "sub-partition" not in drawn


def test_warps_without_a_role_are_drawn_as_launched() -> None:
    shape = as_shape(
        "threads: 256, registers: {entry: 128, roles: [{name: a, warps: 4, count: 40}]}"
    )
    kernel = derived(shape)
    part = scene(Derived(kernel, report(kernel))).part("registers")
    spans = [(span.name, span.size) for span in part.bars[1].spans]
    assert spans == [("a", 128 * 40), ("no role", 128 * 128), ("left", 128 * 88)]
