"""``kcfg schema``: editors accept what kcfg reads, and mark what it refuses."""

from __future__ import annotations

import re
from functools import cache
from typing import Any

import jsonschema
import pytest
import yaml

from kcfg.core import kernels, presets, targets
from kcfg.core.schema import schema
from kcfg.core.spec import Spec, read


@cache
def validator(kernel: str | None = None) -> Any:
    found = schema(kernel)
    cls = jsonschema.validators.validator_for(found)
    cls.check_schema(found)
    return cls(found)


@pytest.mark.parametrize("name", presets.names())
def test_every_preset_fits(name: str) -> None:
    for document in yaml.safe_load_all(presets.text(name)):
        validator(document["kernel"]).validate(document)


@pytest.mark.parametrize("kernel", [*kernels.names(), "launch"])
def test_one_kernel_has_a_schema_of_its_own(kernel: str) -> None:
    found = schema(kernel)
    assert {*map(str, (branch["properties"]["kernel"]["enum"] for branch in found["anyOf"]))} == {
        str([kernel])
    }


@pytest.mark.parametrize(
    ("path", "value"),
    [
        ("kernel", "fa5"),
        ("release", 26.6),  # an older release has other inputs
        ("shape.qk_depth", "128"),
        ("shape.qk_depth", 0),
        ("shape.qk_dept", 128),
        ("shape.is_mla", 1),
        ("shape.qkv_dtype", "bf17"),
        ("shap", {}),
        ("expect", {"BNN": 128}),
        ("target", "h100"),
        ("name", "two\nlines"),
        ("build", {"kernel": "two\nlines"}),
    ],
)
def test_what_the_reader_refuses_does_not_fit(path: str, value: Any) -> None:
    spec = yaml.safe_load(presets.text("llama-3-8b-25-6"))
    spec = {**yaml.safe_load(presets.text("llama-3-8b-26-7"))} if path != "release" else spec
    whole = validator()
    assert whole.is_valid(spec)
    *outer, last = path.split(".")
    place = spec
    for key in outer:
        place = place[key]
    place[last] = value
    assert not whole.is_valid(spec)


INDEX = (
    "kernel: index_prefill\n%s\nshape: {dtype: fp8_e4m3, ks_dtype: f32, depth: %s,"
    " BM_key: 128, mma_n: 192, num_heads: 32}\n"
)
HEADS = (
    "release: null",
    "release: 26.7",
    "name: 5",
    'name: "a\\tb"',
    "name: é",
    "target: h100",
    "expect: null",
    "name: true",
    "name: null",
    "name: [a]",
    "target: b200",
    "target: B200",
    "target: 10.0",
    "target: '10.0'",
    "target: sm_100a",
    "target: SM100F",
    "target: NVIDIA B200",
    "target: b2000",
    "target: 10.9",
    "target: null",
    "build: {kernel: 'a*'}",
    "build: {kernel: 5}",
    "build: {kernal: a}",
    "build: null",
    "expect: {k_stages: 5}",
    "expect: {k_stages: 5.0}",
    "expect: {k_stages: '5'}",
    "expect: {k_stages: true}",
    "expect: {k_stages: '>= 4'}",
    "expect: {k_stages: '>=4 '}",
    "expect: {k_stages: '>= a'}",
    "expect: {k_stages: '>= 04'}",
    "expect: {k_stages: '~= 4'}",
    "expect: {k_stages: []}",
    "expect: {k_stages: [4, 5]}",
    "expect: {k_stages: [4, '5']}",
    "expect: {k_stages: {a: 1}}",
    "expect: {k.offset: 1024}",
    "expect: {k.offset: none}",
    "expect: {k.start: 1024}",
    "expect: {shared_bytes: '<= 232448'}",
    "expect: {supported: true}",
    "expect: {supported: '!= false'}",
    "expect: {supported: '> false'}",
    "expect: {supported: 1}",
)


HAND = "kernel: launch\nshape: {threads: 128, pipelines: [{name: p, stages: 3}]}\nexpect:\n  %s\n"
PINS = (
    "pipelines[0].stages: 3",
    "pipelines[p].stages: <= 4",
    "pipelines[0].stages: three",
    "pipelines.stages: 3",
    "pipelines[0]: 3",
    "pipelines[0].name: 3",
    "pipelinesx[0].stages: 3",
    "grid[0]: 148",
    "grid: 148",
    "a.offset: 0",
    "a.offsets: 0",
    "end: 4096",
    "smem.used: 4096",
    "supported: true",
)


@pytest.mark.parametrize(
    "text",
    [
        *(INDEX % (head, 128) for head in HEADS),
        INDEX % ("", "32.0"),
        INDEX % ("", "32"),
        *(HAND % pin for pin in PINS),
    ],
)
def test_it_takes_what_the_reader_takes(text: str) -> None:
    (read_as,) = read(text, "a.yaml")
    assert validator().is_valid(yaml.safe_load(text)) is isinstance(read_as, Spec), read_as


@pytest.mark.parametrize("name", targets.names())
def test_every_spelling_of_a_target_fits(name: str) -> None:
    pattern = re.compile(
        schema("launch")["anyOf"][0]["properties"]["target"]["anyOf"][2]["pattern"]
    )
    target = targets.find(name)
    for spelling in (name, *targets.spellings(target)):
        for each in (spelling, spelling.upper(), spelling.replace(" ", "-"), f"NVIDIA {spelling}"):
            assert pattern.search(each) and targets.find(each)
    assert not pattern.search(f"{name}0")
