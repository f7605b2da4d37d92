"""``kcfg schema``: the JSON Schema of specs, for editors."""

from __future__ import annotations

from typing import Annotated

import typer

from kcfg.cli.intake.options import KernelName


def schema(kernel: Annotated[str | None, KernelName] = None) -> None:
    """Print the JSON Schema of a kernel's specs, or of all kernels'."""
    import json

    from kcfg.cli import console
    from kcfg.cli.intake.specs import known
    from kcfg.core.schema import schema as describe

    with known():
        console.write(json.dumps(describe(kernel), indent=2) + "\n")
    raise typer.Exit
