"""A picture of a sweep: how far a value goes along an input, a band for each of another."""

from __future__ import annotations

from typing import Any

import numpy as np

from kcfg.cli.intake.sweep_options import Plot
from kcfg.cli.pages.titles import title
from kcfg.cli.pictures.figure import figure
from kcfg.core.kernel import VERDICT
from kcfg.core.sweep.query import Query
from kcfg.core.sweep.rows import Column, Rows

MOST = 12
"""Bands that can be told apart."""

REFUSED = "not supported"

Columns = dict[str, Column]
"""The columns of rows by their names."""


def draw(plot: Plot, query: Query, rows: Rows, format: str) -> bytes:
    """A picture of the extremes that were kept, as a file of this format holds it."""

    def bands(axes: Any) -> None:
        columns = {
            head.name: column for head, column in zip(query.heads, rows.columns, strict=True)
        }
        labels = _labels(columns, plot)
        for number, label in enumerate(labels[:MOST]):
            _band(axes, _only(columns, plot.by, label), plot, label, f"C{number % 10}")
        if axes.get_legend_handles_labels()[1]:
            more = f" (first {MOST} of {len(labels)})" if len(labels) > MOST else ""
            axes.legend(title=more or None)
        axes.set_xlabel(plot.x)
        axes.set_ylabel(f"{plot.y}, least to greatest")
        axes.set_title(title(None, query.kernel, query.release, query.target))
        axes.grid(alpha=0.3)

    return figure(bands, format)


def _labels(columns: Columns, plot: Plot) -> list[Any]:
    """What there is a band for: each value of what they are by, or all."""
    if plot.by is None:
        return [None]
    values = set(columns[plot.by].tolist())
    return sorted(values, key=lambda label: (label is None, label))


def _only(columns: Columns, name: str | None, value: Any) -> Columns:
    """The rows where a column has a value."""
    if name is None:
        return columns
    there = np.array([each == value for each in columns[name].tolist()], bool)
    return {key: column[there] for key, column in columns.items()}


def _band(axes: Any, columns: Columns, plot: Plot, label: Any, colour: str) -> None:
    """The extremes of what is supported as a line and a band, and crosses for what is not."""
    name = None if plot.by is None else f"{plot.by} = {label}"
    known = np.array([value is not None for value in columns[plot.y].tolist()], bool)
    x, y = _texts(columns[plot.x][known]), columns[plot.y][known].astype(float)
    good = columns[VERDICT][known].astype(bool) if VERDICT in columns else np.ones(len(x), bool)
    if good.any():
        _line(axes, *_extremes(x[good], y[good]), name, colour)
    if not good.all():
        places, least, most = _extremes(x[~good], y[~good])
        ends = np.concatenate((places, places)), np.concatenate((least, most))
        said = f"{name}, {REFUSED}" if name else REFUSED
        axes.plot(*ends, "x", color=colour, label=said)


def _line(axes: Any, places: Any, least: Any, most: Any, name: str | None, colour: str) -> None:
    """The greatest along a line, and all down to the least."""
    dots = {"marker": "o", "markersize": 3, "color": colour}
    line = "-" if places.dtype.kind in "if" else ""  # texts have no order to join them in
    axes.plot(places, most, line, **dots, label=name)
    if line and (least < most).any():
        axes.fill_between(places, least, most, alpha=0.2, color=colour)
    elif (least < most).any():
        axes.plot(places, least, line, **dots)


def _texts(column: Column) -> Any:
    """A column as places along an axis: texts, or none, by their words."""
    if column.dtype == object:
        return np.array(["null" if value is None else str(value) for value in column])
    return column


def _extremes(x: Any, y: Any) -> tuple[Any, Any, Any]:
    places = np.unique(x)
    least = np.array([y[x == place].min() for place in places])
    most = np.array([y[x == place].max() for place in places])
    return places, least, most
