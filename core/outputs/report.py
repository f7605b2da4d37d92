"""The schema of a report, and of the findings in it and beside it."""

from __future__ import annotations

from kcfg.core.finding import SEVERITIES
from kcfg.core.outputs.typed import (
    Schema,
    by_name,
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


def report() -> Schema:
    """A report, as `kcfg derive --format json` writes it."""
    return closed(
        schema={"const": SCHEMA},
        kcfg=text(),
        kernel=text(),
        release=text(),
        release_given=truth(),
        digest=maybe(text()),
        target=text(),
        name=maybe(text()),
        source=text(),
        inputs={"type": "object"},
        values=by_name(value()),
        units=by_name(text()),
        smem=maybe(_smem()),
        tmem=maybe(_tmem()),
        registers=maybe(registers()),
        barriers=maybe(_barriers()),
        supported=maybe(truth()),
        findings=many(finding()),
    )


def finding() -> Schema:
    """A finding as plain data."""
    anything: Schema = {}
    return closed(
        rule=text(),
        severity={"enum": list(SEVERITIES)},
        message=text(),
        path=text(),
        value=anything,
        limit=anything,
        over=maybe(number()),
        unit=text(),
        fix=text(),
        file=maybe(text()),
        line=maybe(number()),
        column=maybe(number()),
    )


def registers() -> Schema:
    """Registers at launch and the pool, of a report or an explanation."""
    figures = {"granted": number(), "asked": maybe(number()), "free": maybe(number())}
    return closed(
        threads=number(),
        entry=number(),
        roles=many(closed(role=maybe(text()), warps=many(number()), cap=maybe(number()))),
        pool=closed(**figures, sub_partitions=many(closed(**figures))),
    )


def _smem() -> Schema:
    region = closed(
        name=text(),
        offset=maybe(number()),
        bytes=maybe(number()),
        align=number(),
        stages=number(),
        stride=maybe(number()),
        alias_of=maybe(text()),
        padding=truth(),
    )
    return closed(
        struct=text(),
        limit=number(),
        static=maybe(number()),
        used=number(),
        launch=maybe(number()),
        free=number(),
        regions=many(region),
        unplaced=maybe(text()),
    )


def _tmem() -> Schema:
    region = closed(
        name=maybe(text()),
        column=maybe(number()),
        columns=maybe(number()),
        lane=number(),
        lanes=number(),
        alias_of=maybe(text()),
    )
    return closed(
        columns=number(),
        used=either(number(), {"type": "null"}),
        allocated=maybe(number()),
        regions=many(region),
        unplaced=maybe(text()),
    )


def _barriers() -> Schema:
    group = closed(name=text(), first=maybe(number()), count=number(), arrivals=maybe(number()))
    return closed(count=number(), bytes=number(), groups=many(group))
