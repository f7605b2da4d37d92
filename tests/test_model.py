"""A model's layer: every kernel of it, what is not known of one, and what a release changes."""

from __future__ import annotations

import json
from typing import Any

import programs
import pytest

from kcfg.core import models
from kcfg.core.models.layer import Part, Serving, parts
from kcfg.core.models.listing import compared, rows
from kcfg.core.spec import Spec, read


def serving(**changed: Any) -> Serving:
    """How a model is served here: a few sequences, a short prompt."""
    return Serving(**{"batch": 4, "length": 2048, "prompt": 512, **changed})


def kcfg(*words: str, given: str = "") -> programs.Done:
    """Run the command."""
    return programs.run(*words, given=given, COLUMNS="160")


@pytest.mark.parametrize("name", models.names())
def test_every_model_has_a_source_and_a_whole_layer(name: str) -> None:
    model = models.find(name)
    assert model.sources
    found = list(parts(model, serving()))
    assert {part.phase for part in found} == {"prefill", "decode"}
    assert all((part.spec is None) == bool(part.unknown) for part in found)
    assert any(part.name.startswith("attention") for part in found)


LAYERS = [
    ("llama-3.1-8b", {}),
    ("deepseek-v3", {"weights": "nvfp4", "kv": "fp8", "devices": 8}),
    ("deepseek-v3.2", {"weights": "mxfp8", "devices": 8}),
    ("deepseek-v3.2", {"weights": "mxfp8", "kv": "fp8", "devices": 8}),  # few heads that gather
    ("kimi-k2", {"weights": "nvfp4", "devices": 8}),
    ("gpt-oss-120b", {"weights": "mxfp4"}),
    ("gemma-4-31b-global", {"weights": "fp8"}),
    ("gemma-3-27b", {"kv": "fp8"}),
    ("qwen3-235b-a22b", {}),
]


@pytest.mark.parametrize(("name", "changed"), LAYERS)
def test_a_layer_is_derived(name: str, changed: dict[str, Any]) -> None:
    model, asked = models.find(name), serving(**changed)
    for row in rows(model, parts(model, asked)):
        assert (row.report is None) == bool(row.unknown)
        if row.report is not None:
            assert row.report["supported"] is not False, row.part
            errors = [each for each in row.report["findings"] if each["severity"] == "error"]
            assert not errors


def test_deep_heads_prefill_and_decode_by_two_kernels() -> None:
    model = models.find("gemma-4-31b-global")
    found = {
        part.phase: part.spec["kernel"]
        for part in parts(model, serving())
        if part.name == "attention" and part.spec
    }
    assert found == {"prefill": "mha_depth512", "decode": "fa4"}


def part(name: str, phase: str, wanted: str, **changed: Any) -> Part:
    """One part of a model's layer."""
    every = parts(models.find(name), serving(**changed))
    (found,) = [each for each in every if (each.phase, each.name) == (phase, wanted)]
    return found


def test_sparse_decode_gathers_what_was_picked() -> None:
    found = part("deepseek-v3.2", "decode", "attention over picked keys", kv="fp8", length=1500)
    assert found.spec is not None
    shape, call = found.spec["shape"], found.spec["call"]
    assert (shape["native_fp8_unified_gather"], call["effective_max_cache_len"]) == (True, 2048)
    whole = part("deepseek-v3", "decode", "attention", kv="fp8")
    assert whole.spec is not None
    assert "without scales" in whole.notes[0]
    assert whole.spec["shape"]["native_fp8_unified_gather"] is False
    # The cache is as long as the sequence is, but for the token that decode computes.
    assert whole.spec["call"] == {"batch_size": 4, "max_cache_valid_length": 2047}
    no_rope = part("glm-5.3-flash", "decode", "attention over picked keys")
    assert no_rope.spec is not None
    assert no_rope.spec["shape"]["input_q_depth"] == 512


@pytest.mark.parametrize("name", ["mistral-small-4", "minicpm3-4b", "deepseek-v4-pro"])
def test_a_cache_that_no_kernel_is_built_for_is_not_derived(name: str) -> None:
    for phase in ("prefill", "decode"):
        assert part(name, phase, "attention").spec is None


def test_fewer_heads_than_a_pair_takes_are_not_guessed() -> None:
    wanted = ("prefill", "attention over picked keys")
    assert part("deepseek-v3.2", *wanted).spec is not None
    assert "128 heads" in part("deepseek-v3.2", *wanted, devices=8).unknown


def test_what_is_assumed_of_experts_is_said() -> None:
    some = part("deepseek-v3", "decode", "expert_down", weights="nvfp4")
    assert some.spec is not None
    assert some.spec["call"] == {"estimated_total_m": 32, "num_active_experts": 32}
    (said,) = some.notes
    assert said.startswith("assumed: 32 active experts")
    assert part("deepseek-v3", "decode", "expert_down", weights="nvfp4", batch=1).notes == ()
    assert len(part("deepseek-v3", "decode", "expert_down", weights="mxfp8").notes) == 2
    assert part("deepseek-v3", "decode", "down").notes == (
        "in 3 of 61 layers; the others have experts in its place",
    )


def test_layers_that_slide_and_layers_that_do_not_are_told_apart() -> None:
    found = [
        (part.name, part.spec["call"].get("window"))
        for part in parts(models.find("gpt-oss-20b"), serving())
        if part.phase == "decode" and part.spec and part.spec["kernel"] == "fa4"
    ]
    assert found == [("attention, window 128", 128), ("attention", None)]


def test_an_upgrade_is_compared_kernel_by_kernel() -> None:
    model = models.find("llama-3.1-8b")
    asked = serving(batch=32, length=8192)
    (found,) = [
        diff
        for old, _, diff in compared(model, parts(model, asked), "26.6", "26.7")
        if (old.part.phase, old.part.name) == ("decode", "attention") and diff
    ]
    assert found.parted is not None
    assert (found.parted.key, found.parted.here, found.parted.there) == ("launch.partitions", 3, 1)


def test_the_specs_of_a_layer_go_to_any_command() -> None:
    text = kcfg("model", "llama-3.1-8b", "--batch", "8", "--format", "yaml").stdout
    specs = list(read(text, "layer"))
    assert len(specs) == 10
    assert all(isinstance(spec, Spec) for spec in specs)
    done = kcfg("validate", "-", given=text)
    assert (done.code, done.stdout.strip()) == (0, "1 file, 10 specs: 0 errors, 0 warnings")


def test_a_layer_as_data() -> None:
    found = json.loads(kcfg("model", "kimi-k2", "--tp", "8", "--format", "json").stdout)
    unknown = [each["part"] for each in found if each["unknown"]]
    assert unknown == ["expert_gate_up", "expert_down", "kv_b", "expert_gate_up", "expert_down"]
    (decode,) = [
        each for each in found if each["part"] == "attention" and each["phase"] == "decode"
    ]
    assert (
        decode["decided"]["launch.num_partitions"]
        == decode["report"]["values"]["launch.num_partitions"]
    )


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["llama-3-8b"], "unknown model 'llama-3-8b'; did you mean 'llama-3.1-8b'?"),
        (["llama-3.1-8b", "--prompt", "9000"], "--length 9,000 at least"),
        (["llama-3.1-8b", "--tp", "3"], "llama-3.1-8b is known for 1, 2, 4, 8 devices"),
        (["llama-3.1-8b", "--release", "26.6"], "takes two releases, as in 26.6..26.7"),
        (["llama-3.1-8b", "--release", "26.6..26.77"], "unknown release '26.77'; did you mean"),
        (["llama-3.1-8b", "--release", "26.6..26.7", "--format", "yaml"], "no spec"),
        (["llama-3.1-8b", "--batch", "0"], "greater than or equal to 1"),
    ],
)
def test_what_is_asked_wrongly_is_told(words: list[str], message: str) -> None:
    done = kcfg("model", *words)
    assert done.code == 2
    assert message in " ".join(done.stderr.split())
    assert "Traceback" not in done.stderr
