"""From the options of ``kcfg sweep`` to its spec and query: what is derived, kept and written."""

from __future__ import annotations

from collections.abc import Iterable
from importlib import import_module
from math import prod

import typer

from kcfg.cli import console
from kcfg.cli.intake.conditions import checked
from kcfg.cli.intake.specs import code_of, known, usage
from kcfg.cli.intake.sweep_options import Options, Plot, names
from kcfg.core.expressions.scope import UnknownNameError
from kcfg.core.kernel import VERDICT
from kcfg.core.spec import Overrides, Problem
from kcfg.core.spec.sources import NAMELESS, sources
from kcfg.core.sweep.expression import condition
from kcfg.core.sweep.named_values import default_columns, name_of
from kcfg.core.sweep.query import Head, Query
from kcfg.core.sweep.reader import Sweep, read_sweep
from kcfg.core.sweep.reduce import MOST, Key, Kind, Reduction

BLOCK = 1 << 17
"""Points of a block: enough that Python's own part does not count, few enough for the cache."""
CELL = 1 << 12
"""Points that should share their texts, for the same reason."""
CELLS_MOST = 1 << 19
"""Points of a block at most, however many texts there are."""
CELL_VALUES = 1 << 23
"""Values of a block that is written, about: as text they take much memory."""

LARGEST = 1 << 62
"""Points of a grid at most."""

ROWS = 20
"""Rows of a table."""
SHOWN = 10_000
"""Rows of a table at most."""


def swept(options: Options) -> Sweep:
    """The spec and what varies in it; leaves with messages where it cannot be read."""
    named = list(sources(options.specs, options.presets))
    if len(named) != 1:
        usage(f"a sweep is of one spec, not of {len(named)}" if named else NAMELESS)
    with known():
        overrides = Overrides.of(options.settings, options.release, options.target)
    zips = [tuple(key.strip() for key in group.split(",")) for group in options.zips]
    (source,) = named
    found = (
        [source]
        if isinstance(source, Problem)
        else read_sweep(source.path, overrides, zips, source.file, source.only)
    )
    if isinstance(found, list):
        for problem in found:
            console.error(problem)
        raise typer.Exit(max(map(code_of, found)))
    return found


def query_of(options: Options, sweep: Sweep, format: str, drawn: Plot | None) -> Query:
    """The query; leaves with a message where an option names what is not there."""
    spec, axes = sweep.spec, sweep.axes
    cls = spec.cls
    if options.where is not None:
        checked(options.where, cls, "--where")
    columns = _columns(options, sweep, format, drawn)
    shown = len(columns)
    heads = [_head(sweep, column, option) for column, option in columns.items()]
    size = prod(axis.length for axis in axes)
    if size > LARGEST:
        usage(f"{size:,} points are more than can be numbered: {LARGEST:,}")
    keep = _keep(options, sweep, format, size, heads, drawn)
    verdict, judged = Head(VERDICT, "truth"), VERDICT in cls.quantities
    if keep and judged and verdict not in heads and (keep.ranks or format == "table"):
        heads.append(verdict)  # so that it can be told which of them are refused
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
    runs = _picks(options)
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
        supported=judged and runs and not _asks(options, sweep),
        runs=runs,
        origin=spec.cls.origin,
    )


def _picks(options: Options) -> bool:
    """Whether some points are picked, among those that run unless the user says otherwise."""
    return bool(options.sort or options.top or options.pareto) and not options.everything


def _asks(options: Options, sweep: Sweep) -> bool:
    """Whether the user's own condition says which points are wanted, supported or not."""
    if options.where is None:
        return False
    return VERDICT in condition(options.where, sweep.spec.cls, {}).names


def _columns(options: Options, sweep: Sweep, format: str, drawn: Plot | None) -> dict[str, str]:
    """The columns to show, each with the option that names it."""
    if drawn:
        judged = (VERDICT,) if VERDICT in sweep.spec.cls.quantities else ()
        return dict.fromkeys((*judged, *drawn.names), "--plot")
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
    drawn: Plot | None,
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
        height = _head(sweep, drawn.y, "--plot")
        if height.kind not in ("number", "float") and not drawn.map:
            usage(f"--plot: y must be a number, and {height.name} is a {height.kind}")
        return Reduction("bands", keys([head.name for head in heads], "--plot"))
    if options.pareto is not None:
        for option, given in (("--sort", options.sort), ("--top", options.top)):
            if given:
                usage(f"--pareto and {option} do not go together")
        return Reduction("front", keys(names(options.pareto), "--pareto"))
    largest = SHOWN if format == "table" else MOST
    if options.top and options.top > largest:
        csv = "; --format csv has more" if format == "table" else ""
        usage(f"--top: at most {largest:,} rows, each of which takes memory{csv}")
    most = options.top or (ROWS if format == "table" else None)
    if options.sort is None:
        return Reduction("first", (), most) if most else None
    if most is None and size > MOST:
        usage(
            f"--sort needs --top N here: to sort all of {size:,} points takes memory for each "
            f"of them (it is done for up to {MOST:,})"
        )
    kind: Kind = "best"
    return Reduction(kind, keys(names(options.sort), "--sort"), most or size)
