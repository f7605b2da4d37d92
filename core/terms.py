"""The words a formula is written in when its terms have names.

``least``, ``most``, ``total``, ``all_of`` and ``any_of`` take their terms as
named arguments. The names are what a reader is later shown: which limit binds,
what a sum is made of, which condition failed. `recorded` evaluates something
and returns the terms it went through, so no view keeps a second list of them.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple, TypeVar

T = TypeVar("T")


class Terms(NamedTuple):
    """One evaluation of a word with named terms."""

    word: str
    terms: dict[str, Any]
    result: Any


_recording: list[Terms] | None = None


def _record(word: str, terms: dict[str, Any], result: Any) -> None:
    if _recording is not None:
        _recording.append(Terms(word, terms, result))


def least(**terms: int) -> int:
    """The smallest of the named terms: the one that binds."""
    result = min(terms.values())
    _record("least", terms, result)
    return result


def most(**terms: int) -> int:
    """The largest of the named terms: the one that rules."""
    result = max(terms.values())
    _record("most", terms, result)
    return result


def total(**terms: int) -> int:
    """The sum of the named terms."""
    result = sum(terms.values())
    _record("total", terms, result)
    return result


def all_of(**terms: bool) -> bool:
    """Whether every named condition holds."""
    result = all(terms.values())
    _record("all_of", terms, result)
    return result


def any_of(**terms: bool) -> bool:
    """Whether at least one of the named conditions holds."""
    result = any(terms.values())
    _record("any_of", terms, result)
    return result


def negate(condition: bool) -> bool:
    """The opposite of a condition (``not`` would not run over arrays)."""
    return not condition


def pick(condition: bool, then: T, otherwise: T) -> T:
    """``then`` where the condition holds, else ``otherwise``; both are computed."""
    return then if condition else otherwise


def recorded(evaluate: Callable[[], Any]) -> list[Terms]:
    """The words with named terms that an evaluation went through, innermost first."""
    global _recording
    outer, _recording = _recording, []
    try:
        evaluate()
        return _recording
    finally:
        _recording = outer
