"""The kernels, and one of them with its releases, inputs and values: as facts, and as pages."""

from __future__ import annotations

from itertools import groupby
from typing import Any

from kcfg.cli.pages.launch_keys import with_words
from kcfg.cli.pages.pieces import Column, Heading, Line, Piece, Row, Table
from kcfg.core.block.places import doc, unit_of
from kcfg.core.docs import one_line
from kcfg.core.engine.quantity import REQUIRED, Input
from kcfg.core.kernel import Kernel
from kcfg.core.kernels import releases


def brief(cls: type[Kernel]) -> dict[str, Any]:
    """A kernel among others."""
    found = [cls.release] if cls.digest is not None else list(releases(cls.kernel))
    return {
        "name": cls.kernel,
        "library": cls.library or None,
        "title": cls.title,
        "releases": found,
    }


def overview(briefs: list[dict[str, Any]]) -> list[Piece]:
    """All kernels, a table for each library; those of none come under their own heading."""
    columns = [Column("kernel"), Column("releases"), Column("what it is")]
    found: list[Piece] = []
    for library, group in groupby(briefs, lambda brief: brief["library"] or "Of no library"):
        rows = [Row((each["name"], ", ".join(each["releases"]), each["title"])) for each in group]
        found += [Heading(library), Table(columns, rows)]
    return found


def whole(found: list[type[Kernel]]) -> dict[str, Any]:
    """A kernel by its releases, the newest last: whose inputs and values these are."""
    cls = found[-1]
    return {
        "name": cls.kernel,
        "library": cls.library or None,
        "title": cls.title,
        "struct": cls.struct,
        "releases": [{"release": each.release, "changes": each.changes} for each in found],
        "inputs": [
            {
                "name": member.key,
                "unit": member.unit,
                "required": member.default is REQUIRED,
                "default": None if member.default is REQUIRED else member.default,
                "doc": member.doc,
                "choices": list(member.choices),
            }
            for member in cls.inputs.values()
        ],
        "call": [
            {"name": member.key, "unit": member.unit, "doc": member.doc} for member in _of_call(cls)
        ],
        "values": [
            {"name": key, "unit": member.unit, "doc": member.doc} for key, member in cls.declared()
        ],
        "places": [
            {"name": key, "unit": member.unit, "doc": member.doc or _place(key)}
            for key, member in cls.places()
            if member.unit != "bool"
        ],
    }


def manual(found: list[type[Kernel]]) -> list[Piece]:
    """The same as a page."""
    cls, about = found[-1], whole(found)
    known = {member.key for member in cls.inputs.values()}
    spellings = [
        Row(
            (
                each.word,
                each.read.unit,
                f"in place of {each.means}",
                with_words(each.read.doc, each.read.choices),
            )
        )
        for each in cls.spellings
    ]
    inputs = [
        Row(
            (
                member.key,
                member.unit,
                _default(member.default),
                with_words(member.doc, member.choices),
            )
        )
        for member in cls.inputs.values()
    ]
    calls = [
        Row(
            (
                member.key,
                member.unit,
                _default(member.default),
                with_words(member.doc, member.choices),
            )
        )
        for member in _of_call(cls)
        if member.key not in known
    ]
    return [
        Heading(f"{about['name']}: {about['title']}", 1),
        Line(f"Follows {about['struct']}.", "dim"),
        Heading("Releases"),
        Table(
            [Column("release"), Column("what it changed")],
            [Row((each.release, each.changes)) for each in found],
        ),
        Heading(f"Inputs of {cls.release}"),
        Table([Column("input"), Column("unit"), Column("default"), Column("")], inputs + spellings),
        *_call(calls, cls.release),
        Heading(f"Values of {cls.release}"),
        _named("value", about["values"]),
        *([Heading("Places"), _named("place", about["places"])] if about["places"] else ()),
    ]


def _place(key: str) -> str:
    """What a place is that says nothing itself; empty where its name says it."""
    return doc(key) if unit_of(key) is not None else ""


def _named(what: str, entries: list[dict[str, Any]]) -> Table:
    """What has a name, a unit and a text."""
    rows = [Row((each["name"], each["unit"], one_line(each["doc"]))) for each in entries]
    return Table([Column(what), Column("unit"), Column("")], rows)


def _of_call(cls: type[Kernel]) -> list[Input]:
    """The inputs of a kernel's calls; none where it is not known what they launch."""
    called = cls.of_call()
    return [member for member in called.inputs.values() if member.call] if called else []


def _call(rows: list[Row], release: str) -> list[Piece]:
    """What a spec may say under ``call``."""
    columns = [Column("call"), Column("unit"), Column("default"), Column("")]
    return [Heading(f"Call of {release}"), Table(columns, rows)] if rows else []


def _default(value: Any) -> str:
    if value is REQUIRED:
        return "required"
    if value is None:
        return "absent"
    return str(value).lower() if isinstance(value, bool) else str(value)
