"""Definitions written out: a shipped kernel as one to start from, and one from nothing."""

from __future__ import annotations

import ast
import json
import re
from collections.abc import Iterator
from typing import Any

from kcfg.core.definitions.head import NEEDS
from kcfg.core.definitions.spelling import UnreachedError, name_of, spelled
from kcfg.core.definitions.tracing import Bounds, Traced, Traces, noting, traced, tree_of
from kcfg.core.engine import formula, terms
from kcfg.core.engine.formula import Expression
from kcfg.core.engine.quantity import MOST, REQUIRED, Input, Quantity
from kcfg.core.engine.trees import NoSourceError
from kcfg.core.kernel import VERDICT, Kernel
from kcfg.core.spec.scalars import is_integer

WORDS = frozenset(("true", "false", "yes", "no", "on", "off", "null", "y", "n"))
"""Texts that some YAML loader takes for something else."""


class BeyondError(ValueError):
    """A kernel that the grammar does not reach: ``reasons`` are why, by name."""

    def __init__(self, cls: type[Kernel], reasons: dict[str, str]) -> None:
        self.reasons = reasons
        super().__init__(
            f"{cls.kernel} {cls.release} has formulas that no definition can have:"
            f" {len(reasons)} of its {len(cls.inputs) + len(cls.quantities)} inputs and values"
        )


def like(cls: type[Kernel], name: str = "") -> str:
    """A definition with the formulas of a shipped kernel.

    Raises `BeyondError` where it is written in Python and some formula is more than that.
    """
    name = name or f"{cls.kernel}_{re.sub('[^0-9A-Za-z]', '_', cls.release)}"
    if "text" in vars(cls):
        return re.sub(r"(?m)^defines:.*", f"defines: {name}", cls.text)
    reasons: dict[str, str] = {}
    inputs = list(_inputs(cls, reasons))
    values = list(_values(cls, reasons))
    if reasons:
        raise BeyondError(cls, reasons)
    written = [
        f"# {cls.kernel} {cls.release} as a definition: change what is to be different.",
        f"defines: {name}",
        f'version: "{cls.release}"',
        f"title: {scalar(cls.title)}",
        f"source: {scalar(cls.struct)}",
        *(f"needs: {word}" for word, unit in NEEDS.items() if unit == cls.needs),
        "",
        "inputs:",
        *inputs,
        "",
        "values:",
        *values,
        *_verdict(cls),
        *_block(cls, traced(cls)),
    ]
    return "\n".join(written) + "\n"


def new(name: str) -> str:
    """A definition to fill in, which derives as it stands."""
    return SKELETON.replace("NAME", name)


def scalar(text: str) -> str:
    """A text as YAML takes it for nothing else, also between braces."""
    plain = re.fullmatch(r"[A-Za-z(][^,:#\[\]{}\"'&*!|>%@`]*", text) and not text.endswith(" ")
    special = text.lower() in WORDS or is_integer(text)
    return text if plain and not special else json.dumps(text, ensure_ascii=False)


def _formula(text: str) -> str:
    """A formula as YAML takes it for one, also between braces."""
    needs = re.search(r"[,\[\]{}\"'#]|: ", text) or text[:1] in "*&!%@-"
    return json.dumps(text) if needs else text


def _inputs(cls: type[Kernel], reasons: dict[str, str]) -> Iterator[str]:
    for member in cls.inputs.values():
        if member.default is None:
            reasons[member.key] = "it may be absent, which no input of a definition may"
        else:
            yield f"  {member.key}: {{{', '.join(_input(member))}}}"
    for spelling in cls.spellings:
        shape = {
            member.key: Traced(ast.Attribute(ast.Name("self", ast.Load()), name, ast.Load()))
            for name, member in cls.inputs.items()
        }
        word = ast.Name(spelling.word, ast.Load())
        try:
            tree = tree_of(noting(spelling.convert)(Traced(word), shape))
        except (TypeError, AttributeError, KeyError) as error:
            reasons[spelling.word] = str(error)
            continue
        text = ast.unparse(tree).replace("self.", "")
        about = [f"in_place_of: {spelling.means}", f"is: {_formula(text)}"]
        about += [each for each in _input(spelling.read) if not each.startswith("default")]
        yield f"  {spelling.word}: {{{', '.join(about)}}}"


def _input(member: Input) -> Iterator[str]:
    if member.default is not REQUIRED:
        value = member.default
        yield f"default: {scalar(value) if isinstance(value, str) else str(value).lower()}"
    if member.kind is str:
        key = "dtype" if member.unit == "dtype" else "choices"
        yield f"{key}: [{', '.join(map(scalar, member.choices))}]"
    else:
        yield f"unit: {member.unit}"
    if member.kind is int and member.least != 1:
        yield f"least: {member.least}"
    if member.kind is int and member.most != MOST:
        yield f"most: {member.most}"
    yield f"doc: {scalar(' '.join(member.doc.split()))}"
    if member.tunable:
        yield "tunable: true"


def _values(cls: type[Kernel], reasons: dict[str, str]) -> Iterator[str]:
    for name in cls.parts:
        reasons[name] = "it is a struct of its own within the struct"
    for name, quantity in cls.quantities.items():
        if name == VERDICT:
            continue
        text = _spelled(cls, quantity, reasons)
        yield f"  {name_of(cls, quantity)}:"
        yield f"    is: {_formula(text)}"
        if quantity.unit != "count":
            yield f"    unit: {quantity.unit}"
        yield f"    doc: {scalar(' '.join(quantity.doc.split()))}"
        yield f"    source: {scalar(quantity.source)}"
        if quantity.step:
            yield "    step: true"


def _spelled(cls: type[Kernel], quantity: Quantity[Any], reasons: dict[str, str]) -> str:
    try:
        return spelled(formula.of(quantity), cls)
    except (UnreachedError, NoSourceError) as error:
        reasons[quantity.key] = str(error)
        return ""


def _verdict(cls: type[Kernel]) -> Iterator[str]:
    if VERDICT not in cls.quantities:
        return
    expression = formula.of(cls.quantities[VERDICT])
    conditions = {"upstream": expression}
    if expression.function is terms.all_of:
        conditions = expression.named
    yield from ("", "supported:")
    for name, condition in conditions.items():
        yield f"  {name}: {_formula(spelled(condition, cls))}"


# The block, as far as its methods are formulas


def _block(cls: type[Kernel], found: Traces) -> Iterator[str]:
    def text(value: Any) -> str:
        return _formula(spelled(Expression(tree_of(value), {}), cls))

    launch: list[str] = []
    yield from _shared(cls, found, text)
    if found.tmem is not None:
        allocated, ranges = found.tmem
        yield from ("", "tensor_memory:")
        for name, column, width, *_ in ranges:
            yield f"  {name}: {{columns: {text(width)}, at: {text(column)}}}"
        if allocated is not None:
            yield f"tensor_memory_allocated: {text(allocated)}"
    elif cls.tmem is not Kernel.tmem:
        yield "# tensor_memory: not written out, its method is more than formulas"
    if found.registers is not None and found.registers[1]:
        entry, roles = found.registers
        yield from ("", "roles:")
        for name, first, last, count in roles:
            warps = f"warp: {first}" if first == last else f"warps: {first}-{last}"
            sets = "" if count is None else f", registers: {text(count)}"
            yield f"  {name.replace(' ', '_')}: {{{warps}{sets}}}"
        if isinstance(entry, Bounds):
            bounds = f"[{text(entry.threads)}, {text(entry.blocks)}]"
            launch.append(f"registers: {{launch_bounds: {bounds}}}")
        else:
            yield f"registers_at_entry: {text(entry)}"
    elif cls.registers is not Kernel.registers:
        yield "# roles: not written out, their method is more than formulas"
    blocks = cls.plays.get("blocks_per_sm")
    if blocks:
        launch.append(f"blocks_per_sm: {blocks}")
    if launch:
        yield from ("", "launch:", *(f"  {each}" for each in launch))


def _shared(cls: type[Kernel], found: Traces, text: Any) -> Iterator[str]:
    if found.smem is None:
        if cls.smem is not Kernel.smem:
            yield from ("", "# shared: not written out, its method is more than formulas")
        return
    limit, used, regions = found.smem
    yield from ("", "shared:")
    for name, size, align, stages in regions:
        if name == "mbarriers" and found.barriers:
            yield f"  {name}:"
            yield "    mbarriers:"
            for group, count, arrivals in found.barriers:
                waits = "" if arrivals is None else f", arrivals: {text(arrivals)}"
                yield f"      {group}: {{count: {text(count)}{waits}}}"
            yield f"    align: {text(align)}"
            continue
        each = _each(size, stages)
        several = "" if stages == 1 else f", stages: {text(stages)}"
        aligned = "" if align == 1 else f", align: {text(align)}"
        yield f"  {name}: {{bytes: {text(each)}{several}{aligned}}}"
    yield f"shared_bytes: {text(used)}"
    yield f"shared_limit: {text(limit)}"


def _each(size: Any, stages: Any) -> Any:
    """The bytes of one stage: all of them, without the factor that is the stages."""
    if stages == 1:
        return size
    whole, count = tree_of(size), ast.dump(tree_of(stages))
    if isinstance(whole, ast.BinOp) and isinstance(whole.op, ast.Mult):
        for one, other in ((whole.left, whole.right), (whole.right, whole.left)):
            if ast.dump(one) == count:
                return Traced(other)
    return Traced(ast.BinOp(whole, ast.FloorDiv(), tree_of(stages)))


SKELETON = """\
# A kernel of your own. Derive it as it stands, then make it yours:
#   kcfg derive NAME.kcfg.yaml
defines: NAME
title: A warp-specialised kernel
needs: tcgen05                   # tcgen05, wgmma or mma; left out: any target

inputs:                          # what a spec may say under `shape:`
  BM: {default: 128, unit: rows, doc: Rows of a tile., tunable: true}
  BN: {default: 128, unit: columns, doc: Columns of a tile., tunable: true}
  BK: {default: 64, unit: elements, doc: Depth of a stage., tunable: true}
  dtype: bfloat16                # an element type with its default

values:                          # formulas, each reads what stands above it
  a_bytes: {is: BM * BK * bytes_of(dtype), unit: bytes}
  b_bytes: {is: BN * BK * bytes_of(dtype), unit: bytes}
  stage_bytes:
    is: total(a=a_bytes, b=b_bytes, barriers=2 * 8)
    unit: bytes
    doc: What one more stage costs.
  stages:
    is: least(fit=(target.smem_optin_per_block - 1024) // stage_bytes, enough=8)
    unit: stages
    doc: Tiles in flight.

supported:                       # all of these must hold
  ring_depth: stages >= 2
  columns: BN <= target.tmem_columns

shared:                          # regions in order, each at its own alignment
  a: {bytes: a_bytes, stages: stages, align: 1024, swizzle: 128B, tma: true}
  b: {bytes: b_bytes, stages: stages, align: 1024, swizzle: 128B, tma: true}
  full: {mbarriers: stages, arrivals: 1}
  empty: {mbarriers: stages, arrivals: 1}
  done: {mbarriers: 1, arrivals: 1}
  tmem_pointer: {bytes: 4, align: 4}
shared_bytes: up(end, 16)

tensor_memory:                   # columns, packed in order
  acc: {columns: BN}

roles:                           # warps by what they do
  load: {warp: 0}
  mma: {warp: 1}
  store: {warps: 4-7}

launch:                          # whatever else `kcfg kernels launch` lists
  mma:
    - {kind: f16, M: BM, N: BN, K: BK}
---
kernel: NAME
name: as it stands
expect: {stages: 7, supported: true}
"""
"""A definition to start from; NAME stands for its name."""
