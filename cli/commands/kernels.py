"""``kcfg kernels``: the kernels and releases kcfg can derive."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, Annotated, Any

from kcfg.cli.options import KernelName, ListFormat

if TYPE_CHECKING:
    from kcfg.cli.page import Block
    from kcfg.core.kernel import Kernel
    from kcfg.core.launch.keys import Group, Key


def kernels(name: Annotated[str | None, KernelName] = None, format: ListFormat = "table") -> None:
    """List the kernels, or one kernel's releases, inputs and values."""
    from kcfg.cli.listing import show
    from kcfg.cli.specs import known
    from kcfg.core import kernels as registry
    from kcfg.core.spec.head import LAUNCH, kernel_named

    if name is None:
        briefs = [_brief(registry.find(each)) for each in registry.names()]
        briefs.append(_launch_brief())
        show(format, briefs, _overview(briefs))
        return
    with known():
        kernel_named(name)
    if name == LAUNCH:
        show(format, _launch(), _launch_manual())
        return
    releases = [registry.find(name, each) for each in registry.releases(name)]
    show(format, _whole(releases), _manual(releases))


def _brief(cls: type[Kernel]) -> dict[str, Any]:
    from kcfg.core.kernels import releases

    return {"name": cls.kernel, "title": cls.title, "releases": list(releases(cls.kernel))}


def _launch_brief() -> dict[str, Any]:
    from kcfg.core.launch.reading import LaunchSpec

    return {"name": LaunchSpec.kernel, "title": LaunchSpec.title, "releases": []}


def _launch() -> dict[str, Any]:
    """What a launch is described by: every key with its path."""
    from kcfg.core.launch.launch import Launch

    keys = [
        {
            "name": path,
            "unit": key.unit,
            "required": False,
            "default": None,
            "doc": key.doc,
            "choices": list(key.choices),
        }
        for path, key in _keys(Launch, "")
    ]
    return {**_launch_brief(), "struct": None, "inputs": keys, "values": []}


def _keys(group: type[Group], path: str) -> Iterator[tuple[str, Key]]:
    """The keys of a group and of the groups in it, by their paths; lists have `[]`."""
    from kcfg.core.launch.keys import Group

    for name, key in group.keys.items():
        place = f"{path}{name}{'[]' if key.many else ''}"
        yield place, key
        if issubclass(key.kind, Group):
            yield from _keys(key.kind, f"{place}.")


def _launch_manual() -> list[Block]:
    from kcfg.cli.page import Column, Heading, Line, Row, Table

    whole = _launch()
    rows = [
        Row((each["name"], each["unit"], _told(each["doc"], each["choices"])))
        for each in whole["inputs"]
    ]
    return [
        Heading(f"{whole['name']}: {whole['title']}", 1),
        Line("Every key is optional, and what is not given is not judged.", "dim"),
        Heading("Inputs"),
        Table([Column("input"), Column("unit"), Column("")], rows),
    ]


def _told(doc: str, choices: Iterable[str]) -> str:
    """What a key is, and the words it takes where it does not take any."""
    from kcfg.core.figures import joined

    words = joined(choices, "or")
    return f"{doc} One of {words}." if words else doc


def _overview(briefs: list[dict[str, Any]]) -> list[Block]:
    from kcfg.cli.page import Column, Row, Table

    columns = [Column("kernel"), Column("releases"), Column("what it is")]
    rows = [Row((brief["name"], ", ".join(brief["releases"]), brief["title"])) for brief in briefs]
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
                "choices": list(member.choices),
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
        Row(
            (
                each.word,
                each.read.unit,
                f"in place of {each.means}",
                _told(each.read.doc, each.read.choices),
            )
        )
        for each in releases[-1].spellings
    ]
    inputs = [
        Row(
            (
                member.key,
                member.unit,
                "required" if member.default is REQUIRED else _default(member.default),
                _told(member.doc, member.choices),
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
