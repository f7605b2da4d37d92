"""What a launch written by hand is described by: as facts, and as a page."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from kcfg.cli.pages.pieces import Column, Heading, Line, Piece, Row, Table
from kcfg.core.figures import joined
from kcfg.core.launch.paths import keys
from kcfg.core.launch.reading import LaunchSpec


def brief() -> dict[str, Any]:
    """A launch among the kernels."""
    return {
        "name": LaunchSpec.kernel,
        "library": None,
        "title": LaunchSpec.title,
        "releases": [],
    }


def whole() -> dict[str, Any]:
    """Every key with its path."""
    every = [
        {
            "name": path,
            "unit": key.unit,
            "required": False,
            "default": None,
            "doc": key.doc,
            "choices": list(key.choices),
        }
        for path, key in keys()
    ]
    return {**brief(), "struct": None, "inputs": every, "values": []}


def manual() -> list[Piece]:
    """The same as a page."""
    about = whole()
    rows = [
        Row((each["name"], each["unit"], with_words(each["doc"], each["choices"])))
        for each in about["inputs"]
    ]
    return [
        Heading(f"{about['name']}: {about['title']}", 1),
        Line("Every key is optional, and what is not given is not judged.", "dim"),
        Line("`kcfg define --like launch` writes a whole one to start from.", "dim"),
        Heading("Inputs"),
        Table([Column("input"), Column("unit"), Column("")], rows),
    ]


def with_words(doc: str, choices: Iterable[str]) -> str:
    """What a key is, and the words it takes where it does not take any."""
    words = joined(choices, "or")
    return f"{doc} One of {words}.".lstrip() if words else doc
