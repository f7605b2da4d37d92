"""Saved reports, derived again: what has drifted, and what is no report."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

import pytest
import yaml
from test_validate import INDEXER, WRONG, judge, spec

from kcfg.core import presets
from kcfg.core.report import report
from kcfg.core.spec import Spec, read

__all__ = ["spec"]  # a fixture of these tests too


def saved(text: str = INDEXER, **changed: Any) -> dict[str, Any]:
    (item,) = read(text, "a.yaml")
    assert isinstance(item, Spec)
    return report(item.derive(), name="saved") | changed


@pytest.mark.parametrize("lines", [json.dumps, lambda one: json.dumps(one, indent=2)])
def test_a_fresh_report_passes(spec: Any, lines: Any) -> None:
    several = f"[\n{lines(saved())},\n{lines(saved())}\n]\n"
    for text in (lines(saved()), several, "\ufeff" + lines(saved())):
        found, run = judge(spec(text, "a.json"))
        assert found == [] and run.tally.specs >= 1


def test_every_preset_is_well_and_so_is_its_report(tmp_path: Path) -> None:
    rows = []
    mixed = 0
    for name in presets.names():
        with open(presets.path(name), encoding="utf-8") as file:
            for item in read(file.read(), name):
                assert isinstance(item, Spec)
                told = report(item.derive(), name=item.name)
                rows.append(json.dumps(told))
                parts = (told["registers"] or {"pool": {}})["pool"].get("sub_partitions", [{}])
                mixed += parts[0] != parts[-1]
    path = tmp_path / "all.jsonl"
    path.write_text("\n".join(rows))
    # Upstream's MLA prefill gives the last warpgroup two counts, which runs and is undefined.
    warnings = [("SMR006", "warning")] * mixed
    for where in (path, os.path.dirname(presets.path(presets.names()[0]))):
        found, run = judge(where)
        assert [(each.rule, each.severity) for each in found] == warnings != []
        assert run.tally.specs == len(rows) > 70 and not run.tally.wrong


def test_a_stale_report_names_what_drifted(spec: Any) -> None:
    stale = saved(kcfg="0.0.1")
    stale["values"]["k_stages"] = 6
    stale["smem"]["regions"][1]["bytes"] += 16_384
    (finding,), run = judge(spec(json.dumps(stale, indent=2), "a.json"))
    assert finding.rule == "RPT001" and run.tally.wrong
    assert "k_stages 6 -> 5" in finding.message and "written by kcfg 0.0.1" in finding.message
    assert "smem.regions.k.bytes" in finding.message
    lines = json.dumps(stale, indent=2).splitlines()
    assert '"k_stages": 6' in lines[finding.line - 1]


def test_a_value_of_another_type_has_drifted(spec: Any) -> None:
    stale = saved()
    stale["values"]["supported"] = 1
    (finding,), _ = judge(spec(json.dumps(stale), "a.json"))
    assert "supported 1 -> true" in finding.message


def test_a_value_that_is_no_longer_derived(spec: Any) -> None:
    stale = saved()
    stale["values"]["gone"] = 1
    (finding,), _ = judge(spec(json.dumps(stale), "a.json"))
    assert "gone 1 -> (absent)" in finding.message


def test_an_unsupported_report_is_blamed_at_its_inputs(spec: Any) -> None:
    text = json.dumps(saved(WRONG), indent=2)
    found, _ = judge(spec(text, "a.json"))
    (verdict,) = [finding for finding in found if finding.rule == "CFG001"]
    assert '"mma_n"' in text.splitlines()[verdict.line - 1]


@pytest.mark.parametrize(
    ("text", "said", "unread"),
    [
        ('{"schema": 1, "values": {', "not JSON", True),
        ('[{"schema": 1, "values": {}}', "not JSON", True),
        ('{"schema": 2, "kcfg": "9.9", "values": {}}', "written by kcfg 9.9", False),
        ('{"schema": 1, "values": {}}', "`kernel`, `release`, `target`, `inputs`", False),
        ('{"schema": 1, "values": {}}{}', "give each its own", True),
        ('{"schema": 1, "values": {"a": 1, "a": 2}}', "twice", True),
        ('{"schema": 1, "values": {"a": NaN}}', "out of bounds", True),
        ('[["schema", "values", {"schema": 1, "values": 1}]]', "expected a report", False),
        ('["schema":1, "values": {}]', "not JSON", True),
        ('{"schema": ' + "1" * 6_000 + ', "values": {}}', "out of bounds", True),
        ('{"schema": 1, "values": ' + "[" * 9_000 + "}", "out of bounds", True),
    ],
)
def test_what_is_no_report(spec: Any, text: str, said: str, unread: bool) -> None:
    found, run = judge(spec(text, "a.json"))
    assert any(said in finding.message for finding in found)
    assert run.tally.unread is unread and run.tally.wrong


def test_inputs_of_a_report_are_read_as_strictly(spec: Any) -> None:
    bad = saved()
    bad["inputs"]["depth"] = 0
    text = json.dumps(bad, indent=2)
    (finding,), _ = judge(spec(text, "a.json"))
    assert (finding.rule, finding.path) == ("SPEC002", "inputs.depth")
    assert '"depth": 0' in text.splitlines()[finding.line - 1]


@pytest.mark.parametrize("key", ["smem", "tmem", "registers", "barriers", "supported", "units"])
def test_a_report_without_a_part_is_none(spec: Any, key: str) -> None:
    for value in (5, []):
        found, _ = judge(spec(json.dumps(saved() | {key: value}), "a.json"))
        assert any(finding.rule == "SPEC002" and key in finding.message for finding in found)
    whole = saved()
    del whole[key]
    (finding,), _ = judge(spec(json.dumps(whole), "a.json"))
    assert f"`{key}` is missing" in finding.message


def test_a_value_taken_out_has_drifted_unless_another_kcfg_had_none(spec: Any) -> None:
    gutted = saved()
    del gutted["values"]["k_stages"]
    (finding,), _ = judge(spec(json.dumps(gutted), "a.json"))
    assert "k_stages (absent) -> 5" in finding.message
    found, _ = judge(spec(json.dumps(gutted | {"kcfg": "0.0.1"}), "a.json"))
    assert found == []
    (finding,), _ = judge(spec(json.dumps(gutted | {"kcfg": "0.0.1", "values": {}}), "a.json"))
    assert finding.rule == "RPT001"


def test_reports_saved_as_yaml_are_reports(spec: Any) -> None:
    whole = saved()
    text = yaml.safe_dump(whole, sort_keys=False, explicit_start=True)
    found, run = judge(spec(text + text, "a.yaml"))
    assert found == [] and run.tally.specs == 2
    changed = text.replace("k_stages: 5", "k_stages: 6", 1)
    (finding,), _ = judge(spec(text + changed, "a.yaml"))
    line = text.count("\n") + changed[: changed.index("k_stages: 6")].count("\n") + 1
    assert (finding.rule, finding.line) == ("RPT001", line)
