"""The grammar of an expression: parsed as Python's, checked node by node, never run as text.

What is allowed is listed here: names, plain decimal numbers, quoted texts, ``true`` and
``false``; ``and``, ``or``, ``not``; comparisons, and ``in`` a list; ``+ - * // %``, which divide
as the kernels do (by 0 to 0); ``a if c else b``; and the words of ``expressions.words``. What
comes out is a tree of the form that a kernel's own formulas have (`kcfg.core.engine`): one that
runs over plain values and arrays alike, and remembers how each part of it was written.
"""

from __future__ import annotations

import ast
import warnings
from collections.abc import Sequence
from typing import NamedTuple

from kcfg.core.engine.trees import is_value, written_for
from kcfg.core.errors import nearest
from kcfg.core.expressions.levels import NESTED, too_deep
from kcfg.core.expressions.mistakes import MEANT, no_element, unreadable
from kcfg.core.expressions.scope import (
    ExpressionError,
    NeverError,
    Scope,
    UnknownNameError,
)
from kcfg.core.expressions.words import MANY, NAMED, WORDS, Kind, Word
from kcfg.core.hardware.dtypes import ELEMENTS, SHORT_NAMES, SWIZZLES
from kcfg.core.spec.problem import listed, shown

LONGEST = 4000
"""Characters an expression may have."""
LARGEST = 1 << 40
"""The largest number that may be written in one."""

TRUTHS = {"true": True, "false": False}
SAME: tuple[type[ast.cmpop], ...] = (ast.Eq, ast.Is, ast.NotEq, ast.IsNot)
ORDERS: tuple[type[ast.cmpop], ...] = (ast.Lt, ast.LtE, ast.Gt, ast.GtE)
PLAIN: tuple[type[ast.operator], ...] = (ast.Add, ast.Sub, ast.Mult)
DIVISIONS: dict[type[ast.operator], str] = {ast.FloorDiv: "div", ast.Mod: "mod"}
NUMBERS = ("number", "float")
TEXTS = {"dtype": ELEMENTS, "swizzle": SWIZZLES}
"""What values of these units may be."""
FEW = 8
"""Conditions that are joined from left to right; more are joined in halves, which nests less."""


class Checked(NamedTuple):
    """An expression that is allowed; ``names`` are those it reads, ``unit`` is that of a text.

    ``texts`` are all that a text may be, where that is known.
    """

    kind: Kind
    unit: str
    tree: ast.expr
    names: tuple[str, ...] = ()
    texts: tuple[str, ...] = ()


def checked(text: str, scope: Scope) -> Checked:
    """An expression of one line in the names of a scope; raises `ExpressionError`."""
    body = text.strip()
    margin = len(text) - len(text.lstrip())
    if not body or len(body) > LONGEST:
        length = f", not some {round(len(body), -2):,}" if body else ""
        raise ExpressionError(f"expected an expression of 1 to {LONGEST:,} characters{length}", 1)
    if not body.isprintable():
        raise ExpressionError("expected one line without control characters", 1)
    if too_deep(body):
        raise ExpressionError(NESTED, margin + 1)
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            tree = ast.parse(body, mode="eval").body
        if too_deep(tree):
            raise ExpressionError(NESTED, margin + 1)
    except SyntaxError as error:
        message, column = unreadable(body, error)
        raise ExpressionError(message, column + margin) from None
    except (RecursionError, MemoryError):
        raise ExpressionError(NESTED, margin + 1) from None
    return _Checker(body, margin, scope).term(tree)


def as_condition(found: Checked, text: str) -> Checked:
    """The same, should it be a condition; raises `ExpressionError`."""
    if found.kind != "truth":
        message = f"this is no condition: compare it with something; {shown(text.strip())} is not"
        raise ExpressionError(f"{message} true or false", 1)
    return found


class _Checker:
    """One expression on its way to a tree."""

    def __init__(self, text: str, margin: int, scope: Scope) -> None:
        self.text, self.margin, self.scope = text, margin, scope
        self.bytes = text.encode()

    def said(self, node: ast.expr) -> str:
        """A part of the expression as it is written."""
        return self.bytes[node.col_offset : node.end_col_offset].decode(errors="replace")

    def wrong(
        self, node: ast.expr, message: str, error: type[ExpressionError] = ExpressionError
    ) -> ExpressionError:
        before = self.bytes[: node.col_offset].decode(errors="replace")
        return error(message, len(before) + self.margin + 1)

    def refused(self, node: ast.expr, why: str = "not allowed here") -> ExpressionError:
        return self.wrong(node, f"{shown(self.said(node))} is {why}")

    def term(self, node: ast.expr) -> Checked:
        """A part of the expression, whatever its kind."""
        found = self._term(node)
        return found._replace(tree=written_for(found.tree, node))

    def _term(self, node: ast.expr) -> Checked:
        match node:
            case ast.Constant():
                return self.constant(node)
            case ast.Name() | ast.Attribute() | ast.Subscript():
                return self.name(node)
            case ast.BoolOp():
                operator = ast.BitAnd() if isinstance(node.op, ast.And) else ast.BitOr()
                return joined(operator, [self.of_kind(each, "truth") for each in node.values])
            case ast.UnaryOp():
                return self.unary(node)
            case ast.BinOp():
                return self.arithmetic(node)
            case ast.Compare():
                return self.comparison(node)
            case ast.IfExp():
                return self.choice(node, node.test, node.body, node.orelse)
            case ast.Call():
                return self.call(node)
        raise self.refused(node)

    def of_kind(self, node: ast.expr, kind: Kind) -> Checked:
        """A part that must be a number or a condition."""
        found = self.term(node)
        if found.kind != kind:
            said = self.said(node)
            article = {"truth": "true or false", "number": "a number"}.get(kind, kind)
            advice = f": write `1 if {said} else 0`" if (found.kind, kind) == TRUTH else ""
            raise self.wrong(node, f"{shown(said)} is not {article}{advice}")
        return found

    def constant(self, node: ast.Constant) -> Checked:
        value = node.value
        if value is None or isinstance(value, bool):  # as Python writes it
            return self.name(node)
        if isinstance(value, str) and self.said(node)[:1] in "\"'":
            if not value.isprintable():
                raise self.wrong(node, "expected a text of one line, without control characters")
            return Checked("text", "", ast.Constant(value))
        if type(value) is not int:
            said = self.said(node)
            raise self.wrong(node, f"expected a whole number or a text, not {said}")
        if value > LARGEST:
            raise self.wrong(node, f"numbers here are at most {LARGEST}")
        if self.said(node) != str(value):
            raise self.wrong(node, f"expected a plain decimal number: write {value}")
        return Checked("number", "", ast.Constant(value))

    def name(self, node: ast.expr) -> Checked:
        text = self.said(node) if isinstance(node, ast.Constant) else self.dotted(node)
        if text.lower() in TRUTHS:
            return Checked("truth", "", ast.Constant(TRUTHS[text.lower()]))
        try:
            found = self.scope.meaning(text)
        except UnknownNameError as error:
            if text.lower() in ("null", "none") and self.scope.nulls:
                return Checked("null", "", ast.Constant(None))
            raise self.wrong(node, str(error)) from None
        return Checked(found.kind, found.unit, found.tree, (text,), found.texts)

    def dotted(self, node: ast.expr) -> str:
        """A name as reports have it: ``storage.kv_bytes``, ``mma_shape[0]``."""
        if isinstance(node, ast.Name):
            return self.said(node)
        if isinstance(node, ast.Attribute):
            return f"{self.dotted(node.value)}.{node.attr}"
        if isinstance(node, ast.Subscript) and isinstance(node.slice, ast.Constant):
            return f"{self.dotted(node.value)}[{node.slice.value!r}]"
        raise self.refused(node)

    def unary(self, node: ast.UnaryOp) -> Checked:
        if isinstance(node.op, ast.Not):
            return negated(self.of_kind(node.operand, "truth"))
        if isinstance(node.op, ast.USub):
            inner = self.of_kind(node.operand, "number")
            return inner._replace(tree=ast.UnaryOp(ast.USub(), inner.tree))
        raise self.refused(node)

    def arithmetic(self, node: ast.BinOp) -> Checked:
        known = type(node.op) in PLAIN or type(node.op) in DIVISIONS
        if not known:
            hint = "; write // for whole numbers" if isinstance(node.op, ast.Div) else ""
            raise self.wrong(node, f"{shown(self.said(node))}: not an operation allowed here{hint}")
        left, right = self.of_kind(node.left, "number"), self.of_kind(node.right, "number")
        tree: ast.expr = ast.BinOp(left.tree, node.op, right.tree)
        divisor = node.right
        if type(node.op) in DIVISIONS and not (isinstance(divisor, ast.Constant) and divisor.value):
            tree = call(DIVISIONS[type(node.op)], left.tree, right.tree)
        return Checked("number", "", tree, left.names + right.names)

    def choice(self, node: ast.expr, asked: ast.expr, taken: ast.expr, other: ast.expr) -> Checked:
        condition = self.of_kind(asked, "truth")
        one, two = self.term(taken), self.term(other)
        if one.kind != two.kind or "null" in (one.kind, two.kind):
            raise self.wrong(other, f"one arm is {_kind(one)} and the other {_kind(two)}")
        one, two = self.spelled(one, two, taken), self.spelled(two, one, other)
        unit = one.unit if one.unit == two.unit or is_value(two.tree) else ""
        unit = two.unit if is_value(one.tree) else unit
        names = condition.names + one.names + two.names
        return Checked(one.kind, unit, call("pick", condition.tree, one.tree, two.tree), names)

    def call(self, node: ast.Call) -> Checked:
        name = node.func.id if isinstance(node.func, ast.Name) else ""
        if name not in WORDS:
            close = (MEANT.get(name.lower()) or nearest(name, WORDS)) if name else None
            hint = f"did you mean `{close}`?" if close else f"the words are {listed(WORDS)}"
            what = f"`{self.said(node.func)[:40]}` is no word"
            raise self.wrong(node, f"functions cannot be called here: {what}; {hint}")
        if any(isinstance(each, ast.Starred) for each in node.args):
            raise self.refused(node)
        word = WORDS[name]
        if word.takes == NAMED:
            return self.named(node, name)
        if node.keywords or not _fits(word.takes, len(node.args)):
            takes = "two numbers or more" if word.takes == MANY else _taken(name, word)
            raise self.wrong(node, f"`{name}` takes {takes}, not {len(node.args)}{_named(node)}")
        if name == "pick":
            return self.choice(node, *node.args)
        given = [
            self.typed(each) if word.of == "text" else self.of_kind(each, word.of)
            for each in node.args
        ]
        names = tuple(name for each in given for name in each.names)
        return Checked(word.gives, "", call(name, *[each.tree for each in given]), names)

    def named(self, node: ast.Call, name: str) -> Checked:
        """A word whose terms have names."""
        word = WORDS[name]
        if node.args or not node.keywords or not all(each.arg for each in node.keywords):
            raise self.wrong(node, f"`{name}` takes terms with names, as in {name}(a=..., b=...)")
        given = {}
        for each in node.keywords:
            if each.arg in given:  # Python's own parser lets none through; never rely on it
                raise self.wrong(node, f"`{name}` has two terms named `{each.arg}`")
            given[str(each.arg)] = self.of_kind(each.value, word.of)
        names = tuple(name for each in given.values() for name in each.names)
        keywords = [ast.keyword(arg, each.tree) for arg, each in given.items()]
        tree = ast.Call(ast.Name(name, ast.Load()), [], keywords)
        return Checked(word.gives, "", tree, names)

    def typed(self, node: ast.expr) -> Checked:
        """A part that must be an element type."""
        found = self.term(node)
        if found.kind == "text" and (found.unit == "dtype" or is_value(found.tree)):
            return self.spelled(found, found._replace(unit="dtype"), node)
        raise self.wrong(node, no_element(self.said(node), found.texts))

    def comparison(self, node: ast.Compare) -> Checked:
        sides = [node.left, *node.comparators]
        parts = [
            self.compared(left, op, right)
            for left, op, right in zip(sides, node.ops, sides[1:], strict=False)
        ]
        return joined(ast.BitAnd(), parts)

    def compared(self, left: ast.expr, op: ast.cmpop, right: ast.expr) -> Checked:
        if isinstance(op, ast.In | ast.NotIn):
            if not isinstance(right, ast.Tuple | ast.List | ast.Set) or not right.elts:
                raise self.wrong(right, "`in` takes a list, as in BM in [64, 128]")
            several = [self.compared(left, ast.Eq(), one) for one in right.elts]
            found = joined(ast.BitOr(), several)
            return found if isinstance(op, ast.In) else negated(found)
        one, two = self.term(left), self.term(right)
        kinds = {"number" if term.kind in NUMBERS else term.kind for term in (one, two)}
        names = one.names + two.names
        if type(op) in SAME:
            if "null" not in kinds and len(kinds) > 1:
                raise self.wrong(left, f"{_kind(one)} is compared with {_kind(two)}")
            one, two = self.spelled(one, two, left), self.spelled(two, one, right)
            self.occurs(one, two, left)
            self.occurs(two, one, right)
            alike = isinstance(op, ast.Eq | ast.Is)
            if "null" in kinds:
                same = Checked("truth", "", call("is_null", one.tree, two.tree), names)
                return same if alike else negated(same)
            operator: ast.cmpop = ast.Eq() if alike else ast.NotEq()
        elif kinds != {"number"}:
            raise self.wrong(left, f"only numbers have an order, not {_kind(one)} and {_kind(two)}")
        else:
            operator = op
        return Checked("truth", "", ast.Compare(one.tree, [operator], [two.tree]), names)

    def occurs(self, one: Checked, two: Checked, node: ast.expr) -> None:
        """Refuse a text that is compared with what is never that."""
        written = one.tree.value if isinstance(one.tree, ast.Constant) else None
        if not isinstance(written, str) or not two.texts or written in two.texts:
            return
        close = nearest(written, two.texts)
        hint = f"; did you mean {close!r}?" if close else ""
        known = listed(two.texts)
        never = f"`{two.names[0]}` is never {written!r}: one of {known}{hint}"
        raise self.wrong(node, never, NeverError)

    def spelled(self, one: Checked, two: Checked, node: ast.expr) -> Checked:
        """``one`` with its text in full, should ``two`` be of a unit with known texts."""
        written = one.tree.value if isinstance(one.tree, ast.Constant) else None
        if not isinstance(written, str) or two.unit not in TEXTS:
            return one
        text, known = SHORT_NAMES.get(written, written), TEXTS[two.unit]
        if text not in known:
            close = nearest(written, [*known, *SHORT_NAMES])
            hint = f"did you mean {close!r}?" if close else f"known: {listed(known)}"
            raise self.wrong(node, f"no such {two.unit}: {written!r}; {hint}")
        return one._replace(tree=written_for(ast.Constant(text), node), unit=two.unit)


TRUTH = ("truth", "number")
"""A condition where a number is due."""


def call(word: str, *given: ast.expr) -> ast.expr:
    """A call of a word."""
    return ast.Call(ast.Name(word, ast.Load()), list(given), [])


def joined(operator: ast.operator, parts: Sequence[Checked]) -> Checked:
    """Conditions joined by ``and`` or ``or``."""
    names = tuple(name for part in parts for name in part.names)
    return Checked("truth", "", _joined(operator, [part.tree for part in parts]), names)


def _joined(operator: ast.operator, trees: Sequence[ast.expr]) -> ast.expr:
    if len(trees) == 1:
        return trees[0]
    cut = len(trees) - 1 if len(trees) <= FEW else len(trees) // 2
    return ast.BinOp(_joined(operator, trees[:cut]), operator, _joined(operator, trees[cut:]))


def negated(found: Checked) -> Checked:
    """The opposite of a condition."""
    return found._replace(tree=call("negate", found.tree))


def _fits(takes: int, given: int) -> bool:
    return given >= 2 if takes == MANY else given == takes


def _taken(name: str, word: Word) -> str:
    """What a word takes, in words."""
    if name == "pick":
        return "a condition and two values"
    what = "element type" if word.of == "text" else "number"
    return f"{word.takes} {what}{'s' if word.takes > 1 else ''}"


def _named(node: ast.Call) -> str:
    return (
        f" and the names {listed(str(each.arg) for each in node.keywords)}" if node.keywords else ""
    )


def _kind(term: Checked) -> str:
    return {"truth": "true or false", "number": "a number", "float": "a number"}.get(
        term.kind, "a text"
    )
