"""``kcfg schema``: editors accept what kcfg reads, and mark what it refuses."""

from __future__ import annotations

from functools import cache
from typing import Any

import jsonschema
import pytest
import yaml

from kcfg.core import kernels, presets
from kcfg.core.schema import schema


@cache
def validator(kernel: str | None = None) -> Any:
    return jsonschema.Draft202012Validator(schema(kernel))


def test_it_is_a_schema() -> None:
    jsonschema.Draft202012Validator.check_schema(schema())


@pytest.mark.parametrize("name", presets.names())
def test_every_preset_fits(name: str) -> None:
    for document in yaml.safe_load_all(presets.text(name)):
        validator(document["kernel"]).validate(document)


@pytest.mark.parametrize("kernel", [*kernels.names(), "launch"])
def test_one_kernel_has_a_schema_of_its_own(kernel: str) -> None:
    found, whole = schema(kernel), schema()
    assert {branch["properties"]["kernel"]["const"] for branch in found["anyOf"]} == {kernel}
    assert [branch for branch in found["anyOf"] if branch not in whole["anyOf"]] == []


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
