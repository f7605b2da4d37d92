"""`kcfg.core.typed` gives the same words with and without `typing` itself."""

from __future__ import annotations

import subprocess
import sys
import typing

import pytest

from kcfg.core import typed
from kcfg.core.engine.quantity import UNITS
from kcfg.core.findings import Finding
from kcfg.core.rules import Rule
from kcfg.core.spec.expectation import ORDERS
from kcfg.core.spec.problem import Problem


def test_without_typing_the_words_are_the_same() -> None:
    program = (
        "import sys\n"
        "sys.modules.pop('typing', None)\n"  # how kcfg was installed may have brought it
        "from kcfg.core.engine.quantity import UNITS\n"
        "from kcfg.core.spec.expectation import ORDERS\n"
        "assert 'typing' not in sys.modules\n"
        "print(*sorted(UNITS), '|', *sorted(ORDERS))\n"
    )
    command = [sys.executable, "-c", program]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    assert done.stdout.split() == [*sorted(UNITS), "|", *sorted(ORDERS)]
    assert UNITS and ORDERS


@pytest.mark.parametrize("record", [Finding, Problem, Rule])
def test_who_has_typing_can_ask_for_types(record: type) -> None:
    assert typed.Any is typing.Any
    assert set(typing.get_type_hints(record)) >= set(record.__annotations__)
