"""Modules that are found by their file names: kernels, targets and rules, yours among them."""

from __future__ import annotations

import os
import sys
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
    except Exception as error:
        raise BrokenModuleError(*_place(name, error), _said(error)) from error


def declared(module: str, name: str) -> Any:
    """What a module calls by a name that it must have; raises `BrokenModuleError`."""
    found = load(module)
    if not hasattr(found, name):
        raise BrokenModuleError(found.__file__ or module, 0, f"it declares no {name}")
    return getattr(found, name)


def _place(name: str, error: Exception) -> tuple[str, int]:
    """The file and line that failed: the innermost one in the folder of the module."""
    if isinstance(error, SyntaxError) and error.filename:
        return error.filename, error.lineno or 0
    package, _, module = name.rpartition(".")
    folder = sys.modules[package].__path__[0] if package in sys.modules else ""
    place, frame = (os.path.join(folder, f"{module}.py"), 0), error.__traceback__
    while frame is not None:
        file = frame.tb_frame.f_code.co_filename
        if os.path.dirname(file) == folder and os.path.basename(file) != "__init__.py":
            place = (file, frame.tb_lineno)
        frame = frame.tb_next
    return place


def _said(error: Exception) -> str:
    if isinstance(error, SyntaxError):
        return f"{type(error).__name__}: {error.msg}"
    return f"{type(error).__name__}: {error}"
