"""What a command line may name: files, directories of specs, standard input, presets."""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Iterator
from typing import NamedTuple

from kcfg.core.errors import UnknownError, nearest
from kcfg.core.spec.documents import BOM, STDIN, why_unread
from kcfg.core.spec.problem import Problem

SPECS = (".kcfg.yaml", ".kcfg.yml")
"""Endings of the files that are specs whatever they hold."""

YAML = (".yaml", ".yml")
"""Endings of the files that are specs if their top level has `kernel:`."""

SNIFFED = 1 << 20
"""Bytes of such a file that are looked at."""

KERNEL = rb"""(?m)^(?:---[ \t]+)?\{?[ \t]*["']?kernel["']?[ \t]*:"""
"""A `kernel:` that may belong to the top level: at the start of a line, or in a first bracket."""

NAMELESS = "name a spec file, a directory, a preset, or `-` for standard input"
TWICE = "standard input can be read only once"
"""What is said where nothing is named, and where standard input is named again."""


PRESET = "preset:"
"""What stands before the name of a preset where a file's would."""

PICKED = r"(?s)(.+)#([1-9][0-9]{0,8})(?::[0-9]+)?"
"""A document of a file as output names it: ``my.kcfg.yaml#2:54``, by its number, and its line."""
NOT_PICKED = "#N picks one document of YAML, and these are saved reports"


class Source(NamedTuple):
    """Something that holds specs: the path to be opened, and what messages call it.

    The path ``-`` is standard input. ``only`` is the number of the one document that is meant.
    """

    path: str
    file: str
    only: int | None = None

    @property
    def home(self) -> str:
        """A path in its project: standard input and presets belong to where one is."""
        return self.path if self.file == self.path else "-"


def sources(names: Iterable[str], presets: Iterable[str] = ()) -> Iterator[Source | Problem]:
    """Everything to be read, in the order of the names, then the ``presets``.

    A name is a file's, a directory's, ``-``, or a preset's where there is no such file. Behind
    that of a file or preset the number of a document may stand, as in ``my.kcfg.yaml#2``.
    """
    for name in names:
        if name == "-":
            yield Source(name, STDIN)
        elif os.path.isdir(name):
            yield from _below(name)
        elif os.path.lexists(name) or "\0" in name:  # which whoever opens it refuses
            yield Source(name, name)
        else:
            file, only = picked(name)
            found = Source(file, file) if os.path.isfile(file) else _shipped(file, name)
            yield found._replace(only=only) if isinstance(found, Source) else found
    for preset in presets:
        yield _preset(preset)


def picked(name: str) -> tuple[str, int | None]:
    """The file of a name, and the number of its document, as in ``my.kcfg.yaml#2:54``; else None.

    A file whose own name has such an end is that file.
    """
    found = re.fullmatch(PICKED, name) if "#" in name and not os.path.lexists(name) else None
    return (found[1], int(found[2])) if found else (name, None)


def _shipped(preset: str, name: str) -> Source | Problem:
    """The preset of a name that no file has; where there is none, that there is neither."""
    from kcfg.core import presets

    preset = preset.removeprefix(PRESET)
    if preset in presets.names():
        return Source(presets.path(preset), f"{PRESET}{preset}")
    from kcfg.core import kernels

    close = nearest(name, presets.names())
    hint = f" (did you mean the preset {close!r}?)" if close else ""
    if kernels.exists(name) or name == "launch":
        lists = "`kcfg presets` lists specs to start from"
        starts = lists if name != "launch" else "`kcfg define --like launch` writes one"
        hint = f", and `{name}` is a kernel, which a spec names: {starts}"
    why = why_unread(FileNotFoundError(), name)
    return Problem(name, 0, 0, "", f"{why}{hint}", "unreadable")


def _preset(name: str) -> Source | Problem:
    from kcfg.core import presets

    try:
        return Source(presets.path(name), f"{PRESET}{name}")
    except UnknownError as unknown:
        return Problem(f"--preset {name}", 0, 0, "", str(unknown), "asked")


def _below(folder: str) -> Iterator[Source | Problem]:
    troubles: list[OSError] = []
    empty = True
    for place, folders, names in os.walk(folder, onerror=troubles.append):
        folders[:] = sorted(name for name in folders if not name.startswith("."))
        for name in sorted(names):
            path = os.path.join(place, name)
            if name.endswith(SPECS) or (name.endswith(YAML) and _has_kernel(path)):
                empty = False
                yield Source(path, path)
    for trouble in troubles:
        message = f"this directory cannot be read: {trouble.strerror or trouble}"
        yield Problem(str(trouble.filename or folder), 0, 0, "", message, "unreadable")
    if empty and not troubles:
        kinds = f"{' or '.join('*' + ending for ending in SPECS)}, or YAML with `kernel:`"
        yield Problem(folder, 0, 0, "", f"no spec in this directory: no {kinds}", "unreadable")


def _has_kernel(path: str) -> bool:
    """Whether a YAML file looks like a spec; one that cannot be read does not."""
    try:
        if not os.path.isfile(path):
            return False
        with open(path, "rb") as file:
            data = file.read(SNIFFED)
    except OSError:
        return False
    return b"kernel" in data and re.search(KERNEL, data.removeprefix(BOM)) is not None
