"""From what a command line names to specs: files, standard input, presets, overrides."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from typing import NoReturn

from kcfg.cli import console
from kcfg.cli.exits import FAILED, FINE, FOUND
from kcfg.core.spec import Overrides, Problem, Spec, read, read_file


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
            usage("name a spec file, `-` for standard input, or --preset NAME")
        pairs = tuple(map(pair, settings or ()))
        self.overrides = Overrides(set=pairs, release=release, target=target)

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
        for path in self.paths:
            yield read_file(path, self.overrides)
            self._done += 1
        if self.presets:
            from kcfg.core import presets
            from kcfg.core.errors import UnknownError

            for name in self.presets:
                try:
                    yield read(presets.text(name), f"preset:{name}", self.overrides)
                except UnknownError as unknown:
                    console.error(f"--preset {name}: {unknown}")
                    self.fail(FAILED)

    def _share(self) -> float | None:
        """How much of the input has been read, as far as that can be known."""
        from kcfg.cli.progress import share_of

        return share_of(self.paths, self._done)

    def _tell(self, problems: list[Problem]) -> None:
        for problem in problems:
            console.error(problem)
            self.fail(FAILED if problem.kind == "unreadable" else FOUND)


def file_of(name: str) -> str:
    """The file that a name stands for: itself, or a preset's where there is no such file."""
    import os

    from kcfg.core import presets

    return presets.path(name) if not os.path.exists(name) and name in presets.names() else name


def pair(setting: str) -> tuple[str, str]:
    """Key and text of one ``--set``."""
    key, equals, text = setting.partition("=")
    if not equals or not key:
        usage(f"--set takes key=value, not {setting!r}")
    return key.strip(), text


@contextmanager
def known() -> Iterator[None]:
    """Turn a name that core does not know into a message and exit code 2."""
    from kcfg.core.errors import UnknownError

    try:
        yield
    except UnknownError as unknown:
        usage(str(unknown))


def usage(message: str) -> NoReturn:
    """Leave with a message about how the command was called."""
    import typer

    raise typer.BadParameter(message)
