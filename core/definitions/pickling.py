"""How classes that were made from a text travel to another process: as what they are made from."""

from __future__ import annotations

import copyreg
from functools import lru_cache
from typing import Any


class Defined(type):
    """The class of the classes that definitions make: pickled, they are made again elsewhere."""

    origin: Any


@lru_cache(maxsize=64)
def made(origin: Any) -> Any:
    """The class that an origin gives, one in a process."""
    return origin.load()


def _reduced(cls: Defined) -> tuple[Any, ...]:
    return made, (cls.origin,)


copyreg.pickle(Defined, _reduced)
