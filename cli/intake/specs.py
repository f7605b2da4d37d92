"""From what a command line names to specs: files, standard input, presets, overrides."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from typing import NoReturn

from kcfg.cli import console
from kcfg.cli.exits import FAILED, FINE, FOUND
from kcfg.core.printing import printable_lines
from kcfg.core.spec import Overrides, Problem, Spec, read_file
from kcfg.core.spec.sources import NAMELESS, TWICE, picked, sources


class Intake:
    """Reads every spec a command was given, telling of what is wrong as it goes.

    ``exit_code`` is 0 until something was wrong: 2 where something could not be read
    or parsed, else 1 where it was understood and refused.
    """

    def __init__(
        self,
        paths: Iterable[str] | None,
        presets: Iterable[str] | None = None,
        *,
        settings: Iterable[str] | None = None,
        release: str | None = None,
        target: str | None = None,
    ) -> None:
        self.paths, self.presets = list(paths or ()), list(presets or ())
        self.exit_code = FINE
        self._done = 0  # paths read to their end
        if not self.paths and not self.presets:
            usage(NAMELESS)
        once(self.paths)
        with known():
            self.overrides = Overrides.of(settings, release, target)

    def __iter__(self) -> Iterator[Spec]:
        from kcfg.cli.progress import watched

        return watched(self._specs(), "specs", self._share)

    def _specs(self) -> Iterator[Spec]:
        for items in self._files():
            for item in items:
                if isinstance(item, Spec):
                    yield item
                else:
                    self._tell(item)

    def fail(self, code: int) -> None:
        """Leave with at least this exit code."""
        self.exit_code = max(self.exit_code, code)

    def _files(self) -> Iterator[Iterator[Spec | list[Problem]]]:
        for source in sources(self.paths, self.presets):
            if isinstance(source, Problem):
                self._tell([source])
            else:
                yield read_file(source.path, self.overrides, source.file, source.only)
            self._done += 1

    def _share(self) -> float | None:
        """How much of the input has been read, as far as that can be known."""
        from kcfg.cli.progress import share_of

        if any(map(os.path.isdir, self.paths)):  # of who knows how many files
            return None
        return share_of([*self.paths, *self.presets], self._done)

    def _tell(self, problems: list[Problem]) -> None:
        for problem in problems:
            console.error(problem)
            self.fail(code_of(problem))


def spare(output: str | None, paths: Iterable[str]) -> None:
    """Leave with a message where a file to write is one of those that are read."""
    for path in paths if output is not None and os.path.exists(output) else ():
        file, _ = picked(path)
        if os.path.isfile(file) and os.path.samefile(str(output), file):
            usage(f"-o {output} is the spec itself: name another file")


def code_of(problem: Problem) -> int:
    """The exit code of a problem: 1 where a file says what is wrong, else 2."""
    return FAILED if problem.undone else FOUND


def once(names: Sequence[str]) -> None:
    """Leave with a message where standard input is named more than once."""
    if names.count("-") > 1:
        usage(TWICE)


@contextmanager
def known() -> Iterator[None]:
    """Turn a name that core does not know, or cannot read, into a message and exit code 2."""
    from kcfg.core.errors import UnknownError, UsageError

    try:
        yield
    except (UnknownError, UsageError) as wrong:
        usage(str(wrong))


def usage(message: str) -> NoReturn:
    """Leave with a message about how the command was called."""
    import typer

    raise typer.BadParameter(printable_lines(message))
