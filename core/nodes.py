"""The nodes of a YAML document, and a reader of the plainest ones that needs no parser.

Importing the parser takes longer than all else that a small spec needs. Most specs are
lines of ``key: word``, indented below ``shape:``, which every version of YAML reads alike.
Whatever else a document has (a list, an empty value, a second level) leaves it to
``kcfg.core.parser``; ``tests/test_nodes.py`` holds the two to the same nodes.
"""

from __future__ import annotations

import re
from typing import Any


class Mark:
    """Where a node begins: line and column, from 0."""

    __slots__ = ("column", "line")

    def __init__(self, line: int, column: int) -> None:
        self.line, self.column = line, column


class Node:
    """A node; ``tag`` is empty unless the document wrote one. Without a mark it has no place."""

    __slots__ = ("start_mark", "style", "tag", "value")

    def __init__(
        self, tag: str, value: Any, start_mark: Mark | None = None, style: str | None = None
    ) -> None:
        self.tag, self.value, self.start_mark, self.style = tag, value, start_mark, style


class ScalarNode(Node):
    """A single value as written; ``style`` is its quote, None for a bare word."""


class SequenceNode(Node):
    """A list of nodes."""


class MappingNode(Node):
    """A list of pairs of nodes, key and value."""


class BrokenError(Exception):
    """A document that does not parse; its cause says why.

    ``composing`` says that its syntax is right, and an anchor or alias is what is wrong.
    """

    def __init__(self, composing: bool = False) -> None:
        self.composing = composing


MARKER = "---\n"
PASSED_OVER = re.compile(r"(?: *#[ -~]*)?\n")
"""A comment or an empty line."""
LINE = re.compile(
    r"( *)([A-Za-z_]\w{0,99}):"  # indentation and key
    r"(?: +(?:(-?\w[\w.-]*)|(['\"])([\w.-]+)\4))?"  # a word, bare or in quotes
    r"(?: +#[ -~]*)?(?:\n|\Z)",
    re.ASCII,
)


def plain(text: str) -> MappingNode | None:
    """The root of a document that is all plain lines, None for any other."""
    top: list[tuple[Node, Node]] = []
    section, depth = top, 0
    opened: Node | None = None  # a key without a word, whose mapping comes next
    begin = line = 0
    if text.startswith(MARKER):
        begin, line = len(MARKER), 1
    while begin < len(text):
        match = LINE.match(text, begin)
        if match is None:
            match = PASSED_OVER.match(text, begin)
            if match is None:
                return None
            begin, line = match.end(), line + 1
            continue
        indent, name, bare, quote, quoted = match.groups()
        column = len(indent)
        if opened is not None:
            if not column:
                return None
            section, depth = [], column
            top.append((opened, MappingNode("", section, Mark(line, column))))
            opened = None
        elif not column:
            section, depth = top, 0
        elif column != depth:
            return None
        key = ScalarNode("", name, Mark(line, column))
        if bare is not None:
            at = Mark(line, match.start(3) - begin)
            section.append((key, ScalarNode("", bare, at)))
        elif quote:
            at = Mark(line, match.start(4) - begin)
            section.append((key, ScalarNode("", quoted, at, quote)))
        elif depth:
            return None
        else:
            opened = key
        begin, line = match.end(), line + 1
    if opened is not None or not top:
        return None
    return MappingNode("", top, top[0][0].start_mark)
