"""Launches written in a line, and what is found in them."""

from __future__ import annotations

from kcfg.core.finding import Finding
from kcfg.core.findings import findings
from kcfg.core.spec import Spec, read

ROLES = (
    "registers: {roles: [{name: softmax, warps: 8}, {name: load, warps: 1}, {name: mma, warps: 3}]}"
)
TMA = "tma: [{name: k, box: [64, 64], dtype: bf16}, {name: q, box: [64, 128], dtype: bf16}]"


def only(text: str) -> Spec:
    """The only spec of a text."""
    (spec,) = read(text, "test.yaml")
    assert isinstance(spec, Spec), [str(problem) for problem in spec]
    return spec


def launch(shape: str) -> Spec:
    """The spec of a launch, of its keys without the outer braces."""
    return only(f"{{kernel: launch, shape: {{{shape}}}}}")


def of(id: str, shape: str, severity: str = "error") -> list[Finding]:
    """What one rule finds in a launch, of one severity."""
    found = findings(launch(shape).derive())
    return [each for each in found if each.rule == id and each.severity == severity]
