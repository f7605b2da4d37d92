"""Comments that ignore findings, and the settings of a project."""

from __future__ import annotations

from pathlib import Path

import pytest

from kcfg.cli.hook import run
from kcfg.core.finding import Finding
from kcfg.core.spec import Overrides
from kcfg.core.validate.run import Options, Run

LAUNCH = """\
kernel: launch
shape:
  threads: 128
  shared:
    dynamic: 233472
"""
ONLY = Options(select=("SMEM", "IGN"))


def judge(path: Path, options: Options = ONLY) -> tuple[list[Finding], Run]:
    run = Run([str(path)], options)
    return [located.finding for judged in run for located in judged.found], run


def rules(folder: Path, text: str, options: Options = ONLY) -> list[str]:
    """What is found in a spec, as ``RULE:line``."""
    path = folder / "a.kcfg.yaml"
    path.write_text(text)
    return [f"{finding.rule}:{finding.line}" for finding in judge(path, options)[0]]


def with_comment(comment: str) -> str:
    return LAUNCH.replace("233472", f"233472  {comment}")


# Comments


@pytest.mark.parametrize(
    "text",
    [
        with_comment("# kcfg: ignore[SMEM001] the driver has more"),
        with_comment("#kcfg:ignore[ smem001 ] the driver has more"),
        LAUNCH.replace("    dynamic", "    # kcfg: ignore[SMEM001] why\n    dynamic"),
        LAUNCH.replace("    dynamic", "    # kcfg: ignore[SMEM001] why\n\n    # so\n    dynamic"),
        f"# kcfg: ignore[SMEM001] all of it\n{LAUNCH}",
        f"---\n# kcfg: ignore[SMEM001] all of it\n{LAUNCH}",
    ],
)
def test_a_comment_waives_what_it_names(tmp_path: Path, text: str) -> None:
    assert rules(tmp_path, text) == []


def test_it_waives_in_its_own_document_only(tmp_path: Path) -> None:
    text = f"# kcfg: ignore[SMEM001] the first\n{LAUNCH}---\n{LAUNCH}"
    assert rules(tmp_path, text) == ["SMEM001:12"]


@pytest.mark.parametrize(
    ("comment", "found"),
    [
        ("# kcfg: ignore[SMEM001]", ["IGN002:5"]),
        ("# kcfg: ignore[SMEM004] why", ["SMEM001:5", "IGN001:5"]),
        ("# kcfg: ignore[SMEM001, SMEM004] why", ["IGN001:5"]),
        ("# kcfg: ignore[SMEM999] why", ["SMEM001:5", "IGN003:5"]),
        ("# kcfg: ignore[SPEC002] why", ["SMEM001:5", "IGN003:5"]),
        ("# kcfg: ignore SMEM001", ["SMEM001:5", "IGN004:5"]),
        ("# kcfg: ignore[] why", ["SMEM001:5", "IGN004:5"]),
        ("# see kcfg: the manual", ["SMEM001:5"]),
    ],
)
def test_a_comment_that_is_not_as_it_should_be(
    tmp_path: Path, comment: str, found: list[str]
) -> None:
    assert sorted(rules(tmp_path, with_comment(comment))) == sorted(found)


def test_a_comment_in_the_first_line_is_about_that_line(tmp_path: Path) -> None:
    text = LAUNCH.replace("launch\n", "launch  # kcfg: ignore[SMEM001] why\n")
    assert sorted(rules(tmp_path, text)) == ["IGN001:1", "SMEM001:5"]


def test_a_comment_at_a_spec_waives_what_is_told_of_its_definition(tmp_path: Path) -> None:
    """The finding is placed where the definition says it; the spec that has it may waive it."""
    wide = "defines: wide\ninputs: {n: {doc: N.}}\ntensor_memory: {acc: {columns: 1024}}\n---\n"
    only = Options(select=("TMEM002", "IGN"))
    for comment, found in (("", ["TMEM002:3"]), ("  # kcfg: ignore[TMEM002] so", [])):
        text = f"{wide}kernel: wide\nshape: {{n: 3}}{comment}\n"
        assert rules(tmp_path, text, only) == found


def test_a_comment_below_the_key_waives_nothing(tmp_path: Path) -> None:
    text = f"{LAUNCH}# kcfg: ignore[SMEM001] too late\n"
    assert rules(tmp_path, text) == ["SMEM001:5", "IGN001:6"]


def test_a_value_is_no_comment(tmp_path: Path) -> None:
    text = LAUNCH.replace("shape:", 'name: "a # kcfg: ignore[SMEM001] b"\nshape:')
    assert rules(tmp_path, text) == ["SMEM001:6"]
    text = LAUNCH.replace("shape:", "name: >-\n  a\n  # kcfg: ignore[SMEM001] b\nshape:")
    assert rules(tmp_path, text)[0] == "SMEM001:8"


def test_what_is_not_looked_for_is_not_unused(tmp_path: Path) -> None:
    text = with_comment("# kcfg: ignore[SMR002] why")
    assert rules(tmp_path, text) == ["SMEM001:5"]


def test_a_comment_is_known_as_used_where_notes_are_hidden(tmp_path: Path) -> None:
    text = LAUNCH.replace("233472", "100000")
    text = text.replace("shared:", "shared:  # kcfg: ignore[SMEM002] why")
    assert rules(tmp_path, text) == []
    assert rules(tmp_path, text, ONLY._replace(infos=True)) == []


def test_a_problem_of_reading_is_not_waived(tmp_path: Path) -> None:
    text = "# kcfg: ignore[SPEC002] please\nkernel: launch\nshape: {threds: 1}\n"
    assert rules(tmp_path, text) == ["SPEC002:3"]


# Settings


def project(folder: Path, table: str) -> Path:
    (folder / "pyproject.toml").write_text(f"[tool.kcfg]\n{table}\n")
    path = folder / "deep" / "er" / "a.kcfg.yaml"
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(LAUNCH + "  registers: {entry: 97, maxnreg: 16}\n")
    return path


@pytest.mark.parametrize(
    ("table", "options", "expected"),
    [
        ('select = ["SMEM"]', Options(), {"SMEM001"}),
        ('select = ["SMEM", "REG007"]', Options(ignore=("SMEM",)), {"REG007"}),
        ('select = ["SMEM"]', Options(select=("REG007",)), {"REG007"}),
        ('ignore = ["SMEM", "OCC"]', Options(select=("SMEM", "REG007")), {"REG007"}),
        ('ignore = ["SMEM"]', Options(select=("SMEM", "REG007"), ignore=()), {"SMEM001", "REG007"}),
    ],
)
def test_settings_select(tmp_path: Path, table: str, options: Options, expected: set[str]) -> None:
    found, _ = judge(project(tmp_path, table), options)
    assert {finding.rule for finding in found} == expected


def test_settings_may_be_strict_and_the_command_line_lenient(tmp_path: Path) -> None:
    path = project(tmp_path, "strict = true")
    only = Options(select=("REG007",))
    assert judge(path, only)[1].tally.wrong
    assert not judge(path, only._replace(strict=False))[1].tally.wrong


def test_a_target_for_specs_that_name_none(tmp_path: Path) -> None:
    path = project(tmp_path, 'target = "rtx_5090"')
    only = Options(select=("SMEM001",))
    assert judge(path, only)[0][0].limit == 101_376
    assert judge(path, only._replace(overrides=Overrides(target="b200")))[0][0].limit == 232_448
    path.write_text(path.read_text().replace("shape:", "target: b200\nshape:"))
    assert judge(path, only)[0][0].limit == 232_448
    path.write_text(path.read_text().replace("target: b200", "target:"))
    assert judge(path, only)[0][0].limit == 101_376


def test_the_nearest_table_counts(tmp_path: Path) -> None:
    path = project(tmp_path, 'select = ["SMEM"]')
    (tmp_path / "deep" / "pyproject.toml").write_text("[tool.kcfg-not]\n[tool.other]\n")
    assert {finding.rule for finding in judge(path, Options())[0]} == {"SMEM001"}
    (tmp_path / "deep" / "pyproject.toml").write_text('[tool.kcfg]\nselect = ["REG007"]\n')
    assert {finding.rule for finding in judge(path, Options())[0]} == {"REG007"}


@pytest.mark.parametrize(
    ("table", "said"),
    [
        ('target = "b2000"', "unknown target 'b2000'; did you mean 'b200'?"),
        ("target = 100", "expected the name of a target in quotes, not `100`"),
        ('select = "SMEM"', "expected a list of rule ids"),
        ('ignore = ["XYZ"]', "unknown rule 'XYZ'"),
        ('strict = "yes"', "expected true or false, not `'yes'`"),
        ("strickt = true", "unknown key `strickt`; did you mean `strict`?"),
        ("strict = tru", "not TOML"),
    ],
)
def test_settings_that_cannot_be_used(tmp_path: Path, table: str, said: str) -> None:
    found, run = judge(project(tmp_path, table), Options())
    assert found[0].file == str(tmp_path / "pyproject.toml") and said in found[0].message
    assert run.tally.unread
    assert {"SMEM001", "REG007"} <= {finding.rule for finding in found[1:]}
    assert sum(finding.file.endswith("pyproject.toml") for finding in found) == 1


def test_a_kernel_that_the_projects_target_has_no_unit_for(tmp_path: Path) -> None:
    path = project(tmp_path, 'target = "h100"')
    path.write_text(
        "kernel: index_prefill\nshape: {dtype: fp8_e4m3, ks_dtype: f32, depth: 128,"
        " BM_key: 128, mma_n: 128, num_heads: 32}\n"
    )
    (finding,), _ = judge(path, Options())
    assert finding.file == str(path)
    assert "tool.kcfg.target" in finding.message and "tcgen05" in finding.message


@pytest.mark.parametrize(
    ("text", "said"),
    [
        (b"[tool.kcfg]\nstrict = true # \xff\n", "not TOML"),
        ("[tool.kcfg]\nstrict = true\n".encode("utf-16"), "not TOML"),
        (b"[tool]\nkcfg = 5\n", "expected a table"),
        (None, "expected a file"),
    ],
)
def test_a_project_file_that_cannot_be_used_is_told(
    tmp_path: Path, text: bytes | None, said: str
) -> None:
    path = project(tmp_path, "")
    (found,) = tmp_path.rglob("pyproject.toml")
    found.unlink()
    if text is None:
        found.mkdir()
    else:
        found.write_bytes(text)
    findings, run = judge(path, Options())
    assert run.tally.unread and any(said in finding.message for finding in findings)
    if text is None:
        found.rmdir()
        found.symlink_to("nowhere.toml")
        findings, run = judge(path, Options())
        assert run.tally.unread and any("cannot be read" in each.message for each in findings)


def test_an_ignore_behind_everything_is_about_nothing(tmp_path: Path) -> None:
    path = tmp_path / "a.kcfg.yaml"
    path.write_text("kernel: launch\nshape: {threads: 128}\n# kcfg: ignore[BLK001] why\n")
    findings, _ = judge(path, Options())
    (message,) = [each.message for each in findings if each.rule == "IGN001"]
    assert "nothing follows it" in message and "-1" not in message


def test_what_is_found_in_a_definition_is_waived_there(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "g.kcfg.yaml"
    text = "defines: g\ninputs: {n: {default: 3, most: 8}}\nvalues:\n"
    text += "  x: {by: n, cases: {3: 2, 16: 3}}  # kcfg: ignore[SPEC003] of the wider kernel\n"
    text += "shared: {s: {bytes: 3000}}\nshared_limit: 2048  # kcfg: ignore[CFG003] measured\n"
    path.write_text(text)
    assert run([str(path), "--strict"]) == 0
    assert "2 waived" in capsys.readouterr().out
    path.write_text(f"{text}---\nkernel: g\nshape: {{n: 3}}\n")  # found at the same place
    assert run([str(path), "--strict"]) == 0
    assert "3 waived" in capsys.readouterr().out
    path.write_text(
        text.replace("SPEC003] of the wider kernel", "CFG1]").replace("default: 3,", "")
    )
    assert run([str(path)]) == 0
    told = [line.partition(":4:")[2] for line in capsys.readouterr().out.splitlines()]
    assert told[0].startswith("28: warning SPEC003")
    assert told[1].startswith("37: warning IGN002") and told[2].startswith("37: warning IGN003")
