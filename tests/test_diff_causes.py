"""A comparison leads with its causes: each once, with what follows from it."""

from __future__ import annotations

import json

import pytest
from test_diff import preset, run

from kcfg.core.diff import compare

PAIRS = [
    ("llama-3-8b", "26.6..26.7"),
    ("deepseek-v3-2-index", "26.6..26.7"),
    ("deepseek-v3-mla", "26.6..26.7"),
]


def lines(*arguments: str) -> list[str]:
    """What stands between the count of changed values and the first table."""
    text = run(*arguments).stdout.split("came out differently\n")[1].split("\n\n")[0]
    return text.replace("\n    ", " ").splitlines()


def test_one_changed_formula_is_told_once() -> None:
    text = run("llama-3-8b", "--release", "26.6..26.7").stdout
    assert lines("llama-3-8b", "--release", "26.6..26.7") == [
        "  tmem_pointer_bytes 4 -> 0, and 9 values follow"
    ]
    assert "the formula of" not in text
    row = next(line for line in text.splitlines() if line.startswith("  smem_used "))
    assert row.split()[-1] == "tmem_pointer_bytes"


def test_causes_that_act_together_are_told_together() -> None:
    assert lines("deepseek-v3-2-index", "--release", "26.6..26.7") == [
        "  q_slots 1 -> 2, and k_stages follows",
        "  fixed_mbars 4 -> 13, by its formula",
        "  q_slots 1 -> 2 and fixed_mbars 4 -> 13, and n_mbars follows",
        "  q_slots 1 -> 2, fixed_mbars 4 -> 13 and fixed_smem_bytes 16,932 -> 33,996, and"
        " smem_used follows",
    ]


def test_what_was_given_leads_with_what_follows() -> None:
    found = lines("llama-3-8b", "--set", "qk_depth=128..96", "--set", "ov_depth=128..96")
    assert found == [
        "  ov_depth 128 -> 96, and 6 values follow",
        "  qk_depth 128 -> 96, and most_qk_depth follows",
    ]
    absent = lines("deepseek-v3-mla", "--set", "qkv_dtype=fp8", "--set", "scale_dtype=f32..null")
    assert any("scale_dtype float32 -> none" in line for line in absent)


def test_many_causes_are_bounded() -> None:
    found = lines("llama-3-70b-qkv", "llama-3-70b-down")
    assert len(found) <= 9


@pytest.mark.parametrize(("name", "releases"), PAIRS)
def test_every_changed_value_follows_from_one_cause(name: str, releases: str) -> None:
    old, new = releases.split("..")
    diff = compare(preset(name, release=old), preset(name, release=new))
    told = [result.name for lead in diff.leads for result in lead.results]
    assert sorted(told) == sorted(result.name for result in diff.changed)
    for lead in diff.leads:
        assert {result.because for result in lead.results} == {lead.because}


def test_json_has_the_causes_with_the_values_that_follow() -> None:
    found = json.loads(run("llama-3-8b", "--release", "26.6..26.7", "--format", "json").stdout)
    (cause,) = found["causes"]
    assert cause["because"] == [[{"kind": "formula", "name": "tmem_pointer_bytes"}]]
    assert sorted(cause["values"]) == sorted(each["name"] for each in found["results"])
