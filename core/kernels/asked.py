"""What was asked for, or what is settled otherwise: a word of formulas."""

from __future__ import annotations

from typing import TypeVar

T = TypeVar("T")


def given(asked: T | None, otherwise: T) -> T:
    """What was asked for, or the other where nothing was."""
    return otherwise if asked is None else asked


def absent(asked: object) -> bool:
    """Whether nothing was asked for."""
    return asked is None
