"""What validating finds, where it points, and what may be done about it."""

from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import Any

import pytest

from kcfg.core.finding import Finding
from kcfg.core.spec import Overrides
from kcfg.core.validate.run import Options, Run

INDEXER = """\
kernel: index_prefill
release: 26.6
shape:
  dtype: fp8_e4m3
  ks_dtype: f32
  depth: 128
  BM_key: 128
  n_tokens: 4
  num_heads: 32
"""
LAUNCH = """\
kernel: launch
shape:
  threads: 384
  blocks_per_sm: 1
  registers:
    entry: 168
    warpgroups: [40, 240, 240]
  shared:
    dynamic: 233472
"""
WRONG = INDEXER.replace("n_tokens: 4", "n_tokens: 6")


def judge(*paths: str | Path, options: Options | None = None) -> tuple[list[Finding], Run]:
    run = Run([str(path) for path in paths], options or Options())
    return [located.finding for judged in run for located in judged.found], run


def told(found: list[Finding]) -> list[tuple[str, int, int]]:
    return [(finding.rule, finding.line, finding.column) for finding in found]


@pytest.fixture
def spec(tmp_path: Path) -> Any:
    """Writes a spec and returns its path."""

    def write(text: str, name: str = "a.kcfg.yaml") -> Path:
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
        return path

    return write


# Positions


@pytest.mark.parametrize("blank", ["---\n", "---\n# kernel: fa4\n", "...\n---\n---\n# over\n"])
def test_blank_documents_are_passed_over(spec: Any, blank: str) -> None:
    found, run = judge(spec(INDEXER + blank))
    assert (found, run.tally.specs, run.tally.refused) == ([], 1, 0)
    found, run = judge(spec(blank))
    assert [each.message for each in found] == ["no spec here: document 1 is empty"]


def test_a_launch_is_blamed_at_its_own_keys(spec: Any) -> None:
    found, run = judge(spec(LAUNCH), options=Options(select=("SM",)))
    assert told(found) == [("SMR002", 7, 5), ("SMEM001", 9, 5)]
    pool, memory = found
    assert (memory.value, memory.limit, memory.over) == (233_472, 232_448, 1_024)
    assert (memory.unit, memory.severity) == ("bytes", "error")
    assert pool.fix and pool.fix in pool.message
    assert run.tally.wrong and not run.tally.unread


def test_what_is_not_given_is_blamed_at_what_holds_it(spec: Any) -> None:
    text = LAUNCH.replace("233472", "100000")
    found, _ = judge(spec(text), options=Options(select=("SMEM",), infos=True))
    assert [(f.path, f.line, f.column) for f in found] == [("shape.shared.opt_in", 8, 3)]


def test_a_derived_kernel_is_blamed_at_the_key_as_written(spec: Any) -> None:
    found, _ = judge(spec(WRONG))
    assert told(found)[0] == ("CFG001", 8, 3)
    assert "mma_n 128 passes" in found[0].fix


FA4 = (
    "kernel: fa4\nrelease: 26.6\nshape: {qkv_dtype: bf16, num_q_heads: 32, group: 4,\n"
    "  qk_depth: 128,\n  ov_depth: 256, page_size: 128}\n"
)


def test_the_key_whose_change_mends_it_is_blamed_and_others_are_listed(spec: Any) -> None:
    (judged,) = Run([str(spec(FA4))], Options(select=("CFG001",)))
    tile = next(each for each in judged.found if each.finding.path == "BN")
    assert tile.finding.line == 5
    assert ("shape.qkv_dtype", 3) in [each[:2] for each in tile.rests_on]


def test_a_choice_of_the_author_is_advised_before_another_model(spec: Any) -> None:
    found, _ = judge(spec(FA4), options=Options(select=("CFG001",)))
    assert {each.fix for each in found} == {"BM 128, single_o true and bn_cap 64 passes"}
    mended = FA4.replace("256,", "256, BM: 128, single_o: true, bn_cap: 64,")
    assert not judge(spec(mended))[1].tally.errors


def test_where_no_choice_passes_another_model_is_advised(spec: Any) -> None:
    text = (
        "kernel: fa4\nrelease: 25.6\nshape: {num_q_heads: 32, group: 4, depth: 256,\n"
        "  dtype_size: 2, swizzle_mode: 128B}\n"
    )
    found, _ = judge(spec(text), options=Options(select=("CFG001",)))
    assert {each.fix for each in found} == {"depth 128 passes"}
    assert not judge(spec(text.replace("256", "128")))[1].tally.errors


def test_findings_come_in_the_order_of_the_lines(spec: Any) -> None:
    found, _ = judge(spec(LAUNCH + "expect:\n  supported: true\n"))
    lines = [finding.line for finding in found]
    assert lines == sorted(lines) and len(set(lines)) > 2


# Pins


@pytest.mark.parametrize(
    "pin",
    [
        "k_stages: 5",
        "k_stages: '>= 5'",
        "k_stages: '< 6'",
        "k_stages: [4, 5]",
        "k_stages: '!= 4'",
        "supported: true",
        "hoist_q_scales: '!= false'",
    ],
)
def test_a_pin_that_holds(spec: Any, pin: str) -> None:
    assert judge(spec(f"{INDEXER}expect:\n  {pin}\n"))[0] == []


@pytest.mark.parametrize(
    ("pin", "said", "over"),
    [
        ("k_stages: 4", "k_stages is 5, pinned to 4, 1 over", 1),
        ("k_stages: '> 5'", "pinned to > 5, 1 under", -1),
        ("k_stages: '<= 3'", "pinned to <= 3, 2 over", 2),
        ("k_stages: '!= 5'", "pinned to != 5", None),
        ("k_stages: [1, 7, 8]", "pinned to one of 1, 7, 8, 2 under", -2),
        ("supported: false", "supported is true, pinned to false", None),
        ("smem_used: 102400", "pinned to 102,400 B (100.0 KiB), 268 B under", -268),
    ],
)
def test_a_pin_that_fails(spec: Any, pin: str, said: str, over: int | None) -> None:
    (finding,), run = judge(spec(f"{INDEXER}expect:\n  {pin}\n"))
    value = pin.partition(": ")[2]
    assert told([finding]) == [("EXP001", 11, 5 + pin.index(value) - 2)]
    assert said in finding.message and finding.over == over
    assert run.tally.wrong


def test_a_pin_of_what_upstream_does_not_judge(spec: Any) -> None:
    (finding,), _ = judge(
        spec(LAUNCH.replace("233472", "4096") + "expect: {supported: true}\n"),
        options=Options(select=("EXP",)),
    )
    assert "supported is null" in finding.message


# Files


def test_a_directory_is_walked_in_order(spec: Any, tmp_path: Path) -> None:
    spec(INDEXER, "specs/b.kcfg.yml")
    spec(INDEXER, "specs/a/z.yaml")
    spec(f"# quoted\n'kernel': {INDEXER[8:]}", "specs/c.yaml")
    spec("services: {kernel: 1}\n", "specs/compose.yaml")
    spec("broken: [", "specs/d.kcfg.yaml")
    spec(INDEXER, "specs/.cache/e.kcfg.yaml")
    spec(INDEXER, "specs/f.txt")
    run = Run([str(tmp_path / "specs"), str(tmp_path / "specs" / "c.yaml")], Options())
    names = [os.path.relpath(judged.file, tmp_path / "specs") for judged in run]
    assert names == ["b.kcfg.yml", "c.yaml", "d.kcfg.yaml", os.path.join("a", "z.yaml")]
    assert run.tally.files == 4 and run.tally.specs == 3


def test_a_directory_without_specs_is_a_mistake(tmp_path: Path) -> None:
    (finding,), run = judge(tmp_path)
    assert "no spec in this directory" in finding.message and run.tally.unread


def test_every_file_is_judged_whatever_the_others_are(spec: Any, tmp_path: Path) -> None:
    found, run = judge(tmp_path / "none.yaml", spec(WRONG), spec("kernel: [", "b.yaml"))
    assert [finding.rule for finding in found] == ["SPEC001", "CFG001", "SPEC001"]
    assert run.tally.files == 3 and run.tally.unread


@pytest.mark.skipif(sys.platform == "win32" or os.geteuid() == 0, reason="root reads everything")
def test_a_directory_that_cannot_be_read(tmp_path: Path) -> None:
    locked = tmp_path / "locked"
    locked.mkdir(mode=0)
    (finding,), run = judge(tmp_path)
    locked.chmod(0o700)
    assert "cannot be read" in finding.message and run.tally.unread


def test_documents_are_judged_one_by_one(spec: Any) -> None:
    found, run = judge(spec(f"{INDEXER}---\n{WRONG}---\nkernel: fa5\n---\n{INDEXER}"))
    assert told(found)[0] == ("CFG001", 18, 3)
    assert {finding.rule for finding in found[1:]} == {"SPEC002"}
    assert {finding.line for finding in found[1:]} == {21}
    assert run.tally.specs == 3 and not run.tally.unread


# What is shown, and what counts


def test_select_and_ignore_take_beginnings(spec: Any) -> None:
    path = spec(LAUNCH)
    every = {finding.rule for finding in judge(path)[0]}
    assert {"SMR002", "SMEM001"} <= every
    assert {f.rule for f in judge(path, options=Options(select=("SMEM",)))[0]} == {"SMEM001"}
    assert {f.rule for f in judge(path, options=Options(ignore=("SMEM",)))[0]} == every - {
        "SMEM001"
    }


def test_what_is_not_understood_is_always_shown(spec: Any) -> None:
    found, run = judge(spec("kernel: fa4\n"), options=Options(select=("TMA",), ignore=("SPEC",)))
    assert [finding.rule for finding in found] == ["SPEC002"] and run.tally.wrong


def test_strict_counts_warnings(spec: Any) -> None:
    path = spec("kernel: launch\nshape: {threads: 100}\n")
    lenient, strict = judge(path), judge(path, options=Options(strict=True))
    assert [f.severity for f in lenient[0]] == ["warning"] and lenient[0] == strict[0]
    assert not lenient[1].tally.wrong and strict[1].tally.wrong


def test_notes_are_shown_when_asked_for(spec: Any) -> None:
    path = spec(INDEXER)
    assert judge(path)[0] == []
    found, run = judge(path, options=Options(infos=True, strict=True))
    assert {finding.severity for finding in found} == {"info"} and not run.tally.wrong


def test_what_is_beyond_the_most_still_counts(spec: Any) -> None:
    every, _ = judge(spec(LAUNCH))
    found, run = judge(spec(LAUNCH), options=Options(most=1))
    assert found == every[:1] and run.tally.hidden == len(every) - 1 > 0
    assert run.tally.errors + run.tally.warnings == len(every)
    assert judge(spec(LAUNCH), options=Options(most=0))[1].tally.wrong


def test_the_command_line_names_the_target(spec: Any) -> None:
    found, _ = judge(spec(INDEXER), options=Options(Overrides(target="h100")))
    assert "index_prefill needs tcgen05" in found[0].message
    assert found[0].file.endswith("a.kcfg.yaml")


def test_what_passes_is_searched_for_in_the_first_of_a_run_alone(
    spec: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    from kcfg.core.validate import advice

    monkeypatch.setattr(advice, "MOST", 1)
    other = WRONG.replace("n_tokens: 6", "n_tokens: 5")
    found, _ = judge(spec("---\n".join([WRONG, other, WRONG])))
    first, later, again = (each for each in found if each.rule == "CFG001")
    assert first.fix.endswith("passes") and again.fix == first.fix
    assert not later.fix and later.message.endswith(advice.LATER)
