"""More said is never judged less: what is wrong with a launch stays wrong when more is known."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any, NamedTuple

from hypothesis import HealthCheck, example, given, settings, strategies as st
from hypothesis.strategies import DrawFn, SearchStrategy

from kcfg.core.findings import findings
from kcfg.core.spec import read

Shape = dict[str, Any]
Path = tuple[str | int, ...]

DECIDES = {
    "non_portable": "an attribute that the launch sets: without it a large cluster is refused",
    "opt_in": "an attribute that the launch sets: without it much shared memory is refused",
    "base_align": "a declaration: without it the array is aligned to 16",
    "base_offset": "what descriptors do: without it a shifted pattern is read wrongly",
    "alias_of": "what a buffer is for: without it two in one place overwrite each other",
    "blocks_per_sm": "what is wanted: without it one block is",
    "cluster": "how blocks are grouped: without it each is alone, and copies for itself",
    "cta_group": "which instruction it is: without it that of one CTA",
    "ws": "which instruction it is",
    "sparse": "which instruction it is",
    "unit": "which instructions there are: without it those of the target",
    "maxnreg": "an option of the compiler, which fixes the registers at entry",
    "launch_bounds": "a declaration to the compiler, which plans with it",
    "region": "where a pipeline lies: without it in the region of its own name",
    "maps": "what fills a pipeline: without it the map of its own name",
    "role": "who arrives",
    "mbarriers": "what a region holds",
    "by": "how often they arrive: without it every thread does",
    "tma": "who fills it: without it threads do",
    "interleave": "how a tensor is stored: without it plainly",
    "ring": "what a region's slots are: without it those it says itself",
    "dtype": "what a tensor is of",
    "kind": "which instruction it is",
}
"""Keys that decide what a kernel does, and do not describe it: without one it does otherwise."""

ASSUMED = {
    "offset": "after the region before",
    "bytes": "what follows lies behind it",
    "align": "moves a region that has no offset",
    "of": "no size follows, what follows lies behind it; and it moves a region that has no offset",
    "shape": "no size follows, and what follows lies behind it",
    "column": "after the range before",
    "columns": "what follows lies behind it",
    "first": "after the role before",
    "warps": "the next role lies behind it",
    "stride": "the region's size divided by its slots",
    "barriers_per_stage": "2",
    "M": "128 rows",
    "lane": "0",
    "lanes": "all",
    "name": "what refers to it would name nothing",
    "strides": "those of a packed tensor",
    "threads": "those of roles, warpgroups or launch bounds",
    "block": "the same",
    "entry": "what the compiler's caps leave",
    "count": "the registers a role was launched with",
}
"""Keys that stand for something else where they are left out, and what that is."""

GRAVER = {
    "REG004": "BLK001",
    "SMEM002": "SMEM001",
    "SMEM004": "SMEM001",
}
"""Rules that leave it to another where no launch at all is possible any more."""

BESIDE = {
    "PIPE005": ("shared", "dynamic"),
    "TMEM008": ("tmem", "allocations"),
}
"""What a layout must hold, unless a key says that there is more memory than is laid out."""

COMPARING = {
    *("BAR005", "BLK001", "BLK002", "BLK005", "BAR004", "MBAR002", "MMA008", "REG004", "REG006"),
    *("PIPE002", "PIPE004", "PIPE005", "PIPE006", "PIPE007", "PIPE008", "PIPE009"),
    *("PIPE010", "SMEM006", "SMEM011", "SMEM012", "SMEM013", "SMR006"),
    *("TMEM002", "TMEM007", "TMEM008", "TMEM009"),
}
"""Rules that hold two figures against each other, and say which disagree."""


def near(*limits: int) -> SearchStrategy[int]:
    """Numbers at limits, and just past them."""
    return st.sampled_from(sorted({max(n + d, 0) for n in limits for d in (-1, 0, 1)}))


NAMES = st.sampled_from(["a", "b", "c"])
ROLES = st.sampled_from(["load", "math", "idle"])
WHO = st.lists(
    st.one_of(
        ROLES,
        st.fixed_dictionaries(
            {"role": ROLES, "by": st.sampled_from(["thread", "warp", "role", "commit"])}
        ),
    ),
    min_size=1,
    max_size=2,
)
BYTES = near(0, 16, 1024, 8192, 49152, 196608, 232448)


def group(**keys: SearchStrategy[Any]) -> SearchStrategy[Shape]:
    """A mapping with some of its keys."""
    return st.fixed_dictionaries({}, optional=keys)


def several(**keys: SearchStrategy[Any]) -> SearchStrategy[list[Shape]]:
    return st.lists(group(**keys), min_size=1, max_size=3)


SHAPES = group(
    threads=near(32, 128, 384, 1024),
    block=st.lists(near(1, 64, 1024), min_size=1, max_size=3),
    grid=st.lists(near(1, 8, 65535), min_size=1, max_size=3),
    blocks_per_sm=st.integers(1, 3),
    cluster=st.lists(st.integers(1, 4), min_size=1, max_size=2),
    non_portable=st.booleans(),
    unit=st.sampled_from(["tcgen05", "wgmma"]),
    registers=group(
        entry=near(128, 168, 255),
        launch_bounds=st.tuples(near(128, 384), st.integers(1, 2)).map(list),
        maxnreg=near(24, 168, 255),
        warpgroups=st.lists(near(24, 40, 168, 232), min_size=1, max_size=4),
        roles=st.lists(
            st.fixed_dictionaries(
                {"name": ROLES, "warps": near(1, 4, 8)}, optional={"count": near(24, 40, 232)}
            ),
            min_size=1,
            max_size=3,
        ),
    ),
    shared=group(
        static=near(0, 1024, 49152),
        dynamic=BYTES,
        opt_in=st.booleans(),
        base_align=st.sampled_from([16, 128, 1024]),
        regions=several(
            name=NAMES,
            offset=near(0, 128, 1024, 65536),
            bytes=BYTES,
            of=st.sampled_from(["bf16", "fp8", "int32"]),
            shape=st.lists(near(1, 64, 128), min_size=1, max_size=2),
            ring=NAMES,
            align=st.sampled_from([8, 128, 1024]),
            stages=st.integers(0, 4),
            stride=near(16, 128, 8192),
            swizzle=st.sampled_from(["NONE", "128B"]),
            tma=st.booleans(),
            bulk=st.booleans(),
            descriptor=st.booleans(),
            mbarriers=st.one_of(st.booleans(), st.integers(0, 8)),
            base_offset=st.booleans(),
            alias_of=NAMES,
        ),
    ),
    pipelines=several(
        name=NAMES,
        stages=st.one_of(st.integers(0, 5), st.just("max")),
        stage_bytes=BYTES,
        fixed_bytes=BYTES,
        tma=st.booleans(),
        barriers_per_stage=st.integers(0, 3),
        barrier_bytes=near(16, 32, 64),
        expect_tx=near(0, 16384, 49152, (1 << 20) - 1),
        boxes=st.lists(near(0, 8192, 16384), min_size=1, max_size=3),
        maps=st.lists(NAMES, min_size=1, max_size=2),
        region=st.lists(NAMES, min_size=1, max_size=2),
        alias_of=NAMES,
        producers=WHO,
        full_arrivals=near(1, 32, 128, (1 << 20) - 1),
        consumers=WHO,
        empty_arrivals=near(1, 32, 128, (1 << 20) - 1),
    ),
    mbarriers=several(
        name=NAMES,
        count=near(1, 4, 8),
        arrivals=near(1, 4, 128),
        arrive=WHO,
        by=st.sampled_from(["thread", "warp", "role", "commit"]),
    ),
    named_barriers=several(
        id=near(0, 15), participants=near(32, 128, 384), roles=st.lists(ROLES, max_size=2)
    ),
    tmem=group(
        columns=near(0, 128, 512),
        allocations=several(columns=near(32, 64, 512), needs=near(32, 64, 512)),
        accumulators=several(
            name=NAMES,
            M=st.sampled_from([0, 64, 128, 256]),
            N=near(0, 64, 256),
            cta_group=st.integers(1, 2),
            ws=st.booleans(),
            sparse=st.booleans(),
            alias_of=NAMES,
        ),
        regions=several(
            name=NAMES,
            column=near(0, 128, 511),
            columns=near(0, 128, 512),
            lane=st.sampled_from([0, 64, 127]),
            lanes=st.sampled_from([1, 64, 128]),
            alias_of=NAMES,
        ),
    ),
    tma=several(
        name=NAMES,
        box=st.lists(near(0, 64, 256), min_size=1, max_size=2),
        dims=st.lists(near(1, 64, 1 << 32), min_size=1, max_size=2),
        strides=st.lists(near(16, 128), min_size=1, max_size=1),
        dtype=st.sampled_from(["bf16", "fp8"]),
        swizzle=st.sampled_from(["NONE", "128B"]),
        interleave=st.sampled_from(["NONE", "32B"]),
        address=near(0, 16, 128),
    ),
    bulk_copies=several(bytes=near(0, 16), source=near(0, 16), destination=near(0, 16)),
    mma=several(
        kind=st.sampled_from(["f16", "f8f6f4", "mxf4"]),
        cta_group=st.integers(1, 2),
        ws=st.booleans(),
        sparse=st.booleans(),
        M=st.sampled_from([0, 64, 128, 256]),
        N=near(0, 64, 256),
        K=near(0, 64),
        accumulators=st.lists(NAMES, min_size=1, max_size=2),
    ),
)


def leaves(shape: Any, at: Path = ()) -> Iterator[Path]:
    """The paths of all keys that describe, and of the groups that they stand in.

    A cta_group decides for the whole kernel: what has one stays.
    """
    if isinstance(shape, list):
        for index, each in enumerate(shape):
            yield from leaves(each, (*at, index))
    elif isinstance(shape, dict):
        for key, value in shape.items():
            yield from leaves(value, (*at, key))
            if key not in DECIDES and key not in ASSUMED and "'cta_group'" not in str(value):
                yield (*at, key)


def without(shape: Any, dropped: frozenset[Path], at: Path = ()) -> Any:
    """A shape without some of its keys."""
    if isinstance(shape, list):
        return [without(each, dropped, (*at, index)) for index, each in enumerate(shape)]
    if not isinstance(shape, dict):
        return shape
    kept = {key: value for key, value in shape.items() if (*at, key) not in dropped}
    return {key: without(value, dropped, (*at, key)) for key, value in kept.items()}


@st.composite
def launches(draw: DrawFn) -> tuple[Shape, Shape]:
    """A launch, and the same with less said of it."""
    fuller = draw(SHAPES)
    paths = sorted(set(leaves(fuller)), key=str)
    dropped = draw(st.sets(st.sampled_from(paths))) if paths else set()
    return fuller, without(fuller, frozenset(dropped))


class Error(NamedTuple):
    """An error: its rule, the key at the root of what it blames, and what it says."""

    rule: str
    root: str
    message: str


def errors(shape: Shape) -> set[Error] | None:
    """The errors of a launch; None where no figure stands for its ``max``, and it is refused."""
    (spec,) = read(json.dumps({"kernel": "launch", "shape": shape}), "test.yaml")
    if isinstance(spec, list):
        assert all(each.path.endswith("].stages") for each in spec), spec
        return None
    found = (each for each in findings(spec.derive()) if each.severity == "error")
    return {
        Error(each.rule, each.path.split(".")[1].partition("[")[0], each.message) for each in found
    }


def lost(fuller: Shape, smaller: Shape) -> set[Error]:
    """Errors of a launch that are gone where more is said of it, and nothing says why.

    Their rule still finds something, maybe at another key; or they are left to a graver rule; or
    what they rest on is contradicted: what is said more disagrees with it, and that is reported.
    """
    before, after = errors(smaller), errors(fuller)
    if before is None or after is None:
        return set()
    said = {each.rule for each in after}
    contradicted = {each.root for each in after - before if each.rule in COMPARING}
    gone = set()
    for error in before:
        group, key = BESIDE.get(error.rule, ("", ""))
        beside = key in fuller.get(group, {})
        still = bool(said & {error.rule, GRAVER.get(error.rule)})
        if not still and not beside and error.root not in contradicted:
            gone.add(error)
    return gone


@settings(
    max_examples=200,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large],
    deadline=None,
)
@given(launches())
@example(
    (
        {
            "shared": {"regions": [{"name": "AB", "bytes": 196608}]},
            "pipelines": [{"stages": 5, "stage_bytes": 49152}],
        },
        {"pipelines": [{"stages": 5, "stage_bytes": 49152}]},
    )
)
@example(
    (
        {"shared": {"dynamic": 4096, "regions": [{"bytes": 232449}]}},
        {"shared": {"regions": [{"bytes": 232449}]}},
    )
)
@example(
    (
        {"registers": {"roles": [{"name": "a", "warps": 33}, {"name": "b"}]}},
        {"registers": {"roles": [{"name": "a", "warps": 33}]}},
    )
)
@example(
    (
        {"tmem": {"allocations": [{"columns": 32, "needs": 513}]}},
        {"tmem": {"allocations": [{"needs": 513}]}},
    )
)
@example(
    (
        {
            "shared": {
                "regions": [{"name": "a", "of": "bf16", "shape": [8], "ring": "a", "bytes": 8192}]
            },
            "pipelines": [{"name": "a", "stages": 5, "stage_bytes": 49152}],
        },
        {
            "shared": {"regions": [{"name": "a", "ring": "a", "bytes": 8192}]},
            "pipelines": [{"name": "a", "stages": 5, "stage_bytes": 49152}],
        },
    )
)
def test_what_is_wrong_stays_wrong_when_more_is_said(pair: tuple[Shape, Shape]) -> None:
    assert not lost(*pair)
