"""Reasons in sentences and tables: what fits, which way a condition went, what a sum is made of."""

from __future__ import annotations

from collections.abc import Iterator

from kcfg.cli.pages.pieces import Column, Row, Table, Tone
from kcfg.cli.pages.units import measured, number
from kcfg.core.docs import one_line
from kcfg.core.engine.formula import Read
from kcfg.core.engine.reasons import Choice, Fit, Ledger, Term
from kcfg.core.explain.explanation import Dependency, Explanation
from kcfg.core.figures import joined, kib, some

ORDINALS = (
    "first",
    "second",
    "third",
    "fourth",
    "fifth",
    "sixth",
    "seventh",
    "eighth",
    "ninth",
    "tenth",
)

SPACES = ("bytes", "columns")
"""What is divided to see how many fit."""
OTHER_WORDS = ("elements", "barriers")
"""Units that a place in bytes is only said in."""

DECIDES = {"least": "binds", "most": "rules", "all_of": "fails", "any_of": "holds"}
"""What a term of each word is said to do where it decides."""


def fits(told: Explanation) -> Iterator[tuple[str, bool]]:
    """What fits how often, and what is shared, in sentences; each with whether it binds."""
    for found in told.fits:
        if told.unit in OTHER_WORDS:
            continue
        if found.unit in SPACES and found.unit != told.unit:
            other = found.binds and told.value not in (found.fits, found.rounded)
            yield fit(found) + (_made(found, told.name, told.value) if other else ""), found.binds
        elif found.unit == "CTAs" and told.unit == "bytes":
            room, each = f"{found.room:,} B ({found.room_formula})", some(found.each, "CTA")
            share = measured(found.fits, told.unit)
            yield f"{room} shared by {each} ({found.each_formula}): {share} each", found.binds


def limit(found: Fit) -> str:
    """What limits a count of stages; the quantity that divides, where the count is another."""
    count, divides = found.path[0], found.path[-1]
    if divides == count or found.made in (None, found.fits) or not found.binds:
        return f"{count}: {fit(found)}"
    return f"{divides}: {fit(found)}{_made(found, count, found.made)}"


def _made(found: Fit, name: str, value: object) -> str:
    """What comes of a count in the end, and by which steps."""
    by = f" ({', then '.join(found.steps)})" if found.steps else ""
    return f" That makes {name} {number(value)}{by}."


def fit(found: Fit) -> str:
    """How many fit, what stays free, and what one more would take.

    Where the division's result is not what comes of it, one more would change nothing. Sizes
    below 0, which refused configurations derive, are told as what is missing.
    """
    term = f"{found.term} {'binds' if found.binds else 'does not bind'}: " if found.term else ""
    return f"{term}{_fit(found)}"


def _fit(found: Fit) -> str:
    unit = f" {found.unit}" if found.unit else ""
    room = _named(f"{max(found.room, 0):,}{unit}", found.room_formula)
    each = _named(f"{max(found.each, 0):,} each", found.each_formula)
    if found.left is None or found.missing is None:
        return f"none can be counted: the size of one ({found.each_formula}) comes to nothing."
    if found.room < 0:
        short = f"{found.room_formula} is {-found.room:,}{unit} short of any room"
        return f"none fit: {short}; the first, at {each}, needs {found.each - found.room:,} more."
    text = f"{found.fits:,} fit into {room} at {each}"
    of = f" of these{unit}" if unit else ""
    free = f"{found.left:,}{of} {'stays' if found.left == 1 else 'stay'} free"
    if found.rounded is not None:
        return f"{text}; {free}; {found.fits:,} is rounded down to {found.rounded:,}."
    return f"{text}; {free}; {_next(found.fits)} needs {found.missing:,} more."


def _named(number: str, formula: str) -> str:
    """A number and what it comes from, unless it stands there as it is."""
    return number if formula.isdecimal() else f"{number} ({formula})"


def _next(fits: int) -> str:
    if 0 <= fits < len(ORDINALS):
        return f"{'an' if ORDINALS[fits] == 'eighth' else 'a'} {ORDINALS[fits]}"
    return "one more"


def choice(found: Choice) -> str:
    """Which way a condition went."""
    plain = found.substituted in ("True", "False", found.condition)
    numbers = "" if plain else f", {found.substituted},"
    holds = "true" if found.holds else "false"
    return f"{found.condition}{numbers} is {holds}: {found.taken} is taken"


def ledger(found: Ledger) -> Table:
    """The terms of a sum with their shares, or of limits and conditions with what decides."""
    unit = found.unit or "value"
    if found.word == "total":
        columns = [
            Column("part"),
            Column(unit, True),
            *([Column("", True)] if unit == "bytes" else []),
            Column("share", True),
            Column("running total", True),
            Column("formula"),
        ]
        return Table(columns, [_part(term, unit) for term in found.terms])
    columns = [Column("term"), Column("value", True), Column(""), Column("formula")]
    return Table(columns, [_term(term, found.word) for term in found.terms])


def _part(term: Term, unit: str) -> Row:
    size = [kib(term.value)] if unit == "bytes" else []
    share = "" if term.share is None else f"{term.share:.1%}"
    cells = [term.name, number(term.value), *size, share, number(term.running), term.formula]
    return Row(cells, "" if term.value else "dim")


def _term(term: Term, word: str) -> Row:
    decides = DECIDES.get(word, "") if term.decides else ""
    tone: Tone = "bad" if decides == "fails" else "strong" if decides else ""
    return Row([term.name, number(term.value), decides, _with_numbers(term)], tone)


def sentence(found: Ledger) -> str:
    """The same on one line: the sum's parts that are not 0, or the terms that decide."""
    names = ", ".join(term.name for term in found.terms)
    values = [f"{term.name} {number(term.value)}" for term in found.terms]
    decides = [term for term in found.terms if term.decides]
    word = DECIDES.get(found.word, "")
    if found.word == "total":
        parts = (text for text, term in zip(values, found.terms, strict=True) if term.value)
        return " + ".join(parts) or f"every part is 0: {names}"
    if found.word in ("least", "most"):
        several = word.removesuffix("s") if len(decides) > 1 else word
        return f"{found.word} of {', '.join(values)}: {joined(t.name for t in decides)} {several}"
    if not decides:
        return f"none of {names} {'fails' if found.word == 'all_of' else 'holds'}"
    return "; ".join(f"{term.name} {word}: {_with_numbers(term)}" for term in decides)


def _with_numbers(term: Term) -> str:
    plain = term.substituted in ("True", "False", term.formula)
    return term.formula if plain else f"{term.formula}: {term.substituted}"


def dependencies(found: tuple[Dependency, ...]) -> Table:
    """What a formula reads, inputs and limits of the target marked."""
    return Table(
        [Column(""), Column("", True), Column(""), Column("")],
        [
            Row([each.key, measured(each.value, each.unit or ""), mark(each), one_line(each.doc)])
            for each in found
        ],
    )


def mark(read: Dependency | Read) -> str:
    """What kind of name a formula reads, where it is no quantity."""
    return "" if read.kind == "quantity" else read.kind
