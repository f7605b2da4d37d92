"""Explanations as JSON: an object for one spec, a list for several."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from kcfg.cli.formats import objects
from kcfg.cli.pages.told import Told
from kcfg.core.explain.explanation import plain
from kcfg.core.report import SCHEMA


def write(told: Iterable[Told], tree: bool) -> None:
    """Write what is told; what an explanation rests on stands in its ``because`` either way."""
    objects.write(map(_told, told))


def _told(told: Told) -> dict[str, Any]:
    return {
        "schema": SCHEMA,
        "kernel": told.kernel,
        "release": told.release,
        "release_given": told.release_given,
        "target": told.target or None,
        "name": told.name,
        "source": told.source or None,
        "inputs": told.asked,
        "figures": plain(told.figures),
        "fits": plain(told.fits),
        "findings": list(told.findings),
        "registers": told.registers,
        "story": plain(told.story),
        "explanations": plain(told.explanations),
        "references": plain(told.references),
        "words": plain(told.words),
        "sought": plain(told.sought),
        "occupancy": plain(told.occupancy),
    }
