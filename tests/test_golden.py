"""kcfg's numbers are the real code's: every golden row, every field, value and type."""

from __future__ import annotations

from pathlib import Path

import compare
import pytest

FILES = sorted(path for path in compare.DATA.glob("*@*.jsonl"))


def test_there_are_rows_of_every_family_and_kernel() -> None:
    assert {path.name.partition("@")[0] for path in FILES} == set(compare.FAMILIES)


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_rows_are_reproduced(path: Path) -> None:
    count, differences = compare.compare_file(path)
    assert count >= 100
    assert differences == []
