"""Two totals have two names: what a layout takes, what a launch asks for, what is over."""

from __future__ import annotations

from pathlib import Path

import pytest
from typer.testing import CliRunner

from kcfg.cli.main import application


def said(*arguments: str) -> str:
    """What is written, on one line."""
    result = CliRunner().invoke(application(list(arguments)), list(arguments))
    return " ".join(result.stdout.split())


def test_a_launch_that_asks_for_more_than_its_layout_is_told_apart() -> None:
    """MLA prefill of FP8 is launched with what its two-query form takes: 216,788 bytes."""
    for command in (("derive", "deepseek-v3-mla-fp8"), ("draw", "--preset", "deepseek-v3-mla-fp8")):
        text = said(*command)
        assert "the launch asks for 216,788 of 232,448 bytes, 15,660 free;" in text
        assert "MLASmemStorage lays out 166,608 of them" in text and "65,840 free" not in text
    drawn = said("draw", "--preset", "deepseek-v3-mla-fp8")
    assert "50,180 B at 166,608 asked for, not laid out . 15,660 B at 216,788 free" in drawn
    assert "the launch asks" not in said("derive", "llama-3-8b")


@pytest.mark.parametrize(
    ("shape", "told"),
    [
        ("threads: 256, shared: {dynamic: 300000}", "300,000 of 232,448 bytes used, 67,552 over"),
        ("threads: 256, shared: {static: 16, dynamic: 232432}", "(16 of them static), 0 free"),
    ],
)
def test_what_is_over_is_said_so(tmp_path: Path, shape: str, told: str) -> None:
    path = tmp_path / "a.kcfg.yaml"
    path.write_text(f"kernel: launch\nshape: {{{shape}}}\n")
    assert told in said("derive", str(path))


def test_what_fits_is_led_to_what_comes_of_it() -> None:
    text = said("explain", "deepseek-v3-mla-fp8", "num_kv_stages")
    assert "6 fit into" in text and "That makes num_kv_stages 3 (slots // 2)." in text
    whole = said("explain", "deepseek-v3-mla-fp8")
    assert "That makes storage.num_kv_stages 3 (slots // 2)." in whole
    assert "That makes" not in said("explain", "deepseek-v3-2-index", "k_stages")
