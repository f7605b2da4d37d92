"""Cells of CSV that a spreadsheet does not take for something to run."""

from __future__ import annotations

RUNS = ("=", "+", "-", "@", "\t", "\r")
"""How a cell begins that spreadsheets run as a formula."""


def defused(text: str) -> str:
    """A text as a cell: behind an apostrophe where a spreadsheet would run it."""
    return f"'{text}" if text.startswith(RUNS) else text
