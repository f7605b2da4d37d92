"""``kcfg-validate``: ``kcfg validate`` for hooks, without what makes ``kcfg`` slow to start."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from typing import TYPE_CHECKING

from kcfg.cli import console
from kcfg.cli.exits import FAILED

if TYPE_CHECKING:
    from argparse import Namespace


def main() -> None:
    """Run ``kcfg-validate`` with the arguments of this process, and exit."""
    console.leave(console.safely(lambda: run(sys.argv[1:])))


def run(arguments: Sequence[str]) -> int:
    """Judge what the arguments name, and return the exit code."""
    from kcfg.cli.validating import validate
    from kcfg.core.errors import UnknownError, UsageError

    try:
        if arguments and not any(argument.startswith("-") for argument in arguments):
            return validate(arguments)  # names alone need no parser
        return validate(**vars(_parsed(arguments)))
    except (UnknownError, UsageError) as wrong:
        console.error(wrong)
        return FAILED


def _parsed(arguments: Sequence[str]) -> Namespace:
    from argparse import BooleanOptionalAction

    from kcfg.cli import validating
    from kcfg.cli.arguments import Parser
    from kcfg.cli.formats import names
    from kcfg.cli.intake import helps
    from kcfg.core.spec.sources import NAMELESS

    parser = Parser(prog="kcfg-validate", description=validating.ABOUT)
    parser.add_argument("paths", nargs="*", metavar="SPEC", help=helps.SPECS)
    parser.add_argument(
        "--preset", metavar="NAME", action="append", dest="presets", help=helps.PRESET
    )
    parser.add_argument(
        "--set", metavar="KEY=VALUE", action="append", dest="settings", help=helps.SETTING
    )
    parser.add_argument("--release", metavar="X.Y", help=helps.RELEASE)
    parser.add_argument("--target", metavar="NAME", help=helps.TARGET)
    parser.add_argument(
        "--format", choices=names("validate"), default="text", help=validating.FORMAT
    )
    parser.add_argument("--select", metavar="ID", action="append", help=validating.SELECT)
    parser.add_argument("--ignore", metavar="ID", action="append", help=validating.IGNORE)
    parser.add_argument("--strict", action=BooleanOptionalAction, help=validating.STRICT)
    parser.add_argument("--info", action="store_true", help=validating.INFO)
    parser.add_argument("--max-findings", metavar="N", type=int, dest="most", help=validating.MOST)
    parser.add_argument("--quiet", "-q", action="store_true", help=validating.QUIET)
    parser.add_argument("--statistics", action="store_true", help=validating.STATISTICS)
    parsed = parser.parse_args(arguments)
    if not parsed.paths and not parsed.presets:
        parser.error(NAMELESS)
    return parsed


if __name__ == "__main__":
    main()
