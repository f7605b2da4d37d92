"""What a target is: every limit kcfg knows, declared once, with the values of one GPU.

A limit states its unit, what it is and the documents it comes from here. A limit that is the
same on all GPUs has its value here, as its default; those that follow from a compute capability
have theirs in ``capabilities``, and a module below ``kcfg.core.targets`` states the rest for
one GPU.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, ClassVar, Literal, dataclass_transform

from kcfg.core.hardware.sources import (
    B200_DEVICE,
    BTG,
    CCCL,
    CUTLASS,
    FLASHINFER,
    H200_DEVICE,
    HTG,
    MOJO,
    NCU,
    OCC,
    PG,
    PRODUCT,
    PTX,
    PTXAS,
)

Unit = Literal[
    "barriers",
    "bits",
    "blocks",
    "bool",
    "bytes",
    "bytes/s",
    "columns",
    "count",
    "KiB",
    "lanes",
    "MHz",
    "registers",
    "SMs",
    "text",
    "TFLOPS",
    "threads",
    "warps",
]

REQUIRED: Any = object()


class Limit:
    """One limit: its unit, what it is, where it is documented; REQUIRED if it has no default."""

    def __init__(self, unit: Unit, doc: str, source: str, default: Any) -> None:
        self.unit, self.doc, self.source, self.default = unit, doc, source, default


def limit(unit: Unit, doc: str, *sources: str, default: Any = REQUIRED) -> Any:
    """Declare a limit; each target states its value, or may leave it at ``default``."""
    return Limit(unit, doc, "; ".join(sources), default)


class Row:
    """One limit of one target, for a table or JSON."""

    def __init__(self, name: str, value: Any, unit: str, doc: str, source: str) -> None:
        self.name, self.value, self.unit, self.doc, self.source = name, value, unit, doc, source


@dataclass_transform(kw_only_default=True, frozen_default=True, field_specifiers=(limit,))
class _Limits:
    """The machinery of `Target`: values by keyword, kept as plain attributes, never changed."""

    limits: ClassVar[dict[str, Limit]]

    def __init_subclass__(cls) -> None:
        cls.limits = {name: value for name, value in vars(cls).items() if isinstance(value, Limit)}

    def __init__(self, **given: Any) -> None:
        values = self.__dict__
        for name, declared in self.limits.items():
            values[name] = given.pop(name, declared.default)
        lacking = ", ".join(name for name, value in values.items() if value is REQUIRED)
        if lacking:
            raise TypeError(f"{values['name']}: {type(self).__name__} needs {lacking}")
        if given:
            raise TypeError(f"{type(self).__name__} has no limit {', '.join(given)}")

    def __setattr__(self, name: str, value: object) -> None:
        raise AttributeError(f"{name}: a target cannot be changed; replace() makes another one")

    def __delattr__(self, name: str) -> None:
        self.__setattr__(name, None)

    def __repr__(self) -> str:
        return f"<{type(self).__name__} {self.__dict__['name']}>"


class Target(_Limits):
    """One GPU: its names and every limit, in bytes, registers, threads as declared."""

    name: str = limit("text", "The name specs and commands use.", "kcfg")
    product: str = limit("text", "What it is sold as.", PRODUCT)
    aliases: tuple[str, ...] = limit("text", "Other names people use for it.", "kcfg", default=())
    unstated: tuple[str, ...] = limit(
        "text", "Products of its architecture whose figures nobody read.", "kcfg", default=()
    )
    names_arch: bool = limit(
        "bool", "Whether the names of its architecture mean this GPU.", "kcfg", default=False
    )
    arch: str = limit("text", "Architecture-specific compilation target.", PTX)
    cc: str = limit("text", "Compute capability.", PG)
    mma: str = limit("text", "Tensor-core unit, by its instruction.", PTX, PTXAS)
    sm_count: int = limit(
        "SMs", "Streaming multiprocessors.", B200_DEVICE, H200_DEVICE, PRODUCT, MOJO, FLASHINFER
    )
    sm_count_note: str = limit("text", "Where other parts differ.", PRODUCT, MOJO, default="")

    # Threads

    warp_size: int = limit("threads", "Threads of a warp.", PG, default=32)
    max_threads_per_block: int = limit(
        "threads", "Most threads of one block.", PG, H200_DEVICE, default=1024
    )
    max_block_dim: tuple[int, int, int] = limit(
        "threads", "Most threads of a block in x, y, z.", PG, H200_DEVICE, default=(1024, 1024, 64)
    )
    max_grid_dim: tuple[int, int, int] = limit(
        "blocks",
        "Most blocks of a grid in x, y, z.",
        PG,
        H200_DEVICE,
        CCCL,
        default=(2**31 - 1, 65535, 65535),
    )
    max_threads_per_sm: int = limit("threads", "Most threads resident on an SM.", PG, NCU, CCCL)
    max_warps_per_sm: int = limit("warps", "Most warps resident on an SM.", PG, BTG, NCU)
    max_blocks_per_sm: int = limit("blocks", "Most blocks resident on an SM.", PG, OCC, NCU, CCCL)
    sub_partitions: int = limit(
        "count", "Parts of an SM; a warp lives in one of them.", OCC, NCU, default=4
    )
    warp_alloc_granularity: int = limit(
        "warps",
        "A block needs room for its warps rounded up to this.",
        OCC,
        NCU,
        H200_DEVICE,
        default=4,
    )
    cluster_portable: int = limit(
        "blocks", "Largest cluster without opting in.", BTG, HTG, H200_DEVICE, default=8
    )
    cluster_nonportable: int | None = limit(
        "blocks", "Largest cluster after opting in; none where not stated.", BTG, HTG, H200_DEVICE
    )

    # Registers

    registers_per_sm: int = limit("registers", "Registers of an SM.", PG, default=65536)
    registers_per_block: int = limit(
        "registers", "Most registers of one block.", PG, H200_DEVICE, default=65536
    )
    registers_per_sub_partition: int = limit(
        "registers", "Registers of one part of an SM.", OCC, NCU, default=16384
    )
    max_registers_per_thread: int = limit(
        "registers", "Most registers the compiler gives a thread.", PG, NCU, CCCL, default=255
    )
    register_alloc_unit_per_warp: int = limit(
        "registers", "A warp's registers are set aside in multiples of this.", OCC, NCU, default=256
    )
    register_alloc_rounding_per_thread: int = limit(
        "registers", "The same step, per thread.", OCC, NCU, default=8
    )
    setmaxnreg_min: int = limit(
        "registers", "Least that setmaxnreg takes.", f"{PTX}, setmaxnreg", PTXAS, default=24
    )
    setmaxnreg_max: int = limit(
        "registers", "Most that setmaxnreg takes.", f"{PTX}, setmaxnreg", PTXAS, default=256
    )
    setmaxnreg_multiple: int = limit(
        "registers", "setmaxnreg takes multiples of this.", f"{PTX}, setmaxnreg", PTXAS, default=8
    )

    # Shared memory and barriers

    smem_per_sm: int = limit(
        "bytes", "Shared memory of an SM.", PG, OCC, NCU, CCCL, H200_DEVICE, B200_DEVICE
    )
    smem_optin_per_block: int = limit(
        "bytes", "Most shared memory of a block that opts in.", PG, CCCL, H200_DEVICE, B200_DEVICE
    )
    smem_default_per_block: int = limit(
        "bytes",
        "Most shared memory of a block without opting in.",
        PG,
        H200_DEVICE,
        B200_DEVICE,
        default=49152,
    )
    smem_reserved_per_block: int = limit(
        "bytes", "Shared memory the system keeps in every block.", H200_DEVICE, OCC, default=1024
    )
    smem_alloc_granularity: int = limit(
        "bytes", "A block's shared memory is set aside in multiples of this.", OCC, NCU, default=128
    )
    smem_banks: int = limit("count", "Banks of shared memory, 4 bytes wide.", PG, default=32)
    carveout_kb: tuple[int, ...] = limit(
        "KiB", "Sizes an SM's shared memory can be set to.", OCC, NCU
    )
    const_bytes: int = limit("bytes", "Constant memory.", PG, H200_DEVICE, default=65536)
    barriers_per_sm: int = limit("barriers", "Named barriers of all blocks on an SM.", OCC, NCU)
    named_barriers_per_block: int = limit(
        "barriers", "Named barriers of one block.", f"{PTX}, barrier", default=16
    )
    mbarrier_bytes: int = limit("bytes", "Size of an mbarrier.", f"{PTX}, mbarrier", default=8)
    mbarrier_align: int = limit("bytes", "Alignment of an mbarrier.", f"{PTX}, mbarrier", default=8)

    # Tensor memory; a target without any leaves these at 0

    tmem_columns: int = limit(
        "columns", "Tensor memory of an SM; 0 where there is none.", f"{PTX}, tcgen05", default=0
    )
    tmem_lanes: int = limit("lanes", "Lanes of tensor memory.", f"{PTX}, tcgen05", default=0)
    tmem_cell_bits: int = limit(
        "bits", "One cell: a lane of a column.", f"{PTX}, tcgen05", default=0
    )
    tmem_alloc_min: int = limit(
        "columns", "Least that tcgen05.alloc takes.", f"{PTX}, tcgen05.alloc", CUTLASS, default=0
    )
    tmem_alloc_power_of_two: bool = limit(
        "bool",
        "Whether tcgen05.alloc takes powers of two only.",
        f"{PTX}, tcgen05.alloc",
        PTXAS,
        default=False,
    )

    # The device; published figures, not limits

    l2_bytes: int | None = limit("bytes", "L2 cache.", B200_DEVICE, H200_DEVICE, PRODUCT)
    dram_bytes: int | None = limit(
        "bytes", "Device memory as reported.", B200_DEVICE, H200_DEVICE, default=None
    )
    dram_bytes_per_s: int | None = limit(
        "bytes/s", "Device memory bandwidth as published.", PRODUCT
    )
    max_sm_clock_mhz: int | None = limit(
        "MHz", "Highest SM clock read.", B200_DEVICE, H200_DEVICE, default=None
    )
    dense_tflops: Mapping[str, float] = limit(
        "TFLOPS", "Peak rate by element type, without sparsity.", PRODUCT
    )
    basis: str = limit("text", "Where the published figures come from.", PRODUCT)

    def replace(self, **changes: Any) -> Target:
        """A target that differs in some values, as ``replace(sm_count=152)``.

        Raises TypeError for a name that is no limit.
        """
        return Target(**{**self.__dict__, **changes})

    def rows(self) -> Iterator[Row]:
        """Every limit in the order declared, with its value here."""
        for name, declared in self.limits.items():
            value = getattr(self, name)
            yield Row(name, value, declared.unit, declared.doc, declared.source)
