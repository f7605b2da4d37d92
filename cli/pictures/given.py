"""The configurations a picture or report is of: all that were named, or none."""

from __future__ import annotations

from itertools import islice
from typing import NoReturn

import typer

from kcfg.cli import console
from kcfg.cli.exits import FAILED, FOUND
from kcfg.cli.intake.specs import Intake
from kcfg.cli.saving import SaveError, save
from kcfg.core.report import Derived, report_of

MOST = 500
"""Configurations of one picture or page: each of them stays in memory until all are drawn."""


def derived(intake: Intake) -> list[Derived]:
    """Every spec derived; leaves where one could not be read, so that nothing is missing unseen.

    The intake fails where a configuration has errors.
    """
    specs = list(islice(intake, MOST + 1))
    if len(specs) > MOST:
        console.error(f"more than {MOST} configurations in one picture or page: name fewer")
        raise typer.Exit(FAILED)
    if intake.exit_code:
        raise typer.Exit(intake.exit_code)
    found = []
    for spec in specs:
        kernel = spec.derive()
        found.append(Derived(kernel, report_of(spec, kernel)))
    if any(each["severity"] == "error" for one in found for each in one.report["findings"]):
        intake.fail(FOUND)
    return found


def leave(intake: Intake, path: str, text: str) -> NoReturn:
    """Write what was made, and leave; with a message where it cannot be written."""
    try:
        save(path, text)
    except SaveError as error:
        console.error(error)
        raise typer.Exit(FAILED) from None
    raise typer.Exit(intake.exit_code)
