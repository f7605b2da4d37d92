"""Figures of a launch that agree are not told of, and those that may not are only warned of."""

from __future__ import annotations

import defined
import pytest
from launched import ROLES, TMA, launch, of
from typer.testing import CliRunner

from kcfg.cli.main import application
from kcfg.core import report
from kcfg.core.findings import findings

FINE = [
    # An epilogue in the bytes of the mainloop's stages, by its regions and by its own word.
    "shared: {dynamic: 196608, base_align: 128, regions: [{name: AB, bytes: 196608, stages: 4,"
    " tma: true}, {name: C, bytes: 65536, alias_of: AB}]}, pipelines: [{name: AB, stages: 4,"
    " stage_bytes: 49152}, {name: C, stages: 2, stage_bytes: 32768}]",
    "shared: {dynamic: 196608}, pipelines: [{name: AB, stages: 4, stage_bytes: 49152},"
    " {stages: 2, stage_bytes: 32768, alias_of: AB}]",
    # Several copies into a stage, some of them by one map.
    f"pipelines: [{{stages: 4, stage_bytes: 32768, maps: [k, k, q], expect_tx: 32768}}], {TMA}",
    # Each of four CTAs brings a quarter of A to all, and its own B.
    "cluster: [4], pipelines: [{stages: 4, stage_bytes: 49152, boxes: [4096, 32768],"
    " expect_tx: 49152}]",
    # The first CTA of a pair counts the bytes of both.
    "cluster: [2], mma: [{cta_group: 2}], pipelines: [{stages: 4, stage_bytes: 24576,"
    " boxes: [8192, 16384], expect_tx: 49152}]",
    "mma: [{cta_group: 2}], pipelines: [{stages: 4, stage_bytes: 24576, boxes: [24576, 24576],"
    " expect_tx: 49152}]",
    # Every CTA of a cluster arrives.
    f"cluster: [2, 2], pipelines: [{{tma: true, empty_arrivals: 3,"
    f" consumers: [{{role: mma, by: commit}}]}}], {ROLES}",
    f"cluster: [2], mbarriers: [{{arrivals: 512, arrive: [softmax]}}], {ROLES}",
    # A pipeline of accumulators has no shared memory, one that stores has no mbarriers.
    "mbarriers: [8, 4], shared: {dynamic: 98304}, pipelines: [{stages: 4, stage_bytes: 16384,"
    " tma: true}, {name: accumulators, stages: 2}, {name: store, stages: 2, stage_bytes: 16384}]",
    # Regions that are only some of what is there.
    "shared: {dynamic: 213000, regions: [{name: q, bytes: 16384}]},"
    " pipelines: [{stages: 4, stage_bytes: 49152}]",
    # Roles of which not all is known.
    "registers: {roles: [{name: load, warps: 1}, {name: math}]},"
    " named_barriers: [{participants: 512}, {id: 1, participants: 128, roles: [math]}],"
    " mbarriers: [{arrivals: 96, arrive: [math]}]",
    # Without roles nobody is unknown.
    "named_barriers: [{id: 1, participants: 128, roles: [math]}],"
    " mbarriers: [{arrivals: 96, arrive: [math]}]",
    # Two roles of one name are meant together.
    "registers: {roles: [{name: math, warps: 4}, {name: math, warps: 4}]},"
    " named_barriers: [{id: 1, participants: 256, roles: [math]}],"
    " mbarriers: [{arrivals: 2, arrive: [{role: math, by: role}]}]",
    # An instruction goes over its accumulator in several steps.
    "mma: [{M: 128, N: 128, accumulators: S}], tmem: {accumulators: [{name: S, M: 128, N: 512}]}",
]


@pytest.mark.parametrize("shape", FINE, ids=lambda shape: shape[:70])
def test_what_agrees_is_not_told(shape: str) -> None:
    found = findings(launch(shape).derive())
    assert not [each for each in found if each.severity != "info"]


WARNED = [
    (
        "SMEM011",
        "shared: {regions: [{name: a, bytes: 64}, {bytes: 65, alias_of: a}]}",
        "takes 1 B beside them",
    ),
    ("PIPE008", f"pipelines: [{{name: x, boxes: [512]}}], {TMA}", "tensor maps bring 8,192 B"),
    ("PIPE009", "mbarriers: [4], pipelines: [{stages: 4, tma: true}]", "or say barriers_per_stage"),
    (
        "PIPE009",
        "mbarriers: [{name: kv, count: 3}], pipelines: [{name: kv, stages: 4}]",
        "kv has 4 stages, its group of mbarriers 3",
    ),
    (
        "PIPE009",
        "shared: {regions: [{bytes: 64, mbarriers: true}]}, pipelines: [{barrier_bytes: 72}]",
        "count 72 B for their mbarriers, and the regions that hold mbarriers have 64 B",
    ),
    (
        "TMEM009",
        "mma: [{M: 64, N: 64}], tmem: {accumulators: [{M: 128, N: 96}]}",
        "accumulator 0 has 128 rows, the MMA 64; use M 64",
    ),
    (
        "TMEM009",
        "mma: [{M: 128, N: 64, cta_group: 2}], tmem: {accumulators: [{M: 128, N: 64}]}",
        "counts as that of one CTA, 64 columns; the MMA has cta_group 2, and writes 32",
    ),
]


@pytest.mark.parametrize(("id", "shape", "says"), WARNED)
def test_what_may_disagree_is_warned_of(id: str, shape: str, says: str) -> None:
    assert says in " | ".join(each.message for each in of(id, shape, "warning"))
    assert not of(id, shape, "error")


@pytest.mark.parametrize(
    ("box", "bytes"),
    [
        ("box: [64, 7], dtype: bf16", 896),
        ("box: [64, 7], dtype: bf16, element_strides: [1, 2]", 512),
        ("box: [64, 7], dtype: bf16, element_strides: [2]", 896),
        ("box: [128, 8], dtype: 16U4_ALIGN8B", 512),
        ("box: [16, 2, 3], element_bytes: 4", 384),
    ],
)
def test_a_copy_brings_what_its_box_says(box: str, bytes: int) -> None:
    for size in (bytes - 16, bytes, bytes + 16):
        shape = f"tma: [{{name: k, {box}}}], pipelines: [{{boxes: [{size}], maps: [k]}}]"
        assert bool(of("PIPE008", shape)) == (size != bytes)


ENTRIES = (None, 0, 24, 168, 255, 256, 512)
COUNTS = ((232, 40), (232, 24), (40, 256), (236, 40))


@pytest.mark.parametrize("entry", ENTRIES)
@pytest.mark.parametrize("direction", [None, "inc", "dec"])
def test_a_definition_is_judged_as_the_launch_of_its_figures(
    entry: int | None, direction: str | None
) -> None:
    says = f", direction: {direction}" if direction else ""
    for first, second in COUNTS:
        at_entry = "" if entry is None else f"registers_at_entry: {entry}\n"
        defined_as = defined.derived(
            "defines: x\nneeds: tcgen05\nroles:\n"
            f"  a: {{warps: 0-3, registers: {first}{says}}}\n"
            f"  b: {{warps: 4-7, registers: {second}}}\n{at_entry}"
        )
        given = "" if entry is None else f"entry: {entry}, "
        launched = launch(
            f"threads: 256, unit: tcgen05, registers: {{{given}roles: ["
            f"{{name: a, warps: 4, count: {first}{says}}},"
            f" {{name: b, warps: 4, count: {second}}}]}}"
        ).derive()
        found, same = (
            {(each.rule, each.severity, each.value, each.limit) for each in findings(kernel)}
            for kernel in (defined_as, launched)
        )
        assert found == same
        assert found or entry == 168
        assert report.registers(defined_as.block) == report.registers(launched.block)


def test_a_plain_figure_of_a_definition_is_blamed_where_it_stands() -> None:
    text = "defines: x\nroles: {a: {warps: 0-3}}\nregisters_at_entry: 512\n"
    done = CliRunner().invoke(application(["validate"]), ["validate", "-"], input=text)
    assert "<stdin>:3:21: error REG001 registers.entry: 512" in done.stdout


RING = (
    "shared: {{dynamic: {dynamic}, regions: [{{name: a, bytes: {one}, stages: {n}}},"
    " {{name: b, bytes: {one}, stages: {n}}}, {{name: c, bytes: 32768}}, {{bytes: 164}}]}},"
    " pipelines: [{{name: ab, stages: {n}, stage_bytes: 32768, region: [a, b]{more}}}]"
)


@pytest.mark.parametrize("more", ["", ", fixed_bytes: 32932"])
@pytest.mark.parametrize(("stages", "says"), [(6, "the most that fit"), (5, "at most 6 would fit")])
def test_stages_that_fit_leave_room_for_the_other_regions(
    stages: int, says: str, more: str
) -> None:
    shape = RING.format(dynamic=229552, one=16384 * stages, n=stages, more=more)
    (found,) = of("PIPE002", shape, "info")
    assert says in found.message and found.limit == 6
    assert found.message.endswith("stage 7 needs 32,756 B (32.0 KiB) more")
    grown = RING.format(dynamic=229552 + 32756, one=16384 * 7, n=7, more=more)
    assert not [each for each in findings(launch(grown).derive()) if each.rule == "SMEM006"]
    less = RING.format(dynamic=229552 + 32755, one=16384 * 7, n=7, more=more)
    assert of("SMEM006", less)
