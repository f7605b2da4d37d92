"""Which matrix instructions exist: shapes of tcgen05.mma and wgmma, and who compiles them.

Shapes follow the table of tcgen05.mma in PTX ISA 9 ("Matrix Shape"); what a target
compiles was observed with ptxas of CUDA 13.0, and is not known for any other target.
``tests/test_isa.py`` holds both to data.
"""

from __future__ import annotations

from functools import cache

from kcfg.core.hardware.arch import parsed

K = {"f16": 16, "tf32": 8, "f8f6f4": 32, "i8": 32, "mxf8f6f4": 32, "mxf4": 64, "mxf4nvf4": 64}
"""K of one dense instruction, by kind; a sparse one has twice that."""

BLOCK_SCALED = frozenset(("mxf8f6f4", "mxf4", "mxf4nvf4"))
FOUR_BIT = frozenset(("mxf4", "mxf4nvf4"))
FOURS = ("float4_e2m1fn", "16U4_ALIGN8B", "16U4_ALIGN16B")
SIXES = ("float6_e2m3fn", "float6_e3m2fn", "16U6_ALIGN16B")
NARROW = frozenset(("float8_e4m3fn", "float8_e5m2", *SIXES, *FOURS))
OPERANDS = {
    "f16": frozenset(("float16", "bfloat16")),
    "tf32": frozenset(("float32", "tfloat32")),
    "f8f6f4": NARROW,
    "i8": frozenset(("int8", "uint8")),
    "mxf8f6f4": NARROW,
    "mxf4": frozenset(FOURS),
    "mxf4nvf4": frozenset(FOURS),
}
"""The element types of A and B that a kind takes, with the packed ones that tensor maps name."""

WGMMA_KINDS = frozenset(("f16", "tf32", "f8f6f4", "i8"))
NOT_IN_FAMILIES = frozenset(("i8", "mxf4nvf4"))
"""Kinds that no family target compiles."""

SEEN = frozenset(((9, 0), (10, 0), (10, 3), (11, 0), (12, 0), (12, 1)))
"""The capabilities whose targets were tried, plain and with each variant."""
TCGEN05 = frozenset(((10, 0), (10, 3), (11, 0)))
"""Those with tcgen05, for targets with a variant."""


class Shape:
    """Shapes of one form of an instruction: every M with every N."""

    def __init__(self, M: tuple[int, ...], N: tuple[int, ...], K: int) -> None:
        self.M, self.N, self.K = M, N, K


@cache
def shapes(kind: str, cta_group: int, ws: bool, sparse: bool) -> tuple[Shape, ...]:
    """The shapes of tcgen05.mma in one form; none where there is no such form."""
    k = K[kind] * (2 if sparse else 1)
    if ws:
        if cta_group != 1 or kind in BLOCK_SCALED:
            return ()
        return (Shape((32, 64, 128), (64, 128) if sparse else (64, 128, 256), k),)
    n = steps(kind, cta_group)
    if kind not in BLOCK_SCALED:
        return (Shape((64, 128) if cta_group == 1 else (128, 256), n, k),)
    if cta_group == 1:
        return (Shape((128,), n, k),)
    usual = Shape((256,) if sparse else (128, 256), n, k)
    if kind in FOUR_BIT and not sparse:
        return (usual, Shape((256,), n, 96))
    return (usual,)


def steps(kind: str, cta_group: int) -> tuple[int, ...]:
    """Every N without .ws."""
    if kind == "i8":
        wide = tuple(range(32, 257, 16 * cta_group))
        return (8, 16, 24, *wide) if cta_group == 1 else wide
    step = 8 * cta_group
    return tuple(range(step, 257, step))


def wgmma(kind: str, sparse: bool) -> Shape:
    """The shapes of wgmma for a kind."""
    n = steps(kind, 1) if kind == "i8" else tuple(range(8, 257, 8))
    return Shape((64,), n, K[kind] * (2 if sparse else 1))


def has_unit(arch: str, unit: str) -> bool | None:
    """Whether a compilation target has tcgen05, wgmma or mma.sync; None where nobody looked."""
    if unit == "mma.sync":
        return True
    code = parsed(arch)
    if code is None or code.cc not in SEEN:
        return None
    if unit == "wgmma":
        return arch == "sm_90a"
    return code.cc in TCGEN05 and bool(code.variant)


def has_kind(arch: str, unit: str, kind: str) -> bool:
    """Whether a target that has a unit has a kind of it; true where nobody looked."""
    if unit == "wgmma":
        return kind in WGMMA_KINDS
    if unit == "mma.sync":
        return True
    if arch.endswith("f"):
        return kind not in NOT_IN_FAMILIES
    return (arch, kind) != ("sm_103a", "i8")


def columns(M: int, N: int, cta_group: int, ws: bool | None, sparse: bool | None) -> int:
    """Tensor-memory columns of a 32-bit accumulator, by how its rows fill the 128 lanes.

    Where two CTAs share it, this is what each of them holds.
    """
    if cta_group == 2:
        return N // 2 if M == 128 and not sparse else N
    if ws and M in (32, 64):
        return N * M // 128
    return N
