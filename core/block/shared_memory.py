"""What static shared memory comes to beside a dynamic array, and where that array begins.

The compiler pads static memory to the alignment of the ``extern __shared__`` array of its file,
and the array begins where what the system keeps in every block and static memory end, as measured
on one H200 (driver 580). All in bytes.
"""

from __future__ import annotations

from kcfg.core.block.parts import Shared
from kcfg.core.hardware.occupancy import bytes_of_percent
from kcfg.core.hardware.target import Target

LEAST_ALIGN = 16
"""The alignment of a dynamic array that declares none, or less."""

NO_PREFERENCE = -1
"""The carveout in percent that leaves the choice to the driver."""


def array_align(shared: Shared | None, laid_out: bool) -> int | None:
    """Alignment of the dynamic array; None where nothing says that the kernel has one.

    What is ``laid_out`` in dynamic memory lies in an array; bytes that are only asked for
    need not be anyone's.
    """
    if shared is not None and shared.base_align is not None:
        return max(shared.base_align, LEAST_ALIGN)
    return LEAST_ALIGN if laid_out or (shared is not None and shared.regions) else None


def kept_align(target: Target, align: int) -> int:
    """How much of its alignment the base of the dynamic array has.

    Static memory before it is padded to the alignment, what the system keeps is not: above
    that size the base is just so far past a multiple.
    """
    return min(align, target.smem_reserved_per_block)


def carveout(target: Target, shared: Shared | None) -> int | None:
    """Shared memory that an SM is preferably set up with; None without a preference.

    A percentage that the driver does not take is none.
    """
    if shared is None:
        return None
    percent = shared.carveout_percent
    if percent is not None:
        return bytes_of_percent(target, percent) if 0 <= percent <= 100 else None
    return None if shared.carveout is None else shared.carveout * 1024
