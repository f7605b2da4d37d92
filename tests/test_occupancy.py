"""Occupancy: known rows of header, runtime and compiler; cliffs against brute force."""

from __future__ import annotations

import json
import random
from pathlib import Path
from typing import Any

import pytest

from kcfg.core.block.block import Block as SmBlock
from kcfg.core.explain.residency import courses, nearby, residency
from kcfg.core.hardware.occupancy import Block, cliffs, drops_minimum, occupancy, register_cap
from kcfg.core.rules.occupancy import resident as sharing
from kcfg.core.spec import Spec, read
from kcfg.core.targets import find, names

B200 = find("b200")
LIMITS = ("warps", "registers", "shared_memory", "blocks", "barriers")


def rows(name: str) -> list[dict[str, Any]]:
    """The rows of a data file: its first line names the columns."""
    path = Path(__file__).parent / "golden" / f"{name}.jsonl"
    columns, *lines = map(json.loads, path.read_text(encoding="utf-8").splitlines())
    return [dict(zip(columns, line, strict=True)) for line in lines]


def launch(row: dict[str, Any]) -> dict[str, Any]:
    """A row's inputs as `occupancy` takes them; opting in means as far as the device allows."""
    static = row["static_smem"]
    without = None if row.get("optin") else max(0, B200.smem_default_per_block - static)
    carveout = row.get("carveout", -1)
    return {
        "threads": row["threads"],
        "registers": row["regs"],
        "static_smem": static,
        "dynamic_smem": row.get("dyn_smem", 0),
        "max_dynamic_smem": row.get("max_dyn_smem", without),
        "barriers": row["barriers"],
        "carveout": None if carveout < 0 else carveout,
    }


def blocks(block: Block, target: str = "b200") -> int:
    return occupancy(find(target), **block._asdict()).blocks


def test_rows_of_the_occupancy_header() -> None:
    known = rows("occupancy")
    for row in known:
        found = occupancy(find(row["target"]), **launch(row))
        limits = [row[f"limit_{name}"] for name in ("warps", "regs", "smem", "blocks", "barriers")]
        assert found.limits == dict(zip(LIMITS, limits, strict=True)), row
        assert found.blocks == row["blocks"], row
        assert found.warps == row["warps"], row
        assert list(found.limiters) == row["limiters"], row
        assert found.registers_per_block == row["alloc_regs_per_block"], row
        assert found.smem_per_block == row["alloc_smem_per_block"], row
    bound = {name for row in known if row["blocks"] for name in row["limiters"]}
    assert bound == set(LIMITS)
    assert {row["target"] for row in known} == {"b200", "b300", "h200", "rtx_pro_6000", "thor"}


def test_rows_of_the_runtime_on_an_h200() -> None:
    known = rows("occupancy_h200_runtime")
    for row in known:
        assert occupancy(find("h200"), **launch(row)).blocks == row["blocks"], row
    assert {0, 1, 2, 32} <= {row["blocks"] for row in known}


def test_a_block_with_no_room_is_refused_at_launch_and_no_other() -> None:
    known = rows("launch_h200")
    for row in known:
        found = occupancy(find("h200"), **launch(row))
        assert (found.blocks > 0) == (row["launch"] == "cudaSuccess"), row
        too_wide = row["launch"] == "cudaErrorInvalidValue"
        assert (found.limits["warps"] == 0) == too_wide, row
    assert len({row["launch"] for row in known}) == 3


def test_rows_of_the_compilers_register_cap() -> None:
    known = rows("ptxas_regcap")
    assert len(known) == 157
    for row in known:
        cap = register_cap(B200, row["max_threads"], row["min_blocks"] or 1)
        assert cap == row["regs_used_under_pressure"], row


@pytest.mark.parametrize(
    ("threads", "min_blocks", "seen"),
    [
        (1024, 3, 64),
        (768, 4, 80),
        (640, 4, 96),
        (256, 9, 255),
        (32, 33, 255),
        (65, 22, 255),
        (129, 13, 255),
        (1056, 2, 56),
    ],
)
def test_a_minimum_beyond_the_sm_is_dropped(threads: int, min_blocks: int, seen: int) -> None:
    """Seen with ptxas 13.0, which warns that it ignores the minimum."""
    assert drops_minimum(B200, threads, min_blocks)
    assert register_cap(B200, threads, min_blocks) == seen


@pytest.mark.parametrize(("threads", "min_blocks"), [(33, 32), (32, 32), (512, 4), (2048, 1)])
def test_a_minimum_that_the_sm_holds_is_kept(threads: int, min_blocks: int) -> None:
    """Seen with ptxas 13.0: no warning, and 32 registers except for the narrowest blocks."""
    assert not drops_minimum(B200, threads, min_blocks)
    assert register_cap(B200, threads, min_blocks) == (64 if threads == 32 else 32)


def test_a_block_must_fit_with_its_warps_rounded_up() -> None:
    full = occupancy(B200, threads=800, registers=80)
    assert full.registers_per_block == 64000 < B200.registers_per_sm
    assert (full.blocks, full.limiters) == (0, ("registers",))
    assert register_cap(B200, 800) == 72


@pytest.mark.parametrize(("wanted", "most"), [(2, 115712), (3, 76800), (4, 57344)])
def test_the_reserve_counts_in_every_block(wanted: int, most: int) -> None:
    fitting = occupancy(B200, threads=128, registers=32, dynamic_smem=most)
    assert fitting.blocks == wanted
    assert fitting.limiters == ("shared_memory",)
    assert cliffs(B200, fitting.block).smem_more == 1


@pytest.mark.parametrize(
    ("dynamic", "most", "resident"),
    [(49152, 49152, 4), (49153, 49152, 0), (232448, None, 1), (232449, None, 0), (1, 0, 0)],
)
def test_the_dynamic_maximum(dynamic: int, most: int | None, resident: int) -> None:
    found = occupancy(B200, threads=32, registers=32, dynamic_smem=dynamic, max_dynamic_smem=most)
    assert found.blocks == resident


def test_static_memory_alone_needs_no_opting_in() -> None:
    """Kernels compiled with 96 and 227 KB of static memory run as they are."""
    for static, resident in ((98304, 2), (232448, 1), (232449, 0)):
        block = Block(32, 32, static_smem=static, max_dynamic_smem=0)
        assert blocks(block) == resident


def test_percent_counts_warps() -> None:
    assert occupancy(B200, threads=384, registers=168).percent == 18.75
    assert occupancy(find("thor"), threads=384, registers=168).percent == 25.0


@pytest.mark.parametrize(
    "wrong",
    [
        {"threads": 0},
        {"registers": -1},
        {"dynamic_smem": -1},
        {"static_smem": -4},
        {"max_dynamic_smem": -1},
        {"barriers": -1},
        {"carveout": 101},
        {"carveout": -1},
        {"carveout_bytes": -1},
    ],
)
def test_numbers_out_of_range_are_refused(wrong: dict[str, int]) -> None:
    block = Block(threads=32, registers=32)._replace(**wrong)
    for refuse in (lambda: occupancy(B200, **block._asdict()), lambda: cliffs(B200, block)):
        with pytest.raises(ValueError, match=next(iter(wrong))):
            refuse()


@pytest.mark.parametrize(("threads", "min_blocks"), [(0, 1), (32, 0)])
def test_launch_bounds_out_of_range_are_refused(threads: int, min_blocks: int) -> None:
    with pytest.raises(ValueError, match="at least 1"):
        register_cap(B200, threads, min_blocks)


def distances(block: Block) -> list[int | None]:
    """Shared memory that must go for one block more, and that costs one; registers likewise."""
    found = cliffs(B200, block)
    return [found.smem_fewer, found.smem_more, found.registers_fewer, found.registers_more]


def test_cliffs_of_known_blocks() -> None:
    wide = occupancy(B200, threads=384, registers=168, dynamic_smem=100000)
    assert distances(wide.block) == [None, 132449, 88, 1]
    deep = occupancy(B200, threads=128, registers=64, dynamic_smem=131072)
    assert distances(deep.block) == [131072 - 115712, 101377, None, None]
    # Five blocks of 45,568 bytes, the reserve included 46,592 each; without a dynamic part.
    static = occupancy(B200, threads=128, registers=64, static_smem=49152)
    assert cliffs(B200, static.block).smem_fewer == 49152 - 45568


def draw(seed: int) -> tuple[str, Block]:
    """A block near the limits, for the brute-force comparison."""
    pick = random.Random(seed)
    static = pick.choice((0, 0, pick.randrange(0, 50000)))
    block = Block(
        threads=pick.choice((32, 96, 128, 256, 384, 800, 1024, pick.randrange(1, 1100))),
        registers=pick.choice((0, 24, 32, 64, 128, 168, 255, 256, 257)),
        static_smem=static,
        dynamic_smem=pick.choice((0, 1024, 49152, 115712, 115713, pick.randrange(0, 240000))),
        max_dynamic_smem=pick.choice((None, None, max(0, 49152 - static))),
        barriers=pick.choice((0, 1, 5, 16)),
        carveout=pick.choice((None, None, 0, 25, 50, 100)),
    )
    return pick.choice(names()), block


def first(found: list[int]) -> int | None:
    return found[0] if found else None


@pytest.mark.parametrize("seed", range(40))
def test_cliffs_of_registers_are_those_of_trying_every_count(seed: int) -> None:
    name, block = draw(seed)
    now, here, most = blocks(block, name), block.registers, find(name).max_registers_per_thread
    tried = {n: blocks(block._replace(registers=n), name) for n in range(max(here, most) + 1)}
    less = [here - n for n in reversed(tried) if n < here and tried[n] > now]
    more = [n - here for n in tried if here < n <= most and tried[n] < now]
    found = cliffs(find(name), block)
    assert (found.registers_fewer, found.registers_more) == (first(less), first(more))


@pytest.mark.parametrize("seed", range(40))
def test_cliffs_of_shared_memory_are_those_of_trying_every_size(seed: int) -> None:
    """Sizes that matter are one granule apart: each granule's last byte and first are tried."""
    name, block = draw(seed)
    target = find(name)
    now, size = blocks(block, name), block.static_smem + block.dynamic_smem

    def sized(total: int) -> int:
        static = min(block.static_smem, total)
        return blocks(block._replace(static_smem=static, dynamic_smem=total - static), name)

    granule = target.smem_alloc_granularity
    edges = {n + d for n in range(0, target.smem_per_sm + 1, granule) for d in (0, 1)}
    if block.max_dynamic_smem is not None:
        edges |= {block.static_smem + block.max_dynamic_smem + d for d in (0, 1)}
    edges |= {block.static_smem, block.static_smem + 1}
    tried = {total: sized(total) for total in sorted(edges)}
    less = [size - total for total in reversed(tried) if total < size and tried[total] > now]
    more = [total - size for total in tried if total > size and tried[total] < now]
    found = cliffs(target, block)
    assert (found.smem_fewer, found.smem_more) == (first(less), first(more))


@pytest.mark.parametrize(
    ("shape", "said"),
    [
        (
            "threads: 256, registers: {entry: 88}, shared: {static: 0, dynamic: 20000}",
            "2 blocks per SM: more with at most 80 registers and 192 threads; fewer from"
            " 115,713 B (113.0 KiB) of shared memory, 129 registers and 321 threads",
        ),
        ("threads: 64", "32 blocks per SM: fewer from 65 threads"),
        ("threads: 1024, shared: {dynamic: 300000}", ""),
    ],
)
def test_what_is_nearby_is_true_of_the_occupancy(shape: str, said: str) -> None:
    """Each figure is where the number of blocks changes, by the rule that counts them."""
    (spec,) = read(f"kernel: launch\nshape: {{{shape}}}\n", "a.yaml")
    assert isinstance(spec, Spec)
    block = spec.derive().block
    assert nearby(block) == said
    if block.registers is None:
        return
    blocks = sharing(block, 256).blocks
    for threads, change in ((192, 1), (224, 0), (320, 0), (321, -1)):
        assert (sharing(block, threads).blocks > blocks) - (
            sharing(block, threads).blocks < blocks
        ) == change


LAUNCHES = [
    "threads: 256, registers: {entry: 88}, shared: {static: 0, dynamic: 20000}",
    "threads: 384, registers: {entry: 168}, shared: {static: 700, dynamic: 60000}",
    "threads: 100, registers: {entry: 40}, shared: {dynamic: 3000, carveout: 100}",
    "threads: 512, registers: {entry: 255}, shared: {dynamic: 1}",
    "threads: 1024, registers: {entry: 32}, shared: {static: 16000, dynamic: 1, opt_in: false}",
]
SET = {
    "threads": "threads: {}",
    "registers": "registers: {{entry: {}}}",
    "shared memory": "shared: {{static: 0, dynamic: {}}}",
}


def launched(shape: str) -> SmBlock:
    (spec,) = read(f"kernel: launch\nshape: {{{shape}}}\n", "a.yaml")
    assert isinstance(spec, Spec)
    return spec.derive().block


@pytest.mark.parametrize("shape", LAUNCHES)
def test_the_course_of_occupancy_changes_where_the_limits_say(shape: str) -> None:
    """Walked along, it has as many blocks as here until the nearest amounts."""
    block = launched(shape)
    here = residency(block)
    assert here is not None
    drawn = list(courses(block))
    assert [each.limit.name for each in drawn] == ["shared memory", "registers", "threads"]
    for course in drawn:
        limit, given = course.limit, course.limit.given
        assert given is not None and limit in here.limits
        starts = [start for start, *_ in course.points]
        at = max(index for index, start in enumerate(starts) if start <= given)
        assert course.points[at][1:] == (here.blocks, here.warps)
        fewer = [start for start, count, _ in course.points[at:] if count < here.blocks]
        within = limit.fewer is not None and limit.fewer <= course.most
        assert first(fewer) == (limit.fewer if within else None)
        behind = [
            start - 1
            for start, (_, count, _) in zip(starts[1:], course.points, strict=False)
            if start <= given and count > here.blocks
        ]
        assert (behind[-1] if behind else None) == limit.more


@pytest.mark.parametrize("name", SET)
def test_every_point_of_a_course_is_what_a_launch_with_that_amount_has(name: str) -> None:
    keys = {"threads": 256, "registers": 88, "shared memory": 20000}
    block = launched(", ".join(SET[key].format(count) for key, count in keys.items()))
    (course,) = [each for each in courses(block) if each.limit.name == name]
    for start, count, warps in course.points:
        other = launched(", ".join(SET[key].format(n) for key, n in (keys | {name: start}).items()))
        found = sharing(other, other.block_threads or 0)
        assert (found.blocks, found.warps) == (count, warps), start
        if start > 1:
            less = keys | {name: start - 1}
            other = launched(", ".join(SET[key].format(n) for key, n in less.items()))
            found = sharing(other, other.block_threads or 0)
            assert (found.blocks, found.warps) != (count, warps), start


def test_what_is_not_given_has_no_course_and_no_amounts() -> None:
    block = launched("threads: 256")
    assert [each.limit.name for each in courses(block)] == ["threads"]
    found = residency(block)
    assert found is not None
    assert [(each.name, each.given, each.more, each.fewer) for each in found.limits[:2]] == [
        ("shared memory", None, None, None),
        ("registers", None, None, None),
    ]
    assert residency(launched("registers: {entry: 64}")) is None
