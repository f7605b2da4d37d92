"""What a region of shared memory comes to: its bytes, its alignment, and its flags."""

from __future__ import annotations

import ast
from typing import NamedTuple

from kcfg.core.block.parts import Region
from kcfg.core.definitions.formulas import Formulas, constant, reads, times, word
from kcfg.core.definitions.names import NAME, Name
from kcfg.core.definitions.text import Said
from kcfg.core.engine.arith import next_pow2
from kcfg.core.engine.trees import is_value
from kcfg.core.errors import nearest
from kcfg.core.expressions.grammar import checked
from kcfg.core.expressions.mistakes import no_element
from kcfg.core.hardware.dtypes import ELEMENT_BITS, ELEMENTS, SPREAD, SWIZZLES, stored_bits
from kcfg.core.spec.nodes import ScalarNode, SequenceNode
from kcfg.core.spec.scalars import RefusedError, boolean, choice

TRUTHS = ("tma", "bulk", "descriptor", "base_offset")


class Sized(NamedTuple):
    """What a region comes to: the tree of its bytes, and its alignment."""

    bytes: ast.expr
    align: ast.expr


def elements(formulas: Formulas, fields: dict[str, Said], said: Said, path: str) -> Sized | None:
    """Bytes of elements of a type, and their own alignment.

    What a type takes is said by the words that anybody may write: of a packed one its bits, and
    a byte where it is spread.
    """
    of = fields["of"]
    dtype = _dtype(formulas, of, f"{path}.of")
    if "shape" not in fields:
        said.text.wrong(said.key, path, "missing key `shape`: the elements along each dimension")
        return None
    product = constant(1)
    shape = fields["shape"].value
    if isinstance(shape, SequenceNode) and not shape.value:
        message = "expected the elements along each dimension, as [128, 64]: there is none"
        fields["shape"].wrong(f"{path}.shape", message)
        return None
    for node in of.text.items(shape, f"{path}.shape"):
        one = formulas.number(Said(of.key, node, of.text), f"{path}.shape")
        if one is None or dtype is None:
            return None
        product = times(product, one.tree)
    if dtype is None:
        return None
    if isinstance(dtype, str):
        bits = stored_bits(dtype)
        align = constant(max(ELEMENT_BITS[dtype] // 8, 1))
        if bits % 8 == 0:
            return Sized(times(product, constant(bits // 8)), align)
        return Sized(word("ceildiv", times(product, constant(bits)), constant(8)), align)
    align = word("bytes_of", dtype)
    types = _types(formulas, formulas.names.known[str(of.value.value)])
    if all(stored_bits(each) % 8 == 0 and each not in SPREAD for each in types):
        return Sized(times(product, align), align)
    each_bits = word("bits_of", dtype)
    if spread := sorted(SPREAD & types):
        text = str(of.value.value)
        asked = " or ".join(f"{text} == '{each}'" for each in spread)
        each_bits = checked(f"8 if {asked} else bits_of({text})", formulas.names).tree
    return Sized(word("ceildiv", times(product, each_bits), constant(8)), align)


def _types(formulas: Formulas, name: Name) -> set[str]:
    """All that an element type may be: an input's choices, or the texts in a value's formula."""
    if name.declared is not None:
        return set(name.declared.choices)
    if name.attribute not in formulas.all:  # of a kernel in Python
        return set(ELEMENTS)
    tree, found = formulas.all[name.attribute].tree, set[str]()
    found.update(str(node.value) for node in ast.walk(tree) if isinstance(node, ast.Constant))
    for each in formulas.names.known.values():
        if each.unit == "dtype" and each.attribute in reads(tree):
            found |= _types(formulas, each)
    return found.intersection(ELEMENTS)


def _dtype(formulas: Formulas, of: Said, path: str) -> str | ast.expr | None:
    """An element type itself, or the tree of one."""
    node = of.value
    names = formulas.names
    if isinstance(node, ScalarNode) and node.value not in (*names.known, *names.broken):
        try:
            return choice(node, tuple(ELEMENT_BITS), short=True)
        except RefusedError as error:
            types = [name for name, each in names.known.items() if each.unit == "dtype"]
            close = nearest(node.value, types)
            hint = f"; did you mean `{close}`?" if close else ""
            if not NAME.fullmatch(node.value):
                hint = "; a formula of one is a value, whose name may stand here"
            of.wrong(path, f"{error}{hint}")
            return None
    found = formulas.check(of, path)
    if found is None or found.unit != "dtype":
        if found is not None:
            of.wrong(path, no_element(of.value.value, found.texts))
        return None
    return found.tree


def flags(fields: dict[str, Said], path: str) -> tuple[tuple[str, bool | str], ...]:
    found: list[tuple[str, bool | str]] = []
    if "mbarriers" in fields:
        found.append(("mbarriers", True))
    for key in (*TRUTHS, "swizzle"):
        if key not in fields:
            continue
        try:
            node = fields[key].value
            value = choice(node, SWIZZLES) if key == "swizzle" else boolean(node)
        except RefusedError as error:
            fields[key].wrong(f"{path}.{key}", str(error))
            continue
        assert key in Region.keys
        found.append((key, value))
    return tuple(found)


def aligned(tree: ast.expr, align: ast.expr) -> ast.expr:
    """A place, rounded up to an alignment."""
    if isinstance(align, ast.Constant) and align.value == 1:
        return tree
    if isinstance(tree, ast.Constant) and tree.value == 0:
        return tree
    return word("up", tree, align)


def is_alignment(value: int) -> bool:
    """Whether something may be aligned to so many bytes."""
    return value > 0 and value & (value - 1) == 0


def no_alignment(value: int) -> str:
    """What is said of a number that is no alignment."""
    if value < 1:
        return f"an alignment is a power of two, at least 1, not {value}: leave it out for none"
    near = next_pow2(value)
    return f"an alignment is a power of two, not {value:,}: write {near // 2} or {near}"


def largest(trees: list[ast.expr]) -> ast.expr:
    """The largest of several numbers."""
    plain = [int(str(tree.value)) for tree in trees if isinstance(tree, ast.Constant)]
    others = {ast.dump(tree): tree for tree in trees if not is_value(tree)}
    kept = [*others.values(), *([constant(max(plain))] if plain else [])]
    return kept[0] if len(kept) == 1 else word("max", *kept)
