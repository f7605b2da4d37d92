"""The one model of a block: what kernels fill of it, and that everyone reads the same."""

from __future__ import annotations

import json
import re
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import compare
import pytest
import shapes
import yaml
from typer.testing import CliRunner, Result

from kcfg import derive
from kcfg.cli.main import application
from kcfg.core import emit, kernels
from kcfg.core.block.block import Block
from kcfg.core.findings import findings
from kcfg.core.kernel import Kernel
from kcfg.core.rules import not_judged
from kcfg.core.spec import Spec, read

MAY_BE_AWAY = ("tmem", "shared.regions[", "registers.roles[")
"""Figures of ranges, regions and roles that some shapes do not have."""
EVERY = 15
"""Of this many golden rows, one is taken."""

RELEASES = [(name, release) for name in kernels.names() for release in kernels.releases(name)]


def blocks(name: str, release: str) -> Iterator[tuple[Kernel, Block]]:
    """The block of every shape of a release."""
    for shape in shapes.SHAPES:
        if (shape.kernel, shape.release) == (name, release):
            kernel = shapes.derive(name, release, shape.inputs)
            yield kernel, kernel.block


def at(block: Block, path: str) -> Any:
    """What a block has at a path such as ``mma[0].M`` or ``shared.regions[q].bytes``; None
    where it has nothing there."""
    found: Any = block
    for inner, outer in re.findall(r"\[([^]]+)\]|([^].[]+)", path):
        step = inner or outer
        if step.isdigit():
            found = found[int(step)] if int(step) < len(found) else None
        elif isinstance(found, tuple):
            names = [each.name for each in found]  # or the first of several, as acc0
            name = next((each for each in (step, f"{step}0") if each in names), None)
            found = None if name is None else found[names.index(name)]
        else:
            found = getattr(found, step)
        if found is None:
            return None
    return found


@pytest.mark.parametrize(("name", "release"), RELEASES)
def test_every_figure_of_a_block_has_a_player_or_is_not_modelled(name: str, release: str) -> None:
    given: dict[str, int] = defaultdict(int)
    for _, block in blocks(name, release):
        for key in Block.keys:
            given[key] += getattr(block, key) not in (None, ())
    silent = {key for key in Block.keys if not given[key]}
    cls = kernels.find(name, release)
    assert silent == {key for key in cls.unmodelled if key in Block.keys}, (
        f"`unmodelled` of {name} {release} names the keys of a block that no shape fills"
    )
    for path in cls.plays:
        assert path not in cls.unmodelled


@pytest.mark.parametrize(("name", "release"), RELEASES)
def test_a_block_has_the_numbers_that_play_in_it(name: str, release: str) -> None:
    seen = set()
    for kernel, block in blocks(name, release):
        for path, key in type(kernel).plays.items():
            found, number = at(block, path), {**kernel.asked(), **kernel.values()}.get(key)
            if key not in kernel.values() and number is None:
                number = kernel.read(key)
            if found is None and (number is None or number <= 0 or path.startswith(MAY_BE_AWAY)):
                continue  # what the struct derives for a shape far off is no figure of a block
            # A thread names 255 registers at most; 256 is what these are allocated as.
            assert found == (min(number, 255) if path == "registers.entry" else number), path
            seen.add(path)
    assert seen == set(kernels.find(name, release).plays), (
        f"`plays` has what no shape of {name} in tests/shapes.py brings into its block"
    )


@pytest.mark.parametrize(("name", "release"), RELEASES)
def test_what_a_kernel_does_not_model_is_said_not_to_be_judged(name: str, release: str) -> None:
    for _, block in blocks(name, release):
        lines = not_judged(block)
        silent = " ".join(lines)
        assert [line for line in lines if line.startswith("without `tma`") and "TMA001 to " in line]
        if "shared.base_align" in kernels.find(name, release).unmodelled:
            assert "without `shared.base_align`, SMEM009" in silent
        assert "CFG" not in silent


# What a kernel fills of it


def golden(path: Path) -> dict[str, Any]:
    """The blocks of one release: facts, and the upstream places they were read from."""
    found: dict[str, Any] = yaml.safe_load(path.read_text(encoding="utf-8"))
    return found


def facts(block: Block) -> dict[str, Any]:
    """What a golden block may have of a block; what shares another's place ends with its name."""
    regions = block.smem.regions if block.smem is not None else ()
    ranges = block.tensor.regions if block.tensor is not None else ()
    return {
        "entry": block.entry,
        "roles": [[each.name, each.first, each.last, each.cap] for each in block.shares],
        "mbarriers": [[each.name, each.count, each.arrivals] for each in block.mbarriers],
        "regions": [
            [each.name, each.offset, each.bytes, each.align, each.stages]
            + [each.alias_of] * (each.alias_of is not None)
            for each in regions
            if not each.padding
        ],
        "columns": [
            [each.name, each.column, each.columns, each.lane, each.lanes or 128]
            + [each.alias_of] * (each.alias_of is not None)
            for each in ranges
        ],
        "cluster": list(block.cluster),
    }


BLOCKS = sorted((compare.DATA / "blocks").glob("*.yaml"))


def test_there_are_blocks_of_every_release() -> None:
    written = {path.stem for path in BLOCKS}
    assert written == {"@".join(each) for each in RELEASES}, (
        "tests/golden/blocks has one KERNEL@RELEASE.yaml for every release, read from upstream"
    )


@pytest.mark.parametrize("path", BLOCKS, ids=lambda path: path.stem)
def test_every_fact_of_a_block_is_the_one_that_was_read(path: Path) -> None:
    release = golden(path)
    said = set()
    for case in release["blocks"]:
        kernel = shapes.derive(release["kernel"], release["release"], case["shape"])
        found = {name: fact for name, fact in facts(kernel.block).items() if fact}
        assert found == {name: fact for name, fact in case.items() if name != "shape"}
        said |= set(found)
    assert said == set(release["read_from"]), "every kind of fact says where it was read"


@pytest.mark.parametrize(("name", "release"), RELEASES)
def test_groups_of_mbarriers_add_up_to_the_structs_own_number(name: str, release: str) -> None:
    counts = {"index_prefill": "n_mbars", "mha_depth512": "total_mbars", "fa4": "num_mbars"}
    for kernel, block in blocks(name, release):
        counted = counts.get(name)
        if counted in kernel.values() and kernel.verdict:
            assert sum(each.count or 0 for each in block.mbarriers) == kernel.values()[counted]


FILES = compare.files()


def test_softmax_takes_turns_within_each_cta_of_a_pair() -> None:
    shape = {"qkv_dtype": "bf16", "num_q_heads": 32, "group": 4, "qk_depth": 128, "page_size": 128}
    arrivals = []
    for pair in (False, True):
        one = derive("fa4", "26.7", **shape, ov_depth=128, pair_cta=pair, use_order_barriers=True)
        groups = {each.name: each.arrivals for each in one.derived.block.mbarriers}
        arrivals.append((groups["s0_consumer"], groups["order"]))
    assert arrivals == [(256, 128), (512, 128)]


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_everyone_judges_a_configuration_alike(path: Path) -> None:
    for row in list(compare.rows(path))[::EVERY]:
        (spec,) = read(compare.spec_text(row), "row")
        assert isinstance(spec, Spec)
        kernel = spec.derive()
        errors = [each for each in findings(kernel) if each.severity == "error"]
        try:
            emit.emit(kernel, "python")
        except emit.RefusedError as refused:
            assert len(refused.reasons) == len(errors) > 0
        else:
            assert not errors, row["inputs"]


def kcfg(*arguments: str, stdin: str) -> Result:
    return CliRunner().invoke(application(arguments), list(arguments), input=stdin)


COMMANDS = (
    ("derive", "-"),
    ("validate", "-"),
    ("draw", "-"),
    ("explain", "-"),
    ("emit", "-", "--lang", "cpp"),
)

CONFIGURATIONS = {
    "a cluster that none becomes": ("cluster_m: 32", "CLU001", True),
    "an instruction that there is not": ("mma_m: 1000, mma_n: 7", "MMA001", True),
    "one that runs": ("", "", False),
}


@pytest.mark.parametrize("case", CONFIGURATIONS)
def test_every_command_refuses_what_cannot_run(case: str) -> None:
    changed, rule, wrong = CONFIGURATIONS[case]
    shape = {
        "ab_dtype": "bf16",
        "c_dtype": "bf16",
        "cta_group": 2,
        "mma_m": 256,
        "mma_n": 128,
        "mma_k": 16,
        "cluster_m": 2,
        "AB_swapped": False,
        "block_swizzle_size": 8,
        "k_group_size": 1,
        "prefetch_tiles_n": 0,
        "num_accum_pipeline_stages": 2,
        "num_clc_pipeline_stages": 2,
        "use_tma_epilogue_load": False,
    }
    for pair in filter(None, changed.split(", ")):
        key, _, value = pair.partition(": ")
        shape[key] = int(value)
    text = json.dumps({"kernel": "matmul", "release": "26.7", "shape": shape})
    for command in COMMANDS:
        result = kcfg(*command, stdin=text)
        assert result.exit_code == int(wrong), (command, result.output)
    found = json.loads(kcfg("derive", "-", "--format", "json", stdin=text).stdout)
    assert not rule or rule in {each["rule"] for each in found["findings"]}


def test_a_cluster_of_partitions_is_told_of_as_one_by_hand() -> None:
    text = (
        "kernel: fa4\nrelease: 26.6\nshape: {qkv_dtype: bf16, num_q_heads: 32, group: 4,"
        " qk_depth: 128, ov_depth: 128, page_size: 128, BM: 128, splitk_partitions: 16,"
        " single_o: true}"
    )
    (spec,) = read(text, "spec")
    assert isinstance(spec, Spec)
    by_hand = "{kernel: launch, shape: {cluster: [16]}}"
    (launch,) = read(by_hand, "spec")
    assert isinstance(launch, Spec)
    (one,) = [each for each in findings(spec.derive()) if each.rule == "CLU002"]
    (other,) = [each for each in findings(launch.derive()) if each.rule == "CLU002"]
    assert (one.severity, one.value, one.limit) == (other.severity, other.value, other.limit)
    assert one.path == "cluster_size"
