"""What ``kcfg schema --of`` has: a schema for each kind of JSON that kcfg writes."""

from __future__ import annotations

from types import ModuleType

from kcfg.core import diff
from kcfg.core.diff import moves
from kcfg.core.engine import reasons
from kcfg.core.explain import (
    explanation,
    glossary,
    goals,
    nearest,
    residency,
    searching,
    story,
    thresholds,
)
from kcfg.core.kernel import Figure
from kcfg.core.outputs.report import finding, registers, report
from kcfg.core.outputs.typed import (
    Schema,
    Typed,
    closed,
    either,
    many,
    maybe,
    number,
    text,
    truth,
    value,
)
from kcfg.core.report import SCHEMA
from kcfg.core.validate.result import Place


def schema(kind: str) -> Schema:
    """The schema of a kind of output; KeyError for none."""
    make, title = OUTPUTS[kind]
    said, typed = make()
    definitions = {"$defs": typed.definitions} if typed is not None else {}
    return {"$schema": DRAFT, "title": f"kcfg {title}", **said, **definitions}


DRAFT = "https://json-schema.org/draft/2020-12/schema"

Made = tuple[Schema, Typed | None]


def _report() -> Made:
    return _one_or_many(report()), None


def _one_or_many(one: Schema) -> Schema:
    """As several specs are written: an object for one of them, a list for more."""
    return either(one, many(one))


def _findings() -> Made:
    typed = Typed({})
    told = finding()
    located = closed(**told["properties"], rests_on=many(typed.of(Place)))
    asked = closed(without=text(), rules=many(text()))
    counts = ("files", "specs", "errors", "warnings", "infos", "hidden", "waived")
    whole = closed(
        kcfg=text(),
        findings=many(located),
        notes=many(text()),
        not_judged=many(closed(specs=many(text()), not_judged=many(asked))),
        summary=closed(**{key: number() for key in counts}),
    )
    each = closed(rule=text(), severity=text(), findings=number(), waived=number())
    whole["properties"]["statistics"] = many(each)
    return whole, typed


def _diff() -> Made:
    typed = Typed(
        {**vars(diff), **vars(explanation), **vars(story), **vars(moves), **vars(thresholds)}
    )
    side = {key: maybe(text()) for key in ("kcfg", "kernel", "release", "target", "name", "source")}
    change = closed(kind=text(), name=text(), old={}, new={}, only=maybe(text()))
    because = many(many(closed(kind=text(), name=text())))
    results = closed(
        name=text(), unit=maybe(text()), old=value(), new=value(), delta={}, because=because
    )
    one = closed(
        schema={"const": SCHEMA},
        kcfg=text(),
        relation=text(),
        same=truth(),
        old=closed(**side, saved=maybe(text())),
        new=closed(**side, saved=maybe(text())),
        verdict=typed.of(diff.Verdict),
        given=many(change),
        causes=many(closed(because=because, values=many(text()))),
        results=many(results),
        formulas=many(change),
        only_old={"type": "object"},
        only_new={"type": "object"},
        moves=many(typed.of(moves.Move)),
        parted=maybe(typed.of(thresholds.Changed)),
    )
    return _one_or_many(one), typed


def _explain() -> Made:
    typed = _typed(
        glossary, searching, nearest, goals, thresholds, reasons, residency, story, explanation
    )
    one = closed(
        schema={"const": SCHEMA},
        kernel=text(),
        release=text(),
        release_given=truth(),
        target=maybe(text()),
        name=maybe(text()),
        source=maybe(text()),
        inputs=maybe({"type": "object"}),
        figures=many(typed.of(Figure)),
        fits=many(typed.of(reasons.Fit)),
        findings=many(finding()),
        registers=maybe(registers()),
        story=maybe(typed.of(story.Story)),
        explanations=many(typed.of(explanation.Explanation)),
        references=many(typed.of(explanation.Reference)),
        words=many(typed.of(glossary.Meaning)),
        sought=maybe(typed.of(goals.Sought)),
        occupancy=maybe(typed.of(residency.Residency)),
    )
    return _one_or_many(one), typed


def _typed(*modules: ModuleType) -> Typed:
    """Schemas of the types that some modules name, those of the last first."""
    names: dict[str, object] = {}
    for module in modules:
        names |= vars(module)
    return Typed(names)


OUTPUTS = {
    "report": (_report, "report: `kcfg derive --format json`"),
    "findings": (_findings, "findings: `kcfg validate --format json` and `kcfg check`"),
    "diff": (_diff, "comparison: `kcfg diff --format json`"),
    "explain": (_explain, "explanation: `kcfg explain --format json`"),
}
