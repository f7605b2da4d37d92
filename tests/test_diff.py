"""Comparisons: what is said to have changed did, and because of what is said to be why."""

from __future__ import annotations

import json
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
import shapes
import yaml
from hypothesis import HealthCheck, Phase, assume, given, settings, strategies as st
from typer.testing import CliRunner, Result

from kcfg.cli.main import application
from kcfg.core import kernels, presets, targets
from kcfg.core.diff import Diff, Side, compare
from kcfg.core.diff.saved import parsed, restored
from kcfg.core.kernel import Kernel
from kcfg.core.report import report
from kcfg.core.same import same
from kcfg.core.saved.reading import SavedError

SOME = settings(
    max_examples=8,
    deadline=None,
    suppress_health_check=list(HealthCheck),
    phases=[Phase.explicit, Phase.generate],  # a pair of whole shapes shrinks for minutes
)
PAIRED = [release for release in shapes.RELEASES if release[1] == "26.7"]


def side(kernel: Kernel) -> Side:
    return Side(report(kernel), kernel)


def between(old: Kernel, new: Kernel) -> Diff:
    return compare(side(old), side(new))


def preset(name: str, **options: Any) -> Side:
    from kcfg.core.diff import derived
    from kcfg.core.spec import Overrides, Spec, read_file

    (spec,) = read_file(presets.path(name), Overrides(**options))
    assert isinstance(spec, Spec)
    return derived(spec)


def run(*arguments: str, stdin: str | None = None) -> Result:
    return CliRunner().invoke(application(["diff"]), ["diff", *arguments], input=stdin)


def saved(tmp_path: Path, side: Side, **changes: Any) -> str:
    path = tmp_path / "saved.json"
    path.write_text(json.dumps({**side.report, **changes}))
    return str(path)


# Because


@pytest.mark.parametrize("release", shapes.RELEASES, ids="@".join)
@given(data=st.data())
@SOME
def test_setting_back_what_is_named_gives_the_old_value(
    release: tuple[str, str], data: st.DataObject
) -> None:
    before = data.draw(shapes.random(*release))
    after = data.draw(shapes.random(*release))
    both = sorted(before.keys() & after.keys())  # few of a matmul's problem and configuration
    keys = data.draw(st.lists(st.sampled_from(both), unique=True, max_size=6)) if both else []
    after = before | {key: after[key] for key in keys}
    assume(shapes.sayable(*release, before) and shapes.sayable(*release, after))
    old, new = shapes.derive(*release, before), shapes.derive(*release, after)
    diff = between(old, new)
    assert {change.name for change in diff.given} == {
        key for key in keys if not same(before[key], after[key])
    }
    assert {result.name: result.new for result in diff.results}.items() <= new.values().items()
    for result in diff.changed:
        assert not same(old.read(result.name), new.read(result.name))
        assert result.because
        for changes in result.because:
            back = {change.name: before[change.name] for change in changes}
            mended = shapes.derive(*release, after | back)
            assert same(mended.read(result.name), result.old), result.name
            for spared in back if len(back) > 1 else ():  # and none of them can be left out
                fewer = {key: value for key, value in back.items() if key != spared}
                if not shapes.sayable(*release, after | fewer):
                    continue
                mended = shapes.derive(*release, after | fewer)
                assert not same(mended.read(result.name), result.old), result.name


@pytest.mark.parametrize("kernel", ["index_prefill", "fa4"])
@given(data=st.data())
@SOME
def test_setting_back_the_named_formulas_gives_the_old_value(
    kernel: str, data: st.DataObject
) -> None:
    inputs = data.draw(shapes.random(kernel, "26.6"))
    old, new = shapes.derive(kernel, "26.6", inputs), shapes.derive(kernel, "26.7", inputs)
    for result in between(old, new).changed:
        assert result.because
        for changes in result.because:
            assert {change.kind for change in changes} == {"formula"}
            formulas = {c.attribute: type(old).quantities[c.attribute] for c in changes}
            mixed: Any = type("Mixed", (type(new),), formulas)
            names = {member.key: name for name, member in type(new).inputs.items()}
            given_now = {names[key]: value for key, value in inputs.items()}
            mended = mixed(target=targets.find(), **given_now)
            assert same(mended.read(result.name), result.old), result.name


@pytest.mark.parametrize("release", PAIRED, ids="@".join)
@given(data=st.data())
@SOME
def test_a_smaller_target_is_a_cause(release: tuple[str, str], data: st.DataObject) -> None:
    inputs = data.draw(shapes.random(*release))
    old = shapes.derive(*release, inputs)
    given_now = {name: getattr(old, name) for name in old.inputs}
    new = type(old)(
        target=old.target.replace(smem_optin_per_block=131072, smem_per_sm=132096), **given_now
    )
    for result in between(old, new).changed:
        for changes in result.because:
            back = {c.name.removeprefix("target."): c.old for c in changes}
            mended = type(old)(target=new.target.replace(**back), **given_now)
            assert same(mended.read(result.name), result.old)


def test_a_change_with_two_causes_names_both() -> None:
    old = preset("llama-3-8b")
    diff = compare(old, preset("llama-3-8b", set=(("qk_depth", "256"), ("ov_depth", "256"))))
    found = {result.name: result.because for result in diff.changed}
    assert [[change.name for change in one] for one in found["padded_qk_depth"]] == [["qk_depth"]]
    assert [[change.name for change in one] for one in found["smem_used"]] == [
        ["qk_depth", "ov_depth"]
    ]


def test_either_of_two_causes_is_named_alone() -> None:
    swept = shapes.INDEXER | {"mma_n": 128, "num_heads": 32}
    old = shapes.derive("index_prefill", "26.6", swept | {"mma_n": 96, "num_heads": 64})
    diff = between(old, shapes.derive("index_prefill", "26.6", swept))
    (wanted,) = [result for result in diff.changed if result.name == "reg_consumer_wanted"]
    assert (wanted.old, wanted.new) == (216, 200)
    assert sorted([change.name for change in one] for one in wanted.because) == [
        ["mma_n"],
        ["num_heads"],
    ]


def test_a_ring_of_26_7_is_shorter_because_of_its_second_query_tile() -> None:
    diff = compare(
        preset("deepseek-v3-2-index", release="26.6"), preset("deepseek-v3-2-index", release="26.7")
    )
    (stages,) = [result for result in diff.changed if result.name == "k_stages"]
    assert (stages.old, stages.new, stages.delta) == (5, 4, -1)
    assert [[(c.kind, c.name) for c in one] for one in stages.because] == [[("formula", "q_slots")]]
    assert ("q_slots", "1", "2") in [(c.name, c.old, c.new) for c in diff.formulas]
    assert "hoist_q_scales" in diff.only_old
    assert "prod_warps" in diff.only_new


def test_a_formula_within_a_part_is_a_cause() -> None:
    diff = compare(
        preset("deepseek-v3-mla", release="26.6"), preset("deepseek-v3-mla", release="26.7")
    )
    (used,) = [result for result in diff.changed if result.name == "fa4_config.smem_used"]
    assert [[c.name for c in one] for one in used.because] == [["fa4_config.tmem_pointer_bytes"]]


# The comparison as a whole


@pytest.mark.parametrize("shape", shapes.SHAPES[::3], ids=lambda shape: shape.id)
def test_nothing_differs_from_itself(shape: shapes.Shape) -> None:
    old, new = (shapes.derive(shape.kernel, shape.release, shape.inputs) for _ in range(2))
    diff = between(old, new)
    assert diff.same
    assert not diff.changed
    assert diff.results


def test_types_count() -> None:
    assert not same(32, "32")
    assert not same(1, True)
    assert same(None, None)


def test_every_value_of_both_is_compared() -> None:
    old, new = preset("llama-3-8b", release="26.6"), preset("llama-3-8b", release="26.7")
    diff = compare(old, new)
    both = old.report["values"].keys() & new.report["values"].keys()
    given_too = {member.key for member in new.kernel.inputs.values() if member.repeated}
    assert {result.name for result in diff.results} == both - given_too


def test_an_unsupported_configuration_is_told_first() -> None:
    result = run("llama-3-8b", "--set", "BM=256..48")
    assert result.exit_code == 1
    assert result.stdout.index("supported -> NOT SUPPORTED") < result.stdout.index("Given")
    assert "now fails query_rows: among(BM, 32, 64, 128, 256); BM is 48" in result.stdout


def test_kernels_are_compared_by_what_both_have() -> None:
    found = json.loads(run("llama-3-8b", "deepseek-v3-2-index", "--format", "json").stdout)
    figures = {entry["name"]: (entry["old"], entry["new"]) for entry in found["results"]}
    assert found["relation"] == "kernels"
    assert figures["threads"] == (512, 256)
    assert figures["mbarriers"] == (33, 14)


# The command line


def test_the_same_spec_twice_exits_0() -> None:
    result = run("llama-3-8b", "llama-3-8b")
    assert result.exit_code == 0
    assert "no difference" in result.stdout


@pytest.mark.parametrize("format", ["text", "json", "markdown"])
def test_a_difference_exits_1_in_every_format(format: str) -> None:
    result = run("llama-3-8b", "--set", "page_size=128..16", "--format", format)
    assert result.exit_code == 1
    assert "smem_used" in result.stdout.replace("\\", "")
    assert "230,676" in result.stdout or "230676" in result.stdout


def test_what_is_given_alike_holds_on_both_sides() -> None:
    arguments = ("--set", "num_q_heads=64", "--set", "page_size=128..16", "--format", "json")
    found = json.loads(run("llama-3-8b", *arguments, "--all").stdout)
    assert [entry["name"] for entry in found["given"]] == ["page_size"]
    assert {e["name"]: e["new"] for e in found["results"]}["num_kv_heads"] == 16
    assert "num_kv_heads" not in run("llama-3-8b", *arguments).stdout


def test_a_spec_may_come_from_standard_input() -> None:
    with open(presets.path("llama-3-8b"), encoding="utf-8") as file:
        assert run("-", "llama-3-8b", stdin=file.read()).exit_code == 0


def test_several_specs_are_compared_in_pairs() -> None:
    result = run("llama-3-70b-o", "llama-3-70b-qkv", "--format", "json")
    assert len(json.loads(result.stdout)) == 5


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["llama-3-8b"], "name a second spec"),
        (["llama-3-8"], "did you mean the preset 'llama-3-8b'?"),
        (["llama-3-8b", "--set", "qk_depth=..3"], "a value on each side"),
        (["llama-3-8b", "--set", "qk_depth"], "key=value"),
        (["llama-3-8b", "llama-3-8b", "--release", "26.6..26.7"], "compared as they are"),
        (["llama-3-8b", "--release", "26.6..26.9"], "unknown release"),
        (["llama-3-8b", "--set", "qk_depth=1..x"], "x"),
        (["llama-3-70b-o", "llama-3-8b"], "compare as many, or one"),
        (["-", "-"], "only once"),
    ],
)
def test_trouble_exits_2(arguments: list[str], message: str) -> None:
    result = run(*arguments)
    assert result.exit_code == 2
    assert message in " ".join(result.stderr.split())
    assert not result.stdout


def test_what_a_file_or_a_kernel_refuses_exits_1(tmp_path: Path) -> None:
    result = run("llama-3-8b", "--target", "b200..h100")
    assert result.exit_code == 1 and "needs tcgen05" in result.stderr and not result.stdout
    path = tmp_path / "wrong.yaml"
    path.write_text("kernel: fa4\nrelease: 26.9\nshape: {}\n")
    result = run("llama-3-8b", str(path))
    assert result.exit_code == 1 and "unknown release" in result.stderr and not result.stdout


# Saved reports


@pytest.mark.parametrize("shape", shapes.SHAPES[::3], ids=lambda shape: shape.id)
def test_a_saved_report_is_what_is_derived_now(shape: shapes.Shape) -> None:
    kernel = shapes.derive(shape.kernel, shape.release, shape.inputs)
    found = parsed(json.dumps(report(kernel)).encode(), "saved.json")
    assert found is not None
    again = restored(found[0])
    assert isinstance(again, Side), again
    assert compare(again, side(kernel)).same


def test_drift_is_told_with_both_versions(tmp_path: Path) -> None:
    old = preset("llama-3-8b")
    values = old.report["values"] | {"num_kv_stages": 6, "BM": "256"}
    path = saved(tmp_path, old, kcfg="0.0.9", values=values)
    found = json.loads(run(path, "--format", "json").stdout)
    assert found["relation"] == "drift"
    assert found["old"]["kcfg"] == "0.0.9"
    entries = {entry["name"]: entry for entry in found["results"]}
    assert entries.keys() == {"num_kv_stages", "BM"}
    assert entries["num_kv_stages"]["because"] == [[{"kind": "kcfg", "name": "kcfg"}]]
    text = run(path)
    assert text.exit_code == 1
    assert "another kcfg (0.0.9 ->" in " ".join(text.stdout.split())


def test_a_saved_report_alone_without_drift_exits_0(tmp_path: Path) -> None:
    assert run(saved(tmp_path, preset("llama-3-8b"))).exit_code == 0


def test_reports_saved_as_lines_are_read(tmp_path: Path) -> None:
    path = tmp_path / "saved.jsonl"
    lines = [preset(name).report for name in ("llama-3-8b", "gemma-3-27b")]
    path.write_text("".join(json.dumps(line) + "\n" for line in lines))
    assert run(str(path)).exit_code == 0


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"values": [1]}, "`values` must be an object, not a list"),
        ({"values": {"BM": {}}}, "`values.BM` must be a number"),
        ({"inputs": None}, "`inputs` must be an object, not null"),
        ({"schema": 2}, "a report of schema 2, not 1"),
        ({"release": "99.1"}, "unknown release"),
        ({"kernel": "fa5"}, "unknown kernel"),
        ({"inputs": {"depth": 3}}, "qk_depth"),
        ({"smem": {"regions": [3]}}, "`smem.regions[0]` must be an object"),
        ({"smem": None, "name": "a\x1b[31m"}, "`name` holds control characters"),
        ({"smem": 7}, "`smem` must be an object or null"),
        ({"tmem": {"regions": [{"name": 3}]}}, "`tmem.regions[0].name` must be a text"),
        ({"findings": [{}]}, "`findings[0].rule` must be a text"),
        ({"name": []}, "`name` must be a text or null"),
        ({"kcfg": {}}, "`kcfg` must be a text"),
        ({"units": {"BM": 3}}, "`units.BM` must be a text"),
        ({"supported": 1}, "`supported` must be true or false or null"),
    ],
)
def test_a_malformed_report_is_refused(
    tmp_path: Path, changes: dict[str, Any], message: str
) -> None:
    result = run(saved(tmp_path, preset("llama-3-8b"), **changes))
    assert result.exit_code == 1
    assert message in result.stderr
    assert not result.stdout


@given(
    key=st.sampled_from(sorted(preset("deepseek-v3-2-index").report)),
    value=st.recursive(
        st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=3),
        lambda inner: st.lists(inner, max_size=2) | st.dictionaries(st.text(max_size=3), inner),
        max_leaves=4,
    ),
)
@settings(max_examples=60, deadline=None)
def test_no_saved_report_is_too_odd_for_an_answer(key: str, value: Any) -> None:
    whole = {**preset("deepseek-v3-2-index").report, key: value}
    try:
        found = parsed(json.dumps(whole).encode(), "saved.json")
    except SavedError:
        return
    assert found is not None
    item = restored(found[0])
    if isinstance(item, Side):
        from kcfg.cli.formats.diff import json as as_json
        from kcfg.cli.pages.diff import pages
        from kcfg.cli.render import plain

        diff = compare(item, preset("deepseek-v3-2-index"))
        assert plain.text(pages([diff], everything=True))
        assert json.dumps(as_json._diff(diff, everything=True))


@pytest.mark.parametrize(
    ("part", "figure", "value"),
    [
        ("smem", "used", 1),
        ("smem", "used", 230676.0),
        ("smem", "limit", 7),
        ("tmem", "used", 7),
        ("barriers", "count", 7),
        ("registers", "threads", 7),
        ("units", "BM", "bytes"),
    ],
)
def test_an_edited_figure_is_a_difference(
    tmp_path: Path, part: str, figure: str, value: object
) -> None:
    old = preset("llama-3-8b")
    path = saved(tmp_path, old, **{part: old.report[part] | {figure: value}})
    found = json.loads(run(path, "--format", "json").stdout)
    (entry,) = found["results"]
    assert (entry["name"], entry["old"]) == (f"{part}.{figure}", value)
    assert run(path).exit_code == 1


def test_a_report_saved_as_yaml_is_one(tmp_path: Path) -> None:
    path = tmp_path / "saved.yaml"
    whole = preset("llama-3-8b").report
    path.write_text(yaml.safe_dump(whole, sort_keys=False, explicit_start=True))
    assert run(str(path)).exit_code == 0
    path.write_text(yaml.safe_dump(whole | {"units": 5}, sort_keys=False, explicit_start=True))
    result = run(str(path))
    assert result.exit_code == 1 and "`units` must be an object" in result.stderr


def test_launches_differ_in_what_they_give(tmp_path: Path) -> None:
    path = tmp_path / "launch.yaml"
    path.write_text("kernel: launch\nshape: {threads: 128}\n")
    found = json.loads(run(str(path), "--set", "threads=128..256", "--format", "json").stdout)
    (given,) = found["given"]
    assert (given["name"], given["old"], given["new"]) == ("threads", 128, 256)
    other = tmp_path / "other.yaml"
    other.write_text("kernel: launch\nshape: {threads: 128, grid: [2]}\n")
    result = run(str(path), str(other))
    assert result.exit_code == 1 and "grid[0]" in result.stdout
    assert run(str(path), str(path)).exit_code == 0


def test_a_report_cut_short_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "saved.json"
    path.write_text(json.dumps(preset("llama-3-8b").report)[:900])
    result = run(str(path))
    assert result.exit_code == 2
    assert "not JSON" in result.stderr


def test_every_release_can_be_compared_with_the_next() -> None:
    for kernel in kernels.names():
        known = kernels.releases(kernel)
        for old, new in pairwise(known):
            one, two = (
                next(s for s in shapes.SHAPES if (s.kernel, s.release) == (kernel, release))
                for release in (old, new)
            )
            diff = between(*(shapes.derive(*shape[:2], shape.inputs) for shape in (one, two)))
            assert not diff.same
            assert all(result.because for result in diff.changed)


def test_what_one_side_alone_is_given_is_none_on_the_other(tmp_path: Path) -> None:
    for side, value in (("old", 4), ("new", 5)):
        (tmp_path / f"{side}.kcfg.yaml").write_text(
            f"defines: g\ninputs: {{n: 1, {side}: 3}}\nvalues: {{a: n + {side}}}\n"
            f"---\nkernel: g\nshape: {{{side}: {value}}}\n"
        )
    text = run(*(str(tmp_path / f"{side}.kcfg.yaml") for side in ("old", "new"))).stdout
    table = text.split("Given differently\n")[1].split("\n\n")[0]
    assert [line.split() for line in table.splitlines()[1:]] == [
        ["old", "4", "none"],
        ["new", "none", "5"],
    ]


def test_warnings_that_go_and_come_are_told() -> None:
    def launch(count: int) -> Side:
        from kcfg.core.diff import derived
        from kcfg.core.spec import Spec, read

        (spec,) = read(f"kernel: launch\nshape: {{mbarriers: [{{count: {count}}}]}}\n", "a.yaml")
        assert isinstance(spec, Spec)
        return derived(spec)

    verdict = compare(launch(0), launch(4)).verdict
    assert [(each["rule"], each["severity"]) for each in verdict.gone] == [("MBAR003", "warning")]
    assert (verdict.changed, verdict.come) == (True, ())
