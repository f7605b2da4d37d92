"""The section ``roles``: the block's warps by what they do."""

from __future__ import annotations

import ast
import re
from typing import NamedTuple

from kcfg.core.block.parts import Role
from kcfg.core.definitions.beside import ROLE, means_something
from kcfg.core.definitions.figures import Figure, Figures
from kcfg.core.definitions.formulas import constant, times, word, written
from kcfg.core.definitions.names import NAME
from kcfg.core.definitions.text import Said
from kcfg.core.engine.trees import written_for
from kcfg.core.expressions.grammar import Checked, call
from kcfg.core.spec.problem import shown
from kcfg.core.spec.scalars import RefusedError, choice, integer

KEYS = ("warp", "warps", "registers", "direction", "when")
SPAN = re.compile(r"([0-9]{1,4})-([0-9]{1,4})")
LAST = 1023
"""The largest number a warp may be written with; a block has far fewer."""


class Part(NamedTuple):
    """A role: its first and last warp, the registers it sets and by which form of setmaxnreg, and
    the condition it is there by.
    """

    name: str
    first: int
    last: int
    number: Figure
    direction: str | None
    when: str | None


class Roles:
    """The roles of one definition on their way."""

    def __init__(self, figures: Figures) -> None:
        self.figures, self.formulas = figures, figures.formulas
        self.parts: list[Part] = []
        self.conditions: dict[str, ast.expr] = {}

    def read(self, entries: dict[str, Said]) -> None:
        """Take in every role; ``threads`` becomes those of the block."""
        for name, said in entries.items():
            path = f"roles.{name}"
            if not NAME.fullmatch(name):
                said.text.wrong(said.key, path, f"{shown(name)} is no name of a role")
                continue
            fields = said.entries(path, KEYS, " with `warp` or `warps`")
            span = self._span(fields, said, path) if fields else None
            if span is None or not means_something(fields, ROLE, path):
                continue
            plays = f"registers.roles[{name}]"
            self.figures.place(plays, said.key, said)
            count: Figure = None
            if "registers" in fields:
                count = self.figures.number(
                    fields["registers"],
                    f"{path}.registers",
                    f"{name}.registers",
                    f"{plays}.count",
                    "registers",
                )
            when = self._when(name, fields, path)
            self._alone(name, span, when, fields, path)
            self.parts.append(Part(name, *span, count, self._direction(fields, path), when))
        if self.parts:
            doc = "Threads of the block: all warps up to the last one named."
            self.formulas.add("threads", Checked("number", "", self._threads()), "threads", doc=doc)

    def _span(self, fields: dict[str, Said], said: Said, path: str) -> tuple[int, int] | None:
        given = [key for key in ("warp", "warps") if key in fields]
        if len(given) != 1:
            message = "say which warps it has: `warp: 4` for one, `warps: 0-3` for several"
            said.text.wrong(said.key, path, message)
            return None
        one, at = fields[given[0]], f"{path}.{given[0]}"
        if given[0] == "warp":
            try:
                number = integer(one.value, "the number of a warp")
            except RefusedError as error:
                several = isinstance(one.value.value, str) and SPAN.fullmatch(one.value.value)
                hint = f"; for several write `warps: {one.value.value}`" if several else ""
                one.wrong(at, f"{error}{hint}")
                return None
            if not 0 <= number <= LAST:
                one.wrong(at, f"no warp has the number {number}: 0 to {LAST}")
                return None
            return number, number
        written_as = one.value.value if isinstance(one.value.value, str) else ""
        match = SPAN.fullmatch(written_as)
        if match is None:
            hint = f"; for one warp write `warp: {written_as}`" if written_as.isdecimal() else ""
            given_as = shown(written_as) if written_as else "no such range"
            one.wrong(at, f"expected the first and last warp, as 0-3, not {given_as}{hint}")
            return None
        first, last = int(match[1]), int(match[2])
        if not first <= last <= LAST:
            one.wrong(at, f"the first warp is {first} and the last {last}: 0 to {LAST}, in order")
            return None
        return first, last

    def _when(self, name: str, fields: dict[str, Said], path: str) -> str | None:
        if "when" not in fields:
            return None
        found = self.formulas.check(fields["when"], f"{path}.when", "truth")
        if found is None:
            return None
        key = f"{name}.when"
        self.conditions[key] = found.tree
        return self.formulas.add(key, found, "bool", said=fields["when"])

    def _direction(self, fields: dict[str, Said], path: str) -> str | None:
        if "direction" not in fields:
            return None
        try:
            return choice(fields["direction"].value, Role.keys["direction"].choices)
        except RefusedError as error:
            fields["direction"].wrong(f"{path}.direction", str(error))
            return None

    def _alone(
        self, name: str, span: tuple[int, int], when: str | None, fields: dict[str, Said], path: str
    ) -> None:
        """Refuse a warp that another role has, should both always be there."""
        for other in self.parts:
            shared = max(span[0], other.first)
            if shared <= min(span[1], other.last) and when is None and other.when is None:
                where = fields.get("warps") or fields["warp"]
                where.wrong(f"{path}.warps", f"warp {shared} has the role `{other.name}` already")
                return

    def _threads(self) -> ast.expr:
        """32 times the number of the last warp, plus one."""
        always = max((part.last + 1 for part in self.parts if part.when is None), default=0)
        warps: list[ast.expr] = [constant(always)]
        for part in self.parts:
            if part.when is not None and part.last + 1 > always:
                asked = self.conditions[f"{part.name}.when"]
                tree = call("pick", asked, constant(part.last + 1), constant(0))
                arms = ast.IfExp(written(asked), constant(part.last + 1), constant(0))
                warps.append(written_for(tree, arms))
        if len(warps) == 1:
            return constant(32 * always)
        return times(constant(32), word("max", *warps))
