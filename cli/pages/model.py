"""A model's layer: its kernels with verdicts and figures, and what a release changes of it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from kcfg.cli.pages.pieces import Column, Heading, Line, Piece, Row as Cells, Table, Tone
from kcfg.cli.pages.units import number
from kcfg.cli.pages.verdicts import verdict
from kcfg.core.diff import Diff
from kcfg.core.figures import some
from kcfg.core.models import Model
from kcfg.core.models.layer import Serving
from kcfg.core.models.listing import Row

ELSEWHERE = "CFG006"
"""The rule that says that upstream launches another kernel."""
TOLD = (ELSEWHERE, "CFG008", "CFG009")
"""The rules whose findings are told below the list, beside errors."""

Pair = tuple[Row, Row, Diff | None]


def brief(model: Model) -> dict[str, Any]:
    """A model among others."""
    return {"name": model.id, "title": model.name, "sources": list(model.sources)}


def overview(every: Iterable[Model]) -> list[Piece]:
    """All models in a table."""
    return [
        Table(
            [Column("model"), Column("what it is"), Column("attention")],
            [Cells((each.id, each.name, each.kind)) for each in every],
        )
    ]


def facts(rows: Iterable[Row]) -> list[dict[str, Any]]:
    """A layer as data."""
    return [
        {
            "phase": row.part.phase,
            "part": row.part.name,
            "unknown": row.unknown or None,
            "notes": list(row.part.notes),
            "decided": row.decided,
            "report": row.report,
        }
        for row in rows
    ]


def layer(model: Model, asked: Serving, rows: Sequence[Row]) -> list[Piece]:
    """A layer in a table, and below it what is to be said of single kernels."""
    columns = [
        Column("phase"),
        Column("part"),
        Column("kernel"),
        Column("verdict"),
        Column("stages", True),
        Column("smem", True),
        Column("blocks", True),
        Column("waves", True),
        Column("decided"),
    ]
    return [
        *_head(model, asked),
        Table(columns, [_cells(row) for row in rows]),
        *_said(rows),
    ]


def _head(model: Model, asked: Serving) -> Iterator[Piece]:
    yield Heading(f"{model.name}: one layer, {asked.kv} cache, {asked.weights} weights", 1)
    of = some(asked.devices, "device")
    said = f"{some(asked.batch, 'sequence')} of {asked.length:,} tokens on {of}"
    yield Line(f"{said}: prefill of {asked.prompt:,} each, then decode of one", "dim")
    yield Line(f"Shapes: {'; '.join(model.sources[:1])}", "dim")


def fails(row: Row) -> bool:
    """Whether a kernel is refused or cannot run."""
    return row.report is not None and _judged(row)[1] == "bad"


def _judged(row: Row) -> tuple[str, Tone]:
    report = row.report or {"supported": None, "findings": []}
    if any(finding["rule"] == ELSEWHERE for finding in report["findings"]):
        return "launches another", "warn"
    text, tone = verdict(report["supported"], report["findings"])
    return ("passes" if report["supported"] is None else text), tone


def _cells(row: Row) -> Cells:
    start = (row.part.phase, row.part.name)
    if row.kernel is None or row.spec is None:
        return Cells((*start, "-", "not known", "-", "-", "-", "-", ""), "dim")
    text, tone = _judged(row)
    block = row.kernel.block
    shared = block.shared.dynamic if block.shared is not None else None
    stages = block.pipelines[0].stages if block.pipelines else None
    decided = ", ".join(
        f"{key.rpartition('.')[2]} {number(value)}"
        for key, value in row.decided.items()
        if value != row.spec.kernel
    )
    return Cells(
        (
            *start,
            f"{row.spec.kernel} {row.spec.release}",
            text,
            number(stages),
            number(shared),
            number(row.figure("launch.blocks")),
            number(row.figure("launch.waves")),
            decided,
        ),
        tone if tone == "bad" else "",
    )


def _said(rows: Iterable[Row]) -> Iterator[Piece]:
    """What is not known, what fails, and what was only read; alike sentences once."""
    said: dict[str, list[str]] = {}
    for row in rows:
        for text in _sentences(row):
            said.setdefault(text, []).append(f"{row.part.phase} {row.part.name}")
    if said:
        yield Heading("To be said")
        for sentence, where in said.items():
            yield Line(f"{', '.join(where)}: {sentence}", indent=2)


def _sentences(row: Row) -> Iterator[str]:
    if row.report is None:
        yield f"not known: {row.unknown}"
        return
    yield from row.part.notes
    for finding in row.report["findings"]:
        if finding["severity"] == "error" or finding["rule"] in TOLD:
            yield finding["message"]


# Two releases


def changes(pairs: Iterable[Pair]) -> list[dict[str, Any]]:
    """What changes, as data."""
    return [
        {
            "phase": old.part.phase,
            "part": old.part.name,
            "unknown": old.unknown or new.unknown or None,
            "changed": None
            if diff is None
            else {each.name: [each.old, each.new] for each in diff.changed},
        }
        for old, new, diff in pairs
    ]


def upgrade(model: Model, asked: Serving, pairs: Sequence[Pair], old: str, new: str) -> list[Piece]:
    """What another release changes of each kernel."""
    columns = [
        Column("phase"),
        Column("part"),
        Column("kernel"),
        Column("values", True),
        Column("verdict"),
        Column("stages", True),
        Column("smem", True),
        Column("decided"),
    ]
    return [
        *_head(model, asked),
        Heading(f"From {old} to {new}"),
        Table(columns, [_change(*pair) for pair in pairs]),
        Line("Products are those of the choice; what is selected is known of 26.7 alone.", "dim"),
        *_said_of(pairs),
    ]


def _change(old: Row, new: Row, diff: Diff | None) -> Cells:
    start = (old.part.phase, old.part.name)
    if diff is None or new.spec is None:
        return Cells((*start, "-", "-", "not known", "-", "-", ""), "dim")
    before, after = _cells(old).cells, _cells(new).cells
    pairs = [
        one if one == other else f"{one} -> {other}"
        for one, other in zip(before[3:6], after[3:6], strict=True)
    ]
    decisions = (
        f"{key.rpartition('.')[2]} {number(old.decided[key])} -> {number(value)}"
        for key, value in new.decided.items()
        if old.decided.get(key, value) != value
    )
    values = f"{len(diff.changed):,} of {len(diff.results):,}"
    return Cells((*start, new.spec.kernel, values, *pairs, ", ".join(decisions)))


def _said_of(pairs: Iterable[Pair]) -> Iterator[Piece]:
    said: dict[str, list[str]] = {}
    for old, new, diff in pairs:
        if diff is None:
            text = f"not known: {old.unknown or new.unknown}"
            said.setdefault(text, []).append(f"{old.part.phase} {old.part.name}")
    for sentence, where in said.items():
        yield Line(f"{', '.join(where)}: {sentence}", indent=2)
