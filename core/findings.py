"""What is wrong with a configuration, or worth knowing: the rules' answers, most severe first."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import cache
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

from kcfg.core.once import once

if TYPE_CHECKING:
    from kcfg.core.block.block import Block
    from kcfg.core.kernel import Kernel

Severity = Literal["error", "warning", "info"]
SEVERITIES: tuple[Severity, ...] = ("error", "warning", "info")
_RANK = {severity: rank for rank, severity in enumerate(SEVERITIES)}


class Finding(NamedTuple):
    """One answer of one rule.

    ``path`` is the key it blames: of a spec (``shape.registers.maxnreg``) for a launch,
    of a quantity (``smem_used``) for a derived kernel; empty where none can be named.
    ``value`` is what is there, ``limit`` what may be, ``over`` the distance between
    them, all in ``unit``; each is None where there is no such number. ``fix`` is the
    nearest change that works. ``file``, ``line`` and ``column`` are known where the
    configuration was read from a file.
    """

    rule: str
    severity: Severity
    message: str
    path: str = ""
    value: Any = None
    limit: Any = None
    over: int | None = None
    unit: str = ""
    fix: str = ""
    file: str = ""
    line: int = 0
    column: int = 0

    def to_json(self) -> dict[str, Any]:
        """The finding as plain data; a place that is not known is null."""
        found: dict[str, Any] = self._asdict()
        for key in ("file", "line", "column"):
            found[key] = found[key] or None
        return found


def findings(subject: Kernel) -> list[Finding]:
    """What every rule says of a kernel's block: errors, warnings, then notes."""
    block = subject.block
    judge_derived, judge = _judges()
    return sorted(judge_derived(block) if block.derived else judge(block), key=_rank)


@cache
def _judges() -> tuple[
    Callable[[Block], list[Finding]],
    Callable[[Block], Iterable[Finding]],
]:
    from kcfg.core.rules import judge
    from kcfg.core.rules.judging import judge_derived

    return judge_derived, judge


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
