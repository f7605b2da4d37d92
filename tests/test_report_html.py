"""``kcfg report``: one HTML file that is whole, true, escaped, and looks right in a browser."""

from __future__ import annotations

import re
from html.parser import HTMLParser
from itertools import pairwise
from pathlib import Path

import pytest
import reported
from reported import REFUSED, SETS
from typer.testing import CliRunner, Result

from kcfg.cli.main import application
from kcfg.cli.pages.units import measured
from kcfg.cli.pictures.html import page
from kcfg.core.explain.explanation import explain

LIMITS = ["shared memory", "registers", "threads"]
VOID = {"meta", "br", "hr", "img", "link", "input"}


class Document(HTMLParser):
    """A parsed document: its elements, its text, and what is wrong with how they nest."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.elements: list[tuple[str, dict[str, str | None]]] = []
        self.words: list[str] = []
        self.open: list[str] = []
        self.wrong: list[str] = []
        self.feed(text)
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.elements.append((tag, dict(attrs)))
        if tag not in VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.elements.append((tag, dict(attrs)))

    def handle_endtag(self, tag: str) -> None:
        if not self.open or self.open.pop() != tag:
            self.wrong.append(tag)

    def handle_data(self, data: str) -> None:
        self.words.append(data)

    @property
    def text(self) -> str:
        return " ".join(" ".join(self.words).split())


def run(*arguments: str) -> Result:
    return CliRunner().invoke(application(["report"]), ["report", *arguments])


@pytest.mark.parametrize("name", SETS)
def test_it_is_well_formed_and_needs_nothing_else(name: str) -> None:
    text = page.document(SETS[name])
    document = Document(text)
    assert document.wrong == []
    assert document.open == []
    ids = [attrs["id"] for _, attrs in document.elements if "id" in attrs]
    assert len(ids) == len(set(ids))
    tags = {tag for tag, _ in document.elements}
    assert tags.isdisjoint({"script", "link", "img", "iframe", "object", "embed", "base"})
    links = [attrs["href"] for _, attrs in document.elements if "href" in attrs]
    assert links and {str(link)[1:] for link in links} <= {str(each) for each in ids}
    assert all(str(link).startswith("#") for link in links)  # places of this very file
    named = {key for _, attrs in document.elements for key in attrs}
    assert named.isdisjoint({"src", "srcset", "action", "data"})
    assert not any(key.startswith("on") for key in named)
    outside = text.replace('xmlns="http://www.w3.org/2000/svg"', "")
    assert not re.search(r"https?:|@import|url\((?!#)", outside)
    assert text == page.document(SETS[name])


@pytest.mark.parametrize("name", ["fa4", "two-mla", "kernels"])
def test_every_value_and_input_is_there_with_its_explanation(name: str) -> None:
    derived = SETS[name]
    text = page.document(derived)
    folded = {
        " ".join(Document(summary).text.replace("≠", "").split()): Document(why).text
        for summary, why in re.findall(
            r"<details[^>]*><summary>(<span class=\"name\">.*?)</summary>(.*?)</details>",
            text,
            re.DOTALL,
        )
    }
    by_name = {summary.partition(" ")[0]: (summary, why) for summary, why in folded.items()}
    for each in derived:
        for key, value in each.report["values"].items():
            summary, why = by_name[key]
            shown = measured(value, each.report["units"][key])
            assert shown in summary or key in each.report["inputs"]
            told = explain(each.kernel, key)
            assert " ".join(told.doc.split()) in why
            assert " ".join(told.formula.split()) in why
        for key in each.report["inputs"]:
            assert key in by_name


def test_verdict_findings_and_layout_are_told() -> None:
    text = Document(page.document(SETS["fa4"])).text
    report = SETS["fa4"][0].report
    assert "supported" in text
    for finding in report["findings"]:
        assert f"{finding['severity']} {finding['rule']}: {finding['message']}" in text
    for region in report["smem"]["regions"]:
        assert f"{region['offset']:,} {region['bytes']:,}" in text
    for group in report["barriers"]["groups"]:
        assert group["name"] in text


def test_what_differs_is_marked_and_what_does_not_is_not() -> None:
    derived = SETS["two-mla"]
    text = page.document(derived)
    rows = re.findall(r"<details( class=\"differs\")?><summary>(.*?)</summary>", text)
    marked = {Document(row).text.split()[1] for differs, row in rows if differs}
    plain = {Document(row).text.split()[0] for differs, row in rows if not differs}
    one, two = (each.report["values"] | each.report["inputs"] for each in derived)
    differing = {key for key in one.keys() | two.keys() if one.get(key) != two.get(key)}
    assert marked == differing
    assert plain >= (one.keys() | two.keys()) - differing
    assert "≠" in text or "&ne;" in text


def test_what_only_another_kernel_has_is_no_difference() -> None:
    text = page.document(SETS["kernels"])
    rows = re.findall(r"<details( class=\"differs\")?><summary>(.*?)</summary>", text)
    marked = {Document(row).text.split()[1] for differs, row in rows if differs}
    assert "ab_dtype" not in marked  # matmul alone has it
    assert "num_q_heads" in marked  # 32 and 128


def test_what_only_one_release_has_is_a_difference() -> None:
    text = page.document(SETS["releases"])
    rows = re.findall(r"<details( class=\"differs\")?><summary>(.*?)</summary>", text)
    marked = {Document(row).text.split()[1] for differs, row in rows if differs}
    one, two = (set(each.report["values"]) for each in SETS["releases"])
    assert one ^ two <= marked
    assert one ^ two


def test_rows_of_layout_tables_that_differ_are_marked() -> None:
    text = page.document(SETS["releases"])
    rows = [Document(row).text for row in re.findall(r'<tr class="[^"]*differs">.*?</tr>', text)]
    assert any(row.endswith("≠ steal_scratch") for row in rows)
    assert not any(row.endswith("S0") for row in rows)


def test_rows_of_layout_tables_are_held_against_those_of_their_own_kernel() -> None:
    alike = [*reported.of_presets("llama-3-8b", "qwen3-32b", "deepseek-v3-decode")]
    text = page.document(alike)
    assert 'differs">' not in text[text.index('<section id="layout">') : text.index('id="values')]


@pytest.mark.parametrize("name", SETS)
def test_headings_go_down_a_level_at_a_time(name: str) -> None:
    document = Document(page.document(SETS[name]))
    levels = [int(tag[1]) for tag, _ in document.elements if re.fullmatch("h[1-6]", tag)]
    assert levels[0] == 1
    assert all(below - above <= 1 for above, below in pairwise(levels))


@pytest.mark.parametrize("name", SETS)
def test_every_picture_can_stand_on_a_page_of_paper(name: str) -> None:
    """One of all configurations together would be cut somewhere."""
    svgs = re.findall(r'<svg [^>]*width="([\d.]+)" height="([\d.]+)"', page.document(SETS[name]))
    assert svgs
    assert all(float(high) < 1.2 * float(wide) for wide, high in svgs)


@pytest.mark.parametrize("name", SETS)
def test_it_has_the_three_graphs_of_occupancy_where_registers_are_known(name: str) -> None:
    """And says how near the next number of blocks is."""
    text = page.document(SETS[name])
    assert text.count('class="graphs"') == text.count("warps (limited by")
    section = text[text.index('<section id="occupancy">') : text.index('<section id="inputs">')]
    for graphs in section.split('class="graphs"')[1:]:
        names = re.findall(r">Warps per SM by ([a-z ]+) of a", graphs)
        assert names == [each for each in LIMITS if each in names] and len(names) >= 2
    if name == "fa4":
        assert "Blocks: fewer from 129 registers." in Document(section).text


def test_names_are_escaped() -> None:
    text = page.document(SETS["refused"])
    assert "<b>" not in text
    assert "a &lt;b&gt; &amp; &quot;c&quot; &#x27;d&#x27; é" in text
    assert Document(text).wrong == []


def test_what_is_refused_says_why() -> None:
    text = Document(page.document(SETS["refused"])).text
    assert "NOT SUPPORTED" in text
    assert "No layout: no room is left for k." in text


def test_a_launch_by_hand_has_a_report() -> None:
    text = Document(page.document(SETS["launch"])).text
    assert "CANNOT RUN" in text
    assert "error SMR002" in text
    assert "registers.entry 168 As the spec gives it." in text
    assert "registers.warpgroups[0].count 40" in text


# The command


def test_it_writes_the_file(tmp_path: Path) -> None:
    path = tmp_path / "report.html"
    result = run("--preset", "llama-3-8b", "--preset", "llama-3-70b", "-o", str(path))
    assert (result.exit_code, result.output) == (0, "")
    assert "<h1>2 configurations</h1>" in path.read_text(encoding="utf-8")
    assert [each.name for each in tmp_path.iterdir()] == ["report.html"]


def test_what_is_refused_is_written_and_exits_1(tmp_path: Path) -> None:
    (tmp_path / "a <b>.yaml").write_text(REFUSED, encoding="utf-8")
    path = tmp_path / "report.html"
    assert run(str(tmp_path / "a <b>.yaml"), "-o", str(path)).exit_code == 1
    assert "a &lt;b&gt;.yaml#1:2" in path.read_text(encoding="utf-8")


def test_a_directory_that_is_not_there_is_one_line(tmp_path: Path) -> None:
    path = tmp_path / "none" / "report.html"
    result = run("--preset", "llama-3-8b", "-o", str(path))
    assert result.exit_code == 2
    told = f"{path}: there is no directory {path.parent}; create it first\n"
    assert result.stderr == told


def test_it_has_to_be_told_where_to() -> None:
    assert run("--preset", "llama-3-8b").exit_code == 2


def test_a_broken_spec_leaves_no_report(tmp_path: Path) -> None:
    (tmp_path / "broken.yaml").write_text("kernel: [")
    path = tmp_path / "report.html"
    result = run(str(tmp_path / "broken.yaml"), "--preset", "llama-3-8b", "-o", str(path))
    assert result.exit_code == 2
    assert "broken.yaml" in result.stderr
    assert not path.exists()


@pytest.mark.parametrize("name", SETS)
def test_headers_of_tables_have_a_scope_and_a_text(name: str) -> None:
    text = page.document(SETS[name])
    heads = re.findall(r"<th[^>]*>[^<]*</th>", text)
    assert all('scope="col"' in head and not head.endswith("></th>") for head in heads)


@pytest.mark.parametrize("name", SETS)
def test_only_what_differs_can_be_asked_for_where_there_are_several(name: str) -> None:
    text = page.document(SETS[name])
    assert ('<input type="checkbox" id="only">' in text) is (len(SETS[name]) > 1)
