"""Reading specs: YAML to a kernel, a release, a target and a shape, or to problems.

`read` and `read_file` give one item a document, in order: a `Spec`, or the list of
everything that is wrong with it. They raise nothing, whatever the input holds.
"""

from __future__ import annotations

import io
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import TYPE_CHECKING, Any, ClassVar, NamedTuple, TypeVar

from kcfg.core.hardware.target import Target
from kcfg.core.kernel import Kernel
from kcfg.core.spec.calls import CALL, beside, of_call, without
from kcfg.core.spec.documents import STDIN, Document, documents, lines_of, opened, why_unread
from kcfg.core.spec.head import Head
from kcfg.core.spec.known import Known, defines, picked
from kcfg.core.spec.nodes import BrokenError, MappingNode, Node, ScalarNode, parse, readable
from kcfg.core.spec.overrides import NOTHING, Overrides
from kcfg.core.spec.problem import Problem
from kcfg.core.spec.scalars import is_null, kind_of
from kcfg.core.spec.section import (
    MERGE,
    TOO_MANY,
    EnoughError,
    Entry,
    Notes,
    Places,
    Span,
    entries,
    untagged,
)
from kcfg.core.spec.shape import Called, Shape, grammar, needed, read_shape

if TYPE_CHECKING:
    from kcfg.core.spec.expectation import Expectation

__all__ = ["STDIN", "Overrides", "Problem", "Spec", "read", "read_file"]

T = TypeVar("T")

KEYS = ("kernel", "release", "target", "name", "shape", "call", "expect", "build")
"""What the top level of a spec may hold."""
HOLDS = "a mapping with `kernel:` and `shape:`"
OF_REPORTS = frozenset(("schema", "values", "units"))
"""Keys by which a saved report is told from a spec with mistakes."""
REPORT = "this is a saved report and no spec: `kcfg validate` and `kcfg diff` take it"


class Spec(NamedTuple):
    """One spec, checked: everything a derivation needs, and where each part was written.

    ``shape`` has the given inputs by attribute name, ready for ``cls``; ``given`` the keys
    of ``shape`` that have a value, as written or set on the command line. ``at`` has the
    positions of a key and of its value by path: ``kernel``, ``shape.depth``. ``source`` is
    the file, the number of the document and the line of its first key. Where nothing names a
    release, ``release`` is the newest, and ``release_given`` false. ``build`` is the kernel's
    name in what a compiler makes of it, or a pattern, where that is said.
    """

    kernel: str
    cls: type[Kernel]
    release: str
    target: Target
    name: str | None
    source: str
    shape: dict[str, Any]
    given: tuple[str, ...]
    at: Mapping[str, Span]
    expect: dict[str, Expectation]
    release_given: bool = True
    build: str | None = None

    def derive(self) -> Kernel:
        """The kernel's configuration; every number is computed when it is asked for."""
        return self.cls(target=self.target, **self.shape)


def read(
    source: str | bytes, file: str, overrides: Overrides | None = None, only: int | None = None
) -> Iterator[Spec | list[Problem]]:
    """The specs of a YAML text, one item a document; ``file`` is its name in messages.

    Empty documents are passed over, unless there is nothing else, and all others than the
    ``only`` one of a number.
    """
    data = source.encode("utf-8", "surrogatepass") if isinstance(source, str) else source
    return _read(lines_of(io.BytesIO(data)), file, overrides, only)


def read_file(
    path: str, overrides: Overrides | None = None, file: str = "", only: int | None = None
) -> Iterator[Spec | list[Problem]]:
    """The specs of a file, or of standard input for ``-``; ``file`` is its name in messages.

    A file that cannot be opened or read is a problem like any other.
    """
    file = file or (STDIN if path == "-" else path)
    try:
        with opened(path) as stream:
            yield from _read(lines_of(stream), file, overrides, only)
    except OSError as error:
        yield [Problem(file, 0, 0, "", why_unread(error, path), "unreadable")]


def _read(
    lines: Iterable[bytes], file: str, overrides: Overrides | None, only: int | None
) -> Iterator[Spec | list[Problem]]:
    known, others = Known(file), False
    definitions: list[Defined] = []
    for document in picked(documents(lines, file), only, file):
        if isinstance(document, Problem):
            yield [document]
            continue
        item = read_document(document, file, overrides or NOTHING, known)
        others = others or not isinstance(item, Defined)
        if isinstance(item, Defined):
            definitions += [item] if only in (None, document.number) else []
        else:
            yield item
    for each in definitions if not others else ():
        item = read_document(each.spec, file, overrides or NOTHING, known)
        if not isinstance(item, Defined):
            yield item


def _must_say(cls: type[Kernel]) -> bool:
    """Whether a spec of a kernel must have a shape: not where every input has a default."""
    return bool(cls.needed) or hasattr(cls, "read_shape")


class Defined:
    """A definition without fault: its class, and a spec of it that gives nothing."""

    def __init__(self, cls: type[Kernel], spec: Document) -> None:
        self.cls, self.spec = cls, spec


def read_document(
    document: Document, file: str, overrides: Overrides, known: Known
) -> Spec | Defined | list[Problem]:
    """One document's spec, or everything that is wrong with it; ``known`` are its file's kernels.

    A definition becomes one of these.
    """

    def read(root: Node | None, notes: Notes) -> Spec | Defined | None:
        if isinstance(root, MappingNode) and defines(root):
            cls = known.define(document, root, notes)
            return None if cls is None else Defined(cls, unsaid(cls, document))
        return Reading(document, file, overrides, notes, known).spec(root)

    return checked(document, file, read)


def unsaid(cls: type[Kernel], document: Document) -> Document:
    """A spec of a kernel, where its definition stands, that leaves everything to its defaults."""
    return document._replace(text=f"kernel: {cls.kernel}\nshape: {{}}\n")


def checked(
    document: Document, file: str, read: Callable[[Node | None, Notes], T | None]
) -> T | list[Problem]:
    """What ``read`` makes of a document's root, or everything that is wrong with it."""
    notes = Notes(file, document.line)
    document = (
        document._replace(text=readable(document.text)) if "\\" in document.text else document
    )
    try:
        if "&" in document.text or "*" in document.text:
            notes.aliases(document)
        root = parse(document.text)
        found = read(root, notes)
    except EnoughError:
        problems = notes.problems()
        last = problems[-1]._replace(path="", message=TOO_MANY)
        return [*problems, last]
    except (BrokenError, RecursionError) as error:
        if notes and isinstance(error, BrokenError) and error.composing:
            return notes.problems()  # of an anchor or alias, which are noted
        from kcfg.core.spec.yaml_errors import breakage

        return [*notes.problems(), breakage(error.__cause__ or error, document, file)]
    return notes.problems() if notes or found is None else found


class Reading:
    """One document on its way to a spec; what is wrong goes to ``notes``."""

    keys: ClassVar[tuple[str, ...]] = KEYS

    def __init__(
        self, document: Document, file: str, overrides: Overrides, notes: Notes, known: Known
    ) -> None:
        self.document, self.file, self.overrides, self.notes = document, file, overrides, notes
        self.known = known
        self.called: dict[str, Entry] = {}  # what stands under `call`, and holds

    def spec(self, root: Node | None) -> Spec | None:
        """The spec, or None where something was noted."""
        notes = self.notes
        if not isinstance(root, MappingNode):
            self._no_mapping(root)
            return None
        untagged(root, "", notes)
        if {key.value for key, _ in root.value if isinstance(key, ScalarNode)} >= OF_REPORTS:
            notes.add(root, "", REPORT)
            return None
        top = entries(root, "", notes)
        if self.overrides != NOTHING:
            top = self.overrides.default(top) | self.overrides.top()
        for key, entry in top.items():
            if key not in self.keys and key != MERGE:
                notes.unknown(entry.key, key, self.keys)
        head = Head(top, root, notes, self.known)
        cls = self._called(head, head.kernel())
        target, name = head.target(cls), head.name()
        found = self._shape(head, cls)
        expected = self.section(head, "expect") or {}
        expect: dict[str, Expectation] = {}
        if expected:
            from kcfg.core.spec.expectation import read_expect

            expect = read_expect(expected, cls, notes)
        built = self.section(head, "build") or {}
        build = head.build(built) if built else None
        if cls is None or found is None:
            return None
        shape = self.inputs(head, cls, found)
        if notes or target is None:
            return None
        for key, message in self.faults(cls, target, shape.values):
            self._faulty(head, shape.at, key, message)
        if notes:
            return None
        shape.at.mappings |= {"": top, "expect": expected, "build": built}
        if head.has(CALL):
            shape.at.mappings[CALL] = self.called
        source = f"{self.file}#{self.document.number}:{notes.position(root)[0]}"
        return Spec(
            cls.kernel,
            cls,
            cls.release,
            target,
            name,
            source,
            shape.values,
            shape.given,
            shape.at,
            expect,
            release_given=head.has("release") or not cls.release,
            build=build,
        )

    def faults(
        self, cls: type[Kernel], target: Target, inputs: dict[str, Any]
    ) -> Iterable[tuple[str, str]]:
        """What is wrong with what the inputs come to, by key and message; see `Kernel.faults`."""
        return cls.faults(target, inputs)

    def _called(self, head: Head, cls: type[Kernel] | None) -> type[Kernel] | None:
        """The class that derives the call, where the spec or the command line has one."""
        if cls is None:
            return None
        if not head.has(CALL):
            settings = [key for key, _ in self.overrides.shape()]
            return (settings and of_call(cls, settings)) or cls
        called = cls.of_call()
        if called is None:
            from kcfg.core.kernels import with_calls

            self.notes.add(head.top[CALL].key, CALL, without(cls, with_calls()))
        return called

    def _faulty(self, head: Head, at: Places, key: str, message: str) -> None:
        """Note what is wrong with what the inputs come to, at the one it is about.

        Where that is not given, at the nearest one around it.
        """
        path = f"shape.{key}" if key else "shape"
        entry, around = at.entry(path), path
        while entry is None and around != "shape":
            around = around[: max(around.rfind("."), around.rfind("["))]
            entry = at.entry(around)
        node = head.top["shape"].key if "shape" in head.top else head.root
        self.notes.add(entry.value if entry else node, path, message)

    def inputs(self, head: Head, cls: type[Kernel], found: dict[str, Entry]) -> Shape:
        """The kernel's inputs, from the entries of ``shape``."""
        node = head.top["shape"].key if "shape" in head.top else head.root
        call = Called(head.top[CALL].key, frozenset(self.called)) if head.has(CALL) else None
        return read_shape(cls, found, node, self.notes, call)

    def _no_mapping(self, root: Node | None) -> None:
        if root is None or is_null(root):
            message = f"no spec here: document {self.document.number} is empty"
            self.notes.add(root, "", message, "unreadable")
        else:
            self.notes.add(root, "", f"expected {HOLDS}, not {kind_of(root)}")

    def section(self, head: Head, key: str) -> dict[str, Entry] | None:
        """The entries of a mapping at the top level; None where there is none."""
        if not head.has(key):
            return None
        node = head.top[key].value
        if isinstance(node, MappingNode):
            return entries(node, key, self.notes)
        self.notes.add(node, key, f"expected a mapping, not {kind_of(node)}")
        return None

    def _shape(self, head: Head, cls: type[Kernel] | None) -> dict[str, Entry] | None:
        """The entries of ``shape``, with those of the command line in their places."""
        found = self.section(head, "shape")
        if found is None:
            if head.has("shape"):
                return None
            said = "shape" in head.top or self.overrides.shape() or MERGE in head.top
            lacks = not head.has("kernel") if cls is None else _must_say(cls)
            if not said and lacks:
                inputs = needed(cls, head.has(CALL)) if cls else ""
                holds = f": a mapping with {inputs}" if inputs else ""
                self.notes.add(head.root, "shape", f"missing key `shape`{holds}")
                return None
            found = {}
        if self.overrides != NOTHING:
            self.overrides.over(found, cls, self.notes)
        call = self.section(head, CALL)
        if cls is not None and (call is not None or grammar(cls).call):
            together = beside(found, call or {}, cls, self.notes)
            self.called = {k: entry for k, entry in (call or {}).items() if together[k] is entry}
            return together
        return found
