"""A configuration told from top to bottom, short enough for two screens."""

from __future__ import annotations

from collections.abc import Iterator

from kcfg.cli.formats.explain import _nearest, _words
from kcfg.cli.page import Block, Grid, Heading, Line
from kcfg.cli.units import measured, number
from kcfg.cli.verdicts import verdict
from kcfg.core.explain.explanation import Explanation
from kcfg.core.explain.story import Story
from kcfg.core.explain.verdict import Failure
from kcfg.core.figures import joined


def blocks(story: Story) -> Iterator[Block]:
    """The verdict and why, what was asked, and what was decided."""
    yield Line(f"{story.title}: {story.struct}.", "dim")
    yield Line(*verdict(story.supported, ()))
    for failure in story.failures:
        yield Line(_failure(failure), "bad", 2)
    if story.nearest:
        yield from _nearest.blocks(story.nearest)
    for fit in story.binding:
        if fit.binds:
            yield Line(f"{fit.path[-1]}: {_words.fit(fit)}", indent=2)
    yield Heading("Asked")
    yield Grid([(each.key, number(each.value)) for each in story.inputs])
    yield Heading("Decided")
    for decision in story.decisions:
        yield from _decision(decision)
    if story.untold:
        rest = f"{story.untold} smaller decisions are left out; name a value to have it explained."
        yield Line(rest, "dim")


def _decision(told: Explanation) -> Iterator[Block]:
    yield Line(
        f"{told.key} = {measured(told.value, told.unit)}. {told.doc.splitlines()[0]}", "strong", 2
    )
    for reason in _reasons(told)[:2]:
        yield Line(reason, indent=4)


def _reasons(told: Explanation) -> list[str]:
    """The weightiest reasons for a value, the first first."""
    fits = [text for text, binds in _words.fits(told) if binds]
    ledgers = [_words.sentence(ledger) for ledger in told.ledgers]
    choices = [_words.choice(choice) for choice in told.choices]
    return [*fits, *ledgers, *choices]


def _failure(failure: Failure) -> str:
    numbers = joined(f"{side.text} is {number(side.value)}" for side in failure.reads)
    return f"fails {failure.name}: {failure.condition}" + (f"; {numbers}" if numbers else "")
