"""Why a configuration is refused, and what limits one that is not.

A verdict is a tree of named conditions (`all_of` and its kin), some of which are
verdicts of their own. The tree is read off the formulas once for each class; asking a
configuration then costs microseconds, so that a sweep may ask every one.
"""

from __future__ import annotations

import ast
from collections.abc import Callable
from functools import cached_property
from operator import attrgetter
from typing import Any, NamedTuple

from kcfg.core.engine import formula, terms, trees
from kcfg.core.engine.formula import Expression
from kcfg.core.engine.graph import graph
from kcfg.core.engine.quantity import Quantity
from kcfg.core.engine.reasons import Fit, fits
from kcfg.core.engine.struct import Struct
from kcfg.core.engine.wording import negated
from kcfg.core.kernel import VERDICT, Kernel
from kcfg.core.once import once


class Side(NamedTuple):
    """An expression as written, and its value in this configuration."""

    text: str
    value: Any


class Failure(NamedTuple):
    """A named condition that does not hold.

    ``path`` leads from the verdict to the quantity whose condition it is, as report keys;
    ``at`` is the part of the kernel that has this quantity, empty for the kernel itself.
    ``sides`` are what the condition compares (constants left out), ``reads`` the values of
    the names in it. ``premises`` are conditions without which this one would not be asked, and
    ``inputs`` what it and they rest on in the end, as keys of a spec.
    """

    name: str
    path: tuple[str, ...]
    condition: str
    sides: tuple[Side, ...]
    reads: tuple[Side, ...]
    inputs: tuple[str, ...]
    premises: tuple[str, ...]
    at: str = ""


class Condition:
    """One node of a verdict's tree.

    ``word`` is "all" (every part holds), "any" (one of them), "pick" (the parts are
    condition, then, otherwise) or "" for a condition that is not looked into. ``at`` is
    the part of the kernel whose formula this is, and ``struct`` its class. ``written`` is
    the condition as its user wrote it, at ``asked_at``, where ``expression`` is the formula
    behind a name; its value is there already, and so it is what `holds` asks.
    """

    def __init__(
        self,
        name: str,
        at: str,
        expression: Expression,
        path: tuple[str, ...],
        struct: type[Struct],
    ) -> None:
        self.name, self.at, self.path = name, at, path
        self.expression, self.struct = expression, struct
        self.written, self.asked_at = expression, at
        self.word = ""
        self.parts: tuple[Condition, ...] = ()

    @cached_property
    def owner(self) -> Callable[[Any], Any]:
        """From a kernel to the struct whose names the condition uses."""
        return attrgetter(self.at) if self.at else _itself

    @cached_property
    def holds(self) -> Callable[[Any], bool]:
        """From a kernel to whether the condition holds."""
        asked = self.written.value
        if not self.asked_at:
            return asked
        owner = attrgetter(self.asked_at)
        return lambda kernel: bool(asked(owner(kernel)))

    @cached_property
    def sides(self) -> tuple[Expression, ...]:
        """What a comparison compares, constants left out."""
        if not isinstance(self.expression.tree, ast.Compare):
            return ()
        return tuple(side for side in self.expression.operands if side.reads(self.struct))

    @cached_property
    def reads(self) -> tuple[tuple[str, Callable[[Any], Any]], ...]:
        """The names in the condition, each with what reads it from its struct."""
        reads = self.expression.reads(self.struct)
        found = (read for read in reads if read.kind != "constant")
        return tuple((read.label, attrgetter(read.name)) for read in found)

    @cached_property
    def text(self) -> str:
        return self.expression.text

    @cached_property
    def opposite(self) -> str:
        """The text of the opposite of what its user wrote."""
        return self.written.within(negated(self.written.tree)).text


def failures(kernel: Kernel, verdict: str = VERDICT) -> list[Failure]:
    """The conditions that make a configuration unsupported; empty where it is supported,
    and where upstream has no verdict. Another ``verdict`` is asked likewise."""
    if verdict not in kernel.quantities or getattr(kernel, verdict):
        return []
    try:
        root = conditions(type(kernel), verdict)
    except trees.NoSourceError:
        return _unexplained(kernel.quantities[verdict])
    return _failed(kernel, root, ())


def binding(kernel: Kernel) -> tuple[Fit, ...]:
    """What limits the stage counts: room, size of a stage, what is left and what one more needs.

    Only the counts that no other count of stages is made from are asked; they lead to
    the divisions that were really used. One that merely repeats another is passed over. What
    a kernel counts by no formula comes first.
    """
    stages = {
        name: member
        for name, member in type(kernel).quantities.items()
        if member.unit == "stages" and not trees.path_of(formula.of(member).tree)
    }
    within = {read.name for member in stages.values() for read in _reads(kernel, member)}
    counted = (
        fit for name, member in stages.items() if name not in within for fit in fits(kernel, member)
    )
    return (*kernel.weighed(), *counted)


def _reads(kernel: Kernel, quantity: Quantity[Any]) -> tuple[formula.Read, ...]:
    return formula.dependencies(type(kernel), quantity)


@once
def conditions(kernel: type[Struct], name: str = VERDICT) -> Condition:
    """The tree of a kernel's verdict; raises `NoSourceError` where its source is missing."""
    verdict = kernel.quantities[name]
    return _node(name, "", formula.of(verdict), (verdict.key,), kernel)


# The tree


def _node(
    name: str, at: str, expression: Expression, path: tuple[str, ...], struct: type[Struct]
) -> Condition:
    node = Condition(name, at, expression, path, struct)
    followed = _followed(node)
    if followed is not None:
        followed.written, followed.asked_at = expression, at
        return followed
    tree = expression.tree
    named: dict[str, Expression] = {}
    if expression.function in (terms.all_of, terms.any_of):
        node.word = "all" if expression.function is terms.all_of else "any"
        named = expression.named
    elif expression.function is terms.pick:
        node.word = "pick"
        named = dict(zip(("if", "then", "else"), expression.arguments, strict=True))
    elif isinstance(tree, ast.BinOp) and isinstance(tree.op, ast.BitAnd | ast.BitOr):
        node.word = "all" if isinstance(tree.op, ast.BitAnd) else "any"
        named = dict(zip(("left", "right"), expression.operands, strict=True))
    own = expression.function in (terms.all_of, terms.any_of)
    node.parts = tuple(
        _node(term if own else name, at, inner, path, struct) for term, inner in named.items()
    )
    return node


def _followed(node: Condition) -> Condition | None:
    """The tree of the bool quantity a condition names, or None where it names none."""
    steps = trees.path_of(node.expression.tree)
    read = formula.resolve(node.struct, steps) if steps else None
    if read is None or not isinstance(read.member, Quantity) or read.member.unit != "bool":
        return None
    at, _, _ = read.name.rpartition(".")
    struct: type[Struct] = node.struct
    for part in filter(None, at.split(".")):
        struct = formula.struct_of(struct, part) or struct
    place = ".".join(filter(None, (node.at, at)))
    key = ".".join(filter(None, (node.at, read.key)))
    return _node(node.name, place, formula.of(read.member), (*node.path, key), struct)


# Asking it


class Premise(NamedTuple):
    """A condition on the way to another one, and which way it went."""

    node: Condition
    holds: bool

    @property
    def text(self) -> str:
        return self.node.written.text if self.holds else self.node.opposite


def _failed(kernel: Kernel, node: Condition, premises: tuple[Premise, ...]) -> list[Failure]:
    if node.holds(kernel):
        return []
    if node.word == "all":
        return [found for part in node.parts for found in _failed(kernel, part, premises)]
    if node.word == "pick":
        asked, then, otherwise = node.parts
        because = Premise(asked, asked.holds(kernel))
        return _failed(kernel, then if because.holds else otherwise, (*premises, because))
    verdicts = [part for part in node.parts if part.word == "all"]
    if not verdicts:
        return [_failure(kernel, node, premises)]
    others = (Premise(part, False) for part in node.parts if part.word != "all")
    premises = (*premises, *others)
    return [found for part in verdicts for found in _failed(kernel, part, premises)]


def _failure(kernel: Kernel, node: Condition, premises: tuple[Premise, ...]) -> Failure:
    owner = node.owner(kernel)
    return Failure(
        name=node.name,
        path=node.path,
        condition=node.text,
        sides=tuple([Side(side.text, side.value(owner)) for side in node.sides]),
        reads=tuple([Side(name, value(owner)) for name, value in node.reads]),
        inputs=inputs_of(type(kernel), (node, *[premise.node for premise in premises])),
        premises=tuple([premise.text for premise in premises]),
        at=node.at,
    )


@once
def inputs_of(kernel: type[Struct], nodes: tuple[Condition, ...]) -> tuple[str, ...]:
    """The keys of the inputs that conditions rest on."""
    reads = [(node.at, read.name) for node in nodes for read in node.expression.reads(node.struct)]
    names = [f"{at}.{name}" if at else name for at, name in reads]
    return tuple(kernel.inputs[name].key for name in graph(kernel).rests_on(*names))


def _itself(kernel: Any) -> Any:
    return kernel


def _unexplained(verdict: Quantity[Any]) -> list[Failure]:
    """That the verdict failed, where the source that would say why is missing."""
    return [Failure(verdict.key, (verdict.key,), "", (), (), (), ())]
