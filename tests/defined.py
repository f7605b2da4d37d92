"""Definitions for tests: their files, and classes made from texts."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from kcfg.core.kernel import Kernel
from kcfg.core.spec import Defined, Spec, read, read_document, read_file
from kcfg.core.spec.documents import Document
from kcfg.core.spec.known import Known
from kcfg.core.spec.overrides import NOTHING

FOLDER = Path(__file__).parent / "definitions"
EXAMPLES = sorted(path.name.partition(".")[0] for path in FOLDER.glob("*.kcfg.yaml"))
WRONG = sorted((FOLDER / "wrong").glob("*.kcfg.yaml"))


def path(name: str) -> Path:
    return FOLDER / f"{name}.kcfg.yaml"


def specs(name: str) -> list[Spec]:
    """The specs that stand behind an example."""
    found = list(read_file(str(path(name))))
    assert all(isinstance(each, Spec) for each in found), found
    return [each for each in found if isinstance(each, Spec)]


def made(text: str) -> type[Kernel]:
    """The class that a definition makes."""
    found = read_document(Document(1, 1, text), "test.kcfg.yaml", NOTHING, Known("test.kcfg.yaml"))
    assert isinstance(found, Defined), found
    return found.cls


def derived(text: str, **shape: Any) -> Kernel:
    """A configuration of a definition, as a spec below it gives it."""
    said = ", ".join(f"{key}: {str(value).lower()}" for key, value in shape.items())
    name = made(text).kernel
    whole = f"{text}\n---\nkernel: {name}\nshape: {{{said}}}\n"
    (spec,) = read(whole, "test.kcfg.yaml")
    assert isinstance(spec, Spec), [str(each) for each in spec]
    return spec.derive()


def complaints(text: str) -> list[tuple[str, str]]:
    """What is wrong with a text: line and column of each, and the message."""
    return [
        (f"{problem.line}:{problem.column}", problem.message)
        for item in read(text, "test.kcfg.yaml")
        if isinstance(item, list)
        for problem in item
    ]
