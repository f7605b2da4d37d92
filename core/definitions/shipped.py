"""Definitions that come with kcfg: a file for each release of a kernel, beside those in Python."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

from kcfg.core.definitions.build import build
from kcfg.core.definitions.document import Definition, read
from kcfg.core.definitions.text import Said, Text
from kcfg.core.errors import BrokenModuleError
from kcfg.core.kernel import Kernel
from kcfg.core.spec.documents import Document
from kcfg.core.spec.nodes import BrokenError, MappingNode, Node, parse, readable
from kcfg.core.spec.section import EnoughError, Notes
from kcfg.core.spec.yaml_errors import breakage

FIRST = "The first release kcfg knows."
"""What a release changed that does not say it."""
NOT_ONE = "it is no definition"


class Origin(NamedTuple):
    """How another process finds the class: by its name and release, as ``find`` takes them."""

    find: Callable[..., type[Kernel]]
    kernel: str
    release: str

    def load(self) -> type[Kernel]:
        """The class."""
        return self.find(self.kernel, self.release)


def shipped(
    path: str, kernel: str, release: str, find: Callable[..., type[Kernel]]
) -> type[Kernel]:
    """The class of the one definition in a file; ``find`` gives the kernels it may extend.

    It is told from others by kcfg's own version, as a kernel in Python is, and so has no digest;
    findings are about the specs of it, and not about its text. Raises `BrokenModuleError` where
    the file has mistakes, or defines another kernel or version than its name says.
    """
    with open(path, encoding="utf-8") as file:
        document = Document(1, 1, file.read())
    notes = Notes(path, document.line)
    try:
        definition = read(_root(document, path), Text(document, notes), _extending(find))
        found = None if definition is None else build(definition)
    except EnoughError:
        found = None
    for first in notes.problems()[:1]:
        raise BrokenModuleError(path, first.line, first.message)
    if found is None or definition is None:
        raise BrokenModuleError(path, 0, NOT_ONE)
    if (found.kernel, found.release) != (kernel, release):
        why = f"its name says {kernel} {release}, its text {found.kernel} {found.release}"
        raise BrokenModuleError(path, 0, why)
    found.digest, found.text = None, document.text
    found.origin = Origin(find, kernel, release)
    found.changes = definition.label("changes") or FIRST
    return found


def _root(document: Document, path: str) -> MappingNode:
    """The document, parsed."""
    try:
        root: Node | None = parse(readable(document.text))
    except (BrokenError, RecursionError) as error:
        broken = breakage(error.__cause__ or error, document, path)
        raise BrokenModuleError(path, broken.line, broken.message) from error
    if not isinstance(root, MappingNode):
        raise BrokenModuleError(path, 0, NOT_ONE)
    return root


def _extending(
    find: Callable[..., type[Kernel]],
) -> Callable[[Said, Definition], Definition | type[Kernel] | None]:
    """How a definition here finds what it extends: a kernel that is shipped too."""
    return lambda said, definition: find(*str(said.value.value).split())
