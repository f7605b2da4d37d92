"""What tests of setmaxnreg share: launches, rows of a device, and blocks that mix counts."""

from __future__ import annotations

import json
from itertools import groupby
from pathlib import Path
from typing import Any

from kcfg.core.finding import Finding
from kcfg.core.findings import findings
from kcfg.core.kernel import Kernel
from kcfg.core.spec import Spec, read

Shape = dict[str, Any]


def derived(shape: Shape, target: str = "h200") -> Kernel:
    text = json.dumps({"kernel": "launch", "target": target, "shape": shape})
    (spec,) = read(text, "spec.yaml")
    assert isinstance(spec, Spec), [str(problem) for problem in spec]
    return spec.derive()


def of(rule: str, shape: Shape, target: str = "h200") -> list[Finding]:
    return [found for found in findings(derived(shape, target)) if found.rule == rule]


def launch(text: str, target: str = "h200") -> list[Finding]:
    (spec,) = read(f"{{kernel: launch, target: {target}, shape: {{{text}}}}}", "spec.yaml")
    assert isinstance(spec, Spec), [str(problem) for problem in spec]
    return findings(spec.derive())


def as_shape(text: str) -> Shape:
    import yaml

    loaded: Shape = yaml.safe_load(f"{{{text}}}")
    return loaded


def rows() -> list[dict[str, Any]]:
    path = Path(__file__).parent / "golden" / "setmaxnreg_h200.jsonl"
    columns, *lines = map(json.loads, path.read_text(encoding="utf-8").splitlines())
    return [dict(zip(columns, line, strict=True)) for line in lines]


def by_roles(row: dict[str, Any]) -> Shape:
    """The launch of a row: a role for every run of warps that set the same."""
    runs = [(count, len(list(warps))) for count, warps in groupby(row["counts"])]
    roles = [{"warps": n} if count is None else {"warps": n, "count": count} for count, n in runs]
    return {"threads": row["threads"], "registers": {"entry": row["entry"], "roles": roles}}


def by_warpgroups(row: dict[str, Any]) -> Shape | None:
    """The same with a count for every warpgroup; None where they are not whole, or mix counts."""
    counts = row["counts"]
    groups = [set(counts[first : first + 4]) for first in range(0, len(counts), 4)]
    if len(counts) % 4 or any(len(group) > 1 for group in groups):
        return None
    given = [{} if None in group else group.pop() for group in groups]
    return {"threads": row["threads"], "registers": {"entry": row["entry"], "warpgroups": given}}


MIXED = (
    "threads: 512, registers: {{entry: 128, roles: [{{name: a, warps: 4, count: 208}},"
    " {{name: b, warps: 4, count: 208}}, {{name: c, warps: 4, count: 64}}, {}]}}"
)
SHORT = MIXED.format("{name: mma, warps: 1, count: 48}, {name: rest, warps: 3, count: 24}")
ENOUGH = MIXED.format("{name: mma, warps: 2, count: 32}, {name: rest, warps: 2, count: 24}")
BOTH = MIXED.format(
    "{name: mma, warps: 1, count: 48}, {name: load, warps: 1, count: 40},"
    " {name: rest, warps: 2, count: 24}"
)
