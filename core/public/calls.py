"""Calls as the specs that they stand for: read like any other, from the same text."""

from __future__ import annotations

import json
from collections.abc import Mapping
from os import PathLike
from typing import Any

from kcfg.core import targets
from kcfg.core.engine.quantity import REQUIRED, Input
from kcfg.core.errors import UnknownError
from kcfg.core.kernel import Kernel
from kcfg.core.spec.documents import Document
from kcfg.core.spec.known import Known
from kcfg.core.spec.nodes import BrokenError, parse
from kcfg.core.spec.problem import Problem, meant
from kcfg.core.spec.scalars import RefusedError, read
from kcfg.core.spec.shape import grammar
from kcfg.errors import Error, error
from kcfg.given import plain, shown, text
from kcfg.manual import RELEASE, Manual, kernel as manual, opened

CALLED = "call"
"""The inputs that a spec has beside its shape: a mapping, of the call that is to be launched."""
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
    target: str | None,
    inputs: Mapping[str, Any],
) -> tuple[Document, Known]:
    """The spec of a call, and the kernels it can name.

    Raises `Error` for what a spec cannot say, and for the path of a definition with mistakes.
    """
    kernel, own = opened(kernel), None
    if isinstance(kernel, Manual):
        own, kernel = kernel.cls, kernel.kernel
        release = own.release if release is None else release
    call = {key: inputs[key] for key in (CALLED,) if isinstance(inputs.get(key), Mapping)}
    shape = {key: value for key, value in inputs.items() if key not in call}
    spec: dict[str, Any] = {"kernel": kernel, "shape": shape, **call}
    if target is not None:
        spec["target"] = text(target, "the name of a target", "target")
    if release is not None:
        spec["release"] = text(release, RELEASE, "release")
    try:
        return Document(1, 1, written(spec)), Named(own)
    except Error:
        for key, value in inputs.items():
            written(value, f"shape.{key}")
        raise


def written(value: Any, path: str = "") -> str:
    """What is given as the YAML that a spec would have of it; raises `Error`."""
    try:
        return json.dumps(value, allow_nan=False, default=plain)
    except (TypeError, ValueError, RecursionError) as wrong:
        why = wrong if isinstance(wrong, TypeError) else f"not {shown(value)}"
        raise error(f"inputs are numbers, truth values, texts and None: {why}", path) from None


def asked(
    kernel: str | PathLike[str] | Manual,
    release: str | None,
    target: str | None,
    inputs: Mapping[str, Any],
) -> tuple[Manual, str]:
    """The kernel of a call and the name of its target, as far as that is said already.

    Raises `Error` for what is unknown, for a target it cannot run on, and for ``inputs`` that
    there are not, or that are of the wrong kind or out of range.
    """
    found = opened(kernel)
    about = found if isinstance(found, Manual) and release is None else manual(kernel, release)
    cls = about.cls
    said = cls.default_target or targets.DEFAULT
    said = said if target is None else text(target, "the name of a target", "target")
    try:
        reason = cls.refuses(targets.find(said))
    except UnknownError as unknown:
        raise error(str(unknown), "target") from None
    if reason:
        raise error(reason, "target")
    for key, value in inputs.items():
        value_of(cls, key, value)
    return about, said


def value_of(cls: type[Kernel], key: str, value: Any) -> Any:
    """The value of an input as the kernel has it; raises `Error` where it has no such value."""
    known = grammar(cls)
    means = known.spellings[key].read if key in known.spellings else known.inputs.get(key, (0,))[-1]
    if not isinstance(means, Input):
        keys = (*known.inputs, *known.spellings)
        raise error(f"{cls.kernel} has no input `{key}`; {meant(key, keys)}", f"shape.{key}")
    try:
        node = parse(written(value, f"shape.{key}"))
        assert node is not None
        taken = read(node, means)
    except (RefusedError, BrokenError) as wrong:
        raise error(str(wrong), f"shape.{key}") from None
    return means.default if taken is None and means.default is not REQUIRED else taken


def placeless(problems: list[Problem]) -> Error:
    """The error of a call, which has no lines and no options."""
    return Error(map(_placeless, problems))


def _placeless(problem: Problem) -> Problem:
    if problem.file.startswith("--"):
        return problem._replace(file="", path=problem.file.removeprefix("--"))
    return problem._replace(line=0, column=0) if problem.file == CALL else problem
