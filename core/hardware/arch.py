"""Compilation targets such as sm_100a, and the devices that run code made for them.

Code is machine code (``sm_XY``) or PTX (``compute_XY``), which the driver compiles for the
device. A variant narrows where it runs: ``f`` to a family, ``a`` to one architecture. What is
known of that, ``tests/data/code_runs_on.json`` has pair by pair:

* ``ptxas --help`` of CUDA 13.0 states it for PTX: plain, for every later capability; ``f``, for
  the same and later ones of its family; ``a``, for that one alone. It compiled just so.
* nvlink 13.0 links machine code, plain or ``f``, for the same major with the same or a later
  minor, and for no other major. nvJitLink 12.9, the last that knows 10.1, has it by itself.
* An H200 (9.0) ran PTX of 7.5 to 9.0 and machine code of 9.0 and 9.0a, and refused machine
  code of 7.5 and 8.x, and all of 10.0 and later.
"""

from __future__ import annotations

import re
from typing import NamedTuple

from kcfg.core.hardware.sources import PTXAS

SOURCE = (
    f"{PTXAS}, and its help on --gpu-name; nvlink of CUDA toolkit 13.0, as observed;"
    " code loaded on one H200, driver 580"
)

NAME = r"(sm|compute)[ _-]?([1-9][0-9]?)([0-9])([af]?)"
"""What such a target is called; not compiled where a spec names a GPU."""

FIRST_FAMILY = 10
"""The first major that has family targets: ptxas knows no sm_90f."""

APART = (10, 1)
"""A capability that shares no code with the others of its major."""


class Code(NamedTuple):
    """What code was made for: sm_103a is machine code for 10.3 alone, by its variant ``a``."""

    ptx: bool
    cc: tuple[int, int]
    variant: str


def parsed(name: str) -> Code | None:
    """A compilation target by its name, in whatever letter case; None for any other name."""
    match = re.fullmatch(NAME, name.strip().casefold())
    if match is None:
        return None
    kind, major, minor, variant = match.groups()
    if variant == "f" and int(major) < FIRST_FAMILY:
        return None
    return Code(kind == "compute", (int(major), int(minor)), variant)


def runs_on(name: str, cc: str) -> bool:
    """Whether code for a compilation target runs on a device of a compute capability (``10.3``).

    False where the name is none of a compilation target.
    """
    code = parsed(name)
    if code is None:
        return False
    major, minor = cc.split(".")
    device = int(major), int(minor)
    if code.variant == "a":
        return code.cc == device
    if code.ptx and not code.variant:
        return code.cc <= device
    return code.cc <= device and _family(code.cc) == _family(device)


def _family(cc: tuple[int, int]) -> tuple[int, ...]:
    return cc if cc == APART else cc[:1]


def variants(plain: str) -> tuple[str, ...]:
    """The targets with a variant beside a plain one: sm_90a, or sm_100a and sm_100f."""
    return tuple(name for name in (f"{plain}a", f"{plain}f") if parsed(name) is not None)
