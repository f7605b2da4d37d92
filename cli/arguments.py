"""What reads the arguments of the programs that start without Typer: the hooks."""

from __future__ import annotations

from argparse import ArgumentParser
from typing import NoReturn

from kcfg.core.printing import printable

LONGEST = 400
"""Characters of a usage error that are shown."""


class Parser(ArgumentParser):
    """Python's own, whose usage errors cannot act on a terminal by what they repeat."""

    def error(self, message: str) -> NoReturn:
        """Leave with a usage error."""
        cut = f"{message[:LONGEST]}..." if len(message) > LONGEST else message
        super().error(printable(cut))
