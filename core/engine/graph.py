"""What rests on what in a struct, parts included: the formulas' reads, followed both ways.

Names are those the code has below ``self``: ``BN``, ``fa4_config.BN``. A formula's source
is parsed when it is asked for, since most questions are about a few of some hundreds.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from functools import partial
from types import CodeType, FunctionType
from typing import Any

from kcfg.core.engine import formula
from kcfg.core.engine.formula import Read
from kcfg.core.engine.struct import Struct
from kcfg.core.once import once


class Graph:
    """Every quantity of a struct and of its parts, and every input given to a part.

    ``reads`` says what each reads, `users` who reads each. A part that a struct builds
    of its own kind is not unfolded: whoever reads it reads what it was built from.
    """

    def __init__(self, struct: type[Struct]) -> None:
        self.struct = struct
        self._nodes = {node.name: node for node in _nodes(struct, "", ())}
        self.reads: Mapping[str, tuple[Read, ...]] = _Reads(self._nodes)
        self._users: dict[str, tuple[str, ...]] = {}
        self._behind: dict[str, set[str]] = {}

    def users(self, name: str) -> tuple[str, ...]:
        """Who reads a name, in the order declared."""
        if name not in self._users:
            word = name.rpartition(".")[2]
            self._users[name] = tuple(
                user
                for user, node in self._nodes.items()
                if word in node.words and any(read.name == name for read in self.reads[user])
            )
        return self._users[name]

    def rests_on(self, *names: str) -> tuple[str, ...]:
        """The struct's own inputs, by attribute, that the named values depend on in the end."""
        seen = set[str]().union(*map(self.behind, names))
        return tuple(name for name in self.struct.inputs if name in seen)

    def behind(self, name: str) -> set[str]:
        """A name, and every one that it depends on in the end."""
        if name not in self._behind:
            seen, waiting = {name}, [name]
            while waiting:
                for read in self.reads_of(waiting.pop()):
                    if read.name in self._behind:
                        seen |= self._behind[read.name]
                    elif read.name not in seen:
                        seen.add(read.name)
                        waiting.append(read.name)
            self._behind[name] = seen
        return self._behind[name]

    def reads_of(self, name: str) -> tuple[Read, ...]:
        """What a name reads; for a member of a part that is not unfolded, what the part reads."""
        while name and name not in self.reads:
            name = name.rpartition(".")[0]
        return self.reads.get(name, ())


@once
def graph(struct: type[Struct]) -> Graph:
    """The graph of a struct; it raises `NoSourceError` where the source of a formula is missing."""
    return Graph(struct)


class _Node:
    """One name, how to find what its code reads, and the words of that code."""

    def __init__(
        self, name: str, prefix: str, function: Any, reads: Callable[[], tuple[Read, ...]]
    ) -> None:
        self.name, self.prefix, self.find = name, prefix, reads
        self.words = _words(function)


class _Reads(Mapping[str, tuple[Read, ...]]):
    """What every name reads, found when it is asked for."""

    def __init__(self, nodes: dict[str, _Node]) -> None:
        self._nodes, self._found = nodes, dict[str, tuple[Read, ...]]()

    def __getitem__(self, name: str) -> tuple[Read, ...]:
        if name not in self._found:
            node = self._nodes[name]
            self._found[name] = within(node.prefix, node.find())
        return self._found[name]

    def __contains__(self, name: object) -> bool:
        return name in self._nodes

    def __iter__(self) -> Iterator[str]:
        return iter(self._nodes)

    def __len__(self) -> int:
        return len(self._nodes)


def _nodes(struct: type[Struct], prefix: str, outer: tuple[type[Struct], ...]) -> Iterator[_Node]:
    for name, member in struct.quantities.items():
        reads = partial(formula.dependencies, struct, member)
        yield _Node(prefix + name, prefix, member.formula, reads)
    for name, part in struct.parts.items():
        yield _Node(prefix + name, prefix, part.build, partial(_of_part, struct, name))
        inner = formula.struct_of(struct, name)
        for key in inner.inputs if inner else ():
            given = partial(_of_part, struct, name, key)
            yield _Node(f"{prefix}{name}.{key}", prefix, part.build, given)
        if inner is not None and inner not in (struct, *outer):
            yield from _nodes(inner, f"{prefix}{name}.", (struct, *outer))


def _of_part(struct: type[Struct], name: str, key: str = "") -> tuple[Read, ...]:
    """What the code that builds a part reads, altogether or for one of the part's inputs.

    Whoever reads another part as a whole reads what that is built from.
    """
    build = formula.of_part(struct.parts[name])
    if key and not isinstance(build.function, FunctionType):  # which may use whatever it is given
        if key not in build.named:
            return ()
        build = build.named[key]
    found: dict[str, Read] = {}
    for read in build.reads(struct):
        inner = _of_part(struct, read.name) if read.name in struct.parts else (read,)
        found |= {each.name: each for each in inner}
    return tuple(found.values())


@once
def _words(function: Any) -> frozenset[str]:
    """Every name in a function's code."""
    code: CodeType = function.__code__
    inner = (constant for constant in code.co_consts if isinstance(constant, CodeType))
    return frozenset(code.co_names).union(*(block.co_names for block in inner))


def within(prefix: str, reads: tuple[Read, ...]) -> tuple[Read, ...]:
    """Reads of a part's struct, by the names they have from outside."""
    if not prefix:
        return reads
    return tuple(
        read
        if read.kind in ("target", "constant")
        else read._replace(name=prefix + read.name, key=prefix + read.key)
        for read in reads
    )
