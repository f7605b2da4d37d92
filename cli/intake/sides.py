"""The two sides of a comparison: files, standard input, presets, saved reports, variations."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import islice
from typing import NamedTuple, NoReturn

import typer

from kcfg.cli import console
from kcfg.cli.exits import FINE
from kcfg.cli.intake.specs import code_of, known, once, usage
from kcfg.core.diff import Side, derived
from kcfg.core.diff.saved import parsed, restored
from kcfg.core.figures import joined, some
from kcfg.core.saved.reading import SavedError
from kcfg.core.spec import Overrides, Spec, read
from kcfg.core.spec.documents import opened, why_unread
from kcfg.core.spec.overrides import AS_IT_IS, pair
from kcfg.core.spec.problem import Problem
from kcfg.core.spec.sources import NAMELESS, NOT_PICKED, Source, sources

BETWEEN = ".."
"""What stands between two values of an option, old and new."""

MOST = 2000
"""Configurations of one side: each stays in memory until all are compared."""
LARGEST = 1 << 26
"""The most bytes that are read of one side: thousands of saved reports."""


class Variation(NamedTuple):
    """What the options say: settings of the old and of the new side, and whether they differ."""

    old: Overrides
    new: Overrides
    varies: bool


def variation(settings: Iterable[str] | None, release: str | None, target: str | None) -> Variation:
    """Read ``OLD..NEW`` in options; a value without ``..`` holds for both sides."""
    with known():
        pairs = [(key, _both(text)) for key, text in map(pair, settings or ())]
    releases, targets = _both(release), _both(target)
    old, new = (
        Overrides(
            set=tuple((key, texts[side] or "") for key, texts in pairs),
            release=releases[side],
            target=targets[side],
        )
        for side in (0, 1)
    )
    return Variation(old, new, old != new)


def pairs(
    names: Sequence[str], presets: Sequence[str], vary: Variation
) -> Iterator[tuple[Side, Side]]:
    """What is to be compared with what; leaves with a message where that cannot be had.

    The first of what is named is old, and the rest is new: one configuration is compared with
    each, several with as many.
    """
    once(names)
    named = [*(sources([name]) for name in names), *(sources((), [name]) for name in presets)]
    if not named:
        usage(NAMELESS)
    if vary.varies and len(named) > 1:
        usage(f"two specs are compared as they are: give one of them, or no `{BETWEEN}`")
    old, *new = [_read(each) for each in named]
    before = _sides(old, vary.old)
    if new:
        after = [side for each in new for side in _sides(each, vary.new)]
    elif vary.varies:
        after = _sides(old, vary.new)
    elif all(side.saved for side in before):
        after = [_now(side) for side in before]
    else:
        usage(
            "name a second spec, or vary this one with "
            "--release OLD..NEW, --target X..Y or --set key=1..2"
        )
    if len(before) == 1:
        before *= len(after)
    if len(before) != len(after):
        first, *others = [*names, *presets]
        count = some(len(before), "configuration")
        usage(f"{first} holds {count}, {joined(others)} {len(after)}: compare as many, or one")
    yield from zip(before, after, strict=True)


def _both(text: str | None) -> tuple[str | None, str | None]:
    if text is None or BETWEEN not in text:
        return text, text
    old, _, new = text.partition(BETWEEN)
    if not old or not new:
        usage(f"OLD{BETWEEN}NEW takes a value on each side, not {text!r}")
    return old, new


def _now(saved: Side) -> Side:
    """What kcfg derives now from a saved report's inputs."""
    from kcfg.core.report import report

    found = report(
        saved.kernel, name=saved.report.get("name"), source=saved.report.get("source", "")
    )
    return Side(found, saved.kernel)


class _File(NamedTuple):
    """What was read, what messages call it, and the one document of it that is meant."""

    name: str
    data: bytes
    only: int | None


def _read(named: Iterable[Source | Problem]) -> list[_File]:
    """The files that an argument names."""
    found, problems = [], []
    for each in named:
        if isinstance(each, Problem):
            problems.append(each)
            continue
        try:
            with opened(each.path) as stream:
                found.append(_File(each.file, stream.read(LARGEST + 1), each.only))
        except OSError as error:
            problems.append(_unreadable(each.file, why_unread(error, each.path)))
        else:
            if len(found[-1].data) > LARGEST:
                message = f"more than {LARGEST:,} bytes, too many to compare"
                problems.append(_unreadable(each.file, message))
    if problems:
        _leave(problems)
    return found


def _sides(files: list[_File], overrides: Overrides) -> list[Side]:
    """The configurations in files."""
    every = (item for file in files for item in _held(file, overrides))
    found = list(islice(every, MOST + 1))
    problems = [problem for item in found if isinstance(item, list) for problem in item]
    if len(found) > MOST:
        message = f"more than {MOST:,} configurations, too many to compare"
        problems = [_unreadable(files[0].name, message)]
    if problems:
        _leave(problems)
    return [item for item in found if isinstance(item, Side)]


def _held(file: _File, overrides: Overrides) -> Iterable[Side | list[Problem]]:
    try:
        reports = parsed(file.data, file.name)
    except SavedError as error:
        return [[Problem(file.name, *error.position, "", str(error), "unreadable")]]
    if reports is None:
        return map(_spec, read(file.data, file.name, overrides, file.only))
    if file.only is not None:
        usage(f"{file.name}: {NOT_PICKED}")
    if overrides.given:
        usage(f"{file.name}: {AS_IT_IS}")
    return [restored(report) for report in reports] or [[_unreadable(file.name, "no spec here")]]


def _spec(item: Spec | list[Problem]) -> Side | list[Problem]:
    return derived(item) if isinstance(item, Spec) else item


def _unreadable(file: str, message: str) -> Problem:
    return Problem(file, 0, 0, "", message, "unreadable")


def _leave(problems: Iterable[Problem]) -> NoReturn:
    code = FINE
    for problem in problems:
        console.error(problem)
        code = max(code, code_of(problem))
    raise typer.Exit(code)
