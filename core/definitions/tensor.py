"""The section ``tensor_memory``: what is kept in which columns, as formulas."""

from __future__ import annotations

import ast
import re
from typing import NamedTuple

from kcfg.core.definitions.beside import COLUMNS, means_something
from kcfg.core.definitions.figures import Figure, Figures
from kcfg.core.definitions.formulas import added, constant, named, times, word
from kcfg.core.definitions.names import Name, attribute_of, no_place
from kcfg.core.definitions.regions import largest
from kcfg.core.definitions.text import Said
from kcfg.core.expressions.grammar import Checked
from kcfg.core.spec.nodes import MappingNode
from kcfg.core.spec.problem import meant, shown

KEYS = ("columns", "count", "at", "in", "offset", "lane", "lanes")
MOST_RANGES = 100
MOST_COUNT = 64
"""How many of one kind have names of their own."""
UNSURE = 16
"""How many have names where their number rests on inputs."""
INDEXED = re.compile(r"(.*?)([0-9]+)\.(column|columns)")


class Range(NamedTuple):
    """A range of columns, or several of one kind; attributes and figures as of a region.

    ``count`` is None for a single one, which has no number behind its name; ``stride`` is from
    one of several to the next. ``many`` says that each lies in one of several others.
    """

    name: str
    column: str
    columns: Figure
    number: Figure
    lane: Figure
    lanes: Figure
    alias_of: str | None
    many: bool
    stride: Figure


class TensorMemory:
    """The columns of one definition on their way."""

    def __init__(self, figures: Figures) -> None:
        self.figures, self.formulas = figures, figures.formulas
        self.ranges: list[Range] = []
        self.ends: list[tuple[str, int, int]] = []
        """Where every range with constant columns begins and ends, but for what lies in another."""
        self.entries: dict[str, Said] = {}

    def declare(self, entries: dict[str, Said]) -> None:
        """Take in the names of all places."""
        for name in entries:
            self.formulas.names.declare(f"{name}.column", "number", "columns")
            self.formulas.names.declare(f"{name}.columns", "number", "columns")
        self.entries = entries
        self.formulas.names.indexed = self._indexed

    def _indexed(self, name: str) -> Name | None:
        """The meaning of ``acc1.column``, the second of several ``acc``."""
        match = INDEXED.fullmatch(name)
        if match is None or match[1] not in self.entries or len(match[2]) > 2:
            return None
        base, index, key = match[1], int(match[2]), match[3]
        if not self._said(base, "count") or index >= MOST_COUNT:
            return None
        self.number(base, index)
        return self.formulas.names.known[f"{base}{index}.{key}"]

    def number(self, base: str, index: int) -> None:
        """Give one of several ranges its place."""
        first, name = self._read(f"{base}.column"), f"{base}{index}"
        outer = self._outer(base)
        for each in (base, outer):
            if f"{each}.each" not in self.formulas.names.known:
                self.formulas.names.declare(f"{each}.each", "number", "columns")
        one, stride = self._read(f"{base}.each"), self._read(f"{outer}.each")
        at = added(first, times(constant(index), stride)) if index else first
        self.formulas.add(f"{name}.column", Checked("number", "", at), "columns")
        self.formulas.add(f"{name}.columns", Checked("number", "", one), "columns")

    def read(self, entries: dict[str, Said]) -> ast.expr | None:
        """Take in every range; the columns that are used in all are returned."""
        end: ast.expr = constant(0)
        ends = []
        for number, (name, said) in enumerate(entries.items()):
            path = f"tensor_memory.{name}"
            if number == MOST_RANGES:
                message = f"a definition has at most {MOST_RANGES} ranges of columns"
                said.text.wrong(said.key, path, message)
                return None
            if why := self._misnamed(name):
                said.text.wrong(said.key, path, why)
                continue
            fields = said.entries(path, KEYS, " with `columns`")
            if not means_something(fields, COLUMNS, path):
                continue
            if "columns" not in fields:
                if fields:
                    said.text.wrong(said.key, path, "missing key `columns`: how wide it is")
                continue
            found = self._range(name, fields, said, path, end)
            if found is not None:
                end = found
                ends.append(end)
        return largest(ends) if ends else None

    def _range(
        self, name: str, fields: dict[str, Said], said: Said, path: str, end: ast.expr
    ) -> ast.expr | None:
        """Take in one; the end of what is kept in order is returned."""
        plays = f"tmem.regions[{name}]"
        one = self.formulas.number(fields["columns"], f"{path}.columns")
        count = None
        if "count" in fields:
            count = self.formulas.number(fields["count"], f"{path}.count")
        if one is None or ("count" in fields and count is None):
            return None
        self.figures.place(plays, said.key, said)
        width = self.figures.figure(one, f"{name}.each", f"{plays}.columns", "columns")
        many: Figure = None
        every = one.tree
        if count is not None:
            many = self.figures.figure(count, f"tensor_memory.{name}.count", "", "count")
            fixed = self.formulas.constant(count.tree)
            many = many if fixed is None else fixed
            self._add(f"{name}.each", one.tree, said)
            every = times(count.tree, self._read(f"{name}.each"))
        self._add(f"{name}.columns", every, said)
        at = self._start(name, fields, path, end)
        if at is None:
            return None
        self._add(f"{name}.column", at, said)
        known = self.formulas.names.known
        alias = str(fields["in"].value.value) if "in" in fields else None
        outer = self._outer(name)
        self.figures.plays[f"{plays}.column"] = f"{name}.column"
        self.ranges.append(
            Range(
                name,
                known[f"{name}.column"].attribute,
                width,
                many,
                self._figure(fields, "lane", path, f"{plays}.lane", 0),
                self._figure(fields, "lanes", path, f"{plays}.lanes", 1),
                alias,
                outer != name,
                width if outer == name else attribute_of(f"{outer}.each"),
            )
        )
        if many is not None:
            there = many if isinstance(many, int) else None
            for index in range(min(UNSURE if there is None else there, MOST_COUNT)):
                self.number(name, index)
        if alias is not None:
            return end
        self._apart(name, fields, path, said)
        return added(self._read(f"{name}.column"), self._read(f"{name}.columns"))

    def _misnamed(self, name: str) -> str:
        """Why a range may not have a name; empty where it may."""
        why = no_place(name, "range")
        if why:
            return why
        several = name.rstrip("0123456789")
        if several != name and several in self.entries and self._said(several, "count"):
            return f"`{name}` is the name of one of several `{several}`: give the range another"
        return ""

    def _start(
        self, name: str, fields: dict[str, Said], path: str, end: ast.expr
    ) -> ast.expr | None:
        """The first column."""
        if "in" in fields and "at" in fields:
            message = "`at` is a column of all there are, and `in` says where another begins: keep"
            fields["at"].text.wrong(
                fields["at"].key, f"{path}.at", f"{message} one, or say `offset` in place of `at`"
            )
            return None
        if "in" in fields:
            outer = str(fields["in"].value.value)
            if outer not in self.entries or outer == name:
                others = [each for each in self.entries if each != name]
                message = f"unknown range {shown(outer)}; {meant(outer, others)}"
                fields["in"].wrong(f"{path}.in", message)
                return None
            at: ast.expr = self._read(f"{outer}.column")
            if "offset" in fields:
                moved = self.formulas.number(fields["offset"], f"{path}.offset")
                return None if moved is None else added(at, moved.tree)
            return at
        if "at" in fields:
            found = self.formulas.number(fields["at"], f"{path}.at")
            return None if found is None else found.tree
        return end

    def _apart(self, name: str, fields: dict[str, Said], path: str, said: Said) -> None:
        """Refuse a range that starts within another, should both be the same for all inputs."""
        if "lane" in fields or "lanes" in fields:
            return
        start, size = (
            self.formulas.constant(self._read(f"{name}.{key}")) for key in ("column", "columns")
        )
        if not isinstance(start, int) or not isinstance(size, int):
            return
        for other, first, behind in self.ends:
            if first <= start < behind:
                where = fields.get("at", said)
                message = (
                    f"`{name}` starts at column {start}, inside `{other}`, which ends at {behind}"
                )
                where.wrong(f"{path}.at", message)
        self.ends.append((name, start, start + size))

    def _outer(self, name: str) -> str:
        """Of several that each lie in one of several others, those; else the name itself."""
        outer = self._said(name, "in")
        both = outer in self.entries and self._said(name, "count") and self._said(outer, "count")
        return outer if both else name

    def _said(self, name: str, key: str) -> str:
        """What a range says under a key, as written; empty where it does not."""
        node = self.entries[name].value
        pairs = node.value if isinstance(node, MappingNode) else []
        return next((str(value.value) for each, value in pairs if each.value == key), "")

    def _figure(
        self, fields: dict[str, Said], key: str, path: str, plays: str, least: int
    ) -> Figure:
        if key not in fields:
            return None
        name = f"{path.partition('.')[2]}.{key}"
        return self.figures.number(fields[key], f"{path}.{key}", name, plays, "count", least)

    def allocated(self, used: ast.expr) -> ast.expr:
        """What must be asked for to have so many columns."""
        return word("max", constant(32), word("next_pow2", used))

    def _read(self, key: str) -> ast.expr:
        return named(self.formulas.names.known[key].attribute, key)

    def _add(self, key: str, tree: ast.expr, said: Said) -> None:
        if key not in self.formulas.names.known or self.formulas.names.known[key].attribute not in (
            self.formulas.all
        ):
            self.formulas.add(key, Checked("number", "", tree), "columns", said=said)
