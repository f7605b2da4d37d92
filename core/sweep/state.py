"""How far a sweep has got, put down beside its rows and read back by whoever continues it.

What is read back is believed in nothing that can be checked: a state that could not have been
put down by this very sweep is refused, since rows would be missing or there twice.
"""

from __future__ import annotations

from typing import Any, NamedTuple

from kcfg.core.sweep.query import Query, Tally
from kcfg.core.sweep.reasons import leaves, tree


class State(NamedTuple):
    """How far a sweep has got: the next block, the bytes written and their checksum, counts,
    points kept.
    """

    next: int = 0
    bytes: int = 0
    crc32: int = 0
    tally: Tally = Tally()
    kept: tuple[int, ...] = ()

    def to_json(self) -> dict[str, Any]:
        """The state as plain data."""
        return {**self._asdict(), "tally": self.tally._asdict()}


def restored(said: Any, query: Query) -> State:
    """The state of a sweep from plain data; raises ValueError where it cannot be one of it."""
    fields = _fields(said, "the state", State._fields)
    grid = query.grid
    following = _number(fields["next"], "next", grid.blocks)
    done = grid.block(following).first if following < grid.blocks else grid.size
    return State(
        following,
        _number(fields["bytes"], "bytes", 1 << 63),
        _number(fields["crc32"], "crc32", 1 << 32),
        _tally(fields["tally"], query, done),
        _kept(fields["kept"], query, done),
    )


def _tally(said: Any, query: Query, done: int) -> Tally:
    """Counts of the ``done`` points."""
    fields = _fields(said, "tally", Tally._fields)
    points, supported, kept, singly = (
        _number(fields[name], f"tally.{name}", done) for name in Tally._fields[:4]
    )
    if points != done:
        raise ValueError(f"tally.points is {points}, where so many blocks have {done}")
    root = tree(query.cls)
    conditions = len(leaves(root)) if root else 0
    refused = [
        (
            _number(place, "a place in tally.refused", conditions - 1),
            _number(count, "a count in tally.refused", done - supported),
        )
        for place, count in _pairs(fields["refused"], "tally.refused")
    ]
    places = [place for place, _ in refused]
    if places != sorted(set(places)):
        raise ValueError("tally.refused counts a condition twice")
    faulty, why = _number(fields["faulty"], "tally.faulty", done - supported), fields["why"]
    if not isinstance(why, str):
        raise ValueError("tally.why must be a text")
    if root and supported + sum(count for _, count in refused) + faulty != done:
        raise ValueError("tally.supported and tally.refused do not add up to tally.points")
    every = supported if query.supported else done - faulty
    if kept > every or (not query.where and kept != every):
        raise ValueError(f"tally.kept is {kept}, where {every} points could be kept")
    ruled = [
        (_text(rule, "a rule in tally.ruled"), _number(count, "a count in tally.ruled", done))
        for rule, count in _pairs(fields["ruled"], "tally.ruled")
    ]
    return Tally(points, supported, kept, singly, tuple(refused), faulty, why, tuple(ruled))


def _kept(said: Any, query: Query, done: int) -> tuple[int, ...]:
    """Points among the ``done`` ones, each once."""
    most = done if query.keep else 0
    if query.keep and query.keep.most:
        most = min(most, query.keep.most)
    points = _list(said, "kept")
    kept = tuple(_number(point, "a point in kept", done - 1) for point in points)
    if len(kept) > most or len(set(kept)) < len(kept):
        raise ValueError("kept holds more points than there are")
    return kept


def _fields(said: Any, name: str, keys: tuple[str, ...]) -> dict[str, Any]:
    if not isinstance(said, dict) or said.keys() != set(keys):
        raise ValueError(f"{name} must have {', '.join(keys)} and nothing else")
    return said


def _list(said: Any, name: str) -> list[Any]:
    if not isinstance(said, list):
        raise ValueError(f"{name} must be a list")
    return said


def _pairs(said: Any, name: str) -> list[Any]:
    pairs = _list(said, name)
    if not all(isinstance(pair, list) and len(pair) == 2 for pair in pairs):
        raise ValueError(f"{name} must be a list of pairs")
    return pairs


def _text(said: Any, name: str) -> str:
    if not isinstance(said, str):
        raise ValueError(f"{name} must be a text")
    return said


def _number(said: Any, name: str, most: int) -> int:
    if type(said) is not int or not 0 <= said <= most:
        raise ValueError(f"{name} must be a whole number from 0 to {most}")
    return said
