"""The words a formula is written in when its terms have names.

``least``, ``most``, ``total``, ``all_of`` and ``any_of`` take their terms as
named arguments. The names are what a reader is later shown: which limit binds,
what a sum is made of, which condition failed. Views read them off the formula
(``kcfg.core.engine.reasons``), so that nothing keeps a second list of them.
"""

from __future__ import annotations

from typing import TypeVar

T = TypeVar("T")


def least(**terms: int) -> int:
    """The smallest of the named terms: the one that binds."""
    return min(terms.values())


def most(**terms: int) -> int:
    """The largest of the named terms: the one that rules."""
    return max(terms.values())


def total(**terms: int) -> int:
    """The sum of the named terms."""
    return sum(terms.values())


def all_of(**terms: bool) -> bool:
    """Whether every named condition holds."""
    return all(terms.values())


def any_of(**terms: bool) -> bool:
    """Whether at least one of the named conditions holds."""
    return any(terms.values())


def negate(condition: bool) -> bool:
    """The opposite of a condition (``not`` would not run over arrays)."""
    return not condition


def pick(condition: bool, then: T, otherwise: T) -> T:
    """``then`` where the condition holds, else ``otherwise``; both are computed."""
    return then if condition else otherwise
