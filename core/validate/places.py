"""From what a finding blames to the key in the file: only asked when something was found."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import cache, partial

from kcfg.core.block.derived import asked_for
from kcfg.core.finding import Finding
from kcfg.core.findings import blamed_inputs
from kcfg.core.kernel import Kernel
from kcfg.core.spec import Spec
from kcfg.core.spec.section import NOWHERE, Position
from kcfg.core.spec.shape import grammar
from kcfg.core.validate.advice import LATER, Advice, Answers
from kcfg.core.validate.result import Located, Place

At = Callable[..., list[Place]]
"""Where a key is given, by its path."""

UNSUPPORTED = "CFG001"
"""The rule that gives the kernel's own verdict; what mends it is searched for."""


def located(
    spec: Spec, file: str, found: Sequence[Finding], subject: Kernel, advice: Advice
) -> Iterator[Located]:
    """Every finding at the key it blames.

    Of a launch that is the key itself, or the nearest one around it that is given. Of a
    derived kernel it is the input that asks for the blamed value, where that came of it; else a
    given one that the value rests on, and the others that it rests on are listed: first the one
    whose change mends an unsupported configuration.
    """
    refused = any(finding.rule == UNSUPPORTED for finding in found)
    answers = advice.of(subject) if refused else []
    mending = {change.key for changes in answers or () for change in changes}
    at = cache(partial(_at, spec))  # findings of one document rest on much the same keys
    for finding in found:
        if finding.rule == UNSUPPORTED:
            finding = _mended(finding, answers)
        # A verdict is about all that it rests on; any other finding about one figure.
        asked = asked_for(subject, finding.path) if finding.rule != UNSUPPORTED else ""
        own = asked in spec.given
        found_at = (
            at(f"shape.{asked}", _path(spec, asked)) if own else _places(spec, at, finding.path)
        )
        if not found_at and finding.rule == UNSUPPORTED:  # blamed is a default: point at what mends
            keys = (f"shape.{key}" for key in sorted(mending))
            found_at = [place for key in keys for place in at(key)]
        places = sorted(found_at, key=lambda each: _order(spec, each, mending))
        first, *others = places or [_around(at, finding.path)]
        placed = finding._replace(file=file, line=first.line, column=first.column)
        rests = places or blamed_inputs(spec.cls, finding.path)
        said = None if rests else in_text(spec.cls, finding.path, file)
        if said is not None:  # no input is to blame for what a definition says of all specs
            line, column = said
            placed = placed._replace(line=line, column=column)
        yield Located(placed, tuple(others), given=first.line)


def in_text(cls: type[Kernel], path: str, file: str) -> Position | None:
    """Line and column in a file of the definition there that says what a finding is about.

    That is its own key, or the nearest one around it; of a value that is several keys, its
    formula. None for what none there says.
    """
    said = cls.places_in_text
    keys = [block for block, key in cls.plays.items() if key == path]
    keys = keys if len(keys) == 1 else []
    for key in (path, *keys, f"values.{path}", f"inputs.{path}"):
        for around in _outwards(key):
            if around in said and said[around][0] == file:
                return said[around][1:]
    return None


def _outwards(path: str) -> Iterator[str]:
    """A path, and every one around it."""
    yield path
    while path := path[: max(path.rfind("."), path.rfind("["), 0)]:
        yield path


def _mended(finding: Finding, answers: Answers | None) -> Finding:
    """The finding with what passes as its fix: the rule itself does not search for it."""
    if not answers:
        said_so = finding.message if answers is not None else f"{finding.message}; {LATER}"
        return finding._replace(message=said_so)
    from kcfg.core.explain.nearest import said

    fix = f"{said(answers[0])} passes"
    return finding._replace(message=f"{finding.message}; {fix}", fix=fix)


def _places(spec: Spec, at: At, path: str) -> list[Place]:
    """The given keys that a finding's path stands for."""
    itself = at(path)
    if itself:
        return itself
    words = {spelling.means: spelling.word for spelling in spec.cls.spellings}
    places = []
    for key in blamed_inputs(spec.cls, path):
        word = words.get(key)
        shown = f"shape.{word}" if word in spec.given else _path(spec, key)
        places += at(f"shape.{key}", shown)
    return places


def _path(spec: Spec, key: str) -> str:
    """The path of an input in the spec."""
    return grammar(spec.cls).at(key, f"call.{key}" in spec.at)


def _order(spec: Spec, place: Place, mending: set[str]) -> tuple[bool, bool]:
    """What mends comes first, then integers: they are what one changes."""
    key = place.key.removeprefix("shape.").removeprefix("call.")
    return key not in mending, type(spec.shape.get(key)) is not int


def _at(spec: Spec, path: str, shown: str = "") -> list[Place]:
    """Where the file itself gives a key; what the command line gives stands nowhere.

    ``shown`` is the word under which an input is given that has another name.
    """
    (line, column), _ = spec.at.get(path, (NOWHERE, NOWHERE))
    return [Place(shown or path, line, column)] if line else []


def _around(at: At, path: str) -> Place:
    """The nearest given key around a path; at last the shape, or the kernel."""
    for key in (*_outwards(path), "shape", "kernel"):
        for place in at(key):
            return place
    return Place("", 1, 1)
