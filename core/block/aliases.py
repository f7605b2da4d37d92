"""Buffers that share the bytes or columns of another one, by its name, and where buffers start."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Protocol

from kcfg.core.engine.arith import up
from kcfg.core.figures import joined


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
    found: list[int] = []
    for index in range(len(buffers)):
        seen = [index]
        while (name := buffers[seen[-1]].alias_of) is not None and name in index_of:
            after = index_of[name]
            if after in seen:
                seen.append(min(seen[seen.index(after) :]))
                break
            seen.append(after)
        found.append(seen[-1])
    return found


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
    known = []
    for start, buffer in zip(found, buffers, strict=True):
        while start is None:
            over = index_of[buffer.alias_of]
            start, buffer = found[over], buffers[over]
        known.append(start)
    return known


def wrong(buffers: Sequence[Named], kind: str) -> Iterator[tuple[int, str, str]]:
    """Every alias that leads nowhere: the index of its buffer, what is wrong, and what would do.

    ``kind`` is what the buffers are, such as "region".
    """
    if not shared(buffers):
        return
    names = [buffer.name for buffer in buffers if buffer.name is not None]
    known, ends = set(names), roots(buffers)
    for index, buffer in enumerate(buffers):
        name = buffer.alias_of
        if name is None:
            continue
        others = sorted(known - {buffer.name})
        fix = f"name one of {joined(others, 'or')}" if others else "leave alias_of out"
        if name not in known:
            yield index, f"{name}, which is no {kind}", fix
        elif name == buffer.name:
            yield index, "itself", fix
        elif buffers[ends[index]].alias_of in known:
            yield (
                index,
                f"{name}, and that in the end its own",
                "let one of them have its own place",
            )
        elif names.count(name) > 1:
            yield (
                index,
                f"{name}, the name of {names.count(name)}",
                f"give each {kind} its own name",
            )
