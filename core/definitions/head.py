"""The head of a definition: what it needs, its target, and what tells it from others."""

from __future__ import annotations

from hashlib import sha256

from kcfg.core import targets
from kcfg.core.definitions.document import Definition
from kcfg.core.errors import UnknownError
from kcfg.core.kernel import Kernel
from kcfg.core.spec.problem import listed, shown

NEEDS = {"tcgen05": "tcgen05", "wgmma": "wgmma", "mma": "mma.sync"}
DIGITS = 16
"""Digits of a digest."""


def needs_of(definition: Definition, base: type[Kernel] | None) -> str:
    """The tensor-core unit without which nothing is derived; empty for none."""
    given = definition.label("needs")
    if given and given not in NEEDS:
        message = f"expected one of {listed(NEEDS)}, not {shown(given)}"
        definition.head["needs"].wrong("needs", message)
    return NEEDS.get(given, "") if given else base.needs if base else ""


def target_of(definition: Definition) -> str:
    """The target of specs that name none; empty for kcfg's own default."""
    given = definition.label("target")
    try:
        return targets.find(given).name if given else ""
    except UnknownError as error:
        definition.head["target"].wrong("target", str(error))
        return ""


def check_target(definition: Definition, made: type[Kernel]) -> None:
    """Refuse a default target that the kernel cannot be derived for."""
    why = made.refuses(targets.find(made.default_target)) if made.default_target else None
    key = next((key for key in ("target", "needs") if key in definition.head), "")
    if why is None or not key:
        return
    able = [name for name in targets.names() if made.refuses(targets.find(name)) is None]
    definition.head[key].wrong(key, f"{why}: say `target`, one of {listed(able)}")


def digest_of(definition: Definition, base: type[Kernel] | None) -> str:
    """What tells the text from any other."""
    texts = [text.document.text for text in definition.texts]
    before = [] if base is None else [base.kernel, base.release]
    return sha256("\0".join([*before, *texts]).encode("utf-8", "replace")).hexdigest()[:DIGITS]


def family_of(definition: Definition) -> str:
    """The name of the definition that all of them extend in the end."""
    while definition.parent is not None:
        definition = definition.parent
    return definition.name
