"""The two sides of a comparison: files, standard input, presets, saved reports, variations."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple, NoReturn

import typer

from kcfg.cli import console
from kcfg.cli.exits import FAILED
from kcfg.cli.intake.specs import pair, usage
from kcfg.core import presets
from kcfg.core.diff import Side, derived
from kcfg.core.diff.saved import parsed, restored
from kcfg.core.figures import some
from kcfg.core.saved.reading import SavedError
from kcfg.core.spec import Overrides, Spec, read
from kcfg.core.spec.documents import STDIN, opened, why_unread
from kcfg.core.spec.overrides import NOTHING
from kcfg.core.spec.problem import Problem, printable

BETWEEN = ".."
"""What stands between two values of an option, old and new."""

LARGEST = 1 << 26
"""The most bytes that are read of one side: thousands of saved reports."""


class Variation(NamedTuple):
    """What the options say: settings of the old and of the new side, and whether they differ."""

    old: Overrides
    new: Overrides
    varies: bool

    @property
    def given(self) -> bool:
        return self.new != NOTHING


def variation(settings: Iterable[str] | None, release: str | None, target: str | None) -> Variation:
    """Read ``OLD..NEW`` in options; a value without ``..`` holds for both sides."""
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


def pairs(old: str, new: str | None, vary: Variation) -> Iterator[tuple[Side, Side]]:
    """What is to be compared with what; leaves with a message where that cannot be had."""
    if new is not None:
        if vary.varies:
            usage(f"two specs are compared as they are: give one of them, or no `{BETWEEN}`")
        if old == new == "-":
            usage("standard input can be read only once")
        before, after = _sides(old, vary.old), _sides(new, vary.new)
    elif vary.varies:
        data = _data(old)
        before, after = _sides(old, vary.old, data), _sides(old, vary.new, data)
    else:
        before = _sides(old, vary.old)
        if not all(side.saved for side in before):
            usage(
                "name a second spec, or vary this one with "
                "--release OLD..NEW, --target X..Y or --set key=1..2"
            )
        after = [_now(side) for side in before]
    if len(before) != len(after):
        counts = some(len(before), "configuration"), len(after)
        usage(f"{old} holds {counts[0]}, {new} {counts[1]}: compare as many")
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


def _sides(argument: str, overrides: Overrides, data: bytes | None = None) -> Sequence[Side]:
    """The configurations that an argument names."""
    file = _file(argument)
    if data is None:
        data = _data(argument)
    try:
        reports = parsed(data, file)
    except SavedError as error:
        _leave([Problem(file, *error.position, "", str(error))])
    if reports is None:
        found = [_spec(item) for item in read(data, file, overrides)]
    elif overrides != NOTHING:
        usage(f"{file} is a saved report, which is taken as it is: no --set, --release or --target")
    else:
        found = [restored(report) for report in reports]
    problems = [problem for item in found if isinstance(item, list) for problem in item]
    if problems or not found:
        _leave(problems or [f"{file}: no spec here"])
    return [item for item in found if isinstance(item, Side)]


def _spec(item: Spec | list[Problem]) -> Side | list[Problem]:
    return derived(item) if isinstance(item, Spec) else item


def _is_preset(argument: str) -> bool:
    return not os.path.exists(argument) and argument in presets.names()


def _file(argument: str) -> str:
    """What messages call an argument: standard input, a preset of this name, else a file."""
    if argument == "-":
        return STDIN
    return f"preset:{argument}" if _is_preset(argument) else argument


def _data(argument: str) -> bytes:
    if _is_preset(argument):
        return presets.text(argument).encode()
    try:
        with opened(argument) as stream:
            data = stream.read(LARGEST + 1)
    except OSError as error:
        from kcfg.core.errors import nearest

        close = nearest(argument, presets.names()) if not os.path.exists(argument) else None
        hint = f" (did you mean the preset {close!r}?)" if close else ""
        _leave([f"{argument}: {why_unread(error, argument)}{hint}"])
    if len(data) > LARGEST:
        _leave([f"{argument}: more than {LARGEST:,} bytes, too many to compare"])
    return data


def _leave(messages: Iterable[object]) -> NoReturn:
    for message in messages:
        console.error(printable(str(message)))
    raise typer.Exit(FAILED)
