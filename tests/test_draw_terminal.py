"""``kcfg draw`` in the terminal: bars of letters that fit the width, to scale."""

from __future__ import annotations

import pytest
from pictured import ALL, run, scene_of

from kcfg.cli.pictures import terminal
from kcfg.cli.render import plain


@pytest.mark.parametrize("width", [40, 57, 80, 200])
@pytest.mark.parametrize("name", ALL)
def test_bars_fit_the_width_in_plain_letters(name: str, width: int) -> None:
    lines = plain.text(terminal.pages([scene_of(name)], width), width).splitlines()
    bars = [line for line in lines if line.strip().startswith("|")]
    assert bars or not scene_of(name).part("sm").bars
    assert all(len(line) <= width for line in bars)
    assert all(line.isascii() for line in lines)
    smem = ALL[name].report["smem"]
    for region in smem["regions"] if smem else ():
        shown = "  - " if region["padding"] else region["name"]
        assert any(shown in line for line in lines)


def test_bars_are_to_scale() -> None:
    lines = plain.text(terminal.pages([scene_of("llama-3-8b")], 120), 120).splitlines()
    bar = next(line for line in lines if line.startswith("  |")).strip().strip("|")
    expected = {"A": 65536, "B": 163840, "C": 1024, "#": 1024}
    for sign, size in expected.items():
        cells = bar.upper().count(sign)
        assert abs(cells - size / 233472 * len(bar)) <= 1
    assert bar.count("b") == pytest.approx(2 / 5 * bar.upper().count("B"), abs=1)


def test_the_limit_is_marked_where_it_is() -> None:
    lines = plain.text(terminal.pages([scene_of("deepseek-v3-2-index")]), 80).splitlines()
    at = next(n for n, line in enumerate(lines) if line.startswith("  |"))
    assert lines[at + 1].endswith("limit 115,712 B ^")
    assert lines[at].index("#") - 1 == lines[at + 1].index("^")


@pytest.mark.parametrize("width", ["40", "80"])
def test_of_two_it_says_what_moved(width: str) -> None:
    presets = ("--preset", "deepseek-v3-2-index", "--preset", "deepseek-v3-2-index-26-7")
    result = run(*presets, "--width", width)
    assert result.exit_code == 0
    words = " ".join(result.stdout.split())
    moved = "16,384 -> 32,768" if width == "80" else "moved or resized: q, k, k_scales"
    assert moved in words
    assert "A deepseek-v3-2-index:" in words
    assert max(map(len, result.stdout.splitlines())) <= int(width)
