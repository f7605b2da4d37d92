"""The report: everything a derivation found, as the plain data every view shows.

Its shape is kcfg's contract with scripts and other tools; keys are only ever added.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any, NamedTuple

from kcfg.core.block.block import Block
from kcfg.core.block.derived import played
from kcfg.core.block.parts import Region
from kcfg.core.kernel import Kernel
from kcfg.core.once import once
from kcfg.core.version import VERSION

if TYPE_CHECKING:
    from kcfg.core.spec import Spec

SCHEMA = 1
"""The version of the report's shape; it changes only when a key changes its meaning."""


class Derived(NamedTuple):
    """A configuration, and the report of it."""

    kernel: Kernel
    report: dict[str, Any]


def report_of(spec: Spec, kernel: Kernel) -> dict[str, Any]:
    """The report of what a spec derives."""
    return report(kernel, name=spec.name, source=spec.source, release_given=spec.release_given)


def report(
    kernel: Kernel, *, name: str | None = None, source: str = "", release_given: bool = True
) -> dict[str, Any]:
    """The whole report of one derivation, ready for JSON; ``source`` says where the spec stood.

    A release that is not given is the newest.
    """
    from kcfg.core.findings import findings

    cls = type(kernel)
    values = kernel.values()
    block = kernel.block
    found = findings(kernel)
    return {
        "schema": SCHEMA,
        "kcfg": VERSION,
        "kernel": cls.kernel,
        "release": cls.release,
        "release_given": release_given,
        "digest": cls.digest,
        "target": kernel.target.name,
        "name": name,
        "source": source,
        "inputs": kernel.asked(),
        "values": values,
        "units": units_of(kernel),
        "smem": _smem(block),
        "tmem": _tmem(block),
        "registers": registers(block),
        "barriers": _barriers(block),
        "supported": values.get("supported"),
        "findings": [finding.to_json() for finding in found],
    }


def lookup(spec: Spec, kernel: Kernel, name: str) -> Any:
    """One entry of the report: a value, an input, or a dotted path such as ``smem.free``.

    KeyError where it has nothing under that name.
    """
    try:
        return kernel.read(name)
    except KeyError:
        pass
    asked = kernel.asked()
    if name in asked:
        return asked[name]
    entry: Any = report_of(spec, kernel)
    for step in name.split("."):
        if not isinstance(entry, dict):
            raise KeyError(name)
        entry = entry[step]
    return entry


def paths(kernel: Kernel) -> list[str]:
    """Every path into the report that `lookup` takes, beside the names of values and inputs."""
    found = list(_paths(report(kernel), ""))
    if not kernel.block.derived:
        from kcfg.core.launch.paths import every

        found += every(kernel.block.plain())
    return found


def _paths(entry: dict[str, Any], start: str) -> Iterator[str]:
    for key, value in entry.items():
        if key not in ("values", "inputs", "units"):
            yield f"{start}{key}"
            if isinstance(value, dict):
                yield from _paths(value, f"{start}{key}.")


@once
def units(cls: type[Kernel]) -> dict[str, str]:
    """The unit of every value a report of this kernel has."""
    return {key: member.unit for key, member in cls.declared()}


def units_of(kernel: Kernel) -> dict[str, str]:
    """The unit of every value of a configuration."""
    return units(type(kernel)) | {each.path: each.unit for each in kernel.figures()}


def _smem(block: Block) -> dict[str, Any] | None:
    smem = block.smem
    if smem is None:
        return None
    static = block.static_bytes
    return {
        "struct": smem.struct,
        "limit": smem.limit,
        "static": static,
        "used": smem.used,
        "launch": block.dynamic_bytes,
        "free": smem.limit - smem.used - (static or 0),
        "regions": [_region(region) for region in smem.regions],
        "unplaced": smem.unplaced and str(smem.unplaced),
    }


def _region(region: Region) -> dict[str, Any]:
    return {
        "name": region.name,
        "offset": region.offset,
        "bytes": region.bytes,
        "align": region.align or 1,
        "stages": region.stages or 1,
        "stride": region.pitch,
        "alias_of": region.alias_of,
        "padding": region.padding,
    }


def _tmem(block: Block) -> dict[str, Any] | None:
    tensor = block.tensor
    if tensor is None:
        return None
    return {
        "columns": tensor.columns,
        "used": tensor.used,
        "allocated": tensor.allocated,
        "regions": [
            {
                "name": each.name,
                "column": each.column,
                "columns": each.columns,
                "lane": each.lane or 0,
                "lanes": each.lanes or block.target.tmem_lanes,
                "alias_of": each.alias_of,
            }
            for each in tensor.regions
        ],
        "unplaced": tensor.unplaced and str(tensor.unplaced),
    }


def registers(block: Block) -> dict[str, Any] | None:
    """Registers at launch, who sets other counts, and what these come to; None where unknown."""
    threads, granted, asked = block.block_threads, block.pool, block.asked
    own = played(block.kernel, "registers.entry")
    if not threads or granted is None or block.entry is None:
        return None
    return {
        "threads": threads,
        # A struct's own figure may be the one that is allocated, where no thread can name it.
        "entry": block.entry if own is None else own,
        "roles": [
            {"role": share.name, "warps": [share.first, share.last], "cap": share.cap}
            for share in block.shares
        ],
        "pool": {
            "granted": granted,
            "asked": asked,
            "free": None if asked is None else granted - asked,
            "sub_partitions": [
                {"granted": pool.granted, "asked": pool.asked, "free": pool.free}
                for pool in block.pools
            ],
        },
    }


def _barriers(block: Block) -> dict[str, Any] | None:
    if not block.mbarriers_counted:
        return None
    first, groups = 0, []
    for index, each in enumerate(block.mbarriers):
        groups.append(
            {
                "name": each.name or f"group {index}",
                "first": None if each.apart else first,
                "count": each.count or 0,
                "arrivals": each.arrivals,
            }
        )
        first += each.count or 0
    return {"count": first, "bytes": first * block.target.mbarrier_bytes, "groups": groups}
