"""Where findings about a derived kernel stand: at the input whose own value is wrong."""

from __future__ import annotations

import json
from pathlib import Path

import compare
import pytest

from kcfg.cli.hook import run as validate
from kcfg.core import kernels
from kcfg.core.block.derived import request
from kcfg.core.kernel import Kernel

WRONG = {"mma_m": 1000, "mma_n": 7, "cluster_m": 32}
"""A value of each input by which a figure of the block is asked for, that no launch may have."""
ROWS = {
    "matmul": "matmul_config",
    "swiglu_matmul": "swiglu_config",
    "block_scaled_matmul": "block_scaled_config",
}
"""Whose rows give a configuration by hand, as the released packages took them."""

Asked = tuple[str, str, str]


def asked() -> list[Asked]:
    """Every kernel, release and input by which a figure of its block is asked for."""
    return [
        (kernel, release, cls.inputs[name].key)
        for kernel in kernels.names()
        for release in kernels.releases(kernel)
        for cls in [kernels.find(kernel, release)]
        for name in dict.fromkeys(request(cls, key) for key in cls.plays.values())
        if name
    ]


def written(folder: Path, kernel: str, release: str, **changed: object) -> Path:
    """A spec of a kernel with a line for every input, as of the first row of its release."""
    row = next(compare.rows(compare.DATA / f"{ROWS[kernel]}@{release}.0.jsonl"))
    shape = {**row["inputs"], **changed}
    lines = [f"kernel: {kernel}", f'release: "{release}"', "shape:"]
    lines += [f"  {key}: {json.dumps(value)}" for key, value in shape.items()]
    path = folder / "a.kcfg.yaml"
    path.write_text("\n".join(lines) + "\n")
    return path


def found(path: Path, capsys: pytest.CaptureFixture[str]) -> list[dict[str, object]]:
    validate(["--format", "json", str(path)])
    findings: list[dict[str, object]] = json.loads(capsys.readouterr().out)["findings"]
    return [each for each in findings if each["severity"] == "error"]


@pytest.mark.parametrize(
    ("kernel", "release", "key"),
    [each for each in asked() if each[0] in ROWS and each[2] != "cta_group"],
)
def test_a_finding_stands_at_the_input_that_asks_for_the_figure(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], kernel: str, release: str, key: str
) -> None:
    path = written(tmp_path, kernel, release, **{key: WRONG[key]})
    lines = path.read_text().splitlines()
    at = lines.index(f"  {key}: {WRONG[key]}") + 1
    cls: type[Kernel] = kernels.find(kernel, release)
    about = [
        each
        for each in found(path, capsys)
        if each["rule"] != "CFG001" and request(cls, str(each["path"])) and each["line"] == at
    ]
    assert about, found(path, capsys)
    assert all(each["fix"] and str(each["fix"]) in str(each["message"]) for each in about)
    lines[at - 1] += f"  # kcfg: ignore[{', '.join(str(each['rule']) for each in about)}] meant"
    path.write_text("\n".join(lines) + "\n")
    assert not [each for each in found(path, capsys) if each["line"] == at]


def test_what_only_selects_a_figure_is_not_blamed(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = written(tmp_path, "matmul", "26.7", mma_m=1000, mma_n=7, cluster_m=32)
    lines = path.read_text().splitlines()
    places = {str(each["rule"]): lines[int(str(each["line"])) - 1] for each in found(path, capsys)}
    assert places.items() >= {
        ("MMA001", "  mma_m: 1000"),
        ("MMA002", "  mma_n: 7"),
        ("CLU001", "  cluster_m: 32"),
    }
    assert "rests on" not in "".join(str(each["message"]) for each in found(path, capsys))
