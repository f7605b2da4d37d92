"""The section ``shared``: regions of shared memory, one after the other, as formulas."""

from __future__ import annotations

import ast
from typing import NamedTuple

from kcfg.core.definitions.beside import REGION, means_something, unfit
from kcfg.core.definitions.figures import Figure, Figures
from kcfg.core.definitions.formulas import added, constant, less, named, times, written
from kcfg.core.definitions.names import no_place
from kcfg.core.definitions.places import DEEPEST, WHOLE
from kcfg.core.definitions.regions import (
    TRUTHS,
    Sized,
    aligned,
    elements,
    flags,
    is_alignment,
    largest,
    no_alignment,
)
from kcfg.core.definitions.text import Said
from kcfg.core.engine.quantity import Unit
from kcfg.core.engine.trees import written_for
from kcfg.core.expressions.grammar import Checked
from kcfg.core.spec.nodes import MappingNode, Node
from kcfg.core.spec.problem import meant, shown
from kcfg.core.spec.section import Entry

MOST_REGIONS = 200
SIZED = ("bytes", "of", "shape", "stages", "stride", "align", "in", "offset", "swizzle", *TRUTHS)
BARRIERS = ("mbarriers", "arrivals", "align", "in", "offset")
NESTED = ("struct", "union", "stages", "stride", "align", "in", "offset")
GROUP = ("count", "arrivals")


class Placed(NamedTuple):
    """A region as the block gets it: figures, and the keys that are the same for all inputs."""

    name: str
    offset: str
    bytes: str
    align: Figure
    stages: Figure
    alias_of: str | None
    flags: tuple[tuple[str, bool | str], ...]
    within: str | None = None
    """The attribute of the end of the region that it must lie in."""
    stride: Figure = None


class Barriers(NamedTuple):
    """A group of mbarriers; ``apart`` where they have no place of their own in the order of all."""

    name: str
    number: Figure
    arrivals: Figure
    apart: bool


class SharedMemory:
    """The regions of one definition on their way."""

    def __init__(self, figures: Figures) -> None:
        self.figures, self.formulas = figures, figures.formulas
        self.regions: list[Placed] = []
        self.groups: list[Barriers] = []
        self.named: dict[str, Said] = {}
        """Where each group of mbarriers is said, by its name."""
        self.counts: list[ast.expr] = []
        self.aligns: list[ast.expr] = []
        self.count = 0
        self.unions = 0
        """The unions that what is being read lies in."""

    # The regions

    def read(self, entries: dict[str, Said]) -> None:
        """Take in every region; ``end`` becomes the end of the last."""
        before: str | None = None
        for name, said in entries.items():
            path = f"shared.{name}"
            if not self._allowed(name, said, path):
                continue
            fields = self._fields(said.value, said, path)
            if fields is None:
                continue
            sized = self._sized(name, fields, said, path, 0, constant(1))
            if sized is None:
                continue
            self._bytes(name, sized.bytes, said)
            if "in" in fields:
                self._within(name, fields, said, path)
            else:
                last = constant(0) if before is None else self._read(f"{before}.end")
                self._place(name, "offset", aligned(last, sized.align), said)
                before = name
            self._list(name, name, fields, sized, said)
        end = constant(0) if before is None else self._read(f"{before}.end")
        self.formulas.add("end", Checked("number", "", end), "bytes", doc="End of the last region.")

    def _allowed(self, name: str, said: Said, path: str) -> bool:
        self.count += 1
        if self.count > MOST_REGIONS:
            if self.count == MOST_REGIONS + 1:
                message = f"a definition has at most {MOST_REGIONS} regions, members included"
                said.text.wrong(said.key, path, message)
            return False
        why = no_place(name, "region")
        if why:
            said.text.wrong(said.key, path, why)
        return not why

    def _fields(self, node: Node, said: Said, path: str) -> dict[str, Said] | None:
        """The keys of a region, by what kind of region it is."""
        keys = {key.value for key, _ in node.value} if isinstance(node, MappingNode) else set()
        kind = next((each for each in ("mbarriers", *WHOLE) if each in keys), "")
        known = BARRIERS if kind == "mbarriers" else NESTED if kind else SIZED
        one = Said(said.key, node, said.text)
        others = {*SIZED, *BARRIERS, *NESTED}.difference(known) if kind else ()
        why = {key: unfit(key, kind) for key in others}
        fields = one.entries(path, known, " with `bytes`, or `of` and `shape`", why)
        return fields if fields and means_something(fields, REGION, path) else None

    def _sized(
        self,
        name: str,
        fields: dict[str, Said],
        said: Said,
        path: str,
        level: int,
        times_: ast.expr,
    ) -> Sized | None:
        """All stages of a region, and how it is aligned."""
        if "mbarriers" in fields:
            return self._barriers(name, fields, said, path, times_)
        stages = self._formula(fields, "stages", path)
        repeat = times_ if stages is None else times(stages, times_)
        one = self._one(name, fields, said, path, level, repeat)
        align = None if one is None else self._align(fields, one.align, path)
        if one is None or align is None or ("stages" in fields and stages is None):
            return None
        if stages is None:
            return Sized(one.bytes, align)
        if "stride" in fields:
            stride = self._formula(fields, "stride", path)
            if stride is None:
                return None
            others = times(less(stages, constant(1)), stride)
            return Sized(added(others, one.bytes), align)
        return Sized(times(stages, one.bytes), align)

    def _one(
        self,
        name: str,
        fields: dict[str, Said],
        said: Said,
        path: str,
        level: int,
        times_: ast.expr,
    ) -> Sized | None:
        """One stage of a region."""
        given = [key for key in ("bytes", "of", *WHOLE) if key in fields]
        if len(given) != 1:
            message = "say its size by `bytes`, by `of` and `shape`, or by `struct` or `union`"
            said.text.wrong(
                said.key, path, f"{message}: {'one of them' if given else 'none is here'}"
            )
            return None
        if given[0] in WHOLE:
            return self._members(name, fields[given[0]], path, given[0], level + 1, times_)
        if given[0] == "bytes":
            size = self._formula(fields, "bytes", path)
            return None if size is None else Sized(size, constant(1))
        return elements(self.formulas, fields, said, path)

    def _align(self, fields: dict[str, Said], own: ast.expr, path: str) -> ast.expr | None:
        if "align" not in fields:
            return own
        found = self.formulas.check(fields["align"], f"{path}.align", "number")
        value = None if found is None else self.formulas.constant(found.tree)
        if value is not None and not is_alignment(value):
            fields["align"].wrong(f"{path}.align", no_alignment(value))
            return None
        return None if found is None else found.tree

    # Structs and unions

    def _members(
        self, name: str, said: Said, path: str, kind: str, level: int, times_: ast.expr
    ) -> Sized | None:
        """The members of a struct one after the other, or the arms of a union in one place."""
        at = f"{path}.{kind}"
        if level > DEEPEST:
            said.text.wrong(said.key, at, f"nested too deeply: at most {DEEPEST} levels")
            return None
        found = said.entries(at, holds=" of its members")
        sizes, aligns, last = [], [], None
        self.unions += kind == "union"
        for member, entry in found.items():
            inner = f"{name}.{member}"
            sized = self._member(name, member, entry, at, level, times_)
            if sized is None:
                return None
            before = constant(0) if last is None or kind == "union" else last
            self._place(inner, "at", aligned(before, sized.align), said)
            last = added(self._read(f"{inner}.at"), self._read(f"{inner}.bytes"))
            sizes.append(self._read(f"{inner}.bytes"))
            aligns.append(sized.align)
        self.unions -= kind == "union"
        if last is None:
            if isinstance(said.value, MappingNode) and not said.value.value:
                said.wrong(at, "expected members: there is none")
            return None
        align = largest(aligns)
        # A struct is padded as in C++; arms share a place that is as large as the largest of them.
        return Sized(largest(sizes) if kind == "union" else aligned(last, align), align)

    def _member(
        self, outer: str, member: str, said: Said, at: str, level: int, times_: ast.expr
    ) -> Sized | None:
        name, path = f"{outer}.{member}", f"{at}.{member}"
        if not self._allowed(member, said, path):
            return None
        fields = self._fields(said.value, said, path)
        if fields is None:
            return None
        if "in" in fields:
            fields["in"].text.wrong(
                fields["in"].key, f"{path}.in", "only a whole region lies `in` another"
            )
            return None
        sized = self._sized(name, fields, said, path, level, times_)
        if sized is None:
            return None
        self._bytes(name, sized.bytes, said)
        self._place(
            name, "offset", added(self._read(f"{outer}.offset"), self._read(f"{name}.at")), said
        )
        if not any(key in fields for key in WHOLE):
            self._list(name, name.partition(".")[0], fields, sized, said)
        return sized

    # mbarriers

    def _barriers(
        self, name: str, fields: dict[str, Said], said: Said, path: str, times_: ast.expr
    ) -> Sized | None:
        """The bytes of the barriers; their groups count them in all ``times_`` stages around."""
        given = fields["mbarriers"]
        groups: list[tuple[str, Said, Said | None, str]] = []
        if isinstance(given.value, MappingNode):
            if not given.value.value:
                given.wrong(f"{path}.mbarriers", "expected groups of mbarriers: there is none")
            if "arrivals" in fields:
                message = "each group says its own `arrivals`, as {full: {count: 2, arrivals: 1}}"
                fields["arrivals"].text.wrong(fields["arrivals"].key, f"{path}.arrivals", message)
            for group, entry in given.text.mapping(given.value, f"{path}.mbarriers").items():
                at = f"{path}.mbarriers.{group}"
                one = Said(entry.key, entry.value, given.text)
                inner: dict[str, Entry] = {}
                if isinstance(entry.value, MappingNode):
                    inner = given.text.mapping(entry.value, at, GROUP)
                    if "count" not in inner:
                        given.text.wrong(entry.key, at, "missing key `count`: how many there are")
                        return None
                    one = Said(inner["count"].key, inner["count"].value, given.text)
                arrivals = inner.get("arrivals")
                waits = None if arrivals is None else Said(arrivals.key, arrivals.value, given.text)
                groups.append((group, one, waits, at))
        else:
            groups.append((name, given, fields.get("arrivals"), path))
        repeated = self.formulas.constant(times_) != 1
        counts, apart = [], repeated or self.unions > 0 or "in" in fields
        for group, one, waits, at in groups:
            if not self._alone(group, one, at):
                return None
            self.figures.place(f"mbarriers[{group}]", one.key, one)
            found = self.formulas.number(one, at)
            if found is None:
                return None
            counts.append(found.tree)
            found = found._replace(tree=times(found.tree, times_))
            self.counts.append(found.tree)
            plays = f"mbarriers[{group}]"
            count = self.figures.figure(found, f"{group}.count", f"{plays}.count", "barriers", one)
            arrives: Figure = None
            if waits is not None:
                arrives = self.figures.number(
                    waits, f"{at}.arrivals", f"{group}.arrivals", f"{plays}.arrivals", "count"
                )
            self.groups.append(Barriers(group, count, arrives, apart))
        if not counts:
            return None
        align = self._align(fields, constant(8), path)
        every = counts[0]
        for other in counts[1:]:
            every = added(every, other)
        return None if align is None else Sized(times(constant(8), every), align)

    def _alone(self, group: str, said: Said, path: str) -> bool:
        """Whether no other mbarriers have the name of these; their formulas go by it."""
        before = self.named.setdefault(group, said)
        if before is not said:
            line = said.text.at(before.key)[0]
            message = f"mbarriers `{group}` are there already, in line {line}: give these another"
            said.text.wrong(said.key, path, f"{message} name")
        return before is said

    # Places

    def _within(self, name: str, fields: dict[str, Said], said: Said, path: str) -> None:
        """Put a region into another one."""
        target = fields["in"].value.value
        known = self.formulas.names.known
        if not isinstance(target, str) or f"{target}.offset" not in known or target == name:
            regions = [each.removesuffix(".offset") for each in known if each.endswith(".offset")]
            message = f"unknown region {shown(str(target))}; {meant(str(target), regions)}"
            fields["in"].wrong(f"{path}.in", message)
            return
        at: ast.expr = self._read(f"{target}.offset")
        if "offset" in fields:
            moved = self._formula(fields, "offset", path)
            if moved is None:
                return
            at = added(at, moved)
        self._place(name, "offset", at, said)

    def _list(
        self, name: str, root: str, fields: dict[str, Said], sized: Sized, said: Said
    ) -> None:
        """Note a region for the block."""
        plays, path = f"shared.regions[{name}]", f"shared.{name}"
        self.figures.place(plays, said.key, said)
        for key in ("bytes", "offset"):
            self.figures.plays[f"{plays}.{key}"] = f"{name}.{key}"
        alias = root if root != name else None
        within = None
        if "in" in fields:
            outer = str(fields["in"].value.value)
            alias = outer if f"{outer}.offset" in self.formulas.names.known else None
            within = None if alias is None else self.formulas.names.known[f"{outer}.end"].attribute
            if alias is not None and "." in alias:
                alias = alias.partition(".")[0]
        align = self._figure(sized.align, f"{name}.align", f"{plays}.align")
        if root == name and alias is None:
            self.aligns.append(sized.align)
        stages: Figure = 1
        if "stages" in fields:
            found = self.formulas.number(fields["stages"], f"{path}.stages")
            if found is not None:
                stages = self.figures.figure(found, f"{name}.stages", f"{plays}.stages", "stages")
        elif "mbarriers" in fields:
            count = times(self._read(f"{name}.bytes"), constant(1))
            eighth = ast.BinOp(count, ast.FloorDiv(), constant(8))
            shown_as = ast.BinOp(written(count), ast.FloorDiv(), constant(8))
            stages = self._figure(written_for(eighth, shown_as), f"{name}.stages", "", "stages")
        apart = self._formula(fields, "stride", path)
        stride = None if apart is None else self._figure(apart, f"{name}.stride", f"{plays}.stride")
        known = self.formulas.names.known
        self.regions.append(
            Placed(
                name,
                known[f"{name}.offset"].attribute,
                known[f"{name}.bytes"].attribute,
                align,
                stages,
                alias,
                flags(fields, path),
                within,
                stride,
            )
        )

    def _figure(self, tree: ast.expr, key: str, plays: str, unit: Unit = "bytes") -> Figure:
        names = (ast.unparse(written(tree)),)
        return self.figures.figure(Checked("number", "", tree, names), key, plays, unit)

    def _formula(self, fields: dict[str, Said], key: str, path: str) -> ast.expr | None:
        if key not in fields:
            return None
        found = self.formulas.number(fields[key], f"{path}.{key}")
        return None if found is None else found.tree

    def _read(self, key: str) -> ast.expr:
        return named(self.formulas.names.known[key].attribute, key)

    def _place(self, name: str, key: str, tree: ast.expr, said: Said) -> None:
        doc = {"offset": f"Where {name} begins.", "at": f"Where {name} begins in what it lies in."}
        found = Checked("number", "", tree)
        self.formulas.add(f"{name}.{key}", found, "bytes", doc=doc[key], said=said)

    def _bytes(self, name: str, tree: ast.expr, said: Said) -> None:
        found = Checked("number", "", tree)
        self.formulas.add(f"{name}.bytes", found, "bytes", doc=f"All stages of {name}.", said=said)
        end = added(self._read(f"{name}.offset"), self._read(f"{name}.bytes"))
        doc = f"The first byte behind {name}."
        self.formulas.add(f"{name}.end", Checked("number", "", end), "bytes", doc=doc, said=said)
