"""Calls as the specs that they stand for: read like any other, from the same text."""

from __future__ import annotations

import json
from collections.abc import Mapping
from os import PathLike
from typing import Any

from kcfg.core.kernel import Kernel
from kcfg.core.spec.documents import Document
from kcfg.core.spec.known import Known
from kcfg.core.spec.problem import Problem
from kcfg.errors import Error, error
from kcfg.manual import Manual, opened

CALL = "kcfg.derive"
"""What messages call the spec that a call stands for."""


class Named(Known):
    """The kernels that a call can name: those a spec in this folder could, and its own."""

    def __init__(self, own: type[Kernel] | None) -> None:
        super().__init__(CALL)
        self.own = own

    def kernel(self, name: str, outside: bool = False) -> type[Kernel]:
        if self.own is not None and name == self.own.kernel:
            return self.own
        return super().kernel(name, outside)


def called(
    kernel: str | PathLike[str] | Manual,
    release: str | None,
    target: str,
    inputs: Mapping[str, Any],
) -> tuple[Document, Known]:
    """The spec of a call, and the kernels it can name.

    Raises `Error` for what a spec cannot say, and for the path of a definition with mistakes.
    """
    kernel, own = opened(kernel), None
    if isinstance(kernel, Manual):
        own, release = kernel.cls, release or kernel.release
        kernel = kernel.kernel
    spec = {"kernel": kernel, "target": target, "shape": inputs}
    if release is not None:
        spec["release"] = release
    try:
        text = json.dumps(spec, allow_nan=False, default=plain)
    except (TypeError, ValueError, RecursionError) as wrong:
        raise error(f"inputs are numbers, truth values, texts and None: {wrong}") from None
    return Document(1, 1, text), Named(own)


def plain(value: Any) -> Any:
    """A number of NumPy's as Python's own; raises TypeError for anything else."""
    if type(value).__module__ == "numpy" and not getattr(value, "shape", ()):
        return value.item()
    raise TypeError(f"{type(value).__name__} is none of these")


def placeless(problems: list[Problem]) -> Error:
    """The error of a call, which has no lines and no options."""
    return Error(map(_placeless, problems))


def _placeless(problem: Problem) -> Problem:
    if problem.file.startswith("--"):
        return problem._replace(file="", path=problem.file.removeprefix("--"))
    return problem._replace(line=0, column=0) if problem.file == CALL else problem
