"""What a file causes is bounded, in what is written and in what it takes, whatever it holds."""

from __future__ import annotations

import re
import time
from pathlib import Path

import pytest
from checking import LOGS, judge, launch
from typer.testing import CliRunner, Result

from kcfg.cli.main import application
from kcfg.core import presets
from kcfg.core.check.symbols import demangled
from kcfg.core.validate.run import Options, Run

LAUNCH = "kernel: launch\nshape: {threads: 128}\n"
MANY = "9" * 5000


def kcfg(*arguments: str | Path, stdin: str | None = None) -> Result:
    command = list(map(str, arguments))
    return CliRunner().invoke(application(command), command, input=stdin)


def findings(path: Path) -> list[str]:
    return [each.finding.message for judged in Run([str(path)], Options()) for each in judged.found]


# Waivers and settings


def test_complaints_about_waivers_are_bounded(tmp_path: Path) -> None:
    path = tmp_path / "a.kcfg.yaml"
    ids = ",".join(f"X{n:x}" for n in range(10_000))
    path.write_text(f"{LAUNCH}  # kcfg: ignore[{ids}]\n".replace("}\n ", "} "))
    begun = time.process_time()
    found = findings(path)
    assert len(found) == 101 and found[-1] == "too many problems; the rest is not listed"
    assert sum(map(len, found)) < 40_000 and time.process_time() - begun < 5


def test_so_are_comments_that_are_long_or_many(tmp_path: Path) -> None:
    path = tmp_path / "a.kcfg.yaml"
    path.write_text(LAUNCH + "# kcfg: ignore[X]\n" * 3000)
    assert len(findings(path)) == 101
    path.write_text(f"# kcfg: {'long ' * 10_000}\n{LAUNCH}")
    assert sum(map(len, findings(path))) < 500
    path.write_text(f"# kcfg: ignore[{'X' * 60_000}]\n{LAUNCH}")
    assert sum(map(len, findings(path))) < 1000


def test_unknown_settings_are_named_up_to_some(tmp_path: Path) -> None:
    path = tmp_path / "a.kcfg.yaml"
    path.write_text(LAUNCH)
    keys = "".join(f"key{n} = 1\n" for n in range(10_000))
    (tmp_path / "pyproject.toml").write_text(f"[tool.kcfg]\n{keys}")
    found = findings(path)
    assert len(found) == 21 and found[-1] == "9,980 more unknown keys"


@pytest.mark.parametrize(
    ("table", "said"),
    [
        (f"target = {MANY}", "a number in this file has too many digits"),
        (f"target = 0x{'f' * 5000}", "not a number of thousands of digits"),
        (f"strict = [0x{'f' * 5000}]", "not a number of thousands of digits"),
        (f"emit = [{{spec = 0x{'f' * 5000}}}]", "not a number of thousands of digits"),
        (f'target = "{MANY}"', "unknown target '99999999999999999999...9999999999'"),
    ],
)
def test_settings_with_thousands_of_digits(tmp_path: Path, table: str, said: str) -> None:
    path = tmp_path / "a.kcfg.yaml"
    path.write_text(LAUNCH)
    (tmp_path / "pyproject.toml").write_text(f"[tool.kcfg]\n{table}\n")
    (found,) = findings(path)
    assert said in found and len(found) < 500


# Logs


def test_a_log_with_thousands_of_digits(tmp_path: Path) -> None:
    log = (LOGS / "spill.sm_100a.ptxas.txt").read_text()
    many = re.sub(r"(?m)([0-9]+)(?= bytes| registers| barriers)", MANY, log)
    assert many.count(f"{MANY} bytes stack") and many.count(f"Used {MANY} registers")
    (tmp_path / "many.log").write_text(many)
    judged = judge(tmp_path, launch("threads: 128"), tmp_path / "many.log")
    assert f"the registers: {len(MANY):,} digits are no figure" in judged.notes
    dump = f" Function k:\n  REG:{MANY} STACK:0 SHARED:{MANY} LOCAL:0\n".encode()
    assert "cuobjdump does not report" in judge(tmp_path, launch("threads: 128"), dump).notes


def test_a_target_with_thousands_of_digits(tmp_path: Path) -> None:
    log = (LOGS / "clean.sm_100a.ptxas.txt").read_bytes().replace(b"sm_100a", f"sm_{MANY}".encode())
    mma = "threads: 128, unit: tcgen05, mma: [{kind: f16, M: 128, N: 128}]"
    judged = judge(tmp_path, launch(mma), log)
    assert "CHK006" in {finding.rule for finding in judged.findings}
    assert len(judged.notes) < 5000


def bomb(levels: int) -> str:
    """A mangled name in which each parameter is a pair of the one before."""
    digits = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ"
    pairs = [f"S_I{f'S{digits[n]}_' * 2}E" for n in range(levels)]
    return f"_Z1f1AIiiE{''.join(pairs)}"


def test_a_name_that_stands_for_gigabytes_stays_mangled() -> None:
    pytest.importorskip("pydemumble")
    assert demangled(bomb(2)).startswith("f(A<int, int>, A<A<int, int>, A<int, int>>")
    begun = time.monotonic()
    for levels in range(26, 36):
        assert demangled(bomb(levels)) == bomb(levels)
    assert time.monotonic() - begun < 20
    assert demangled("_Z3barv") == "bar()"


# Saved reports


@pytest.mark.parametrize("number", [f"0x{'f' * 5000}", f"1{':59' * 4000}", MANY, ".inf", "1e999"])
@pytest.mark.parametrize("key", ["num_kv_stages", "page_size", "schema"])
def test_saved_reports_with_numbers_out_of_bounds(tmp_path: Path, key: str, number: str) -> None:
    text = kcfg("derive", "--preset", "llama-3-8b", "--format", "yaml").stdout
    text, count = re.subn(rf"(?m)^( *{key}:) .*$", rf"\1 {number}", text, count=1)
    assert count == 1
    (tmp_path / "a.yaml").write_text(text)
    for command in ("validate", "diff"):
        done = kcfg(command, tmp_path / "a.yaml")
        assert isinstance(done.exception, SystemExit) and done.exit_code in (1, 2)
        assert len(done.output) < 1000


def test_a_saved_report_has_no_anchors(tmp_path: Path) -> None:
    text = kcfg("derive", "--preset", "llama-3-8b", "--format", "yaml").stdout
    lists = "".join(f"  a{n}: &a{n} [{', '.join([f'*a{n - 1}'] * 9)}]\n" for n in range(1, 12))
    (tmp_path / "a.yaml").write_text(f"{text}more:\n  a0: &a0 [1]\n{lists}")
    for command in ("validate", "diff"):
        done = kcfg(command, tmp_path / "a.yaml")
        assert done.exit_code == 2 and "reports have no anchors" in done.output


# Pictures


@pytest.mark.parametrize(
    "command", [("draw",), ("draw", "-o", "FILE.svg"), ("report", "-o", "FILE.html")]
)
def test_a_picture_of_thousands_is_refused(tmp_path: Path, command: tuple[str, ...]) -> None:
    specs = "---\n".join([presets.text("llama-3-8b")] * 501)
    done = kcfg(*(word.replace("FILE", str(tmp_path / "a")) for word in command), "-", stdin=specs)
    assert done.exit_code == 2 and "more than 500 configurations" in done.stderr
    assert not done.stdout and list(tmp_path.iterdir()) == []


def test_a_width_is_bounded() -> None:
    assert kcfg("draw", "--preset", "llama-3-8b", "--width", "9" * 9).exit_code == 2
