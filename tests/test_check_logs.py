"""Logs as people have them: cut, coloured, mixed, of many kernels, in any encoding."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from checking import (
    CLEAN,
    FINE,
    LOGS,
    MULTI_A,
    SPILL,
    TILE,
    WARNED,
    WRONG,
    WS,
    judge,
    launch,
)

# Which kernel


@pytest.mark.parametrize(
    ("name", "line"),
    [
        ("_ZN2tk8tile_sumIfLi256ELi64EEEvPKT_PS1_", 7),
        ("void tk::tile_sum<float, 256, 64>(float const*, float*)", 7),
        ("tk::tile_sum<float,256,64>", 7),
        ("tile_sum<float, (int)256, (int)64>", 7),
        ("tile_sum<double", 2),
        ("tile_sum<*, 128, ?6>", 12),
        ("*Lf128*", 0),
        ("*IfLi128*", 12),
    ],
)
def test_a_kernel_by_name_or_pattern(tmp_path: Path, name: str, line: int) -> None:
    judged = judge(tmp_path, launch(TILE), LOGS / "templated.sm_100a.ptxas.txt", name=name)
    assert judged.code == 2 if not line else f":{line}: judged: void tk::tile_sum" in judged.notes


def test_names_stay_as_they_are_without_the_library(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from kcfg.core.check import demangling, symbols

    monkeypatch.setattr(demangling, "_library", lambda: None)
    symbols.demangled.cache_clear()
    log = LOGS / "templated.sm_100a.ptxas.txt"
    judged = judge(tmp_path, launch(TILE), log, name="tile_sumIfLi256")
    symbols.demangled.cache_clear()
    assert ":7: judged: _ZN2tk8tile_sumIfLi256ELi64EEEvPKT_PS1_ for sm_100a" in judged.notes


def test_a_whole_name_goes_before_a_part_of_others(tmp_path: Path) -> None:
    log = (LOGS / "multi.sm_100a.ptxas.txt").read_bytes().replace(b"multi_b", b"multi_a2")
    assert ":14: judged: multi_a " in judge(tmp_path, launch(MULTI_A), log, name="multi_a").notes


@pytest.mark.parametrize(
    ("name", "said"),
    [
        (
            None,
            "3 kernels are in the builds; say which by --kernel-name, or by `build: {",
        ),
        ("multi", "3 kernels fit `multi`"),
        ("multi_[", "no kernel fits `multi_[`; the builds have 3 kernels"),
        ("", "3 kernels fit ''"),
    ],
)
def test_none_or_several_are_listed(tmp_path: Path, name: str | None, said: str) -> None:
    log = LOGS / "multi.sm_100a.ptxas.txt"
    judged = judge(tmp_path, launch(MULTI_A), log, name=name)
    assert (list(judged.rules), judged.code) == (["LOG001"], 2)
    assert said in judged.of("LOG001").message
    assert f"{log}:14: multi_a for sm_100a" in judged.notes


def test_a_kernel_of_the_right_target_goes_before_others(tmp_path: Path) -> None:
    log = (LOGS / "clean.sm_90a.ptxas.txt").read_bytes().replace(b"clean_scale", b"other")
    judged = judge(tmp_path, launch(CLEAN), log + (LOGS / "clean.sm_100a.ptxas.txt").read_bytes())
    assert judged.rules == FINE and "clean_scale for sm_100a" in judged.notes


@pytest.mark.parametrize(
    ("target", "builds", "judged"),
    [
        ("b200", "sm_90a sm_100f", "sm_100f"),
        ("b200", "sm_100f sm_100a sm_103a", "sm_100a"),
        ("sm_100", "sm_103a sm_100a", "sm_100a"),
        ("b300", "sm_100a sm_100", "sm_100"),
        ("gb10", "sm_120f sm_120a", "sm_120f"),
        ("h200", "sm_80 sm_90", "sm_90"),
        ("h200", "sm_80 sm_100a", "sm_80 sm_100a"),
    ],
)
def test_the_builds_that_run_on_the_target_are_judged(
    tmp_path: Path, target: str, builds: str, judged: str
) -> None:
    clean = (LOGS / "clean.sm_100a.ptxas.txt").read_bytes()
    log = b"".join(clean.replace(b"sm_100a", each.encode()) for each in builds.split())
    found = judge(tmp_path, launch(CLEAN, target), log)
    assert re.findall(r": judged: clean_scale for (\w+)", found.notes) == judged.split()
    assert set(found.rules) == ({"CHK006"} if judged == builds else set())


def test_every_different_build_of_a_kernel_counts(tmp_path: Path) -> None:
    log = (LOGS / "clean.sm_100a.ptxas.txt").read_bytes()
    again = log + log + log.replace(b"4096 bytes", b"2048 bytes")
    judged = judge(tmp_path, launch(CLEAN), again)
    assert (judged.of("CHK004").line, judged.notes.count("judged: clean_scale")) == (17, 2)


@pytest.mark.parametrize("log", [b"", b"\n", b"[1/2] Building CUDA object a.o\n", b"\xff\xfe\0\0"])
def test_a_log_without_a_kernel(tmp_path: Path, log: bytes) -> None:
    judged = judge(tmp_path, launch(CLEAN), log, LOGS / "clean.sm_100a.ptxas.txt")
    assert (list(judged.rules), judged.code) == (["LOG001"], 2)
    assert "nvcc -Xptxas -v" in judged.of("LOG001").message
    missing = judge(tmp_path, launch(CLEAN), tmp_path / "none.log")
    assert missing.code == 2 and "no such file" in missing.of("SPEC001").message


# What surrounds the lines, and what becomes of them

GOOD = (LOGS / "setmaxnreg_ignored.sm_100a.ptxas.txt").read_bytes()
NINJA = b"[7/9] Building CUDA object CMakeFiles/k.dir/a.cu.o\n"


def coloured(text: bytes) -> bytes:
    lines = (b"\x1b[1;33m" + line + b"\x1b[0m\x1b[K" for line in text.split(b"\n"))
    return b"\n".join(lines)


def prefixed(text: bytes, prefix: bytes) -> bytes:
    return b"".join(prefix + line for line in text.splitlines(keepends=True))


SURROUNDINGS = {
    "windows": GOOD.replace(b"\n", b"\r\n"),
    "colour": coloured(GOOD),
    "utf-16, little": b"\xff\xfe" + GOOD.decode().replace("\n", "\r\n").encode("utf-16-le"),
    "utf-16, big": b"\xfe\xff" + GOOD.decode().encode("utf-16-be"),
    "utf-16 behind utf-8": b"-- Configuring\xc3\xa9\r\n" + GOOD.decode().encode("utf-16-le"),
    "utf-8 with a mark": b"\xef\xbb\xbf" + GOOD,
    "latin-1": "Génération terminée\n".encode("latin-1") + GOOD,
    "msbuild": prefixed(GOOD, b"  12>CUDACOMPILE : "),
    "docker": prefixed(GOOD, b"#12 34.56 "),
    "actions": prefixed(GOOD, b"2026-11-03T10:12:13.1234567Z "),
    "progress": b"[6/9] Linking\r" + NINJA[:-1] + b"\r" + GOOD,
    "ninja": NINJA + GOOD + NINJA.replace(b"7", b"8") + b"ninja: build stopped.\n",
    "make": b"[ 50%] Building CUDA object a.o\nnvcc -Xptxas -v -c a.cu -o a.o\n" + GOOD,
    "notes between": GOOD.replace(
        b"ptxas info    : Used", b"a.cu(4): warning #177-D\n\nptxas : Used"
    ),
    "a long line": b"x" * 300_000 + b" ptxas error : no\n" + GOOD,
}


@pytest.mark.parametrize("log", SURROUNDINGS.values(), ids=SURROUNDINGS)
def test_what_people_have(tmp_path: Path, log: bytes) -> None:
    assert judge(tmp_path, launch(WS), log).rules == {"CHK001": WRONG, "CHK003": WRONG}


def test_jobs_side_by_side(tmp_path: Path) -> None:
    other = prefixed((LOGS / "clean.sm_100a.ptxas.txt").read_bytes(), b"2>").splitlines(True)
    mine = prefixed(GOOD, b"1>").splitlines(True)
    mixed = b"".join(part for pair in zip(mine, other, strict=False) for part in pair)
    judged = judge(tmp_path, launch(CLEAN), mixed, name="clean_scale")
    assert judged.rules == FINE and "sets no registers" not in judged.notes


def test_jobs_that_share_lines(tmp_path: Path) -> None:
    clean = (LOGS / "clean.sm_100a.ptxas.txt").read_bytes().splitlines(True)
    spill = (LOGS / "spill.sm_100a.ptxas.txt").read_bytes().splitlines(True)
    mixed = b"".join([*clean[:2], *spill[:2], *clean[2:], *spill[2:]])
    # Two kernels begin before either has figures: whose they are is a guess, even with names.
    for shape, name in ((CLEAN, "clean_scale"), (SPILL, "spill_mix")):
        judged = judge(tmp_path, launch(shape), mixed, name=name)
        assert (judged.rules, judged.code) == ({"LOG002": WARNED}, 0)
        assert "judged:" not in judged.notes
    apart = mixed + b"".join(clean)
    judged = judge(tmp_path, launch(CLEAN), apart, name="clean_scale")
    assert judged.rules == {"LOG002": WARNED} and judged.notes.count(": judged: clean_scale") == 1


def test_figures_between_kernels_that_begin_are_theirs(tmp_path: Path) -> None:
    one = (LOGS / "clean.sm_100a.ptxas.txt").read_bytes()
    grepped = b"".join(
        line for line in one.splitlines(True) if b"Compiling" in line or b"Used" in line
    )
    twice = grepped + grepped.replace(b"clean_scale", b"other")
    assert judge(tmp_path, launch(CLEAN), twice, name="clean_scale").rules == FINE


@pytest.mark.parametrize("name", ["clean.sm_100a.ptxas", "clean.sm_100a.usage"])
def test_a_cut_log_never_gives_a_false_alarm(tmp_path: Path, name: str) -> None:
    log = (LOGS / f"{name}.txt").read_bytes()
    for end in range(len(log)):
        judged = judge(tmp_path, launch(CLEAN), log[:end])
        assert set(judged.rules) <= {"LOG001"}, log[:end][-40:]


@pytest.mark.parametrize("width", range(20, 90))
def test_lines_cut_at_a_width(tmp_path: Path, width: int) -> None:
    log = b"\n".join(
        line[:width] for line in (LOGS / "clean.sm_100a.ptxas.txt").read_bytes().split(b"\n")
    )
    assert set(judge(tmp_path, launch(CLEAN), log).rules) <= {"LOG001"}


def test_older_compilers_count_no_barriers(tmp_path: Path) -> None:
    log = (LOGS / "clean.sm_100a.ptxas.txt").read_bytes()
    log = log.replace(b"used 1 barriers, 4096 bytes smem", b"4096 bytes smem, 920 bytes cmem[0]")
    judged = judge(tmp_path, launch(CLEAN), log)
    assert judged.rules == FINE and "CHK005: ptxas does not report named barriers" in judged.notes


LOWERED = b"""\
ptxas info    : Compiling entry function 'k' for 'sm_100a'
ptxas info    : Function properties for k
    0 bytes stack frame, %d bytes spill stores, 0 bytes spill loads
ptxas info    : Used %d registers, used 0 barriers
"""


@pytest.mark.parametrize(
    ("used", "spilled", "says"),
    [
        (232, 0, None),
        (255, 0, None),
        (232, 8, "23 under the 255 it may have at entry; raise the largest inc to 256 or more"),
        (224, 0, "31 under the 255 it may have at entry; see its launch bounds"),
    ],
)
def test_an_inc_lowers_the_count_at_entry(
    tmp_path: Path, used: int, spilled: int, says: str | None
) -> None:
    shape = "threads: 256, registers: {launch_bounds: [256, 1], warpgroups: [64, 232]}"
    judged = judge(tmp_path, launch(shape), LOWERED % (spilled, used))
    assert ("CHK001" in judged.rules) == (says is not None)
    assert says is None or says in judged.of("CHK001").message


# Whom an advisory or an error is about


def test_an_advisory_among_several_kernels(tmp_path: Path) -> None:
    clean = (LOGS / "clean.sm_100a.ptxas.txt").read_bytes().split(b"\n", 1)[1]
    both = GOOD + clean  # one compilation: its memory is counted once
    mine = judge(tmp_path, launch(WS), both, name="ws")
    assert "C7508, in 1 of 2 kernels here" in mine.of("CHK003").message
    assert "not this one, if its launch bounds are compiled" in mine.of("CHK003").message
    assert mine.rules["CHK003"] == WARNED  # of which of the two nobody can tell
    unbound = launch(WS.replace("launch_bounds: [384, 1], ", ""))
    assert judge(tmp_path, unbound, both, name="ws").of("CHK003").severity == WARNED
    other = judge(tmp_path, launch(CLEAN), both, name="clean")
    assert other.rules == FINE and "sets no registers" in other.notes
    apart = GOOD + (LOGS / "clean.sm_100a.ptxas.txt").read_bytes()
    assert "sets no registers" not in judge(tmp_path, launch(CLEAN), apart, name="clean").notes


def test_an_advisory_behind_the_only_kernel(tmp_path: Path) -> None:
    first, rest = GOOD.split(b"\n", 1)
    assert "CHK003" in judge(tmp_path, launch(WS), rest + first + b"\n").rules
    alone = judge(tmp_path, launch(WS), first + b"\n")
    assert (alone.rules, alone.code) == ({"CHK003": WRONG}, 1)
    assert judge(tmp_path, launch(CLEAN), first + b"\n").code == 2


def test_an_error_of_another_file_is_not_this_kernels(tmp_path: Path) -> None:
    refused = (LOGS / "tmem_alloc_bad.sm_100a.ptxas.txt").read_bytes()
    clean = (LOGS / "clean.sm_100a.ptxas.txt").read_bytes()
    assert judge(tmp_path, launch(CLEAN), refused, clean).rules == FINE
    assert judge(tmp_path, launch(CLEAN), refused + clean).rules == FINE
    judged = judge(tmp_path, launch(CLEAN), refused + clean, name="tmem_alloc_bad")
    assert (judged.rules, judged.code) == ({"LOG001": WRONG, "CHK008": WRONG}, 2)
    died = b"nvcc error   : 'ptxas' died due to signal 11 (Invalid memory reference)\n"
    assert judge(tmp_path, launch(CLEAN), died).rules == {"CHK008": WRONG}


def test_memory_is_bounded(tmp_path: Path) -> None:
    import tracemalloc

    path = tmp_path / "big.log"
    with path.open("wb") as file:
        for number in range(3000):
            file.write(b"ptxas " + b"y" * 500 + b"\n" + GOOD.replace(b"ws_", b"k%d_" % number))
    tracemalloc.start()
    judged = judge(tmp_path, launch(WS), path)
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert judged.code == 2 and "more reports, of others" in judged.notes
    assert peak < path.stat().st_size / 2
    assert judge(tmp_path, launch(WS), path, name="k2999_setmaxnreg_ignored").code == 1


def test_figures_without_any_kernels_name(tmp_path: Path) -> None:
    log = b"ptxas info    : Used 10 registers, used 1 barriers, 4096 bytes smem\n"
    judged = judge(tmp_path, launch(CLEAN), log)
    assert judged.code == 2 and "a kernel that is not named" in judged.of("LOG001").message
    assert "1 kernel: one without a name" in (
        judge(tmp_path, launch(CLEAN), log, name="clean").of("LOG001").message
    )
