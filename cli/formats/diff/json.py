"""The comparison as JSON: an object for one, a list for several."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from kcfg.cli.formats import objects
from kcfg.core.diff import Because, Change, Diff, Result, Side
from kcfg.core.explain.explanation import plain
from kcfg.core.report import SCHEMA
from kcfg.core.version import VERSION


def write(diffs: Iterable[Diff], everything: bool) -> None:
    """Write comparisons; ``everything`` also lists what came out the same."""
    objects.write(_diff(each, everything) for each in diffs)


def _diff(diff: Diff, everything: bool) -> dict[str, Any]:
    return {
        "schema": SCHEMA,
        "kcfg": VERSION,
        "relation": diff.relation,
        "same": diff.same,
        "old": _side(diff.old),
        "new": _side(diff.new),
        "verdict": plain(diff.verdict),
        "given": [_change(change) for change in diff.given],
        "causes": [
            {"because": _because(lead.because), "values": [each.name for each in lead.results]}
            for lead in diff.leads
        ],
        "results": [_result(each) for each in (diff.results if everything else diff.changed)],
        "formulas": [_change(change) for change in diff.formulas],
        "only_old": diff.only_old,
        "only_new": diff.only_new,
        "moves": plain(diff.moves),
        "parted": plain(diff.parted),
    }


def _side(side: Side) -> dict[str, Any]:
    keys = ("kcfg", "kernel", "release", "target", "name", "source")
    return {**{key: side.report.get(key) for key in keys}, "saved": side.saved or None}


def _change(change: Change) -> dict[str, Any]:
    return {
        "kind": change.kind,
        "name": change.name,
        "old": change.old,
        "new": change.new,
        "only": change.only or None,
    }


def _result(result: Result) -> dict[str, Any]:
    return {
        "name": result.name,
        "unit": result.unit,
        "old": result.old,
        "new": result.new,
        "delta": result.delta,
        "because": _because(result.because),
    }


def _because(because: Because) -> list[list[dict[str, str]]]:
    """Sets of changes, by kind and name; set back, each alone gives the old value."""
    return [[{"kind": change.kind, "name": change.name} for change in one] for one in because]
