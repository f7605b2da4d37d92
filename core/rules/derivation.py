"""What a derived kernel says of itself."""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache
from math import isqrt
from operator import attrgetter
from typing import TYPE_CHECKING

from kcfg.core.block.block import Block
from kcfg.core.block.derived import quantity_of
from kcfg.core.block.placing import Unplaced
from kcfg.core.engine.quantity import Quantity
from kcfg.core.figures import joined, size, some
from kcfg.core.kernel import MUST, Kernel
from kcfg.core.once import once
from kcfg.core.rules import Breach, rule

if TYPE_CHECKING:
    from kcfg.core.explain.refusal import Failure

OWN = "the kernel's own source, as named by each quantity"

FEW = 4
"""Inputs that a message names one by one."""


@rule("CFG001", "error", reads="kernel", blames="supported", source=OWN)
def unsupported(block: Block, kernel: Kernel) -> Iterator[Breach]:
    """Whether upstream takes the configuration.

    Every condition of the kernel's own verdict that does not hold, with the numbers on
    both sides. Such a configuration does not compile, or is refused before it is launched.
    Where another kernel takes the same shape, that is said.

    Fails: {kernel: index_prefill, shape: {dtype: fp8_e4m3, ks_dtype: f32, depth: 128,
    BM_key: 128, mma_n: 256, num_heads: 64}}

    Passes: {kernel: index_prefill, shape: {dtype: fp8_e4m3, ks_dtype: f32, depth: 128,
    BM_key: 128, mma_n: 128, num_heads: 64}}
    """
    if kernel.verdict is not False and (MUST not in kernel.quantities or kernel.read(MUST)):
        return
    from kcfg.core.explain.elsewhere import elsewhere
    from kcfg.core.explain.refusal import failures

    others = [f"`kernel: {each.kernel}` {each.release}" for each in elsewhere(kernel)]
    takes = f"{joined(others)} {'takes' if len(others) == 1 else 'take'} it" if others else ""
    for number, failure in enumerate((*failures(kernel), *failures(kernel, MUST))):
        fails, rests = _said(failure.name, failure.condition, failure.premises, failure.inputs)
        sides = [f"{side.text} is {_shown(side.value)}" for side in failure.sides]
        reads = [f"{side.text} = {_shown(side.value)}" for side in failure.reads]
        numbers = ", ".join(sides or reads)
        values = [side.value for side in failure.sides]
        yield Breach(
            fails + (numbers and f": {numbers}") + _columns(kernel, failure) + rests,
            path=failure.reads[0].text if failure.reads else failure.path[-1],
            value=values[0] if values else None,
            limit=values[1] if len(values) > 1 else None,
            fix="" if number else takes,
        )


@lru_cache(1 << 10)
def _said(
    name: str, condition: str, premises: tuple[str, ...], inputs: tuple[str, ...]
) -> tuple[str, str]:
    """What stands before and behind the numbers of a failure: all that has none."""
    because = f" where {' and '.join(premises)}" if premises else ""
    rests = f"; it rests on {_resting(inputs)}" if inputs else ""
    return f"unsupported: {name.replace('_', ' ')} fails, {condition}{because}", rests


def _resting(inputs: tuple[str, ...]) -> str:
    """The inputs to change; where they are many, what tells which of them would help."""
    if len(inputs) <= FEW:
        return joined(inputs)
    return f"{len(inputs)} inputs, and `kcfg explain` says which of them to change"


def _columns(kernel: Kernel, failure: Failure) -> str:
    """What of tensor memory is taken and left, where a size that rests on it comes to nothing."""
    if not any(type(side.value) is int and side.value <= 0 for side in failure.sides):
        return ""
    prefix = f"{failure.at}." if failure.at else ""
    behind = _columns_behind(type(kernel), tuple(prefix + read.text for read in failure.reads))
    if not behind:
        return ""
    values = ((key, attrgetter(name)(kernel)) for key, name in behind)
    taken = ", ".join(f"{key} is {max(value, 0):,}" for key, value in values)
    return f"; of {kernel.target.tmem_columns} columns of tensor memory, {taken}"


@once
def _columns_behind(kernel: type[Kernel], names: tuple[str, ...]) -> tuple[tuple[str, str], ...]:
    """The quantities in columns of tensor memory that names rest on, by key, with their names.

    Those of configurations that are only weighed, and not shown, take no columns.
    """
    from kcfg.core.engine.graph import graph

    weighed = {name for name, part in kernel.parts.items() if not part.shown}
    seen = list(names)
    found = []
    for name in seen:
        for read in graph(kernel).reads_of(name):
            if read.name not in seen and read.name.partition(".")[0] not in weighed:
                seen.append(read.name)
                if isinstance(read.member, Quantity) and read.member.unit == "columns":
                    found.append((read.key, read.name))
    return tuple(found)


def _shown(value: object) -> str:
    return f"{value:,}" if isinstance(value, int) and not isinstance(value, bool) else str(value)


@rule("CFG002", "error", also=("warning",), reads="unplaced kernel", blames="supported", source=OWN)
def cannot_be_placed(
    block: Block, unplaced: tuple[tuple[str, int, Unplaced], ...], kernel: Kernel
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
    for path, used, why in unplaced:
        columns = why.unit == "columns"
        memory = "tensor memory" if columns else "shared memory"
        most = kernel.target.tmem_columns if columns else kernel.target.smem_optin_per_block
        yield Breach(
            f"{memory} cannot be laid out: {_reason(why, most)}",
            path=_part(path, why),
            value=max(used, 0),
            limit=most,
            fix=_inputs(type(kernel), path),
            severity="warning" if kernel.verdict else None,
        )


def _part(path: str, why: Unplaced) -> str:
    """The key of what cannot be placed; that of its memory where all its parts are too much."""
    if why.total is not None and not why.past:
        return path
    start, width = ("column", "columns") if why.unit == "columns" else ("offset", "bytes")
    if why.align is not None:
        start = "align"
    key = width if why.size < 0 or why.past else start
    return f"{path.partition('.')[0]}.regions[{why.name}].{key}"


def _reason(why: Unplaced, most: int) -> str:
    """Why there is no layout, without sizes and places below 0: nothing has those."""
    if why.inside or why.total is not None or why.align is not None:
        return str(why)
    if why.size < 0:
        all_of_it = _measured(most, why.unit)
        return f"no room is left for {why.name}; what else there is takes all of the {all_of_it}"
    need, before = _measured(why.size, why.unit), _measured(-why.start, why.unit)
    there = _measured(most, why.unit)
    return f"{why.name} takes {need}; all in all that is {before} more than the {there} there are"


def _measured(number: int, unit: str) -> str:
    return some(number, "column") if unit == "columns" else size(number)


@once
def _inputs(kernel: type[Kernel], path: str) -> str:
    """What to change: the inputs that the size of a memory follows from."""
    from kcfg.core.engine.graph import graph

    key = quantity_of(kernel, path)
    names = (name for name, each in kernel.quantities.items() if each.key == key)
    name = next(names, "")
    inputs = graph(kernel).rests_on(name) if name else ()
    keys = tuple(kernel.inputs[each].key for each in inputs)
    return f"it rests on {_resting(keys)}" if keys else ""


@rule("CFG003", "warning", reads="stored", blames="shared.dynamic", unit="bytes", source=OWN)
def storage_over_limit(block: Block, stored: int) -> Iterator[Breach]:
    """Whether the storage upstream lays out fits what a block may have.

    Some structs budget shared memory by one sum and lay it out by another, which no verdict
    looks at. Where the layout passes the limit, the configuration that counts as supported
    is not the one that is stored. A definition may allow itself less than the hardware does
    (`shared_limit`), and its layout is held to that.

    Fails: {kernel: mla_prefill, release: 26.7, shape: {qkv_dtype: fp8, rope_gmem_dtype: bf16,
    rope_mma_dtype: bf16, scale_dtype: f32, num_q_heads: 128, group: 1, depth: 192,
    page_size: 128, num_q: 1}}

    Passes: {kernel: mla_prefill, release: 26.7, shape: {qkv_dtype: fp8, rope_gmem_dtype: bf16,
    rope_mma_dtype: bf16, num_q_heads: 128, group: 1, depth: 192, page_size: 128, num_q: 1}}
    """
    most = block.target.smem_optin_per_block
    if block.kernel is None or block.kernel.verdict is False:
        return
    own = block.smem.limit if block.smem is not None else most
    if own < stored <= most:
        yield Breach(
            f"the layout takes {size(stored)}, {size(stored - own)} over the {size(own)} that it"
            " allows itself",
            path="shared_limit",
            value=stored,
            limit=own,
            over=stored - own,
        )
    elif stored > most >= (block.dynamic_bytes or 0):
        yield Breach(
            f"the layout takes {size(stored)}, {size(stored - most)} over the {size(most)} of a"
            f" block, though the verdict counts {size(block.dynamic_bytes or 0)}",
            value=stored,
            limit=most,
            over=stored - most,
        )


@rule("CFG005", "warning", reads="stored", blames="shared.dynamic", unit="bytes", source=OWN)
def storage_over_launch(block: Block, stored: int) -> Iterator[Breach]:
    """Whether the storage upstream lays out fits what it launches with.

    The same two sums as in CFG003. A block of which more is laid out than was asked for writes
    past the end of its shared memory, wherever upstream's own launch does not give it more.

    Fails: {kernel: fa4, release: 26.6, shape: {qkv_dtype: fp8, num_q_heads: 8, group: 16,
    qk_depth: 128, ov_depth: 128, page_size: 128, BM: 128, use_order_barriers: true}}

    Passes: {kernel: fa4, release: 26.6, shape: {qkv_dtype: fp8, num_q_heads: 8, group: 16,
    qk_depth: 128, ov_depth: 128, page_size: 128, BM: 128, use_order_barriers: false}}
    """
    launched, most = block.dynamic_bytes or 0, block.target.smem_optin_per_block
    if block.kernel is None or block.kernel.verdict is False:
        return
    if launched < stored <= most:
        yield Breach(
            f"the layout ends at {size(stored)}, {size(stored - launched)} past the"
            f" {size(launched)} it is launched with",
            value=stored,
            limit=launched,
            over=stored - launched,
        )


@rule("CFG004", "info", reads="kernel", blames="supported", unit="elements", source=OWN)
def padded_depth(block: Block, kernel: Kernel) -> Iterator[Breach]:
    """Whether a depth is padded to whole swizzle rows.

    Tiles are stored as rows of the swizzle's width. A depth that is no multiple of them
    takes the shared memory, the copies and the arithmetic of the next one that is.

    Fails: {kernel: fa4, release: 26.7, shape: {qkv_dtype: bf16, num_q_heads: 32, group: 4,
    qk_depth: 72, ov_depth: 72, swizzle_mode: 128B, page_size: 0, is_mla: false}}

    Passes: {kernel: fa4, release: 26.7, shape: {qkv_dtype: bf16, num_q_heads: 32, group: 4,
    qk_depth: 128, ov_depth: 128, swizzle_mode: 128B, page_size: 0, is_mla: false}}
    """
    for plain, padded in _padded(type(kernel)):
        given, taken = getattr(kernel, plain), getattr(kernel, padded)
        if 0 < given < taken:
            known = type(kernel).own
            yield Breach(
                f"{known[plain].key} {given} is padded to {taken} elements, and costs what {taken}"
                " costs",
                path=known[padded].key,
                value=given,
                limit=taken,
            )


@once
def _padded(kernel: type[Kernel]) -> tuple[tuple[str, str], ...]:
    """The depths of a kernel that it also has padded, by attribute."""
    depths = ((name, each) for name, each in kernel.own.items() if each.unit == "elements")
    names = {member.key: name for name, member in depths}
    found = ((key.removeprefix("padded_"), key) for key in names if key.startswith("padded_"))
    return tuple(sorted((names[key], names[padded]) for key, padded in found if key in names))


@rule("CFG006", "info", reads="kernel", blames="supported", source=OWN)
def something_else(block: Block, kernel: Kernel) -> Iterator[Breach]:
    """Whether upstream launches another kernel for the problem.

    Before a dispatcher selects, it may send some problems elsewhere. That was read in its
    source and not run; what is derived is the kernel it selects where it does select.

    Fails: {kernel: matmul, release: 26.7, shape: {ab_dtype: bf16, c_dtype: bf16, M: 1, N: 4096,
    K: 4096, select: true}}

    Passes: {kernel: matmul, release: 26.7, shape: {ab_dtype: bf16, c_dtype: bf16, M: 64, N: 4096,
    K: 4096, select: true}}
    """
    for key, said in kernel.instead():
        yield Breach(f"upstream launches something else here: {said}", path=key)


@rule("CFG007", "warning", reads="kernel", blames="group", unit="heads", source=OWN)
def whole_groups(block: Block, kernel: Kernel) -> Iterator[Breach]:
    """Whether the query heads make whole groups.

    Upstream divides the query heads by the group and drops the rest: it counts the KV heads of
    whole groups, none where a group has more heads than there are, and takes such a
    configuration all the same. The heads that are left over have no KV head of their own.

    Fails: {kernel: fa4, release: 26.6, shape: {qkv_dtype: bf16, num_q_heads: 32, group: 5,
    qk_depth: 128, ov_depth: 128, page_size: 128}}

    Passes: {kernel: fa4, release: 26.6, shape: {qkv_dtype: bf16, num_q_heads: 32, group: 4,
    qk_depth: 128, ov_depth: 128, page_size: 128}}
    """
    given = vars(kernel)
    heads, group = given.get("num_q_heads"), given.get("group")
    if not heads or not group or not heads % group:
        return
    known = [n for n in range(1, isqrt(heads) + 1) if heads % n == 0]
    divisors = sorted({*known, *(heads // n for n in known)})
    below = max(n for n in divisors if n < group)
    near = [below, *[n for n in divisors if n > group][:1]]
    yield Breach(
        f"{some(heads, 'query head')} are no whole groups of {group:,}: {heads % group:,} are left"
        f" over beside {some(heads // group, 'KV head')}",
        value=heads,
        limit=group,
        over=heads % group,
        fix=f"use a group of {joined([f'{n:,}' for n in near], 'or')}",
    )


@rule("CFG008", "info", reads="kernel", blames="supported", source=OWN)
def given_instead(block: Block, kernel: Kernel) -> Iterator[Breach]:
    """Whether the spec gives what the dispatcher would choose otherwise for the call.

    What a spec gives is derived; upstream launches it only if its caller asks for the same.

    Fails: {kernel: fa4, release: 26.7, shape: {qkv_dtype: bf16, num_q_heads: 32, group: 4,
    qk_depth: 128, ov_depth: 128, page_size: 0, BM: 128}, call: {batch_size: 1, max_prompt_len: 1,
    max_cache_valid_length: 8192}}

    Passes: {kernel: fa4, release: 26.7, shape: {qkv_dtype: bf16, num_q_heads: 32, group: 4,
    qk_depth: 128, ov_depth: 128, page_size: 0}, call: {batch_size: 1, max_prompt_len: 1,
    max_cache_valid_length: 8192}}
    """
    for key, said in kernel.remarks():
        yield Breach(f"{key} is {said}", path=key)


@rule("CFG009", "info", reads="kernel", blames="supported", source=OWN)
def never_run(block: Block, kernel: Kernel) -> Iterator[Breach]:
    """Whether a value rests on what was read in upstream's source and never run.

    All other values were compared with what upstream's own code gave. What was read comes from
    a public snapshot, which need not be the release's.

    Fails: {kernel: fa4, release: 26.7, shape: {qkv_dtype: bf16, num_q_heads: 32, group: 4,
    qk_depth: 128, ov_depth: 128, page_size: 128}, call: {batch_size: 1, max_prompt_len: 1,
    max_cache_valid_length: 8192}}

    Passes: {kernel: fa4, release: 26.7, shape: {qkv_dtype: bf16, num_q_heads: 32, group: 4,
    qk_depth: 128, ov_depth: 128, page_size: 0}, call: {batch_size: 1, max_prompt_len: 2048,
    max_cache_valid_length: 8192}}
    """
    for key, said in kernel.unexecuted():
        yield Breach(f"{key} rests on what was {said}", path=key)
