"""Every rule and every check of validating itself, as lists and pages show them."""

from __future__ import annotations

from functools import cache
from typing import NamedTuple

from kcfg.core.errors import UnknownError
from kcfg.core.rules import Rule, rules
from kcfg.core.validate.checks import CHECKS, Check


class Known(NamedTuple):
    """A rule or check, as listed and selected; ``severities`` are all that it may report.

    ``name`` is in lower case with underscores, and no other's.
    """

    id: str
    severity: str
    severities: tuple[str, ...]
    title: str
    page: str
    waivable: bool
    name: str


@cache
def known() -> tuple[Known, ...]:
    """Every rule and every check of validating itself, in the order of the ids."""
    found = [_known(rule, True) for rule in rules()]
    found += [_known(check, check.waivable) for check in CHECKS]
    return tuple(sorted(found))


def _known(each: Rule | Check, waivable: bool) -> Known:
    return Known(
        each.id, each.severity, each.severities, each.title, each.page, waivable, each.name
    )


def find(id: str) -> Known:
    """The rule or check of an id, in whatever letter case; raises `UnknownError` for none."""
    by_id = {each.id: each for each in known()}
    if id.upper() not in by_id:
        raise UnknownError("rule", id, by_id)
    return by_id[id.upper()]


def group(letters: str) -> tuple[Known, ...]:
    """The rules whose ids are these letters, in whatever case, and a number; none for no group."""
    if not letters.isalpha():
        return ()
    return tuple(each for each in known() if each.id.rstrip("0123456789") == letters.upper())
