"""Triton's cache: what the ``.json`` beside a cubin says of its launch."""

from __future__ import annotations

import json
import os
from typing import Any

from kcfg.core.check.build import Build, Long, Unit, figure

LARGEST = 1 << 20
"""Bytes of such a file that is read; it has one or two thousand."""
ENDING = ".json"
CODE = ".cubin"
NEEDS = ("name", "shared", "num_warps")
"""Keys by which it is told from other JSON."""
GROUP = "child_paths"
"""What Triton's list of the files of one kernel has: it tells of no kernel itself."""
NOT_ONE = (
    "this JSON is not what Triton keeps beside a cubin: it lacks `name`, `shared` or `num_warps`"
)


def beside(path: str) -> str:
    """Triton's file beside a cubin, or the cubin beside Triton's; empty where there is none."""
    stem, ending = os.path.splitext(path)
    other = stem + {CODE: ENDING, ENDING: CODE}.get(ending, "")
    return other if other not in (path, stem) and os.path.isfile(other) else ""


def is_group(data: bytes) -> bool:
    """Whether this is Triton's list of a kernel's files (``__grp__*.json``)."""
    said = _json(data)
    return isinstance(said, dict) and said.keys() == {GROUP}


def _json(data: bytes) -> Any:
    try:
        return json.loads(data, parse_int=figure)
    except (ValueError, RecursionError):
        return None


def read(data: bytes) -> Build | None:
    """The kernel that Triton's file is about; None for another JSON.

    ``shared`` is all of a block's shared memory, which Triton takes as dynamic memory;
    ``num_warps`` counts those of warp specialization too.
    """
    said = _json(data)
    if not isinstance(said, dict) or not said.keys() >= set(NEEDS):
        return None
    if not isinstance(said["name"], str) or not said["name"].isprintable():
        return None
    build = Build("Triton", said["name"], 0, None, Unit())
    warps, size = _whole(said, "num_warps"), _whole(said, "warp_size") or 32
    ctas = _whole(said, "num_ctas")
    build.put(
        0,
        threads=warps if isinstance(warps, Long) else _threads(warps, size),
        cluster=(ctas,) if isinstance(ctas, int) and ctas else ctas,
        dynamic=_whole(said, "shared"),
        tmem_columns=_whole(said, "tmem_size"),
        maxnreg=_whole(said, "maxnreg"),
    )
    build.beside(stages_of_loops=_whole(said, "num_stages"))
    return build


def _threads(warps: int | None, size: int | Long) -> tuple[int] | None:
    return (warps * size,) if warps and isinstance(size, int) else None


def _whole(said: dict[str, Any], key: str) -> int | Long | None:
    """A whole number, or that it is too long to be one."""
    value = said.get(key)
    if isinstance(value, Long):
        return value
    return value if isinstance(value, int) and not isinstance(value, bool) and value >= 0 else None
