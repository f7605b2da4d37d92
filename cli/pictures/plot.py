"""A picture of a sweep: how far a value goes along an input, a band for each of another."""

from __future__ import annotations

from io import BytesIO
from typing import Any

import numpy as np

from kcfg.cli.pages.titles import title
from kcfg.core.sweep.query import Query
from kcfg.core.sweep.rows import Rows

MOST = 12
"""Bands that can be told apart."""


def draw(query: Query, rows: Rows, format: str) -> bytes:
    """A picture of the extremes that were kept, as a file of this format holds it."""
    import matplotlib

    matplotlib.use("Agg")
    from matplotlib import pyplot

    *_, x_head, y_head = query.heads
    figure, axes = pyplot.subplots(figsize=(8, 5), layout="constrained")
    bands = _bands(rows)
    for label, x, y in bands[:MOST]:
        places, least, most = _extremes(x, y)
        name = f"{query.heads[0].name} = {label}" if len(rows.columns) > 2 else None
        line = "-" if places.dtype.kind in "if" else ""  # texts have no order to join them in
        axes.plot(places, most, line, marker="o", markersize=3, label=name)
        if line and (least < most).any():
            axes.fill_between(places, least, most, alpha=0.2)
    if len(rows.columns) > 2:
        more = f" (first {MOST} of {len(bands)})" if len(bands) > MOST else ""
        axes.legend(title=more or None)
    axes.set_xlabel(x_head.name)
    axes.set_ylabel(f"{y_head.name}, least to greatest")
    axes.set_title(title(None, query.kernel, query.release, query.target))
    axes.grid(alpha=0.3)
    picture = BytesIO()
    figure.savefig(picture, format=format)
    pyplot.close(figure)
    return picture.getvalue()


def _bands(rows: Rows) -> list[tuple[Any, Any, Any]]:
    """Label, x and y of each band."""
    *by, x, y = rows.columns
    if x.dtype == object:  # texts, or none
        x = np.array(["null" if value is None else str(value) for value in x])
    if not by:
        return [(None, x, y)]
    labels = sorted(set(by[0].tolist()), key=lambda label: (label is None, label))
    return [(label, x[by[0] == label], y[by[0] == label]) for label in labels]


def _extremes(x: Any, y: Any) -> tuple[Any, Any, Any]:
    places = np.unique(x)
    least = np.array([y[x == place].min() for place in places])
    most = np.array([y[x == place].max() for place in places])
    return places, least, most
