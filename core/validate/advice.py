"""What would make refused configurations pass, and reach what is pinned: a search for the first
of a run, not for all.

One search takes as long as judging hundreds of specs, and a list of thousands of answers
is read by nobody.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from kcfg.core.explain.goals import Sought
    from kcfg.core.explain.searching import Change
    from kcfg.core.kernel import Kernel
    from kcfg.core.spec.expectation import Expectation

MOST = 20
"""Different configurations of a run that are searched for."""

LATER = "`kcfg explain` says what passes"
"""What is said of a configuration that was not searched for."""

Answers = list[tuple["Change", ...]]


class Advice:
    """The answers of one run; equal configurations share theirs."""

    def __init__(self) -> None:
        self._known: dict[tuple[Any, ...], Answers] = {}
        self._sought: dict[tuple[Any, ...], Sought] = {}

    def of(self, kernel: Kernel) -> Answers | None:
        """What passes: its author's choice before another model; None if not searched for."""
        key = _key(kernel)
        if key not in self._known:
            if len(self._known) == MOST:
                return None
            from kcfg.core.explain.nearest import nearest

            search = nearest(kernel)
            self._known[key] = search.answers if search is not None else []
        return self._known[key]

    def reaching(self, kernel: Kernel, pin: Expectation) -> Sought | None:
        """What reaches a pinned result; None if not searched for."""
        key = (*_key(kernel), pin._replace(position=(0, 0)))
        if key not in self._sought:
            if len(self._sought) == MOST:
                return None
            from kcfg.core.explain.goals import seek

            self._sought[key] = seek(kernel, [pin])
        return self._sought[key]


def _key(kernel: Kernel) -> tuple[Any, ...]:
    """What tells a configuration from others."""
    inputs = (getattr(kernel, name) for name in kernel.inputs)
    return (type(kernel), kernel.target.name, *((type(value), value) for value in inputs))
