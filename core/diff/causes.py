"""Because of what a value changed: the fewest changes that, set back, give the old value.

The graph says which changes can matter; deriving with them set back says which do.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import cached_property

from kcfg.core.diff.changes import Change
from kcfg.core.diff.mixture import Mixture
from kcfg.core.engine.graph import Graph, graph
from kcfg.core.engine.struct import Struct
from kcfg.core.kernel import Kernel
from kcfg.core.same import same

MOST_DERIVATIONS = 4000
"""Configurations that are derived for one comparison. Past that a cause may name more
changes than it takes; set back together they still give the old value."""

EVERYTHING = ""
"""In place of a name: whatever was given."""

Because = tuple[tuple[Change, ...], ...]
"""Sets of changes; each of them, set back alone, gives the old value."""


class Causes:
    """The causes of one comparison; ``changes`` is everything that was given differently."""

    def __init__(self, old: Kernel, new: Kernel, changes: Sequence[Change]) -> None:
        self.old, self.new, self.changes = old, new, tuple(changes)
        self.mixture = Mixture(old, new)
        self._place = {change.attribute: place for place, change in enumerate(self.changes)}

    def of(self, key: str) -> Because:
        """Why the value under a key, which both kernels have, is not what it was.

        Every single change that does it alone, or else one set of several none of which
        can be left out. None of a value that no class declares: no formula says what it rests on.
        """
        if any(key not in names for _, names in self._names):
            return ()
        candidates = self._candidates(key)
        alone = tuple((change,) for change in candidates if self._restores(key, (change,)))
        if alone:
            return alone
        if not self._restores(key, candidates):
            candidates = self.changes  # together they are the old configuration itself
        return (self._fewest(key, candidates),)

    def _restores(self, key: str, back: Sequence[Change]) -> bool:
        return same(self.mixture.read(key, back), self.old.read(key))

    def _fewest(self, key: str, candidates: Sequence[Change]) -> tuple[Change, ...]:
        """Candidates without those that can stay as they are, the farthest tried first.

        Leaving one out may let another go that could not before, so this goes on until
        none can be left out.
        """
        kept = tuple(candidates)
        tried: Sequence[Change] = ()
        while tried != kept:
            tried = kept
            for change in reversed(tried):
                if self.mixture.derivations >= MOST_DERIVATIONS:
                    return self._ordered(kept)
                fewer = tuple(other for other in kept if other is not change)
                if self._restores(key, fewer):
                    kept = fewer
        return self._ordered(kept)

    def _ordered(self, changes: Sequence[Change]) -> tuple[Change, ...]:
        return tuple(sorted(changes, key=lambda change: self._place[change.attribute]))

    def _candidates(self, key: str) -> tuple[Change, ...]:
        """The changes that a value rests on in either struct, the nearest first."""
        reached: dict[str, None] = {}
        for cls, names in self._names:
            reached.update(dict.fromkeys(_upstream(graph(cls), names[key])))
        if EVERYTHING in reached:
            return self.changes
        changes = {change.attribute: change for change in self.changes}
        if "target" in reached:  # read as a whole
            reached.update(dict.fromkeys(n for n in changes if n.startswith("target.")))
        return tuple(changes[name] for name in reached if name in changes)

    @cached_property
    def _names(self) -> tuple[tuple[type[Kernel], dict[str, str]], ...]:
        classes = dict.fromkeys((type(self.new), type(self.old)))
        return tuple((cls, dict(attributes(cls))) for cls in classes)


def attributes(struct: type[Struct]) -> Iterator[tuple[str, str]]:
    """Every key of a struct's values with the name the graph has for it."""
    for name, member in struct.own.items():
        yield member.key, name
    for name, part in struct.parts.items():
        if part.shown:
            for key, inner in attributes(getattr(struct, part.shown)):
                yield f"{name}.{key}", f"{name}.{inner}"


def _upstream(found: Graph, name: str) -> Iterator[str]:
    """A name and all it rests on, the nearest first.

    What lies in a part rests on how the part is built; a part that is not unfolded
    computes with the struct's own formulas once more, so it may rest on `EVERYTHING`.
    """
    parts = found.struct.parts
    seen = {name}
    waiting = [name]
    for each in waiting:
        yield each
        if each.partition(".")[0] in parts:
            yield from _owners(each)
            if each not in found.reads:
                yield EVERYTHING
        reads = {read.name for read in found.reads_of(each)} - seen
        waiting.extend(sorted(reads))
        seen |= reads


def _owners(name: str) -> Iterator[str]:
    """The parts that a name lies in, the innermost first."""
    while "." in name:
        name = name.rpartition(".")[0]
        yield name
