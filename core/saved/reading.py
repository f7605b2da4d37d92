"""The text of saved reports, JSON, JSON Lines or YAML: one key once, one report a line."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import Any, NamedTuple

from kcfg.core.spec.documents import Document, place
from kcfg.core.spec.section import Position

BLANK = re.compile(r"\s*")
NEXT = re.compile(r"\s*,?\s*")


class SavedError(ValueError):
    """A text that is no saved report; ``position`` is where that shows."""

    def __init__(self, message: str, position: Position) -> None:
        super().__init__(message)
        self.position = position


class Saved(NamedTuple):
    """What one report holds, from ``start`` to ``end`` of a text that begins at ``line``."""

    data: Any
    text: str
    start: int
    end: int
    line: int = 1


def is_json(text: str) -> bool:
    """Whether a JSON text holds reports and not specs."""
    return '"schema":' in text and '"values":' in text


def is_yaml(text: str) -> bool:
    """Whether a YAML document is a report and no spec."""
    return "\nvalues:" in text and re.search(r"(?m)^schema:", text) is not None


def in_json(text: str) -> Iterator[Saved]:
    """The reports of a text: one, a list of several, or one after the other on their own lines.

    Raises `SavedError` where the text is no JSON, at that place.
    """
    decoder = json.JSONDecoder(object_pairs_hook=_once, parse_constant=_no_number)
    at = _behind(BLANK, text, 0)
    while at < len(text):
        data, end = _decoded(decoder, text, at)
        following = _behind(BLANK, text, end)
        if following < len(text) and "\n" not in text[end:following]:
            raise SavedError(
                "more on the line of a report: give each its own", place(text, following)
            )
        yield from (
            _elements(decoder, text, at)
            if isinstance(data, list)
            else (Saved(data, text, at, end),)
        )
        at = following


def in_yaml(document: Document) -> Saved:
    """The report of a YAML document; raises `SavedError` where it cannot be read."""
    import yaml

    loader = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
    try:
        data = yaml.load(document.text, Loader=loader)
    except (yaml.YAMLError, ValueError, RecursionError) as error:
        mark = getattr(error, "problem_mark", None)
        at = mark.index if mark else 0
        message = f"not YAML: {error}".partition("\n")[0]
        raise SavedError(message, place(document.text, at, document.line)) from None
    return Saved(data, document.text, 0, len(document.text), document.line)


# JSON


def _elements(decoder: json.JSONDecoder, text: str, at: int) -> Iterator[Saved]:
    """The elements of a list that is known to be sound, each with its place."""
    at = _behind(BLANK, text, at + 1)
    while text[at] != "]":
        data, end = decoder.raw_decode(text, at)
        yield Saved(data, text, at, end)
        at = _behind(NEXT, text, end)


def _decoded(decoder: json.JSONDecoder, text: str, at: int) -> tuple[Any, int]:
    try:
        return decoder.raw_decode(text, at)
    except json.JSONDecodeError as error:
        raise SavedError(f"not JSON: {error.msg}", place(text, error.pos)) from None
    except _NotOnceError as error:
        found = text.rfind(json.dumps(error.key, ensure_ascii=False), at)
        raise SavedError(str(error), place(text, max(found, at))) from None
    except (ValueError, RecursionError):  # thousands of digits, brackets without end, NaN
        message = "not JSON that a report could be: a number or its nesting is out of bounds"
        raise SavedError(message, place(text, at)) from None


class _NotOnceError(ValueError):
    """A key that an object has twice."""

    def __init__(self, key: str) -> None:
        super().__init__(f"key {json.dumps(key)} is there twice in one object")
        self.key = key


def _once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) < len(pairs):
        keys = [key for key, _ in pairs]
        raise _NotOnceError(next(key for key in keys if keys.count(key) > 1))
    return found


def _no_number(word: str) -> Any:
    raise ValueError(f"{word} is no number of JSON")


def _behind(pattern: re.Pattern[str], text: str, at: int) -> int:
    match = pattern.match(text, at)
    return match.end() if match else at
