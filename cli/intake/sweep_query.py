"""From the options of ``kcfg sweep`` to its spec and query: what is derived, kept and written."""

from __future__ import annotations

from collections.abc import Iterable
from importlib import import_module
from math import prod

import typer

from kcfg.cli import console
from kcfg.cli.exits import FAILED, FOUND
from kcfg.cli.intake.specs import pair, usage
from kcfg.cli.intake.sweep_options import Options, names
from kcfg.core import presets
from kcfg.core.errors import UnknownError
from kcfg.core.expressions.grammar import UnknownNameError
from kcfg.core.kernel import VERDICT
from kcfg.core.spec import Overrides
from kcfg.core.sweep.expression import ExpressionError, condition
from kcfg.core.sweep.names import default_columns, name_of
from kcfg.core.sweep.query import Head, Query
from kcfg.core.sweep.reader import Sweep, read_sweep
from kcfg.core.sweep.reduce import Key, Kind, Reduction

BLOCK = 1 << 17
"""Points of a block: enough that Python's own part does not count, few enough for the cache."""
CELL = 1 << 12
"""Points that should share their texts, for the same reason."""
CELLS_MOST = 1 << 19
"""Points of a block at most, however many texts there are."""
CELL_VALUES = 1 << 22
"""Values of a block that is written, about: as text they take much memory."""

LARGEST = 1 << 62
"""Points of a grid at most."""

SORTABLE = 1_000_000
"""Points of a grid that may be sorted as a whole, which takes memory for each."""

ROWS = 20
"""Rows of a table."""


def swept(options: Options) -> Sweep:
    """The spec and what varies in it; leaves with messages where it cannot be read."""
    try:
        paths = [*options.specs, *map(presets.path, options.presets)]
    except UnknownError as unknown:
        usage(f"--preset: {unknown}")
    if len(paths) != 1:
        usage("name one spec file, `-` for standard input, or --preset NAME")
    overrides = Overrides(
        set=tuple(map(pair, options.settings)), release=options.release, target=options.target
    )
    zips = [tuple(key.strip() for key in group.split(",")) for group in options.zips]
    found = read_sweep(paths[0], overrides, zips)
    if isinstance(found, list):
        for problem in found:
            console.error(problem)
        unreadable = any(problem.kind == "unreadable" for problem in found)
        raise typer.Exit(FAILED if unreadable else FOUND)
    return found


def query_of(options: Options, sweep: Sweep, format: str, drawn: dict[str, str]) -> Query:
    """The query; leaves with a message where an option names what is not there."""
    spec, axes = sweep.spec, sweep.axes
    cls = spec.cls
    if options.where is not None:
        _checked(options.where, sweep)
    columns = _columns(options, sweep, format, drawn)
    shown = len(columns)
    heads = [_head(sweep, column, option) for column, option in columns.items()]
    size = prod(axis.length for axis in axes)
    if size > LARGEST:
        usage(f"{size:,} points are more than can be numbered: {LARGEST:,}")
    keep = _keep(options, sweep, format, size, heads, drawn)
    verdict = Head(VERDICT, "truth")
    if keep and keep.ranks and VERDICT in cls.quantities and verdict not in heads:
        heads.append(verdict)  # so that it can be told how many of the best are refused
    varied = {key for axis in axes for key in axis.keys}
    means = {one.means for one in cls.spellings if one.word in varied}
    fixed = tuple(
        (cls.inputs[name].key, value)
        for name, value in spec.shape.items()
        if cls.inputs[name].key not in varied | means
    )
    texts = prod(
        len(set(axis.values[0])) for axis in axes if not isinstance(axis.values[0][0], int)
    )
    block = min(max(BLOCK, texts * CELL), CELLS_MOST)
    if keep is None:
        block = max(CELL, min(block, CELL_VALUES // len(heads)))
    module = import_module(f"kcfg.cli.formats.sweep.{format}")
    return Query(
        kernel=spec.kernel,
        release=spec.release,
        target=spec.target.name,
        arch=spec.target.arch,
        fixed=fixed,
        axes=axes,
        block=block,
        where=options.where,
        columns=tuple(heads),
        shown=shown,
        keep=keep,
        encode=getattr(module, "encode", None),
        origin=spec.cls.origin,
    )


def _checked(where: str, sweep: Sweep) -> None:
    try:
        condition(where, sweep.spec.cls, {})
    except ExpressionError as error:
        pointer = " " * (error.column - 1) + "^"
        usage(f"--where: column {error.column}: {error}\n    {where}\n    {pointer}")


def _columns(options: Options, sweep: Sweep, format: str, drawn: dict[str, str]) -> dict[str, str]:
    """The columns to show, each with the option that names it."""
    if drawn:
        return {drawn[key]: "--plot" for key in ("by", "x", "y") if key in drawn}
    asked = [name for text in options.columns for name in names(text)]
    if asked and asked != ["all"]:
        return dict.fromkeys(asked, "--columns")
    everything = asked == ["all"] or format != "table"
    found = default_columns(sweep.spec.cls, sweep.axes, everything)
    columns = dict.fromkeys(found, "--columns")
    for option, text in (("--sort", options.sort), ("--pareto", options.pareto)):
        if text and not everything:
            columns |= {name.removeprefix("-"): option for name in names(text)}
    if options.where and not everything:
        read = condition(options.where, sweep.spec.cls, {}).names
        columns |= dict.fromkeys(read, "--where")
    return columns


def _head(sweep: Sweep, name: str, option: str) -> Head:
    try:
        return Head(name, name_of(sweep.spec.cls, name).kind)
    except UnknownNameError as error:
        usage(f"{option}: {error}")


def _keep(
    options: Options,
    sweep: Sweep,
    format: str,
    size: int,
    heads: list[Head],
    drawn: dict[str, str],
) -> Reduction | None:
    """Which rows are kept; None where all are written as they come. Columns to go by are added."""

    def keys(written: Iterable[str], option: str) -> tuple[Key, ...]:
        found = []
        for name in written:
            head = _head(sweep, name.removeprefix("-"), option)
            if head not in heads:
                heads.append(head)
            found.append(Key(heads.index(head), name.startswith("-")))
        return tuple(found)

    if drawn:
        height = _head(sweep, drawn["y"], "--plot")
        if height.kind not in ("number", "float"):
            usage(f"--plot: y must be a number, and {height.name} is a {height.kind}")
        by = (drawn[key] for key in ("by", "x", "y") if key in drawn)
        return Reduction("bands", keys(by, "--plot"))
    if options.pareto is not None:
        for option, given in (("--sort", options.sort), ("--top", options.top)):
            if given:
                usage(f"--pareto and {option} do not go together")
        return Reduction("front", keys(names(options.pareto), "--pareto"))
    most = options.top or (ROWS if format == "table" else None)
    if options.sort is None:
        return Reduction("first", (), most) if most else None
    if most is None and size > SORTABLE:
        usage(
            f"--sort needs --top N here: to sort all of {size:,} points takes memory for each "
            f"of them (it is done for up to {SORTABLE:,})"
        )
    kind: Kind = "best"
    return Reduction(kind, keys(names(options.sort), "--sort"), most or size)
