"""Expressions over a kernel's values: parsed by Python's grammar, checked, never evaluated as text.

What is allowed is listed here, node by node: names, whole numbers, quoted texts,
``true``, ``false`` and ``null``; ``and``, ``or``, ``not``; comparisons, and ``in`` a list;
``+ - * // %``, which divide as the kernels do (by 0 to 0). Each becomes a function over
plain values or arrays alike.
"""

from __future__ import annotations

import ast
import operator
import warnings
from collections.abc import Callable
from typing import Any, NamedTuple

from kcfg.core.engine import arith, terms
from kcfg.core.hardware.dtypes import DTYPES, SHORT_NAMES, SWIZZLES
from kcfg.core.hardware.words import meant_word
from kcfg.core.kernel import Kernel
from kcfg.core.spec.problem import listed
from kcfg.core.sweep.names import Kind, UnknownNameError, name_of
from kcfg.core.sweep.words import Value, Words

LONGEST = 4000
"""Characters an expression may have."""
LARGEST = 1 << 40
"""The largest number that may be written in one."""

Run = Callable[[Any], Value]
"""From a kernel to the value of an expression."""

CONSTANTS = {"true": True, "false": False, "null": None}

ORDERED: dict[type[ast.cmpop], Callable[[Any, Any], Any]] = {
    ast.Lt: operator.lt,
    ast.LtE: operator.le,
    ast.Gt: operator.gt,
    ast.GtE: operator.ge,
}
SAME: tuple[type[ast.cmpop], ...] = (ast.Eq, ast.Is, ast.NotEq, ast.IsNot)
ARITHMETIC: dict[type[ast.operator], Callable[[Any, Any], Any]] = {
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.Mult: operator.mul,
    ast.FloorDiv: arith.div,
    ast.Mod: arith.mod,
}
NUMBERS = ("number", "float")
TEXTS = {"dtype": DTYPES, "swizzle": SWIZZLES}
"""What values of these units may be."""


class ExpressionError(ValueError):
    """What is wrong with an expression, and at which ``column`` (from 1)."""

    def __init__(self, message: str, column: int) -> None:
        super().__init__(message)
        self.column = column


class Term(NamedTuple):
    """An expression, compiled; ``names`` are those it reads, ``unit`` is a name's own."""

    kind: Kind
    run: Run
    names: tuple[str, ...]
    unit: str = ""


def condition(text: str, cls: type[Kernel], words: Words) -> Term:
    """A condition in these words; raises `ExpressionError`."""
    term = _Compiler(text, cls, words).compiled()
    if term.kind != "truth":
        raise ExpressionError("this is no condition: compare it with something", 1)
    return term


class _Compiler:
    def __init__(self, text: str, cls: type[Kernel], words: Words) -> None:
        self.text, self.cls, self.words = text, cls, words

    def compiled(self) -> Term:
        body = self.text.strip()
        self.margin = len(self.text) - len(self.text.lstrip())
        if not body or len(body) > LONGEST:
            raise ExpressionError(f"expected an expression of 1 to {LONGEST} characters", 1)
        if not body.isprintable():
            raise ExpressionError("expected one line without control characters", 1)
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                tree = ast.parse(body, mode="eval")
            return self.term(tree.body)
        except SyntaxError as error:
            message = (error.msg or "this cannot be read").partition(". ")[0]
            column = error.offset or len(body) + 1
            raise ExpressionError(message, column + self.margin) from None
        except (RecursionError, MemoryError):
            raise ExpressionError("this is nested too deeply", 1) from None

    def word(self, word: Callable[..., Any]) -> Callable[..., Any]:
        return self.words.get(word, word)

    def wrong(self, node: ast.expr, message: str) -> ExpressionError:
        line = ast.unparse(node) if node.lineno > 1 else ""
        before = self.text.strip().encode()[: node.col_offset].decode(errors="replace")
        return ExpressionError(
            message + (f" ({line})" if line else ""), len(before) + self.margin + 1
        )

    def term(self, node: ast.expr) -> Term:
        if isinstance(node, ast.Constant):
            return self.constant(node)
        if isinstance(node, ast.Name | ast.Attribute | ast.Subscript):
            return self.name(node)
        if isinstance(node, ast.BoolOp):
            join = operator.and_ if isinstance(node.op, ast.And) else operator.or_
            return self.joined(join, [self.of_kind(value, "truth") for value in node.values])
        if isinstance(node, ast.UnaryOp):
            return self.unary(node)
        if isinstance(node, ast.BinOp):
            return self.arithmetic(node)
        if isinstance(node, ast.Compare):
            return self.comparison(node)
        if isinstance(node, ast.Call):
            raise self.wrong(node, "functions cannot be called here")
        raise self.wrong(node, f"`{ast.unparse(node)}` is not allowed here")

    def of_kind(self, node: ast.expr, kind: Kind) -> Term:
        term = self.term(node)
        if term.kind != kind:
            said = ast.unparse(node)
            article = {"truth": "true or false", "number": "a number"}.get(kind, kind)
            raise self.wrong(node, f"`{said}` is not {article}")
        return term

    def constant(self, node: ast.Constant) -> Term:
        value = node.value
        if isinstance(value, bool | str | None):
            kind: Kind = "truth" if isinstance(value, bool) else "null" if value is None else "text"
        elif isinstance(value, int) and value <= LARGEST:
            kind = "number"
        elif isinstance(value, int):
            raise self.wrong(node, f"numbers here are at most {LARGEST}")
        else:
            raise self.wrong(node, f"expected a whole number or a text, not {value!r}")
        return Term(kind, lambda kernel: value, ())

    def name(self, node: ast.expr) -> Term:
        text = self.dotted(node)
        if text.lower() in CONSTANTS:
            return self.constant(ast.copy_location(ast.Constant(CONSTANTS[text.lower()]), node))
        try:
            name = name_of(self.cls, text)
        except UnknownNameError as error:
            raise self.wrong(node, str(error)) from None
        return Term(name.kind, name.read, (text,), name.unit)

    def dotted(self, node: ast.expr) -> str:
        """A name as reports have it: ``storage.kv_bytes``, ``mma_shape[0]``."""
        if isinstance(node, ast.Name):
            return node.id
        if isinstance(node, ast.Attribute):
            return f"{self.dotted(node.value)}.{node.attr}"
        if isinstance(node, ast.Subscript) and isinstance(node.slice, ast.Constant):
            return f"{self.dotted(node.value)}[{node.slice.value!r}]"
        raise self.wrong(node, f"`{ast.unparse(node)}` is not allowed here")

    def joined(self, join: Callable[[Any, Any], Any], parts: list[Term]) -> Term:
        runs = [part.run for part in parts]

        def run(kernel: Any) -> Value:
            found = runs[0](kernel)
            for one in runs[1:]:
                found = join(found, one(kernel))
            return found

        return Term("truth", run, tuple(name for part in parts for name in part.names))

    def unary(self, node: ast.UnaryOp) -> Term:
        if isinstance(node.op, ast.Not):
            inner, negate = self.of_kind(node.operand, "truth"), self.word(terms.negate)
            return Term("truth", lambda kernel: negate(inner.run(kernel)), inner.names)
        if isinstance(node.op, ast.USub):
            inner = self.of_kind(node.operand, "number")
            return Term("number", lambda kernel: -inner.run(kernel), inner.names)
        raise self.wrong(node, f"`{ast.unparse(node)}` is not allowed here")

    def arithmetic(self, node: ast.BinOp) -> Term:
        if type(node.op) not in ARITHMETIC:
            hint = "; write // for whole numbers" if isinstance(node.op, ast.Div) else ""
            raise self.wrong(node, f"`{ast.unparse(node)}`: not an operation allowed here{hint}")
        left, right = self.of_kind(node.left, "number"), self.of_kind(node.right, "number")
        operate = self.word(ARITHMETIC[type(node.op)])
        return Term(
            "number",
            lambda kernel: operate(left.run(kernel), right.run(kernel)),
            left.names + right.names,
        )

    def comparison(self, node: ast.Compare) -> Term:
        sides = [node.left, *node.comparators]
        parts = [
            self.compared(left, op, right)
            for left, op, right in zip(sides, node.ops, sides[1:], strict=False)
        ]
        return parts[0] if len(parts) == 1 else self.joined(operator.and_, parts)

    def compared(self, left: ast.expr, op: ast.cmpop, right: ast.expr) -> Term:
        if isinstance(op, ast.In | ast.NotIn):
            if not isinstance(right, ast.Tuple | ast.List | ast.Set) or not right.elts:
                raise self.wrong(right, "`in` takes a list, as in BM in (64, 128)")
            found = self.joined(
                operator.or_, [self.compared(left, ast.Eq(), one) for one in right.elts]
            )
            return found if isinstance(op, ast.In) else self.negated(found)
        one, two = self.term(left), self.term(right)
        kinds = {"number" if term.kind in NUMBERS else term.kind for term in (one, two)}
        names = one.names + two.names
        if type(op) in SAME:
            if "null" not in kinds and len(kinds) > 1:
                raise self.wrong(left, f"{_kind(one)} is compared with {_kind(two)}")
            one, two = self.spelled(one, two, left), self.spelled(two, one, right)
            same = _is if "null" in kinds else operator.eq
            term = Term("truth", lambda kernel: same(one.run(kernel), two.run(kernel)), names)
            return term if isinstance(op, ast.Eq | ast.Is) else self.negated(term)
        if kinds != {"number"}:
            raise self.wrong(left, f"only numbers have an order, not {_kind(one)} and {_kind(two)}")
        operate = ORDERED[type(op)]
        return Term("truth", lambda kernel: operate(one.run(kernel), two.run(kernel)), names)

    def negated(self, term: Term) -> Term:
        negate = self.word(terms.negate)
        return Term("truth", lambda kernel: negate(term.run(kernel)), term.names)

    def spelled(self, one: Term, two: Term, node: ast.expr) -> Term:
        """``one`` with its text in full, should ``two`` be of a unit with known texts."""
        if one.names or one.kind != "text" or two.unit not in TEXTS:
            return one
        written = one.run(None)
        text, known = SHORT_NAMES.get(written, written), TEXTS[two.unit]
        if text not in known:
            short = (name for name, meant in SHORT_NAMES.items() if meant in known)
            close = meant_word(written, [*known, *short])
            hint = f"did you mean {close!r}?" if close else f"known: {listed(known)}"
            raise self.wrong(node, f"no such {two.unit}: {written!r}; {hint}")
        return one._replace(run=lambda kernel: text)


def _is(one: Any, two: Any) -> bool:
    return (one is None) and (two is None)


def _kind(term: Term) -> str:
    return {"truth": "true or false", "number": "a number", "float": "a number"}.get(
        term.kind, "a text"
    )
