"""The presets: well formed, labelled by their files, and each of them a supported configuration."""

from __future__ import annotations

import os
import re
from typing import Any

import pytest
import yaml
from typer.testing import CliRunner

from kcfg.cli.main import application
from kcfg.core import kernels, presets, targets
from kcfg.core.errors import UnknownError
from kcfg.core.kernel import Kernel
from kcfg.core.spec.known import LAUNCH


def specs(name: str) -> list[dict[str, Any]]:
    with open(presets.path(name), encoding="utf-8") as file:
        return list(yaml.safe_load_all(file))


def comment(name: str) -> list[str]:
    """The lines of the comment at the file's top, without their marks."""
    with open(presets.path(name), encoding="utf-8") as file:
        lines = file.read().splitlines()
    first = next(i for i, line in enumerate(lines) if not line.startswith("#"))
    return [line.removeprefix("#").strip() for line in lines[:first]]


def derive(spec: dict[str, Any]) -> Kernel:
    """The kernel of a spec; its shape's keys and values are checked against the inputs."""
    cls = kernels.find(spec["kernel"], str(spec["release"]))
    inputs = {member.key: (attribute, member) for attribute, member in cls.inputs.items()}
    given = {}
    for key, value in spec["shape"].items():
        attribute, member = inputs[key]
        assert type(value) is member.kind, key
        if member.choices:
            assert value in member.choices, key
        if member.kind is int:
            assert member.least <= value <= member.most, key
        given[attribute] = value
    return cls(target=targets.find(), **given)


EVERY = [spec for name in presets.names() for spec in specs(name)]
CASES = [pytest.param(each, id=each["name"]) for each in EVERY if each["kernel"] != LAUNCH]
LAUNCHES = [each["name"] for each in EVERY if each["kernel"] == LAUNCH]


@pytest.mark.parametrize("name", presets.names())
def test_a_file_is_named_and_labelled_alike(name: str) -> None:
    labels = [spec["name"] for spec in specs(name)]
    assert name == name.lower()
    if len(labels) == 1:
        assert labels == [name]
    else:
        assert all(label.startswith(f"{name}-") for label in labels)


def test_no_label_is_used_twice() -> None:
    labels = [spec["name"] for name in presets.names() for spec in specs(name)]
    assert len(labels) == len(set(labels))


@pytest.mark.parametrize("name", presets.names())
def test_the_first_line_describes_the_preset(name: str) -> None:
    summary = presets.summary(name)
    assert summary == comment(name)[0]
    assert 20 <= len(summary) <= 72


@pytest.mark.parametrize("name", presets.names())
def test_the_comment_says_where_the_numbers_come_from(name: str) -> None:
    text = comment(name)
    start = next(line for line in text if line.startswith(("Shape", "Widths")))
    other = re.match(r"Shape and sources: those of ([a-z0-9-]+)", start)
    if other:
        assert other[1] in presets.names()
    else:
        assert any(each in start for each in ("config.json of ", " litgpt ", "as read in "))
    assert any(line.startswith("Release: pinned") for line in text)


@pytest.mark.parametrize("spec", CASES)
def test_a_spec_gives_its_parts_in_order(spec: dict[str, Any]) -> None:
    assert list(spec) == ["kernel", "release", "name", "shape"]


@pytest.mark.parametrize("spec", CASES)
def test_a_preset_is_supported(spec: dict[str, Any]) -> None:
    values = derive(spec).values()
    assert values.get("supported", True) is True


@pytest.mark.parametrize("name", LAUNCHES)
def test_a_launch_passes_the_rules(name: str) -> None:
    result = CliRunner().invoke(application(["validate"]), ["validate", "--preset", name])
    assert result.exit_code == 0 and "0 errors" in result.output


def test_every_yaml_file_is_a_preset_and_nothing_else_is() -> None:
    for name in presets.names():
        assert os.path.isfile(presets.path(name))
    assert "__init__" not in presets.names()


def test_an_unknown_name_is_refused_with_the_known_ones() -> None:
    with pytest.raises(UnknownError) as raised:
        presets.path("llama-3-8")
    assert raised.value.known == presets.names()
    assert raised.value.nearest == "llama-3-8b"
