"""What ``kcfg explain`` has to tell, before it is a page or JSON."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

if TYPE_CHECKING:
    from kcfg.core.engine.reasons import Fit
    from kcfg.core.explain.explanation import Explanation, Reference
    from kcfg.core.explain.glossary import Meaning
    from kcfg.core.explain.goals import Sought
    from kcfg.core.explain.residency import Residency
    from kcfg.core.explain.story import Story
    from kcfg.core.kernel import Figure


class Told(NamedTuple):
    """What is told of one spec: its story, or explanations; of a kernel, manual entries.

    ``target`` and ``source`` are empty for a kernel. ``findings`` are what the rules find, and
    ``registers`` those of a report where a whole configuration is told, as plain data; ``asked``
    are the keys of a launch, of which nothing is derived by formulas: ``figures`` are those that
    follow from other keys, and ``fits`` how many fit. A release that is not
    given is the newest. ``words`` are those of formulas, of whatever kernel. ``sought`` is what
    was wanted of the spec, and how to get it. ``occupancy`` is how many blocks share an SM.
    """

    kernel: str
    release: str
    target: str = ""
    name: str | None = None
    source: str = ""
    story: Story | None = None
    explanations: tuple[Explanation, ...] = ()
    references: tuple[Reference, ...] = ()
    sought: Sought | None = None
    findings: tuple[dict[str, Any], ...] = ()
    registers: dict[str, Any] | None = None
    asked: dict[str, Any] | None = None
    figures: tuple[Figure, ...] = ()
    fits: tuple[Fit, ...] = ()
    release_given: bool = True
    words: tuple[Meaning, ...] = ()
    occupancy: Residency | None = None
