"""Compilers' logs against specs: what must be said of each, and of nothing else."""

from __future__ import annotations

from pathlib import Path

import pytest
from checking import (
    CLEAN,
    FINE,
    FIXED,
    IGNORED,
    INC_LOW,
    LIMIT,
    LOGS,
    MULTI_A,
    MULTI_B,
    MULTI_C,
    NOTED,
    OVER_POOL,
    REFUSED,
    RUNTIME,
    SPILL,
    SPILLS,
    STATIC_96K,
    TILE,
    TMEM,
    WARNED,
    WRONG,
    WS,
    judge,
    launch,
)

# The log, the kernel in it where there are several, what was configured and for which target, and
# all that must be said, with the reason.
VERDICTS = [
    # Nothing to complain of; 5120 of cuobjdump are 4096 and the reserve. 10 registers of 255.
    ("clean.sm_100a.ptxas", "", CLEAN, "b200", FINE),
    ("clean.sm_100a.usage", "", CLEAN, "b200", FINE),
    ("clean.sm_90a.ptxas", "", CLEAN, "h200", FINE),
    ("clean.sm_90a.usage", "", CLEAN, "h200", FINE),
    ("clean.sm_90a.ptxas", "", CLEAN, "b200", {"CHK006": WRONG}),
    # 64 registers are the cap of 1024 threads, and too few; cuobjdump shows a stack alone.
    ("spill.sm_100a.ptxas", "", SPILL, "b200", SPILLS),
    ("spill.sm_100a.usage", "", SPILL, "b200", FINE),
    ("spill.sm_90a.ptxas", "", SPILL, "h200", SPILLS),
    ("spill.sm_90a.usage", "", SPILL, "h200", FINE),
    ("spill_maxrregcount.sm_100a.ptxas", "", SPILL, "b200", SPILLS),
    ("spill_maxrregcount.sm_100a.usage", "", SPILL, "b200", FINE),
    ("noisy.sm_100a.ptxas", "", SPILL, "b200", SPILLS),
    ("noisy.sm_100a.usage", "", SPILL, "b200", FINE),
    # Several kernels; an array on the stack of multi_c, whose two targets have other registers.
    ("multi.sm_100a.ptxas", "multi_a", MULTI_A, "b200", FINE),
    ("multi.sm_100a.ptxas", "multi_b", MULTI_B, "b200", FINE),
    ("multi.sm_100a.ptxas", "multi_c", MULTI_C, "b200", {"CHK007": NOTED}),
    ("multi.sm_100a.ptxas", "multi_b", MULTI_A, "b200", {"CHK004": WRONG}),
    ("multi.sm_100a.usage", "multi_b", MULTI_B, "b200", FINE),
    ("multi.sm_100a.usage", "multi_c", MULTI_C, "b200", FINE),
    ("multi.two_archs.ptxas", "multi_c", MULTI_C, "b200", {"CHK007": NOTED}),
    ("multi.two_archs.ptxas", "multi_b", MULTI_B, "h200", FINE),
    ("multi.two_archs.ptxas", "multi_b", MULTI_B, "thor", {"CHK006": WRONG}),
    ("multi.two_archs.usage", "multi_b", MULTI_B, "b200", FINE),
    ("multi.two_archs.usage", "multi_b", MULTI_B, "h200", FINE),
    ("templated.sm_100a.ptxas", "tile_sum<float, 256, 64>", TILE, "b200", FINE),
    ("templated.sm_100a.usage", "tile_sum<float, 256, 64>", TILE, "b200", FINE),
    ("templated.sm_100a.usage", "tile_sum<double*", TILE, "b200", {"CHK004": WRONG}),
    # Taken as written: 168 at entry, whatever setmaxnreg sets; static none, dynamic the reserve.
    ("setmaxnreg.sm_100a.ptxas", "", WS, "b200", FINE),
    ("setmaxnreg.sm_100a.usage", "", WS, "b200", FINE),
    ("setmaxnreg.sm_90a.ptxas", "", WS, "h200", FINE),
    ("setmaxnreg.sm_90a.usage", "", WS, "h200", FINE),
    # No launch bounds: ignored, and 190 registers are more than 384 threads can have.
    ("setmaxnreg_ignored.sm_100a.ptxas", "", WS, "b200", {"CHK001": WRONG, **IGNORED}),
    ("setmaxnreg_ignored.sm_100a.usage", "", WS, "b200", {"CHK001": WRONG}),
    ("setmaxnreg_ignored.sm_90a.ptxas", "", WS, "h200", {"CHK001": WRONG, **IGNORED}),
    ("setmaxnreg_ignored.sm_90a.usage", "", WS, "h200", {"CHK001": WRONG}),
    # Ignored though the cap holds, so that consumers spill; cuobjdump cannot tell.
    ("setmaxnreg_no_min_blocks.sm_100a.ptxas", "", WS, "b200", IGNORED | SPILLS),
    ("setmaxnreg_no_min_blocks.sm_100a.usage", "", WS, "b200", FINE),
    ("setmaxnreg_rdc.sm_100a.ptxas", "", WS, "b200", IGNORED | SPILLS),
    ("setmaxnreg_rdc.sm_100a.usage", "", WS, "b200", FINE),
    # 22 registers of a debug build say nothing; without the advisory they are odd.
    ("setmaxnreg_debug.sm_100a.ptxas", "", WS, "b200", {"CHK007": NOTED, **IGNORED}),
    ("setmaxnreg_debug.sm_100a.usage", "", WS, "b200", {"CHK001": WARNED}),
    # The log is clean, the launch never ends: the spec tells.
    ("setmaxnreg_over_pool.sm_100a.ptxas", "", OVER_POOL, "b200", {"SMR002": WRONG}),
    ("setmaxnreg_over_pool.sm_100a.usage", "", OVER_POOL, "b200", {"SMR002": WRONG}),
    # An inc to 160 lowers the count at entry from 168.
    (
        "setmaxnreg_inc_low.sm_100a.ptxas",
        "",
        INC_LOW,
        "b200",
        {"CHK001": WARNED, "SMR007": NOTED} | SPILLS,
    ),
    ("setmaxnreg_inc_low.sm_100a.usage", "", WS, "b200", {"CHK001": WARNED}),
    ("setmaxnreg_bad_count.sm_100a.ptxas", "", WS, "b200", REFUSED),
    # Static memory: 48 KiB everywhere, more on targets with an `a` only, where it is unusual.
    ("static_limit.sm_100a.ptxas", "", LIMIT, "b200", FINE),
    ("static_limit.sm_100a.usage", "", LIMIT, "b200", FINE),
    ("static_96k.sm_100.ptxas", "", STATIC_96K, "sm_100", {"SMEM003": WRONG, **REFUSED}),
    ("static_96k.sm_90.ptxas", "", CLEAN, "h200", {"CHK004": WRONG, **REFUSED}),
    ("static_96k.sm_100a.ptxas", "", STATIC_96K, "b200", {"SMEM003": WARNED}),
    ("static_96k.sm_100a.usage", "", STATIC_96K, "b200", {"SMEM003": WARNED}),
    ("static_too_large.sm_90a.ptxas", "", CLEAN, "h200", {"CHK004": WRONG, **REFUSED}),
    ("static_too_large.sm_100a.ptxas", "", CLEAN, "b200", {"CHK004": WRONG, **REFUSED}),
    ("static_too_large.sm_120a.ptxas", "", CLEAN, "rtx_5090", {"CHK004": WRONG, **REFUSED}),
    # Barriers 0 and 3 are four; a number known only at run time makes it all 16.
    ("named_barriers.sm_100a.ptxas", "named_fixed", FIXED, "b200", FINE),
    ("named_barriers.sm_100a.ptxas", "named_runtime", RUNTIME, "b200", {"CHK005": WARNED}),
    ("named_barriers.sm_100a.usage", "named_runtime", RUNTIME, "b200", FINE),
    # Tensor memory shows in no report.
    ("tmem_alloc.sm_100a.ptxas", "", TMEM, "b200", FINE),
    ("tmem_alloc.sm_100a.usage", "", TMEM, "b200", FINE),
    ("tmem_alloc.sm_90a.ptxas", "", TMEM, "b200", {"CHK006": WRONG, **REFUSED}),
    ("tmem_alloc_bad.sm_100a.ptxas", "", TMEM, "b200", REFUSED),
]


@pytest.mark.parametrize(("log", "name", "shape", "target", "rules"), VERDICTS)
def test_verdict(
    tmp_path: Path, log: str, name: str, shape: str, target: str, rules: dict[str, str]
) -> None:
    judged = judge(tmp_path, launch(shape, target), LOGS / f"{log}.txt", name=name or None)
    assert judged.rules == rules
    assert judged.code == int(WRONG in rules.values())


def test_every_log_has_a_verdict() -> None:
    assert {f"{verdict[0]}.txt" for verdict in VERDICTS} == {
        path.name for path in LOGS.glob("*.txt")
    }


FA4 = (
    "kernel: fa4\nshape: {qkv_dtype: bf16, num_q_heads: 32, group: 4, qk_depth: 128,"
    " ov_depth: 128, page_size: 128}\n"
)


def test_a_derived_kernel(tmp_path: Path) -> None:
    log = (LOGS / "setmaxnreg.sm_100a.ptxas.txt").read_bytes()
    judged = judge(tmp_path, FA4, log)
    assert (judged.rules, judged.code) == ({"CHK001": WRONG}, 1)
    assert "168 registers per thread, 40 over the 128" in judged.of("CHK001").message
    assert "dynamic shared memory, tensor memory and the counts of setmaxnreg" in judged.notes
    assert judge(tmp_path, FA4, log.replace(b"168", b"128")).rules == FINE
    assert judge(tmp_path, FA4, log.replace(b"168", b"120")).rules == {"CHK001": WARNED}
    assert judge(tmp_path, FA4, log.replace(b"168", b"121")).rules == FINE
    full = judge(tmp_path, FA4, (LOGS / "static_limit.sm_100a.usage.txt").read_bytes())
    assert full.of("CHK009").limit == 1776


@pytest.mark.parametrize(
    ("code", "fix"),
    [
        ("sm_90a", "compile for sm_100a"),
        ("sm_103f", "compile for sm_100a, or say `target: sm_103f`"),
    ],
)
def test_a_kernel_is_not_sent_to_a_target_it_is_not_for(
    tmp_path: Path, code: str, fix: str
) -> None:
    log = (LOGS / "setmaxnreg.sm_100a.ptxas.txt").read_bytes().replace(b"168", b"128")
    judged = judge(tmp_path, FA4, log.replace(b"sm_100a", code.encode()))
    assert (judged.rules, judged.of("CHK006").fix) == ({"CHK006": WRONG}, fix)


def test_findings_point_at_the_line_of_the_log(tmp_path: Path) -> None:
    found = judge(tmp_path, launch(WS), LOGS / "setmaxnreg_no_min_blocks.sm_100a.ptxas.txt")
    places = {finding.rule: finding.line for finding in found.findings}
    assert places == {"CHK003": 1, "CHK002": 5}
    assert {Path(finding.file).parent for finding in found.findings} == {LOGS}


def test_what_the_spec_and_its_comments_say_holds(tmp_path: Path) -> None:
    log = LOGS / "spill.sm_100a.ptxas.txt"
    waived = f"# kcfg: ignore[CHK002] tried wider ones\n{launch(SPILL)}"
    assert judge(tmp_path, waived, log).rules == FINE
    assert judge(tmp_path, waived, LOGS / "spill.sm_100a.usage.txt").rules == FINE
    pinned = f"{launch(SPILL)}expect: {{}}\n".replace("1024,", "1056,", 1)
    assert judge(tmp_path, pinned, log).code == 1


def test_what_is_not_told_is_said(tmp_path: Path) -> None:
    notes = judge(tmp_path, launch(WS), LOGS / "setmaxnreg_rdc.sm_100a.usage.txt").notes
    assert "CHK002 and CHK007: cuobjdump does not report spills" in notes
    assert "CHK003: cuobjdump does not report whether setmaxnreg was ignored" in notes
    assert "CHK006: cuobjdump does not report the target" in notes
    both = [LOGS / f"setmaxnreg_rdc.sm_100a.{kind}.txt" for kind in ("usage", "ptxas")]
    left = judge(tmp_path, launch(WS), *both).notes.replace("not judged: 908 bytes of constant", "")
    assert (
        left.count("not judged") == 1
        and "not judged: threads and the counts of setmaxnreg: not in what" in left
    )
    stack = judge(tmp_path, launch(SPILL), LOGS / "spill.sm_100a.usage.txt").notes
    assert "its 352 B of stack may be spills" in stack
    assert "`named_barriers` not given" in judge(tmp_path, launch(MULTI_A), both[1]).notes


# The command


def test_the_command(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    from kcfg.cli.main import application

    def run(*arguments: str) -> int:
        program = application(["check", *arguments])
        with pytest.raises(SystemExit) as leaving:
            program(["check", *arguments])
        return int(str(leaving.value.code))

    path = tmp_path / "a.kcfg.yaml"
    path.write_text(launch(WS))
    log = str(LOGS / "setmaxnreg_ignored.sm_100a.ptxas.txt")
    assert run(str(path), log) == 1
    assert (
        f"{log}:1:1: error CHK003 the compiler ignored setmaxnreg (C7508)"
        in capsys.readouterr().out
    )
    assert run(str(path), log, "--select", "CHK005") == 0
    assert "2 files, 1 spec" in capsys.readouterr().out
    assert run("llama-3-8b", log, "--format", "json") == 1
    assert '"notes"' in capsys.readouterr().out
    assert run(log, str(path)) == 2
    assert "specs come first and builds behind them; name a build" in capsys.readouterr().err
    assert run(str(path)) == 2
    assert "Invalid value: name a build as well" in capsys.readouterr().err
    assert run("-", "-") == 2
    assert "standard input can be read only once" in capsys.readouterr().err
