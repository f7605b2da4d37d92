"""Conditions are parsed, checked and told about; nothing in them is run as Python."""

from __future__ import annotations

from typing import Any

import pytest
import shapes
import sweeps

pytest.importorskip("numpy")

from kcfg.core import kernels
from kcfg.core.sweep.expression import ExpressionError, condition

FA4 = kernels.find("fa4", "26.7")


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ("supported", True),
        ("not supported", False),
        ("supported and num_kv_stages >= 6", False),
        ("num_kv_stages == 5 or false", True),
        ("64 < qk_depth <= 128", True),
        ("BM in (64, 256) and BM not in [128]", True),
        ("qk_depth * 2 - 6 == 250", True),
        ("-qk_depth < 0", True),
        ("qk_depth // 0 == 0 and qk_depth % 0 == 0", True),
        ("qkv_dtype == 'bf16'", True),
        ("qkv_dtype != 'bfloat16'", False),
        ("rope_dtype == null", True),
        ("rope_dtype is not None", False),
        ("inputs.swizzle_mode == '128B' and values.swizzle_mode == '128B'", True),
        ("mbars.num_mbars > 10", True),
        ("  supported == true  ", True),
        ("BM > 300 if supported else BM > 300", False),
        ("pick(supported, BM, 0) == BM and min(BM, 64) == 64 and max(1, 2, BM) == BM", True),
        ("up(smem_used, 1024) % 1024 == 0 and total(a=BM, b=1) == BM + 1", True),
        ("bytes_of(qkv_dtype) == 2 and bits_of('fp8') == 8 and abs(-BM) == BM", True),
    ],
)
def test_a_condition_means_what_it_says(text: str, wanted: bool) -> None:
    kernel = shapes.derive("fa4", "26.7", shapes.FA4_26)
    assert kernel.read("num_kv_stages") == 5
    assert condition(text, FA4, {}).run(kernel) is wanted
    values: dict[str, list[Any]] = {key: [value] for key, value in shapes.FA4_26.items()}
    values["num_q_heads"] = [32, 64, 96]  # as arrays
    rows, _ = sweeps.swept(sweeps.query("fa4", "26.7", values, where=text))
    assert list(rows) == ([0, 1, 2] if wanted else [])


@pytest.mark.parametrize(
    ("text", "column", "message"),
    [
        ("", 1, "expected an expression"),
        ("supported and", 14, "something is missing at the end"),
        ("supported and num_kv_stage > 1", 15, "did you mean `num_kv_stages`?"),
        ("num_kv_stages", 1, "this is no condition"),
        ("supported and BM", 15, "`BM` is not true or false"),
        ("BM + supported > 1", 6, "`supported` is not a number"),
        ("BM / 2 > 1", 1, "write // for whole numbers"),
        ("BM ** 9 > 1", 1, "not an operation allowed here"),
        ("BM > 1.5", 6, "expected a whole number or a text, not 1.5"),
        ("BM > 99999999999999999999", 6, "numbers here are at most"),
        ("BM == '64'", 1, "a number is compared with a text"),
        ("qkv_dtype > 'a'", 1, "only numbers have an order"),
        ("qkv_dtype == 'bloat16'", 14, "did you mean 'bfloat16'?"),
        ("swizzle_mode == '256B'", 17, "no such swizzle: '256B'"),
        ("BM in BN", 7, "`in` takes a list"),
        ("__import__('os').system('true')", 1, "functions cannot be called here"),
        ("BM.__class__ == 1", 1, "no value or input `BM.__class__`"),
        ("(lambda: 1)() > 0", 1, "functions cannot be called here"),
        ("[x for x in (1, 2)] == 1", 1, "is not allowed here"),
        ("BM > 1 if supported else BM", 26, "one arm is true or false and the other a number"),
        ("open('a') > 1", 1, "`open` is no word"),
        ("least(BM, 1) > 1", 1, "takes terms with names"),
        ("up(BM) > 1", 1, "`up` takes 2"),
        ("supported && BM > 1", 11, "write `and`"),
        ("0x10 > 1", 1, "write 16"),
        ("BM + supported + 1 > 1", 6, "write `1 if supported else 0`"),
        ("(BM := 3) > 1", 2, "is not allowed here"),
        ("f'{BM}' == 'a'", 1, "is not allowed here"),
        ("BM > 1; BM", 7, "`;` cannot stand here"),
        pytest.param("(" * 1500 + "BM > 1" + ")" * 1500, 0, "", id="nested"),
        ("BM > 1 \x00", 1, "without control characters"),
        ("é > 1", 1, "no value or input"),
        ("'é' == qkv_dtypo", 8, "did you mean `qkv_dtype`?"),
    ],
)
def test_what_is_wrong_with_a_condition(text: str, column: int, message: str) -> None:
    with pytest.raises(ExpressionError) as caught:
        condition(text, FA4, {})
    assert message in str(caught.value)
    if message:
        assert caught.value.column == column
