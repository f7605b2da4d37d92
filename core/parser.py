"""YAML documents to nodes by PyYAML's parser, for those that `nodes.plain` leaves to it."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import yaml

from kcfg.core.nodes import BrokenError, MappingNode, Mark, Node, ScalarNode, SequenceNode

try:
    from yaml import CBaseLoader as BaseLoader
except ImportError:  # PyYAML without libyaml: the same nodes, some ten times slower
    from yaml import BaseLoader  # type: ignore[assignment]


class Untyped(BaseLoader):
    """Composes nodes whose tag is empty unless the document itself wrote one."""

    def resolve(self, kind: type[yaml.Node], value: Any, implicit: Any) -> str:
        return ""

    def descend_resolver(self, current_node: Any, current_index: Any) -> None:
        """Nothing depends on where a node is: these two are called for each of them."""

    def ascend_resolver(self) -> None:
        pass


def parse(text: str) -> Node | None:
    """The document's root; raises `BrokenError`.

    An alias is the very node it stands for: nothing is expanded.
    """
    with _telling():
        root = Untyped(text).get_single_node()
    return None if root is None else _own(root)


def anchors(text: str) -> Iterator[Node]:
    """Every anchor and alias of a document, as nodes of their own text; raises `BrokenError`."""
    event: Any
    with _telling():
        for event in yaml.parse(text, Loader=Untyped):
            name = getattr(event, "anchor", None)
            if name is not None:
                sign = "*" if isinstance(event, yaml.AliasEvent) else "&"
                mark = Mark(event.start_mark.line, event.start_mark.column)
                yield ScalarNode("", sign + name, mark)


@contextmanager
def _telling() -> Iterator[None]:
    try:
        yield
    except yaml.composer.ComposerError as error:
        raise BrokenError(composing=True) from error
    except (yaml.YAMLError, RecursionError) as error:  # the latter without libyaml only
        raise BrokenError from error


def _own(root: yaml.Node) -> Node:
    """The parser's nodes as kcfg's; not by recursion, since aliases may make a circle."""
    made: dict[int, Node] = {}
    waiting: list[tuple[Any, Node]] = []

    def own(node: Any) -> Node:
        mark = Mark(node.start_mark.line, node.start_mark.column)
        if isinstance(node, yaml.ScalarNode):
            return ScalarNode(node.tag, node.value, mark, node.style or None)
        if id(node) not in made:
            kind = MappingNode if isinstance(node, yaml.MappingNode) else SequenceNode
            made[id(node)] = copy = kind(node.tag, [], mark)
            waiting.append((node, copy))
        return made[id(node)]

    found = own(root)
    for node, copy in waiting:
        if isinstance(copy, MappingNode):
            copy.value = [(own(key), own(value)) for key, value in node.value]
        elif isinstance(copy, SequenceNode):
            copy.value = [own(item) for item in node.value]
    return found
