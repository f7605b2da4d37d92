"""No finding weighs what its rule does not list, and nothing is listed that none weighs."""

from __future__ import annotations

import json
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import compare
import setters
import tensor_maps
import test_agreement
import test_cross_checks
import test_driver
import test_launch_written
import test_launches
import test_nothing
import test_rules

from kcfg.core import presets
from kcfg.core.findings import findings
from kcfg.core.rules import rules
from kcfg.core.spec import Spec, read
from kcfg.core.validate.run import Options, Run

HERE = Path(__file__).parent
EVERY = 9
"""Of this many golden rows, one is judged."""


def pages() -> Iterator[str]:
    """The examples on the pages of the rules."""
    for each in rules():
        yield from (each.fails, each.passes)


def cases() -> Iterator[str]:
    """The launches, and a few other specs, that tests of single rules are about."""
    for _, fails, passes, _ in test_rules.EDGES:
        yield from (fails, passes)
    yield from (text for _, text, _ in test_rules.SEVERITIES)
    for shape, target, *_ in (*test_launches.ERRORS, *test_launches.FINE):
        yield f"{{target: {target}, shape: {{{shape}}}}}"
    for _, fails, passes, _ in test_cross_checks.PAIRS:
        yield from (f"shape: {{{fails}}}", f"shape: {{{passes}}}")
    yield from (f"shape: {{{shape}}}" for shape, *_ in test_launch_written.DISAGREE)
    for _, shape, _ in (*test_agreement.WARNED, *test_nothing.NOTHING):
        yield f"shape: {{{shape}}}"
    for name in ("WARNINGS", "REFUSED", "WARNED", "ONE_MISTAKE", "ADVICE"):
        yield from (f"shape: {{{shape}}}" for shape, *_ in getattr(test_launches, name))


def rows() -> Iterator[str]:
    """Golden rows of kernels, launches and tensor maps, as specs, and the presets."""
    for path in compare.files():
        yield from (compare.spec_text(row) for row in list(compare.rows(path))[::EVERY])
    shapes = [row.shape for row in test_driver.rows()]
    shapes += [{"tma": [row.map]} for row in tensor_maps.rows(tensor_maps.DATA)]
    shapes += [setters.by_roles(row) for row in setters.rows()]
    for shape in shapes[::EVERY]:
        yield json.dumps({"kernel": "launch", "target": "h200", "shape": shape})
    yield from map(presets.text, presets.names())


@cache
def reported() -> frozenset[tuple[str, str]]:
    """What the rules said of all that: their ids, each with what its finding weighs."""
    texts = (*pages(), *cases())
    found = [(each.rule, each.severity) for text in texts for each in test_rules.judged(text)]
    for text in rows():
        for spec in read(text, "rows"):
            assert isinstance(spec, Spec)
            found += [(each.rule, each.severity) for each in findings(spec.derive())]
    run = Run([str(HERE / "specs")], Options(infos=True))
    found += [(each.finding.rule, each.finding.severity) for one in run for each in one.found]
    return frozenset(found)


def test_no_finding_weighs_what_its_rule_does_not_list() -> None:
    listed = {(each.id, severity) for each in rules() for severity in each.severities}
    ids = {each.id for each in rules()}
    assert {pair for pair in reported() if pair[0] in ids} - listed == set()


def test_nothing_is_listed_that_no_finding_weighs() -> None:
    listed = {(each.id, severity) for each in rules() for severity in each.severities}
    assert listed - reported() == set()


def test_the_severest_is_listed_first_and_none_twice() -> None:
    for each in rules():
        order = [("error", "warning", "info").index(severity) for severity in each.severities]
        assert order == sorted(set(order))
