"""Which rules a run shows: by their ids, or by what those begin with."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from functools import cache
from typing import TYPE_CHECKING, NamedTuple

from kcfg.core.errors import UnknownError

if TYPE_CHECKING:
    from kcfg.core.rules import Rule
    from kcfg.core.validate.checks import Check


class Known(NamedTuple):
    """A rule or check, as listed and selected; ``severities`` are all that it may report."""

    id: str
    severity: str
    severities: tuple[str, ...]
    title: str
    page: str
    waivable: bool


@cache
def known() -> tuple[Known, ...]:
    """Every rule and every check of validating itself, in the order of the ids."""
    from kcfg.core.rules import rules
    from kcfg.core.validate.checks import CHECKS

    found = [_known(rule, True) for rule in rules()]
    found += [_known(check, check.waivable) for check in CHECKS]
    return tuple(sorted(found))


def _known(each: Rule | Check, waivable: bool) -> Known:
    return Known(each.id, each.severity, each.severities, each.title, each.page, waivable)


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


class Selection(NamedTuple):
    """What is shown: everything, or what ``select`` names, less what ``ignore`` names.

    Both are ids or beginnings of ids. What cannot be read or understood is always shown.
    """

    select: tuple[str, ...] = ()
    ignore: tuple[str, ...] = ()

    def shows(self, id: str) -> bool:
        """Whether findings of a rule are shown."""
        if not self.select and not self.ignore:
            return True
        from kcfg.core.validate.checks import CHECKS

        if any(check.id == id and not check.waivable for check in CHECKS):
            return True
        return (not self.select or id.startswith(self.select)) and not id.startswith(self.ignore)


EVERYTHING = Selection()


def prefixes(words: Iterable[str]) -> tuple[str, ...]:
    """Ids or their beginnings, from words with commas between; `UnknownError` for one of none."""
    return tuple(_prefix(word) for word in _split(words))


def _split(words: Iterable[str]) -> Iterator[str]:
    for word in words:
        yield from filter(None, (part.strip() for part in word.split(",")))


def _prefix(word: str) -> str:
    ids = [each.id for each in known()]
    if not any(id.startswith(word.upper()) for id in ids):
        raise UnknownError("rule", word, ids)
    return word.upper()
