"""Derived kernels under the rules: what upstream supports has no error, all else has one."""

from __future__ import annotations

import sys
from pathlib import Path

import compare
import pytest

from kcfg.core import kernels, targets
from kcfg.core.block.derived import behind
from kcfg.core.findings import blamed_inputs, findings
from kcfg.core.rules import judge
from kcfg.core.spec import Spec, read

EVERY = 9
"""Of this many golden rows, one is judged."""

LAX = {("depth512_smem@26.7.0", "SMEM007")}
"""Where upstream takes what cannot run: depths that are no multiple of 128 put the ring of K and
V where no swizzled copy can write."""

FILES = compare.files()


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_errors_agree_with_the_verdict(path: Path) -> None:
    wrong = []
    for row in list(compare.rows(path))[::EVERY]:
        (spec,) = read(compare.spec_text(row), "row")
        assert isinstance(spec, Spec)
        kernel = spec.derive()
        supported = kernel.values().get("supported")
        judged, asked_all = findings(kernel), list(judge(kernel.block))
        assert sorted(judged, key=str) == sorted(asked_all, key=str)
        errors = [
            found.message
            for found in judged
            if found.severity == "error" and (path.stem, found.rule) not in LAX
        ]
        if supported is not None and supported == bool(errors):
            wrong.append((row["inputs"], errors))
    assert wrong == []


def prefill(**shape: object) -> list[tuple[str, str]]:
    cls = kernels.find("index_prefill", "26.6")
    inputs = {
        "dtype": "float8_e4m3fn",
        "ks_dtype": "float32",
        "depth": 128,
        "BM_key": 128,
        "mma_n": 128,
        "num_heads": 32,
    }
    kernel = cls(target=targets.find(), **{**inputs, **shape})
    return [(found.rule, found.path) for found in findings(kernel) if found.severity == "error"]


def test_every_failed_condition_is_an_error_of_its_own() -> None:
    assert prefill() == []
    assert prefill(num_heads=6) == [("CFG001", "num_heads")]
    assert prefill(mma_n=100, num_heads=6) == [("CFG001", "mma_n"), ("CFG001", "num_heads")]


def test_findings_blame_a_value_of_the_report() -> None:
    cls = kernels.find("index_prefill", "26.6")
    for rule, path in prefill(mma_n=512, depth=1024):
        known = path in dict(cls.declared()) or path in cls.inputs
        assert known, (rule, path)
        assert set(blamed_inputs(cls, path)) <= set(cls.inputs)
    assert blamed_inputs(cls, "tmem_cols") == ("mma_n",)
    assert blamed_inputs(cls, "mma_n") == ("mma_n",)
    assert blamed_inputs(cls, "no such value") == ()


def test_what_is_found_of_a_region_blames_where_it_starts() -> None:
    shape = "qkv_dtype: bf16, num_q_heads: 49, group: 49, qk_depth: 511, ov_depth: 511"
    text = f"{{kernel: mha_depth512, shape: {{{shape}, swizzle_mode: 64B, page_size: 512}}}}"
    (spec,) = read(text, "test.yaml")
    assert isinstance(spec, Spec)
    paths = {each.path for each in findings(spec.derive()) if each.rule == "SMEM007"}
    assert paths == {"kv_byte_offset"}


def test_what_is_found_of_a_region_that_no_value_places_blames_its_memory() -> None:
    """Not the first region that a value does place."""
    kernel = kernels.find("fa4", "26.6")
    shape = "qkv_dtype: fp8, scale_dtype: f32, num_q_heads: 32, group: 4, qk_depth: 128,"
    text = f"{{kernel: fa4, release: 26.6, shape: {{{shape} ov_depth: 128, page_size: 128}}}}"
    (spec,) = read(text, "test.yaml")
    assert isinstance(spec, Spec)
    block = spec.derive().block
    assert block.shared is not None
    names = [each.name for each in block.shared.regions]
    for name, owner in (("k_scales", "smem_used"), ("kv", "kv_byte_offset")):
        path = f"shared.regions[{names.index(name)}].offset"
        assert behind(kernel, block, path) == owner


def test_rules_are_not_imported_to_derive() -> None:
    import subprocess

    code = (
        "import sys; from kcfg.core import report, kernels; "
        "print([name for name in sys.modules if name.startswith('kcfg.core.rules')])"
    )
    result = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert result.stdout.strip() == "[]", result.stderr
