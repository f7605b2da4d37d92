"""Buffers that share the bytes or columns of another one, by its name, and where buffers start."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import Protocol

from kcfg.core.engine.arith import up
from kcfg.core.figures import offered


class Named(Protocol):
    """A buffer: its name, and that of the one whose place it takes."""

    @property
    def name(self) -> str | None: ...

    @property
    def alias_of(self) -> str | None: ...


def shared(buffers: Sequence[Named]) -> bool:
    """Whether any buffer is to share the place of another."""
    return any(buffer.alias_of is not None for buffer in buffers)


def roots(buffers: Sequence[Named]) -> list[int]:
    """For every buffer the index of the one whose place it takes in the end; its own for none.

    A name that no other buffer has is no alias, and of buffers that name each other in a
    circle the first counts.
    """
    if not shared(buffers):
        return list(range(len(buffers)))
    index_of: dict[str | None, int] = {}
    for index, buffer in enumerate(buffers):
        index_of.setdefault(buffer.name, index)
    found = [UNKNOWN] * len(buffers)
    for index in range(len(buffers)):
        seen: dict[int, None] = {}
        at = index
        while found[at] == UNKNOWN and at not in seen:
            seen[at] = None
            name = buffers[at].alias_of
            at = at if name is None else index_of.get(name, at)
        root = found[at]
        if root == UNKNOWN:  # the chain ends here, or comes back to here
            order = list(seen)
            root = min(order[order.index(at) :])
        for each in seen:
            found[each] = root
    return found


def apart(buffers: Sequence[Named], lengths: Mapping[int, int]) -> dict[int, int]:
    """Lengths by the index of their buffers; of those that share bytes the longest alone."""
    owner, longest = roots(buffers), dict[int, int]()
    for index, length in lengths.items():
        best = longest.setdefault(owner[index], index)
        if length > lengths[best]:
            longest[owner[index]] = index
    return {index: lengths[index] for index in lengths if longest[owner[index]] == index}


UNKNOWN = -1
"""In place of an index that is yet to be found."""


def starts(
    buffers: Sequence[Named],
    given: Sequence[int | None],
    sizes: Sequence[int],
    aligns: Sequence[int],
) -> list[int]:
    """Where every buffer starts: as given, else by what it is.

    One that shares the place of another starts where that does, and moves none behind it; any
    other follows the one before it, as aligned as it asks for.
    """
    found, ends = list(given), roots(buffers)
    index_of: dict[str | None, int] = {}
    end = 0
    for index, buffer in enumerate(buffers):
        index_of.setdefault(buffer.name, index)
        if ends[index] == index:
            start = found[index]
            found[index] = start = up(end, aligns[index]) if start is None else start
            end = start + sizes[index]
    for index in range(len(buffers)):
        passed: list[int] = []
        at = index
        while found[at] is None:
            passed.append(at)
            at = index_of[buffers[at].alias_of]
        for each in passed:
            found[each] = found[at]
    return [0 if start is None else start for start in found]


def wrong(buffers: Sequence[Named], kind: str) -> Iterator[tuple[int, str, str]]:
    """Every alias that leads nowhere: the index of its buffer, what is wrong, and what would do.

    ``kind`` is what the buffers are, such as "region".
    """
    if not shared(buffers):
        return
    names = Counter(buffer.name for buffer in buffers if buffer.name is not None)
    known, ends = sorted(names), roots(buffers)
    for index, buffer in enumerate(buffers):
        name = buffer.alias_of
        if name is None:
            continue
        if name not in names:
            yield index, f"{name}, which is no {kind}", _others(known, buffer.name)
        elif name == buffer.name:
            yield index, "itself", _others(known, buffer.name)
        elif buffers[ends[index]].alias_of in names:
            yield (
                index,
                f"{name}, and that in the end its own",
                "let one of them have its own place",
            )
        elif names[name] > 1:
            yield index, f"{name}, the name of {names[name]}", f"give each {kind} its own name"


def _others(known: Sequence[str], own: str | None) -> str:
    """What to do where an alias must name another one."""
    others = [name for name in known if name != own]
    return f"name one of {offered(others)}" if others else "leave alias_of out"
