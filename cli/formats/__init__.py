"""Output formats, a folder per command and a module per format.

A new file is a new format: ``--format`` offers the modules it finds.
"""

from __future__ import annotations

import os


def names(command: str) -> list[str]:
    """The output formats of a command: the modules of ``cli/formats/<command>``."""
    folder = os.path.join(os.path.dirname(__file__), command)
    return sorted(
        file.removesuffix(".py")
        for file in os.listdir(folder)
        if file.endswith(".py") and not file.startswith("_")
    )
