"""The kernels that one file can name; what is not shipped is looked for only when it is asked."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from contextlib import suppress
from functools import cached_property
from typing import TYPE_CHECKING

from kcfg.core import kernels
from kcfg.core.errors import UnfoundError, UnknownError
from kcfg.core.kernel import Kernel
from kcfg.core.spec.documents import Document
from kcfg.core.spec.nodes import BrokenError, MappingNode, Node, ScalarNode, parse
from kcfg.core.spec.problem import Problem
from kcfg.core.spec.section import Notes

if TYPE_CHECKING:
    from kcfg.core.definitions.library import Library

DEFINES = "defines"
"""The key by which a definition is told from a spec."""
LAUNCH = kernels.LAUNCH


BY_FILE = (
    "a definition in another file is named by that, as gemm.kcfg.yaml, or listed as `kernels`"
    " under [tool.kcfg]"
)
"""What is said of a name that may be that of a definition."""


class Known:
    """What a file defines itself, and what it can reach; ``file`` is its name."""

    def __init__(self, file: str) -> None:
        self.file = file

    @cached_property
    def library(self) -> Library:
        """The definitions that the file can use."""
        from kcfg.core.definitions.library import Library

        return Library(self.file)

    def define(self, document: Document, root: MappingNode, notes: Notes) -> type[Kernel] | None:
        """Take in a definition; None where something is wrong with it, which is noted."""
        return self.library.define(document, root, notes)

    def kernel(self, name: str, outside: bool = False) -> type[Kernel]:
        """The class of a kernel that is not shipped, by its name or the path of a definition.

        ``outside`` says that the path is the command line's, and not one that the file holds.
        Raises `UnknownError`, or `UnfoundError` where there is more to say.
        """
        try:
            return self.library.kernel(name, os.getcwd() if outside else None)
        except UnknownError:
            if found := kernels.of_package(name):
                return found
            others = kernels.packaged().kernels
            known = (*self.library.names(), *kernels.names(), *others, LAUNCH)
            raise UnknownError("kernel", name, known, more=BY_FILE) from None


def defines(root: Node | None) -> bool:
    """Whether a document is a definition."""
    return isinstance(root, MappingNode) and any(
        isinstance(key, ScalarNode) and key.value == DEFINES for key, _ in root.value
    )


def is_definition(document: Document) -> bool:
    """Whether a document that was not parsed yet is a definition."""
    if DEFINES not in document.text:
        return False
    try:
        return defines(parse(document.text))
    except (BrokenError, RecursionError):
        return False


def picked(
    found: Iterable[Document | Problem], only: int | None, file: str
) -> Iterator[Document | Problem]:
    """The document of one number, and the definitions, which it may need; all for None."""
    there, seen = 0, only is None
    for each in found:
        if isinstance(each, Document):
            there = each.number
            seen = seen or there == only
            if only not in (None, there) and not is_definition(each):
                continue
        yield each
    if not seen:
        last = f"the last is #{there}" if there else "there is none"
        yield Problem(file, 0, 0, "", f"no document #{only} is here: {last}", "unreadable")


def releases(name: str) -> list[type[Kernel]]:
    """Every release of a kernel, oldest first, by its name or the path of its definition.

    Raises `UnknownError` for a name that is none; a path is that of the command line.
    """
    if not kernels.exists(name):
        try:
            cls = Known("-").kernel(name, outside=True)
        except UnfoundError as error:
            raise NotToBeHadError(str(error)) from None
        if cls.digest is not None:
            return [cls]
    return [kernels.find(name, each) for each in kernels.releases(name)]


def release_of(name: str, release: str | None) -> type[Kernel]:
    """One release of a kernel, by default its newest; raises as `releases` does."""
    if kernels.exists(name):
        return kernels.find(name, release)
    found = releases(name)
    fitting = [cls for cls in found if release in (None, cls.release)]
    if not fitting:
        raise UnknownError(f"release of {name}", str(release), [cls.release for cls in found])
    return fitting[-1]


def listed() -> list[type[Kernel]]:
    """The kernels that the project of the current folder lists; those with mistakes are not."""
    known, found = Known("-"), []
    for name in known.library.names():
        with suppress(UnfoundError, UnknownError):
            found.append(known.kernel(name))
    return found


class NotToBeHadError(UnknownError):
    """A definition that the command line names and that is not to be had."""

    def __init__(self, message: str) -> None:
        super().__init__("kernel", "", ())
        self.why = message
        self.args = (message,)

    def message(self) -> str:
        return getattr(self, "why", "")
