"""Paths of definitions: which of them may be opened, and why not the others."""

from __future__ import annotations

import errno
import os
import stat

from kcfg.core.errors import UnfoundError
from kcfg.core.spec.documents import why_unread

ENDINGS = (".yaml", ".yml")
MARKS = ("pyproject.toml", ".git")
"""What a project's folder has."""


def is_path(said: str) -> bool:
    """Whether what names a kernel is a path."""
    path = said.partition("#")[0]
    return "/" in path or path.endswith(ENDINGS)


def project(folder: str) -> str:
    """The nearest folder above with a project's marks, else the folder itself."""
    at = os.path.realpath(folder)
    while True:
        if any(os.path.lexists(os.path.join(at, mark)) for mark in MARKS):
            return at
        above = os.path.dirname(at)
        if above == at:
            return os.path.realpath(folder)
        at = above


def inside(path: str, root: str) -> bool:
    return path == root or path.startswith(os.path.join(root, ""))


def outside(said: str, root: str) -> str:
    """Why a path outside a project is not looked at, and what would work; not whether it exists."""
    marks = " or ".join(MARKS)
    what = f"the nearest folder above with {marks}"
    if not any(os.path.lexists(os.path.join(root, mark)) for mark in MARKS):
        what = f"the file's own folder, as none above has {marks}"
    return (
        f"{said} lies outside the project, and is not looked at: the project is"
        f" {os.path.relpath(root)}, {what}; keep the definition below it, or put an empty"
        f" {MARKS[0]} into a folder that holds both"
    )


def check_plain(path: str, shown_as: str) -> None:
    """Raise `UnfoundError` for what is no plain file."""
    try:
        mode = os.stat(path).st_mode
    except OSError as error:
        why = "too many links that lead to each other" if error.errno == errno.ELOOP else ""
        raise UnfoundError(f"{shown_as}: {why or why_unread(error, path)}", "unreadable") from None
    if stat.S_ISDIR(mode):
        raise UnfoundError(f"{shown_as} is a directory: name a file in it", "unreadable")
    if not stat.S_ISREG(mode):
        raise UnfoundError(f"{shown_as} is no plain file", "unreadable")
