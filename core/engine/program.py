"""A struct's formulas as one straight-line function, for deriving by the thousand.

`Struct.complete` calls each formula by itself, which costs more than what most of them
compute. Here their own code, read from their methods, stands line by line in one function:
names below ``self`` are its local variables, and the words of ``kcfg.core.engine.terms``
and ``kcfg.core.engine.arith`` give way to what they return. That works because a formula
has no branches, only `pick`. Making one takes some hundredths of a second.
"""

from __future__ import annotations

import ast
from collections.abc import Callable
from types import FunctionType
from typing import Any

from kcfg.core.engine import arith, formula, terms
from kcfg.core.engine.formula import Expression, path_of, rebuilt
from kcfg.core.engine.quantity import Struct

WORDS = (arith.__name__, terms.__name__)
"""The modules whose functions are written out."""


def program(struct: type[Struct]) -> Callable[[Struct], None] | None:
    """A function that does what `Struct.complete` does; None where no source can be read."""
    try:
        return _Writer(struct).function()
    except formula.NoSourceError:
        return None


class _Writer:
    """One program on its way; a member is written where the first formula needs it."""

    def __init__(self, struct: type[Struct]) -> None:
        self.struct = struct
        self.lines: list[ast.stmt] = []
        self.written: set[str] = set()
        self.globals: dict[str, Any] = {}
        self.spare = 0

    def function(self) -> Callable[[Struct], None]:
        self.lines = ast.parse("known = self.__dict__").body
        for name in (*self.struct.quantities, *self.struct.parts):
            self._member(name)
        head = ast.parse("def complete(self): pass").body[0]
        assert isinstance(head, ast.FunctionDef)
        head.body = self.lines
        module = ast.fix_missing_locations(ast.Module([head], []))
        exec(compile(module, f"<{self.struct.__qualname__}>", "exec"), self.globals)
        complete: Callable[[Struct], None] = self.globals["complete"]
        return complete

    def _member(self, name: str) -> bool:
        """Write what gives a member its variable; False for what has none.

        A part that is not shown has none: few formulas ask for it, and in one arm of a `pick`.
        """
        struct = self.struct
        if name in self.written:
            return True
        if name in struct.quantities:
            self._keep(name, formula.of(struct.quantities[name]))
        elif name in struct.parts and struct.parts[name].shown:
            self._keep(name, formula.of_part(struct.parts[name]))
            self.lines += ast.parse(f"self_{name}.complete()").body
        elif name in struct.inputs or name == "target":
            self.lines += ast.parse(f"self_{name} = known[{name!r}]").body
        else:
            return False
        self.written.add(name)
        return True

    def _keep(self, name: str, value: Expression) -> None:
        rewritten = self._rewritten(value.tree, value.names)
        assign = ast.parse(f"known[{name!r}] = self_{name} = ...").body[0]
        assert isinstance(assign, ast.Assign)
        assign.value = rewritten
        self.lines.append(assign)

    def _rewritten(
        self, tree: ast.expr, names: dict[str, Any], given: dict[str, ast.expr] | None = None
    ) -> ast.expr:
        """The expression over local variables; ``given`` are the arguments of a word."""
        known = given or {}

        def replace(node: ast.expr) -> ast.expr | None:
            path = path_of(node)
            if path and self._member(path[0]):
                found: ast.expr = self._variable(f"self_{path[0]}")
                for attribute in path[1:]:
                    found = ast.Attribute(found, attribute, ast.Load())
                return found
            if isinstance(node, ast.Name):
                return known.get(node.id) or self._meaning(node, names)
            if isinstance(node, ast.Call):
                return self._word(node, names, replace)
            return None

        return rebuilt(tree, replace)

    def _meaning(self, node: ast.Name, names: dict[str, Any]) -> ast.expr | None:
        """A constant itself, and any other global under a name of its own."""
        if node.id not in names:
            return None
        value = names[node.id]
        if value is None or type(value) in (int, bool, str):
            return ast.Constant(value)
        name = f"{node.id}_{id(value)}"
        self.globals[name] = value
        return self._variable(name)

    def _word(
        self,
        call: ast.Call,
        names: dict[str, Any],
        replace: Callable[[ast.expr], ast.expr | None],
    ) -> ast.expr | None:
        """What a word returns for its arguments, or None for any other call."""
        if isinstance(call.func, ast.Attribute) and ast.unparse(call.func) == "terms.values":
            return replace(call.func.value)
        word = names.get(call.func.id) if isinstance(call.func, ast.Name) else None
        if not isinstance(word, FunctionType) or word.__module__ not in WORDS:
            return None
        takes, returned = formula.definition(word).args, formula.returned(word)
        given = [rebuilt(argument, replace) for argument in call.args]
        named = [rebuilt(argument.value, replace) for argument in call.keywords]
        arguments: dict[str, ast.expr] = {}
        if takes.kwarg:
            arguments[takes.kwarg.arg] = ast.Tuple(named, ast.Load())
        for parameter, value in zip(takes.args, given, strict=True):
            arguments[parameter.arg] = self._once(value, parameter.arg, returned)
        return _plain(self._rewritten(returned, word.__globals__, arguments))

    def _once(self, value: ast.expr, parameter: str, body: ast.expr) -> ast.expr:
        """The argument itself, or a variable for one that would be computed twice."""
        uses = [n for n in ast.walk(body) if isinstance(n, ast.Name) and n.id == parameter]
        if len(uses) < 2 or isinstance(value, ast.Name | ast.Constant):
            return value
        self.spare += 1
        name = f"spare_{self.spare}"
        self.lines.append(ast.Assign([ast.Name(name, ast.Store())], value))
        return self._variable(name)

    @staticmethod
    def _variable(name: str) -> ast.Name:
        return ast.Name(name, ast.Load())


def _plain(tree: ast.expr) -> ast.expr:
    """A call of ``all``, ``any`` or ``sum`` as operators, which ask no further than they must."""
    match tree:
        case ast.Call(ast.Name("all" | "any" as name), [ast.Tuple([_, _, *_] as conditions)]):
            asked = ast.BoolOp(ast.And() if name == "all" else ast.Or(), conditions)
            return ast.IfExp(asked, ast.Constant(True), ast.Constant(False))
        case ast.Call(ast.Name("sum"), [ast.Tuple([first, second, *others])]):
            added: ast.expr = ast.BinOp(first, ast.Add(), second)
            for term in others:
                added = ast.BinOp(added, ast.Add(), term)
            return added
    return tree
