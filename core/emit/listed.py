"""The list ``emit`` in ``[tool.kcfg]``: the files of a project that kcfg writes."""

from __future__ import annotations

from typing import Any, NamedTuple

EXAMPLE = '{spec = "fa4.yaml", lang = "cpp", output = "fa4.h"}'


class Output(NamedTuple):
    """One file: what it is emitted from and in which language; paths as the project says them.

    ``name`` is that of the spec, for a file with several.
    """

    spec: str
    lang: str
    output: str
    name: str | None = None


def read(value: Any) -> tuple[Output, ...]:
    """The list as TOML gives it.

    Raises TypeError for what is no such list, `UnknownError` for a language without a writer.
    """
    if not isinstance(value, list):
        raise TypeError(f"expected a list of tables, such as [{EXAMPLE}]")
    outputs = tuple(_output(entry, number) for number, entry in enumerate(value, 1))
    for number, each in enumerate(outputs, 1):
        if any(other.output == each.output for other in outputs[: number - 1]):
            raise TypeError(f"entry {number}: output {each.output!r} is listed twice")
    return outputs


def _output(entry: Any, number: int) -> Output:
    from kcfg.core import emit
    from kcfg.core.errors import UnknownError
    from kcfg.core.spec.problem import meant, shown

    if not isinstance(entry, dict):
        raise TypeError(f"entry {number}: expected a table, such as {EXAMPLE}")
    for key, text in entry.items():
        if key not in Output._fields:
            known = meant(key, Output._fields)
            raise TypeError(f"entry {number}: unknown key {shown(key)}; {known}")
        if not isinstance(text, str) or not text:
            raise TypeError(
                f"entry {number}: {key} takes a text in quotes, not {shown(repr(text))}"
            )
    missing = [key for key in ("spec", "lang", "output") if key not in entry]
    if missing:
        raise TypeError(f"entry {number}: missing {', '.join(missing)}; such as {EXAMPLE}")
    if entry["lang"] not in emit.names():
        raise UnknownError(f"lang of entry {number}", entry["lang"], emit.names())
    return Output(**entry)
