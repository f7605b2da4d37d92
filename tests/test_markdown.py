"""Markdown shows texts as they are: whatever a name holds, nothing comes alive in it."""

from __future__ import annotations

import html
import re
from pathlib import Path

import pytest
from hypothesis import given, strategies as st
from typer.testing import CliRunner

from kcfg.cli.main import application
from kcfg.cli.pages.pieces import Code, Column, Heading, Line, Piece, Row, Table
from kcfg.cli.render import markdown
from kcfg.core import presets

renderer = (
    pytest.importorskip("markdown_it", reason="needs markdown-it-py")
    .MarkdownIt("commonmark")
    .enable(["table", "strikethrough"])
)

HOSTILE = [
    "![x](http://a.b/c.png)",
    "[x](y)",
    "&copy; &#33;&lbrack;",
    "<img src=x> <!-- a",
    "**a** __b__ ~~c~~ `d` $e$",
    "| a | b |",
    "a\\|b\\",
    "- a",
    "1. a",
    "12) a",
    "+ a",
    "# a #",
    "#",
    "> a",
    "=====",
    "---",
    "```",
    "[a]: b",
]

TEXTS = st.one_of(
    st.sampled_from(HOSTILE),
    st.text("ab1 .)-+=#>*_~`|\\[](){}!&<;:/$", min_size=1, max_size=12),
)


def shown(piece: Piece, tag: str) -> list[str]:
    """What the elements of this tag show; no others but those that the piece needs are there."""
    page = renderer.render(markdown.text([piece]))
    allowed = {"p", "pre", "code", "table", "thead", "tbody", "tr", "th", "td", "h2", tag}
    assert set(re.findall(r"<(\w+)", page)) <= allowed, page
    return [html.unescape(each) for each in re.findall(rf"(?s)<{tag}\b[^>]*>(.*?)</{tag}>", page)]


def words(text: str) -> str:
    return " ".join(text.split())


@given(TEXTS)
def test_a_line_is_shown_as_it_is(text: str) -> None:
    if text.strip():
        assert shown(Line(text.strip()), "p") == [words(text)] or "  " in text


@given(TEXTS)
def test_a_heading_is_shown_as_it_is(text: str) -> None:
    if text.strip():
        assert [words(each) for each in shown(Heading(text.strip(), 1), "h2")] == [words(text)]


@given(TEXTS, TEXTS)
def test_cells_are_shown_as_they_are(one: str, two: str) -> None:
    table = Table([Column("a"), Column("b")], [Row((one, two))])
    assert [words(each) for each in shown(table, "td")] == [words(one), words(two)]


@given(st.text("`a\n ", min_size=1, max_size=12))
def test_code_stays_code(text: str) -> None:
    assert shown(Code(text), "code") == [f"{text}\n"]


@pytest.mark.parametrize("command", [("explain",), ("diff", "--set", "BM=256..128")])
def test_a_file_s_name_is_no_picture(tmp_path: Path, command: tuple[str, ...]) -> None:
    path = tmp_path / "![a](b)&lt;<i>.yaml"
    path.write_text(presets.text("llama-3-8b"))
    arguments = [command[0], str(path), *command[1:], "--format", "markdown"]
    page = renderer.render(CliRunner().invoke(application(arguments), arguments).stdout)
    assert "![a](b)&amp;lt;&lt;i&gt;.yaml" in page
    assert "<img" not in page and "<i>" not in page and "<a" not in page
