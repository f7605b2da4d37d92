"""What real people feed to tools like this, through the commands: place, advice, exit code."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
import time
from pathlib import Path

import programs
import pytest
from test_launches import ERRORS, FINE, WARNINGS
from typer.testing import CliRunner, Result

from kcfg.cli.main import application

INDEXER = """\
kernel: index_prefill
release: 26.6
shape:
  dtype: fp8_e4m3
  ks_dtype: f32
  depth: 128
  BM_key: 128
  mma_n: 128
  num_heads: 32
"""
FA4 = """\
kernel: fa4
release: 26.6
shape:
  qkv_dtype: bf16
  num_q_heads: 32
  group: 4
  qk_depth: 128
  ov_depth: 128
  page_size: 128
  is_mla: false
"""
COMMANDS = ("derive", "validate")
SLOWEST = 2.0
"""Seconds of the processor that any input may take, whatever else runs there."""


def kcfg(*arguments: str, stdin: bytes | str | None = None) -> Result:
    return CliRunner().invoke(application(list(arguments)), list(arguments), input=stdin)


def said(result: Result) -> str:
    """Everything a command said, whichever stream it went to."""
    return result.stdout + result.stderr


def depth(value: str) -> str:
    return INDEXER.replace("depth: 128", f"depth: {value}")


def mla(value: str) -> str:
    return FA4.replace("is_mla: false", f"is_mla: {value}")


def target(value: str) -> str:
    return INDEXER.replace("release: 26.6", f"target: {value}")


# Reading YAML

BOMB = "a: &a [x, x]\n" + "".join(
    f"{chr(98 + i)}: &{chr(98 + i)} [*{chr(97 + i)}, *{chr(97 + i)}]\n" for i in range(20)
)

READING: list[tuple[str | bytes, int, str, str]] = [
    # the input, the exit code, line and column, what is said
    (depth("128\n  depth: 64"), 1, "7:3", "key `depth` is given twice, first in line 6"),
    (INDEXER + "kernel: fa4\n", 1, "10:1", "key `kernel` is given twice, first in line 1"),
    (FA4.replace("qk_depth", "qk_dept"), 1, "7:3", "did you mean `qk_depth`?"),
    (FA4.replace("shape:", "shap:"), 1, "3:1", "did you mean `shape`?"),
    *[(depth(word), 1, "6:10", "expected an integer") for word in ("on", "off", "yes", "no")],
    *[(mla(word), 1, "10:11", "write true") for word in ("on", "yes", "1")],
    *[(mla(word), 1, "10:11", "write false") for word in ("off", "no", "0")],
    (depth("010"), 1, "6:10", "the leading zero is ambiguous (8 on one loader, 10 on another)"),
    (depth("12:30"), 1, "6:10", "with a colon it is no integer (YAML 1.1 reads 750)"),
    (depth("32.0"), 1, "6:10", "a float; write 32"),
    (depth("'32'"), 1, "6:10", "write 32 without quotes"),
    (depth("-32"), 1, "6:10", "must be at least 1, not -32"),
    (depth(".nan"), 1, "6:10", "not-a-number"),
    (depth("9" * 5_001), 1, "6:10", "(5,001 digits) is out of range"),
    (depth("0o40"), 1, "6:10", "write it in decimal: 32"),
    (depth("0x20"), 1, "6:10", "write it in decimal: 32"),
    (depth("1_28"), 1, "6:10", "write 128"),
    (depth("true"), 1, "6:10", "expected an integer from 1 to"),
    (depth("1e3"), 1, "6:10", "write 1000"),
    (INDEXER + "  <<: {depth: 64}\n", 1, "10:3", "merge key `<<`: specs have none"),
    (depth("&d 128"), 1, "6:10", "anchor `&d`: specs have none"),
    (depth("*d"), 1, "6:10", "alias `*d`: specs have none"),
    (BOMB, 1, "1:4", "anchor `&a`: specs have none"),
    (INDEXER.replace("shape:", "shape: &s\n  s: *s"), 1, "3:8", "anchor `&s`"),
    (depth("!!python/object:os.system 1"), 1, "6:10", "tag `!!python/object:os.system`"),
    (depth("!bytes 1"), 1, "6:10", "tag `!bytes`: specs have none"),
    (INDEXER.replace("  depth", "\tdepth"), 2, "6:1", "a tab cannot indent YAML: use spaces"),
    (INDEXER.replace("shape:", "shape: [1,"), 2, "5:11", "bracket `[` at 3:8 is still open"),
    ("[" * 3_000 + "]" * 3_000, 2, "", "nested too deeply"),
    (depth("128").encode().replace(b"fp8", b"\xff8"), 2, "4:10", "not UTF-8: byte 0xff at offset"),
    ("", 2, "1:1", "no spec here: the file is empty"),
    ("# nothing\n\n# but comments\n", 2, "3:1", "no spec here: nothing but comments"),
    ("---\n", 2, "2:1", "no spec here: document 1 is empty"),
    ("- kernel: fa4\n", 1, "1:1", "expected a mapping with `kernel:` and `shape:`, not a list"),
    ("fa4\n", 1, "1:1", "expected a mapping with `kernel:` and `shape:`, not a single value"),
    (f"{INDEXER}---\n{depth('0')}", 1, "16:10", "must be at least 1, not 0"),
    (target("b2000"), 1, "2:9", "did you mean 'b200'?"),
    (target("GH200"), 1, "2:9", "its architecture (sm_90a) and limits are those of 'h200'"),
    (target("sm_120"), 1, "2:9", "rtx_5090 (sm_120) has mma.sync"),
]


@pytest.mark.parametrize("command", COMMANDS)
@pytest.mark.parametrize(("text", "code", "place", "advice"), READING)
def test_reading(
    tmp_path: Path, command: str, text: str | bytes, code: int, place: str, advice: str
) -> None:
    path = tmp_path / "spec.yaml"
    path.write_bytes(text.encode() if isinstance(text, str) else text)
    started = time.process_time()
    result = kcfg(command, str(path))
    assert time.process_time() - started < SLOWEST
    assert result.exit_code == code, said(result)
    lines = [line for line in said(result).splitlines() if line.startswith(f"{path}:{place}")]
    assert any(advice in line for line in lines), said(result)


@pytest.mark.parametrize("command", COMMANDS)
@pytest.mark.parametrize(
    "text",
    [
        "\ufeff" + INDEXER,
        INDEXER.replace("\n", "\r\n"),
        INDEXER + "name: 2026-01-01\n",
        f"%YAML 1.2\n---\n{INDEXER}...\n",
        json.dumps({"kernel": "index_prefill", "shape": {"dtype": "fp8_e4m3", "ks_dtype": "f32"}})[
            :-2
        ]
        + ', "depth": 128, "BM_key": 128, "n_tokens": 4, "num_heads": 32}}',
        *[target(name) for name in ("sm_100a", "B200", "b200", "10.0")],
        INDEXER.replace("26.6", '"26.6"'),
        INDEXER.replace("26.6", "26.6.0"),
    ],
)
def test_what_is_accepted(command: str, text: str) -> None:
    result = kcfg(command, "-", stdin=text.encode())
    assert result.exit_code == 0, said(result)


@pytest.mark.parametrize("command", COMMANDS)
def test_standard_input_is_named(command: str) -> None:
    result = kcfg(command, "-", stdin=depth("0"))
    assert result.exit_code == 1 and "<stdin>:6:10: " in said(result)


def test_a_date_stays_text_and_documents_are_numbered() -> None:
    text = f"{INDEXER}name: 2026-01-01\n---\n{INDEXER}"
    first, second = json.loads(kcfg("derive", "-", "--format", "json", stdin=text).stdout)
    assert (first["name"], first["source"]) == ("2026-01-01", "<stdin>#1:1")
    assert second["source"] == "<stdin>#2:12"


# Files and streams


@pytest.mark.parametrize("command", COMMANDS)
def test_one_bad_file_hides_no_other(command: str, tmp_path: Path) -> None:
    (tmp_path / "bad.yaml").write_text(depth("0"))
    (tmp_path / "good.yaml").write_text(INDEXER)
    (tmp_path / "broken.yaml").write_text("kernel: [")
    (tmp_path / "dangling.yaml").symlink_to(tmp_path / "nowhere")
    names = ("none.yaml", "dangling.yaml", "broken.yaml", "bad.yaml", "good.yaml", "a\0b.yaml")
    result = kcfg(command, *(str(tmp_path / name) for name in names))
    assert result.exit_code == 2
    for words in ("no such file", "a link to", "bracket `[`", "at least 1"):
        lines = [line for line in said(result).splitlines() if words in line]
        assert len(lines) == 1, words
    assert "Traceback" not in said(result) and "a\\x00b.yaml" in said(result)


@pytest.mark.parametrize("command", COMMANDS)
def test_a_directory_is_its_specs(command: str, tmp_path: Path) -> None:
    empty = kcfg(command, str(tmp_path))
    assert empty.exit_code == 2 and "no spec in this directory" in said(empty)
    (tmp_path / "a.yaml").write_text(INDEXER)
    assert kcfg(command, str(tmp_path)).exit_code == 0


@pytest.mark.skipif(not hasattr(os, "geteuid") or os.geteuid() == 0, reason="root reads all")
@pytest.mark.parametrize("command", COMMANDS)
def test_a_file_without_permission(command: str, tmp_path: Path) -> None:
    path = tmp_path / "locked.yaml"
    path.touch(mode=0)
    result = kcfg(command, str(path))
    assert result.exit_code == 2 and "no permission to read this file" in said(result)


@pytest.mark.parametrize("command", COMMANDS)
def test_no_argument_is_wrong_usage(command: str) -> None:
    result = kcfg(command)
    assert result.exit_code == 2 and "Usage: " in result.stderr and not result.stdout


@pytest.mark.parametrize("command", COMMANDS)
@pytest.mark.parametrize(
    "environment",
    [
        {"encoding": "ascii", "errors": "surrogateescape"},
        {"COLUMNS": "40"},
        {"NO_COLOR": "1"},
        {"TERM": "dumb"},
    ],
)
def test_plain_text_whatever_the_terminal(
    command: str, environment: dict[str, str], tmp_path: Path
) -> None:
    (tmp_path / "spécial.yaml").write_text(
        INDEXER.replace("mma_n: 128", "mma_n: 256") + "name: größe\n", encoding="utf-8"
    )
    done = programs.run(command, "spécial.yaml", cwd=tmp_path, **environment)
    assert done.code == 1 and done.err == b""
    assert b"CFG001" in done.out and b"\x1b" not in done.out
    lines = programs.run(command, "spécial.yaml", "--format=jsonl", cwd=tmp_path, **environment)
    assert all(json.loads(line) for line in lines.out.splitlines())
    assert b"\x1b" not in lines.out


def test_plain_text_of_a_process_that_has_another_encoding(tmp_path: Path) -> None:
    """What the interpreter makes of its surroundings when it starts."""
    (tmp_path / "spécial.yaml").write_text(f"{depth('0')}name: größe\n", encoding="utf-8")
    path = os.pathsep.join(filter(None, sys.path))
    done = subprocess.run(
        [sys.executable, "-m", "kcfg.cli", "validate", "spécial.yaml"],
        cwd=tmp_path,
        capture_output=True,
        env={**os.environ, "PYTHONPATH": path, "LC_ALL": "C", "PYTHONUTF8": "0"},
        check=False,
    )
    assert done.returncode == 1 and done.stderr == b"" and b"at least 1, not 0" in done.stdout


@pytest.mark.parametrize("command", COMMANDS)
def test_standard_output_may_be_closed(command: str, tmp_path: Path) -> None:
    (tmp_path / "a.yaml").write_text(INDEXER)
    program = f"exec {sys.executable} -m kcfg.cli {command} a.yaml >&-"
    path = os.pathsep.join(filter(None, sys.path))
    done = subprocess.run(
        ["sh", "-c", program],
        cwd=tmp_path,
        capture_output=True,
        env={**os.environ, "PYTHONPATH": path},
        check=False,
    )
    assert b"Traceback" not in done.stderr and done.returncode in (0, 2)


# Configurations


def launch(shape: str, name: str = "b200") -> str:
    return f"{{kernel: launch, target: {name}, shape: {{{shape}}}}}"


CONFIGURATIONS = [
    *[(launch(shape, name), 1, says) for shape, name, _, says in ERRORS],
    *[(launch(shape), 0, says) for shape, _, says in WARNINGS],
    *[(launch(shape, name), 0, "0 errors, 0 warnings") for shape, name in FINE],
    *[
        (re.sub("(qk|ov)_depth: 128", rf"\1_depth: {head}", FA4), 1, "BN >= 64")
        for head in (208, 256, 320, 512)
    ],
]


@pytest.mark.parametrize(("text", "code", "says"), CONFIGURATIONS)
def test_configurations(text: str, code: int, says: str) -> None:
    result = kcfg("validate", "-", stdin=text)
    assert result.exit_code == code
    assert says in result.stdout
    assert kcfg("derive", "-", stdin=text).exit_code == code
    strict = kcfg("validate", "-", "--strict", stdin=text).exit_code
    assert strict == (1 if ": warning " in result.stdout else code)


def test_padding_costs_what_the_padded_depth_costs() -> None:
    texts = [
        re.sub("(qk|ov)_depth: 128", rf"\1_depth: {head}", FA4) for head in (72, 80, 96, 112, 128)
    ]
    lines = [kcfg("derive", "-", "--get", "smem_used", stdin=text).stdout for text in texts]
    assert len(set(lines)) == 1 and lines[0].strip().isdecimal()
