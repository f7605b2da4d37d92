"""A configuration told from top to bottom, short enough for two screens."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

from kcfg.cli.pages import launched, nearest, words
from kcfg.cli.pages.pieces import Grid, Heading, Line, Piece
from kcfg.cli.pages.units import measured, number
from kcfg.cli.pages.verdicts import told, verdict
from kcfg.core.explain.explanation import Explanation
from kcfg.core.explain.story import Story
from kcfg.core.figures import joined


def pieces(story: Story, findings: Iterable[dict[str, Any]] = ()) -> Iterator[Piece]:
    """The verdict and why, what was asked, and what was decided.

    Errors that rules found are told where the struct's own verdict refuses nothing.
    """
    yield Line(f"{story.title}: {story.struct}.", "dim")
    findings = tuple(findings)
    yield Line(*verdict(story.supported, findings))
    for finding in findings:
        if finding["severity"] == "error" and story.supported is not False:
            yield told(finding)
    for failure in story.failures:
        yield Line(launched.fails(failure), "bad", 2)
    for other in story.elsewhere:
        yield Line(f"passes as it is as {other}, which is another kernel", "good", 2)
    for taker in story.abroad:
        given = joined([f"{each.key} = {number(each.value)}" for each in taker.given])
        said = f"passes as {taker.kernel} {taker.release} of {taker.library}, with {given}"
        yield Line(said, "good", 2)
    if story.nearest:
        yield from nearest.pieces(story.nearest)
    for fit in story.binding:
        if fit.binds:
            yield Line(words.limit(fit), indent=2)
    yield Heading("Asked")
    yield Grid([(each.key, number(each.value)) for each in story.inputs])
    yield from launched.chosen(story.candidates)
    yield from launched.near(story.thresholds, story.steady)
    yield Heading("Decided")
    for decision in story.decisions:
        yield from _decision(decision)
    if story.untold:
        rest = f"{story.untold} smaller decisions are left out; name a value to have it explained."
        yield Line(rest, "dim")


def _decision(made: Explanation) -> Iterator[Piece]:
    first = made.doc.partition("\n")[0]
    said = f"{made.key} = {measured(made.value, made.unit)}. {first}"
    yield Line(said.rstrip(), "strong", 2)
    for reason in _reasons(made)[:2]:
        yield Line(reason, indent=4)


def _reasons(made: Explanation) -> list[str]:
    """The weightiest reasons for a value, the first first."""
    fits = [text for text, binds in words.fits(made) if binds]
    ledgers = [words.sentence(ledger) for ledger in made.ledgers]
    choices = [words.choice(choice) for choice in made.choices]
    return [*fits, *ledgers, *choices]
