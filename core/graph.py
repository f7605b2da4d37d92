"""What rests on what in a struct, parts included: the formulas' reads, followed both ways.

Names are those the code has below ``self``: ``BN``, ``fa4_config.BN``.
"""

from __future__ import annotations

from collections.abc import Iterator
from types import FunctionType

from kcfg.core import formula
from kcfg.core.formula import Read
from kcfg.core.once import once
from kcfg.core.quantity import Struct


class Graph:
    """Every quantity of a struct and of its parts, and every input given to a part.

    ``reads`` says what each reads, ``users`` who reads each. A part that a struct builds
    of its own kind is not unfolded: whoever reads it reads what it was built from.
    """

    def __init__(self, struct: type[Struct]) -> None:
        self.struct = struct
        self.reads: dict[str, tuple[Read, ...]] = dict(_nodes(struct, "", ()))
        self.users: dict[str, list[str]] = {}
        for name, reads in self.reads.items():
            for read in reads:
                self.users.setdefault(read.name, []).append(name)

    def rests_on(self, *names: str) -> tuple[str, ...]:
        """The struct's own inputs, by attribute, that the named values depend on in the end."""
        seen, waiting = set(names), list(names)
        while waiting:
            for read in self.reads_of(waiting.pop()):
                if read.name not in seen:
                    seen.add(read.name)
                    waiting.append(read.name)
        return tuple(name for name in self.struct.inputs if name in seen)

    def reads_of(self, name: str) -> tuple[Read, ...]:
        """What a name reads; for a member of a part that is not unfolded, what the part reads."""
        while name and name not in self.reads:
            name = name.rpartition(".")[0]
        return self.reads.get(name, ())


@once
def graph(struct: type[Struct]) -> Graph:
    """The graph of a struct; raises `NoSourceError` where the source of a formula is missing."""
    return Graph(struct)


def _nodes(
    struct: type[Struct], prefix: str, outer: tuple[type[Struct], ...]
) -> Iterator[tuple[str, tuple[Read, ...]]]:
    for name, member in struct.quantities.items():
        yield prefix + name, within(prefix, formula.dependencies(struct, member))
    for name, part in struct.parts.items():
        build = formula.of_part(part)
        given = build.reads(struct)
        yield prefix + name, within(prefix, given)
        inner = formula.struct_of(struct, name)
        for key in inner.inputs if inner else ():
            if isinstance(build.function, FunctionType):  # it may use whatever it is given
                source = given
            else:
                source = build.named[key].reads(struct) if key in build.named else ()
            yield f"{prefix}{name}.{key}", within(prefix, source)
        if inner is not None and inner not in (struct, *outer):
            yield from _nodes(inner, f"{prefix}{name}.", (struct, *outer))


def within(prefix: str, reads: tuple[Read, ...]) -> tuple[Read, ...]:
    """Reads of a part's struct, by the names they have from outside."""
    return tuple(
        read
        if read.kind in ("target", "constant")
        else read._replace(name=prefix + read.name, key=prefix + read.key)
        for read in reads
    )
