"""How ``kcfg validate`` writes what it found, and how ``kcfg rules`` lists what it checks."""

from __future__ import annotations

import json
import os
import re
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import jsonschema
import pytest
from typer.testing import CliRunner, Result

from kcfg.cli import console, formats
from kcfg.cli.main import application
from kcfg.core.rules import unasked
from kcfg.core.spec import Spec, read_file
from kcfg.core.validate.catalog import known

SARIF = Path(__file__).parent / "data" / "sarif-2.1.0-rtm.5.json"
LAUNCH = """\
kernel: launch
name: tile
shape:
  threads: 100
  shared:
    dynamic: 233472
"""
INDEXER = """\
kernel: index_prefill
release: 26.6
shape: {dtype: fp8_e4m3, ks_dtype: f32, depth: 128, BM_key: 128, mma_n: 192, num_heads: 32}
"""


def kcfg(*arguments: str, stdin: str | None = None) -> Result:
    return CliRunner().invoke(application(list(arguments)), list(arguments), input=stdin)


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Two specs, one of them a launch, and a file that cannot be parsed."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "launch.yaml").write_text(LAUNCH)
    (tmp_path / "indexer.yaml").write_text(INDEXER)
    (tmp_path / "a b,c.yaml").write_text("kernel: [")
    return tmp_path


FILES = ("launch.yaml", "indexer.yaml", "a b,c.yaml", "none.yaml")


def test_text_has_a_line_for_every_finding_and_a_summary() -> None:
    result = kcfg("validate", *FILES)
    assert result.exit_code == 2
    lines = result.stdout.splitlines()
    assert lines[0].startswith("launch.yaml:4:3: warning BLK003 shape.threads: ")
    assert any(line.startswith("launch.yaml:6:5: error SMEM001 shape.shared") for line in lines)
    assert any(line.startswith("indexer.yaml:3:") and " error CFG001 " in line for line in lines)
    assert "none.yaml: error SPEC001 no such file" in lines
    assert lines[-1].startswith("4 files, 2 specs, 2 not understood: ") and lines[-1].endswith(
        ", 1 warning"
    )


def test_text_counts_what_was_not_judged_and_lists_it_when_asked() -> None:
    *_, counted, _ = kcfg("validate", "launch.yaml", "indexer.yaml").stdout.splitlines()
    listed = kcfg("validate", "launch.yaml", "indexer.yaml", "--info").stdout.splitlines()
    silent = [line for line in listed if ": not judged: " in line]
    assert [line.partition(": ")[0] for line in silent] == ["launch.yaml#1:1", "indexer.yaml#1:1"]
    assert "without `named_barriers`, BAR001 and BAR002;" in silent[0]
    (spec,) = read_file("launch.yaml")
    assert isinstance(spec, Spec)
    count = sum(map(len, unasked(spec.derive().block).values()))
    said = f"launch.yaml#1:1: not judged: {count} rules, for want of keys; --info lists them"
    assert counted == said


def test_text_says_what_was_not_judged_of_many_launches_in_one_line(folder: Path) -> None:
    other = LAUNCH.replace("name: tile", "name: other") + "  blocks_per_sm: 1\n"
    (folder / "many.yaml").write_text("---\n".join([LAUNCH, other, other, INDEXER]))
    (line,) = (
        line for line in kcfg("validate", "many.yaml").stdout.splitlines() if "not judged" in line
    )
    found = re.fullmatch(
        r"3 launches: not judged: (\d+) to (\d+) rules each, for want of keys; --info .*", line
    )
    assert found and int(found[1]) < int(found[2])


def test_json_has_what_was_not_judged_of_each_spec(folder: Path) -> None:
    (folder / "two.yaml").write_text(f"{LAUNCH}---\n{LAUNCH}---\n{INDEXER}")
    found = json.loads(kcfg("validate", "two.yaml", "--format", "json").stdout)["not_judged"]
    sources = ["two.yaml#1:1", "two.yaml#2:8", "two.yaml#3:15"]
    assert [each["specs"] for each in found] == [sources[:2], sources[2:]]
    assert {"without": "`named_barriers`", "rules": ["BAR001", "BAR002"]} in found[0]["not_judged"]
    lines = kcfg("validate", "two.yaml", "--format", "jsonl", "--info").stdout.splitlines()
    specs = [each for each in map(json.loads, lines) if "spec" in each]
    assert [each["spec"] for each in specs] == sources
    assert [each["not_judged"] for each in specs[1:]] == [each["not_judged"] for each in found]


def test_text_says_that_all_is_well_in_a_line() -> None:
    result = kcfg("validate", "-", stdin=INDEXER.replace("192", "128"))
    assert (result.exit_code, result.stdout) == (0, "1 file, 1 spec: 0 errors, 0 warnings\n")


def test_text_counts_what_it_does_not_show() -> None:
    result = kcfg("validate", "launch.yaml", "--max-findings", "0")
    assert result.exit_code == 1
    assert result.stdout.splitlines()[-1].endswith("findings not shown")


def test_colour_is_for_terminals(monkeypatch: pytest.MonkeyPatch) -> None:
    plain = kcfg("validate", *FILES).stdout
    assert "\x1b" not in plain
    monkeypatch.setattr(console, "is_terminal", lambda: True)
    coloured = kcfg("validate", *FILES).stdout
    assert "\x1b[33mwarning BLK003\x1b[0m" in coloured
    for code in ("1;31", "33", "0"):
        coloured = coloured.replace(f"\x1b[{code}m", "")
    assert coloured == plain


def test_text_escapes_what_a_terminal_might_act_on(folder: Path) -> None:
    (folder / "x\x1b[2J.yaml").write_text("kernel: launch\nshape: {threads: 1056}\n")
    result = kcfg("validate", "x\x1b[2J.yaml")
    assert "\x1b" not in result.stdout and "x\\x1b[2J.yaml:2:9: error BLK001" in result.stdout


def test_json_is_one_object_with_the_counts() -> None:
    result = kcfg("validate", *FILES, "--format", "json")
    whole = json.loads(result.stdout)
    assert result.exit_code == 2
    assert whole["summary"]["files"] == 4 and whole["summary"]["specs"] == 2
    assert whole["summary"]["errors"] + whole["summary"]["warnings"] == len(whole["findings"])
    memory = next(each for each in whole["findings"] if each["rule"] == "SMEM001")
    assert {key: memory[key] for key in ("file", "line", "column", "path", "value", "limit")} == {
        "file": "launch.yaml",
        "line": 6,
        "column": 5,
        "path": "shape.shared.dynamic",
        "value": 233_472,
        "limit": 232_448,
    }
    assert (memory["over"], memory["unit"], memory["severity"]) == (1_024, "bytes", "error")
    assert memory["fix"] and memory["message"].endswith(memory["fix"])


def test_json_lines_are_the_same_findings() -> None:
    lines = kcfg("validate", *FILES, "--format", "jsonl").stdout.splitlines()
    whole = json.loads(kcfg("validate", *FILES, "--format", "json").stdout)
    assert [json.loads(line) for line in lines] == whole["findings"]


@pytest.mark.parametrize("files", [FILES, ("none.yaml",), ("-",)])
def test_sarif_is_valid(files: tuple[str, ...]) -> None:
    stdin = INDEXER.replace("192", "128")
    result = kcfg("validate", *files, "--format", "sarif", "--info", stdin=stdin)
    log = json.loads(result.stdout)
    schema = json.loads(SARIF.read_text(encoding="utf-8"))
    jsonschema.Draft4Validator(schema).validate(log)
    (run,) = log["runs"]
    assert run["invocations"][0]["exitCode"] == result.exit_code
    assert run["invocations"][0]["executionSuccessful"] is (result.exit_code < 2)
    ids = [rule["id"] for rule in run["tool"]["driver"]["rules"]]
    assert all(ids[each["ruleIndex"]] == each["ruleId"] for each in run["results"])


def test_sarif_has_places_numbers_and_levels() -> None:
    log = json.loads(kcfg("validate", *FILES, "--format", "sarif").stdout)
    results = {each["ruleId"]: each for each in log["runs"][0]["results"]}
    place = results["SMEM001"]["locations"][0]["physicalLocation"]
    assert place["artifactLocation"]["uri"] == "launch.yaml"
    assert place["region"] == {"startLine": 6, "startColumn": 5}
    assert results["SMEM001"]["properties"]["over"] == 1_024
    assert results["BLK003"]["level"] == "warning"
    broken = [each for each in log["runs"][0]["results"] if each["ruleId"] == "SPEC001"]
    uris = [each["locations"][0]["physicalLocation"]["artifactLocation"]["uri"] for each in broken]
    assert uris == ["a%20b%2Cc.yaml", "none.yaml"]


def test_sarif_lists_the_other_keys() -> None:
    text = INDEXER.replace("depth: 128", "depth: 1024").replace("192", "128")
    log = json.loads(kcfg("validate", "-", "--format", "sarif", stdin=text).stdout)
    related = [each.get("relatedLocations", []) for each in log["runs"][0]["results"]]
    assert any(len(places) > 1 and places[0]["message"]["text"] for places in related)


def test_github_commands() -> None:
    lines = kcfg("validate", *FILES, "--format", "github").stdout.splitlines()
    assert lines[0].startswith("::warning file=launch.yaml,line=4,col=3,title=kcfg BLK003::")
    assert any(line.startswith("::error file=a b%2Cc.yaml,line=1,") for line in lines)
    assert "::error file=none.yaml,title=kcfg SPEC001::no such file" in lines
    assert lines[-1].startswith("4 files")


def test_github_escapes(folder: Path) -> None:
    (folder / "50%.yaml").write_text("kernel: launch\nshape: {threads: 1056}\n")
    output = kcfg("validate", "50%.yaml", "--format", "github").stdout
    assert "file=50%25.yaml," in output


def test_junit_has_a_case_for_every_finding(folder: Path) -> None:
    (folder / "two.yaml").write_text(f"{INDEXER.replace('192', '128')}---\n{LAUNCH}")
    result = kcfg("validate", *FILES, "two.yaml", "--format", "junit")
    root = ElementTree.fromstring(result.stdout)
    suites = {suite.attrib["name"]: suite for suite in root}
    counts = {
        name: tuple(suite.attrib[key] for key in ("tests", "failures", "errors"))
        for name, suite in suites.items()
    }
    assert counts == {
        "launch.yaml": ("2", "1", "0"),
        "indexer.yaml": ("1", "1", "0"),
        "a b,c.yaml": ("1", "0", "1"),
        "none.yaml": ("1", "0", "1"),
        "two.yaml": ("3", "1", "0"),
    }
    good, warned, bad = suites["two.yaml"]
    assert len(good) == 0 and good.attrib["name"] == "index_prefill (two.yaml#1:1)"
    assert bad.attrib["name"].startswith("tile (two.yaml#2:")
    assert bad.attrib["name"].endswith(": SMEM001 shape.shared.dynamic:10:5")
    assert {each.attrib["type"] for each in bad.iter("failure")} == {"SMEM001"}
    assert "BLK003" in (warned.findtext("system-out") or "")
    totals = {key: root.attrib[key] for key in ("tests", "failures", "errors", "skipped")}
    assert totals == {"tests": "8", "failures": "3", "errors": "2", "skipped": "0"}
    times = [float(case.attrib["time"]) for case in root.iter("testcase")]
    assert sum(times) > 0 and abs(float(root.attrib["time"]) - sum(times)) < 1e-5


WAIVED = LAUNCH.replace("  threads: 100", "  threads: 100  # kcfg: ignore[BLK003] as upstream does")


def test_what_is_waived_is_in_the_formats_that_have_a_place_for_it(folder: Path) -> None:
    (folder / "waived.yaml").write_text(WAIVED)
    log = json.loads(kcfg("validate", "waived.yaml", "--format", "sarif").stdout)
    said = {each["ruleId"]: each.get("suppressions") for each in log["runs"][0]["results"]}
    reason = [{"kind": "inSource", "justification": "as upstream does"}]
    assert said == {"SMEM001": None, "BLK003": reason}
    root = ElementTree.fromstring(kcfg("validate", "waived.yaml", "--format", "junit").stdout)
    assert root.attrib["skipped"] == "1"
    assert [each.attrib["message"] for each in root.iter("skipped")] == ["as upstream does"]


def test_sarif_names_rules_places_and_findings(folder: Path) -> None:
    def results(text: str) -> dict[str, Any]:
        (folder / "one.yaml").write_text(text)
        (run,) = json.loads(kcfg("validate", "one.yaml", "--format", "sarif").stdout)["runs"]
        root = run["originalUriBaseIds"]["SRCROOT"]["uri"]
        assert root == f"{folder.as_uri()}/"
        rules = run["tool"]["driver"]["rules"]
        assert all(rule["help"]["text"] and rule["name"].isalnum() for rule in rules)
        assert len({rule["name"] for rule in rules}) == len(rules)
        for each in run["results"]:
            place = each["locations"][0]["physicalLocation"]["artifactLocation"]
            assert place == {"uri": "one.yaml", "uriBaseId": "SRCROOT"}
        return {each["ruleId"]: each["partialFingerprints"] for each in run["results"]}

    before = results(LAUNCH)
    moved = results("# a comment\n\n" + LAUNCH.replace("233472", "233480"))
    assert before == moved and len({str(each) for each in before.values()}) == 2
    other = results(LAUNCH.replace("tile", "other"))
    assert not {str(each) for each in before.values()} & {str(each) for each in other.values()}


@pytest.mark.parametrize("format", formats.names("validate"))
def test_every_format_ends_with_the_same_code(format: str) -> None:
    assert kcfg("validate", *FILES, "--format", format).exit_code == 2
    assert kcfg("validate", "launch.yaml", "--format", format).exit_code == 1
    good = kcfg("validate", "-", "--format", format, stdin=INDEXER.replace("192", "128"))
    assert good.exit_code == 0 and good.stderr == ""


def test_the_formats_are_those_promised() -> None:
    promised = {"text", "json", "jsonl", "sarif", "github", "junit"}
    assert set(formats.names("validate")) == promised


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ((), "name a spec file"),
        (("launch.yaml", "--select", "XYZ"), "unknown rule 'XYZ'"),
        (("launch.yaml", "--ignore", "SMEM001,SMEM00X"), "unknown rule 'SMEM00X'"),
        (("launch.yaml", "--target", "b2000"), "did you mean 'b200'?"),
        (("launch.yaml", "--format", "html"), "sarif"),
        (("launch.yaml", "--max-findings", "-1"), "-1"),
        (("launch.yaml", "--max-findings", "many"), "--max-findings"),
    ],
)
def test_wrong_usage(arguments: tuple[str, ...], message: str) -> None:
    result = kcfg("validate", *arguments)
    assert result.exit_code == 2 and result.stdout == ""
    assert message in " ".join(result.stderr.split())


def test_select_and_ignore_are_lists_of_either_kind() -> None:
    both = kcfg("validate", "launch.yaml", "--select", "blk, SMEM001", "--format", "jsonl")
    again = kcfg("validate", "launch.yaml", "--select=BLK", "--select=smem001", "--format=jsonl")
    assert both.stdout == again.stdout
    assert {json.loads(line)["rule"] for line in both.stdout.splitlines()} == {"BLK003", "SMEM001"}


# Rules


def test_rules_are_listed() -> None:
    listed = json.loads(kcfg("rules", "--format", "json").stdout)
    assert [each["id"] for each in listed] == [rule.id for rule in known()]
    assert all(each["title"].endswith(".") for each in listed)
    severities = {each["id"]: each["severities"] for each in listed}
    assert severities["OCC001"] == ["error", "info"] and severities["BLK002"] == ["error"]
    assert {"SMEM001", "CFG001", "EXP001", "RPT001", "IGN001", "SPEC001"} <= {
        each["id"] for each in listed
    }
    table = kcfg("rules").stdout
    assert all(rule.id in table for rule in known())
    assert "OCC001   error, info " in table


@pytest.mark.parametrize("rule", known(), ids=lambda rule: rule.id)
def test_every_rule_has_its_page(rule: Any) -> None:
    words = kcfg("rules", rule.id.lower()).stdout.split()
    head = [rule.id, *f"({', '.join(rule.severities)})".split()]
    assert words == [*head, *rule.page.split()]
    page = json.loads(kcfg("rules", rule.id, "--format", "json").stdout)
    assert page["page"] == rule.page
    assert page["severity"] in page["severities"] == list(rule.severities)


def test_an_unknown_rule_is_refused() -> None:
    result = kcfg("rules", "SMEM0001")
    assert result.exit_code == 2 and "did you mean 'SMEM001'?" in " ".join(result.stderr.split())


def test_a_name_that_is_not_utf8_is_written_in_every_format(folder: Path) -> None:
    name = os.fsdecode(b"b\xffd.yaml")
    (folder / name).write_text(LAUNCH)
    for format in formats.names("validate"):
        result = kcfg("validate", name, "--format", format)
        assert result.exit_code == 1 and "SMEM001" in result.stdout, format
        shown = "b%FFd.yaml" if format == "sarif" else "udcffd.yaml"
        assert shown in result.stdout, format


def test_json_is_written_as_it_comes_and_is_whole() -> None:
    found = json.loads(kcfg("validate", "launch.yaml", "--format", "json").stdout)
    assert found["findings"] and found["summary"]["files"] == 1
    none = json.loads(kcfg("validate", "launch.yaml", "--format", "json", "--select", "IGN").stdout)
    assert none["findings"] == none["notes"] == []


def test_no_color_is_heard(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(console, "is_terminal", lambda: True)
    monkeypatch.delenv("NO_COLOR", raising=False)
    assert "\x1b[" in kcfg("validate", "launch.yaml").stdout
    monkeypatch.setenv("NO_COLOR", "1")
    assert "\x1b[" not in kcfg("validate", "launch.yaml").stdout
