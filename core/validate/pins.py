"""A spec's pinned results against what it derives."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from kcfg.core.finding import Finding
from kcfg.core.kernel import Kernel
from kcfg.core.spec import Spec
from kcfg.core.spec.expectation import Expectation, Value, place_of, result, results
from kcfg.core.validate.advice import Advice
from kcfg.core.validate.checks import PIN


def failed(spec: Spec, file: str, kernel: Kernel, advice: Advice) -> Iterator[tuple[Finding, str]]:
    """Every pin that does not hold, at the position of its value, and a note on what was tried."""
    for pin in spec.expect.values():
        found = result(kernel, pin.key)
        if not pin.allows(found):
            unit = results(spec.cls).get(pin.key) or place_of(spec.cls, pin.key) or ""
            finding = _finding(pin, found, unit, file)
            way, note = _unknown(kernel, pin), ""
            if found is not None:
                way, note = _reached(kernel, pin, advice) if kernel.inputs else ("", "")
            note = f"{spec.source}: {note}" if note else ""
            yield finding._replace(message=f"{finding.message}{way}"), note


def _reached(kernel: Kernel, pin: Expectation, advice: Advice) -> tuple[str, str]:
    """What reaches a pin, to go behind a message, and what was tried."""
    sought = advice.reaching(kernel, pin)
    if sought is None or sought.search is None:
        return "; `kcfg explain` says what reaches it", ""
    from kcfg.core.explain.nearest import UNREACHED, brief, said

    note = f"{PIN.id} of {pin.key}: tried of the tunable inputs: {brief(sought.search)}"
    if not sought.search.found:
        return f"; {UNREACHED}", note
    value = written(sought.gives[0][0].value)
    return f"; with {said(sought.search.found[0])} it is {value}", note


def _unknown(kernel: Kernel, pin: Expectation) -> str:
    """What was meant by a pin of a place that there is not, to go behind a message."""
    if place_of(type(kernel), pin.key) is None:
        return ""
    from kcfg.core.block.places import meant

    likely = meant(kernel.block, pin.key)
    hint = f"; did you mean `{likely}`?" if likely else ""
    return f"; nothing of this name lies in the block{hint}"


def _finding(pin: Expectation, result: Any, unit: str, file: str) -> Finding:
    distance = _distance(pin, result)
    sign = "over" if distance and distance > 0 else "under"
    nearest = " the nearest" if isinstance(pin.value, tuple) else ""
    away = f", {measured(abs(distance), unit)} {sign}{nearest}" if distance else ""
    line, column = pin.position
    return Finding(
        PIN.id,
        PIN.severity,
        f"{pin.key} is {measured(result, unit)}, pinned to {_wanted(pin, unit)}{away}",
        path=f"expect.{pin.key}",
        value=result,
        limit=list(pin.value) if isinstance(pin.value, tuple) else pin.value,
        over=distance,
        unit=unit,
        fix="" if result is None else f"write {written(result)} if that is what you want",
        file=file,
        line=line,
        column=column,
    )


def _distance(pin: Expectation, result: Any) -> int | None:
    """How far an integer is from the nearest value its pin allows; below zero if too small."""
    step = {"<": -1, ">": 1}.get(pin.operator, 0)
    wanted = pin.value if isinstance(pin.value, tuple) else (pin.value,)
    numbers = [value + step for value in wanted if type(value) is int]
    if type(result) is not int or not numbers or pin.operator == "!=":
        return None
    return min((result - number for number in numbers), key=abs)


def _wanted(pin: Expectation, unit: str) -> str:
    if isinstance(pin.value, tuple):
        return f"one of {', '.join(written(value) for value in pin.value)}"
    bound = "" if pin.operator == "==" else f"{pin.operator} "
    return bound + measured(pin.value, unit)


def measured(value: Any, unit: str) -> str:
    """A value with its unit, where it is a number of something."""
    if type(value) is not int:
        return written(value)
    if unit == "bytes":
        from kcfg.core.figures import size

        return size(value)
    return f"{value:,}"


def written(value: Value) -> str:
    """A value as a spec writes it."""
    if value is None or isinstance(value, bool):
        return "null" if value is None else str(value).lower()
    return str(value)
