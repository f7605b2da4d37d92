"""A comparison as pieces: verdict, what was given, what came out and why, formulas, moves."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

from kcfg.cli.pages import causes, moves
from kcfg.cli.pages.causes import ARROW
from kcfg.cli.pages.groups import grouped
from kcfg.cli.pages.pieces import Column, Heading, Line, Piece, Row, Table
from kcfg.cli.pages.titles import reported, title
from kcfg.cli.pages.units import change, number
from kcfg.cli.pages.verdicts import told, verdict
from kcfg.core.diff import Change, Diff, Result, Side, Verdict
from kcfg.core.explain.refusal import Failure
from kcfg.core.figures import joined
from kcfg.core.spec.problem import printable
from kcfg.core.version import VERSION


def pages(diffs: Iterable[Diff], everything: bool) -> Iterator[Piece]:
    """Every comparison, one below the other."""
    for count, diff in enumerate(diffs):
        if count:
            yield Line("")
        yield from page(diff, everything)


def page(diff: Diff, everything: bool) -> Iterator[Piece]:
    """One comparison; ``everything`` also shows what came out the same."""
    old, new = diff.old.report, diff.new.report
    titles = dict.fromkeys(
        title(None, side["kernel"], side["release"], side["target"]) for side in (old, new)
    )
    yield Heading(ARROW.join(titles), 1)
    saved = bool(diff.old.saved or diff.new.saved)
    whence = [_whence(side, saved) for side in (diff.old, diff.new)]
    if whence[0] == whence[1]:
        yield Line(whence[0], "dim")
    else:
        yield from (
            Line(f"{side}: {text}", "dim")
            for side, text in zip(("old", "new"), whence, strict=True)
        )
    if diff.same:
        yield Line("no difference", "good")
    yield from _verdict(diff.verdict, old, new)
    yield from _given(diff)
    if diff.parted is not None:
        here, there = number(diff.parted.here), number(diff.parted.there)
        yield Line(f"They part at {diff.parted.key}: {here}{ARROW}{there}.", "strong")
    yield from _results(diff, everything)
    yield from _formulas(diff)
    yield from moves.pieces(diff.moves)


def _whence(side: Side, by: bool) -> str:
    """A side's label and source, and which kcfg its numbers are from."""
    parts = [side.report.get("name"), reported(side.report)]
    if side.saved:
        writer = side.report.get("kcfg", "of an unknown version")
        parts.append(f"saved in {side.saved} by kcfg {writer}")
    elif by:
        parts.append(f"derived by kcfg {VERSION}")
    return printable(", ".join(filter(None, parts)))


# Verdict


def _verdict(found: Verdict, old: dict[str, Any], new: dict[str, Any]) -> Iterator[Piece]:
    before = verdict(old["supported"], old["findings"])[0]
    after, tone = verdict(new["supported"], new["findings"])
    yield Line(f"{before}{ARROW}{after}" if before != after else f"{after}, as before", tone)
    failed = {_key(failure) for failure in found.old_failures}
    fails = {_key(failure) for failure in found.new_failures}
    for failure in found.new_failures:
        if _key(failure) not in failed:
            yield Line(f"now fails {_failure(failure, 'is')}", "bad", 2)
    for failure in found.old_failures:
        if _key(failure) not in fails:
            yield Line(f"no longer fails {_failure(failure, 'was')}", "good", 2)
    for finding in found.come:
        yield told(finding, "now ")
    for finding in found.gone:
        yield told(finding, "no longer ")


def _key(failure: Failure) -> tuple[str, ...]:
    return *failure.path, failure.name


def _failure(failure: Failure, verb: str) -> str:
    numbers = joined(f"{side.text} {verb} {number(side.value)}" for side in failure.reads)
    return f"{failure.name}: {failure.condition}" + (f"; {numbers}" if numbers else "")


# Given


def _given(diff: Diff) -> Iterator[Piece]:
    old, new = diff.old.report, diff.new.report
    rows = [
        (key, old[key], new[key]) for key in ("kernel", "release", "target") if old[key] != new[key]
    ]
    rows += [(each.name, *_values(each)) for each in diff.given]
    if rows:
        yield Heading("Given differently")
        yield Table(
            [Column("given"), Column("old", True), Column("new", True)], [Row(row) for row in rows]
        )
    if diff.relation == "kernels":
        yield Line("Two different kernels: compared is what any launch has.", "dim")


def _values(each: Change) -> tuple[str, str]:
    old, new = number(each.old), number(each.new)
    return ("none" if each.only == "new" else old, "none" if each.only == "old" else new)


# Results


def _results(diff: Diff, everything: bool) -> Iterator[Piece]:
    shown = [each for each in diff.results if each.changed or everything]
    if not shown:
        if diff.results and not diff.same:
            yield Line("Every value came out the same.", "dim")
        return
    count = len(diff.changed)
    yield Heading(f"{count} of {len(diff.results)} values came out differently")
    yield from causes.leads(diff)
    for heading, results in _sections(shown).items():
        yield Heading(heading, 3)
        yield _table(results)


def _sections(results: list[Result]) -> dict[str, list[Result]]:
    """Results by the heading of their unit; those of nested structs under the struct's name."""
    own = [result for result in results if "." not in result.name]
    sections = grouped(own, lambda result: result.unit)
    for result in results:
        if "." in result.name:
            sections.setdefault(f"In {result.name.partition('.')[0]}", []).append(result)
    return sections


def _table(results: list[Result]) -> Table:
    columns = [
        Column("value"),
        Column("old", True),
        Column("new", True),
        Column("change", True),
        Column("because of" if any(each.because for each in results) else ""),
    ]
    return Table(columns, [_row(result) for result in results])


def _row(result: Result) -> Row:
    cells = (
        result.name,
        number(result.old),
        number(result.new),
        _delta(result),
        causes.because(result),
    )
    return Row(cells, "" if result.changed else "dim")


def _delta(result: Result) -> str:
    return change(result.delta, result.unit) if result.delta else ""


# Formulas


def _formulas(diff: Diff) -> Iterator[Piece]:
    old, new = diff.old.report["release"], diff.new.report["release"]
    if old == new:  # of two kernels, or two texts of one definition
        old, new = diff.old.report["kernel"], diff.new.report["kernel"]
    if old == new:
        old, new = "old", "new"
    if diff.formulas:
        yield Heading(f"Formulas that differ between {old} and {new}")
        rows = []
        for each in diff.formulas:
            rows += [Row((each.name, old, each.old)), Row(("", new, each.new))]
        yield Table([Column("value"), Column("release"), Column("formula")], rows)
    for side, only in ((diff.old, diff.only_old), (diff.new, diff.only_new)):
        if only:
            which = side.report["release"] if old != new else ("old" if side is diff.old else "new")
            yield Heading(f"Only {which} has")
            yield Line(joined(only), indent=2)
