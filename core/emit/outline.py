"""From a derived kernel to what is emitted of it."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator

from kcfg.core.emit.conditions import Number
from kcfg.core.emit.identifiers import Draft, Limits, Names, identifier
from kcfg.core.emit.identities import identities
from kcfg.core.emit.instructions import instructions
from kcfg.core.emit.launching import launching
from kcfg.core.emit.mbarriers import barriers
from kcfg.core.emit.memory import smem
from kcfg.core.emit.model import Check, Configuration
from kcfg.core.emit.parts import Parts
from kcfg.core.emit.pipelines import pipelines
from kcfg.core.emit.registers import registers
from kcfg.core.emit.seals import seals
from kcfg.core.emit.tensor import tmem
from kcfg.core.emit.twins import twins
from kcfg.core.engine.quantity import Input
from kcfg.core.findings import findings
from kcfg.core.kernel import Kernel
from kcfg.core.version import VERSION

DIGITS = 16
"""Digits of a digest: enough that no two configurations of a project share one."""


def outline(kernel: Kernel, label: str | None, reserved: Collection[str]) -> Configuration:
    """Everything that is emitted of a kernel, under names that avoid the ``reserved`` ones."""
    cls = type(kernel)
    drafts = _drafts(kernel, Names(reserved))
    named = label if label and any(c.isascii() and c.isalnum() for c in label) else cls.kernel
    said: dict[str, list[str]] = {"error": [], "warning": [], "info": []}
    for each in findings(kernel):
        said[each.severity].append(f"{each.rule}: {each.message}")
    sections = tuple(section for section in map(Draft.section, drafts) if section.constants)
    return Configuration(
        version=VERSION,
        name=identifier(named, reserved),
        label=label or "",
        kernel=cls.kernel,
        release=cls.release,
        target=f"{kernel.target.name} ({kernel.target.arch})",
        struct=cls.struct,
        digest=digest(kernel),
        sections=sections,
        checks=tuple(dict.fromkeys((*_checks(drafts), *seals(sections)))),
        errors=tuple(said["error"]),
        warnings=tuple(said["warning"]),
    )


def _checks(drafts: Iterable[Draft]) -> Iterator[Check]:
    for draft in drafts:
        yield from draft.checks


def digest(kernel: Kernel) -> str:
    """The beginning of the SHA-256 of a kernel's name, release, target and inputs."""
    import json
    from hashlib import sha256

    cls = type(kernel)
    given = [cls.kernel, cls.release, kernel.target.name, kernel.target.arch, kernel.asked()]
    return sha256(json.dumps(given, sort_keys=True).encode()).hexdigest()[:DIGITS]


def _drafts(kernel: Kernel, names: Names) -> list[Draft]:
    """Every section, those of what the kernel does not model left out, each held to the others."""
    known, given = dict[tuple[str, str], Number](), dict[tuple[str, str], Number]()
    drafts = [*_values(kernel, names, known), _inputs(kernel, names, given)]
    own, limits, parts = drafts[0], Limits(names, kernel.target), Parts()
    drafts += _sections(kernel, names, limits, parts)
    own.checks += twins(kernel, known, given, parts)
    own.checks += identities(kernel, known, limits)
    return [*drafts, limits]


def _sections(kernel: Kernel, names: Names, limits: Limits, parts: Parts) -> Iterator[Draft]:
    """The parts of the block, in the order in which later ones are held against earlier ones."""
    block = kernel.block
    if block.smem is not None and (block.smem.regions or block.dynamic_bytes is not None):
        why = f" It has no layout: {block.smem.unplaced}." if block.smem.unplaced else ""
        by = f", laid out by {block.smem.struct}" if block.smem.struct else ""
        draft = Draft(names, "smem", f"Shared memory{by}.{why}")
        smem(block.smem, draft, limits, parts)
        yield draft
    if block.tensor is not None:
        draft = Draft(names, "tmem", "Tensor memory.")
        tmem(block.tensor, draft, limits, parts)
        yield draft
    if block.mbarriers_counted:
        draft = Draft(names, "barriers", "mbarriers, in the order of memory.")
        barriers(block, draft, limits, parts)
        yield draft
    if block.pipelines:
        draft = Draft(names, "pipelines", "Rings of stages.")
        pipelines(block, draft, parts)
        yield draft
    if block.mma:
        draft = Draft(names, "mma", "Matrix instructions.")
        instructions(block, draft, parts)
        yield draft
    if block.registers is not None and block.pool is not None:
        doc = "Registers, at launch and as setmaxnreg deals them out."
        draft = Draft(names, "registers", doc)
        registers(block, draft, limits, parts)
        yield draft
    draft = Draft(names, "launch", "What the kernel is launched with.")
    launching(block, draft, limits, parts)
    yield draft


def _values(kernel: Kernel, names: Names, known: dict[tuple[str, str], Number]) -> list[Draft]:
    """The struct's own members, and apart from them what kcfg computes on the way to them."""
    struct = type(kernel).struct
    own = Draft(names, "", f"{struct}: its members.")
    steps = Draft(names, "", f"kcfg's steps on the way, which are no members of {struct}.")
    values = kernel.values()
    for key, member in type(kernel).declared():
        draft = steps if getattr(member, "step", False) else own
        number = draft.add(key, values[key], member.unit, member.doc)
        if type(number.value) is int:
            known["input" if isinstance(member, Input) else "quantity", key] = number
    return [own, steps]


def _inputs(kernel: Kernel, names: Names, given: dict[tuple[str, str], Number]) -> Draft:
    draft = Draft(names, "inputs", "What the configuration was derived from.")
    asked = kernel.asked()
    for member in kernel.inputs.values():
        number = draft.add(member.key, asked[member.key], member.unit, member.doc)
        if type(number.value) is int:
            given["input", member.key] = number
    return draft
