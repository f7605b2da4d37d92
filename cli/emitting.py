"""What ``kcfg emit`` and the hook ``kcfg-emit`` share: specs to text, and text against a file."""

from __future__ import annotations

from kcfg.cli import console
from kcfg.cli.exits import FAILED, FINE, FOUND
from kcfg.cli.intake.specs import Intake
from kcfg.core.spec import Spec
from kcfg.core.spec.sources import Source, sources
from kcfg.core.validate.settings import NONE, Projects

MOST = 40
"""Lines of a difference that are shown."""


def emitted(
    intake: Intake, language: str, *, name: str | None = None, unsupported: bool = False
) -> str | None:
    """The one configuration of an intake as a source file.

    None where that cannot be had; messages were written then, and ``intake.exit_code`` says
    how it went.
    """
    _follow_project(intake)
    specs = list(intake)
    if intake.exit_code:
        return None
    spec = _chosen(specs, name, intake)
    return None if spec is None else _written(spec, language, unsupported, intake)


def compared(path: str, text: str) -> int:
    """The exit code of comparing a file with what it should be; differences are shown."""
    from kcfg.core.spec.documents import why_unread

    try:
        with open(path, "rb") as file:
            data = file.read()
    except (OSError, ValueError) as error:  # ValueError: a NUL in the name
        why = why_unread(error, path) if isinstance(error, OSError) else str(error)
        console.error(f"{path}: {why}")
        return FAILED
    if data == text.encode():
        return FINE
    console.write(_difference(path, data, text))
    return FOUND


def _follow_project(intake: Intake) -> None:
    """Let a project's ``target`` stand in for one that a spec does not name."""
    projects = Projects()
    for source in sources(intake.paths):
        settings = projects.of(source.home) if isinstance(source, Source) else NONE
        if settings.target:
            said = (settings.target, f"{settings.file}: tool.kcfg.target")
            intake.overrides = intake.overrides._replace(default_target=said)
    for problem in projects.problems:
        console.error(problem)
        intake.fail(FAILED)


def _chosen(specs: list[Spec], name: str | None, intake: Intake) -> Spec | None:
    found = [spec for spec in specs if name is None or spec.name == name]
    if len(found) == 1:
        return found[0]
    labels = ", ".join(spec.name or f"(no name: {spec.source})" for spec in specs)
    if found:
        console.error(f"emit writes one configuration; pick one of these by --name: {labels}")
    else:
        console.error(f"--name {name}: no spec of this name here; there are: {labels}")
    intake.fail(FAILED)
    return None


def _written(spec: Spec, language: str, unsupported: bool, intake: Intake) -> str | None:
    from kcfg.core.emit import RefusedError, emit
    from kcfg.core.spec.known import LAUNCH

    if spec.kernel == LAUNCH:
        console.error(f"{spec.source}: a launch is written by hand: nothing is derived to emit")
        intake.fail(FOUND)
        return None
    try:
        return emit(spec.derive(), language, label=spec.name, unsupported=unsupported)
    except RefusedError as refused:
        for reason in refused.reasons:
            console.error(f"{spec.source}: {reason}")
        console.error("nothing emitted; --allow-unsupported emits it with a warning in it")
        intake.fail(FOUND)
        return None


def _difference(path: str, data: bytes, text: str) -> str:
    """How a file differs from what it should be, as a unified diff cut after some lines."""
    from difflib import unified_diff

    from kcfg.core.figures import some

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
