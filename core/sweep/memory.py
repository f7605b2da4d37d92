"""Memory that is freed and wanted again a moment later."""

from __future__ import annotations

M_TRIM_THRESHOLD, M_TOP_PAD, M_MMAP_THRESHOLD = -1, -2, -3
"""The parameters of glibc's ``mallopt``."""


def keep_memory() -> None:
    """Ask the C library to keep freed arrays for the next ones, where it is glibc.

    Otherwise each array of a block is new pages from the system, given back when the formula
    is done: a third of the time of a sweep. Results do not depend on it.
    """
    import ctypes

    mallopt = getattr(ctypes.CDLL(None), "mallopt", None)
    if mallopt is not None:
        mallopt(M_MMAP_THRESHOLD, 32 << 20)
        mallopt(M_TRIM_THRESHOLD, 512 << 20)
        mallopt(M_TOP_PAD, 32 << 20)
