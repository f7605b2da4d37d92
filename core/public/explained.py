"""An explanation as `Configuration.explain` gives it: as data, and as text where it is printed."""

from __future__ import annotations

from kcfg.core.explain.explanation import Explanation


class Explained(Explanation):
    """An `Explanation` whose text, as ``print`` shows it, is the page of ``kcfg explain``."""

    __slots__ = ()

    def __str__(self) -> str:
        from kcfg.cli.pages.explanation import whole
        from kcfg.cli.render import plain

        return plain.text(whole(self)).strip("\n")
