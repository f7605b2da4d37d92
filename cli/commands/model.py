"""``kcfg model``: every kernel of one decoder layer of a model, at a batch and a length."""

from __future__ import annotations

from typing import Annotated

import typer

from kcfg.cli.intake.options import completing, one_of

Name = Annotated[
    str | None,
    typer.Argument(
        metavar="NAME",
        help="A model's name, such as llama-3.1-8b; without one, all are listed.",
        autocompletion=completing("models"),
    ),
]
Batch = Annotated[int, typer.Option("--batch", metavar="N", min=1, max=1 << 20, help="Sequences.")]
Length = Annotated[
    int,
    typer.Option(
        "--length",
        metavar="N",
        min=2,
        max=1 << 20,
        help="Tokens of the longest sequence: its prompt, and what was decoded.",
    ),
]
Prompt = Annotated[
    int | None,
    typer.Option(
        "--prompt",
        metavar="N",
        min=1,
        help="New tokens of each sequence in prefill; all of them if left out.",
    ),
]
Devices = Annotated[
    int, typer.Option("--tp", metavar="N", min=1, help="Devices that share the layer.")
]
Types = ["bf16", "fp8"]
Weights = ["bf16", "fp8", "nvfp4", "mxfp4", "mxfp8"]
Releases = Annotated[
    str | None,
    typer.Option(
        "--release",
        metavar="OLD..NEW",
        help="Say what another release changes.",
    ),
]


def model(
    name: Name = None,
    batch: Batch = 1,
    length: Length = 8192,
    prompt: Prompt = None,
    kv: Annotated[str, one_of(Types, "type", "--kv", "Type of Q and of the KV cache.")] = "bf16",
    weights: Annotated[
        str, one_of(Weights, "type", "--weights", "Type of the operands of products.")
    ] = "bf16",
    tp: Devices = 1,
    release: Releases = None,
    format: Annotated[str, one_of(["table", "json", "yaml"])] = "table",
) -> None:
    """List what MAX launches for one decoder layer of a model, prefill and decode.

    ``--format yaml`` writes the specs of its kernels, for any other command. Exit code 0: every
    kernel that is known is supported; 1: one is not; 2: trouble.
    """
    from kcfg.cli.intake import serving

    raise typer.Exit(serving.model(name, batch, length, prompt, kv, weights, tp, release, format))
