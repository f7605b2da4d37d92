"""What would make refused configurations pass: a search for the first of a run, not for all.

One search takes as long as judging hundreds of specs, and a list of thousands of answers
is read by nobody.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from kcfg.core.explain.searching import Change
    from kcfg.core.kernel import Kernel

MOST = 20
"""Different configurations of a run that are searched for."""

LATER = "`kcfg explain` says what passes"
"""What is said of a configuration that was not searched for."""

Answers = list[tuple["Change", ...]]


class Advice:
    """The answers of one run; equal configurations share theirs."""

    def __init__(self) -> None:
        self._known: dict[tuple[Any, ...], Answers] = {}

    def of(self, kernel: Kernel) -> Answers | None:
        """What passes: its author's choice before another model; None if not searched for."""
        inputs = (getattr(kernel, name) for name in kernel.inputs)
        key = (type(kernel), kernel.target.name, *((type(value), value) for value in inputs))
        if key not in self._known:
            if len(self._known) == MOST:
                return None
            from kcfg.core.explain.nearest import nearest

            search = nearest(kernel)
            self._known[key] = search.answers if search is not None else []
        return self._known[key]
