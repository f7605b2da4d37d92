"""What moved in a block: shared memory, tensor memory, mbarriers and roles of two reports."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Literal, NamedTuple

Space = Literal["smem", "tmem", "barriers", "registers"]

SPACES: tuple[tuple[Space, str, str, tuple[str, ...]], ...] = (
    ("smem", "regions", "name", ("offset", "bytes", "stages", "alias_of")),
    ("tmem", "regions", "name", ("column", "columns", "lane", "lanes", "alias_of")),
    ("barriers", "groups", "name", ("first", "count", "arrivals")),
    ("registers", "roles", "role", ("warps", "cap")),
)
"""Where a report lists what sits somewhere: the list, what names an entry, what can change."""

FIGURES = (
    ("threads", "threads", "registers.threads"),
    ("shared memory", "bytes", "smem.used"),
    ("tensor memory", "columns", "tmem.used"),
    ("tensor memory allocated", "columns", "tmem.allocated"),
    ("registers at launch", "registers", "registers.entry"),
    ("registers in all", "registers", "registers.pool.granted"),
    ("mbarriers", "barriers", "barriers.count"),
)
"""What any two launches can be compared by: name, unit and path in the report."""

Entry = dict[str, Any]


class Move(NamedTuple):
    """One entry of a space that is not where, or not as large as, it was; None: not there."""

    space: Space
    name: str
    old: Entry | None
    new: Entry | None


def between(old: dict[str, Any], new: dict[str, Any]) -> Iterator[Move]:
    """Everything that moved from one report to the other, space by space; padding left out."""
    for space, where, key, fields in SPACES:
        before, after = (_entries(report, space, where, key, fields) for report in (old, new))
        for name in dict.fromkeys((*after, *before)):
            one, two = before.get(name), after.get(name)
            if one != two:
                yield Move(space, name[0], one, two)


def figure(report: dict[str, Any], path: str) -> Any:
    """What a report has under a path, or None."""
    entry: Any = report
    for step in path.split("."):
        entry = entry.get(step) if isinstance(entry, dict) else None
    return entry


def _entries(
    report: dict[str, Any], space: Space, where: str, key: str, fields: tuple[str, ...]
) -> dict[tuple[str, int], Entry]:
    """The entries of a space by name; one of a name that occurs again by its number as well."""
    found: dict[tuple[str, int], Entry] = {}
    for entry in figure(report, f"{space}.{where}") or ():
        if entry.get("padding"):
            continue
        number = sum(name == entry[key] for name, _ in found)
        found[entry[key], number] = {field: entry.get(field) for field in fields}
    return found
