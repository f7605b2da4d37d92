"""Modules that are found by their file names: kernels, targets and rules, yours among them."""

from __future__ import annotations

import importlib
import os
import sys
from functools import reduce
from importlib import import_module
from types import ModuleType
from typing import Any

from kcfg.core.errors import BrokenModuleError


def load(name: str) -> ModuleType:
    """Import a module; raises `BrokenModuleError`, which says in which line it fails."""
    try:
        return import_module(name)
    except BrokenModuleError:
        raise
    except (Exception, SystemExit) as error:  # whatever a module may do
        raise BrokenModuleError(*place(name, error), said(error)) from error


def declared(module: str, name: str) -> Any:
    """What a module calls by a name that it must have, which may have dots.

    Raises `BrokenModuleError`.
    """
    loaded = load(module)
    try:
        return reduce(getattr, name.split("."), loaded)
    except AttributeError:
        file = getattr(loaded, "__file__", None) or module
        raise BrokenModuleError(file, 0, f"it declares no {name}") from None


def place(name: str, error: BaseException) -> tuple[str, int]:
    """The file and line that failed: the innermost one in the folder of the module.

    Where its package cannot be imported, or there is none, the first one that was imported.
    """
    if isinstance(error, SyntaxError) and error.filename:
        return error.filename, error.lineno or 0
    package, _, module = name.rpartition(".")
    folder = sys.modules[package].__path__[0] if package in sys.modules else ""
    found, frame = (os.path.join(folder, f"{module}.py"), 0), error.__traceback__
    while frame is not None:
        file = frame.tb_frame.f_code.co_filename
        beside = os.path.dirname(file) == folder and os.path.basename(file) != "__init__.py"
        strange = not (folder or found[1] or file in OURS or file.startswith("<"))
        if beside or strange:
            found = (file, frame.tb_lineno)
        frame = frame.tb_next
    return found


OURS = (__file__, importlib.__file__)
"""Whose lines are on the way to any module."""


def said(error: BaseException) -> str:
    """What an error of a module says, with its kind."""
    if isinstance(error, SyntaxError):
        return f"{type(error).__name__}: {error.msg}"
    return f"{type(error).__name__}: {error}"
