"""The figures that a definition gives of a block: each a number, or the quantity that has it."""

from __future__ import annotations

from kcfg.core.definitions.document import DEFINES, Value
from kcfg.core.definitions.formulas import Formulas
from kcfg.core.definitions.text import Said
from kcfg.core.engine.quantity import Unit
from kcfg.core.engine.trees import is_value, path_of
from kcfg.core.expressions.grammar import Checked
from kcfg.core.kernel import MUST, VERDICT
from kcfg.core.spec.nodes import Node

Figure = int | str | None
"""A number, or the attribute that has it; None for one that is not given."""

WHOLE = (
    ("shared", "shared"),
    ("shared", "shared_bytes"),
    ("tmem", "tensor_memory"),
    ("tmem", "tensor_memory_allocated"),
    ("threads", "roles"),
    ("registers", "roles"),
    ("", "extends"),
    ("", DEFINES),
    *((f"values.{key}", key) for key in (VERDICT, MUST)),
)
"""Keys of a block as a whole, with the key of a definition that says what is in each.

Without a key of the block: what all else is about.
"""


class Figures:
    """What the figures of one definition play in a block.

    ``plays`` says which quantity or input is behind a key of the block, as `Kernel.plays`;
    parts that have names go by these. ``at`` has the places in the text, by the same keys; those
    of inputs and values by their names behind ``inputs`` and ``values``.
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

    def place_all(
        self, keys: dict[str, Said], inputs: dict[str, Said], values: dict[str, Value]
    ) -> None:
        """Remember where all else is said: sections, by ``keys``, inputs and values by name."""
        for block, key in WHOLE:
            if key in keys and block not in self.at:
                self.at[block] = keys[key].spot
        for name, said in inputs.items():
            self.at[f"inputs.{name}"] = said.spot
        for name, value in values.items():
            self.at[f"values.{name}"] = value.said.spot

    def place(self, plays: str, node: Node, said: Said) -> None:
        """Remember where a key of the block is said."""
        if plays:
            self.at[plays] = said.text.spot(node)
