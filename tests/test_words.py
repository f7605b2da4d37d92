"""What is suggested for a wrong word: one that says the same, of the size and kind written."""

from __future__ import annotations

import re

import pytest
from hypothesis import given, strategies as st

from kcfg.core.engine.quantity import Input
from kcfg.core.hardware.dtypes import SHORT_NAMES
from kcfg.core.hardware.tensor_map import BITS, TYPES
from kcfg.core.hardware.words import size_named, spelled
from kcfg.core.kernels import find
from kcfg.core.spec import read


def suggested(key: str, word: str) -> str:
    """What the reader suggests for a word under a key of a launch; empty for nothing."""
    (problems,) = read(f"kernel: launch\nshape: {{{key.replace('*', word)}}}\n", "test.yaml")
    assert isinstance(problems, list) and len(problems) == 1, problems
    found = re.search(r"did you mean `(.+)`\?", problems[0].message)
    return found[1] if found else ""


def bits(name: str) -> int:
    return BITS[SHORT_NAMES.get(name, name)]


@pytest.mark.parametrize("name", TYPES)
def test_a_type_names_its_size(name: str) -> None:
    assert size_named(spelled(name)) == bits(name)


@pytest.mark.parametrize(
    ("word", "meant"),
    [
        ("s32", "int32"),
        ("i32", "int32"),
        ("u8", "uint8"),
        ("s8", "uint8"),
        ("int8", "uint8"),
        ("b32", "uint32"),
        ("int64_t", "int64"),
        ("int", "int32"),
        ("float", "float32"),
        ("double", "float64"),
        ("tf32", "tfloat32"),
        ("torch.float32", "float32"),
        ("bloat16", "bfloat16"),
        ("unit8", "uint8"),
        ("FLOAT32_FTZ", "float32_ftz"),
        ("16U4_ALIGN8", "16U4_ALIGN8B"),
        ("fp4", ""),
        ("nvfp4", ""),
        ("e2m1", ""),
        ("e3m2", ""),
        ("fp24", ""),
        ("int4", ""),
        ("int3", ""),
        ("fp9", "fp8"),
        ("bf61", "bfloat16"),
        ("floaat", ""),
    ],
)
def test_type_suggested(word: str, meant: str) -> None:
    assert suggested("tma: [{dtype: *}]", word) == meant


@pytest.mark.parametrize(
    ("key", "word", "meant"),
    [
        ("tma: [{swizzle: *}]", "128b", "128B"),
        ("tma: [{swizzle: *}]", "128B_ATOM32B", "128B_ATOM_32B"),
        ("tma: [{swizzle: *}]", "16B", ""),
        ("tma: [{interleave: *}]", "128B", ""),
        ("mma: [{kind: *}]", "s8", "i8"),
        ("mma: [{kind: *}]", "i4", ""),
        ("mma: [{kind: *}]", "mxf8", "mxf8f6f4"),
        ("unit: *", "tcgen5", "tcgen05"),
        ("unit: *", "tcgen05.mma", "tcgen05"),
    ],
)
def test_word_suggested(key: str, word: str, meant: str) -> None:
    assert suggested(key, word) == meant


INTEGERS = ("s", "i", "u", "int", "uint")
OTHERS = ("f", "fp", "bf", "tf", "float", "bfloat", "flaot", "e", "x")
NUMBERS = (*set(BITS.values()), 3, 12, 24, 128)


@given(st.sampled_from((*INTEGERS, *OTHERS)), st.sampled_from(NUMBERS))
def test_a_type_suggested_has_the_size_and_the_kind_written(letters: str, size: int) -> None:
    word = f"{letters}{size}"
    if word in TYPES:
        return
    meant = suggested("tma: [{dtype: *}]", word)
    if meant:
        assert bits(meant) == size
        assert ("int" in meant) == (letters in INTEGERS)


def test_inputs_of_kernels_are_suggested_alike() -> None:
    fa4 = "kernel: fa4\nrelease: 26.6\nshape: {num_q_heads: 32, group: 4, qk_depth: 128}\n"
    dtype: Input = find("fa4", "26.6").inputs["qkv_dtype"]
    for word, meant in (("bfloat61", "bfloat16"), ("float", "float32"), ("s32", ""), ("fp4", "")):
        (problems,) = read(fa4.replace("128}", f"128, {dtype.key}: {word}}}"), "test.yaml")
        assert isinstance(problems, list)
        (message,) = [each.message for each in problems if each.path == f"shape.{dtype.key}"]
        assert message.endswith(f"did you mean `{meant}`?") if meant else "mean" not in message
