"""What `plain` reads without a parser is what the parser reads; it leaves it all else."""

from __future__ import annotations

import subprocess
import sys
from io import BytesIO
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kcfg.core import presets
from kcfg.core.documents import Document, documents, lines_of
from kcfg.core.nodes import MappingNode, Node, SequenceNode, plain
from kcfg.core.parser import parse

SPEC = "---\nkernel: fa4\nrelease: '26.7'\nshape:\n  BM: 128\n  qkv_dtype: bf16\nname: a_1\n"

WORDS = ["fa4", "26.7.0", "-1", "a-b", "a-", "128B", "true", "~", "'q'", '"q"', "", "", ".1", "é"]
OTHERS = ["'q", "''", "-", "- a", "a b", "x:", "x: y", "#c", "a#b", "!t", "&a", "*a", "[1]", "|"]
QUOTED = ["{a: 1}", "'a''b'", '"a\\n"', "'a' b", "\t1", "1\t", "1 ", "..."]

PARTS: tuple[list[str], ...] = (
    ["", "", "", "  ", "  ", " ", "    ", "\t", "- "],
    ["kernel", "shape", "shape", "BM", "a1", "_x", "y", "null", "<<", "a-b", "1a", "é", ""],
    [":", ":", ": ", ": ", ": ", ": ", ":  ", "", " :"],
    [*WORDS, *OTHERS, *QUOTED],
    ["", "", "", " # c", "  #", "# c", " # é", " # \x07", " "],
    ["\n", "\n", "\n", "\n", "\r\n", "\n\n", ""],
)
LINES = st.tuples(*map(st.sampled_from, PARTS)).map("".join)
TEXTS = st.tuples(
    st.sampled_from(["", "---\n", "--- ", "# c\n", "  # c\n---\n", "%YAML 1.1\n---\n"]),
    st.lists(LINES | st.sampled_from(["# c\n", "  # c\n", "\n", "  \n"]), max_size=6).map("".join),
    st.sampled_from(["", "...\n", "x", "  x: 1", "# c"]),
).map("".join)


def tree(node: Node | None) -> Any:
    """A tree of nodes as plain data, with everything that a reader of specs looks at."""
    if node is None:
        return None
    assert node.start_mark is not None
    value = node.value
    if isinstance(node, MappingNode):
        value = [(tree(key), tree(inner)) for key, inner in node.value]
    elif isinstance(node, SequenceNode):
        value = [tree(inner) for inner in node.value]
    place = (node.start_mark.line, node.start_mark.column)
    return type(node), node.tag, value, node.style, place


@given(TEXTS)
def test_it_reads_what_the_parser_reads(text: str) -> None:
    root = plain(text)
    if root is not None:
        assert tree(root) == tree(parse(text))


@pytest.mark.parametrize("name", presets.names())
def test_it_reads_presets(name: str) -> None:
    for document in documents(lines_of(BytesIO(presets.text(name).encode())), name):
        assert isinstance(document, Document) and not document.blank
        assert tree(plain(document.text)) == tree(parse(document.text))


@pytest.mark.parametrize(
    "change",
    [
        ("", ""),
        ("name: a_1\n", "name: a_1"),
        ("bf16", '"bf16"'),
        ("bf16", "bf16  # as stored"),
        ("shape:", "\n# what is asked\nshape:  # here"),
        ("128", "-1"),
    ],
)
def test_it_reads_a_spec(change: tuple[str, str]) -> None:
    text = SPEC.replace(*change, 1)
    assert plain(text) is not None
    assert tree(plain(text)) == tree(parse(text))


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("bf16", "b f16"),
        ("bf16", "b'f16'"),
        ("bf16", "'bf''16'"),
        ("bf16", '"bf\\t16"'),
        ("bf16", ""),
        ("bf16", "~"),
        ("bf16", "[bf16]"),
        ("bf16", "*other"),
        ("bf16", "!!str bf16"),
        ("bf16", "bf16# as stored"),
        ("bf16\n", "bf16\n  \n"),
        ("bf16\n", "bf16\r\n"),
        ("bf16\n", "bf16\n    more\n"),
        ("  BM", "   BM"),
        ("  BM: 128", "  BM:\n    x: 1"),
        ("shape:\n", "shape: 1\n"),
        ("name: a_1\n", "name:\n"),
        ("kernel", "  kernel"),
        ("kernel", "ker\tnel"),
        ("kernel", "'kernel'"),
        ("kernel", "k" * 101),
        ("---\n", "---\n---\n"),
        (SPEC, "---\n"),
    ],
)
def test_it_leaves_anything_else_to_the_parser(old: str, new: str) -> None:
    assert old in SPEC and plain(SPEC.replace(old, new, 1)) is None


def test_a_plain_spec_is_derived_without_the_parser() -> None:
    code = (
        "import sys; from kcfg.core import presets; from kcfg.core.findings import findings; "
        "from kcfg.core.spec import read; (spec,) = read(presets.text('llama-3-8b'), 'a.yaml'); "
        "kernel = spec.derive(); kernel.values(); findings(kernel); "
        "print({'yaml', 'rich', 'numpy', 'json', 'dataclasses', 'ast'} & sys.modules.keys())"
    )
    result = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert result.stdout.strip() == "set()", result.stderr
