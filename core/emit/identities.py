"""What numbers have to do with each other by the very formulas that they were derived by.

A formula is written with the other numbers' names where it is made of sums, products, quotients
and the words below; what it chooses among, what it rounds to no effect, and what no language has
an operator for, is written as it came out. One in which a number could be changed unseen is left
to the seals.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Callable, Iterator, Mapping
from functools import partial
from typing import Any

from kcfg.core.emit.conditions import Number, equal, literal
from kcfg.core.emit.identifiers import Limits
from kcfg.core.emit.model import Check
from kcfg.core.engine import arith, terms
from kcfg.core.engine.formula import Expression, Read, of, resolve
from kcfg.core.engine.quantity import Quantity
from kcfg.core.engine.struct import Struct
from kcfg.core.engine.trees import NoSourceError, path_of

MOST = 1 << 31
"""What every number on the way lies below, so that no language's integers overflow."""

Join = Callable[[list[Number]], Number | None]

Known = Mapping[tuple[str, str], Number]
"""The emitted numbers by what they are, as `Read.kind` has it, and their key."""


def identities(kernel: Struct, known: Known, limits: Limits) -> Iterator[Check]:
    """The formula of every number that can be written with another number in it."""
    yield from _within(kernel, "", known, limits)


def _within(struct: Struct, prefix: str, known: Known, limits: Limits) -> Iterator[Check]:
    cls = type(struct)
    for member in cls.quantities.values():
        number = known.get(("quantity", prefix + member.key))
        if number is not None:
            yield from _identity(struct, prefix, member, number, known, limits)
    for name, part in cls.parts.items():
        if part.shown:
            yield from _within(getattr(struct, name), f"{prefix}{name}.", known, limits)


def _identity(
    struct: Struct,
    prefix: str,
    member: Quantity[Any],
    number: Number,
    known: Known,
    limits: Limits,
) -> Iterator[Check]:
    try:
        formula = of(member)
    except NoSourceError:
        return
    writer = _Writer(struct, prefix, formula, known, limits)
    found = writer.written(formula.tree)
    if found is not None and writer.names and found.text != number.text:
        check = equal(number, _bare(found), f"{number.text} by its formula")
        if check.holds and _tight(check.text, {number.text: number.value, **writer.names}):
            yield check


LITERAL = re.compile(r"(?<![\w.])\d+(?![\w.])")
NAME = re.compile(r"[A-Za-z_][\w.]*")
STEP = 8
"""By how much a number is changed to see whether that is noticed."""


def _tight(text: str, values: dict[str, int]) -> bool:
    """Whether a condition fails when one of the numbers written out in it is another one."""
    return not any(
        _holds(f"{text[: each.start()]}{int(each[0]) + STEP}{text[each.end() :]}", values)
        for each in LITERAL.finditer(text)
    )


def _holds(text: str, values: dict[str, int]) -> bool:
    """Whether a condition holds; one that divides by 0 is noticed wherever it is compiled."""
    try:
        return bool(eval(NAME.sub(lambda name: str(values[name[0]]), text)))
    except ZeroDivisionError:
        return False


def _bare(number: Number) -> Number:
    """The same without brackets around all of it."""
    text = number.text
    return Number(text[1:-1], number.value) if text.startswith("(") else number


class _Writer:
    """One formula, written in operators; ``names`` are the numbers that stand in it by name."""

    def __init__(
        self, struct: Struct, prefix: str, formula: Expression, known: Known, limits: Limits
    ) -> None:
        self.struct, self.prefix, self.formula = struct, prefix, formula
        self.known, self.limits, self.names = known, limits, dict[str, int]()

    def written(self, tree: ast.expr) -> Number | None:
        """An expression, in brackets unless it is one number; None for what is no number."""
        path = path_of(tree)
        if path:
            return self._named(tree, resolve(type(self.struct), path), ".".join(path))
        if isinstance(tree, ast.BinOp) and type(tree.op) in OPERATORS:
            return self._joined(OPERATORS[type(tree.op)], [tree.left, tree.right])
        if isinstance(tree, ast.Call) and isinstance(tree.func, ast.Name):
            called = self.formula.names.get(tree.func.id, tree.func.id)
            if called is terms.pick:
                return self.written(tree.args[1 if self._value(tree.args[0]) else 2])
            if called in CHOOSES:
                return self._chosen(CHOOSES[called], _arguments(tree))
            if called in WORDS and all(map(self._value, tree.args[1:])):
                return self._joined(WORDS[called], _arguments(tree))
        return self._literal(tree)

    def _named(self, tree: ast.expr, read: Read, path: str) -> Number | None:
        """A name: an emitted number, a limit of the target, or what it comes to."""
        number = self.known.get((read.kind, self.prefix + read.key))
        if read.kind == "target" and path.partition(".")[2] in self.limits:
            number = self.limits[path.partition(".")[2]]
        if number is None or path != read.name:
            return self._literal(tree)
        self.names[number.text] = number.value
        return number

    def _chosen(self, choose: Callable[..., Any], among: list[ast.expr]) -> Number | None:
        values = [self._value(each) for each in among]
        return self.written(among[values.index(choose(values))]) if values else None

    def _joined(self, join: Join, trees: list[ast.expr]) -> Number | None:
        found = [self.written(each) for each in trees]
        if not all(each is not None and abs(each.value) < MOST for each in found):
            return None
        joined = join([each for each in found if each is not None])
        return joined if joined is not None and abs(joined.value) < MOST else None

    def _literal(self, tree: ast.expr) -> Number | None:
        value = self._value(tree)
        return literal(int(value)) if isinstance(value, int) and 0 <= value < MOST else None

    def _value(self, tree: ast.expr) -> Any:
        return self.formula.within(tree).value(self.struct)


def _arguments(call: ast.Call) -> list[ast.expr]:
    return [*call.args, *(word.value for word in call.keywords)]


def _sum(numbers: list[Number]) -> Number:
    terms = [each.text for each in numbers if each.text != "0"] or ["0"]
    text = " + ".join(terms)
    return Number(f"({text})" if len(terms) > 1 else text, sum(each.value for each in numbers))


def _difference(numbers: list[Number]) -> Number:
    a, b = numbers
    return Number(f"({a.text} - {b.text})", a.value - b.value)


def _product(numbers: list[Number]) -> Number:
    a, b = numbers
    return Number(f"({a.text} * {b.text})", a.value * b.value)


def _quotient(numbers: list[Number]) -> Number | None:
    """Rounded down: of what is below 0 languages round otherwise."""
    a, b = numbers
    return Number(f"({a.text} // {b.text})", a.value // b.value) if _divides(a, b) else None


def _remainder(numbers: list[Number]) -> Number | None:
    a, b = numbers
    return Number(f"({a.text} % {b.text})", a.value % b.value) if _divides(a, b) else None


def _rounded(up: bool, numbers: list[Number]) -> Number | None:
    """A multiple of the second number: the first one, where that is it already."""
    if not _divides(*numbers):
        return None
    if numbers[0].value % numbers[1].value == 0:
        return numbers[0]
    quotient = _ceildiv(numbers) if up else _quotient(numbers)
    return None if quotient is None else _product([quotient, numbers[1]])


def _ceildiv(numbers: list[Number]) -> Number | None:
    a, b = numbers
    if not _divides(a, b):
        return None
    if a.value % b.value == 0:
        return _quotient(numbers)
    return _quotient([Number(f"({a.text} + {b.text} - 1)", a.value + b.value - 1), b])


def _divides(a: Number, b: Number) -> bool:
    return a.value >= 0 and b.value > 0


OPERATORS: dict[type[ast.operator], Join] = {
    ast.Add: _sum,
    ast.Sub: _difference,
    ast.Mult: _product,
    ast.FloorDiv: _quotient,
    ast.Mod: _remainder,
}
WORDS: dict[Any, Join] = {
    terms.total: _sum,
    arith.div: _quotient,
    arith.mod: _remainder,
    arith.ceildiv: _ceildiv,
    arith.up: partial(_rounded, True),
    arith.down: partial(_rounded, False),
}
CHOOSES: dict[Any, Callable[..., Any]] = {
    terms.least: min,
    terms.most: max,
    min: min,
    max: max,
    "min": min,
    "max": max,
}
"""Words of formulas that take one of their terms."""
