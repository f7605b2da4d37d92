"""How FA4's dispatcher turns a wish for partitions into a number that is launched.

Sources: the functions ``ws_p_ceiling``, ``bucket_ws`` and ``sk_ws_partitions`` of the
dispatcher, max 26.7.0. A grid is counted in work items: the CTAs it has without a split.
"""

from __future__ import annotations

from kcfg.core.engine.arith import ceildiv, div
from kcfg.core.engine.terms import least, most, pick

LADDER = (2, 4, 6, 8, 10, 12, 16, 18, 20, 24, 32, 48, 64, 96, 148)
"""The numbers of partitions that the combining kernel is built for, one by one."""

WAVES = 6
"""Waves of work that a split may come to where there are many work items."""

KEYS_OF_DEEP = 384
"""Keys of a partition of the deep route."""


def rung_from(wish: int) -> int:
    """The first rung of the ladder that is at least the wish; the last one above the ladder."""
    found = LADDER[-1]
    for rung in reversed(LADDER):
        found = pick(wish <= rung, rung, found)
    return found


def rung_to(wish: int) -> int:
    """The last rung of the ladder that is at most the wish; 1 below the ladder."""
    found = 1
    for rung in LADDER:
        found = pick(wish >= rung, rung, found)
    return found


def is_rung(partitions: int) -> bool:
    """Whether a number of partitions is a rung of the ladder."""
    return rung_to(partitions) == partitions


def one_wave(items: int, sm_count: int) -> int:
    """The most partitions with which work items fill at most one wave; 1 at least."""
    return most(one=1, share=div(sm_count, most(one=1, items=items)))


def six_waves(items: int, sm_count: int) -> int:
    """The most partitions of work items: one wave's for up to four, then six waves' at most."""
    some = most(one=1, items=items)
    share = div(WAVES * sm_count, some)
    return most(one=1, share=least(six=share, one=div(sm_count, least(items=some, four=4))))


def last_wave_fills(items: int, sm_count: int) -> bool:
    """Whether twice the work items take less than twice the waves."""
    return ceildiv(2 * items, sm_count) < 2 * ceildiv(items, sm_count)


def bucket(wish: int, top: int, items: int, sm_count: int) -> int:
    """The rung for a wish, ``top`` at most; 1 where less than two fill nothing that is idle."""
    idle = (wish >= 2) | (items < sm_count) | last_wave_fills(items, sm_count)
    return pick(idle, least(wish=rung_from(wish), top=top), 1)


def older_most(batch_size: int, kv_heads: int, sm_count: int) -> int:
    """The most partitions by the older heuristic (``mha_decode_partition_heuristic``)."""
    return least(most=32, wave=most(one=1, share=div(sm_count, batch_size * kv_heads)))


def older_split(batch_size: int, kv_heads: int, keys: int, sm_count: int) -> int:
    """Partitions by the older heuristic: of 512 keys or more, in one wave."""
    worth = most(one=1, keys=div(keys, 512))
    return least(most=older_most(batch_size, kv_heads, sm_count), worth=worth)
