"""How long commands take from start to end, beside programs that one would compare them with.

Install kcfg as its users do (a wheel, not an editable install), then run this file with
that interpreter: ``python tests/bench/startup.py [runs]``. yamllint and check-jsonschema are
compared where they are installed. No time passes or fails.
"""

from __future__ import annotations

import sys
from pathlib import Path
from tempfile import TemporaryDirectory

from common import installed, medians, script, show

EMPTY = '''\
from typing import Annotated

import typer

app = typer.Typer(rich_markup_mode=None, pretty_exceptions_enable=False, add_completion=False)


@app.command()
def hello(
    name: Annotated[str, typer.Argument(help="Whom to greet.")],
    loud: Annotated[bool, typer.Option("--loud", help="Whether to shout.")] = False,
) -> None:
    """Greet somebody."""


app()
'''
SPEC = """\
---
kernel: fa4
release: 26.6
shape:
  qkv_dtype: bf16
  num_q_heads: 32
  group: 4
  qk_depth: 128
  ov_depth: 128
  page_size: 128
"""
FILES = 200
PRESET = ["--preset", "llama-3-8b"]

BESIDE = {
    "validate, 1 file": "yamllint, 1 file",
    "kcfg-validate, 1 file": "yamllint, 1 file",
    f"validate, {FILES} files": f"yamllint, {FILES} files",
    f"kcfg-validate, {FILES} files": f"yamllint, {FILES} files",
}


def called(program: list[str], *arguments: str) -> list[str]:
    """A program with arguments; empty where there is no such program."""
    return [*program, *arguments] if program else []


def main(runs: int) -> None:
    kcfg, hook, lint = script("kcfg"), script("kcfg-validate"), script("yamllint")
    schema = script("check-jsonschema")
    with TemporaryDirectory() as name:
        folder = Path(name)
        (folder / "empty.py").write_text(EMPTY)
        files = [f"{number}.kcfg.yaml" for number in range(FILES)]
        for file in files:
            (folder / file).write_text(SPEC)
        if kcfg:
            (folder / "schema.json").write_bytes(_schema(kcfg))
        one, against = files[:1], ["--schemafile", "schema.json"]
        commands = {
            "python -c pass": [sys.executable, "-c", "pass"],
            "empty Typer application": [sys.executable, "empty.py", "world"],
            "--version": called(kcfg, "--version"),
            "--help": called(kcfg, "--help"),
            "derive --get": called(kcfg, "derive", *PRESET, "--get", "num_kv_stages"),
            "derive": called(kcfg, "derive", *PRESET),
            "explain": called(kcfg, "explain", *PRESET, "num_kv_stages"),
            "validate, 1 file": called(kcfg, "validate", *one),
            "kcfg-validate, 1 file": called(hook, *one),
            "yamllint, 1 file": called(lint, *one),
            "check-jsonschema, 1 file": called(schema, *against, *one),
            f"validate, {FILES} files": called(kcfg, "validate", *files),
            f"kcfg-validate, {FILES} files": called(hook, *files),
            f"yamllint, {FILES} files": called(lint, *files),
            f"check-jsonschema, {FILES} files": called(schema, *against, *files),
        }
        found = medians(installed(commands), folder, runs)
    show(found, "ms", dict.fromkeys(found, "empty Typer application") | BESIDE)


def _schema(kcfg: list[str]) -> bytes:
    import subprocess

    return subprocess.run([*kcfg, "schema"], capture_output=True, check=True).stdout


if __name__ == "__main__":
    main(int(sys.argv[1]) if sys.argv[1:] else 20)
