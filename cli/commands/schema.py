"""``kcfg schema``: the JSON Schemas of specs, for editors, and of what kcfg writes."""

from __future__ import annotations

from typing import Annotated

import typer

from kcfg.cli.intake.options import KernelName

KINDS = ("report", "findings", "diff", "explain")


def schema(
    kernel: Annotated[str | None, KernelName] = None,
    of: Annotated[
        str | None,
        typer.Option(
            "--of",
            metavar="|".join(KINDS),
            help="What kcfg writes, as JSON of `derive`, `validate` and `check`, `diff` or "
            "`explain`, in place of specs.",
        ),
    ] = None,
) -> None:
    """Print the JSON Schema of a kernel's specs, of all kernels', or of what kcfg writes."""
    import json

    from kcfg.cli import console
    from kcfg.cli.intake.specs import known, usage
    from kcfg.core.schema import schema as describe

    if of is not None:
        from kcfg.core.outputs.outputs import schema as describe_output

        if of not in KINDS:
            usage(f"--of takes one of {', '.join(KINDS)}")
        if kernel is not None:
            usage("--of describes what is written of any kernel: leave --kernel out")
        console.document(json.dumps(describe_output(of), indent=2) + "\n")
        raise typer.Exit
    with known():
        console.document(json.dumps(describe(kernel), indent=2) + "\n")
    raise typer.Exit
