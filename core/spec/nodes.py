"""YAML documents to nodes with positions, by PyYAML's C loader."""

from __future__ import annotations

import re
from collections.abc import Iterator
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


_EMPTY: Any = staticmethod("".format)
"""Answers anything with an empty text, and takes no Python to do so."""


class Untyped(BaseLoader):
    """Composes nodes whose tag is empty unless the document itself wrote one.

    The loader asks these three for each of them.
    """

    resolve = descend_resolver = ascend_resolver = _EMPTY


# Compiled where they are used, which is seldom.
_JSON_STRING = r'(?s)"(?:[^"\\]|\\.)*"'
_JSON_ESCAPE = r"(?s)\\(?:u([dD][89abAB]..)\\u([dD][c-fC-F]..)|(.))"


def readable(text: str) -> str:
    """JSON with the two escapes that YAML lacks written out: ``\\/``, and pairs of surrogates.

    Blanks behind the string keep whatever follows in its column. Other text comes back as it is.
    """
    if not (text.lstrip().startswith("{") and ("\\/" in text or "\\ud" in text.lower())):
        return text
    import json

    try:
        json.loads(text)
    except (ValueError, RecursionError):
        return text  # YAML's own complaint is the better one
    return re.sub(_JSON_STRING, _written_out, text)


def _written_out(string: re.Match[str]) -> str:
    written = re.sub(_JSON_ESCAPE, _character, string[0])
    return written + " " * (len(string[0]) - len(written))


def _character(escape: re.Match[str]) -> str:
    if escape[1]:
        high, low = int(escape[1], 16), int(escape[2], 16)
        return chr(0x10000 + ((high & 0x3FF) << 10) + (low & 0x3FF))
    return "/" if escape[3] == "/" else escape[0]


def parse(text: str) -> Node | None:
    """A document's root node; raises `BrokenError`.

    An alias is the very node it stands for: nothing is expanded.
    """
    with _Telling():
        root: Node | None = Untyped(text).get_single_node()
        return root


def anchors(text: str) -> Iterator[Node]:
    """Every anchor and alias of a document, as nodes of their own text; raises `BrokenError`."""
    with _Telling():
        for event in yaml.parse(text, Loader=Untyped):
            name = getattr(event, "anchor", None)
            if name is not None:
                sign = "*" if isinstance(event, yaml.AliasEvent) else "&"
                mark: Any = event.start_mark
                yield ScalarNode("", sign + name, mark)


class _Telling:
    """Turns what the loader raises into a `BrokenError`."""

    def __enter__(self) -> None:
        pass

    def __exit__(self, kind: Any, error: BaseException | None, trace: Any) -> None:
        if isinstance(error, yaml.composer.ComposerError):
            raise BrokenError(composing=True) from error
        if isinstance(error, yaml.YAMLError | RecursionError):  # the latter without libyaml only
            raise BrokenError from error
