"""The register counts that PTX sets, against those of a spec."""

from __future__ import annotations

from pathlib import Path

import pytest
from checking import LOGS, judge, launch

PTX = Path(__file__).parent / "builds" / "registers.sm_100a.ptx"
COUNTS = "threads: 256, registers: {{launch_bounds: [256, 1], warpgroups: [{}]}}"
HIDDEN = "the counts of setmaxnreg: not in what"


@pytest.mark.parametrize(
    ("kernel", "counts", "severity", "says"),
    [
        ("sets", "64, 232", None, ""),
        (
            "sets",
            "64, 240",
            "error",
            "sets 64 and 232 registers by setmaxnreg, the configuration 64"
            " and 240: 240 is not in the build",
        ),
        ("sets", "{}, 232", "warning", "the configuration 232: 64 is not in the latter"),
        ("keeps", "64, 232", "error", "the build sets no registers by setmaxnreg"),
        ("sets", "{}, {}", None, ""),
        ("keeps", "{}, {}", None, ""),
    ],
)
def test_counts_are_those_of_the_spec(
    tmp_path: Path, kernel: str, counts: str, severity: str | None, says: str
) -> None:
    judged = judge(tmp_path, launch(COUNTS.format(counts)), PTX, name=kernel)
    assert judged.rules.get("CHK019") == severity
    assert not says or says in judged.of("CHK019").message
    assert HIDDEN not in judged.notes
    unsaid = "CHK019: register counts of warpgroups or roles not given"
    assert (unsaid in judged.notes) == (kernel == "sets" and counts == "{}, {}")


def test_who_has_the_count_at_entry_need_not_set_it(tmp_path: Path) -> None:
    shape = "threads: 384, registers: {entry: 168, warpgroups: [64, 168, 232]}"
    assert "CHK019" not in judge(tmp_path, launch(shape), PTX, name="sets").rules
    shape = shape.replace("entry: 168", "entry: 160")
    assert judge(tmp_path, launch(shape), PTX, name="sets").of("CHK019").limit == 168


@pytest.mark.parametrize("change", [("u32 232", "u32 %r1"), ("ret;", "call.uni f;\n\tret;")])
def test_what_cannot_be_read_is_not_judged(tmp_path: Path, change: tuple[str, str]) -> None:
    text = PTX.read_text()
    assert change[0] in text
    judged = judge(
        tmp_path, launch(COUNTS.format("64, 240")), text.replace(*change).encode(), name="sets"
    )
    assert "CHK019" not in judged.rules and f"{HIDDEN} its PTX reports" in judged.notes


def test_logs_do_not_show_them(tmp_path: Path) -> None:
    shape = "threads: 384, registers: {launch_bounds: [384, 1], warpgroups: [24, 240, 240]}"
    judged = judge(tmp_path, launch(shape), LOGS / "setmaxnreg.sm_100a.ptxas.txt")
    assert f"{HIDDEN} ptxas reports" in judged.notes
