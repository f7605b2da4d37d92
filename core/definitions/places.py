"""The names of places in shared memory, which formulas may read wherever these are said."""

from __future__ import annotations

from kcfg.core.definitions.names import Names
from kcfg.core.definitions.text import Said
from kcfg.core.spec.nodes import MappingNode, Node, ScalarNode

DEEPEST = 16
"""Levels of struct and union."""
WHOLE = ("struct", "union")


def declare(names: Names, entries: dict[str, Said]) -> None:
    """Take in the names of the places of all regions and their members."""
    for name, said in entries.items():
        _declare(names, name, said.value, 0)


def _declare(names: Names, path: str, node: Node, level: int) -> None:
    for word in ("offset", "bytes", "end", *(("at",) if level else ())):
        names.declare(f"{path}.{word}", "number", "bytes")
    if isinstance(node, MappingNode) and level < DEEPEST:
        for key, value in node.value:
            if key.value in WHOLE and isinstance(value, MappingNode):
                for name, inner in value.value:
                    if isinstance(name, ScalarNode):
                        _declare(names, f"{path}.{name.value}", inner, level + 1)
