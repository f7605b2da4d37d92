"""Which rules a run shows: by their ids, or by what those begin with."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from kcfg.core.errors import UnknownError


class Selection:
    """What is shown: everything, or what ``select`` names, less what ``ignore`` names.

    Both are ids or beginnings of ids. What cannot be read or understood is always shown.
    """

    def __init__(self, select: tuple[str, ...] = (), ignore: tuple[str, ...] = ()) -> None:
        self.select, self.ignore = select, ignore

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
    from kcfg.core.validate.catalog import known

    ids = [each.id for each in known()]
    if not any(id.startswith(word.upper()) for id in ids):
        raise UnknownError("rule", word, ids)
    return word.upper()
