"""``kcfg-emit``: the files that ``[tool.kcfg]`` lists, held against what kcfg emits."""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence

from kcfg.cli import console
from kcfg.cli.exits import FAILED, FINE
from kcfg.core.emit.listed import EXAMPLE, Output
from kcfg.core.validate.settings import NAME, Projects

ABOUT = "Check the files that `emit` of [tool.kcfg] in pyproject.toml lists; exit 1 if one differs."
WRITE = "Write those that differ instead."


def main() -> None:
    """Run ``kcfg-emit`` with the arguments of this process, and exit."""
    console.leave(console.safely(lambda: run(sys.argv[1:])))


def run(arguments: Sequence[str]) -> int:
    """Check or write every listed file, and return the exit code."""
    from argparse import ArgumentParser

    parser = ArgumentParser(prog="kcfg-emit", description=ABOUT)
    parser.add_argument("--write", action="store_true", help=WRITE)
    write = parser.parse_args(arguments).write
    projects = Projects()
    settings = projects.of("-")
    for problem in projects.problems:
        console.error(problem)
    if projects.problems:
        return FAILED
    if not settings.emit:
        console.error(f"nothing to emit: no {NAME} with [tool.kcfg] emit = [{EXAMPLE}]")
        return FAILED
    folder = os.path.dirname(settings.file)
    codes = [_handle(output, folder, write) for output in settings.emit]
    if not write and any(codes):
        console.error("`kcfg-emit --write` writes what differs")
    return max(codes)


def _handle(output: Output, folder: str, write: bool) -> int:
    """Check or write one file; paths are relative to the project's folder."""
    from kcfg.cli.emitting import compared, emitted
    from kcfg.cli.intake.specs import Intake
    from kcfg.cli.saving import SaveError, save

    intake = Intake([_near(folder, output.spec)])
    text = emitted(intake, output.lang, name=output.name)
    if text is None:
        return intake.exit_code
    place = _near(folder, output.output)
    if not write:
        return compared(place, text)
    try:
        if save(place, text):
            console.write(f"{place}: written\n")
    except SaveError as error:
        console.error(error)
        return FAILED
    return FINE


def _near(folder: str, path: str) -> str:
    """A path of the project as it is seen from here."""
    return os.path.relpath(os.path.join(folder, path))


if __name__ == "__main__":
    main()
