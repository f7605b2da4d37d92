"""What a spec's ``expect`` may pin: results, each with the values it may have."""

from __future__ import annotations

import operator as orders
import re
from collections.abc import Callable
from typing import Any, Literal, NamedTuple, get_args

from kcfg.core.hardware.dtypes import ELEMENTS, SWIZZLES
from kcfg.core.kernel import Kernel
from kcfg.core.spec.nodes import Node, ScalarNode, SequenceNode
from kcfg.core.spec.scalars import RefusedError, boolean, choice, integer, is_null, refused, text
from kcfg.core.spec.section import Entry, Notes, Position, untagged

Value = int | bool | str | None
Operator = Literal["==", "!=", "<=", ">=", "<", ">", "in"]

BOUND = r"(?s)(==|!=|<=|>=|<|>)\s*(.*)"
SIGNS = frozenset("=!<>")
ORDERS = frozenset(get_args(Operator)) - {"==", "!=", "in"}
NO_ORDER = ("bool", "dtype", "swizzle", "text")
"""Units of the results that are no integers."""
ALLOWED = 'a value, a bound as "<= 4", or a list of values'


class Expectation(NamedTuple):
    """A result that a spec pins: ``key`` stands to ``value`` as ``operator`` says.

    With ``in``, the value is a tuple of the allowed ones. ``position`` is the value's.
    """

    key: str
    operator: Operator
    value: Value | tuple[Value, ...]
    position: Position

    def allows(self, result: Value) -> bool:
        """Whether a result is as pinned; its type is part of it, so that 1 is not true."""
        if isinstance(self.value, tuple):
            return any(_same(result, value) for value in self.value)
        if self.operator in ORDERS:
            holds: bool = type(result) is int and COMPARE[self.operator](result, self.value)
            return holds
        return _same(result, self.value) is (self.operator == "==")


COMPARE: dict[str, Callable[[Any, Any], bool]] = {
    "<=": orders.le,
    ">=": orders.ge,
    "<": orders.lt,
    ">": orders.gt,
}


def _same(result: Value, value: Value) -> bool:
    return type(result) is type(value) and result == value


_RESULTS: dict[type[Kernel], dict[str, str]] = {}


def results(cls: type[Kernel]) -> dict[str, str]:
    """The unit of every result that may be pinned, by its key."""
    if cls not in _RESULTS:
        named = (*cls.declared(), *cls.places())
        units = {key: str(member.unit) for key, member in named}
        _RESULTS[cls] = {"supported": "bool", **units}
    return _RESULTS[cls]


def result(kernel: Kernel, key: str) -> Any:
    """What a pin or a goal is about: a value, place or input; None where it has no such one."""
    try:
        return kernel.read(key)
    except KeyError:  # `supported`, where there is no verdict; a region that is not there
        attributes = (name for name, member in kernel.inputs.items() if member.key == key)
        return getattr(kernel, next(attributes, ""), None)


def place_of(cls: type[Kernel], key: str) -> str | None:
    """The unit of a place that only a configuration knows; None where there can be none."""
    known = cls.only_configured().items()
    return next((unit for name, unit in known if re.fullmatch(name, key)), None)


def read_expect(
    found: dict[str, Entry], cls: type[Kernel] | None, notes: Notes
) -> dict[str, Expectation]:
    """The entries of ``expect``; without a kernel only their form is checked."""
    known = results(cls) if cls else None
    expect = {}
    for key, (key_node, node) in found.items():
        unit = known.get(key) if known else None
        if known is not None and cls is not None and unit is None:
            unit = place_of(cls, key)
            if unit is None:
                notes.unknown(key_node, f"expect.{key}", known)
                continue
        pin = read_pin(key, Entry(key_node, node), unit, notes)
        if pin is not None:
            expect[key] = pin
    return expect


def read_pin(key: str, entry: Entry, unit: str | None, notes: Notes) -> Expectation | None:
    """One entry of ``expect``; what is wrong with its value is noted."""
    path = f"expect.{key}"
    try:
        operator, value = _expectation(entry.value, unit, path, notes)
    except RefusedError as error:
        notes.add(entry.value, path, str(error))
        return None
    return Expectation(key, operator, value, notes.position(entry.value))


def _expectation(
    node: Node, unit: str | None, path: str, notes: Notes
) -> tuple[Operator, Value | tuple[Value, ...]]:
    if isinstance(node, SequenceNode):
        if not node.value:
            raise RefusedError(f"expected {ALLOWED}, not an empty list")
        return "in", tuple(_member(item, unit, path, notes) for item in node.value)
    if not isinstance(node, ScalarNode):
        raise refused(node, ALLOWED)
    match = re.fullmatch(BOUND, node.value) if node.value[:1] in SIGNS else None
    if not match:
        return "==", _value(node, unit)
    operator: Operator = match[1]  # type: ignore[assignment]  # the pattern has no others
    operand = ScalarNode("", match[2].rstrip(), node.start_mark)
    if operator in ORDERS:
        if unit in NO_ORDER:
            raise RefusedError(f"`{operator}` orders integers; this result is none")
        return operator, integer(operand)
    return operator, _value(operand, unit)


def _member(node: Node, unit: str | None, path: str, notes: Notes) -> Value:
    untagged(node, path, notes)
    try:
        return _value(node, unit)
    except RefusedError as error:
        notes.add(node, path, str(error))
        return None


def _value(node: Node, unit: str | None) -> Value:
    if unit == "bool":
        return boolean(node)
    if unit in ("dtype", "swizzle"):
        if is_null(node):
            return None
        return choice(node, ELEMENTS if unit == "dtype" else SWIZZLES, short=unit == "dtype")
    return text(node) if unit in (None, "text") else integer(node)
