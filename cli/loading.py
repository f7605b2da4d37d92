"""Packages that are not kcfg's own: what to say where one is missing or cannot be loaded."""

from __future__ import annotations

import os
import sys
from importlib.util import find_spec

PACKAGES = {
    "typer": "typer",
    "rich": "rich",
    "yaml": "pyyaml",
    "orjson": "orjson",
    "pydemumble": "pydemumble",
}
"""What comes with kcfg, by the names of import and of pip."""

EXTRAS = {
    "numpy": ("sweep", "NumPy"),
    "pyarrow": ("parquet", "pyarrow"),
    "matplotlib": ("plot", "Matplotlib"),
    "distributed": ("dask", "Dask"),
}
"""What does not, with the extra that brings it and its name."""


def not_loaded(error: Exception) -> str | None:
    """What to say of an error that importing another's package raised; None of any other."""
    module = _imported(error)
    known = module in PACKAGES or module in EXTRAS or module in sys.stdlib_module_names
    return why_not(module, error) if known else None


def why_not(module: str, error: Exception) -> str:
    """Why a package of others, or of Python itself, could not be imported, and what would help."""
    if module in sys.stdlib_module_names:
        return f"this Python is not complete: {error}"
    extra, name = EXTRAS.get(module, ("", module))
    if not _is_installed(module):
        source = f"'.[{extra}]' where kcfg was cloned" if extra else PACKAGES[module]
        return f"this needs {name}, which is not installed; it comes with: pip install {source}"
    why = str(error).strip().partition("\n")[0] or type(error).__name__
    again = f"pip install --force-reinstall {PACKAGES.get(module, module)}"
    return f"this needs {name}, which is installed and cannot be loaded ({why}); try: {again}"


def _is_installed(module: str) -> bool:
    try:
        spec = find_spec(module)
    except ValueError:
        return False
    return spec is not None and spec.origin is not None


def _imported(error: Exception) -> str:
    """The package that kcfg was importing when an error was raised; empty if it was not."""
    package, loading = "", False
    trace = error.__traceback__
    while trace is not None:
        name = str(trace.tb_frame.f_globals.get("__name__")).partition(".")[0]
        if name == "kcfg":
            package, loading = "", False
        elif name != "importlib" and not package:
            package = name
        loading = loading or trace.tb_frame.f_code.co_name == "<module>"
        trace = trace.tb_next
    if isinstance(error, ImportError) and not package:
        return (error.name or "").partition(".")[0]
    if isinstance(error, SyntaxError):  # of a file, which never ran
        folders = (error.filename or "").split(os.sep)
        return next((each for each in (*PACKAGES, *EXTRAS) if each in folders), "")
    return package if loading else ""
