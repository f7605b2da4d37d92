"""YAML documents to nodes with positions, by PyYAML's C loader."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import yaml
from yaml.nodes import MappingNode, Node, ScalarNode, SequenceNode

__all__ = ["BrokenError", "MappingNode", "Node", "ScalarNode", "SequenceNode", "anchors", "parse"]

try:
    from yaml import CBaseLoader as BaseLoader
except ImportError:  # PyYAML without libyaml: the same nodes, some ten times slower
    from yaml import BaseLoader  # type: ignore[assignment]


class BrokenError(Exception):
    """A document that does not parse; its cause says why.

    ``composing`` says that its syntax is right, and an anchor or alias is what is wrong.
    """

    def __init__(self, composing: bool = False) -> None:
        self.composing = composing


class Untyped(BaseLoader):
    """Composes nodes whose tag is empty unless the document itself wrote one."""

    def resolve(self, kind: type[Node], value: Any, implicit: Any) -> str:
        return ""

    def descend_resolver(self, current_node: Any, current_index: Any) -> None:
        """Nothing depends on where a node is: these two are called for each of them."""

    def ascend_resolver(self) -> None:
        pass


def parse(text: str) -> Node | None:
    """A document's root node; raises `BrokenError`.

    An alias is the very node it stands for: nothing is expanded.
    """
    with _telling():
        root: Node | None = Untyped(text).get_single_node()
        return root


def anchors(text: str) -> Iterator[Node]:
    """Every anchor and alias of a document, as nodes of their own text; raises `BrokenError`."""
    with _telling():
        for event in yaml.parse(text, Loader=Untyped):
            name = getattr(event, "anchor", None)
            if name is not None:
                sign = "*" if isinstance(event, yaml.AliasEvent) else "&"
                mark: Any = event.start_mark
                yield ScalarNode("", sign + name, mark)


@contextmanager
def _telling() -> Iterator[None]:
    try:
        yield
    except yaml.composer.ComposerError as error:
        raise BrokenError(composing=True) from error
    except (yaml.YAMLError, RecursionError) as error:  # the latter without libyaml only
        raise BrokenError from error
