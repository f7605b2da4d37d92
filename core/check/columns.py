"""The columns of tensor memory that a kernel's PTX allocates, where its text says them."""

from __future__ import annotations

import re

from kcfg.core.check.build import Long, figure

ALLOCATION = re.compile(r"\btcgen05\.alloc\.\S+\s+\[[^\]]*\]\s*,\s*(\w+|%\w+)\s*$")
INSTRUCTION = re.compile(
    r"^[\s{]*(?:@!?%\w+\s+)?([a-z][\w.:]*)\s+(\{[^}]*\}|%\w+(?:\|%\w+)?)\s*,\s*(.*)"
)
"""One that sets registers: its name, those, and what they are set from."""
HEXADECIMAL = re.compile(r"0[xX][0-9a-fA-F]{1,8}")
REGISTER = re.compile(r"%\w+")
MOST = 1 << 16
"""Registers of a kernel that are kept; in one with more, what any of them holds is not known."""


class Allocations:
    """What one kernel asks of ``tcgen05.alloc``: numbers, and registers that are set to one."""

    def __init__(self) -> None:
        self.asked: list[str] = []
        self._holds: dict[str, str] = {}

    def read(self, text: str) -> None:
        """Take a line in."""
        for part in text.split(";"):
            if "tcgen05.alloc" in part and (match := ALLOCATION.search(part)):
                self.asked.append(match[1])
            elif match := INSTRUCTION.search(part):
                self._set(match)

    def _set(self, match: re.Match[str]) -> None:
        """A register holds a number where every instruction that sets it moves that there."""
        to = match[3].strip() if match[1].startswith("mov.") else ""
        for register in REGISTER.findall(match[2]) if len(self._holds) < MOST else ():
            held = self._holds.setdefault(register, to)
            self._holds[register] = to if held == to else ""

    @property
    def columns(self) -> int | Long | None:
        """What the only allocation asks for, 0 without any; None for what cannot be told."""
        if len(self.asked) != 1:
            return None if self.asked else 0
        (asked,) = self.asked
        if asked.startswith("%"):
            asked = self._holds.get(asked, "") if len(self._holds) < MOST else ""
        if HEXADECIMAL.fullmatch(asked):
            return int(asked, 16)
        return figure(asked) if asked.isascii() and asked.isdecimal() else None
