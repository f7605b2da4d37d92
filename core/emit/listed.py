"""The list ``emit`` in ``[tool.kcfg]``: the files of a project that kcfg writes."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from typing import Any, NamedTuple

EXAMPLE = '{spec = "fa4.yaml", lang = "cpp", output = "fa4.h"}'


class Output(NamedTuple):
    """One file: what it is emitted from and in which language; paths as the project says them.

    ``name`` is that of the spec, for a file with several; ``namespace`` the one of C++ and CUDA.
    """

    spec: str
    lang: str
    output: str
    name: str | None = None
    namespace: str | None = None


def read(value: Any) -> tuple[Output, ...]:
    """The list as TOML gives it.

    Raises TypeError for what is no such list, `UnknownError` for a language without a writer.
    """
    from kcfg.core.printing import shortened

    if not isinstance(value, list):
        raise TypeError(f"expected a list of tables, such as [{EXAMPLE}]")
    outputs = tuple(_output(entry, number) for number, entry in enumerate(value, 1))
    seen: set[str] = set()
    for number, each in enumerate(outputs, 1):
        if each.output in seen:
            raise TypeError(f"entry {number}: output {shortened(each.output)!r} is listed twice")
        seen.add(each.output)
    return outputs


def misplaced(outputs: Iterable[Output], project: str) -> Iterator[str]:
    """What speaks against writing these files for the pyproject.toml ``project``.

    It may say what lies below its folder: nothing else, through no link, and neither its own
    sources nor one file twice.
    """
    from kcfg.core.spec.problem import shown

    outputs, folder = tuple(outputs), os.path.dirname(project)
    root = os.path.realpath(folder)
    taken = {os.path.realpath(project): "is this project file itself"}
    for each in outputs:
        taken[os.path.realpath(os.path.join(folder, each.spec))] = "is a spec of this list"
    for number, each in enumerate(outputs, 1):
        said = f"entry {number}: output {shown(each.output)}"
        place = os.path.realpath(os.path.join(folder, each.output))
        if os.path.isabs(each.output):
            yield f"{said} is absolute: name it from the folder of the project file"
        elif os.path.commonpath((root, place)) != root:
            yield f"{said} is outside the project's folder, at {place}: name a file below it"
        elif place in taken:
            yield f"{said} {taken[place]}: name another file"
        taken[place] = "is listed twice"


def _output(entry: Any, number: int) -> Output:
    from kcfg.core import emit
    from kcfg.core.errors import UnknownError
    from kcfg.core.spec.problem import meant, quoted, shown

    if not isinstance(entry, dict):
        raise TypeError(f"entry {number}: expected a table, such as {EXAMPLE}")
    for key, text in entry.items():
        if key not in Output._fields:
            known = meant(key, Output._fields)
            raise TypeError(f"entry {number}: unknown key {shown(key)}; {known}")
        if not isinstance(text, str) or not text or "\0" in text:
            raise TypeError(f"entry {number}: {key} takes a text in quotes, not {quoted(text)}")
    missing = [key for key in ("spec", "lang", "output") if key not in entry]
    if missing:
        raise TypeError(f"entry {number}: missing {', '.join(missing)}; such as {EXAMPLE}")
    if entry["lang"] not in emit.names():
        raise UnknownError(f"lang of entry {number}", entry["lang"], emit.names())
    return Output(**entry)
