"""From a derived kernel to what is emitted of it."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator

from kcfg.core.emit import memory
from kcfg.core.emit.identifiers import Draft, Limits, Names, identifier
from kcfg.core.emit.launching import Parts, launching
from kcfg.core.emit.model import Check, Configuration
from kcfg.core.emit.pipelines import pipelines
from kcfg.core.emit.seals import seals
from kcfg.core.findings import findings
from kcfg.core.kernel import Kernel
from kcfg.core.version import VERSION

DIGITS = 16
"""Digits of a digest: enough that no two configurations of a project share one."""


def outline(kernel: Kernel, label: str | None, reserved: Collection[str]) -> Configuration:
    """Everything that is emitted of a kernel, under names that avoid the ``reserved`` ones.

    Raises `ClashError` where two names of the report would be one.
    """
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
    """Every section, those of what the kernel does not model left out."""
    drafts = [*_values(kernel, names), _inputs(kernel, names)]
    limits, parts = Limits(names, kernel.target), Parts()
    block, slots = kernel.block, dict[str, memory.Slots]()

    def draft(name: str, doc: str) -> Draft:
        drafts.append(Draft(names, name, doc))
        return drafts[-1]

    if block.smem is not None:
        why = f" It has no layout: {block.smem.unplaced}." if block.smem.unplaced else ""
        by = f", laid out by {block.smem.struct}" if block.smem.struct else ""
        drawn = draft("smem", f"Shared memory{by}.{why}")
        parts.smem = memory.smem(block.smem, drawn, limits, slots)
    if block.tensor is not None:
        drawn = draft("tmem", "Tensor memory.")
        parts.tmem = memory.tmem(block.tensor, kernel.target, drawn, limits)
    if block.mbarriers_counted:
        memory.barriers(block.mbarriers, draft("barriers", "mbarriers, in the order of memory."))
    if any(line.name is not None for line in block.pipelines):
        pipelines(block, draft("pipelines", "Rings of stages."), slots)
    if block.registers is not None and block.pool is not None:
        doc = "Registers, at launch and as setmaxnreg deals them out."
        parts.entry = memory.registers(block, draft("registers", doc), limits)
    launching(block, draft("launch", "What the kernel is launched with."), limits, parts)
    return [*drafts, limits]


def _values(kernel: Kernel, names: Names) -> list[Draft]:
    """The struct's own members, and apart from them what kcfg computes on the way to them."""
    struct = type(kernel).struct
    own = Draft(names, "", f"{struct}: its members.")
    steps = Draft(names, "", f"kcfg's steps on the way, which are no members of {struct}.")
    known = kernel.values()
    for key, member in type(kernel).declared():
        draft = steps if getattr(member, "step", False) else own
        draft.add(key, known[key], member.unit, member.doc)
    return [own, steps]


def _inputs(kernel: Kernel, names: Names) -> Draft:
    asked = Draft(names, "inputs", "What the configuration was derived from.")
    given = kernel.asked()
    for member in kernel.inputs.values():
        asked.add(member.key, given[member.key], member.unit, member.doc)
    return asked
