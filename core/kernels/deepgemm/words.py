"""What the choice of a layout and the layout itself have in common."""

from __future__ import annotations

from kcfg.core.engine.arith import ceildiv, mod, up
from kcfg.core.engine.terms import pick, total


def swizzle_of_bytes(width: int) -> int:
    """The widest swizzle, of 128 to 16 bytes, whose row divides a width; 0 where none does."""
    return pick(
        width % 128 == 0,
        128,
        pick(width % 64 == 0, 64, pick(width % 32 == 0, 32, pick(width % 16 == 0, 16, 0))),
    )


def tiles_of(m: int, n: int, groups: int, block_m: int, block_n: int) -> int:
    """Tiles of all groups of a problem."""
    return ceildiv(m, block_m) * ceildiv(n, block_n) * groups


def last_of(tiles: int, sms: int) -> int:
    """Tiles of the last wave."""
    return pick(mod(tiles, sms) == 0, sms, mod(tiles, sms))


def columns_of(umma_n: int, sf_m: int, sf_n: int) -> int:
    """Tensor-memory columns of two accumulators and of the scales."""
    return total(accumulators=2 * umma_n, sfa=sf_m // 32, sfb=sf_n // 32)


def scale_rows(scaled: bool, rows: int) -> int:
    """Rows of a tile's scales: whole blocks of 128; 0 where there are none."""
    return pick(scaled, up(rows, 128), 0)
