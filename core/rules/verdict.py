"""What a derived kernel says of itself."""

from __future__ import annotations

from collections.abc import Iterator

from kcfg.core.figures import joined, size
from kcfg.core.kernel import Kernel
from kcfg.core.launch.launch import Launch, Unplaced
from kcfg.core.once import once
from kcfg.core.rules import Breach, rule

OWN = "the kernel's own source, as named by each quantity"


@rule("CFG001", "error", reads="kernel", blames="supported", source=OWN)
def unsupported(launch: Launch, kernel: Kernel) -> Iterator[Breach]:
    """Whether upstream takes the configuration.

    Every condition of the kernel's own verdict that does not hold, with the numbers on
    both sides. Such a configuration does not compile, or is refused before it is launched.

    Fails: {kernel: index_prefill, shape: {dtype: fp8_e4m3, ks_dtype: f32, depth: 128,
    BM_key: 128, mma_n: 256, num_heads: 64}}

    Passes: {kernel: index_prefill, shape: {dtype: fp8_e4m3, ks_dtype: f32, depth: 128,
    BM_key: 128, mma_n: 128, num_heads: 64}}
    """
    if not _refused(kernel):
        return
    from kcfg.core.explain.verdict import failures

    for failure in failures(kernel):
        sides = ", ".join(f"{side.text} is {_shown(side.value)}" for side in failure.sides)
        reads = ", ".join(f"{side.text} = {_shown(side.value)}" for side in failure.reads)
        where = sides or reads
        because = f" where {' and '.join(failure.premises)}" if failure.premises else ""
        rests = f"; it rests on {joined(failure.inputs)}" if failure.inputs else ""
        value = failure.sides[0].value if failure.sides else None
        limit = failure.sides[1].value if len(failure.sides) > 1 else None
        yield Breach(
            f"unsupported: {failure.name.replace('_', ' ')} fails, {failure.condition}{because}"
            + (f": {where}" if where else "")
            + rests,
            path=failure.reads[0].text if failure.reads else failure.path[-1],
            value=value,
            limit=limit,
        )


def _shown(value: object) -> str:
    return f"{value:,}" if isinstance(value, int) and not isinstance(value, bool) else str(value)


@rule("CFG002", "error", reads="kernel unplaced", blames="supported", source=OWN)
def cannot_be_placed(
    launch: Launch, kernel: Kernel, unplaced: tuple[Unplaced, ...]
) -> Iterator[Breach]:
    """Whether what a kernel derives can be laid out in memory at all.

    Shapes far outside the supported ones derive negative sizes and counts, exactly as the
    real code does; such a layout has no picture. Where upstream takes one all the same, it
    is a warning.

    Fails: {kernel: index_prefill, shape: {dtype: fp8_e4m3, ks_dtype: f32, depth: 1024,
    BM_key: 128, mma_n: 256, num_heads: 64}}

    Passes: {kernel: index_prefill, shape: {dtype: fp8_e4m3, ks_dtype: f32, depth: 128,
    BM_key: 128, mma_n: 128, num_heads: 64}}
    """
    for each in unplaced:
        memory = "tensor memory" if each.path.startswith("tmem") else "shared memory"
        yield Breach(
            f"{memory} cannot be laid out: {each.reason}",
            path=each.path,
            value=each.used,
            severity="warning" if _accepted(kernel) else None,
        )


@rule("CFG003", "warning", reads="kernel stored", blames="shared.dynamic", unit="bytes", source=OWN)
def storage_over_limit(launch: Launch, kernel: Kernel, stored: int) -> Iterator[Breach]:
    """Whether the storage upstream lays out fits what a block may have.

    Some structs budget shared memory by one sum and lay it out by another, which no verdict
    looks at. Where the layout passes the limit, the configuration that counts as supported
    is not the one that is stored.

    Fails: {kernel: mla_prefill, release: 26.7, shape: {qkv_dtype: fp8, rope_gmem_dtype: bf16,
    rope_mma_dtype: bf16, scale_dtype: f32, num_q_heads: 128, group: 1, depth: 192,
    page_size: 128, num_q: 1}}

    Passes: {kernel: mla_prefill, release: 26.7, shape: {qkv_dtype: fp8, rope_gmem_dtype: bf16,
    rope_mma_dtype: bf16, num_q_heads: 128, group: 1, depth: 192, page_size: 128, num_q: 1}}
    """
    most = launch.target.smem_optin_per_block
    if stored > most >= (launch.dynamic_bytes or 0) and not _refused(kernel):
        yield Breach(
            f"the layout takes {size(stored)}, {size(stored - most)} over the {size(most)} of a"
            f" block, though the verdict counts {size(launch.dynamic_bytes or 0)}",
            value=stored,
            limit=most,
            over=stored - most,
        )


def _accepted(kernel: Kernel) -> bool:
    """Whether upstream has a verdict, and it is yes."""
    return "supported" in kernel.quantities and bool(kernel.read("supported"))


def _refused(kernel: Kernel) -> bool:
    """Whether upstream has a verdict, and it is no."""
    return "supported" in kernel.quantities and not kernel.read("supported")


@rule("CFG004", "info", reads="kernel", blames="supported", unit="elements", source=OWN)
def padded_depth(launch: Launch, kernel: Kernel) -> Iterator[Breach]:
    """Whether a depth is padded to whole swizzle rows.

    Tiles are stored as rows of the swizzle's width. A depth that is no multiple of them
    takes the shared memory, the copies and the arithmetic of the next one that is.

    Fails: {kernel: fa4, release: 26.7, shape: {qkv_dtype: bf16, num_q_heads: 32, group: 4,
    qk_depth: 72, ov_depth: 72, swizzle_mode: 128B, page_size: 0, is_mla: false}}

    Passes: {kernel: fa4, release: 26.7, shape: {qkv_dtype: bf16, num_q_heads: 32, group: 4,
    qk_depth: 128, ov_depth: 128, swizzle_mode: 128B, page_size: 0, is_mla: false}}
    """
    for plain, padded in _padded(type(kernel)):
        given, taken = kernel.read(plain), kernel.read(padded)
        if 0 < given < taken:
            yield Breach(
                f"{plain} {given} is padded to {taken} elements, and costs what {taken} costs",
                path=padded,
                value=given,
                limit=taken,
            )


@once
def _padded(kernel: type[Kernel]) -> tuple[tuple[str, str], ...]:
    """The depths of a kernel that it also has padded, by key."""
    keys = {member.key for member in kernel.own.values()}
    found = ((key.removeprefix("padded_"), key) for key in keys if key.startswith("padded_"))
    return tuple(sorted(pair for pair in found if pair[0] in keys))
