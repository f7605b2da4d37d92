"""Explanations, verdicts, stories and the search for what would pass."""

from __future__ import annotations

import json
from itertools import combinations, product
from math import inf
from operator import attrgetter
from types import FunctionType
from typing import Any

import pytest
import shapes
from hypothesis import HealthCheck, given, settings

import kcfg
from kcfg.core import kernels, targets
from kcfg.core.engine.graph import graph
from kcfg.core.engine.quantity import quantity
from kcfg.core.engine.terms import all_of
from kcfg.core.errors import UnknownError
from kcfg.core.explain import refusal
from kcfg.core.explain.abroad import abroad
from kcfg.core.explain.elsewhere import elsewhere
from kcfg.core.explain.explanation import explain, plain, reference
from kcfg.core.explain.moves import Move, distance, moves
from kcfg.core.explain.nearest import Nearest, nearest, said
from kcfg.core.explain.searching import Change, Search
from kcfg.core.explain.story import LIMIT, story
from kcfg.core.findings import findings
from kcfg.core.kernel import Kernel

REFUSED = [shape for shape in shapes.SHAPES if shape.supported is False]
TAKEN = [shape for shape in shapes.SHAPES if shape.supported is not False]
ENDS = [
    shape
    for release in shapes.RELEASES
    for shape in [
        [entry for entry in shapes.SHAPES if entry[:2] == release][end] for end in (0, -1)
    ]
]
"""The first shape of every release, a usual one, and the last, a degenerate one."""
SOME = settings(max_examples=25, deadline=None, suppress_health_check=[HealthCheck.too_slow])


def derive(shape: shapes.Shape) -> Kernel:
    return shapes.derive(shape.kernel, shape.release, shape.inputs)


def changed(kernel: Kernel, changes: dict[str, Any]) -> Kernel:
    given = {member.key: getattr(kernel, name) for name, member in kernel.inputs.items()}
    return shapes.derive(kernel.kernel, kernel.release, given | changes)


# Explanations


@pytest.mark.parametrize("shape", ENDS, ids=lambda shape: shape.id)
def test_every_value_is_explained(shape: shapes.Shape) -> None:
    kernel, depth = derive(shape), int(shape in ENDS[::2])  # of a usual one, what it rests on too
    for key, value in kernel.values().items():
        found = explain(kernel, key, depth=depth)
        assert (found.key, found.value) == (key, value)
        assert found.kind == "input" or found.steps[-1] == repr(value)
        rests = [each.name for each in found.depends_on if each.kind in ("input", "quantity")]
        assert [entry.name for entry in found.because] == (rests if depth else [])
        for entry in found.depends_on:
            if entry.kind in ("input", "quantity", "target"):
                if entry.name == "target":
                    continue
                owner = kernel if entry.kind != "target" else attrgetter("target")(kernel)
                name = entry.name.removeprefix("target.") if owner is not kernel else entry.name
                places = dict(type(kernel).places())
                read = kernel.read(name) if name in places else attrgetter(name)(owner)
                assert entry.value == read
        assert json.loads(json.dumps(plain(found)))["key"] == key


@pytest.mark.parametrize(("kernel", "release"), shapes.RELEASES)
def test_every_value_and_input_has_its_page(kernel: str, release: str) -> None:
    cls = kernels.find(kernel, release)
    for key, member in cls.declared():
        page = reference(cls, key)
        assert (page.key, page.doc, page.unit) == (key, member.doc, member.unit)
        json.dumps(plain(page))
    for name, entry in cls.inputs.items():
        page = reference(cls, name)
        assert (page.kind, page.key) == ("input", entry.key)
        assert page.required == (page.default is None and entry.default is not None)


@pytest.mark.parametrize(("kernel", "release"), shapes.RELEASES)
def test_changing_a_value_takes_an_input_it_rests_on(kernel: str, release: str) -> None:
    """An input outside `inputs` leaves a value alone: the graph misses nothing."""
    cls = kernels.find(kernel, release)
    rests = {key: set(reference(cls, key).inputs) for key, _ in cls.declared()}

    @SOME
    @given(shapes.random(kernel, release), shapes.random(kernel, release))
    def keep(one: dict[str, Any], two: dict[str, Any]) -> None:
        before = shapes.derive(kernel, release, one).values()
        for key in one.keys() & two.keys():
            after = shapes.derive(kernel, release, one | {key: two[key]}).values()
            moved = {name for name in before if before[name] != after[name]}
            assert all(key in rests[name] for name in moved), (key, moved)

    keep()


def test_a_name_is_explained_once() -> None:
    kernel = shapes.derive("index_prefill", "26.6", shapes.INDEXER)
    names: list[str] = []
    waiting = [explain(kernel, "supported", depth=9)]
    while waiting:
        entry = waiting.pop()
        names.append(entry.name)
        waiting += entry.because
    assert len(names) == len(set(names)) > 20


def test_a_user_is_one_that_reads() -> None:
    found = graph(kernels.find("mla_prefill", "26.7"))
    users: dict[str, list[str]] = {}
    for user, reads in found.reads.items():
        for read in reads:
            users.setdefault(read.name, []).append(user)
    assert users == {name: list(found.users(name)) for name in users}
    assert found.users("MMA_X") == ()
    assert (
        "supported"
        in explain(shapes.derive("index_prefill", "26.6", shapes.INDEXER), "k_stages").used_by
    )


def test_an_input_of_a_part_shows_what_it_is_given() -> None:
    kernel = shapes.derive("mla_prefill", "26.7", shapes.MLA)
    found = explain(kernel, "fa4_config.qk_depth")
    assert (found.kind, found.formula, found.value) == ("input", "depth", 192)
    assert found.inputs == ("depth",)


def test_an_unknown_name_is_refused_with_the_likely_one() -> None:
    kernel = shapes.derive("index_prefill", "26.6", shapes.INDEXER)
    with pytest.raises(UnknownError) as caught:
        explain(kernel, "k_stagse")
    assert caught.value.nearest == "k_stages"


# Verdicts


def assert_failures(kernel: Kernel) -> None:
    """Every failed condition is false where it is asked, and none is left out."""
    found = refusal.failures(kernel)
    if "supported" not in kernel.quantities or kernel.read("supported"):
        assert found == []
        return
    calls: list[dict[str, bool]] = []

    def record(**conditions: bool) -> bool:
        calls.append(conditions)
        return all(conditions.values())

    code: Any = type(kernel).quantities["supported"].formula
    FunctionType(code.__code__, {**code.__globals__, "all_of": record})(kernel)
    failed = [name for name, holds in calls[-1].items() if not holds]
    assert [name for name in failed if name in type(kernel).quantities] == list(
        dict.fromkeys(failure.path[1] for failure in found if len(failure.path) > 1)
    )
    plainly = [name for name in failed if name not in type(kernel).quantities]
    assert plainly == [failure.name for failure in found if len(failure.path) == 1]
    for failure in found:
        at = failure.path[-1].rpartition(".")[0]
        owner = attrgetter(at)(kernel) if at in kernel.parts else kernel
        names = vars(type(owner)).keys() | set(owner.inputs) | set(owner.quantities)
        words = refusal.conditions(type(kernel)).expression.names | _helpers(type(owner))
        scope = words | {name: getattr(owner, name) for name in names if name in failure.condition}
        scope["target"] = kernel.target
        assert not eval(failure.condition, scope), failure
        for side in (*failure.sides, *failure.reads):
            assert eval(side.text, scope) == side.value
        for premise in failure.premises:
            assert eval(premise, scope | {name: getattr(kernel, name) for name in names})


def _helpers(cls: type[Kernel]) -> dict[str, Any]:
    return {
        name: value
        for entry in cls.quantities.values()
        for name, value in entry.formula.__globals__.items()
        if callable(value) and not isinstance(value, type)
    }


@pytest.mark.parametrize(
    "shape", [s for s in shapes.SHAPES if s[:2] in shapes.IN_PYTHON], ids=lambda shape: shape.id
)
def test_failures_are_the_conditions_that_do_not_hold(shape: shapes.Shape) -> None:
    assert_failures(derive(shape))


@pytest.mark.parametrize(("kernel", "release"), shapes.IN_PYTHON)
def test_random_failures_are_too(kernel: str, release: str) -> None:
    @SOME
    @given(shapes.random(kernel, release))
    def keep(inputs: dict[str, Any]) -> None:
        assert_failures(shapes.derive(kernel, release, inputs))

    keep()


def test_a_failure_shows_both_sides_and_what_it_rests_on() -> None:
    kernel = shapes.derive("fa4", "25.6", shapes.FA4_25 | {"depth": 256})
    stages, columns = refusal.failures(kernel)
    assert (stages.name, stages.condition) == ("ring_depth", "num_kv_stages >= 2")
    assert stages.sides == (("num_kv_stages", 1),)
    assert stages.inputs == ("depth", "dtype_size", "swizzle_mode")
    assert columns.sides == (("tmem_used", 17826048), ("sm100_tmem_cols", 512))


def test_a_verdict_within_the_verdict_is_followed() -> None:
    inputs = shapes.FA4_26 | {"BM": 64, "rope_dtype": "bfloat16", "nope_depth": 64}
    found = refusal.failures(shapes.derive("fa4", "26.7", inputs))
    rope = next(failure for failure in found if failure.name == "no_rope")
    assert rope.path == ("supported", "ws_fits")
    assert rope.premises == ("use_ws",)
    assert rope.sides == (("rope_depth", 64),)


def test_without_source_a_refusal_is_still_one() -> None:
    scope: dict[str, Any] = {"quantity": quantity, "Kernel": Kernel, "all_of": all_of}
    lines = (
        "class Bare(Kernel):",
        " @quantity('bool', source='x')",
        " def supported(self):",
        "  return all_of(first=True, second=False, third=False)",
    )
    exec(compile("\n".join(lines), "nowhere.py", "exec"), scope | {"__name__": "nowhere"}, scope)
    found = refusal.failures(scope["Bare"](target=targets.find()))
    assert [(failure.name, failure.condition) for failure in found] == [("supported", "")]


def test_binding_says_what_limits_the_stages() -> None:
    (fit,) = refusal.binding(shapes.derive("index_prefill", "26.6", shapes.INDEXER))
    assert (fit.fits, fit.left, fit.missing) == (5, 13580, 3460)
    (slots,) = refusal.binding(shapes.derive("fa4", "26.7", shapes.FA4_26))
    assert slots.path[0] == "num_kv_stages"


# What would pass


def search(kernel: str, release: str, inputs: dict[str, Any]) -> Nearest:
    found = nearest(shapes.derive(kernel, release, inputs))
    assert found is not None
    return found


def passing(found: Search) -> list[dict[str, Any]]:
    """What is found, as the keys and values a spec would have to give."""
    return [{change.key: change.passes for change in changes} for changes in found.found]


@pytest.mark.parametrize("shape", REFUSED, ids=lambda shape: shape.id)
def test_what_is_found_passes(shape: shapes.Shape) -> None:
    kernel = derive(shape)
    searches = [each for each in search(*shape[:2], shape.inputs) if each is not None]
    assert sum(each.tried for each in searches) > 0
    for each in searches:
        assert {key for changes in passing(each) for key in changes} <= {
            key for varied in each.varied for key in varied.keys
        }
        for changes in passing(each):
            assert all(kernel.asked()[key] != value for key, value in changes.items())
            assert changed(kernel, changes).read("supported")
            assert not errors_of(changed(kernel, changes))


@pytest.mark.parametrize("shape", TAKEN, ids=lambda shape: shape.id)
def test_nothing_is_searched_where_nothing_is_refused(shape: shapes.Shape) -> None:
    kernel = derive(shape)
    found, errors = nearest(kernel), errors_of(kernel)
    assert (found is None) is not errors
    for each in (found.author, found.model, found.mixed) if found else ():
        for changes in passing(each) if each else ():
            assert not errors_of(changed(kernel, changes))


def errors_of(kernel: Kernel) -> bool:
    return any(finding.severity == "error" for finding in findings(kernel))


def mended(kernel: Kernel, changes: dict[str, Any]) -> bool:
    inputs = kernel.asked() | changes
    sayable = shapes.sayable(kernel.kernel, kernel.release, inputs)
    made = changed(kernel, changes) if sayable else None
    return made is not None and bool(made.read("supported")) and not errors_of(made)


def by_brute_force(
    kernel: Kernel, allowed: list[Move], together: int
) -> dict[frozenset[str], float]:
    """The sets of inputs that can mend it, none holding another, and how far each must go."""
    mending: dict[frozenset[str], float] = {}
    for size in range(1, together + 1):
        for chosen in combinations(allowed, size):
            names = frozenset(name for move in chosen for name in move.names)
            if any(smaller <= names or names <= smaller for smaller in mending):
                continue
            values = [move.few if size > 1 else move.values for move in chosen]
            for row in product(*values):
                pairs = list(zip(chosen, row, strict=True))
                changes = {key: value for move, value in pairs for key in move.keys}
                far = sum(distance(move.given, value) for move, value in pairs)
                if far < mending.get(names, inf) and mended(kernel, changes):
                    mending[names] = far
    return mending


def reach(changes: tuple[Change, ...], tunable: bool) -> float:
    """How far changes go; equal facts of a model, which move together, count once."""
    steps = [distance(change.given, change.passes) for change in changes]
    return sum(steps) if tunable else max(steps)


@pytest.mark.parametrize("tunable", [True, False], ids=["author", "model"])
@pytest.mark.parametrize("shape", REFUSED, ids=lambda shape: shape.id)
def test_the_search_finds_what_brute_force_finds(shape: shapes.Shape, tunable: bool) -> None:
    """What it leaves untried could not have passed, and what it finds goes no further."""
    kernel = derive(shape)
    author, model, _ = search(*shape[:2], shape.inputs)
    found = author if tunable else model
    assert found.complete
    allowed = moves(kernel, refusal.failures(kernel), tunable=tunable)
    mending = by_brute_force(kernel, allowed, found.together)
    names = {member.key: name for name, member in kernel.inputs.items()}
    told = {
        frozenset(names[change.key] for change in changes): reach(changes, tunable)
        for changes in found.found
    }
    assert told == pytest.approx(mending)


@pytest.mark.parametrize(("kernel", "release"), shapes.RELEASES)
def test_choices_are_told_from_facts(kernel: str, release: str) -> None:
    cls = kernels.find(kernel, release)
    plan = kernel.startswith("flashmla")  # fixed: the model says all there is to say
    assert any(member.tunable for member in cls.inputs.values()) or plan
    assert not all(member.tunable for member in cls.inputs.values())
    for wanted in ("depth", "qk_depth", "num_q_heads", "qkv_dtype", "M"):
        assert wanted not in cls.inputs or not cls.inputs[wanted].tunable


def test_depth_256_of_25_6_passes_with_128() -> None:
    author, model, mixed = search("fa4", "25.6", shapes.FA4_25 | {"depth": 256})
    assert model.found == ((("depth", 256, 128),),)
    assert (model.together, model.complete) == (1, True)
    assert (author.found, author.tried, author.complete, mixed) == ((), 3, True, None)


@pytest.mark.parametrize("release", ["26.6", "26.7"])
def test_depth_256_of_26_passes_with_what_its_author_chooses(release: str) -> None:
    inputs = shapes.FA4_26 | {"num_q_heads": 16, "group": 2, "qk_depth": 256, "ov_depth": 256}
    author, model, _ = search("fa4", release, inputs)
    assert passing(author) == [
        {"BM": 64, "ws_shared_key": True},
        {"BM": 128, "single_o": True, "bn_cap": 64},
    ]
    assert passing(model)[0] == {"qk_depth": 192, "ov_depth": 192}


def test_equal_facts_move_together_and_not_alone() -> None:
    inputs = shapes.MLA | {"depth": 256, "v_depth": 256}
    author, model, _ = search("mla_prefill", "26.6", inputs)
    assert passing(author) == [{"select": True}]
    assert passing(model)[0] == {"depth": 192, "v_depth": 192}
    assert ("v_depth",) not in [varied.keys for varied in model.varied]


def test_choices_and_facts_are_mended_together_where_neither_is_enough() -> None:
    inputs = shapes.INDEXER | {"BM_key": 96, "mma_n": 232, "num_heads": 30}
    author, model, mixed = search("index_prefill", "26.6", inputs)
    assert (author.tried, model.tried) == (0, 0)
    assert mixed is not None
    assert passing(mixed) == [{"num_heads": 32, "BM_key": 128, "mma_n": 128}]


def test_what_no_spec_may_say_is_not_tried() -> None:
    problem = {"gemm_type": "m_grouped_masked", "m": 64, "n": 4096, "k": 7168, "select": True}
    wide = shapes.derive("deepgemm", "54e2261", {**problem, "mk_alignment": 256})
    found = nearest(wide)  # without `select` there is no layout to derive from
    assert found is not None
    assert [change.passes for change in found.answers[0]] == [224]
    narrow = {**problem, "mk_alignment": 16, "major_a": "mn"}
    (failed,) = refusal.failures(shapes.derive("deepgemm", "54e2261", narrow))
    assert failed.name == "swizzle_of_a"


def test_a_number_that_is_demanded_is_tried() -> None:
    inputs = shapes.DECODE | {"depth": 4096, "q_depth": 4160, "bn_qk": 128}
    mixed = search("mla_decode", "26.7", inputs).mixed
    assert mixed is not None
    assert passing(mixed) == [{"depth": 512, "q_depth": 576, "bn_qk": 64}]


def test_what_is_not_looked_through_is_said_to_be_incomplete() -> None:
    inputs = shapes.FA4_26 | {"BM": 64, "qk_depth": 1, "ov_depth": 4096, "page_size": 24}
    author, model, mixed = search("fa4", "26.6", inputs)
    assert not author.found and author.complete and not model.found
    assert mixed is not None
    assert not mixed.found and not mixed.complete


def test_changes_are_said_as_a_spec_has_them() -> None:
    both = (Change("qk_depth", 256, 192), Change("ov_depth", 256, 192))
    assert said(both) == "qk_depth and ov_depth 192"
    flags = (Change("BM", 256, 64), Change("ws_shared_key", False, True), Change("x", "a", None))
    assert said(flags) == "BM 64, ws_shared_key true and x null"


# A story


@pytest.mark.parametrize("shape", shapes.SHAPES, ids=lambda shape: shape.id)
def test_a_story_is_complete_and_short(shape: shapes.Shape) -> None:
    kernel = derive(shape)
    told = story(kernel)
    names = [entry.name for entry in told.decisions]
    assert len(names) == len(set(names)) <= LIMIT
    assert told.supported is shape.supported
    assert (told.supported is None) or names[-1] == "supported" or "supported" in names
    assert bool(told.failures) is (shape.supported is False)
    assert (told.nearest is not None) is errors_of(kernel)
    rests = {key for entry in told.decisions for key in entry.inputs}
    assert {entry.key for entry in told.inputs} == rests
    json.dumps(plain(told))


def test_a_story_tells_the_stages_and_what_they_are_made_of() -> None:
    told = story(shapes.derive("index_prefill", "26.6", shapes.INDEXER))
    names = [entry.name for entry in told.decisions]
    expected = ["ctas_per_sm", "fixed_smem_bytes", "k_stage_bytes", "k_stages", "smem_used"]
    assert [name for name in names if name in expected] == expected
    assert told.untold == 0


def test_another_kernel_that_takes_a_refused_shape_is_named() -> None:
    shape = {"qkv_dtype": "bfloat16", "num_q_heads": 32, "group": 4, "page_size": 128}
    deep = shapes.derive("fa4", "26.7", {**shape, "qk_depth": 512, "ov_depth": 512})
    assert [(each.kernel, each.release) for each in elsewhere(deep)] == [("mha_depth512", "26.7")]
    assert story(deep).elsewhere == ("mha_depth512 26.7",)
    wide = shapes.derive("fa4", "26.7", {**shape, "qk_depth": 320, "ov_depth": 320})
    assert wide.verdict is False
    assert not list(elsewhere(wide))
    fits = shapes.derive("fa4", "26.7", {**shape, "qk_depth": 128, "ov_depth": 128})
    assert not list(elsewhere(fits))
    # What the other kernel has no word for must be left at its default.
    latent = {**shape, "qk_depth": 512, "ov_depth": 512, "is_mla": True}
    assert not list(elsewhere(shapes.derive("fa4", "26.7", latent)))


def test_a_kernel_of_another_library_that_takes_a_refused_problem_is_named() -> None:
    shape = {"qkv_dtype": "bfloat16", "num_q_heads": 32, "group": 4, "page_size": 128}
    (taker,) = abroad(shapes.derive("fa4", "26.7", {**shape, "qk_depth": 256, "ov_depth": 256}))
    assert (taker.kernel, taker.library) == ("fa4_cute", "FlashAttention")
    heads = {"num_heads": 32, "num_heads_kv": 8, "head_dim": 256, "head_dim_v": 256}
    assert dict(taker.given) == {"dtype": "bfloat16", "page_size": 128, **heads}
    assert kcfg.derive("fa4_cute", **dict(taker.given)).supported
    assert not list(abroad(shapes.derive("fa4", "26.7", {**shape, "qk_depth": 64, "ov_depth": 64})))

    deep = {"head_dim": 512, "head_dim_v": 512, "num_heads": 16, "num_heads_kv": 4}
    (back,) = abroad(kcfg.derive("fa4_cute", **deep).derived)
    assert (back.kernel, back.library, dict(back.given)["group"]) == ("mha_depth512", "MAX", 4)
    # Nor is a kernel named that upstream does not send such heads to.
    narrow = {**deep, "head_dim": 160, "head_dim_v": 160}
    assert [each.kernel for each in abroad(kcfg.derive("fa4_cute", **narrow).derived)] == ["fa4"]
    uneven = {**deep, "head_dim": 256, "head_dim_v": 128}
    assert not list(abroad(kcfg.derive("fa4_cute", **uneven).derived))
    # What the other library has no word for must be left at its default.
    assert not list(abroad(kcfg.derive("fa4_cute", window_left=9, **deep).derived))


def test_words_of_a_job_are_inputs() -> None:
    jobs = {name: found for name in kernels.names() if (found := kernels.job(name))}
    for name, job in jobs.items():
        keys = {member.key for member in kernels.find(name).inputs.values()}
        assert {*job["words"].values(), *job.get("given", ()), *job.get("apart", ())} <= keys
    assert len({kernels.library(name) for name in jobs}) > 1
