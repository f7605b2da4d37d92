"""What a rule answers: one finding, as every view of it takes it."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, Literal, NamedTuple

Severity = Literal["error", "warning", "info"]
SEVERITIES: tuple[Severity, ...] = ("error", "warning", "info")


def in_order(severities: Iterable[Severity]) -> tuple[Severity, ...]:
    """Each of some severities once, the severest first."""
    return tuple(sorted(set(severities), key=SEVERITIES.index))


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
