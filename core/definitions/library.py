"""Where definitions are found: earlier in a file, in a file that is named, or listed by a project.

Paths are those of plain files below the project that the file belongs to which the user named.
Nothing else is opened, nor is it said whether it exists.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from typing import NamedTuple

from kcfg.core import kernels
from kcfg.core.definitions.build import build
from kcfg.core.definitions.document import DEFINES, Definition, read
from kcfg.core.definitions.paths import check_plain, inside, is_path, outside, project
from kcfg.core.definitions.text import Said, Text
from kcfg.core.errors import UnfoundError, UnknownError
from kcfg.core.kernel import Kernel
from kcfg.core.spec.documents import STDIN, Document, documents, lines_of, why_unread
from kcfg.core.spec.nodes import BrokenError, MappingNode, Node, ScalarNode, parse, readable
from kcfg.core.spec.problem import Kind, Problem, listed, shown
from kcfg.core.spec.scalars import is_null, kind_of
from kcfg.core.spec.section import EnoughError, Notes

LARGEST = 1 << 24
"""The most bytes that a file of definitions may have."""


class Found(NamedTuple):
    """A definition that was read, and the class it makes."""

    definition: Definition
    cls: type[Kernel]


class Source(NamedTuple):
    """The text of a definition, and of the one it extends: what another process makes it from."""

    file: str
    document: Document
    parent: Source | None

    def load(self) -> type[Kernel]:
        """The class."""
        return _built(_again(self)).cls


class Library:
    """The definitions that one file can use; ``root`` is the folder of its project.

    ``readers`` are the files whose definitions wait for this one, each with the name that it
    is about.
    """

    def __init__(
        self, file: str, root: str | None = None, readers: tuple[tuple[str, str], ...] = ()
    ) -> None:
        self.file, self.readers = file, readers
        folder = os.path.dirname(file) if file != STDIN else ""
        self.folder = os.path.abspath(folder)
        self.root = root or project(self.folder)
        self.own: dict[str, Found | None] = {}
        self.first: dict[str, tuple[int, int]] = {}
        self._files: dict[str, Shelf] = {}
        self._known: dict[str, type[Kernel]] = {}
        self._at: dict[tuple[str, str | None], type[Kernel]] = {}

    # Definitions of the file itself

    def define(self, document: Document, root: MappingNode, notes: Notes) -> type[Kernel] | None:
        """Take in a definition of the file; None where something is wrong with it."""
        own = Text(document, notes)
        self._known.clear()
        definition = read(root, own, self._extended)
        name = _said(root, DEFINES)
        if name in self.first:
            number, line = self.first[name]
            where = f"by document {number}, in line {line}"
            at = next(value for key, value in root.value if key.value == DEFINES)
            own.wrong(at, DEFINES, f"`{name}` is defined already, {where}")
            return None
        if definition is None:
            self.own.setdefault(name, None)
            return None
        self.first[name] = (document.number, own.at(definition.said.key)[0])
        if kernels.exists(name):
            definition.said.wrong(
                DEFINES, f"`{name}` is the name of a shipped kernel: take another"
            )
        found = _built(definition)
        self.own[name] = None if len(notes) else found
        return None if len(notes) else found.cls

    # Definitions by name or path

    def kernel(self, said: str, folder: str | None = None) -> type[Kernel]:
        """The class that a spec means; raises `UnfoundError` or `UnknownError`."""
        if is_path(said):
            if (said, folder) not in self._at:
                path, name = self._path(said, folder)
                self._at[said, folder] = self._shelf(path).found(name).cls
            return self._at[said, folder]
        if said not in self._known:
            self._known[said] = self._named(said).cls
        return self._known[said]

    def names(self) -> tuple[str, ...]:
        """Every name that a spec may use, without those of shipped kernels."""
        listed_ = (name for shelf in self._listed() for name in shelf.names)
        return tuple(dict.fromkeys((*self.own, *listed_)))

    def _named(self, name: str) -> Found:
        shelves = [shelf for shelf in self._listed() if name in shelf.names]
        shelves = [each for each in shelves if each.path != os.path.realpath(self.file)]
        if name in self.own:
            found = self.own[name]
            if shelves:
                here = f"{self.file}:{self.first.get(name, (0, 0))[1]}"
                message = f"`{name}` may be that of {here} or of {shelves[0].place(name)}"
                raise UnfoundError(f"{message}: rename one")
            if found is None:
                raise UnfoundError(f"`{name}` has mistakes, which are told of at its definition")
            return found
        if len(shelves) > 1:
            places = " or of ".join(shelf.place(name) for shelf in shelves[:2])
            raise UnfoundError(f"`{name}` may be that of {places}: rename one")
        if not shelves:
            raise UnknownError("kernel", name, (*self.names(), *kernels.names()))
        return shelves[0].found(name)

    def _listed(self) -> Iterator[Shelf]:
        """The files that the project lists."""
        from kcfg.core.validate.settings import Projects

        settings = Projects().of(self.file if self.file != STDIN else "-")
        folder = os.path.dirname(settings.file)
        seen = set()
        for pattern in settings.kernels:
            from glob import glob

            for path in sorted(glob(pattern, root_dir=folder or ".", recursive=True)):
                whole = os.path.realpath(os.path.join(folder, path))
                if whole not in seen and inside(whole, self.root) and os.path.isfile(whole):
                    seen.add(whole)
                    yield self._shelf(whole)

    def _path(self, said: str, folder: str | None) -> tuple[str, str]:
        """The file that a path means, and the name behind it; raises `UnfoundError`."""
        path, _, name = said.partition("#")
        whole = os.path.join(self.folder if folder is None else folder, path)
        root = self.root if folder is None else project(os.path.dirname(os.path.abspath(whole)))
        try:
            real = os.path.realpath(whole)
        except (OSError, ValueError):
            raise UnfoundError(f"{shown(path)} is no path of a file", "unreadable") from None
        if not inside(real, root):
            raise UnfoundError(outside(shown(path), root))
        check_plain(real, path)
        return real, name

    def _shelf(self, path: str) -> Shelf:
        if path not in self._files:
            self._files[path] = Shelf(path, self.root, self.readers)
        return self._files[path]

    def _extended(self, said: Said, definition: Definition) -> Definition | type[Kernel] | None:
        """What a definition extends; None, and noted, where that is not to be had."""
        node = said.value
        if not isinstance(node, ScalarNode) or is_null(node):
            given = "nothing" if is_null(node) else kind_of(node)
            said.wrong("extends", f"expected a kernel, or the path of a definition, not {given}")
            return None
        text = node.value
        me = (os.path.realpath(self.file), definition.name)
        try:
            return self._parent(text, me)
        except (UnfoundError, UnknownError) as error:
            kind: Kind = error.kind if isinstance(error, UnfoundError) else "wrong"
            if said.text.heir is None:
                said.text.notes.add(node, "extends", str(error), kind)
            else:
                said.wrong("extends", str(error))
            return None

    def _parent(self, text: str, me: tuple[str, str]) -> Definition | type[Kernel]:
        words = text.split()
        if is_path(text):
            path, name = self._path(text, None)
            shelf = Shelf(path, self.root, (*self.readers, me))
            if path == me[0]:
                if name in ("", me[1]):
                    raise UnfoundError(f"`{me[1]}` extends itself")
                if name in self.own:
                    return self._named(name).definition
            return shelf.found(name).definition
        if text == me[1]:
            raise UnfoundError(f"`{text}` extends itself")
        if words and kernels.exists(words[0]):
            if len(words) > 2:
                raise UnfoundError(f"expected a kernel and a release, not {shown(text)}")
            return kernels.find(words[0], words[1] if len(words) > 1 else None)
        try:
            return self._named(words[0] if len(words) == 2 else text).definition
        except UnknownError:
            found = kernels.of_package(*words) if 0 < len(words) < 3 else None
            if found is None:
                raise
            return found


class Shelf:
    """The definitions of one file, each read when it is asked for."""

    def __init__(self, path: str, root: str, readers: tuple[tuple[str, str], ...]) -> None:
        self.path, self.readers = path, readers
        self.shown = os.path.relpath(path)
        self.library = Library(path, root, readers)
        self.library.file = self.shown
        self._documents: dict[str, Document] = {}
        self._made: dict[str, Found] = {}
        self._twice: dict[str, int] = {}
        self._read = False

    @property
    def names(self) -> tuple[str, ...]:
        """The names of all definitions in the file."""
        self._open()
        return tuple(self._documents)

    def place(self, name: str) -> str:
        """Where a definition of the file begins."""
        return f"{self.shown}:{self._documents[name].line}"

    def found(self, name: str) -> Found:
        """The definition of a name, or the only one; raises `UnfoundError`."""
        names = self.names
        if not names:
            raise UnfoundError(f"{self.shown} defines no kernel")
        if not name:
            if len(names) > 1:
                message = f"{self.shown} defines several kernels: write {self.shown}#NAME, with"
                raise UnfoundError(f"{message} NAME one of {listed(names)}")
            name = names[0]
        if name not in self._documents:
            raise UnfoundError(f"{self.shown} defines no `{name}`, but {listed(names)}")
        if name in self._twice:
            message = f"`{name}` is defined twice, in {self.place(name)} and in line"
            raise UnfoundError(f"{message} {self._twice[name]}")
        if name not in self._made:
            self._made[name] = self._make(name)
        return self._made[name]

    def _make(self, name: str) -> Found:
        key = (self.path, name)
        if key in self.readers:
            chain = [*self.readers[self.readers.index(key) :], key]
            files = " -> ".join(os.path.relpath(path) for path, _ in chain)
            raise UnfoundError(f"extends in a circle: {files}")
        document = self._documents[name]
        root = _parsed(document)
        assert isinstance(root, MappingNode)
        names = [*self._documents]
        above = names[: names.index(name)]  # what stands there is known by its name
        for base in _said(root, "extends").split()[:1]:
            if base in above:
                self.library.own[base] = self.found(base)
        notes = Notes(self.shown, document.line)
        self.library.readers = self.readers
        try:
            definition = read(root, Text(document, notes), self.library._extended)
            found = None if definition is None else _built(definition)
        except EnoughError:
            found = None
        problems = notes.problems()
        if problems or found is None:
            raise UnfoundError(_first(problems), problems[0].kind if problems else "wrong")
        return found

    def _open(self) -> None:
        if self._read:
            return
        self._read = True
        check_plain(self.path, self.shown)
        try:
            with open(self.path, "rb") as stream:
                if os.fstat(stream.fileno()).st_size > LARGEST:
                    raise UnfoundError(f"{self.shown}: more than {LARGEST:,} bytes", "unreadable")
                found = list(documents(lines_of(stream), self.shown))
        except OSError as error:
            raise UnfoundError(
                f"{self.shown}: {why_unread(error, self.path)}", "unreadable"
            ) from None
        for document in found:
            if isinstance(document, Problem):
                if not self._documents:
                    raise UnfoundError(str(document), document.kind)
                continue
            root = _parsed(document) if f"{DEFINES}" in document.text else None
            name = _said(root, DEFINES) if isinstance(root, MappingNode) else ""
            if name in self._documents:
                self._twice.setdefault(name, document.line)
            elif name:
                self._documents[name] = document


def _said(root: MappingNode, name: str) -> str:
    """What a document says under a key; empty where it does not."""
    for key, value in root.value:
        if isinstance(key, ScalarNode) and key.value == name and isinstance(value, ScalarNode):
            return str(value.value)
    return ""


def _parsed(document: Document) -> Node | None:
    try:
        return parse(readable(document.text))
    except (BrokenError, RecursionError):
        return None


def _first(problems: list[Problem]) -> str:
    """What is wrong with a definition that something else uses."""
    if not problems:
        return "this definition has mistakes"
    more = f" (and {len(problems) - 1} more)" if len(problems) > 1 else ""
    return f"{problems[0]}{more}"


def _built(definition: Definition) -> Found:
    cls = build(definition)
    cls.origin = _source(definition)
    cls.address = "-" if definition.own.file == STDIN else f"{definition.own.file}#{cls.kernel}"
    return Found(definition, cls)


def _source(definition: Definition) -> Source:
    parent = None if definition.parent is None else _source(definition.parent)
    return Source(definition.own.file, definition.own.document, parent)


def _again(source: Source) -> Definition:
    """The definition of a text that was read without fault before."""
    root = _parsed(source.document)
    assert isinstance(root, MappingNode)
    notes = Notes(source.file, source.document.line)

    def resolve(said: Said, definition: Definition) -> Definition | type[Kernel]:
        if source.parent is not None:
            return _again(source.parent)
        return kernels.find(*str(said.value.value).split())

    found = read(root, Text(source.document, notes), resolve)
    assert found is not None
    return found


def defining(name: str, source: str) -> str:
    """The file that defined a kernel whose spec stood at ``source``; empty where it is gone."""
    file = source.rpartition("#")[0]
    try:
        check_plain(file, file)
        with open(file, "rb") as stream:
            found = list(documents(lines_of(stream), file))
    except (UnfoundError, OSError, ValueError):
        return ""
    for document in found:
        root = None if isinstance(document, Problem) else _parsed(document)
        if not isinstance(root, MappingNode):
            continue
        if _said(root, DEFINES) == name:
            return file
        for key, value in root.value:
            said = value.value if isinstance(value, ScalarNode) else ""
            if key.value == "kernel" and is_path(said):
                path, _, named = said.partition("#")
                if named in ("", name):
                    return os.path.join(os.path.dirname(file), path)
    return ""
