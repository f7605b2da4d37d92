"""What travels to other processes, and to other versions of kcfg, which may not know it."""

from __future__ import annotations

import pickle
from typing import Any

from kcfg.core.version import VERSION
from kcfg.errors import error


def reduced(cls: type[Any], held: Any) -> tuple[Any, ...]:
    """How an object that is made from one thing pickles: as what `again` makes it from."""
    return again, (cls, VERSION, pickle.dumps(held))


def again(cls: type[Any], version: str, data: bytes) -> Any:
    """The object; raises `Error` where what it is about is not to be had here."""
    try:
        return cls(pickle.loads(data))
    except Exception as wrong:  # whatever another version, or a definition's text, may raise
        about = f"a {cls.__name__} that kcfg {version} pickled"
        raise error(f"{about} cannot be made again by kcfg {VERSION}: {wrong}") from None
