"""kcfg's numbers are the real code's: every golden row, every field, value and type."""

from __future__ import annotations

from pathlib import Path

import compare
import pytest
import shapes

from kcfg.core.spec import Spec, read

FEW = {"flashmla_sm100_smem_plan@9241ae3": 5, "fa4_cute_bwd_sm100@4.0.0b36": 24}
"""Rows of kernels that have no more than these configurations."""
FILES = sorted(path for path in compare.DATA.glob("*@*.jsonl"))


def test_there_are_rows_of_every_release_of_every_kernel() -> None:
    rowed: set[tuple[str, str]] = set()
    for path in compare.files():
        rowed |= {(compare.family(row).kernel, compare.release(row)) for row in compare.rows(path)}
    lacking = set(shapes.RELEASES) - rowed
    assert not lacking, "put rows that the real code gave into tests/golden, as FAMILY@RELEASE"
    assert {path.name.partition("@")[0] for path in FILES} >= {*compare.OTHERS, *compare.HELPERS}


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_rows_are_reproduced(path: Path) -> None:
    count, differences = compare.compare_file(path)
    assert count >= FEW.get(path.stem, 90)
    assert differences == []


OFFSETS = {
    "SM100AttentionSMem": {
        "q_nope": "q_byte_offset",
        "q_rope": "q_rope_byte_offset",
        "kv": "kv_byte_offset",
        "k": "kv_byte_offset",
        "v": "v_byte_offset",
        "k_rope": "rope_byte_offset",
        "correction": "correction_byte_offset",
        "q_scales": "q_scale_byte_offset",
        "k_scales": "k_scale_byte_offset",
        "p": "p_byte_offset",
        "ws_exchange": "ws_exchange_byte_offset",
        "mbarriers": "mbar_byte_offset",
        "tmem_pointer": "tmem_addr_byte_offset",
    },
    "MLASmemStorage": {
        "q": "offset_of.q_smem",
        "kv": "offset_of.kv_smem",
        "q_scales": "offset_of.q_scale_smem",
        "k_scales": "offset_of.k_scale_smem",
        "correction": "offset_of.correction_smem",
        "mbarriers": "offset_of.mbar_base",
        "tmem_pointer": "offset_of.tmem_addr",
    },
    "Depth512AttentionSMem": {
        "q": "q_byte_offset",
        "p": "p_byte_offset",
        "kv": "kv_byte_offset",
        "correction": "correction_byte_offset",
        "mbarriers": "mbar_byte_offset",
    },
    "MLASparseSharedMemory": {
        "qkvo_union": "storage.offset_of.qkvo_union",
        "q": "storage.offset_of.qkvo_union",
        "q_k_v": "storage.offset_of.qkvo_union",
        "o": "storage.offset_of.qkvo_union",
        "scores": "storage.offset_of.scores",
        "p": "storage.offset_of.p",
        "mbarriers": "storage.offset_of.prologue_q",
        "is_k_valid": "storage.offset_of.is_k_valid",
        "rowwise_max": "storage.offset_of.rowwise_max",
        "rowwise_sum": "storage.offset_of.rowwise_sum",
    },
    "B200MatmulSmem": {
        "input_tiles": "offset_of.input_tiles",
        "output_tiles": "offset_of.output_tiles",
        "epilogue_load_tiles": "offset_of.epilogue_load_tiles_storage",
        "pipelines": "offset_of.pipelines",
    },
}
"""The field of a row of each struct that says where a region of its layout starts."""

PLACED = {
    "attention_smem": "SM100AttentionSMem",
    "mla_smem": "MLASmemStorage",  # only with scales; without, the wrapped attention lays out
    "depth512_smem": "Depth512AttentionSMem",
    "matmul_smem": "B200MatmulSmem",
    "mla_sparse": "MLASparseSharedMemory",
}
"""The struct whose offsets a family's rows have."""


@pytest.mark.parametrize(
    "path",
    [path for path in FILES if path.name.partition("@")[0] in PLACED],
    ids=lambda path: path.stem,
)
def test_regions_start_where_the_rows_say(path: Path) -> None:
    found = 0
    for row in compare.rows(path):
        (spec,) = read(compare.spec_text(row), "row")
        assert isinstance(spec, Spec)
        smem = spec.derive().block.smem
        assert smem is not None
        if smem.struct != PLACED[row["family"]]:
            continue
        regions = [region for region in smem.regions if not region.padding]
        fields = [OFFSETS[smem.struct][region.name] for region in regions]
        assert [region.offset for region in regions] == [row["fields"][name] for name in fields]
        found += bool(regions)
    assert found >= 50


def test_plans_of_shared_memory_that_were_traced_are_supported() -> None:
    """The rows of this kernel are all it has a plan for, each traced in upstream's class."""
    (path,) = [each for each in FILES if each.name.startswith("fa4_cute_bwd")]
    specs = [next(iter(read(compare.spec_text(row), "row"))) for row in compare.rows(path)]
    assert len(specs) == 24
    assert [each for each in specs if not (isinstance(each, Spec) and each.derive().verdict)] == []
