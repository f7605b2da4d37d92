"""A configuration as code that a kernel includes: one writer a language, found by file name.

Everything is a view of the derived kernel: its values under their own names, where its
memory sits, what it is launched with, and conditions that its numbers meet, for the
compiler to hold them to. The same kernel gives the same bytes.
"""

from __future__ import annotations

import os
import re
from collections.abc import Collection
from functools import cache
from importlib import import_module
from typing import TYPE_CHECKING

from kcfg.core.errors import UnknownError
from kcfg.core.printing import shortened

if TYPE_CHECKING:
    from kcfg.core.emit.model import Configuration
    from kcfg.core.kernel import Kernel


NAMESPACES = ("cpp", "cuda")
"""The languages that have them."""


class RefusedError(ValueError):
    """A configuration that is not to be compiled: ``reasons`` say why."""

    def __init__(self, reasons: tuple[str, ...]) -> None:
        self.reasons = reasons
        super().__init__("; ".join(reasons))


class NamespaceError(ValueError):
    """What is no namespace, or for a language that has none."""


@cache
def names() -> tuple[str, ...]:
    """Every language there is a writer for."""
    files = os.listdir(os.path.join(__path__[0], "languages"))
    found = (os.path.splitext(file) for file in files)
    return tuple(sorted(stem for stem, end in found if end == ".py" and not stem.startswith("_")))


def emit(
    kernel: Kernel,
    language: str,
    *,
    label: str | None = None,
    unsupported: bool = False,
    namespace: str | None = None,
) -> str:
    """A derived kernel as a source file; ``label`` is the spec's name.

    ``namespace`` is the one that C++ and CUDA put it in, ``kcfg::NAME`` unless it is given.

    Raises `RefusedError` for a configuration that the rules find errors in, unless
    ``unsupported`` asks for it all the same: then the file warns whoever compiles it.
    Raises `UnknownError` for a language without a writer, `NamespaceError` for no namespace.
    """
    if language not in names():
        raise UnknownError("language", language, names())
    from kcfg.core.emit.outline import outline

    writer = import_module(f"{__name__}.languages.{language}")
    if namespace is not None:
        _refuse(namespace, language, writer.RESERVED)
    found: Configuration = outline(kernel, label, writer.RESERVED)
    found = found._replace(namespace=namespace or "")
    if found.refused and not unsupported:
        raise RefusedError(found.refused)
    text: str = writer.write(found)
    return text


def _refuse(namespace: str, language: str, reserved: Collection[str]) -> None:
    if language not in NAMESPACES:
        raise NamespaceError(f"{language} has no namespaces: the file's name is the module's")
    parts = namespace.split("::")
    if not all(re.fullmatch("[A-Za-z_][A-Za-z0-9_]*", part, re.ASCII) for part in parts):
        raise NamespaceError(f"expected a namespace such as my::gemm, not {shortened(namespace)}")
    for part in parts:
        if part in reserved:
            raise NamespaceError(f"{part} cannot be a namespace: it is a word of the language")
