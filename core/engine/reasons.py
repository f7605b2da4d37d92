"""Why a quantity has its value: the terms it is made of, the arm it took, how many fit.

All of it is read off the formula's own words: `least` and its kin name their terms,
`pick` its condition, and a division by a size says how many of that size fit.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import Any, NamedTuple

from kcfg.core.engine import formula, terms, trees
from kcfg.core.engine.arith import div, down, up
from kcfg.core.engine.formula import Expression, Read
from kcfg.core.engine.quantity import Quantity, Unit
from kcfg.core.engine.struct import Struct

WORDS: dict[Any, str] = {
    word: word.__name__
    for word in (terms.least, terms.most, terms.total, terms.all_of, terms.any_of)
}
KEEPING = frozenset((abs, down, max, min, up))
"""Words that give what is in the unit of what they are given."""


class Term(NamedTuple):
    """One named term of a sum, a limit or a verdict.

    ``share`` (of 1) and ``running`` (the sum so far) are those of a `total`. A term
    ``decides`` when it is the smallest of `least`, the largest of `most`, a condition
    that fails `all_of`, one that carries `any_of`; never in a `total`.
    """

    name: str
    formula: str
    substituted: str
    value: Any
    share: float | None
    running: int | None
    decides: bool


class Ledger(NamedTuple):
    """The named terms of one word; ``within`` is the outer term it stands in, or "".

    They are in ``unit``, that of the value that they are part of; None where that comes of them
    by a product or a quotient.
    """

    word: str
    within: str
    terms: tuple[Term, ...]
    value: Any
    unit: Unit | None


class Choice(NamedTuple):
    """A `pick`: its condition, and the text of the arm that was taken."""

    condition: str
    substituted: str
    holds: bool
    taken: str


class Fit(NamedTuple):
    """How often ``each`` fits into ``room``: ``fits`` times, ``left`` over.

    One more would need ``missing`` on top of that; both are None where ``each`` is 0 or
    less. ``term`` names the limit where several are compared; ``binds`` is false where
    another one is smaller. ``rounded`` is what the count is rounded down to afterwards, None
    where it is not, or where that changes nothing. Room and size are in ``unit``, None where it
    is not known.
    ``path`` leads to the quantity whose formula divides, as report keys, and ``steps`` are the
    formulas that make another number of the count on the way back, first to last: ``made`` is
    that number, None where nobody asked for one.
    """

    path: tuple[str, ...]
    term: str
    room: int
    room_formula: str
    each: int
    each_formula: str
    fits: int
    left: int | None
    missing: int | None
    unit: Unit | None
    binds: bool
    rounded: int | None = None
    steps: tuple[str, ...] = ()
    made: int | None = None


def ledgers(struct: Struct, quantity: Quantity[Any]) -> tuple[Ledger, ...]:
    """The words with named terms that a quantity's value came through, outermost first."""
    return tuple(_ledgers(struct, formula.of(quantity), "", quantity.unit))


def choices(struct: Struct, quantity: Quantity[Any]) -> tuple[Choice, ...]:
    """The picks a quantity's value came through, outermost first."""
    return tuple(_choices(struct, formula.of(quantity)))


def fits(struct: Struct, quantity: Quantity[Any]) -> tuple[Fit, ...]:
    """The divisions that count how many fit, where a quantity is one or comes from one.

    They are looked for where its value came from: in the taken arm of a `pick`, in the
    terms of `least`, in what is rounded down, and in other quantities of its unit.
    """
    place = _Place(struct, "", (quantity.key,), "", True)
    made = getattr(struct, quantity.name)
    return tuple(
        found._replace(made=made) for found in _fits(place, formula.of(quantity), quantity)
    )


def words(quantity: Quantity[Any]) -> Iterator[tuple[str, dict[str, Expression]]]:
    """The words with named terms in a quantity's formula, without numbers, outermost first."""
    outer = formula.of(quantity)
    for node in ast.walk(outer.tree):
        if isinstance(node, ast.Call):
            call = outer.within(node)
            if call.function in WORDS:
                yield WORDS[call.function], call.named


def live(struct: Struct, expression: Expression) -> tuple[Read, ...]:
    """What an expression reads for this struct: not the arms it does not take."""
    found = {read.name: read for read in _live(struct, expression)}
    return tuple(found.values())


def _live(struct: Struct, expression: Expression) -> Iterator[Read]:
    if expression.function is terms.pick:
        yield from expression.arguments[0].reads(type(struct))
        yield from _live(struct, _taken(struct, expression))
    elif expression.operands:
        for operand in expression.operands:
            yield from _live(struct, operand)
    else:
        yield from expression.reads(type(struct))


def _taken(struct: Struct, call: Expression) -> Expression:
    condition, then, otherwise = call.arguments
    return then if condition.value(struct) else otherwise


def _ledgers(
    struct: Struct, expression: Expression, within: str, unit: Unit | None
) -> Iterator[Ledger]:
    if expression.function in WORDS:
        yield _ledger(struct, expression, within, unit)
        for name, term in expression.named.items():
            yield from _ledgers(struct, term, name, unit)
    elif expression.function is terms.pick:
        yield from _ledgers(struct, _taken(struct, expression), within, unit)
    else:
        kept = unit if _keeps_unit(expression) else None
        for inner in expression.operands:
            yield from _ledgers(struct, inner, within, kept)


def _keeps_unit(expression: Expression) -> bool:
    """Whether what an operation comes to is in the unit of its operands."""
    if isinstance(expression.tree, ast.BinOp):
        return isinstance(expression.tree.op, ast.Add | ast.Sub)
    return expression.function in KEEPING


def _ledger(struct: Struct, call: Expression, within: str, unit: Unit | None) -> Ledger:
    word, result = WORDS[call.function], call.value(struct)
    entries, running = [], 0
    for name, term in call.named.items():
        value = term.value(struct)
        share = None
        if word == "total":
            running += value
            share = value / result if result else None
        entries.append(
            Term(
                name=name,
                formula=term.text,
                substituted=term.substituted(struct),
                value=value,
                share=share,
                running=running if word == "total" else None,
                decides=_decides(word, value, result),
            )
        )
    return Ledger(word, within, tuple(entries), result, unit)


def _decides(word: str, value: Any, result: Any) -> bool:
    if word == "all_of":
        return not value
    if word == "any_of":
        return bool(value)
    return bool(word != "total" and value == result)


def _choices(struct: Struct, expression: Expression) -> Iterator[Choice]:
    inner = expression.operands
    if expression.function is terms.pick:
        condition, taken = expression.arguments[0], _taken(struct, expression)
        yield Choice(
            condition.text,
            condition.substituted(struct),
            bool(condition.value(struct)),
            taken.text,
        )
        inner = (taken,)
    for operand in inner:
        yield from _choices(struct, operand)


class _Place(NamedTuple):
    """Where the search for divisions is: the struct, its prefix, and how it was reached."""

    struct: Struct
    prefix: str
    path: tuple[str, ...]
    term: str
    binds: bool


def _fits(place: _Place, expression: Expression, quantity: Quantity[Any]) -> Iterator[Fit]:
    tree = expression.tree
    if expression.function is terms.pick:
        yield from _fits(place, _taken(place.struct, expression), quantity)
    elif expression.function is terms.least:
        result = expression.value(place.struct)
        for name, limit in expression.named.items():
            binds = place.binds and limit.value(place.struct) == result
            yield from _fits(place._replace(term=name, binds=binds), limit, quantity)
    elif expression.quotient is not None and _counts(*expression.quotient):
        yield _fit(place, expression.quotient)
    elif expression.function is down:
        for found in _fits(place, expression.operands[0], quantity):
            yield _rounded(found, expression.operands[1].value(place.struct))
    elif isinstance(tree, ast.BinOp):
        count = expression.operands[0]
        changes = count.value(place.struct) != expression.value(place.struct)
        for found in _fits(place, count, quantity):
            steps = (*found.steps, expression.text) if changes else found.steps
            yield found._replace(steps=steps)
    elif trees.path_of(tree):
        yield from _fits_of_name(place, expression, quantity)


def _rounded(found: Fit, step: int) -> Fit:
    """The fit, with what its count comes to in whole steps."""
    count = down(found.fits if found.rounded is None else found.rounded, step)
    return found if count == found.fits else found._replace(rounded=count)


def _fits_of_name(place: _Place, name: Expression, quantity: Quantity[Any]) -> Iterator[Fit]:
    read = formula.resolve(type(place.struct), trees.path_of(name.tree))
    if isinstance(read.member, Quantity) and read.member.unit == quantity.unit:
        at = read.name.rpartition(".")[0]
        owner = formula.found(place.struct, read._replace(name=at)) if at else place.struct
        prefix = f"{place.prefix}{at}." if at else place.prefix
        path = (*place.path, place.prefix + read.key)
        inner = _Place(owner, prefix, path, place.term, place.binds)
        yield from _fits(inner, formula.of(read.member), quantity)


def _counts(room: Expression, each: Expression) -> bool:
    """Whether a division asks how many fit, and does not merely halve or convert."""
    subtracts = isinstance(room.tree, ast.BinOp) and isinstance(room.tree.op, ast.Sub)
    return subtracts or not isinstance(each.tree, ast.Constant)


def _fit(place: _Place, quotient: tuple[Expression, Expression]) -> Fit:
    struct = place.struct
    room, each = (side.value(struct) for side in quotient)
    count = div(room, each)
    left = room - count * each if each > 0 else None
    return Fit(
        path=place.path,
        term=place.term,
        room=room,
        room_formula=quotient[0].text,
        each=each,
        each_formula=quotient[1].text,
        fits=count,
        left=left,
        missing=None if left is None else each - left,
        unit=_unit(type(struct), quotient[1]) or _unit(type(struct), quotient[0]),
        binds=place.binds,
    )


def _unit(struct: type[Struct], expression: Expression) -> Unit | None:
    """The unit of a name, or of a sum or product that begins with one."""
    tree = expression.tree
    while isinstance(tree, ast.BinOp) and isinstance(tree.op, ast.Add | ast.Sub):
        tree = tree.left
    reads = expression.within(tree).reads(struct)
    if len(reads) == 1 and reads[0].member is not None and trees.path_of(tree):
        return reads[0].member.unit
    return None
