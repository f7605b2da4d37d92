"""The sections ``values``, ``supported`` and ``must``: formulas, tables and conditions."""

from __future__ import annotations

import ast
from collections.abc import Collection, Iterator
from typing import Any, NamedTuple, cast

from kcfg.core.definitions.formulas import Formulas, named, written
from kcfg.core.definitions.names import NAME, TEXTS, Name, kind_of, refused
from kcfg.core.definitions.text import Said
from kcfg.core.engine.quantity import UNITS, Unit
from kcfg.core.engine.trees import written_for
from kcfg.core.expressions.grammar import Checked, call, joined
from kcfg.core.hardware.dtypes import ELEMENTS, SHORT_NAMES
from kcfg.core.kernel import Kernel
from kcfg.core.spec.nodes import MappingNode, Node, ScalarNode, SequenceNode
from kcfg.core.spec.problem import listed, meant, shown
from kcfg.core.spec.scalars import (
    RefusedError,
    boolean,
    choice,
    in_range,
    integer,
    is_null,
    kind_of as kind_of_node,
    text,
)

KEYS = ("is", "by", "cases", "otherwise", "unit", "doc", "source", "step")
TABLE = ("by", "cases", "otherwise")
MOST_CASES = 1000
"""Cases of one table."""
CHAIN = 40
"""Cases that are asked one after the other; of more, one half or the other is asked."""

Literal = int | bool | str


class Table(NamedTuple):
    """A table without ``otherwise``: the names it goes by, and the cases it has."""

    name: str
    by: tuple[Name, ...]
    keys: tuple[str, ...]
    cases: frozenset[tuple[Literal, ...]]


class Values:
    """The values of one definition on their way."""

    def __init__(
        self, formulas: Formulas, source: str, inputs: Collection[str], base: type[Kernel] | None
    ) -> None:
        self.formulas, self.source, self.inputs = formulas, source, inputs
        quantities = {} if base is None else base.quantities
        self.inherited = {each.key: each for each in quantities.values()}
        self.tables: list[Table] = []

    def read(self, name: str, fields: dict[str, Said], key: Said) -> None:
        """Take in a value, from its fields; what is wrong with it is noted.

        One that says again what is inherited keeps unit, doc, source and step.
        """
        path = f"values.{name}"
        self.formulas.names.below.pop(name, None)
        if why := refused(name, "value"):
            key.text.wrong(key.key, path, why)
            return
        if name in self.inputs:
            key.text.wrong(key.key, path, f"`{name}` is an input: give the value another name")
            return
        if not fields and isinstance(key.value, MappingNode) and key.value.value:
            return  # of which something is noted already
        found = self._found(name, fields, key, path)
        unit = self._unit(name, fields, found, path) if found else None
        if found is None or unit is None:
            self.formulas.names.broken.add(name)
            return
        if unit == "dtype" and found.unit != "dtype":
            found = self._elements(found, fields, path)
        before = self.inherited.get(name)
        source = before.source if before else self.source
        step = before.step if before else False
        self.formulas.add(
            name,
            found,
            unit,
            doc=_text(fields, "doc", path) or (before.doc if before else ""),
            source=_text(fields, "source", path) or source,
            step=_truth(fields, "step", path) if "step" in fields else step,
            place=False,
            said=fields.get("is") or fields.get("cases"),
        )

    def _found(self, name: str, fields: dict[str, Said], key: Said, path: str) -> Checked | None:
        if "is" in fields:
            long = f"{path}.is" if isinstance(key.value, MappingNode) else path
            if any(word in fields for word in TABLE):
                fields["is"].wrong(long, "a value is a formula (`is`) or a table (`by`): keep one")
                return None
            return self.formulas.check(fields["is"], long)
        if "by" in fields and "cases" in fields:
            return self._table(name, fields, path)
        lacking = "by" if "cases" in fields else "cases" if "by" in fields else "is"
        key.text.wrong(key.key, path, f"missing key `{lacking}`: the formula, or a table's part")
        return None

    def _unit(self, name: str, fields: dict[str, Said], found: Checked, path: str) -> Unit | None:
        implied = {"truth": "bool", "text": found.unit or "text"}.get(found.kind, "count")
        before = self.inherited.get(name)
        if "unit" not in fields:
            same = before is not None and kind_of(before) == found.kind
            return before.unit if before is not None and same else cast(Unit, implied)
        unit, at = _text(fields, "unit", path), f"{path}.unit"
        if unit not in UNITS:
            message = f"unknown unit {shown(unit)}; {meant(unit, sorted(UNITS))}"
            fields["unit"].wrong(at, message)
            return None
        fits = {"truth": unit == "bool", "text": unit in TEXTS}.get(
            found.kind, unit != "bool" and unit not in TEXTS
        )
        if not fits:
            fields["unit"].wrong(at, f"the formula gives {_kind(found)}, which is in no {unit}")
            return None
        return cast(Unit, unit)

    def _elements(self, found: Checked, fields: dict[str, Said], path: str) -> Checked:
        """A choice of texts, all of which must be element types."""
        for node in _arms(found.tree):
            if isinstance(node, ast.Constant) and isinstance(node.value, str):
                long = SHORT_NAMES.get(node.value, node.value)
                if long not in ELEMENTS:
                    close = meant(node.value, ELEMENTS)
                    fields["unit"].wrong(f"{path}.unit", f"no such dtype: {node.value!r}; {close}")
                    break
                node.value = long
        return found._replace(unit="dtype")

    # Tables

    def _table(self, name: str, fields: dict[str, Said], path: str) -> Checked | None:
        by = self._by(fields["by"], f"{path}.by")
        cases = fields["cases"]
        if by is None:
            return None
        if not isinstance(cases.value, MappingNode) or not cases.value.value:
            cases.wrong(f"{path}.cases", "expected a mapping of cases, as {64: 200, 128: 192}")
            return None
        if len(cases.value.value) > MOST_CASES:
            there = f"{len(cases.value.value):,}"
            cases.wrong(f"{path}.cases", f"a table has at most {MOST_CASES:,} cases, not {there}")
            return None
        if not cases.text.whole(cases.value, f"{path}.cases"):
            return None
        known: dict[tuple[Literal, ...], Node] = {}
        arms: list[tuple[Checked, Checked]] = []
        for key, value in cases.value.value:
            literals = self._key(key, by, cases, f"{path}.cases")
            if literals is None:
                return None
            if literals in known:
                line = cases.text.at(known[literals])[0]
                said = _said(literals)
                message = f"the case {said} is given twice, first in line {line}"
                cases.text.wrong(key, f"{path}.cases", message)
                return None
            known[literals] = key
            at = f"{path}.cases.{_said(literals)}"
            found = self.formulas.check(Said(key, value, cases.text), at)
            if found is None:
                return None
            if arms and found.kind != arms[0][1].kind:
                message = f"{_kind(found)}, where the first case gives {_kind(arms[0][1])}"
                cases.text.wrong(value, at, f"{message}: all give the same kind")
                return None
            arms.append((_asks(by, literals), found))
        return self._chosen(name, fields, by, arms, known, path)

    def _chosen(
        self,
        name: str,
        fields: dict[str, Said],
        by: dict[str, Name],
        arms: list[tuple[Checked, Checked]],
        known: dict[tuple[Literal, ...], Node],
        path: str,
    ) -> Checked | None:
        """The cases as one tree; without ``otherwise`` the last stands for all others."""
        if "otherwise" in fields:
            last = self.formulas.check(fields["otherwise"], f"{path}.otherwise")
            if last is None or last.kind != arms[0][1].kind:
                if last is not None:
                    message = f"{_kind(last)}, where every case gives {_kind(arms[0][1])}"
                    fields["otherwise"].wrong(f"{path}.otherwise", message)
                return None
        else:
            keys = tuple(by)
            self.tables.append(Table(name, tuple(by.values()), keys, frozenset(known)))
            last = arms.pop()[1]
        units = {found.unit for _, found in arms} | {last.unit}
        unit = units.pop() if len(units) == 1 else ""
        names = tuple(by) + tuple(each for _, found in arms for each in found.names) + last.names
        return Checked(last.kind, unit, _nested(arms, last.tree), names)

    def _by(self, said: Said, path: str) -> dict[str, Name] | None:
        nodes = said.text.items(said.value, path)
        found: dict[str, Name] = {}
        for node in nodes:
            one = self.formulas.check(Said(said.key, node, said.text), path)
            if one is None:
                return None
            if one.names != (node.value,) or node.value not in self.formulas.names.known:
                message = f"expected the name of an input or value, not {shown(node.value)}"
                said.text.wrong(node, path, message)
                return None
            if node.value in found:
                said.text.wrong(node, path, f"`{node.value}` is given twice")
                return None
            found[node.value] = self.formulas.names.known[node.value]
        if not found:
            said.wrong(path, "expected the names that the cases go by, as [depth, two_cta]")
        return found or None

    def _key(
        self, key: Node, by: dict[str, Name], cases: Said, path: str
    ) -> tuple[Literal, ...] | None:
        nodes = list(key.value) if isinstance(key, SequenceNode) else [key]
        if len(nodes) != len(by):
            keys = "1 key" if len(by) == 1 else f"{len(by)} keys"
            expected = f"{keys} in a case ({listed(by)})"
            cases.text.wrong(key, path, f"expected {expected}, not {len(nodes)}")
            return None
        found: list[Literal] = []
        for node, name in zip(nodes, by.values(), strict=True):
            try:
                found.append(_literal(node, name, own=False))
            except RefusedError as error:
                cases.text.wrong(node, path, str(error))
                return None
            try:
                _literal(node, name, own=cases.text.heir is None)
            except RefusedError as error:
                cases.text.doubt(node, path, f"this case never comes up: {error}")
        return tuple(found)

    # Conditions

    def conditions(self, section: str, entries: dict[str, Said]) -> dict[str, Checked]:
        """The conditions of a section by name."""
        found = {}
        for name, said in entries.items():
            path = f"{section}.{name}"
            if not NAME.fullmatch(name) or why_not_a_term(name):
                said.text.wrong(said.key, path, f"{shown(name)} is no name of a condition")
                continue
            one = self.formulas.check(said, path, "truth")
            if one is not None:
                found[name] = one
        return found


def why_not_a_term(name: str) -> bool:
    """Whether a name cannot stand before ``=`` in a formula."""
    import keyword

    return keyword.iskeyword(name)


def all_of(conditions: dict[str, ast.expr]) -> ast.expr:
    """The tree of a verdict."""
    terms = [ast.keyword(name, tree) for name, tree in conditions.items()]
    shown_as = [ast.keyword(name, written(tree)) for name, tree in conditions.items()]
    word = ast.Name("all_of", ast.Load())
    return written_for(ast.Call(word, [], terms), ast.Call(word, [], shown_as))


def fields_of(said: Said, path: str) -> dict[str, Said]:
    """The fields of a value, which may be its formula alone."""
    if not isinstance(said.value, MappingNode):
        return {"is": said}
    return said.entries(path, KEYS)


def _text(fields: dict[str, Said], key: str, path: str) -> str:
    if key not in fields:
        return ""
    if is_null(fields[key].value):
        fields[key].wrong(f"{path}.{key}", "expected a value here, or no key at all")
        return ""
    try:
        return text(fields[key].value)
    except RefusedError as error:
        fields[key].wrong(f"{path}.{key}", str(error))
        return ""


def _truth(fields: dict[str, Said], key: str, path: str) -> bool:
    if key not in fields:
        return False
    try:
        return boolean(fields[key].value)
    except RefusedError as error:
        fields[key].wrong(f"{path}.{key}", str(error))
        return False


def _kind(found: Checked) -> str:
    return {"truth": "a truth value", "text": "a text"}.get(found.kind, "a number")


def _literal(node: Node, name: Name, own: bool) -> Literal:
    """What a case is for; ``own`` refuses what the input that it goes by is never."""
    declared = name.declared if own else None
    if name.kind == "number":
        number = integer(node)
        return number if declared is None else in_range(number, declared)
    if name.kind == "truth":
        return boolean(node)
    if name.unit == "dtype":
        return choice(node, declared.choices if declared else ELEMENTS, short=True)
    if declared is not None:
        return choice(node, declared.choices)
    if not isinstance(node, ScalarNode):
        raise RefusedError(f"expected a text, not {kind_of_node(node)}")
    return text(node)


def _said(literals: tuple[Literal, ...]) -> str:
    """A case as it is written."""
    words = [str(each).lower() if isinstance(each, bool) else str(each) for each in literals]
    return words[0] if len(words) == 1 else f"[{', '.join(words)}]"


def _asks(by: dict[str, Name], literals: tuple[Literal, ...]) -> Checked:
    """The condition that every name has its literal."""
    parts = []
    for (key, name), value in zip(by.items(), literals, strict=True):
        one: Any = named(name.attribute, key)
        if isinstance(value, bool):
            if not value:
                shown_as = ast.UnaryOp(ast.Not(), written(one))
                one = written_for(call("negate", one), shown_as)
        else:
            literal = _plain(value)
            compared = ast.Compare(one, [ast.Eq()], [literal])
            one = written_for(compared, ast.Compare(written(one), [ast.Eq()], [literal]))
        parts.append(Checked("truth", "", one, (key,)))
    found = joined(ast.BitAnd(), parts)
    if len(parts) == 1:
        return found
    whole = ast.BoolOp(ast.And(), [written(part.tree) for part in parts])
    return found._replace(tree=written_for(found.tree, whole))


def _plain(value: int | str) -> ast.expr:
    if isinstance(value, int) and value < 0:
        return ast.UnaryOp(ast.USub(), ast.Constant(-value))
    return ast.Constant(value)


def _arms(tree: ast.expr) -> Iterator[ast.expr]:
    """What a choice may come to, whatever it asks."""
    if isinstance(tree, ast.Call) and isinstance(tree.func, ast.Name) and tree.func.id == "pick":
        for arm in tree.args[1:]:
            yield from _arms(arm)
    else:
        yield tree


def _nested(arms: list[tuple[Checked, Checked]], last: ast.expr) -> ast.expr:
    """A choice between cases, of which no two hold at a time."""
    if len(arms) > CHAIN:
        half = len(arms) // 2
        asked = joined(ast.BitOr(), [condition for condition, _ in arms[:half]])
        first, then = arms[:half], _nested(arms[half:], last)
        inner = first[-1][1].tree
        return call("pick", asked.tree, _nested(first[:-1], inner), then)
    tree = last
    for condition, found in reversed(arms):
        chosen = ast.IfExp(written(condition.tree), written(found.tree), written(tree))
        tree = written_for(call("pick", condition.tree, found.tree, tree), chosen)
    return tree
