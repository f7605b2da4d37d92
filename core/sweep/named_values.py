"""What a column or an expression may name: the values and the inputs of a kernel."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

from kcfg.core.engine.quantity import Input, Quantity
from kcfg.core.expressions.scope import UnknownNameError
from kcfg.core.expressions.words import Kind
from kcfg.core.kernel import VERDICT, Kernel
from kcfg.core.likely import likely
from kcfg.core.once import once
from kcfg.core.spec.expectation import place_of
from kcfg.core.spec.problem import shown
from kcfg.core.sweep.grid import Axis


class Name(NamedTuple):
    """One name: what sort of value it has, in which unit, and how it is read off a kernel."""

    text: str
    kind: Kind
    unit: str
    read: Callable[[Any], Any]


HEAD: dict[str, Callable[[Any], Any]] = {
    "kernel": lambda kernel: type(kernel).kernel,
    "release": lambda kernel: type(kernel).release,
    "target": lambda kernel: kernel.target.name,
    "digest": lambda kernel: type(kernel).digest,
}
"""What a row needs beside its inputs to be derived again; a digest tells definitions apart."""


def name_of(cls: type[Kernel], text: str) -> Name:
    """What a name means: a value, else an input; ``inputs.`` and ``values.`` say which.

    Raises `UnknownNameError`.
    """
    values = _declared(cls)
    first, _, rest = text.partition(".")
    if first == "values" and rest in values:
        return _value(rest, values[rest], text)
    if text in values:
        return _value(text, values[text], text)
    for place, member in cls.places():
        if place == text:
            return _value(place, member, text)
    key = rest if first == "inputs" and rest else text
    for attribute, declared in cls.inputs.items():
        if declared.key == key:
            return Name(text, _kind(declared), declared.unit, _attribute(attribute))
    if text in HEAD:
        return Name(text, "text", "", HEAD[text])
    unit = place_of(cls, text)
    if unit is not None:
        return Name(text, "number", unit, lambda kernel: kernel.read(text))
    close = likely(cls, text, [*values, *(declared.key for declared in cls.inputs.values())])
    hint = f"did you mean `{close}`? " if close else ""
    lists = f"`{listing(cls)}` lists the names"
    raise UnknownNameError(
        f"{cls.kernel} {cls.release} has no value or input {shown(text)}; {hint}{lists}"
    )


def listing(cls: type[Kernel]) -> str:
    """The command that lists a kernel's values and inputs."""
    if cls.address == "-":
        return "kcfg derive - --format full"
    return f"kcfg kernels {cls.address or cls.kernel}"


def default_columns(cls: type[Kernel], axes: tuple[Axis, ...], every: bool) -> list[str]:
    """The columns of a sweep that names none: what varies, and the verdict.

    With ``every`` all values, and what else makes a row derivable again. Where nothing varies and
    there is no verdict, what its values play in the block, or every value.
    """
    values, inputs = _declared(cls), _varied(cls, axes)
    if every:
        found = every_value(cls, axes)
        given = [_input(values, each.key) for each in cls.inputs.values()]
        heads = [name for name in HEAD if name != "digest" or cls.digest]
        return list(dict.fromkeys((*found, *given, *heads)))
    if VERDICT in values:
        return [*inputs, VERDICT]
    figures = [key for key in dict.fromkeys(cls.plays.values()) if key in values]
    return inputs or figures or list(values)


def every_value(cls: type[Kernel], axes: tuple[Axis, ...]) -> list[str]:
    """What varies, and all values."""
    inputs = _varied(cls, axes)
    return [*inputs, *(key for key in _declared(cls) if key not in inputs)]


def _varied(cls: type[Kernel], axes: tuple[Axis, ...]) -> list[str]:
    """The inputs that vary, by names that are theirs alone."""
    values = _declared(cls)
    words = {spelling.word: spelling.means for spelling in cls.spellings}
    varied = dict.fromkeys(words.get(key, key) for axis in axes for key in axis.keys)
    return [_input(values, key) for key in varied]


def _input(values: dict[str, Input | Quantity[Any]], key: str) -> str:
    """What an input is called where a value may have the same name."""
    return f"inputs.{key}" if isinstance(values.get(key), Quantity) else key


@once
def _declared(cls: type[Kernel]) -> dict[str, Input | Quantity[Any]]:
    return dict(cls.declared())


def _value(key: str, member: Input | Quantity[Any], text: str) -> Name:
    return Name(text, _kind(member), member.unit, lambda kernel: kernel.read(key))


def _attribute(attribute: str) -> Callable[[Any], Any]:
    return lambda kernel: getattr(kernel, attribute)


def _kind(member: Input | Quantity[Any]) -> Kind:
    if member.unit == "bool":
        return "truth"
    if member.unit in ("dtype", "swizzle", "text"):
        return "text"
    if isinstance(member, Quantity) and member.formula.__annotations__.get("return") == "float":
        return "float"
    return "number"
