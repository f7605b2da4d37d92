"""What ``kcfg emit`` and the hook ``kcfg-emit`` share: specs to text, and text against a file."""

from __future__ import annotations

import os
from typing import NamedTuple

from kcfg.cli import console
from kcfg.cli.exits import FAILED, FINE, FOUND
from kcfg.cli.intake.specs import Intake
from kcfg.core.figures import some
from kcfg.core.printing import printable, printable_lines
from kcfg.core.spec import Spec
from kcfg.core.spec.problem import listed
from kcfg.core.spec.sources import Source, sources
from kcfg.core.validate.settings import NONE, Projects

MOST = 40
"""Lines of a difference that are shown."""
LARGEST = 1 << 20
"""Bytes of a file that is compared line by line; what is emitted has some ten thousand."""


class Emitted(NamedTuple):
    """A source file; None where it cannot be had. Messages were written then, ``code`` says how."""

    text: str | None
    code: int = FINE


class Specs:
    """The specs of an intake, read once; a project's ``target`` stands in for one not named."""

    def __init__(self, intake: Intake, projects: Projects) -> None:
        known = len(projects.problems)
        for source in sources(intake.paths):
            settings = projects.of(source.home) if isinstance(source, Source) else NONE
            if settings.target:
                said = (settings.target, f"{settings.file}: tool.kcfg.target")
                intake.overrides = intake.overrides._replace(default_target=said)
        for problem in projects.problems[known:]:
            console.error(problem)
        if projects.problems:
            intake.fail(FAILED)
        self.specs = list(intake)
        self.code = intake.exit_code
        self._named: dict[str | None, list[Spec]] = {}
        for spec in self.specs:
            self._named.setdefault(spec.name, []).append(spec)

    def emitted(
        self,
        language: str,
        *,
        name: str | None = None,
        unsupported: bool = False,
        namespace: str | None = None,
    ) -> Emitted:
        """The one configuration, or that of this ``name``, as a source file."""
        if self.code:
            return Emitted(None, self.code)
        found = self.specs if name is None else self._named.get(name, [])
        if len(found) == 1:
            return _written(found[0], language, unsupported, namespace)
        labels = listed(spec.name or f"(no name: {spec.source})" for spec in found or self.specs)
        if found:
            why = (
                "emit writes one configuration; pick one of these by --name, or by number as FILE#2"
            )
        else:
            why = f"--name {printable(name or '')}: no spec of this name here; there are"
        console.error(f"{why}: {labels}")
        return Emitted(None, FAILED)


def compared(path: str, text: str, writes: str) -> int:
    """The exit code of comparing a file with what it should be; differences are shown.

    ``writes`` is what writes a file that is not there yet.
    """
    from kcfg.core.spec.documents import why_unread

    try:
        with open(path, "rb") as file:
            data = file.read(LARGEST + 1)
    except (OSError, ValueError) as error:  # ValueError: a NUL in the name
        why = why_unread(error, path) if isinstance(error, OSError) else str(error)
        there = "" if os.path.lexists(path) else f"; {writes} writes it"
        console.error(f"{path}: {why}{there}")
        return FAILED
    if data == text.encode():
        return FINE
    console.write(printable_lines(_difference(path, data, text)))
    return FOUND


def _written(spec: Spec, language: str, unsupported: bool, namespace: str | None = None) -> Emitted:
    from kcfg.core.emit import NamespaceError, RefusedError, emit

    try:
        return Emitted(
            emit(
                spec.derive(),
                language,
                label=spec.name,
                unsupported=unsupported,
                namespace=namespace,
            )
        )
    except NamespaceError as error:
        console.error(error)
        return Emitted(None, FAILED)
    except RefusedError as refused:
        for reason in refused.reasons:
            console.error(f"{spec.source}: {reason}")
        console.error("nothing emitted; --allow-unsupported emits it with a warning in it")
        return Emitted(None, FOUND)


def _difference(path: str, data: bytes, text: str) -> str:
    """How a file differs from what it should be, as a unified diff cut after some lines."""
    from difflib import unified_diff

    path = printable(path)
    if len(data) > LARGEST:
        return f"{path}: not what kcfg emits: more than {LARGEST:,} bytes\n"
    if data.replace(b"\r\n", b"\n") == text.encode():
        return f"{path}: differs in its line ends only: CRLF here, LF as emitted\n"
    old, new = data.decode(errors="backslashreplace").splitlines(), text.splitlines()
    lines = list(unified_diff(old, new, path, "as emitted now", n=1, lineterm=""))
    gone = sum(line.startswith("-") for line in lines[2:])
    come = sum(line.startswith("+") for line in lines[2:])
    shown = [f"{path}: not what kcfg emits: {some(gone, 'line')} gone, {come} new", *lines[:MOST]]
    if len(lines) > MOST:
        shown.append(f"({len(lines) - MOST} more lines)")
    return "\n".join([*shown, ""])
