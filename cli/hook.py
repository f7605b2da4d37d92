"""``kcfg-validate``: ``kcfg validate`` for hooks, without what makes ``kcfg`` slow to start."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from typing import TYPE_CHECKING

from kcfg.cli import console

if TYPE_CHECKING:
    from argparse import Namespace


def main() -> None:
    """Run ``kcfg-validate`` with the arguments of this process, and exit."""
    console.leave(console.safely(lambda: run(sys.argv[1:])))


def run(arguments: Sequence[str]) -> int:
    """Judge what the arguments name, and return the exit code."""
    from kcfg.cli.validating import validate

    if arguments and not any(argument.startswith("-") for argument in arguments):
        return validate(arguments)  # names alone need no parser
    return validate(**vars(_parsed(arguments)))


def _parsed(arguments: Sequence[str]) -> Namespace:
    from argparse import ArgumentParser, BooleanOptionalAction

    from kcfg.cli import validating
    from kcfg.cli.formats import names

    parser = ArgumentParser(prog="kcfg-validate", description=validating.ABOUT)
    parser.add_argument("paths", nargs="+", metavar="PATH", help=validating.PATHS)
    parser.add_argument(
        "--format", choices=names("validate"), default="text", help=validating.FORMAT
    )
    parser.add_argument("--target", metavar="NAME", help=validating.TARGET)
    parser.add_argument("--select", metavar="ID", action="append", help=validating.SELECT)
    parser.add_argument("--ignore", metavar="ID", action="append", help=validating.IGNORE)
    parser.add_argument("--strict", action=BooleanOptionalAction, help=validating.STRICT)
    parser.add_argument("--info", action="store_true", help=validating.INFO)
    parser.add_argument("--max-findings", metavar="N", type=int, dest="most", help=validating.MOST)
    return parser.parse_args(arguments)


if __name__ == "__main__":
    main()
