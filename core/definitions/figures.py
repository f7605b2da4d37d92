"""The figures that a definition gives of a block: each a number, or the quantity that has it."""

from __future__ import annotations

from kcfg.core.definitions.formulas import Formulas
from kcfg.core.definitions.text import Said
from kcfg.core.engine.quantity import Unit
from kcfg.core.engine.trees import is_value, path_of
from kcfg.core.expressions.grammar import Checked
from kcfg.core.spec.nodes import Node

Figure = int | str | None
"""A number, or the attribute that has it; None for one that is not given."""


class Figures:
    """What the figures of one definition play in a block.

    ``plays`` says which quantity or input is behind a key of the block, as `Kernel.plays`;
    parts that have names go by these. ``at`` has the places in the text, by the same keys.
    """

    def __init__(self, formulas: Formulas) -> None:
        self.formulas = formulas
        self.plays: dict[str, str] = {}
        self.at: dict[str, tuple[str, int, int]] = {}

    def number(
        self, said: Said, path: str, key: str, plays: str, unit: Unit, least: int = 0
    ) -> Figure:
        """The figure that a formula gives, which plays a part in the block.

        ``path`` is the key in the definition. Where the formula is no bare name, ``key``
        becomes one for it.
        """
        found = self.formulas.number(said, path, least)
        return None if found is None else self.figure(found, key, plays, unit, said)

    def figure(
        self, found: Checked, key: str, plays: str, unit: Unit, said: Said | None = None
    ) -> Figure:
        """The same of a formula that was checked."""
        if said is not None:
            self.place(plays, said.value, said)
        if is_value(found.tree):
            value: int = self.formulas.constant(found.tree)
            return value
        path = path_of(found.tree)
        if len(path) == 1 and path[0] != "target":
            if plays:
                self.plays[plays] = found.names[0]
            return path[0]
        if plays:
            self.plays[plays] = key
        return self.formulas.add(key, found, unit, said=said)

    def place(self, plays: str, node: Node, said: Said) -> None:
        """Remember where a key of the block is said."""
        if plays:
            self.at[plays] = (said.text.file, *said.text.at(node))
