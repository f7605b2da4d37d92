"""Integer arithmetic with the conventions of the kernels kcfg follows.

Upstream computes with signed 64-bit integers: division rounds towards minus
infinity, and dividing by zero gives 0 instead of stopping. Unsupported shapes
do reach those corners, and their numbers must be the real code's too; so every
division by something that is not a literal goes through `div` or `mod`.
"""

from __future__ import annotations

from math import gcd

__all__ = ["ceildiv", "div", "down", "gcd", "halved", "mod", "next_pow2", "prev_pow2", "up"]


def div(a: int, b: int) -> int:
    """The quotient a / b rounded towards minus infinity; 0 when b is 0."""
    return a // b if b else 0


def mod(a: int, b: int) -> int:
    """The remainder of `div`, with the sign of b; 0 when b is 0."""
    return a % b if b else 0


def ceildiv(a: int, b: int) -> int:
    """The quotient a / b rounded towards plus infinity; 0 when b is 0."""
    return -(-a // b) if b else 0


def up(a: int, b: int) -> int:
    """The multiple of b at or above a; 0 when b is 0."""
    return -(-a // b) * b if b else 0


def down(a: int, b: int) -> int:
    """The multiple of b at or below a, also for negative a; 0 when b is 0."""
    return a // b * b if b else 0


def prev_pow2(a: int) -> int:
    """The largest power of two that is at most a; 0 when a is 0 or less."""
    return 1 << (a.bit_length() - 1) if a > 0 else 0


def next_pow2(a: int) -> int:
    """The smallest power of two that is at least a; 1 when a is 0 or less."""
    return 1 << (a - 1).bit_length() if a > 0 else 1


def halved(a: int, limit: int) -> int:
    """a, halved and rounded down as often as it takes to be at most ``limit`` (1 or more).

    That is a >> h for the least h with a < (limit + 1) * 2**h, so 2**h is the smallest
    power of two above a / (limit + 1).
    """
    return a // next_pow2(a // (limit + 1) + 1)
