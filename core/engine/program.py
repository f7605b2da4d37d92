"""A struct's formulas as one straight-line function, for deriving by the thousand.

`Struct.complete` calls each formula by itself, which costs more than what most of them
compute. Here their own code, read from their trees, stands line by line in one function:
names below ``self`` are its local variables, and the words of ``kcfg.core.engine.terms``
and ``kcfg.core.engine.arith`` give way to what they return. That works because a formula
has no branches, only `pick`; one that is more than an expression is called as it is.
Making a program takes some hundredths of a second.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Collection, Iterable
from types import FunctionType
from typing import Any

from kcfg.core.engine import arith, formula, terms, trees
from kcfg.core.engine.struct import Program, Struct
from kcfg.core.engine.trees import BRANCHES, path_of, rebuilt

WORDS = (arith.__name__, terms.__name__)
"""The modules whose functions are written out."""


def program(struct: type[Struct]) -> Program:
    """A function that does for a fresh struct what `Struct.complete` does."""
    whole = [name for name, part in struct.parts.items() if part.shown and not part.needed]
    return _Writer(struct, whole).function((*whole, *struct.wanted), struct.own)


class _Asked:
    """A part of which a program needs some numbers: ``names``, which are computed at once."""

    def __init__(self) -> None:
        self.names: dict[str, None] = {}
        self.programs: dict[type[Struct], Program] = {}

    def __call__(self, whole: Struct, part: Any) -> Any:
        if isinstance(part, Struct) and part is not whole and not part.begun:
            struct = type(part)
            if struct not in self.programs:
                self.programs[struct] = _Writer(struct, ()).function(self.names, ())
            self.programs[struct](part)
        return part


class _Writer:
    """One program on its way; a member is written where the first formula needs it.

    ``whole`` are the parts of which everything is computed. Of any other only what formulas
    ask for is, and only in the arm of a `pick` that is taken.
    """

    def __init__(self, struct: type[Struct], whole: Collection[str]) -> None:
        self.struct, self.whole = struct, whole
        self.lines: list[ast.stmt] = ast.parse("known = self.__dict__").body
        self.written: set[str] = set()
        self.globals: dict[str, Any] = {}
        self.spare = 0

    def function(self, names: Iterable[str], returned: Iterable[str]) -> Program:
        """A function that computes what is named below ``self``, and returns some members."""
        self.lines += [ast.Expr(self._read(tuple(name.split(".")))) for name in names]
        values = [self._read((name,)) for name in returned]
        self.lines.append(ast.Return(ast.Tuple(values, ast.Load())))
        head = ast.parse("def complete(self): pass").body[0]
        assert isinstance(head, ast.FunctionDef)
        head.body = self.lines
        module = ast.fix_missing_locations(ast.Module([head], []))
        exec(compile(module, f"<{self.struct.__qualname__}>", "exec"), self.globals)
        complete: Program = self.globals["complete"]
        return complete

    def _member(self, name: str) -> bool:
        """Write what gives a member its variable; False for what has none."""
        if name in self.written:
            return True
        if name in self.struct.quantities:
            quantity = self.struct.quantities[name]
            self._computed(name, quantity.formula, quantity.tree)
        elif name in self.struct.inputs or name == "target":
            self.lines.append(ast.Assign([_local(name, ast.Store())], _known(name, ast.Load())))
        elif name in self.whole:
            self._computed(name, self.struct.parts[name].build)
            complete = ast.Attribute(_local(name, ast.Load()), "complete", ast.Load())
            self.lines.append(ast.Expr(ast.Call(complete, [], [])))
        else:
            return False
        self.written.add(name)
        return True

    def _computed(self, name: str, function: Any, tree: ast.expr | None = None) -> None:
        """Write what computes a member: its expression, or a reading of it that calls it."""
        if tree is None and _is_expression(function):
            tree = trees.returned(function)
        value: ast.expr = _self(name)
        if tree is not None:
            value = self._rewritten(tree, function.__globals__)
        self.lines.append(ast.Assign([_known(name, ast.Store()), _local(name, ast.Store())], value))

    def _rewritten(
        self, tree: ast.expr, names: dict[str, Any], given: dict[str, ast.expr] | None = None
    ) -> ast.expr:
        """The expression over local variables; ``given`` are the arguments of a word."""
        known = given or {}

        def replace(node: ast.expr) -> ast.expr | None:
            path = path_of(node)
            if path:
                return self._read(path)
            if isinstance(node, ast.Name):
                return known.get(node.id) or self._meaning(node, names)
            if isinstance(node, ast.Call):
                return self._word(node, names, replace)
            return None

        return rebuilt(tree, replace)

    def _read(self, path: tuple[str, ...]) -> ast.expr:
        """A name below ``self``."""
        found: ast.expr
        name, *inner = path
        if self._member(name):
            found = _local(name, ast.Load())
        elif name in self.struct.parts:
            part = self.struct.parts[name]
            if _is_expression(part.build):  # what it is built from is best computed here
                for read in formula.of_part(part).reads(self.struct):
                    self._member(read.name.partition(".")[0])
            asked = self.globals.setdefault(f"asked_{name}", _Asked())
            asked.names[".".join(inner)] = None
            asker = ast.Name(f"asked_{name}", ast.Load())
            found = ast.Call(asker, [ast.Name("self", ast.Load()), _self(name)], [])
        else:
            found = _self(name)
        for attribute in inner:
            found = ast.Attribute(found, attribute, ast.Load())
        return found

    def _meaning(self, node: ast.Name, names: dict[str, Any]) -> ast.expr | None:
        """A constant itself, and any other global under a name of its own."""
        if node.id not in names:
            return None
        value = names[node.id]
        if trees.is_plain(value):
            return trees.literal(value)
        name = f"{node.id}_{id(value)}"
        self.globals[name] = value
        return ast.Name(name, ast.Load())

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
        takes, returned = trees.definition(word).args, trees.returned(word)
        if not _are_plain(call, takes):
            return None
        given = [rebuilt(argument, replace) for argument in call.args]
        named = [rebuilt(argument.value, replace) for argument in call.keywords]
        arguments: dict[str, ast.expr] = {}
        if takes.kwarg:
            arguments[takes.kwarg.arg] = ast.Tuple(named, ast.Load())
        for parameter, value in zip(takes.args, given, strict=True):
            arguments[parameter.arg] = self._once(value, parameter.arg, returned)
        return _operators(self._rewritten(returned, word.__globals__, arguments))

    def _once(self, value: ast.expr, parameter: str, body: ast.expr) -> ast.expr:
        """The argument itself, or a variable for one that would be computed twice."""
        uses = [n for n in ast.walk(body) if isinstance(n, ast.Name) and n.id == parameter]
        if len(uses) < 2 or isinstance(value, ast.Name | ast.Constant):
            return value
        self.spare += 1
        name = f"spare_{self.spare}"
        self.lines.append(ast.Assign([ast.Name(name, ast.Store())], value))
        return ast.Name(name, ast.Load())


# Nodes, not texts: a member's name need not be a word (``tma[0]`` with what is below it).


def _self(name: str) -> ast.expr:
    return ast.Attribute(ast.Name("self", ast.Load()), name, ast.Load())


def _known(name: str, context: ast.expr_context) -> ast.expr:
    return ast.Subscript(ast.Name("known", ast.Load()), ast.Constant(name), context)


def _local(name: str, context: ast.expr_context) -> ast.expr:
    return ast.Name(f"self_{name}", context)


def _is_expression(function: Any) -> bool:
    """Whether a method is one ``return`` of an expression without branches, as the rules ask."""
    if not isinstance(function, FunctionType) or function.__closure__ or function.__defaults__:
        return False
    try:
        if not trees.is_one_return(function):
            return False
    except trees.NoSourceError:
        return False
    return not any(type(node) in BRANCHES for node in ast.walk(trees.returned(function)))


def _are_plain(call: ast.Call, takes: ast.arguments) -> bool:
    """Whether a call of a word gives the arguments one by one, each in the usual way."""
    starred = any(isinstance(argument, ast.Starred) for argument in call.args)
    named = all(word.arg for word in call.keywords) and bool(takes.kwarg)
    return len(call.args) == len(takes.args) and not starred and (named or not call.keywords)


def _operators(tree: ast.expr) -> ast.expr:
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
