"""What was given differently to two derivations: inputs, limits of the target, formulas."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import Any, Literal, NamedTuple

from kcfg.core.engine import formula
from kcfg.core.engine.formula import Expression
from kcfg.core.engine.graph import graph
from kcfg.core.engine.quantity import Part, Quantity
from kcfg.core.engine.struct import Struct
from kcfg.core.kernel import Kernel
from kcfg.core.same import same
from kcfg.core.saved.form import leaves

Kind = Literal["input", "limit", "formula", "kcfg"]


class Change(NamedTuple):
    """One thing that differs: ``name`` as reports have it, ``attribute`` as formulas do.

    ``old`` and ``new`` are values, or the texts of a formula. ``only`` is "old" or "new"
    where one side alone has an input of this name. A change of kind "kcfg" is that of the
    program which derived a saved report.
    """

    kind: Kind
    name: str
    attribute: str
    old: Any
    new: Any
    only: Literal["", "old", "new"] = ""


def inputs(old: Kernel, new: Kernel) -> Iterator[Change]:
    """Inputs that differ; one that only the newer struct has, where it is not at its default."""
    if not (old.inputs or new.inputs):
        yield from _asked(dict(leaves(old.asked())), dict(leaves(new.asked())))
    for name, member in old.inputs.items():
        before = getattr(old, name)
        if name not in new.inputs:
            yield Change("input", member.key, name, before, None, "old")
        elif not same(before, getattr(new, name)):
            yield Change("input", member.key, name, before, getattr(new, name))
    for name, member in new.inputs.items():
        if name not in old.inputs and not same(getattr(new, name), member.default):
            yield Change("input", member.key, name, None, getattr(new, name), "new")


def _asked(old: dict[str, Any], new: dict[str, Any]) -> Iterator[Change]:
    """What two launches give differently, by the paths of their keys."""
    for path in dict.fromkeys((*old, *new)):
        before, after = old.get(path), new.get(path)
        if not same(before, after):
            only: Literal["", "old", "new"] = (
                "old" if path not in new else "new" if path not in old else ""
            )
            yield Change("input", path, path, before, after, only)


def limits(old: Kernel, new: Kernel) -> Iterator[Change]:
    """Limits of the target that differ and that a formula of either kernel reads."""
    if old.target is new.target:
        return
    read = {
        read.name
        for cls in (type(old), type(new))
        for reads in graph(cls).reads.values()
        for read in reads
        if read.kind == "target"
    }
    for name in old.target.limits:
        before, after = getattr(old.target, name), getattr(new.target, name)
        if f"target.{name}" in read and not same(before, after):
            yield Change("limit", f"target.{name}", f"target.{name}", before, after)


def formulas(old: type[Struct], new: type[Struct], prefix: str = "") -> Iterator[Change]:
    """Quantities that two releases compute differently, and parts that they build differently.

    Those of a part are named from outside: ``fa4_config.BN``; where several parts are of one
    class, after the first of them.
    """
    if old is new:
        return
    entered = {""}
    for name, before in old.quantities.items():
        after = new.quantities.get(name)
        if after is not None and before is not after:
            yield from _difference(prefix + after.key, prefix + name, before, after)
    for name, built in old.parts.items():
        builds = new.parts.get(name)
        if builds is None:
            continue
        yield from _difference(prefix + name, prefix + name, built, builds)
        if builds.holder == built.holder and builds.holder not in entered:
            entered.add(builds.holder)
            inner = getattr(old, built.holder), getattr(new, builds.holder)
            yield from formulas(*inner, f"{prefix}{name}.")


def _difference(
    key: str,
    name: str,
    old: Quantity[Any] | Part[Any],
    new: Quantity[Any] | Part[Any],
) -> Iterator[Change]:
    """The change from one formula to another, where there is one."""
    if old is new:
        return
    before, after = _expression(old), _expression(new)
    if before.text != after.text or _meanings(before) != _meanings(after):
        yield Change("formula", key, name, before.text, after.text)


def _expression(member: Quantity[Any] | Part[Any]) -> Expression:
    return formula.of(member) if isinstance(member, Quantity) else formula.of_part(member)


def _meanings(expression: Expression) -> dict[str, Any]:
    """What the words of a formula stand for: functions, and constants of its module."""
    words = (node.id for node in ast.walk(expression.tree) if isinstance(node, ast.Name))
    return {word: expression.names[word] for word in words if word in expression.names}
