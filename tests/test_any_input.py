"""Anything at all through the commands: no traceback, the right exit code, no waiting."""

from __future__ import annotations

import io
import json
import random
import sys
import time
from collections.abc import Iterator
from typing import Any

import pytest
from test_bad_input import SLOWEST, kcfg

from kcfg.cli import hook
from kcfg.core import kernels
from kcfg.core.engine.quantity import Input

SEED = 20_251_129
TRIES = 300
"""Inputs of each kind: the same on every machine, however fast."""

PIECES = (
    "kernel: index_prefill\n", "kernel: fa4\n", "kernel: launch\n", "release: 26.6\n", "shape:\n",
    "shape: {", "}\n", "  depth: 128\n", "depth: ", "- ", "[", "]", "---\n", "...\n", "&a ", "*a",
    "!!int ", "!x ", "? ", ": ", "# kcfg: ignore[SMEM001] x\n", "# kcfg: ", "|\n", ">-\n", "\t",
    "'", '"', "\ufeff", "\0", "é", "\U0001f600", "<<: ", "1e999", "-0", "9" * 40, "expect:\n",
    "  k_stages: '<= 4'\n", "threads: 384\n", "\r\n", "%YAML 1.1\n",
    "{\"schema\": 1, \"values\": {",
)  # fmt: skip


def random_bytes(rng: random.Random) -> bytes:
    return rng.randbytes(rng.randrange(400))


def random_yaml(rng: random.Random) -> bytes:
    return "".join(rng.choices(PIECES, k=rng.randrange(40))).encode()


def random_spec(rng: random.Random) -> bytes:
    """A spec of declared inputs, most of them plausible, some of them not."""
    name = rng.choice(kernels.names())
    release = rng.choice(kernels.releases(name))
    inputs = kernels.find(name, release).inputs.values()
    shape = {m.key: random_value(rng, m) for m in inputs if m.default is None or rng.random() < 0.9}
    lines = [f"kernel: {name}", f"release: {release}", "shape:"]
    lines += [f"  {key}: {json.dumps(value)}" for key, value in shape.items()]
    if rng.random() < 0.3:
        lines += ["expect:", f"  supported: {rng.choice(['true', 'false', '[true]'])}"]
    if rng.random() < 0.2:
        lines.insert(rng.randrange(len(lines)), "# kcfg: ignore[CFG001] for once")
    return "\n".join(lines).encode()


def random_value(rng: random.Random, member: Input) -> Any:
    if rng.random() < 0.02:
        return rng.choice((None, -1, "yes", 1 << 64, 0.5, [], {}))
    if member.kind is bool:
        return rng.random() < 0.5
    if member.kind is str:
        return rng.choice(member.choices)
    sizes = [member.least, member.most, 16, 64, 128, 256, 512, rng.randrange(1, 4096)]
    return rng.choice([size for size in sizes if member.least <= size <= member.most])


@pytest.fixture
def silent(monkeypatch: pytest.MonkeyPatch) -> Iterator[Any]:
    """Runs the hook on bytes from standard input: exit code and what was found."""

    def judge(data: bytes) -> tuple[int, list[dict[str, Any]]]:
        output = io.StringIO()
        monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(data)))
        monkeypatch.setattr(sys, "stdout", output)
        code = hook.run(["--format", "jsonl", "-"])
        monkeypatch.undo()
        return code, [json.loads(line) for line in output.getvalue().splitlines()]

    yield judge
    monkeypatch.undo()


@pytest.mark.parametrize("make", [random_bytes, random_yaml, random_spec])
def test_anything_at_all(make: Any, silent: Any) -> None:
    rng = random.Random(SEED)
    codes = set()
    for tried in range(TRIES):
        data = make(rng)
        started = time.process_time()
        code, found = silent(data)
        assert time.process_time() - started < SLOWEST, data
        unread = any(each["rule"] == "SPEC001" for each in found)
        wrong = any(each["severity"] == "error" for each in found)
        assert code == (2 if unread else 1 if wrong else 0), data
        assert all(each["line"] and each["column"] and each["message"] for each in found), data
        if tried % 10 == 0 and b"kcfg:" not in data and b"expect" not in data:
            derived = kcfg("derive", "-", "--format", "jsonl", stdin=data)
            assert derived.exit_code == code, data
            assert "Traceback" not in derived.stderr
        codes.add(code)
    assert len(codes) > 1 or make is random_bytes
