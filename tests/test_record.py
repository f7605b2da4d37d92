"""`kcfg.core.record.NamedTuple` behaves as the one of `typing`, whose name it has."""

from __future__ import annotations

import copy
import pickle
from typing import Any, NamedTuple

import pytest

from kcfg.core import record


class Fast(record.NamedTuple):
    """Two places, one of them with a default."""

    name: str
    number: int = 0

    def twice(self) -> int:
        return 2 * self.number


class Plain(NamedTuple):
    """The same, as typing has it."""

    name: str
    number: int = 0

    def twice(self) -> int:
        return 2 * self.number


class Deeper(Fast):
    """A class below such a class has its places."""


CALLS: list[tuple[tuple[Any, ...], dict[str, Any]]] = [
    (("a",), {}),
    (("a", 2), {}),
    (("a",), {"number": 2}),
    ((), {"name": "a", "number": 2}),
    ((), {"number": 2, "name": "a"}),
]


@pytest.mark.parametrize("kind", [Fast, Deeper])
@pytest.mark.parametrize(("given", "named"), CALLS)
def test_it_is_the_same_tuple(kind: Any, given: tuple[Any, ...], named: dict[str, Any]) -> None:
    fast, plain = kind(*given, **named), Plain(*given, **named)
    assert fast == plain and hash(fast) == hash(plain) and (*fast,) == (*plain,)
    assert (fast.name, fast.number, fast.twice()) == (plain.name, plain.number, plain.twice())
    assert fast._asdict() == plain._asdict() and fast._fields == plain._fields
    assert repr(fast) == repr(plain).replace("Plain", kind.__name__)
    assert fast._replace(number=9) == plain._replace(number=9)
    for again in (copy.copy(fast), copy.deepcopy(fast), pickle.loads(pickle.dumps(fast))):
        assert again == fast and type(again) is kind


@pytest.mark.parametrize(
    ("given", "named"),
    [
        ((), {}),
        (("a", 1, 2), {}),
        (("a",), {"name": "b"}),
        (("a",), {"size": 1}),
        ((), {"number": 1}),
    ],
)
def test_it_takes_what_it_declares(given: tuple[Any, ...], named: dict[str, Any]) -> None:
    with pytest.raises(TypeError):
        Plain(*given, **named)
    with pytest.raises(TypeError, match="Fast"):
        Fast(*given, **named)


class Hard(record.NamedTuple):
    """Places with names that a constructor might use for itself."""

    cls: int
    new: int
    self: int = 3


class Empty(record.NamedTuple):
    """No places at all."""


def test_the_first_and_the_hundredth_are_alike() -> None:
    for number in range(100):
        assert Hard(number, 2)._asdict() == {"cls": number, "new": 2, "self": 3}
        assert Hard(cls=number, new=2) == Hard(number, 2, 3) == (number, 2, 3)
        assert Empty() == () and Empty()._asdict() == {}


def test_only_its_places_can_be_replaced() -> None:
    with pytest.raises(TypeError, match="Fast has no size"):
        Fast("a")._replace(size=1)


def test_a_place_cannot_be_changed() -> None:
    with pytest.raises(AttributeError):
        Fast("a").number = 1  # type: ignore[misc]


def test_it_can_be_matched() -> None:
    match Fast("a", 3):
        case Fast(name, number):
            assert (name, number) == ("a", 3)
