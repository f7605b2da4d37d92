"""What ``kcfg model`` is asked, from its options to what is written."""

from __future__ import annotations

from kcfg.cli import console
from kcfg.cli.exits import FINE, FOUND
from kcfg.cli.formats.listing import show
from kcfg.cli.intake.specs import known, usage
from kcfg.cli.pages import model as pages
from kcfg.core import models
from kcfg.core.models import Model
from kcfg.core.models.layer import Serving, parts
from kcfg.core.models.listing import compared, rows, selecting


def model(
    name: str | None,
    batch: int,
    length: int,
    prompt: int | None,
    kv: str,
    weights: str,
    devices: int,
    release: str | None,
    format: str,
) -> int:
    """Write what is asked, and return the exit code."""
    if name is None:
        every = [models.find(each) for each in models.names()]
        show(format, [pages.brief(each) for each in every], pages.overview(every))
        return FINE
    with known():
        found = models.find(name)
    asked = Serving(batch, length, length if prompt is None else prompt, kv, weights, devices)
    _refuse(found, asked)
    if format == "yaml" and release is not None:
        usage("--release compares, which is no spec: take --format table or json")
    if format == "yaml":
        return _specs(found, asked)
    if release is not None:
        old, between, new = release.partition("..")
        if not (old and between and new):
            usage("--release takes two releases, as in 26.6..26.7")
        with known():
            pairs = list(compared(found, parts(found, asked), old, new))
        show(format, pages.changes(pairs), pages.upgrade(found, asked, pairs, old, new))
        return FINE
    listed = list(rows(found, parts(found, asked)))
    show(format, pages.facts(listed), pages.layer(found, asked, listed))
    return FOUND if any(map(pages.fails, listed)) else FINE


def _refuse(found: Model, asked: Serving) -> None:
    if asked.prompt > asked.length:
        usage(
            f"--prompt {asked.prompt:,} is more than --length {asked.length:,}, which counts it:"
            f" --length {asked.prompt:,} at least"
        )
    if asked.devices not in found.devices:
        known_for = ", ".join(map(str, found.devices))
        usage(f"--tp {asked.devices}: {found.id} is known for {known_for} devices")


def _specs(found: Model, asked: Serving) -> int:
    import yaml

    known_parts = [part.spec for part in parts(found, asked) if part.spec is not None]
    texts = [yaml.safe_dump(selecting(spec), sort_keys=False) for spec in known_parts]
    console.document("---\n".join(texts))
    return FINE
