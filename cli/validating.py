"""What ``kcfg validate`` and the hook ``kcfg-validate`` share: all but reading their arguments.

Nothing here imports more than judging a good spec needs: a hook runs at every commit.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Iterable, Sequence
from importlib import import_module
from typing import TYPE_CHECKING

from kcfg.cli.exits import FAILED, FINE, FOUND
from kcfg.core.errors import UsageError
from kcfg.core.spec.overrides import Overrides
from kcfg.core.spec.sources import NAMELESS, TWICE
from kcfg.core.validate.run import Options, Run

if TYPE_CHECKING:
    from kcfg.core.check.check import Check

ABOUT = "Judge specs, pins and saved reports against a GPU's limits."
FORMAT = "How to write it."
SELECT = (
    "Show only these rules: ids or their beginnings, with commas between; repeatable. Errors of "
    "other rules do not count for the exit code."
)
IGNORE = (
    "Do not show these rules: ids or their beginnings, with commas between; repeatable. What is "
    "not shown does not count: with its errors left out, a launch that cannot run exits 0."
)
STRICT = "Whether warnings count for the exit code."
INFO = "Show notes as well: what is worth knowing, and not wrong; and what was not judged of each."
MOST = "Show so many findings at most; the others still count."
QUIET = "Write the findings and nothing else."
STATISTICS = "Count the findings of each rule, in place of showing them; in JSON, beside them."
COUNTING = ("text", "json")
"""Formats that have a place for such counts."""
"""Help texts, the same for both programs."""


def validate(
    paths: Sequence[str],
    *,
    presets: Sequence[str] | None = None,
    settings: Iterable[str] | None = None,
    release: str | None = None,
    target: str | None = None,
    format: str = "text",
    select: Iterable[str] | None = None,
    ignore: Iterable[str] | None = None,
    strict: bool | None = None,
    info: bool = False,
    most: int | None = None,
    quiet: bool = False,
    statistics: bool = False,
    check: Check | None = None,
) -> int:
    """Judge everything that is named, write what was found, and return the exit code.

    ``check`` judges compilers' logs beside them. Raises `UnknownError` and `UsageError` for
    options that nothing can be done with.
    """
    options = Options(
        overrides=Overrides.of(settings, release, _target(target)),
        select=_ids(select),
        ignore=_ids(ignore),
        strict=strict,
        infos=info,
        most=most,
        quiet=quiet,
        statistics=statistics,
    )
    _refuse(paths, presets, options, format)
    run = Run(paths, options, check, presets or ())
    run.tally.files += len(check.logs) if check else 0
    if sys.stderr.isatty():  # a hook's is none, mostly, and needs no more imports
        from kcfg.cli.progress import share_of, watched

        folders = any(map(os.path.isdir, run.paths))  # of who knows how many files

        def share() -> float | None:
            return None if folders else share_of(run.paths, run.tally.files - 1)

        run.watch = lambda judged: watched(judged, "documents", share)
    import_module(f"kcfg.cli.formats.validate.{format}").write(run)
    return exit_code(run)


def _refuse(
    paths: Sequence[str], presets: Sequence[str] | None, options: Options, format: str
) -> None:
    """Raise `UsageError` for options and arguments that do not go together."""
    if not paths and not presets:
        raise UsageError(NAMELESS)
    if list(paths).count("-") > 1:
        raise UsageError(TWICE)
    if options.most is not None and options.most < 0:
        raise UsageError(f"--max-findings takes 0 or more, not {options.most}")
    if options.statistics and format not in COUNTING:
        raise UsageError(f"--statistics counts in {' and '.join(COUNTING)}, not in {format}")


def exit_code(run: Run) -> int:
    """The exit code of a run that is over."""
    if run.tally.unread:
        return FAILED
    return FOUND if run.tally.wrong else FINE


def _ids(words: Iterable[str] | None) -> tuple[str, ...] | None:
    if not words:
        return None
    from kcfg.core.validate.selection import prefixes

    return prefixes(words)


def _target(name: str | None) -> str | None:
    if name is not None:
        from kcfg.core import targets

        targets.find(name)  # raises for a name that is none
    return name
