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
            metavar="NAME",
            help="A GPU, by any of its names: b200, DGX Spark, sm_100a, 10.0.",
            autocompletion=completing("targets"),
        ),
    ] = None,
    format: ListFormat = "table",
) -> None:
    """List the GPUs, or one GPU's limits with the documents they come from."""
    from kcfg.cli.formats.listing import show
    from kcfg.cli.intake.specs import known
    from kcfg.cli.pages.pieces import Column, Heading, Line, Row, Table
    from kcfg.cli.pages.units import number
    from kcfg.core import targets as gpus

    if name is None:
        found = [gpus.find(each) for each in gpus.names()]
        keys = ("name", "arch", "cc", "sm_count", "smem_optin_per_block", "tmem_columns", "mma")
        rows = [Row([number(getattr(target, key)) for key in keys]) for target in found]
        columns = [
            Column(key) for key in ("target", "arch", "cc", "SMs", "smem/block", "TMEM", "mma")
        ]
        others = [Row([target.name, ", ".join(gpus.spellings(target))]) for target in found]
        show(
            format,
            [
                {key: getattr(target, key) for key in keys}
                | {"spellings": list(gpus.spellings(target))}
                for target in found
            ],
            [
                Table(columns, rows),
                Heading("Other names"),
                Table([Column("target"), Column("also called")], others),
            ],
        )
        return
    with known():
        target = gpus.find(name)
    limits, also = list(target.rows()), gpus.spellings(target)
    rows = [
        _row(name, _text(value), each.unit, f"{each.doc} [{each.source}]")
        for each in limits
        for name, value in _single(each.name, each.value)
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
            "spellings": list(also),
            "limits": [vars(each) for each in limits],
        },
        [
            Heading(f"{target.name} ({target.arch})", 1),
            *([Line(f"Also called {', '.join(also)}.", indent=2)] if also else []),
            Table(columns, rows),
        ],
    )


def _row(name: str, value: str, unit: str, about: str) -> Row:
    """A limit as a row; a value that is a sentence stands where there is room for one."""
    from kcfg.cli.pages.pieces import Row

    if len(value) > LONGEST:
        return Row((name, "", unit, f"{value}. {about}"))
    return Row((name, value, unit, about))


def _text(value: Any) -> str:
    """A value in words: names behind one another, and - where there is none."""
    from kcfg.cli.pages.units import number

    if isinstance(value, tuple) and all(isinstance(each, str) for each in value):
        return ", ".join(value) or number(None)
    return number(value)


def _single(limit: str, value: Any) -> list[tuple[str, Any]]:
    """A limit, or the members of one that has several, by their paths."""
    if isinstance(value, Mapping):
        return [(f"{limit}.{name}", each) for name, each in value.items()]
    return [(limit, value)]
