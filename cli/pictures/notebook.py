"""A configuration where a notebook shows it: its tables and pictures as HTML, and as SVG."""

from __future__ import annotations

from typing import Any
from zlib import crc32

from kcfg.cli.pages.report import page
from kcfg.cli.pictures.scene import scene
from kcfg.cli.pictures.svg import picture
from kcfg.cli.render import html as rendering
from kcfg.core.kernel import Kernel
from kcfg.core.report import Derived


def html(kernel: Kernel, report: dict[str, Any]) -> str:
    """The report's tables under its picture, as an element that brings its own style."""
    derived = Derived(kernel, report)
    pictured = svg(kernel, report)
    return f'<div class="kcfg">{pictured}\n{rendering.text(page(derived), top=3)}</div>'


def svg(kernel: Kernel, report: dict[str, Any]) -> str:
    """The pictures of its memories, registers and occupancy."""
    # A page may have several: the ids of each begin with what it is a picture of.
    prefix = f"kc{crc32(repr(report['inputs']).encode()):08x}"
    return picture.element([scene(Derived(kernel, report))], prefix)
