"""Files that commands write, or standard output in their stead."""

from __future__ import annotations

from kcfg.cli import console
from kcfg.core import saving
from kcfg.core.saving import SaveError

__all__ = ["STDOUT", "SaveError", "save", "save_bytes"]

STDOUT = "-"


def save(path: str, text: str, *, new: bool = False) -> bool:
    """`save_bytes`, of a text in UTF-8."""
    if path == STDOUT:
        console.document(text)
        return True
    return save_bytes(path, text.encode("utf-8", "backslashreplace"), new=new)


def save_bytes(path: str, data: bytes, *, new: bool = False) -> bool:
    """Write a file whole or not at all, or standard output for ``-``; whether that changed it.

    With ``new`` a file that is there already is refused.

    Raises `SaveError`, with a sentence for the user.
    """
    if path == STDOUT:
        console.write_bytes(data)
        return True
    return saving.save(path, data, new=new)
