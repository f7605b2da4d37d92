"""The report: everything a derivation found, as the plain data every view shows.

Its shape is kcfg's contract with scripts and other tools; keys are only ever added.
"""

from __future__ import annotations

from typing import Any, NamedTuple

from kcfg.core.kernel import Kernel
from kcfg.core.layout import Barriers, Region, Registers, Smem, Tmem
from kcfg.core.once import once
from kcfg.core.version import VERSION

SCHEMA = 1
"""The version of the report's shape; it changes only when a key changes its meaning."""


class Derived(NamedTuple):
    """A configuration, and the report of it."""

    kernel: Kernel
    report: dict[str, Any]


def report(kernel: Kernel, *, name: str | None = None, source: str = "") -> dict[str, Any]:
    """The whole report of one derivation, ready for JSON; ``source`` says where the spec stood."""
    from kcfg.core.findings import findings

    cls = type(kernel)
    values = kernel.values()
    layout = kernel.layout
    found = findings(kernel)
    return {
        "schema": SCHEMA,
        "kcfg": VERSION,
        "kernel": cls.kernel,
        "release": cls.release,
        "target": kernel.target.name,
        "name": name,
        "source": source,
        "inputs": kernel.asked(),
        "values": values,
        "units": units(cls),
        "smem": _smem(layout.smem),
        "tmem": _tmem(layout.tmem),
        "registers": _registers(layout.registers, kernel.target.warp_size),
        "barriers": _barriers(layout.barriers, kernel.target.mbarrier_bytes),
        "supported": values.get("supported"),
        "findings": [finding.to_json() for finding in found],
    }


def lookup(kernel: Kernel, name: str, *, label: str | None = None, source: str = "") -> Any:
    """One entry of the report: a value, an input, or a dotted path such as ``smem.free``.

    ``label`` and ``source`` are the report's ``name`` and ``source``. KeyError where it has
    nothing under that name.
    """
    try:
        return kernel.read(name)
    except KeyError:
        pass
    asked = kernel.asked()
    if name in asked:
        return asked[name]
    entry: Any = report(kernel, name=label, source=source)
    for step in name.split("."):
        if not isinstance(entry, dict):
            raise KeyError(name)
        entry = entry[step]
    return entry


@once
def units(cls: type[Kernel]) -> dict[str, str]:
    """The unit of every value a report of this kernel has."""
    return {key: member.unit for key, member in cls.declared()}


def _smem(smem: Smem | None) -> dict[str, Any] | None:
    if smem is None:
        return None
    return {
        "struct": smem.struct,
        "limit": smem.limit,
        "used": smem.used,
        "free": smem.limit - smem.used,
        "regions": [_region(region) for region in smem.regions],
        "unplaced": smem.unplaced,
    }


def _region(region: Region) -> dict[str, Any]:
    found = region._asdict()
    found["padding"] = region.padding
    return found


def _tmem(tmem: Tmem | None) -> dict[str, Any] | None:
    if tmem is None:
        return None
    return {
        "columns": tmem.columns,
        "used": tmem.used,
        "allocated": tmem.allocated,
        "regions": [region._asdict() for region in tmem.regions],
        "unplaced": tmem.unplaced,
    }


def _registers(registers: Registers | None, warp_size: int) -> dict[str, Any] | None:
    if registers is None:
        return None
    asked = registers.asked(warp_size)
    return {
        "threads": registers.threads,
        "entry": registers.entry,
        "roles": [
            {"role": role, "warps": [first, last], "cap": cap}
            for role, first, last, cap in registers.roles
        ],
        "pool": {
            "granted": registers.granted,
            "asked": asked,
            "free": registers.granted - asked,
        },
    }


def _barriers(groups: tuple[Barriers, ...] | None, size: int) -> dict[str, Any] | None:
    if groups is None:
        return None
    count = sum([group.number for group in groups])
    return {
        "count": count,
        "bytes": count * size,
        "groups": [
            {"name": name, "first": first, "count": number, "arrivals": arrivals}
            for name, first, number, arrivals in groups
        ],
    }
