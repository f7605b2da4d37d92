"""``kcfg targets``: the GPUs kcfg knows, and their limits with sources."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Annotated, Any

import typer

from kcfg.cli.intake.options import ListFormat, completing

if TYPE_CHECKING:
    from kcfg.cli.pages.pieces import Row

LONGEST = 16
"""Characters of a value that has room in a column."""


def targets(
    name: Annotated[
        str | None,
        typer.Argument(
            metavar="[NAME]",
            help="A GPU, by any of its names: b200, sm_100a, 10.0.",
            autocompletion=completing("targets"),
        ),
    ] = None,
    format: ListFormat = "table",
) -> None:
    """List the GPUs, or one GPU's limits with the documents they come from."""
    from kcfg.cli.formats.listing import show
    from kcfg.cli.intake.specs import known
    from kcfg.cli.pages.pieces import Column, Heading, Row, Table
    from kcfg.cli.pages.units import number
    from kcfg.core import targets as gpus

    if name is None:
        found = [gpus.find(each) for each in gpus.names()]
        keys = ("name", "arch", "cc", "sm_count", "smem_optin_per_block", "tmem_columns", "mma")
        rows = [Row([number(getattr(target, key)) for key in keys]) for target in found]
        columns = [
            Column(key) for key in ("target", "arch", "cc", "SMs", "smem/block", "TMEM", "mma")
        ]
        show(
            format,
            [{key: getattr(target, key) for key in keys} for target in found],
            [Table(columns, rows)],
        )
        return
    with known():
        target = gpus.find(name)
    limits = list(target.rows())
    rows = [
        _row(name, number(value), unit, f"{doc} [{source}]")
        for limit, whole, unit, doc, source in limits
        for name, value in _single(limit, whole)
    ]
    columns = [
        Column("limit"),
        Column("value", True),
        Column("unit"),
        Column("what it is [source]"),
    ]
    show(
        format,
        {
            "name": target.name,
            "limits": [
                dict(zip(("name", "value", "unit", "doc", "source"), row, strict=True))
                for row in limits
            ],
        },
        [Heading(f"{target.name} ({target.arch})", 1), Table(columns, rows)],
    )


def _row(name: str, value: str, unit: str, about: str) -> Row:
    """A limit as a row; a value that is a sentence stands where there is room for one."""
    from kcfg.cli.pages.pieces import Row

    if len(value) > LONGEST:
        return Row((name, "", unit, f"{value}. {about}"))
    return Row((name, value, unit, about))


def _single(limit: str, value: Any) -> list[tuple[str, Any]]:
    """A limit, or the members of one that has several, by their paths."""
    if isinstance(value, Mapping):
        return [(f"{limit}.{name}", each) for name, each in value.items()]
    return [(limit, value)]
