"""The strict reader: what it takes, what it refuses, where it points, how it survives."""

from __future__ import annotations

import io
import os
import random
import re
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml
from hypothesis import given, settings, strategies as st

from kcfg.core import kernels, presets
from kcfg.core.engine.quantity import REQUIRED, Input
from kcfg.core.spec import Spec, read, read_file
from kcfg.core.spec.expectation import Expectation
from kcfg.core.spec.overrides import Overrides
from kcfg.core.spec.problem import Problem

SPECS = Path(__file__).parent / "specs"
GOOD = (SPECS / "good" / "full.yaml").read_text(encoding="utf-8")
EXPECTED = re.compile(r"# (\d+):(\d+) (unreadable|wrong) (.+)")


def specs(text: str | bytes, overrides: Overrides | None = None) -> list[Spec]:
    """The specs of a text that has no problems."""
    found = list(read(text, "a.yaml", overrides))
    assert all(isinstance(item, Spec) for item in found), found
    return [item for item in found if isinstance(item, Spec)]


def problems(text: str | bytes, overrides: Overrides | None = None) -> list[Problem]:
    """Every problem of a text, all documents together."""
    found = read(text, "a.yaml", overrides)
    return [problem for item in found if isinstance(item, list) for problem in item]


def with_depth(value: str) -> str:
    """The good spec with another value for ``depth``."""
    return GOOD.replace("depth: 128", f"depth: {value}")


# Files


@pytest.mark.parametrize("path", sorted((SPECS / "good").iterdir()), ids=lambda path: path.stem)
def test_good_file(path: Path) -> None:
    for item in read_file(str(path)):
        assert isinstance(item, Spec), item
        assert item.derive().values()["k_stages"] > 0


@pytest.mark.parametrize("path", sorted((SPECS / "bad").iterdir()), ids=lambda path: path.stem)
def test_bad_file_has_the_problems_it_states(path: Path) -> None:
    with path.open(encoding="utf-8") as lines:
        stated = [match.groups() for line in lines if (match := EXPECTED.match(line))]
    found = [p for item in read_file(str(path)) if isinstance(item, list) for p in item]
    places = [(str(p.line), str(p.column), p.kind) for p in found]
    assert places == [place[:3] for place in stated], "\n".join(map(str, found))
    for problem, (*_, text) in zip(found, stated, strict=True):
        assert text in f"{problem.path}: {problem.message}"


def test_a_spec_holds_what_was_written() -> None:
    (spec,) = specs(GOOD)
    assert (spec.kernel, spec.release, spec.target.name) == ("index_prefill", "26.6", "b200")
    assert spec.name == "lightning-indexer"
    assert spec.source == "a.yaml#1:1"
    assert spec.shape["dtype"] == "float8_e4m3fn"
    assert spec.given == ("dtype", "ks_dtype", "depth", "BM_key", "mma_n", "num_heads")
    assert spec.at["shape.depth"] == ((8, 3), (8, 10))
    assert spec.at["kernel"] == ((1, 1), (1, 9))
    assert spec.expect["k_stages"] == Expectation("k_stages", "==", 5, (13, 13))
    assert spec.expect["smem_used"][1:3] == ("<=", 232448)
    assert spec.expect["ctas_per_sm"][1:3] == ("in", (1, 2))
    assert spec.expect["supported"][1:3] == ("==", True)
    assert spec.expect["reg_consumer"][1:3] == ("!=", 0)


def test_places_have_every_key_and_say_where_it_stands() -> None:
    text = GOOD.replace("mma_n: 64", "n_tokens: 2")
    (spec,) = specs(text)
    top, mappings = ["kernel", "release", "target", "name", "shape", "expect"], []
    for key, entries in (("shape", [*spec.given, "mma_n"]), ("expect", spec.expect)):
        mappings += [f"{key}.{each}" for each in entries]
    assert sorted(spec.at) == sorted([*top, *mappings]) and len(spec.at) == len(dict(spec.at))
    lines = text.splitlines()
    for path, ((line, column), _) in spec.at.items():
        key = path.rpartition(".")[2].replace("mma_n", "n_tokens")
        assert lines[line - 1][column - 1 :].startswith(f"{key}:")
    assert "shape.BM" not in spec.at and "shape" in repr(spec.at)


def test_a_pin_on_a_part_has_a_place() -> None:
    text = presets.text("deepseek-v3-mla") + "\nexpect:\n  fa4_config.supported: true\n"
    one, two = specs(text), specs(text)
    assert one == two
    assert one[0].at["expect.fa4_config.supported"][0][1] == 3


def test_another_word_gives_the_input_and_its_place() -> None:
    (spec,) = specs(GOOD.replace("mma_n: 64", "n_tokens: 2"))
    assert spec.shape["mma_n"] == 128
    assert "n_tokens" in spec.given
    assert "mma_n" not in spec.given
    assert spec.at["shape.mma_n"] == spec.at["shape.n_tokens"] == ((10, 3), (10, 13))


def test_null_is_absent() -> None:
    for empty in ("null", "~", ""):
        (spec,) = specs(GOOD.replace("mma_n: 64", f"mma_n: {empty}\n  n_tokens: 2"))
        assert spec.shape["mma_n"] == 128
        (spec,) = specs(GOOD.replace("mma_n: 64", f"mma_n: 64\n  n_tokens: {empty}"))
        assert spec.shape["mma_n"] == 64
        assert "n_tokens" not in spec.given
        text = GOOD.replace("b200", empty).replace("lightning-indexer", empty)
        (spec,) = specs(text.replace("release: 26.6", f"release: {empty}").partition("expect")[0])
        assert (spec.name, spec.target.name) == (None, "b200")
        assert spec.release == kernels.releases("index_prefill")[-1]


def test_documents_are_named_by_number_and_line() -> None:
    found = list(read_file(str(SPECS / "good" / "several.yaml")))
    sources = [item.source.rpartition("#")[2] for item in found if isinstance(item, Spec)]
    assert sources == ["1:1", "2:10", "3:20"]


# Scalars


@pytest.mark.parametrize(
    ("value", "message"),
    [
        ("010", "(8 on one loader, 10 on another); write 10"),
        ("089", "(text on one loader, 89 on another); write 89"),
        ("12:30", "(YAML 1.1 reads 750)"),
        ("0x20", "write it in decimal: 32"),
        ("0o40", "write it in decimal: 32"),
        ("0b11", "write it in decimal: 3"),
        ("1_28", "write 128"),
        ("1,024", "write 1024"),
        ("+5", "write 5 without the sign"),
        ("32.0", "a float; write 32"),
        ("1e3", "a float; write 1000"),
        ("1.5", "a float"),
        (".nan", "not-a-number"),
        ("-.inf", "infinity"),
        ("'32'", "the quoted text `32`: write 32 without quotes"),
        ("-32", "must be at least 1, not -32"),
        ("0", "must be at least 1, not 0"),
        ("1048577", "must be at most 1048576, not 1048577"),
        ("9" * 5001, "99999999...9999 (5,001 digits) is out of range"),
        ("0x" + "f" * 5000, "(5,002 characters)"),
        ("true", "not `true`"),
        ("on", "not `on`: YAML 1.1 reads a truth value here"),
        ("2026-01-01", "not `2026-01-01`"),
        ("\u0663", "not `\u0663`"),
        ("[128]", "not a list"),
        ("{a: 1}", "not a mapping"),
        ("", "the value is empty, and `depth` [elements] has no default: "),
        ("~", "the value is empty, and `depth`"),
        ("null", "the value is empty, and `depth`"),
    ],
)
def test_what_is_no_integer(value: str, message: str) -> None:
    (problem,) = problems(with_depth(value))
    assert (problem.line, problem.path, problem.kind) == (8, "shape.depth", "wrong")
    assert message in problem.message
    assert len(str(problem)) < 250


@pytest.mark.parametrize("value", ["yes", "On", "1", "True", "'true'", "~"])
def test_what_is_no_truth_value(value: str) -> None:
    (problem,) = problems(GOOD.replace("supported: true", f"supported: {value}"))
    assert (problem.line, problem.path) == (16, "expect.supported")
    assert "true or false" in problem.message


@pytest.mark.parametrize("value", ["'>= 4'", '"<5"', "== 5", "[5, 6]", "5", "'!=3'"])
def test_expectations_that_can_be_read(value: str) -> None:
    (spec,) = specs(GOOD.replace("k_stages: 5", f"k_stages: {value}"))
    assert spec.expect["k_stages"].operator in ("==", "!=", "<", ">=", "in")


@pytest.mark.parametrize("value", ["<= 1.5", "<=", "[]", "[a]", "{a: 1}", "five", "'5'", "<> 5"])
def test_expectations_that_cannot(value: str) -> None:
    (problem,) = problems(GOOD.replace("k_stages: 5", f"k_stages: {value}"))
    assert problem.path == "expect.k_stages"


def test_an_order_of_what_has_none() -> None:
    (problem,) = problems(GOOD.replace("supported: true", "supported: < true"))
    assert "orders integers" in problem.message


@pytest.mark.parametrize(
    ("written", "name"),
    [("2026-01-01", "2026-01-01"), ("1e5", "1e5"), ("yes", "yes"), ("", None), ("null", None)],
)
def test_a_name_stays_text(written: str, name: str | None) -> None:
    (spec,) = specs(GOOD.replace("lightning-indexer", written))
    assert spec.name == name


@pytest.mark.parametrize("target", ["sm_100", "sm_100a", "B200", "b200", "10.0", "null"])
def test_one_target_many_names(target: str) -> None:
    (spec,) = specs(GOOD.replace("target: b200", f"target: {target}"))
    assert spec.target.name == "b200"


# Encodings and the shape of the stream


@pytest.mark.parametrize("encoding", ["utf-16", "utf-16-le", "utf-16-be", "utf-32"])
def test_other_encodings(encoding: str) -> None:
    (problem,) = problems(GOOD.encode(encoding))
    assert problem.kind == "unreadable"
    assert "save it as UTF-8" in problem.message


def test_a_byte_that_is_not_utf8() -> None:
    data = GOOD.encode() + b"---\n# caf\xe9\n" + GOOD.encode() + b"---\n" + GOOD.encode()
    first, second, third = read(data, "a.yaml")
    assert isinstance(first, Spec)
    assert isinstance(third, Spec)
    assert isinstance(second, list)
    (problem,) = second
    offset = data.index(b"\xe9")
    assert (problem.line, problem.column, problem.kind) == (19, 6, "unreadable")
    assert f"byte 0xe9 at offset {offset} of the file" in problem.message


@pytest.mark.parametrize("text", ["", "\n\n", "# only\n", "---", "---\n", "%YAML 1.2\n", "...\n"])
def test_no_spec(text: str) -> None:
    (problem,) = problems(text)
    assert problem.kind == "unreadable"


def test_a_marker_needs_a_blank_behind_it() -> None:
    assert problems("---a: 1\n")[0].path == "---a"
    assert len(list(read(GOOD.replace("kernel", "---\tkernel", 0) + "--- \n" + GOOD, "a"))) == 2


def test_no_document_is_too_large_to_refuse() -> None:
    (problem,) = problems("kernel: " + "x" * 10_000_000)
    assert (problem.line, problem.kind) == (1, "unreadable")
    assert "65,536 bytes" in problem.message


# Files and standard input


def test_files_that_cannot_be_read(tmp_path: Path) -> None:
    dangling = tmp_path / "dangling.yaml"
    dangling.symlink_to("nowhere.yaml")
    for path, message in (
        (tmp_path / "none.yaml", "no such file"),
        (dangling, "a link to nowhere.yaml, where nothing is"),
        (tmp_path, "this is a directory"),
        ("a\0b", "cannot be read"),
    ):
        (found,) = read_file(str(path))
        assert isinstance(found, list)
        (problem,) = found
        assert (problem.line, problem.kind) == (0, "unreadable")
        assert message in problem.message


@pytest.mark.skipif(
    not hasattr(os, "geteuid") or os.geteuid() == 0, reason="everything is readable to root"
)
def test_a_file_without_permission(tmp_path: Path) -> None:
    locked = tmp_path / "locked.yaml"
    locked.write_text(GOOD)
    locked.chmod(0)
    (found,) = read_file(str(locked))
    assert isinstance(found, list)
    assert "no permission" in found[0].message


def test_standard_input(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(GOOD.encode())))
    (spec,) = read_file("-")
    assert isinstance(spec, Spec)
    assert spec.source == "<stdin>#1:1"
    monkeypatch.setattr(sys, "stdin", None)
    (found,) = read_file("-")
    assert isinstance(found, list)
    assert str(found[0]) == "<stdin>: cannot be read: standard input is closed"


# The command line over the file


def test_settings_replace_and_add() -> None:
    (spec,) = specs(GOOD, Overrides(set=(("depth", "64"), ("name", "a b"))))
    assert (spec.shape["depth"], spec.name) == (64, "a b")
    assert spec.at["shape.depth"] == ((0, 0), (0, 0))
    (spec,) = specs(GOOD, Overrides(set=(("n_tokens", "2"),)))
    assert spec.shape["mma_n"] == 128, "a setting replaces the same input under another word"
    (spec,) = specs("{}", Overrides(kernel="index_prefill", set=tuple(_shape(GOOD))))
    assert spec.shape == specs(GOOD)[0].shape


def _shape(text: str) -> Iterator[tuple[str, str]]:
    for line in text.partition("shape:\n")[2].partition("expect:")[0].splitlines():
        key, value = line.strip().split(": ")
        yield key, value


@pytest.mark.parametrize(
    ("key", "value", "message"),
    [
        ("depth", "010", "--set depth=010: shape.depth: expected an integer"),
        ("depth", "'64'", "write 64 without quotes"),
        ("depth", "", "--set depth=: shape.depth: the value is empty, and `depth`"),
        ("dept", "64", "unknown key `dept`; did you mean `depth`?"),
        ("\x1b[31m", "1", r"--set \x1b[31m=1: shape.\x1b[31m: unknown key"),
    ],
)
def test_settings_are_as_strict(key: str, value: str, message: str) -> None:
    (problem,) = problems(GOOD, Overrides(set=((key, value),)))
    assert (problem.line, problem.column) == (0, 0)
    assert message in str(problem)


def test_one_setting_for_one_input() -> None:
    twice = Overrides(set=(("depth", "1"), ("depth", "2")))
    assert [p.message for p in problems(GOOD, twice)] == ["this key is set twice: keep one"]
    both = Overrides(set=(("mma_n", "64"), ("n_tokens", "2")))
    assert "give the same input" in problems(GOOD, both)[0].message


def test_a_kernel_judges_inputs_together(monkeypatch: pytest.MonkeyPatch) -> None:
    seen: list[tuple[dict[str, Any], Any]] = []

    def conflicts(inputs: dict[str, Any], given: Any) -> list[tuple[str, str]]:
        seen.append((inputs, given))
        return [("mma_n", "too wide for this depth")]

    cls = kernels.find("index_prefill", "26.6")
    monkeypatch.setattr(cls, "conflicts", conflicts)
    (problem,) = problems(GOOD.replace("mma_n: 64", "n_tokens: 2"))
    assert str(problem) == "a.yaml:10:13: shape.n_tokens: too wide for this depth"
    ((inputs, given_keys),) = seen
    assert inputs["mma_n"] == 128
    assert "n_tokens" in given_keys
    assert len(problems(with_depth("0"))) == 1, "not asked while an input is wrong"
    assert len(seen) == 1


def test_release_target_and_kernel_from_the_command_line() -> None:
    (spec,) = specs(GOOD.partition("expect")[0], Overrides(release="26.7", target="sm_100a"))
    assert spec.release == "26.7"
    wrong = Overrides(release="1.2", target="z80")
    assert [p.file for p in problems(GOOD, wrong)] == ["--release 1.2", "--target z80"]
    assert problems(GOOD, Overrides(kernel="fa"))[0].file == "--kernel fa"


# Every kernel


def _written(declared: Input) -> Any:
    if declared.kind is str:
        return declared.choices[0]
    return False if declared.kind is bool else declared.least


RELEASES = [(name, release) for name in kernels.names() for release in kernels.releases(name)]


@pytest.mark.parametrize(("kernel", "release"), RELEASES)
def test_every_input_of_every_kernel(kernel: str, release: str) -> None:
    cls = kernels.find(kernel, release)
    if hasattr(cls, "read_shape"):
        pytest.skip("this kernel reads its shape itself")
    for key, declared in ((member.key, member) for member in cls.inputs.values()):
        shape: dict[str, Any] = {key: [_written(declared)], "no_such_key": 1}
        text = yaml.safe_dump({"kernel": kernel, "release": release, "shape": shape})
        found = {problem.path: problem.message for problem in problems(text)}
        assert "not a list" in found.pop(f"shape.{key}")
        assert "unknown key" in found.pop("shape.no_such_key")
        others = {f"shape.{i.key}" for i in cls.inputs.values() if i.default is REQUIRED} - {
            f"shape.{key}"
        }
        assert set(found) == others
        assert all("missing key" in message for message in found.values())


# Whatever comes


PIECES = (
    *"abk:-?[]{},'\"|>&*!#%@`\\~=<0\n\t\r \x00\x85\u2028\ufeff",
    *("kernel", "shape", "expect", "index_prefill", "depth", ": ", "\n  ", "\n---\n", "\n...\n"),
    *("- ", "&a", "*a", "!!int ", "!x", "<<", "010", "true", "null", "26.6", "\U0001d11e"),
)


HANGS = 2.0
"""Seconds of its own that no document may take."""


def survives(data: str | bytes) -> None:
    """Read it: nothing is raised, nothing takes long, every message can be printed."""
    begin = time.process_time()  # a busy machine is not the reader's fault
    found = list(read(data, "a.yaml"))
    assert time.process_time() - begin < HANGS
    assert found
    for item in found:
        if isinstance(item, Spec):
            item.derive().values()
            continue
        assert item
        for problem in item:
            assert str(problem).isprintable()
            assert problem.line >= 1
            assert problem.column >= 1


@settings(max_examples=300, deadline=None)
@given(st.binary(max_size=80))
def test_random_bytes(data: bytes) -> None:
    survives(data)


@settings(max_examples=300, deadline=None)
@given(st.lists(st.sampled_from(PIECES), max_size=40))
def test_random_yaml(pieces: list[str]) -> None:
    survives("".join(pieces))


@pytest.mark.parametrize("seed", range(300))
def test_damaged_specs(seed: int) -> None:
    chance = random.Random(seed)
    text = list(GOOD)
    for _ in range(chance.randrange(1, 6)):
        where = chance.randrange(len(text))
        text[where : where + chance.randrange(2)] = chance.choice(PIECES)
    survives("".join(text))


@pytest.mark.parametrize(
    "text",
    [
        "[" * 3_000 + "]" * 3_000,
        "[" * 100_000,
        "{a: " * 10_000,
        "- " * 30_000,
        "? " * 30_000,
        "".join(" " * depth + "a:\n" for depth in range(350)),
        "a: &a [*a, *a]\n",
        "a0: &a0 [x, x]\n" + "".join(f"a{i}: &a{i} [*a{i - 1}, *a{i - 1}]\n" for i in range(1, 99)),
        "[" * 990 + "a," * 30_000 + "]" * 990,
        "a: " + "[]," * 20_000,
        "".join(f"k{i}: 1\n" for i in range(6_000)),
        "a: 1\n" * 12_000,
        "---\n" * 5_000,
        "!" * 60_000,
        "*" * 60_000,
    ],
    ids=lambda text: text[:12].encode("unicode_escape").decode(),
)
def test_hostile_documents(text: str) -> None:
    survives(text)


def test_deep_nesting_is_named() -> None:
    (problem,) = problems("[" * 3_000 + "]" * 3_000)
    assert "nested too deeply" in problem.message
    assert problem.kind == "unreadable"


def test_a_flood_of_problems_is_cut() -> None:
    found = problems("".join(f"k{i}: 1\n" for i in range(2_000)))
    assert len(found) == 101
    assert "too many problems" in found[-1].message


def test_documents_are_read_one_at_a_time() -> None:
    stream = read("---\n".join([GOOD] * 2_000), "a.yaml")
    first = next(stream)
    assert isinstance(first, Spec)
    assert sum(1 for _ in stream) == 1_999


# JSON


def test_json_is_read_with_the_escapes_that_yaml_lacks() -> None:
    text = '{"kernel": "fa4", "name": "\\ud83d\\ude00 a\\/b \\\\/", "shape": {"depht": 1}}'
    (problem, *_) = [each for each in problems(text) if each.path == "shape.depht"]
    assert problem.column == text.index('"depht"') + 1
    good = GOOD.replace("depth: 128", "depth: 128\n#")
    assert specs(good)  # the escapes of other texts are left alone
    shape = '"shape": {"dtype": "fp8_e4m3", "ks_dtype": "f32", "depth": 128, "BM_key": 128, '
    shape += '"n_tokens": 4, "num_heads": 32}'
    name = '"name": "\\ud83d\\ude00 a\\/b \\\\/"'
    (spec,) = specs(f'{{"kernel": "index_prefill", {name}, {shape}}}')
    assert spec.name == "\U0001f600 a/b \\/"


def test_an_escape_that_json_does_not_know_either_is_refused() -> None:
    (problem,) = problems('{"kernel": "a\\/b\\q"}')
    assert (problem.kind, "unknown escape" in problem.message) == ("unreadable", True)


# The command line


@pytest.mark.parametrize(
    ("key", "advice"),
    [
        ("release", "use --release"),
        ("target", "use --target"),
        ("shape.depth", "leave out `shape.`, as in --set depth="),
    ],
)
def test_a_setting_of_what_is_no_input_is_told_where_it_belongs(key: str, advice: str) -> None:
    (problem,) = problems(GOOD, Overrides(set=((key, "1"),)))
    assert advice in problem.message


def test_a_long_setting_is_not_repeated_whole() -> None:
    for problem in problems(GOOD, Overrides(set=(("depth", "1" * 5000),))):
        assert len(str(problem)) < 300


def test_a_missing_shape_names_the_keys_it_must_have() -> None:
    (problem,) = problems("kernel: fa4")
    needed = {m.key for m in kernels.find("fa4").inputs.values() if m.default is REQUIRED}
    assert set(problem.message.partition("with ")[2].split(", ")) == needed


def test_a_launch_is_among_the_known_kernels() -> None:
    (unknown,) = [each for each in problems("kernel: nothing\nshape: {}") if each.path == "kernel"]
    (missing,) = [each for each in problems("shape: {}") if each.path == "kernel"]
    assert all("launch" in each.message.partition("known: ")[2] for each in (unknown, missing))


def test_a_number_is_no_slip_of_a_name() -> None:
    (problem,) = [each for each in problems(GOOD.replace("b200", "100")) if each.path == "target"]
    assert "did you mean" not in problem.message
