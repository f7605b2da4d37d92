"""What every output format must give, whichever there are: a new one is asked the same."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from typer.testing import CliRunner, Result

from kcfg.cli import formats
from kcfg.cli.main import application

GOOD = """\
kernel: index_prefill
release: 26.6
name: a name of its own
shape: {dtype: fp8_e4m3, ks_dtype: f32, depth: 128, BM_key: 128, mma_n: 128, num_heads: 32}
"""
BAD = GOOD.replace("mma_n: 128", "mma_n: 256")
SMEM_USED = "102132"

LAUNCH = "kernel: launch\nshape: {threads: 1056, shared: {dynamic: 233472}}\n"
"""A launch with two errors."""


def kcfg(*arguments: str, stdin: str = "") -> Result:
    return CliRunner().invoke(application(arguments), list(arguments), input=stdin)


def plain(text: str) -> str:
    """A text without what separates the digits of numbers, and without what Markdown escapes."""
    return re.sub(r"(?<=\d),(?=\d{3})", "", text).replace("\\", "")


@pytest.mark.parametrize("format", formats.names("derive"))
def test_every_format_of_derive_has_every_spec_and_its_values(format: str) -> None:
    one = kcfg("derive", "-", "--format", format, stdin=GOOD)
    assert one.exit_code == 0 and one.stderr == ""
    assert SMEM_USED in plain(one.stdout)
    two = kcfg("derive", "-", "--format", format, stdin=f"{GOOD}---\n{BAD}")
    assert two.exit_code == 1, "one of them is refused"
    assert SMEM_USED in plain(two.stdout)
    assert len(two.stdout) > len(one.stdout)
    none = kcfg("derive", "-", "--format", format, stdin="kernel: no\nshape: {}\n")
    assert none.exit_code != 0 and "unknown kernel" in none.stderr
    launch = kcfg("derive", "-", "--format", format, stdin=LAUNCH)
    assert launch.exit_code == 1 and "launch" in launch.stdout


@pytest.mark.parametrize("format", formats.names("explain"))
def test_every_format_of_explain_tells_a_value_and_a_whole_configuration(format: str) -> None:
    named = kcfg("explain", "-", "smem_used", "--format", format, stdin=GOOD)
    assert named.exit_code == 0 and SMEM_USED in plain(named.stdout)
    whole = kcfg("explain", "-", "--format", format, stdin=GOOD)
    assert whole.exit_code == 0 and SMEM_USED in plain(whole.stdout)
    refused = kcfg("explain", "-", "--format", format, stdin=BAD)
    assert refused.exit_code == 1 and "one_consumer_warpgroup" in plain(refused.stdout)
    launch = kcfg("explain", "-", "--format", format, stdin=LAUNCH)
    assert launch.exit_code == 1 and "BLK001" in launch.stdout


@pytest.mark.parametrize("format", formats.names("diff"))
def test_every_format_of_diff_says_what_changed(format: str, tmp_path: Path) -> None:
    (tmp_path / "a.kcfg.yaml").write_text(GOOD)
    path = str(tmp_path / "a.kcfg.yaml")
    changed = kcfg("diff", path, "--set", "mma_n=128..96", "--format", format)
    assert changed.exit_code == 1
    assert "mma_n" in plain(changed.stdout) and SMEM_USED in plain(changed.stdout)
    same = kcfg("diff", path, path, "--format", format)
    assert same.exit_code == 0


@pytest.mark.parametrize("format", formats.names("validate"))
def test_every_format_of_validate_has_every_finding(format: str, tmp_path: Path) -> None:
    for name, text in (("good", GOOD), ("bad", LAUNCH), ("broken", "kernel: [")):
        (tmp_path / f"{name}.kcfg.yaml").write_text(text)
    paths = [str(tmp_path / f"{name}.kcfg.yaml") for name in ("good", "bad")]
    found = kcfg("validate", *paths, "--format", format)
    assert found.exit_code == 1
    assert "BLK001" in found.stdout and "SMEM001" in found.stdout
    assert "bad.kcfg.yaml" in found.stdout
    assert kcfg("validate", paths[0], "--format", format).exit_code == 0
    broken = kcfg("validate", str(tmp_path / "broken.kcfg.yaml"), "--format", format)
    assert broken.exit_code == 2 and "SPEC001" in broken.stdout


@pytest.mark.parametrize("format", formats.names("sweep"))
def test_every_format_of_sweep_has_every_point(format: str, tmp_path: Path) -> None:
    (tmp_path / "a.kcfg.yaml").write_text(GOOD)
    out = tmp_path / "points"
    asked = ("--set", "mma_n=[64,96,128]", "--columns", "mma_n,smem_used", "--format", format)
    binary = format == "parquet"
    more = ("-o", str(out)) if binary else ()
    done = kcfg("sweep", str(tmp_path / "a.kcfg.yaml"), *asked, *more)
    assert done.exit_code == 0, done.output
    if not binary:
        said = done.stdout + plain(done.stdout)
        assert all(used in said for used in ("110724", "114948", SMEM_USED))
    else:
        assert out.read_bytes()[:4] == b"PAR1"
