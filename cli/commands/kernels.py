"""``kcfg kernels``: the kernels and releases kcfg can derive."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any

from kcfg.cli.options import KernelName, ListFormat

if TYPE_CHECKING:
    from kcfg.cli.page import Block
    from kcfg.core.kernel import Kernel


def kernels(name: Annotated[str | None, KernelName] = None, format: ListFormat = "table") -> None:
    """List the kernels, or one kernel's releases, inputs and values."""
    from kcfg.cli.listing import show
    from kcfg.cli.specs import known
    from kcfg.core import kernels as registry

    if name is None:
        newest = [registry.find(each) for each in registry.names()]
        show(format, [_brief(cls) for cls in newest], _overview(newest))
        return
    with known():
        releases = [registry.find(name, each) for each in registry.releases(name)]
    show(format, _whole(releases), _manual(releases))


def _brief(cls: type[Kernel]) -> dict[str, Any]:
    from kcfg.core.kernels import releases

    return {"name": cls.kernel, "title": cls.title, "releases": list(releases(cls.kernel))}


def _overview(newest: list[type[Kernel]]) -> list[Block]:
    from kcfg.cli.page import Column, Row, Table

    columns = [Column("kernel"), Column("releases"), Column("what it is")]
    rows = [
        Row((brief["name"], ", ".join(brief["releases"]), brief["title"]))
        for brief in map(_brief, newest)
    ]
    return [Table(columns, rows)]


def _whole(releases: list[type[Kernel]]) -> dict[str, Any]:
    from kcfg.core.engine.quantity import REQUIRED

    cls = releases[-1]
    return {
        "name": cls.kernel,
        "title": cls.title,
        "struct": cls.struct,
        "releases": [{"release": each.release, "changes": each.changes} for each in releases],
        "inputs": [
            {
                "name": member.key,
                "unit": member.unit,
                "required": member.default is REQUIRED,
                "default": None if member.default is REQUIRED else member.default,
                "doc": member.doc,
            }
            for member in cls.inputs.values()
        ],
        "values": [
            {"name": key, "unit": member.unit, "doc": member.doc} for key, member in cls.declared()
        ],
    }


def _manual(releases: list[type[Kernel]]) -> list[Block]:
    from kcfg.cli.page import Column, Heading, Line, Row, Table
    from kcfg.core.engine.quantity import REQUIRED

    whole = _whole(releases)
    spellings = [
        Row((each.word, each.read.unit, f"in place of {each.means}", each.read.doc))
        for each in releases[-1].spellings
    ]
    inputs = [
        Row(
            (
                member.key,
                member.unit,
                "required" if member.default is REQUIRED else _default(member.default),
                member.doc,
            )
        )
        for member in releases[-1].inputs.values()
    ]
    values = [Row((each["name"], each["unit"], each["doc"])) for each in whole["values"]]
    return [
        Heading(f"{whole['name']}: {whole['title']}", 1),
        Line(f"Follows {whole['struct']}.", "dim"),
        Heading("Releases"),
        Table(
            [Column("release"), Column("what it changed")],
            [Row((each.release, each.changes)) for each in releases],
        ),
        Heading(f"Inputs of {releases[-1].release}"),
        Table([Column("input"), Column("unit"), Column("default"), Column("")], inputs + spellings),
        Heading(f"Values of {releases[-1].release}"),
        Table([Column("value"), Column("unit"), Column("")], values),
    ]


def _default(value: Any) -> str:
    if value is None:
        return "absent"
    return str(value).lower() if isinstance(value, bool) else str(value)
