"""Figures by matplotlib, as files that are the same for the same figure."""

from __future__ import annotations

from collections.abc import Callable
from io import BytesIO
from typing import Any

UNDATED = {"svg": {"Date": None}, "pdf": {"CreationDate": None}}
"""What a format would write of the time it is made at."""

NOTHING = "no points"
"""What a figure of none says."""

Draw = Callable[[Any], None]
"""Draws on the axes that it is given."""


def figure(draw: Draw, format: str, width: float = 8, height: float = 5) -> bytes:
    """A figure so many inches wide and high as a file of a format."""
    import matplotlib

    matplotlib.use("Agg")
    from matplotlib import pyplot

    picture = BytesIO()
    with matplotlib.rc_context({"svg.hashsalt": "kcfg"}):
        drawn, axes = pyplot.subplots(figsize=(width, height), layout="constrained")
        try:
            draw(axes)
            if not axes.has_data():
                axes.text(0.5, 0.5, NOTHING, transform=axes.transAxes, ha="center")
            drawn.savefig(picture, format=format, metadata=UNDATED.get(format))
        finally:
            pyplot.close(drawn)
    return picture.getvalue()
