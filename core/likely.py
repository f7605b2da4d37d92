"""What was likely meant by the name of a value that a kernel does not have."""

from __future__ import annotations

import re
from collections.abc import Iterable

from kcfg.core.errors import nearest
from kcfg.core.kernel import Kernel


def likely(cls: type[Kernel], name: str, known: Iterable[str]) -> str | None:
    """The known name that is meant, or None.

    One that only differs in letter case; the value that plays the key of a block which ends in
    it, as ``num_kv_stages`` is a pipeline's ``stages``; the only one it is a whole part of; of the
    paths that end in it the first of the shortest; else the one that it is a slip of.
    """
    names, written = list(known), name.lower()
    alike = [each for each in names if each.lower() == written]
    played = {
        key
        for path, key in cls.plays.items()
        if re.sub(r"\[.*?\]", "", path).rpartition(".")[2] == written
    }
    parts = [each for each in names if written in re.split(r"[._]", each.lower())]
    sure = [alike[:1], [*played], parts]
    only = (each[0] for each in sure if len(each) == 1 and each[0] in names)
    paths = [each for each in names if each.lower().endswith(f".{written}")]
    ending = min(paths, key=lambda each: each.count("."), default=None)
    return next(only, None) or ending or nearest(name, names)
