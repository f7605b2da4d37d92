"""The names that the formulas of a definition may use, and what each stands for."""

from __future__ import annotations

import ast
import keyword
import re
from collections.abc import Callable, Iterable
from typing import Any, NamedTuple

from kcfg.core.engine.quantity import Input, Quantity
from kcfg.core.errors import nearest
from kcfg.core.expressions.scope import Meaning, UnknownNameError
from kcfg.core.expressions.words import WORDS, Kind
from kcfg.core.hardware.target import Target
from kcfg.core.kernel import Kernel
from kcfg.core.spec.problem import listed, shown
from kcfg.core.spec.scalars import TRUTHS

NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")
PLACES = ("end", "shared_bytes", "shared_limit", "tensor_memory_allocated", "threads", "mbarriers")
"""Names of a block's figures, which no input or value may have."""
INNER = "·"
"""What stands for a dot or bracket in an attribute's name, and behind one that `Kernel` has."""
TEXTS = ("dtype", "swizzle", "text")
"""Units of values that are no numbers."""
DECLARED = frozenset(
    ("target", *(name for cls in Kernel.__mro__ for name in vars(cls).get("__annotations__", ())))
)
"""What a kernel has that `Kernel` only declares, such as its name and release."""
LENGTH = 100
"""Characters a name may have."""


class Name(NamedTuple):
    """A name: the kind and unit of its value, and the attribute that has it.

    ``declared`` is the input that it is, None for any other.
    """

    kind: Kind
    unit: str
    attribute: str
    declared: Input | None = None


class BrokenNameError(Exception):
    """A formula reads a name of which something was noted: who reads it is not to blame as well."""


class Names:
    """Every name of one definition; those of values come in as the values are read."""

    nulls = False

    def __init__(self, broken: Iterable[str] = ()) -> None:
        self.known: dict[str, Name] = {}
        self.inherited = False
        """Whether the formula at hand may ask for texts that no input has: that of another
        document, whose inputs may have had more choices, and one of which that was said."""
        self.broken = set(broken)
        """Names that are said, and of which something is wrong: of what kind they are, nobody
        knows."""
        self.below: dict[str, str] = {}
        """Values that are not read yet, each with what to say of it."""
        self.indexed: Callable[[str], Name | None] = lambda name: None
        """What gives ``acc1`` its meaning: the second of several ``acc``."""

    def meaning(self, name: str) -> Meaning:
        if name.startswith("target."):
            return _limit(name)
        if name.partition(".")[0] in self.broken:
            raise BrokenNameError
        found = self.known.get(name) or self.indexed(name)
        if found is None:
            raise UnknownNameError(self._unknown(name))
        texts = found.declared.choices if found.declared and found.kind == "text" else ()
        return Meaning(
            found.kind, found.unit, read(found.attribute), () if self.inherited else texts
        )

    def _unknown(self, name: str) -> str:
        if name in self.below:
            return self.below[name]
        plain = name[:LENGTH]
        close = nearest(plain, [*self.known, *self.below])
        if close:
            return f"unknown name {shown(name)}; did you mean `{close}`?"
        if "." in name or "[" in name:
            hint = "names with a dot are limits, as target.smem_optin_per_block, and places of"
            return f"unknown name {shown(name)}; {hint} regions, as a.offset"
        every = [*self.known, *self.below]
        known = listed(each for each in every if "." not in each) or "none, for there are no inputs"
        place = next((f", and places, as {each}" for each in every if "." in each), "")
        return f"unknown name {shown(name)}; known: {known}{place}"

    def declare(self, name: str, kind: Kind, unit: str) -> str:
        """Take a name in; its attribute is returned."""
        attribute = attribute_of(name)
        self.known[name] = Name(kind, unit, attribute)
        return attribute

    def inherit(self, base: type[Kernel]) -> None:
        """Take in every name of a kernel."""
        members: dict[str, Input | Quantity[Any]] = {**base.inputs, **base.quantities}
        for attribute, member in members.items():
            declared = member if isinstance(member, Input) else None
            self.known[member.key] = Name(kind_of(member), member.unit, attribute, declared)


def read(attribute: str) -> ast.expr:
    """The tree that reads an attribute."""
    return ast.Attribute(ast.Name("self", ast.Load()), attribute, ast.Load())


def attribute_of(name: str) -> str:
    """The attribute that has the value of a name."""
    inner = name.replace(".", INNER).replace("[", INNER).replace("]", "")
    return inner + INNER if hasattr(Kernel, inner) or inner in DECLARED else inner


def kind_of(member: Input | Quantity[Any]) -> Kind:
    """The kind of an input's or quantity's value."""
    if member.unit == "bool":
        return "truth"
    return "text" if member.unit in TEXTS else "number"


def refused(name: str, what: str) -> str:
    """Why an input or value may not have a name; empty where it may."""
    if not NAME.fullmatch(name) or len(name) > LENGTH:
        rule = f"letters, digits and _, at most {LENGTH} of them, no digit first"
        return f"{shown(name)} is no name: {rule}"
    if name in WORDS:
        return f"`{name}` is a word of formulas: give the {what} another name"
    if name in (*PLACES, "target", "supported", "must"):
        return f"`{name}` is a name that every kernel has: give the {what} another name"
    if name.lower() in TRUTHS and name.lower() not in ("n", "y"):
        return f"`{name}` is a truth value to some YAML loaders: give the {what} another name"
    if keyword.iskeyword(name) or name in ("true", "false", "null"):
        return f"`{name}` cannot stand in a formula as a name: give the {what} another one"
    return ""


def no_place(name: str, what: str) -> str:
    """Why a region or range may not have a name; empty where it may."""
    if not NAME.fullmatch(name):
        return f"{shown(name)} is no name of a {what}: letters, digits and _, no digit first"
    if keyword.iskeyword(name):
        return f"`{name}` cannot stand in a formula as a name: give the {what} another one"
    return ""


def _limit(name: str) -> Meaning:
    limit = name.removeprefix("target.")
    declared = Target.limits.get(limit)
    if declared is not None and limit not in UNCERTAIN:
        me = ast.Name("self", ast.Load())
        tree = ast.Attribute(ast.Attribute(me, "target", ast.Load()), limit, ast.Load())
        kind: Kind = "truth" if declared.unit == "bool" else "number"
        return Meaning("text" if declared.unit == "text" else kind, "", tree)
    if declared is not None:
        raise UnknownNameError(f"`{name}` is no single value that is known of every target")
    known = [each for each in Target.limits if each not in UNCERTAIN]
    close = LIMITS.get(limit.lower()) or nearest(limit[:LENGTH], known)
    hint = f"did you mean `target.{close}`?" if close else "`kcfg targets b200` lists them"
    raise UnknownNameError(f"unknown limit {shown(name)}; {hint}")


LIMITS = {
    **dict.fromkeys(("sms", "num_sms", "n_sms", "sm_num", "nsm"), "sm_count"),
    **dict.fromkeys(("smem", "smem_bytes", "max_smem", "shared_memory"), "smem_optin_per_block"),
    **dict.fromkeys(("tmem", "max_tmem_columns"), "tmem_columns"),
    **dict.fromkeys(("registers", "max_registers"), "max_registers_per_thread"),
}
"""What limits are called elsewhere."""
UNCERTAIN = frozenset(
    (
        "carveout_kb",
        "dense_tflops",
        "dram_bytes",
        "l2_bytes",
        "max_block_dim",
        "max_grid_dim",
        "max_sm_clock_mhz",
    )
)
"""Limits that are no single value, or are not known of every target."""
