"""A configuration from top to bottom: what was asked, what was decided, whether it holds."""

from __future__ import annotations

from collections.abc import Iterator
from operator import attrgetter
from typing import Any, NamedTuple

from kcfg.core.engine import formula
from kcfg.core.engine.formula import Read
from kcfg.core.engine.graph import graph, within
from kcfg.core.engine.quantity import Quantity
from kcfg.core.engine.reasons import Fit, live
from kcfg.core.engine.struct import Struct
from kcfg.core.explain.abroad import Taker, abroad
from kcfg.core.explain.elsewhere import elsewhere
from kcfg.core.explain.explanation import Dependency, Explanation, explain_name
from kcfg.core.explain.nearest import Nearest, nearest
from kcfg.core.explain.refusal import Failure, binding, failures
from kcfg.core.explain.thresholds import Threshold, steady, thresholds
from kcfg.core.kernel import VERDICT, Kernel

LIMIT = 18
"""How many decisions are told: about what two screens hold."""

ROOTS = ("shared.dynamic", "tmem.columns")
"""What a block comes to beside the verdict, registers and CTAs: the keys of it."""


class Weighed(NamedTuple):
    """A configuration the dispatcher weighed: what it was weighed by, and why it was out."""

    name: str
    chosen: bool
    said: str
    failures: tuple[Failure, ...]


class Story(NamedTuple):
    """A configuration, told in the order of its struct.

    ``inputs`` are those that anything told here rests on. ``decisions`` are the
    quantities that weigh something: how many stages fit, which limit binds, what a sum
    of bytes is made of, which way a condition went; ``untold`` is how many more there
    are. ``failures`` and ``nearest`` are those of a configuration that is refused, and
    ``elsewhere`` are other kernels that take it, ``abroad`` those of other libraries;
    ``candidates`` are those that a dispatcher chose it among, and ``thresholds`` what would
    make it choose otherwise; what is ``steady`` would not, as far as was looked.
    """

    kernel: str
    release: str
    target: str
    title: str
    struct: str
    inputs: tuple[Dependency, ...]
    decisions: tuple[Explanation, ...]
    untold: int
    supported: bool | None
    binding: tuple[Fit, ...]
    failures: tuple[Failure, ...]
    nearest: Nearest | None
    elsewhere: tuple[str, ...]
    abroad: tuple[Taker, ...]
    candidates: tuple[Weighed, ...]
    thresholds: tuple[Threshold, ...]
    steady: tuple[str, ...]


def story(kernel: Kernel) -> Story:
    """Tell a configuration; raises `NoSourceError` where the formulas' source is missing."""
    cls = type(kernel)
    weights = {name: weight for name in _ordered(kernel) if (weight := _weight(cls, name))}
    told = set(sorted(weights, key=lambda name: -weights[name])[:LIMIT])
    names = [name for name in weights if name in told]
    resting = graph(cls).rests_on(*names)
    return Story(
        kernel=cls.kernel,
        release=cls.release,
        target=kernel.target.name,
        title=cls.title,
        struct=cls.struct,
        inputs=tuple(_given(kernel, name) for name in resting),
        decisions=tuple(explain_name(kernel, name) for name in names),
        untold=len(weights) - len(told),
        supported=kernel.verdict,
        binding=binding(kernel),
        failures=tuple(failures(kernel)),
        nearest=nearest(kernel),
        elsewhere=tuple(f"{each.kernel} {each.release}" for each in elsewhere(kernel)),
        abroad=tuple(abroad(kernel)),
        candidates=weighed(kernel),
        thresholds=thresholds(kernel),
        steady=steady(kernel),
    )


def weighed(kernel: Kernel) -> tuple[Weighed, ...]:
    """What the dispatcher chose a configuration among."""
    return tuple(
        Weighed(
            each.name,
            each.chosen,
            each.said,
            tuple(failures(each.refused)) if each.refused else (),
        )
        for each in kernel.candidates()
    )


def _given(kernel: Kernel, name: str) -> Dependency:
    member = kernel.inputs[name]
    return Dependency(name, member.key, "input", getattr(kernel, name), member.unit)


def _ordered(kernel: Kernel) -> Iterator[str]:
    """What the verdict, the memory totals and the registers rest on here, in the struct's order.

    Members of a part come just before the first quantity that reads them. Arms of a
    `pick` that were not taken do not count.
    """
    reads = _reads(kernel)
    seen: set[str] = set()

    def visit(name: str) -> Iterator[str]:
        if name in seen or name not in reads:
            return
        seen.add(name)
        for read in reads[name]:
            if "." in read:
                yield from visit(read)
        yield name

    for name in kernel.quantities:
        yield from visit(name)


def _reads(kernel: Kernel) -> dict[str, list[str]]:
    """Every quantity that plays a part, with what it reads."""
    found: dict[str, list[str]] = {}
    waiting = [name for name, member in kernel.quantities.items() if _is_root(kernel, member)]
    while waiting:
        name = waiting.pop()
        if name not in found:
            found[name] = [read.name for read in _live(kernel, name)]
            waiting += found[name]
    return found


def _live(kernel: Kernel, name: str) -> tuple[Read, ...]:
    read = formula.resolve(type(kernel), tuple(name.split(".")))
    if not isinstance(read.member, Quantity):
        return graph(type(kernel)).reads.get(name, ())
    at = name.rpartition(".")[0]
    owner: Struct = attrgetter(at)(kernel) if at else kernel
    return within(f"{at}." if at else "", live(owner, formula.of(read.member)))


def _is_root(kernel: Kernel, quantity: Quantity[Any]) -> bool:
    if quantity.unit == "stages" and VERDICT not in kernel.quantities:
        return True
    played = {kernel.plays[key] for key in ROOTS if key in kernel.plays}
    return quantity.key in {VERDICT, *played} or quantity.unit in ("registers", "CTAs")


def _weight(kernel: type[Kernel], name: str) -> int:
    """How much a quantity is worth telling: 3 for what fits and the verdict, 0 for nothing.

    What a dispatcher decides for a call is worth 4; what it asked of others, whose candidates
    are told, nothing.
    """
    part = kernel.parts.get(name.partition(".")[0])
    if kernel.decisions and part is not None and not part.shown:
        return 0
    read = formula.resolve(kernel, tuple(name.split(".")))
    member = read.member
    if not isinstance(member, Quantity):
        return 0
    text = formula.text(member)
    if read.key in kernel.decisions:
        return 4
    if member.key == VERDICT or (member.unit == "stages" and "div(" in text):
        return 3
    if "least(" in text or "most(" in text or _sums_memory(member, text):
        return 2
    return 1 if text.startswith("pick(") else 0


def _sums_memory(member: Quantity[Any], text: str) -> bool:
    return "total(" in text and member.unit in ("bytes", "columns")
