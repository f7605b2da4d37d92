"""The options of ``kcfg sweep``, and what some of them say together."""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import NamedTuple

from kcfg.cli import formats
from kcfg.cli.intake.extras import needs
from kcfg.cli.intake.specs import usage
from kcfg.cli.saving import STDOUT
from kcfg.core.saving import SaveError, goes_through, refuse

PICTURES = (".svg", ".png", ".pdf")
"""Endings of files that a picture is drawn to."""


class Options(NamedTuple):
    """The options of the command, as given."""

    specs: tuple[str, ...]
    presets: tuple[str, ...]
    settings: tuple[str, ...]
    release: str | None
    target: str | None
    zips: tuple[str, ...]
    where: str | None
    columns: tuple[str, ...]
    sort: str | None
    top: int | None
    pareto: str | None
    everything: bool
    format: str | None
    output: str | None
    resume: bool
    jobs: int
    engine: str
    scheduler: str | None
    plot: str | None
    quiet: bool


class Plot(NamedTuple):
    """What a picture is of: how far ``y`` goes along ``x``, for each of ``by`` where there is
    one; or, where there are names to ``map``, what these are at every ``x`` and ``y``.
    """

    x: str
    y: str
    by: str | None = None
    map: tuple[str, ...] = ()

    @property
    def names(self) -> tuple[str, ...]:
        """What is read off every point; last what the least and greatest are looked for of."""
        by = () if self.by is None else (self.by,)
        return (*by, self.x, *(self.map and (self.y,)), *(self.map or (self.y,)))


def plotted(options: Options) -> tuple[Options, Plot | None]:
    """What ``--plot`` asks for; its words may stand behind it as arguments of their own."""
    if options.plot is None:
        return options, None
    specs = [word for word in options.specs if word.partition("=")[0] not in Plot._fields]
    words = options.plot.replace(",", " ").split()
    words += [word for word in options.specs if word not in specs]
    output = options.output or next((word for word in specs if word.endswith(PICTURES)), None)
    drawn = dict(word.split("=", 1) for word in words if "=" in word)
    wrong = set(drawn) - set(Plot._fields) or not {"x", "y"} <= set(drawn) or "" in drawn.values()
    if wrong or len(drawn) != len(words) or {"by", "map"} <= set(drawn):
        usage(
            "--plot takes x=NAME y=NAME, and by=NAME or map=NAME or map=NAME+NAME, "
            f"not {options.plot!r}"
        )
    mapped = tuple(drawn["map"].split("+")) if "map" in drawn else ()
    plot = Plot(drawn["x"], drawn["y"], drawn.get("by"), mapped)
    if len(set(plot.names)) < len(plot.names):
        usage(f"--plot: what it names must be different names, not {options.plot!r}")
    if output != STDOUT and not (output or "").endswith(PICTURES):
        usage(
            f"--plot needs a file to draw to: -o with one of {', '.join(PICTURES)}; "
            "`-` is an SVG on standard output"
        )
    assert output
    try:
        if output != STDOUT:
            refuse(output)
    except SaveError as error:
        usage(str(error))
    for name, given in (
        ("--sort", options.sort),
        ("--top", options.top),
        ("--pareto", options.pareto),
        ("--columns", options.columns),
        ("--format", options.format),
    ):
        if given:
            usage(f"--plot and {name} do not go together")
    needs("matplotlib")
    specs = [word for word in specs if word != output]
    return options._replace(specs=tuple(specs), output=output, plot=options.plot), plot


def format_of(options: Options) -> str:
    """The format, as given or as the file's ending says; leaves where it cannot be had."""
    known = formats.names("sweep")
    if options.plot is not None:
        return "table"
    ending = os.path.splitext(options.output or "")[1].removeprefix(".")
    if options.format is None and options.output and ending not in known:
        usage(
            f"-o {options.output}: give --format, or a name that ends in .{' .'.join(known[:-1])}"
        )
    format = options.format or (ending if options.output else "table")
    if format not in known:
        usage(f"unknown format {format!r}; known: {', '.join(known)}")
    if format == "table" and options.output:
        usage("a table is for the terminal: write csv, jsonl or parquet to a file")
    if format == "parquet":
        needs("pyarrow")
        if not options.output or goes_through(options.output):
            usage("parquet is put together when all rows are there: name a file with -o")
    if options.resume and (not options.output or goes_through(options.output)):
        usage("--resume needs the file of -o that it continues")
    return format


def names(text: str) -> Sequence[str]:
    """The names of an option, with commas between."""
    found = [name.strip() for name in text.split(",")]
    if not all(found):
        usage(f"expected names with commas between, not {text!r}")
    return found
