"""Whole numbers out of texts that may hold anything, such as five thousand digits."""

from __future__ import annotations

LONGEST = 19
"""Digits of a number that is worth converting: 64 bits have no more."""


def bounded(text: str | None, longest: int = LONGEST) -> int | None:
    """A number in plain decimal digits; None for one that is too long, or for no text.

    A sign counts among the digits.
    """
    return None if text is None or len(text) > longest else int(text)
