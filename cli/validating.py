"""What ``kcfg validate`` and the hook ``kcfg-validate`` share: all but reading their arguments.

Nothing here imports more than judging a good spec needs: a hook runs at every commit.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Iterable
from importlib import import_module
from typing import TYPE_CHECKING

from kcfg.cli import console
from kcfg.cli.exits import FAILED, FINE, FOUND
from kcfg.core.errors import UnknownError
from kcfg.core.validate.run import Options, Run

if TYPE_CHECKING:
    from kcfg.core.check.check import Check

ABOUT = "Judge specs, pins and saved reports against a GPU's limits."
PATHS = "Spec files, saved reports, or directories of specs; `-` is standard input."
FORMAT = "How to write it."
TARGET = "Judge for this GPU, such as b200, whatever the specs say."
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
"""Help texts, the same for both programs."""


def validate(
    paths: Iterable[str],
    *,
    format: str = "text",
    target: str | None = None,
    select: Iterable[str] | None = None,
    ignore: Iterable[str] | None = None,
    strict: bool | None = None,
    info: bool = False,
    most: int | None = None,
    check: Check | None = None,
) -> int:
    """Judge everything at ``paths``, write what was found, and return the exit code.

    ``check`` judges compilers' logs beside them.
    """
    if most is not None and most < 0:
        console.error(f"--max-findings takes 0 or more, not {most}")
        return FAILED
    try:
        options = Options(_target(target), _ids(select), _ids(ignore), strict, info, most)
    except UnknownError as unknown:
        console.error(unknown)
        return FAILED
    run = Run(paths, options, check)
    run.tally.files += len(check.logs) if check else 0
    if sys.stderr.isatty():  # a hook's is none, mostly, and needs no more imports
        from kcfg.cli.progress import share_of, watched

        folders = any(map(os.path.isdir, run.paths))  # of who knows how many files

        def share() -> float | None:
            return None if folders else share_of(run.paths, run.tally.files - 1)

        run.watch = lambda judged: watched(judged, "documents", share)
    import_module(f"kcfg.cli.formats.validate.{format}").write(run)
    return exit_code(run)


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
