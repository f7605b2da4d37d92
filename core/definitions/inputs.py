"""The section ``inputs``: what a spec's shape may say."""

from __future__ import annotations

import ast
from typing import Any

from kcfg.core.definitions.formulas import Formulas
from kcfg.core.definitions.names import TEXTS, Name, attribute_of, kind_of, refused
from kcfg.core.definitions.text import Said
from kcfg.core.engine.quantity import MOST, REQUIRED, UNITS, Input
from kcfg.core.engine.trees import path_of, rebuilt
from kcfg.core.expressions.words import FUNCTIONS
from kcfg.core.hardware.dtypes import ELEMENTS, SHORT_NAMES
from kcfg.core.kernel import Spelling
from kcfg.core.spec.nodes import MappingNode, Node, ScalarNode, SequenceNode
from kcfg.core.spec.problem import meant, shown
from kcfg.core.spec.scalars import (
    RefusedError,
    boolean,
    choice,
    integer,
    is_integer,
    is_null,
    text,
)
from kcfg.core.spec.section import Entry

NO_NUMBERS = ("bool", *TEXTS)
"""Units that no number is in."""
KEYS = ("default", "unit", "doc", "least", "most", "tunable", "choices", "dtype")
INSTEAD = ("in_place_of", "is", *KEYS[1:])
HOLDS = " with what is known of it, as its `unit`"
WRITTEN = 1 << 40
"""The largest number, up or down, that may be written in a definition."""


class Inputs:
    """The inputs of one definition on their way."""

    def __init__(self, formulas: Formulas) -> None:
        self.formulas, self.names = formulas, formulas.names
        self.found: dict[str, Input] = {}
        """Every input by its attribute."""
        self.spellings: list[Spelling] = []

    def read(self, name: str, said: Said) -> None:
        """Take in one entry; what is wrong with it is noted."""
        path = f"inputs.{name}"
        why = refused(name, "input")
        before = self.names.known.get(name)
        if before is not None and before.declared is None:
            why = f"`{name}` is a value of what this extends: give the input another name"
        if why:
            said.text.wrong(said.key, path, why)
        member = None if why else self._member(name, said, path)
        if member is None:
            if all(each.word != name for each in self.spellings):
                self.names.broken.add(name)
            return
        attribute = attribute_of(name)
        member.__set_name__(type(self), attribute)
        self.names.known[name] = Name(kind_of(member), member.unit, attribute, member)
        self.found[attribute] = member

    def _member(self, name: str, said: Said, path: str) -> Input | None:
        if isinstance(said.value, ScalarNode) and not is_null(said.value):
            return self._short(name, said, path)
        if isinstance(said.value, MappingNode):
            keys = {key.value for key, _ in said.value.value if isinstance(key, ScalarNode)}
            known = INSTEAD if "in_place_of" in keys else KEYS
            fields = said.text.mapping(said.value, path, known, HOLDS)
            if "in_place_of" in fields:
                self._instead(name, said, fields, path)
                return None
            return _Input(name, said, fields, path).member() if fields else None
        said.wrong(path, f"{_form(said.value)}: nothing says what `{name}` is")
        return None

    def _short(self, name: str, said: Said, path: str) -> Input | None:
        """An input of which only the default is said."""
        return _Input(name, said, {"default": Entry(said.key, said.value)}, path).member()

    def _instead(self, name: str, said: Said, fields: dict[str, Entry], path: str) -> None:
        """Another word for an input."""
        numbers = {key: fields[key] for key in fields if key not in ("in_place_of", "is")}
        member = _Input(name, said, numbers, path).member()
        means = fields["in_place_of"].value.value
        known = {each.key: each for each in self.found.values()}
        if isinstance(means, str) and means in self.names.broken:
            return
        if not isinstance(means, str) or means not in known:
            message = f"expected the name of an input that stands above, not {shown(str(means))}"
            said.text.wrong(
                fields["in_place_of"].value,
                f"{path}.in_place_of",
                f"{message}; {meant(str(means), known)}",
            )
            return
        if member is None or "is" not in fields:
            if member is not None:
                said.text.wrong(said.key, path, f"missing key `is`: what `{means}` is by `{name}`")
            return
        member.__set_name__(type(self), attribute_of(name))
        kind, attribute = kind_of(member), attribute_of(name)
        self.names.known[name] = Name(kind, member.unit, attribute, member)
        entry = Said(fields["is"].key, fields["is"].value, said.text)
        found = self.formulas.check(entry, f"{path}.is", kind_of(known[means]))
        del self.names.known[name]
        if found is None:
            return
        keys = {attribute: each.key for attribute, each in self.found.items()}
        self.spellings.append(
            Spelling(name, means, member, _convert(found.tree, attribute_of(name), keys))
        )


def _form(node: Node) -> str:
    """How an input is written in whose place something else stands."""
    items = node.value if isinstance(node, SequenceNode) else []
    if not items or not all(isinstance(each, ScalarNode) and each.value for each in items):
        return "expected a default, as 128, or a mapping, as {unit: rows} of what specs must say"
    key = "dtype" if all(map(_is_element, items)) else "choices"
    every = ", ".join(str(each.value) for each in items)
    mapping = f"{{default: {items[0].value}, {key}: [{every}]}}"
    return f"expected a default or a mapping, as {shown(mapping)}"


def _convert(tree: ast.expr, own: str, keys: dict[str, str]) -> Any:
    """The function of a `Spelling`: from the value and the other inputs by key."""

    def given(node: ast.expr) -> ast.expr | None:
        path = path_of(node)
        if not path:
            return None
        if path[0] == own:
            return ast.Name("value", ast.Load())
        key = ast.Constant(keys.get(path[0], path[0]))
        return ast.Subscript(ast.Name("shape", ast.Load()), key, ast.Load())

    arguments = [ast.arg("value"), ast.arg("shape")]
    takes = ast.arguments([], arguments, None, [], [], None, [])
    whole = ast.fix_missing_locations(ast.Expression(ast.Lambda(takes, rebuilt(tree, given))))
    names = {"__builtins__": {}, "__name__": __name__, **FUNCTIONS}
    return eval(compile(whole, "<definition>", "eval"), names)


class _Input:
    """One input, from its fields."""

    def __init__(self, name: str, said: Said, fields: dict[str, Entry], path: str) -> None:
        self.name, self.said, self.fields, self.path = name, said, fields, path
        self.fine = True

    def member(self) -> Input | None:
        unit = self._text("unit", "")
        if unit and unit not in UNITS:
            self._wrong("unit", f"unknown unit {shown(unit)}; {meant(unit, sorted(UNITS))}")
        if "choices" in self.fields and "dtype" in self.fields:
            self._wrong("choices", "`dtype` says which element types there are: keep one of them")
        doc = self._text("doc", "")
        tunable = bool(self._value("tunable", boolean, False))
        kind, choices = self._kind(unit)
        if not self.fine:
            return None
        default = self._default(kind, choices)
        if kind is int and choices and default is not REQUIRED and default not in choices:
            listed_as = ", ".join(map(str, choices))
            self._wrong("default", f"expected one of {listed_as}, not {default}")
            return None
        own = {bool: "bool", str: "text"}.get(kind, unit or "count")
        if kind is str and (choices == ELEMENTS or "dtype" in self.fields):
            own = "dtype"
        if unit and (unit != own or (kind is int and unit in NO_NUMBERS)):
            what = {bool: "a truth value", int: "a number"}.get(kind, "a text")
            what = "an element type" if kind is str and own == "dtype" else what
            hint = ": list them by `dtype`, not `choices`" if unit == "dtype" and choices else ""
            self._wrong("unit", f"`{self.name}` is {what}, which is in no {unit}{hint}")
            return None
        unit = own
        least, most = self._bounds(kind, default, choices)
        if not self.fine:
            return None
        found: Any = unit
        return Input(
            kind,
            found,
            doc,
            default,
            key=self.name,
            least=least,
            most=most,
            choices=choices,
            tunable=tunable,
        )

    def _kind(self, unit: str) -> tuple[type, tuple[Any, ...]]:
        """The Python type of the values, and what they are chosen from."""
        for key in ("choices", "dtype"):
            if key in self.fields:
                found = self._choices(key)
                return type(found[0]) if found else str, found
        default = self.fields.get("default")
        plain = None if default is None or is_null(default.value) else default.value
        if unit == "dtype" or (plain is not None and _is_element(plain)):
            return str, ELEMENTS
        if unit == "bool" or (isinstance(plain, ScalarNode) and plain.value in ("true", "false")):
            return bool, ()
        if isinstance(plain, ScalarNode) and (plain.style or not is_integer(plain.value)):
            expected = "a whole number, true or false, or an element type"
            self._wrong(
                "default",
                f"expected {expected} as default, not {shown(plain.value)}; a text has `choices`",
            )
        return int, ()

    def _choices(self, key: str) -> tuple[Any, ...]:
        node = self.fields[key].value
        if key == "dtype" and isinstance(node, ScalarNode) and not is_null(node):
            node = SequenceNode("", [node], node.start_mark, node.end_mark)
        if not isinstance(node, SequenceNode) or not node.value:
            what, example = ("texts or of whole numbers", "[fast, exact] or [1, 2]")
            if key == "dtype":
                what, example = ("element types", "[bf16, fp8]")
            self._wrong(
                key,
                f"expected a list of {what}, as {example}",
            )
            return ()
        found: list[Any] = []
        plain = [_is_number(each) for each in node.value]
        if any(plain) and not all(plain) and key == "choices":
            other = node.value[plain.index(not plain[0])]
            kinds = "numbers" if plain[0] else "texts"
            message = f"these are {kinds}, and {shown(str(other.value))} is none; a text of digits"
            self.said.text.wrong(other, f"{self.path}.{key}", f"{message} needs quotes")
            self.fine = False
            return ()
        read: Any = _integer if all(plain) else text
        for each in node.value:
            try:
                one = choice(each, ELEMENTS, short=True) if key == "dtype" else read(each)
            except RefusedError as error:
                self.said.text.wrong(each, f"{self.path}.{key}", str(error))
                self.fine = False
                continue
            if one in found:
                message = f"{shown(str(one))} is given twice"
                self.said.text.wrong(each, f"{self.path}.{key}", message)
                self.fine = False
            found.append(one)
        return tuple(found)

    def _default(self, kind: type, choices: tuple[str, ...]) -> Any:
        entry = self.fields.get("default")
        if entry is None:
            return REQUIRED
        short = "dtype" in self.fields or choices == ELEMENTS
        read: Any = {
            bool: boolean,
            int: _integer,
            str: lambda node: choice(node, choices, short=short),
        }[kind]
        return self._value("default", read, REQUIRED)

    def _bounds(self, kind: type, default: Any, choices: tuple[Any, ...]) -> tuple[int, int]:
        if kind is int and choices:
            for key in ("least", "most"):
                if key in self.fields:
                    self._wrong(key, f"`choices` says which numbers: leave `{key}` out")
            return min(choices), max(choices)
        if kind is not int:
            for key in ("least", "most"):
                if key in self.fields:
                    self._wrong(key, f"`{key}` is for numbers: `{self.name}` is none")
            return 0, 0
        known = isinstance(default, int)
        least = self._value("least", _integer, min(1, default) if known else 1)
        most = self._value(
            "most", _integer, max(MOST, default, least) if known else max(MOST, least)
        )
        if self.fine and least > most:
            self._wrong("most", f"must be at least {least}, the `least`, not {most}")
        if self.fine and known and not least <= default <= most:
            bound = f"at least {least}" if default < least else f"at most {most}"
            self._wrong("default", f"must be {bound}, not {default}")
        return least, most

    def _text(self, key: str, otherwise: str) -> str:
        found = self._value(key, text, otherwise)
        return str(found)

    def _value(self, key: str, read: Any, otherwise: Any) -> Any:
        entry = self.fields.get(key)
        if entry is None or is_null(entry.value):
            if entry is not None:
                self._wrong(key, f"expected a value for `{key}`: leave it out where there is none")
            return otherwise
        try:
            return read(entry.value)
        except RefusedError as error:
            self._wrong(key, str(error))
            return otherwise

    def _wrong(self, key: str, message: str) -> None:
        short = isinstance(self.said.value, ScalarNode)
        path = self.path if short else f"{self.path}.{key}"
        self.said.text.wrong(self.fields[key].value, path, message)
        self.fine = False


def _is_number(node: Node) -> bool:
    return isinstance(node, ScalarNode) and not node.style and is_integer(str(node.value))


def _is_element(node: Node) -> bool:
    return isinstance(node, ScalarNode) and (node.value in ELEMENTS or node.value in SHORT_NAMES)


def _integer(node: Node) -> int:
    value = integer(node)
    if abs(value) > WRITTEN:
        raise RefusedError(f"numbers here are at most {WRITTEN}")
    return value
