"""The pyproject.toml of the folder that a command runs in."""

from __future__ import annotations

from typing import TYPE_CHECKING

from kcfg.cli import console

if TYPE_CHECKING:
    from kcfg.core.validate.settings import Projects, Settings


def project() -> tuple[Projects, Settings] | None:
    """What it says for kcfg; None where some of that is wrong, which is told."""
    from kcfg.core.validate.settings import Projects

    projects = Projects()
    settings = projects.of("-")
    for problem in projects.problems:
        console.error(problem)
    return None if projects.problems else (projects, settings)
