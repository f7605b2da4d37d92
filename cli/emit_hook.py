"""``kcfg-emit``: the files that ``[tool.kcfg]`` lists, held against what kcfg emits."""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence
from typing import TYPE_CHECKING

from kcfg.cli import console
from kcfg.cli.exits import FAILED, FINE

if TYPE_CHECKING:
    from kcfg.cli.emitting import Specs
    from kcfg.core.emit.listed import Output
    from kcfg.core.validate.settings import Projects, Settings

ABOUT = "Check the files that `emit` of [tool.kcfg] in pyproject.toml lists; exit 1 if one differs."
WRITE = "Write those that differ instead, and the folders that they lie in."

MOST = 20
"""Entries that are told of where they are wrong."""


def main() -> None:
    """Run ``kcfg-emit`` with the arguments of this process, and exit."""
    console.leave(console.safely(lambda: run(sys.argv[1:])))


def run(arguments: Sequence[str]) -> int:
    """Check or write every listed file, and return the exit code."""
    from kcfg.cli.arguments import Parser
    from kcfg.cli.intake.project import project
    from kcfg.core.emit.listed import EXAMPLE
    from kcfg.core.validate.settings import NAME

    parser = Parser(prog="kcfg-emit", description=ABOUT)
    parser.add_argument("--write", action="store_true", help=WRITE)
    write = parser.parse_args(arguments).write
    found = project()
    if found is None:
        return FAILED
    projects, settings = found
    if not settings.emit:
        console.error(f"nothing to emit: no {NAME} with [tool.kcfg] emit = [{EXAMPLE}]")
        return FINE
    if _misplaced(settings):
        return FAILED
    sources: dict[str, Specs] = {}
    codes = [_handle(output, settings, projects, sources, write) for output in settings.emit]
    if not write and any(codes):
        console.error("`kcfg-emit --write` writes what differs")
    return max(codes)


def _misplaced(settings: Settings) -> bool:
    """Whether the list would have files written where it has no business; that is told."""
    from kcfg.core.emit.listed import misplaced

    found = list(misplaced(settings.emit, settings.file))
    for trouble in found[:MOST]:
        console.error(f"{settings.file}: tool.kcfg.emit: {trouble}")
    if len(found) > MOST:
        console.error(f"{len(found) - MOST} more entries are as wrong")
    return bool(found)


def _handle(
    output: Output, settings: Settings, projects: Projects, sources: dict[str, Specs], write: bool
) -> int:
    """Check or write one file; paths are relative to the project's folder."""
    from kcfg.cli.emitting import Specs, compared
    from kcfg.cli.intake.specs import Intake
    from kcfg.cli.saving import SaveError, save
    from kcfg.core.printing import printable
    from kcfg.core.saving import told

    folder = os.path.dirname(settings.file)
    if output.spec not in sources:
        sources[output.spec] = Specs(Intake([_near(folder, output.spec)]), projects)
    text, code = sources[output.spec].emitted(
        output.lang, name=output.name, namespace=output.namespace
    )
    if text is None:
        return code
    place = _near(folder, output.output)
    if not write:
        return compared(place, text, "`kcfg-emit --write`")
    try:
        with told(place):
            os.makedirs(os.path.dirname(place) or os.curdir, exist_ok=True)
        if save(place, text):
            console.write(f"{printable(place)}: written\n")
    except SaveError as error:
        console.error(error)
        return FAILED
    return FINE


def _near(folder: str, path: str) -> str:
    """A path of the project as it is seen from here, of which none is standard input."""
    near = os.path.relpath(os.path.join(folder, path))
    return os.path.join(os.curdir, near) if near == "-" else near


if __name__ == "__main__":
    main()
