"""How ``kcfg explain`` writes: each module has ``write(told, tree)``."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from kcfg.core.explain.explanation import Explanation, Reference
    from kcfg.core.explain.story import Story


class Told(NamedTuple):
    """What is told of one spec: its story, or explanations; of a kernel, manual entries.

    ``target`` and ``source`` are empty for a kernel.
    """

    kernel: str
    release: str
    target: str = ""
    name: str | None = None
    source: str = ""
    story: Story | None = None
    explanations: tuple[Explanation, ...] = ()
    references: tuple[Reference, ...] = ()
