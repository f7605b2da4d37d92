"""Options of ``kcfg validate`` and ``kcfg check``, which judge alike."""

from __future__ import annotations

from typing import Annotated

import typer

from kcfg.cli import validating as shared
from kcfg.cli.intake.options import completing

Select = Annotated[
    list[str] | None,
    typer.Option("--select", metavar="ID", help=shared.SELECT, autocompletion=completing("rules")),
]
Ignore = Annotated[
    list[str] | None,
    typer.Option("--ignore", metavar="ID", help=shared.IGNORE, autocompletion=completing("rules")),
]
Strict = Annotated[bool | None, typer.Option("--strict/--no-strict", help=shared.STRICT)]
Info = Annotated[bool, typer.Option("--info", help=shared.INFO)]
Most = Annotated[int | None, typer.Option("--max-findings", metavar="N", help=shared.MOST)]
Quiet = Annotated[bool, typer.Option("--quiet", "-q", help=shared.QUIET)]
Statistics = Annotated[bool, typer.Option("--statistics", help=shared.STATISTICS)]
