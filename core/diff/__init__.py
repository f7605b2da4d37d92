"""What changed from one configuration to another, and because of what.

`compare` gives plain data: the verdicts, what was given differently, what came out
differently with its causes, which formulas differ, and what moved in the block.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Literal, NamedTuple

from kcfg.core.diff import changes, moves
from kcfg.core.diff.causes import Because, Causes
from kcfg.core.diff.changes import Change
from kcfg.core.diff.mixture import ABSENT
from kcfg.core.diff.moves import Move
from kcfg.core.engine.quantity import Input
from kcfg.core.explain.refusal import Failure, failures
from kcfg.core.explain.thresholds import Changed, parted
from kcfg.core.kernel import Kernel
from kcfg.core.report import report, report_of
from kcfg.core.same import same
from kcfg.core.saved.form import leaves
from kcfg.core.spec import Spec

__all__ = [
    "Because",
    "Change",
    "Diff",
    "Lead",
    "Move",
    "Result",
    "Side",
    "Verdict",
    "compare",
    "derived",
]


class Side(NamedTuple):
    """One configuration: its report, and its kernel as kcfg derives it now.

    For a saved report the two may disagree; ``saved`` is the file it was saved in, else empty.
    """

    report: dict[str, Any]
    kernel: Kernel
    saved: str = ""


class Result(NamedTuple):
    """One value on both sides. ``delta`` is new less old, None unless both are integers."""

    name: str
    unit: str
    old: Any
    new: Any
    delta: int | None
    because: Because

    @property
    def changed(self) -> bool:
        return not same(self.old, self.new)


class Lead(NamedTuple):
    """A cause, and the results that follow from it; one whose own formula it is among them."""

    because: Because
    results: tuple[Result, ...]


class Verdict(NamedTuple):
    """How both sides are judged: the struct's own verdict, why it is no, and the rules' findings.

    ``gone`` and ``come`` are the errors and warnings that one side alone has; findings are
    told apart by rule, severity and what they blame.
    """

    old: bool | None
    new: bool | None
    old_failures: tuple[Failure, ...]
    new_failures: tuple[Failure, ...]
    gone: tuple[dict[str, Any], ...]
    come: tuple[dict[str, Any], ...]

    @property
    def changed(self) -> bool:
        return not same(self.old, self.new) or bool(self.gone or self.come)


class Diff(NamedTuple):
    """The whole comparison of two sides.

    ``given`` are inputs and limits of the target, ``formulas`` what two releases compute
    differently. ``only_old`` and ``only_new`` are values that one side alone has, by name.
    For two different kernels ``results`` are the figures that any launch has.
    """

    old: Side
    new: Side
    verdict: Verdict
    given: tuple[Change, ...]
    results: tuple[Result, ...]
    formulas: tuple[Change, ...]
    only_old: dict[str, Any]
    only_new: dict[str, Any]
    moves: tuple[Move, ...]
    parted: Changed | None = None
    """The first decision of a dispatcher that went another way, of two calls of one kernel."""

    def __repr__(self) -> str:
        sides = (f"{side.report['kernel']} {side.report['release']}" for side in self[:2])
        changed = f"{len(self.changed)} of {len(self.results)} values differ"
        return f"<kcfg difference, {' to '.join(map(str.rstrip, sides))}: {changed}>"

    @property
    def relation(self) -> Literal["kernels", "releases", "targets", "shapes", "drift"]:
        """What the two sides differ in, the most far-reaching first; "drift" for nothing but
        the time a report was saved."""
        old, new = self.old.report, self.new.report
        if not related(self.old, self.new):
            return "kernels"
        if any(old.get(key) != new.get(key) for key in ("kernel", "release", "digest")):
            return "releases"
        if old["target"] != new["target"]:
            return "targets"
        return "drift" if self.old.saved and not self.given else "shapes"

    @property
    def changed(self) -> tuple[Result, ...]:
        """The results that came out differently."""
        return tuple(result for result in self.results if result.changed)

    @property
    def leads(self) -> tuple[Lead, ...]:
        """The causes of all that changed, each with the results that follow from it."""
        following: dict[Because, list[Result]] = {}
        for result in self.changed:
            following.setdefault(result.because, []).append(result)
        return tuple(
            Lead(because, tuple(results)) for because, results in following.items() if because
        )

    @property
    def same(self) -> bool:
        """Whether nothing was given differently and nothing came out differently."""
        kinds = ("kernel", "release", "target")
        return (
            all(self.old.report[key] == self.new.report[key] for key in kinds)
            and not (self.verdict.changed or self.given or self.changed or self.moves)
            and not (self.only_old or self.only_new)
        )


def derived(spec: Spec) -> Side:
    """A spec as one side of a comparison."""
    kernel = spec.derive()
    return Side(report_of(spec, kernel), kernel)


def related(old: Side, new: Side) -> bool:
    """Whether two sides are of one family, so that their values can be compared one by one."""
    return old.kernel.family == new.kernel.family


def compare(old: Side, new: Side) -> Diff:
    """Everything that changed from old to new."""
    alike = related(old, new)
    given = _given(old, new) if alike else ()
    formulas = tuple(changes.formulas(type(old.kernel), type(new.kernel))) if alike else ()
    before, after = old.report["values"], new.report["values"]
    return Diff(
        old=old,
        new=new,
        verdict=_verdict(old, new),
        given=given,
        results=tuple(_results(old, new, (*given, *formulas)) if alike else _figures(old, new)),
        formulas=formulas,
        only_old={name: before[name] for name in before if alike and name not in after},
        only_new={name: after[name] for name in after if alike and name not in before},
        moves=tuple(moves.between(old.report, new.report)) if alike else (),
        parted=parted(old.kernel, new.kernel),
    )


def _given(old: Side, new: Side) -> tuple[Change, ...]:
    return (*changes.inputs(old.kernel, new.kernel), *changes.limits(old.kernel, new.kernel))


def _results(old: Side, new: Side, given: tuple[Change, ...]) -> Iterator[Result]:
    """The values both sides have; inputs that are values too are left to what was given."""
    causes = Causes(old.kernel, new.kernel, given)
    declared = dict(type(new.kernel).declared())
    before, after = old.report["values"], new.report["values"]
    unit_of = {**old.report["units"], **new.report["units"]}
    for name, value in after.items():
        if name not in before or _repeats(declared.get(name), name, old, new):
            continue
        because: Because = ()
        if not same(before[name], value):
            because = _because(causes, name, old, new)
        yield _result(name, unit_of.get(name, ""), before[name], value, because)
    if old.saved or new.saved:
        yield from _edited(old, new)


def _edited(old: Side, new: Side) -> Iterator[Result]:
    """Units and figures of layouts that a saved report has and its inputs do not give.

    What they do give follows from values, or has moved.
    """
    before, after = (dict(_figures_of(side.report)) for side in (old, new))
    wrote: dict[str, list[Change]] = {}
    for side, found in ((old, before), (new, after)):
        now = dict(_figures_of(report(side.kernel))) if side.saved else found
        for path, value in found.items():
            if not same(value, now.get(path, ABSENT)):
                wrote.setdefault(path, []).append(_writer(side))
    for path, writers in wrote.items():
        pair = before.get(path), after.get(path)
        if not same(*pair):
            yield _result(path, "", *pair, (tuple(writers),))


def _figures_of(found: dict[str, Any]) -> Iterator[tuple[str, Any]]:
    """Single values of a report beside its `values`, and beside what `moves` compares."""
    yield from leaves({"units": found["units"]})
    for space, where, _, fields in moves.SPACES:
        for path, value in leaves({space: found[space] or {}}):
            field = path.partition("[")[0].rpartition(".")[2]
            if not (path.startswith(f"{space}.{where}") and field in fields):
                yield path, value


def _repeats(member: Any, name: str, old: Side, new: Side) -> bool:
    """Whether a value is an input on both sides, and says there what the input says."""
    return isinstance(member, Input) and all(
        same(side.report["values"][name], side.report["inputs"].get(name)) for side in (old, new)
    )


def _because(causes: Causes, name: str, old: Side, new: Side) -> Because:
    """What a change follows from: other kcfgs as well, where a saved report is not reproduced."""
    drifted = tuple(_writer(side) for side in (old, new) if _drifted(side, name))
    before, after = (_read(side.kernel, name) for side in (old, new))
    known = ABSENT not in (before, after) and not same(before, after)
    sets = causes.of(name) if known else ()
    if not drifted:
        return sets
    return tuple((*drifted, *one) for one in sets) or (drifted,)


def _drifted(side: Side, name: str) -> bool:
    """Whether this kcfg gives a value that a saved report does not have."""
    return bool(side.saved) and not same(side.report["values"][name], _read(side.kernel, name))


def _read(kernel: Kernel, name: str) -> Any:
    try:
        return kernel.read(name)
    except KeyError:  # a value that this kcfg does not derive
        return ABSENT


def _writer(side: Side) -> Change:
    """The kcfg that wrote a saved report, against this one, as a change."""
    from kcfg.core.version import VERSION

    return Change("kcfg", "kcfg", "kcfg", side.report.get("kcfg"), VERSION)


def _result(name: str, unit: str, old: Any, new: Any, because: Because = ()) -> Result:
    counted = type(old) is int and type(new) is int
    return Result(name, unit, old, new, new - old if counted else None, because)


def _figures(old: Side, new: Side) -> Iterator[Result]:
    """What two kernels of different kinds can be compared by, where both have it."""
    for name, unit, path in moves.FIGURES:
        before, after = (moves.figure(side.report, path) for side in (old, new))
        if before is not None and after is not None:
            yield _result(name, unit, before, after)


def _verdict(old: Side, new: Side) -> Verdict:
    before, after = _judged(old), _judged(new)
    return Verdict(
        old.report["supported"],
        new.report["supported"],
        _failures(old),
        _failures(new),
        tuple(finding for key, finding in before.items() if key not in after),
        tuple(finding for key, finding in after.items() if key not in before),
    )


def _failures(side: Side) -> tuple[Failure, ...]:
    return tuple(failures(side.kernel)) if side.report["supported"] is False else ()


def _judged(side: Side) -> dict[tuple[Any, ...], dict[str, Any]]:
    return {
        (finding["rule"], finding["severity"], finding.get("path")): finding
        for finding in side.report["findings"]
        if finding["severity"] != "info"
    }
