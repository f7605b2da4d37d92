"""``kcfg derive``: from specs to the full report."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Annotated, Any

import typer

from kcfg.cli.intake.options import Format, Preset, Release, Setting, Specs, Target, completing

if TYPE_CHECKING:
    from kcfg.cli.intake.specs import Intake
    from kcfg.core.report import Derived


def derive(
    specs: Specs = None,
    preset: Preset = None,
    settings: Setting = None,
    release: Release = None,
    target: Target = None,
    format: Annotated[str, Format("derive")] = "table",
    get: Annotated[
        list[str] | None,
        typer.Option(
            "--get",
            metavar="NAME",
            help="Print only this, bare, one a line: a value or input by its name, or a path "
            "into the report such as smem.free; repeatable.",
            autocompletion=completing("results"),
        ),
    ] = None,
) -> None:
    """Derive the whole configuration of each spec."""
    from kcfg.cli.intake.specs import Intake

    intake = Intake(specs, preset, settings=settings, release=release, target=target)
    if get:
        _print_values(intake, get)
    else:
        from importlib import import_module

        import_module(f"kcfg.cli.formats.derive.{format}").write(_derived(intake))
    raise typer.Exit(intake.exit_code)


def _derived(intake: Intake) -> Iterator[Derived]:
    from kcfg.cli.exits import FOUND
    from kcfg.core.report import Derived, report_of

    for spec in intake:
        kernel = spec.derive()
        found = report_of(spec, kernel)
        if any(finding["severity"] == "error" for finding in found["findings"]):
            intake.fail(FOUND)
        yield Derived(kernel, found)


def _print_values(intake: Intake, names: list[str]) -> None:
    from kcfg.cli import console
    from kcfg.cli.exits import FAILED, FOUND
    from kcfg.cli.intake.no_such import no_such
    from kcfg.core.findings import findings
    from kcfg.core.report import lookup, paths
    from kcfg.core.spec.problem import printable

    for spec in intake:
        kernel = spec.derive()
        for name in names:
            try:
                value = lookup(spec, kernel, name)
            except KeyError:
                lists = "`--format json` shows all there are"
                hint = no_such(spec.cls, name, lists, paths(kernel))
                console.error(printable(f"{spec.source}: --get {name}: {hint}"))
                intake.fail(FAILED)
            else:
                console.write(_bare(value) + "\n")
        if any(finding.severity == "error" for finding in findings(kernel)):
            intake.fail(FOUND)


def _bare(value: Any) -> str:
    if value is None or isinstance(value, bool | dict | list):
        import json

        return json.dumps(value)
    return str(value)
