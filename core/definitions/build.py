"""From a definition to the class of a kernel: formulas compiled, parts of the block as methods."""

from __future__ import annotations

import ast
from collections.abc import Callable
from functools import reduce
from typing import Any, cast

from kcfg.core.definitions import layout
from kcfg.core.definitions.compiling import allow, circle, compiled
from kcfg.core.definitions.document import Definition, Value
from kcfg.core.definitions.faults import Faults, clashes
from kcfg.core.definitions.figures import Figures
from kcfg.core.definitions.formulas import Formulas, added, named, reads
from kcfg.core.definitions.head import check_target, digest_of, family_of, needs_of, target_of
from kcfg.core.definitions.inputs import Inputs
from kcfg.core.definitions.launch import Launch, Mould, figures_of
from kcfg.core.definitions.names import Names
from kcfg.core.definitions.pickling import Defined
from kcfg.core.definitions.places import declare
from kcfg.core.definitions.regions import largest
from kcfg.core.definitions.roles import Roles
from kcfg.core.definitions.shared import SharedMemory
from kcfg.core.definitions.tensor import TensorMemory
from kcfg.core.definitions.text import Said
from kcfg.core.definitions.values import Values, all_of
from kcfg.core.engine import formula
from kcfg.core.engine.quantity import Quantity
from kcfg.core.expressions.grammar import Checked
from kcfg.core.kernel import MUST, VERDICT, Kernel

PARTS = {"smem": "shared", "tmem": "tmem", "registers": "registers", "barriers": "mbarriers"}
"""Parts of a block that a definition may have, with their keys in the block."""
UNSAID = {"blocks_per_sm", "cluster", "mma", "pipelines", "threads", "unit", *PARTS.values()}
"""Keys of a block that a definition need not say, beside those that no kernel does."""
OWN = "the definition"
"""The source of a formula that names none."""


def build(definition: Definition) -> type[Kernel]:
    """The class of a definition; what is wrong is noted, and the class then of no use."""
    return _Builder(definition).kernel()


class _Builder:
    """One class on its way."""

    def __init__(self, definition: Definition) -> None:
        self.definition, self.base = definition, definition.base
        self.names = Names(definition.unheard)
        self.formulas = Formulas(self.names, definition.said)
        self.figures = Figures(self.formulas)
        self.inputs = Inputs(self.formulas)
        self.shared, self.tensor = SharedMemory(self.figures), TensorMemory(self.figures)
        self.roles, self.launch = Roles(self.figures), Launch(self.figures)
        self.members: dict[str, Any] = {}
        self.wanted: list[str] = []
        self.borrowed: dict[str, Any] = {}
        self.dropped: dict[str, Said] = {}
        """The attributes of a kernel in Python that the definition drops, where it says so."""
        self.said: set[str] = set()
        """The keys of the block that the definition says."""

    def kernel(self) -> type[Kernel]:
        definition, base = self.definition, self.base
        if base is not None:
            self.names.inherit(base)
        for name, said in definition.sections["inputs"].items():
            self.inputs.read(name, said)
        for name in definition.values:
            message = f"`{name}` stands below: a value reads what stands above it; move it up"
            self.names.below[name] = message
        for name in definition.without:
            self.names.known.pop(name, None)
            self.names.below[name] = f"`{name}` is dropped by `without`, and read here"
        declare(self.names, definition.sections["shared"])
        self.tensor.declare(definition.sections["tensor_memory"])
        self._declare_figures()
        values = self._values()
        self._conditions(values)
        self._memory()
        self._columns()
        self._registers()
        self._launched()
        self._circles()
        self._drop()
        allow(len(self.formulas.all))
        self.figures.place_all(definition.keys, definition.sections["inputs"], definition.values)
        self.members.update(self._head())
        self.members.update(self.inputs.found)
        self.members.update(self._quantities())
        written = {name: each.said.place for name, each in self.formulas.all.items() if each.said}
        shared = clashes(tuple(self.roles.parts))
        faults = Faults(base or Kernel, tuple(values.tables), shared, written)
        self.members["faults"] = classmethod(lambda *asked: faults.of(*asked))
        self.members["sound"] = lambda kernel: faults.sound(kernel)
        self.members["limited"] = True
        self.members["wanted"] = tuple(dict.fromkeys(self.wanted))
        found = cast(type[Kernel], Defined(definition.name, (base or Kernel,), self.members))
        check_target(definition, found)
        return found

    # Values and conditions

    def _declare_figures(self) -> None:
        """Take in the names that stand for figures of the block."""
        sections, head = self.definition.sections, self.definition.head
        known = {
            "end": sections["shared"],
            "shared_bytes": sections["shared"] or head.get("shared_bytes"),
            "shared_limit": sections["shared"] or head.get("shared_bytes"),
            "mbarriers": sections["shared"],
            "tensor_memory_allocated": (
                sections["tensor_memory"] or head.get("tensor_memory_allocated")
            ),
            "threads": sections["roles"],
        }
        for name, there in known.items():
            if there:
                self.names.declare(name, "number", "bytes")

    def _values(self) -> Values:
        definition = self.definition
        inherited = () if self.base is None else (each.key for each in self.base.inputs.values())
        inputs = {each.key for each in self.inputs.found.values()}.union(inherited)
        values = Values(self.formulas, definition.label("source") or OWN, inputs, self.base)
        for name, value in self._ordered().items():
            values.read(name, value.fields, value.said)
        return values

    def _ordered(self) -> dict[str, Value]:
        """The values in their order: of a kernel in Python, new ones go before what is changed."""
        values = self.definition.values
        if self.base is None:
            return values
        known = {each.key for each in self.base.quantities.values()}
        fresh = {name: value for name, value in values.items() if name not in known}
        return {**fresh, **values}

    def _conditions(self, values: Values) -> None:
        sections = self.definition.sections
        found = values.conditions("supported", sections["supported"])
        if found:
            trees = {name: each.tree for name, each in found.items()}
            self._verdict(VERDICT, trees, "Whether the kernel takes the configuration.", False)
        must = values.conditions("must", sections["must"])
        if must:
            trees = {name: each.tree for name, each in must.items()}
            self._verdict(MUST, trees, "What holds for every configuration that runs.", True)

    def _verdict(self, name: str, trees: dict[str, ast.expr], doc: str, place: bool) -> None:
        before = None if self.base is None else self.base.quantities.get(name)
        if before is not None:
            trees = {**_conditions_of(before), **trees}
        checked = Checked("truth", "", all_of(trees))
        if before is not None:
            self.borrowed.update(formula.of(before).meanings)
        source = self.definition.label("source") or OWN
        self.formulas.add(name, checked, "bool", doc=doc, source=source, place=place)

    # The block

    def _memory(self) -> None:
        definition, head = self.definition, self.definition.head
        entries = definition.sections["shared"]
        if not entries and "shared_bytes" not in head:
            if "shared_limit" in head:
                message = "this limits shared memory, of which nothing is said: say `shared_bytes`"
                head["shared_limit"].text.wrong(
                    head["shared_limit"].key, "shared_limit", f"{message}, or what is in `shared`"
                )
            return
        self.shared.read(entries)
        used = self._figure("shared_bytes", "bytes", "end" if entries else None)
        limit = self._figure("shared_limit", "bytes", "target.smem_optin_per_block")
        if used is None or limit is None:
            return
        self.figures.plays["shared.dynamic"] = self._behind("shared_bytes")
        source = definition.label("source").partition(",")[0]
        self._method("smem", layout.shared_memory(source, self.shared.regions, used, limit))
        if self.shared.counts:
            every = reduce(added, self.shared.counts)
            doc = "All mbarriers."
            self.formulas.add("mbarriers", Checked("number", "", every), "barriers", doc=doc)
            self._method("barriers", layout.block_barriers(self.shared.groups))
        elif entries:
            self.formulas.add("mbarriers", Checked("number", "", ast.Constant(0)), "barriers")
        if self.base is None:
            return
        if entries:
            self.said.add("mbarriers")
            if not self.shared.groups:
                self.members["barriers"] = lambda kernel: None

    def _columns(self) -> None:
        entries, key = self.definition.sections["tensor_memory"], "tensor_memory_allocated"
        said = key in self.definition.head
        used = self.tensor.read(entries)
        if used is None and (entries or not said):
            return
        if used is not None:
            whole = Checked("number", "", used, (ast.unparse(getattr(used, "written", used)),))
            taken = self.figures.figure(whole, "tensor_memory.used", "tmem.columns", "columns")
        if used is not None and not said:
            tree = self.tensor.allocated(used)
            self.formulas.add(key, Checked("number", "", tree), "columns")
            allocated: Any = self.names.known[key].attribute
        else:
            allocated = self._figure(key, "columns", None)
        if allocated is None:
            return
        if used is None:  # of which only the total is known
            taken = allocated
        self.figures.plays["tmem.allocations[0].columns"] = self._behind(key)
        self._method("tmem", layout.tensor_memory(self.tensor.ranges, taken, allocated))

    def _registers(self) -> None:
        entries, head = self.definition.sections["roles"], self.definition.head
        if not entries and "registers_at_entry" not in head:
            return
        self.roles.read(entries)
        entry = None
        if "registers_at_entry" in head:
            entry = self.figures.number(
                head["registers_at_entry"],
                "registers_at_entry",
                "registers_at_entry",
                "registers.entry",
                "registers",
            )
        if self.roles.parts:
            self.figures.plays["threads"] = "threads"
            self.wanted.append(self.names.known["threads"].attribute)
            self.said.add("threads")
        self._method("registers", layout.block_registers(self.roles.parts, entry))

    def _launched(self) -> None:
        mould = self.launch.read(self.definition.sections["launch"])
        self.said |= self.launch.said
        aligns = self.shared.aligns
        if aligns and "shared.base_align" not in self.said:
            tree = largest(aligns)
            checked = Checked("number", "", tree, (ast.unparse(getattr(tree, "written", tree)),))
            align = self.figures.figure(checked, "shared.base_align", "", "bytes")
            mould = _with_base_align(mould, align)
            self.said.add("shared.base_align")
        if mould.values:
            figures = figures_of(mould, self.formulas)
            self._method("launched", layout.launched(mould, figures, self.base))

    def _method(self, name: str, made: tuple[Callable[[Kernel], Any], tuple[str, ...]]) -> None:
        self.members[name] = made[0]
        self.wanted += made[1]

    def _figure(self, key: str, unit: Any, otherwise: str | None) -> str | None:
        """The attribute of a formula of the head, or of what stands for it."""
        head = self.definition.head
        if key in head:
            found = self.formulas.number(head[key], key)
            if found is None:
                return None
            plays = {"shared_bytes": "shared.dynamic"}.get(key, key)
            self.figures.place(plays, head[key].key, head[key])
        elif otherwise is None:
            return None
        else:
            meaning = self.names.meaning(otherwise)
            tree = meaning.tree
            if not otherwise.startswith("target."):
                tree = named(self.names.known[otherwise].attribute, otherwise)
            found = Checked("number", "", tree, (otherwise,))
        return self.formulas.add(key, found, unit, said=head.get(key))

    def _behind(self, key: str) -> str:
        """The name that a figure merely repeats, or its own."""
        tree = self.formulas.all[self.names.known[key].attribute].tree
        found = list(reads(tree))
        known = {each.attribute: name for name, each in self.names.known.items()}
        bare = key in self.definition.head and isinstance(tree, ast.Attribute) and found[0] in known
        return known[found[0]] if bare else key

    # The class

    def _circles(self) -> None:
        """Refuse formulas that rest on themselves, at the first of them."""
        done: set[str] = set()
        for attribute in list(self.formulas.all):
            found = circle(attribute, self._reads, done)
            if found:
                first = next(each for each in self.formulas.all if each in found)
                at = found.index(first)
                turned = found[at:] + found[:at]
                keys = [self._key(each) for each in (*turned, first)]
                said = self.formulas.all[first].said or self.definition.said
                message = f"`{keys[0]}` rests on itself: {' <- '.join(keys)}"
                said.wrong(keys[0], message)
                return

    def _drop(self) -> None:
        """Leave out values of a kernel in Python, which nothing may read that stays."""
        base = self.base
        if base is None:
            return
        keys = {each.key: name for name, each in base.quantities.items()}
        self.dropped = {
            keys[name]: said for name, said in self.definition.without.items() if name in keys
        }
        stay = [each for each in (*self.formulas.all, *base.quantities) if each not in self.dropped]
        for attribute, said in self.dropped.items():
            reader = next((each for each in stay if attribute in self._reads(each)), None)
            if reader is not None:
                name = base.quantities[attribute].key
                said.wrong("without", f"`{name}` is read by `{self._key(reader)}`, which stays")

    def _reads(self, attribute: str) -> list[str]:
        """The attributes that a formula reads, one that is taken over included."""
        if attribute in self.formulas.all:
            return list(reads(self.formulas.all[attribute].tree))
        member = None if self.base is None else self.base.quantities.get(attribute)
        return [] if member is None else list(reads(formula.of(member).tree))

    def _key(self, attribute: str) -> str:
        if attribute in self.formulas.all or self.base is None:
            return self.formulas.all[attribute].key
        return self.base.quantities[attribute].key

    def _quantities(self) -> dict[str, Quantity[Any]]:
        functions = compiled(self.formulas.all, self.borrowed)
        found: dict[str, Quantity[Any]] = {}
        for attribute, each in self.formulas.all.items():
            source = each.source or OWN
            found[attribute] = Quantity(
                functions[attribute],
                each.unit,
                source,
                each.key,
                each.step,
                place=each.place,
                tree=each.tree,
                doc=each.doc,
            )
        return found

    def _head(self) -> dict[str, Any]:
        definition, base = self.definition, self.base
        version, source = definition.label("version"), definition.label("source")
        needs, target = needs_of(definition, base), target_of(definition)
        file, (line, _) = definition.own.file, definition.own.at(definition.said.key)
        extended = "" if base is None else f"{base.kernel} {base.release}, with changes. "
        members: dict[str, Any] = {
            "kernel": definition.name,
            "release": version or "1",
            "library": definition.label("library") or (base.library if base else ""),
            "title": definition.label("title") or definition.name,
            "struct": source or (base.struct if base else "a definition"),
            "changes": definition.label("changes") or f"{extended}Defined in {file}, line {line}.",
            "needs": needs,
            "family": definition.name if base is None else base.family,
            "spellings": (*(base.spellings if base else ()), *self.inputs.spellings),
            "plays": {**(base.plays if base else {}), **self.figures.plays},
            "places_in_text": self.figures.at,
            "doubts": tuple(definition.own.doubts),
            "digest": digest_of(definition, base),
        }
        if definition.parent is not None and base is None:
            members["family"] = family_of(definition)
        if target:
            members["default_target"] = target
        if base is not None and self.dropped:
            members["without"] = frozenset(self.dropped)
        members["unmodelled"] = self._unmodelled()
        return members

    def _unmodelled(self) -> frozenset[str]:
        base = self.base
        silent = base.unmodelled if base else Kernel.unmodelled | UNSAID
        if base is None:
            silent = silent - {key for name, key in PARTS.items() if name in self.members}
        said = self.said | ({"unit"} if self.definition.label("needs") else set())
        said |= {path.partition("[")[0].partition(".")[0] for path in said}
        return frozenset(each for each in silent if each not in said)


def _conditions_of(verdict: Quantity[Any]) -> dict[str, ast.expr]:
    """The conditions of a verdict that is taken over, by name."""
    expression = formula.of(verdict)
    named_terms = expression.named if isinstance(expression.tree, ast.Call) else {}
    trees = {name: term.tree for name, term in named_terms.items()}
    return trees or {"upstream": expression.tree}


def _with_base_align(mould: Mould, align: Any) -> Mould:
    from kcfg.core.block.parts import Shared

    before = dict(mould.values)
    inner = before.get("shared", Mould(Shared, ()))
    before["shared"] = inner._replace(values=(*inner.values, ("base_align", align)))
    return mould._replace(values=tuple(before.items()))
