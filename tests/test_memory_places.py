"""Where things lie in the memories of a launch: slots, shared bytes, columns and lanes."""

from __future__ import annotations

from itertools import product
from pathlib import Path

import compare
import pytest
from hypothesis import given, strategies as st
from launched import launch, of, only

from kcfg.core.findings import findings
from kcfg.core.report import report


def regions(*each: str) -> str:
    return f"shared: {{regions: [{', '.join(f'{{{one}}}' for one in each)}]}}"


def ranges(*each: str) -> str:
    return f"tmem: {{regions: [{', '.join(f'{{{one}}}' for one in each)}]}}"


# Slots of a ring


@pytest.mark.parametrize(
    ("id", "use", "slot", "better"),
    [
        ("SMEM007", "tma: true", 8256, 8320),
        ("SMEM007", "bulk: true", 8264, 8272),
        ("SMEM007", "descriptor: true", 8200, 8208),
        ("SMEM007", "mbarriers: true", 12, 16),
        ("SMEM008", "swizzle: 128B", 8704, 9216),
        ("SMEM008", "swizzle: 64B", 8448, 8704),
        ("SMEM008", "swizzle: 32B", 8320, 8448),
    ],
)
def test_every_slot_is_where_its_use_needs_it(id: str, use: str, slot: int, better: int) -> None:
    (found,) = of(id, regions(f"bytes: {4 * slot}, stages: 4, {use}"))
    assert found.value == slot
    assert f"put them {better:,} B" in found.fix
    assert f"apart, {4 * better:,} B" in found.fix or better * 4 < 1024
    assert found.path == "shape.shared.regions[0].bytes"
    for fine in (
        f"bytes: {4 * better}, stages: 4, {use}",
        f"bytes: {4 * better}, stages: 4, stride: {better}, {use}",
        f"bytes: {4 * slot}, {use}",
        f"bytes: {4 * slot}, stages: 1, {use}",
    ):
        assert not of(id, regions(fine))
    (found,) = of(id, regions(f"bytes: {8 * slot}, stages: 4, stride: {slot}, {use}"))
    assert (found.value, found.path) == (slot, "shape.shared.regions[0].stride")


def test_slots_need_not_be_as_aligned_as_a_kernel_asks_of_their_start() -> None:
    assert not of("SMEM007", regions("bytes: 400, stages: 4, align: 1024"))


def test_base_offsets_are_for_slots_too() -> None:
    ring = "bytes: 8704, stages: 4, swizzle: 128B"
    assert of("SMEM008", regions(ring))
    assert not of("SMEM008", regions(f"{ring}, base_offset: true"))
    assert of("SMEM008", regions(f"{ring}, base_offset: true"), "warning")


@pytest.mark.parametrize(
    ("region", "severity", "says"),
    [
        ("bytes: 0", "warning", "region 0 has 0 B"),
        ("bytes: 64, stages: 0", "error", "made of 0 slots"),
        ("bytes: 64, stages: 4, stride: 0", "error", "0 B apart"),
        ("bytes: 64, stages: 4, stride: 24", "error", "slot 3 of region 0 starts at 72 B of it"),
        ("bytes: 66, stages: 4", "warning", "make no 4 equal slots; make it 64 B or 68 B"),
        ("bytes: 3, stages: 4", "warning", "make it 4 B"),
    ],
)
def test_a_region_is_made_of_its_slots(region: str, severity: str, says: str) -> None:
    assert says in " | ".join(each.message for each in of("SMEM010", regions(region), severity))


def test_unequal_slots_lie_no_known_bytes_apart() -> None:
    ring = regions("name: kv, bytes: 131072, stages: 3, tma: true, swizzle: 128B")
    shape = f"{ring}, pipelines: [{{name: kv, stages: 3, expect_tx: 49152}}]"
    assert [
        each.rule for each in findings(launch(shape).derive()) if each.severity == "error"
    ] == []


def test_a_report_and_a_picture_say_how_far_slots_are_apart() -> None:
    from kcfg.cli.pictures.scene import scene
    from kcfg.core.report import Derived

    kernel = launch(
        regions("name: a, bytes: 96, stages: 4", "name: b, bytes: 96, stages: 3, stride: 40")
    ).derive()
    derived = Derived(kernel, report(kernel))
    smem = derived.report["smem"]["regions"]
    assert [each["stride"] for each in smem] == [24, 40]
    spans = scene(derived).parts[0].bars[0].spans
    assert [(span.name, span.text, span.slots) for span in spans[:2]] == [
        ("a", "4 x 24 B", 4),
        ("b", "96 B", 1),
    ]


# Regions that share bytes


@pytest.mark.parametrize(
    ("places", "severity", "says"),
    [
        (
            ("name: full, bytes: 64, mbarriers: true", "name: c, bytes: 32, alias_of: full"),
            "error",
            "c writes over 32 B of the mbarriers of full",
        ),
        (
            (
                "name: a, bytes: 64",
                "name: full, bytes: 64, mbarriers: true",
                "name: c, bytes: 72, alias_of: a",
            ),
            "error",
            "c writes over 8 B of the mbarriers of full",
        ),
        (
            ("name: a, bytes: 64", "name: full, bytes: 16, mbarriers: true, alias_of: a"),
            "warning",
            "full has mbarriers in 16 B of a, which may be written as well",
        ),
        (
            ("name: a, bytes: 64", "name: c, offset: 64, bytes: 8, alias_of: a"),
            "error",
            "outside its 0 B to 64 B; start it at 0 B",
        ),
        (
            ("name: a, bytes: 64", "name: c, bytes: 65, alias_of: a"),
            "warning",
            "takes 1 B beside them; keep it within 0 B to 64 B",
        ),
    ],
)
def test_what_shares_bytes_lies_in_them(places: tuple[str, ...], severity: str, says: str) -> None:
    assert says in " | ".join(each.message for each in of("SMEM011", regions(*places), severity))


@pytest.mark.parametrize(
    "places",
    [
        ("name: a, bytes: 64", "name: c, bytes: 64, alias_of: a"),
        ("name: c, bytes: 64, alias_of: a", "name: a, bytes: 64"),
        ("name: all, bytes: 64, mbarriers: true", "name: full, bytes: 32, mbarriers: true,"
         " alias_of: all"),
        ("name: a, bytes: 64", "name: b, offset: 32, bytes: 32, alias_of: a", "name: c, offset: 48,"
         " bytes: 16, alias_of: b"),
    ],
)  # fmt: skip
def test_buffers_may_take_turns(places: tuple[str, ...]) -> None:
    assert not of("SMEM011", regions(*places))
    assert not of("SMEM011", regions(*places), "warning")
    assert not of("SMEM006", regions(*places))


def test_what_shares_bytes_starts_where_they_do_and_moves_nothing() -> None:
    shape = regions(
        "name: a, bytes: 4096",
        "name: c, bytes: 512, alias_of: b",
        "name: b, bytes: 1024",
        "name: d, bytes: 8, align: 16",
    )
    assert [start for start, _ in launch(shape).derive().block.placed] == [0, 4096, 4096, 5120]
    (found,) = of("SMEM006", f"shared: {{dynamic: 5127, {shape.removeprefix('shared: {')}")
    assert "5,128 B" in found.message


def test_pipelines_in_shared_bytes_count_once() -> None:
    stages = "{name: a, stages: 4, stage_bytes: 49152}"
    for epilogue in (
        f"pipelines: [{stages}, {{stages: 2, stage_bytes: 32768, alias_of: a}}]",
        f"{regions('name: a, bytes: 196608, stages: 4', 'name: c, bytes: 65536, alias_of: a')},"
        f" pipelines: [{stages}, {{name: c, stages: 2, stage_bytes: 32768}}]",
        f"{regions('name: a, bytes: 196608, stages: 4', 'name: c, bytes: 65536, alias_of: a')},"
        " pipelines: [{stages: 4, stage_bytes: 49152}, {stages: 2, stage_bytes: 32768}]",
    ):
        block = launch(epilogue).derive().block
        assert (block.pipeline_bytes, block.dynamic_bytes) == (196608, 196608)
        asked = epilogue.replace("shared: {", "shared: {dynamic: 196608, ", 1)
        if asked == epilogue:
            asked = f"shared: {{dynamic: 196608}}, {epilogue}"
        assert not [each for each in findings(launch(asked).derive()) if each.severity == "error"]
    apart = f"pipelines: [{stages}, {{stages: 2, stage_bytes: 32768}}]"
    assert launch(apart).derive().block.dynamic_bytes == 262144


def test_pipelines_that_share_bytes_name_one_that_there_is() -> None:
    (found,) = of("PIPE005", "pipelines: [{name: a}, {name: b, alias_of: c}]")
    assert "shares the bytes of c, which is no pipeline; name one of a" in found.message
    (found,) = of("PIPE005", f"{regions('name: a, bytes: 8')}, pipelines: [{{region: [b]}}]")
    assert "pipeline 0 lies in b, which is no region; name a" in found.message
    (found,) = of("PIPE008", "tma: [{name: k}, {name: q}], pipelines: [{maps: [kv]}]")
    assert "kv fills pipeline 0, and is no tensor map; name k or q" in found.message


# Ranges of tensor memory


@pytest.mark.parametrize(
    ("places", "severity", "says"),
    [
        (
            ("name: S, columns: 128", "name: O, column: 127, columns: 8"),
            "error",
            "O starts at column 127, and has 1 column of S; start it at column 128, or mark it"
            " alias_of: S",
        ),
        (
            ("name: S, columns: 64, lanes: 64", "name: O, column: 0, columns: 64, lane: 63"),
            "error",
            "64 columns of S",
        ),
        (("columns: 8, lane: 100, lanes: 29",), "error", "ends at lane 128, past the last, 127"),
        (("columns: 8, alias_of: S", "name: O, columns: 8"), "error", "of S, which is no range"),
        (
            ("name: S, columns: 8", "name: P, column: 8, columns: 8, alias_of: S"),
            "error",
            "lies in none of them; start it at column 0",
        ),
        (
            (
                "name: S, columns: 8, lanes: 64",
                "name: P, columns: 8, lane: 64, lanes: 64, alias_of: S",
            ),
            "error",
            "lies in none of them",
        ),
        (
            ("name: S, columns: 8", "name: P, column: 4, columns: 8, alias_of: S"),
            "warning",
            "takes 4 beside them; keep it within columns 0 to 7",
        ),
        (("columns: 0",), "warning", "has 0 columns"),
    ],
)
def test_ranges_of_tensor_memory(places: tuple[str, ...], severity: str, says: str) -> None:
    assert says in " | ".join(each.message for each in of("TMEM007", ranges(*places), severity))


def test_ranges_may_lie_side_by_side_and_take_turns() -> None:
    shape = ranges(
        "name: S, columns: 128, lanes: 64",
        "name: T, column: 0, columns: 128, lane: 64, lanes: 64",
        "name: P, columns: 64, lanes: 64, alias_of: S",
        "name: O, columns: 384",
    )
    assert not of("TMEM007", shape)
    assert not of("TMEM007", shape, "warning")
    tmem = report(launch(shape).derive())["tmem"]
    # A range without a column follows the one before it that takes its own.
    assert [(each["name"], each["column"]) for each in tmem["regions"]] == [
        ("S", 0),
        ("T", 0),
        ("P", 0),
        ("O", 128),
    ]
    assert tmem["used"] == 512


FILES = compare.files()


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_what_upstream_takes_lies_apart(path: Path) -> None:
    places = ("MBAR", "SMEM010", "SMEM011", "TMEM007")
    for row in compare.rows(path):
        kernel = only(compare.spec_text(row)).derive()
        if kernel.verdict:
            assert not [each for each in findings(kernel) if each.rule.startswith(places)]


def test_kernels_say_which_regions_hold_mbarriers() -> None:
    for path in FILES:
        block = only(compare.spec_text(next(compare.rows(path)))).derive().block
        held = sum(region.bytes or 0 for _, region in block.placed if region.mbarriers)
        counted = 8 * sum(group.count or 0 for group in block.mbarriers)
        assert held >= counted, path.stem
        assert held or not (block.placed and block.mbarriers), path.stem


# Accumulators that fill half the lanes


def columns(*accumulators: tuple[int, int], alias: dict[int, int] | None = None) -> int:
    """What accumulators of some rows and columns take; one may share those of an earlier one."""
    parts = []
    for index, (rows, width) in enumerate(accumulators):
        shared = f", alias_of: a{alias[index]}" if alias and index in alias else ""
        parts.append(f"{{name: a{index}, M: {rows}, N: {width}{shared}}}")
    tensor = launch(f"tmem: {{accumulators: [{', '.join(parts)}]}}").derive().block.tensor
    return tensor.used if tensor is not None else 0


@given(count=st.integers(1, 8), width=st.integers(1, 256))
def test_those_of_64_rows_lie_in_pairs(count: int, width: int) -> None:
    assert columns(*[(64, width)] * count) == -(-count // 2) * width


@given(st.lists(st.integers(1, 12).map(lambda n: 8 * n), min_size=1, max_size=8))
def test_those_of_different_widths_fill_both_halves_as_evenly_as_they_can(
    widths: list[int],
) -> None:
    halves = (
        sum(width for width, side in zip(widths, sides, strict=True) if side)
        for sides in product((0, 1), repeat=len(widths))
    )
    best = min(max(half, sum(widths) - half) for half in halves)
    assert columns(*[(64, width) for width in widths]) == best
    assert columns((128, 16), *[(64, width) for width in widths]) == 16 + best


@given(st.lists(st.integers(1, 32).map(lambda n: 8 * n), min_size=2, max_size=6))
def test_where_they_lie_is_what_they_take(widths: list[int]) -> None:
    parts = [f"{{M: {64 if n % 3 else 128}, N: {width}}}" for n, width in enumerate(widths)]
    shape = f"tmem: {{accumulators: [{', '.join(parts)}]}}"
    block = launch(shape).derive().block
    assert block.tensor is not None
    ends = [(each.column or 0) + (each.columns or 0) for each in block.tensor.regions]
    assert max(ends) == block.tensor.used
    apart = ranges(
        *(
            f"column: {each.column}, columns: {each.columns}, lane: {each.lane or 0},"
            f" lanes: {each.lanes or 128}"
            for each in block.tensor.regions
        )
    )
    assert not of("TMEM007", apart)


def test_of_those_that_share_columns_the_widest_counts_in_the_lanes_it_fills() -> None:
    assert columns((64, 128), (64, 256), alias={1: 0}) == 256
    assert columns((64, 128), (64, 64), (64, 128), alias={1: 0}) == 128
    # One of all lanes leaves no half to others, one of half the lanes does what it is wider.
    assert columns((64, 128), (128, 128), (64, 128), alias={1: 0}) == 256
    assert columns((64, 256), (128, 128), (64, 128), alias={1: 0}) == 256
    assert columns((128, 128), (64, 128), (64, 128), alias={1: 0}) == 256
