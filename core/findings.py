"""What is wrong with a configuration, or worth knowing: the rules' answers, most severe first."""

from __future__ import annotations

from kcfg.core.finding import SEVERITIES, Finding
from kcfg.core.kernel import Kernel
from kcfg.core.once import once
from kcfg.core.rules import judge
from kcfg.core.rules.judging import judge_derived

_RANK = {severity: rank for rank, severity in enumerate(SEVERITIES)}


def findings(subject: Kernel) -> list[Finding]:
    """What every rule says of a kernel's block: errors, warnings, then notes."""
    block = subject.block
    return sorted(judge_derived(block) if block.derived else judge(block), key=_rank)


def refusals(subject: Kernel) -> tuple[str, ...]:
    """The ids of the rules that find an error in a kernel's block."""
    errors = (each.rule for each in findings(subject) if each.severity == "error")
    return tuple(dict.fromkeys(errors))


@once
def blamed_inputs(kernel: type[Kernel], path: str) -> tuple[str, ...]:
    """The keys of a spec's shape that the value at a finding's path rests on.

    Empty where that cannot be told: no such value, or no source to read the formulas from.
    """
    from kcfg.core.engine.graph import graph

    try:
        names = graph(kernel).rests_on(kernel.attribute(path)) if path else ()
    except LookupError:  # no such value, or no source to read
        names = (path,) if path in kernel.inputs else ()
    return tuple(kernel.inputs[name].key for name in names)


def _rank(finding: Finding) -> tuple[int, str]:
    """Most severe first; among equals in the order of the rules."""
    return _RANK[finding.severity], finding.rule
