"""``kcfg-check``: the builds that ``[tool.kcfg]`` lists, held against their specs."""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence
from typing import TYPE_CHECKING

from kcfg.cli import console
from kcfg.cli.exits import FAILED, FINE

if TYPE_CHECKING:
    from kcfg.core.check.listed import Checked

ABOUT = "Judge the builds that `check` of [tool.kcfg] in pyproject.toml lists against their specs."


def main() -> None:
    """Run ``kcfg-check`` with the arguments of this process, and exit."""
    console.leave(console.safely(lambda: run(sys.argv[1:])))


def run(arguments: Sequence[str]) -> int:
    """Judge every entry of the list, and return the worst exit code."""
    from argparse import BooleanOptionalAction

    from kcfg.cli import validating
    from kcfg.cli.arguments import Parser
    from kcfg.cli.intake.project import project
    from kcfg.core.check.listed import EXAMPLE
    from kcfg.core.validate.settings import NAME

    parser = Parser(prog="kcfg-check", description=ABOUT)
    parser.add_argument("--strict", action=BooleanOptionalAction, help=validating.STRICT)
    parser.add_argument("--info", action="store_true", help=validating.INFO)
    given = parser.parse_args(arguments)
    found = project()
    if found is None:
        return FAILED
    _, settings = found
    if not settings.check:
        console.error(f"nothing to check: no {NAME} with [tool.kcfg] check = [{EXAMPLE}]")
        return FINE
    folder = os.path.relpath(os.path.dirname(settings.file))
    return max(
        _checked(entry, folder, given.strict, given.info, f"{settings.file}: tool.kcfg.check")
        for entry in settings.check
    )


def _checked(entry: Checked, folder: str, strict: bool | None, info: bool, place: str) -> int:
    from kcfg.cli.validating import validate
    from kcfg.core.check.check import Check
    from kcfg.core.check.listed import found
    from kcfg.core.spec.problem import shown

    specs, no_spec = found(folder, entry.specs)
    builds, no_build = found(folder, entry.builds)
    for pattern in (*no_spec, *no_build):
        console.error(f"{place}: no file fits {shown(pattern)}")
    if no_spec or no_build:
        return FAILED
    return validate(
        [_near(each) for each in specs],
        strict=strict,
        info=info,
        check=Check([_near(each) for each in builds], None),
    )


def _near(path: str) -> str:
    """A path as it is shown, of which none is standard input: a project lists files."""
    near = os.path.normpath(path)
    return os.path.join(os.curdir, near) if near == "-" else near


if __name__ == "__main__":
    main()
