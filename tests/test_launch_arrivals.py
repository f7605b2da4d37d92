"""What mbarriers wait for, worked out from who arrives at them."""

from __future__ import annotations

import pytest
from launched import ROLES, launch, of

RING = (
    f"{ROLES}, pipelines: [{{name: ab, stages: 4, tma: true, producers: [load],"
    " consumers: [{role: mma, by: warp}, {role: softmax, by: thread}]}],"
    " shared: {regions: [{name: ab_full, ring: ab, mbarriers: true},"
    " {name: ab_empty, ring: ab, mbarriers: true}, {name: other, mbarriers: 1}]}"
)


def test_a_ring_waits_for_those_who_fill_and_empty_it() -> None:
    kernel = launch(RING).derive()
    (line,) = kernel.block.pipelines
    assert (line.full_arrivals, line.empty_arrivals) == (1, 3 + 8 * 32)
    groups = {each.name: each.arrivals for each in kernel.block.mbarriers}
    assert groups == {"ab_full": 1, "ab_empty": 259, "other": None}
    said = RING.replace("tma: true,", "tma: true, empty_arrivals: 5,")
    assert launch(said).derive().block.pipelines[0].empty_arrivals == 5
    assert of("MBAR002", said) and not of("MBAR002", RING)


GROUP = "mbarriers: [{name: done, count: 1, arrive: [{role: softmax, by: warp}, load]}]"


@pytest.mark.parametrize(
    ("shape", "arrivals"),
    [
        (f"{GROUP}, {ROLES}", 8 + 32),
        (f"{GROUP}, {ROLES}, cluster: [1, 1]", 40),
        # Others may arrive too.
        (f"{GROUP}, {ROLES}, cluster: [2]", None),
        (f"{GROUP}, {ROLES}, mma: [{{cta_group: 2}}]", None),
        # Nobody knows how many warps are meant.
        (GROUP, None),
        (f"{GROUP}, registers: {{roles: [{{name: softmax, warps: 8}}, {{name: load}}]}}", None),
    ],
)
def test_a_group_waits_for_those_of_the_own_block(shape: str, arrivals: int | None) -> None:
    assert launch(shape).derive().block.mbarriers[0].arrivals == arrivals
