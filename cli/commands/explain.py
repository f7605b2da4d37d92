"""``kcfg explain``: why each number is what it is."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Annotated

import typer

from kcfg.cli.intake import helps
from kcfg.cli.intake.options import Format, Preset, Release, Setting, Target, completing

if TYPE_CHECKING:
    from kcfg.cli.intake.specs import Intake
    from kcfg.cli.pages.told import Told

UNDERIVED = "a launch is judged by the rules, and nothing is derived that could be explained"
UNTOLD = "the threads of a block are not known, or more than it can have"
DEEPEST = 1000
"""More levels than any struct has."""

Words = Annotated[
    list[str] | None,
    typer.Argument(
        metavar="SPEC NAME...",
        help="A spec file (`-` is standard input), a directory of specs, or a preset's name where "
        "no such file exists; then values or inputs by name, or goals such as "
        '"num_kv_stages >= 6", which are told what reaches them. With --preset or --kernel '
        "only names. `occupancy` tells how many blocks share an SM. Without names: the story of "
        f"the whole configuration. {helps.ONE}",
        show_default=False,
        autocompletion=completing("words"),
    ),
]
Manual = Annotated[
    str | None,
    typer.Option(
        "--kernel",
        metavar="KERNEL",
        help="Explain names without a spec, as a manual.",
        autocompletion=completing("kernels"),
    ),
]
Depth = Annotated[
    int | None,
    typer.Option(
        "--depth",
        metavar="N",
        min=0,
        help="Explain what a value rests on too, so many levels down.",
    ),
]
Tree = Annotated[
    bool,
    typer.Option("--tree", help="Draw what a value rests on as a tree, down to the inputs."),
]


Glossary = Annotated[
    bool, typer.Option("--words", help="List the words that formulas use, and what they give.")
]


def explain(
    words: Words = None,
    preset: Preset = None,
    kernel: Manual = None,
    settings: Setting = None,
    release: Release = None,
    target: Target = None,
    depth: Depth = None,
    tree: Tree = False,
    glossary: Glossary = False,
    format: Annotated[str, Format("explain")] = "text",
) -> None:
    """Show why each number is what it is: formula, numbers, limits, what rests on what.

    Exit code 0: explained; 1: explained, and the configuration is not supported, cannot
    run, or nothing was found that reaches a goal; 2: trouble, such as a name that is none.
    """
    from importlib import import_module

    from kcfg.cli.intake.specs import Intake, usage

    if kernel is not None and (preset or settings or target):
        usage("--kernel explains without a spec: no --preset, --set or --target")
    if glossary and (words or preset or kernel or settings or release or target):
        usage("--words explains what all formulas have in common: no spec, and nothing beside")
    names = list(words or ())
    specs = [] if preset or kernel else names[:1]
    del names[: len(specs)]
    writer = import_module(f"kcfg.cli.formats.explain.{format}")
    if glossary:
        writer.write(_glossary(), tree)
        raise typer.Exit
    if kernel is not None:
        writer.write(_manual(kernel, release, names), tree)
        raise typer.Exit
    intake = Intake(specs, preset, settings=settings, release=release, target=target)
    levels = DEEPEST if tree and depth is None else depth or 0
    writer.write(_explained(intake, names, levels), tree)
    raise typer.Exit(intake.exit_code)


def _explained(intake: Intake, names: list[str], depth: int) -> Iterator[Told]:
    """What is told of every spec; a name that is none is told on standard error."""
    from kcfg.cli import console
    from kcfg.cli.exits import FAILED, FOUND
    from kcfg.cli.intake.no_such import no_such
    from kcfg.cli.pages.told import Told
    from kcfg.core.block.places import names as places
    from kcfg.core.errors import UnknownError, UsageError
    from kcfg.core.explain.explanation import explain as why
    from kcfg.core.explain.goals import is_goal, read_goals, seek
    from kcfg.core.explain.residency import NAME, residency
    from kcfg.core.findings import findings
    from kcfg.core.report import registers
    from kcfg.core.spec.problem import meant, printable

    occupancy, whole = NAME in names, not names
    names = [name for name in names if name != NAME]
    for spec in intake:
        kernel = spec.derive()
        found_by_rules = findings(kernel)
        told = Told(
            spec.kernel,
            spec.release,
            spec.target.name,
            spec.name,
            spec.source,
            findings=tuple(finding.to_json() for finding in found_by_rules),
            release_given=spec.release_given,
        )
        if any(finding.severity == "error" for finding in found_by_rules):
            intake.fail(FOUND)
        if occupancy:
            told = told._replace(occupancy=residency(kernel.block))
            if told.occupancy is None:
                console.error(printable(f"{spec.source}: {NAME}: {UNTOLD}"))
                intake.fail(FAILED)
        if not (names or whole):
            if told.occupancy:
                yield told
            continue
        if not spec.cls.derives:
            followed = {each.path: each for each in kernel.figures()}
            unknown = [name for name in names if name not in followed]
            if unknown:
                hint = f"{UNDERIVED}; without names, its findings are shown"
                if followed:
                    hint = f"no figure that follows from others; {meant(unknown[0], followed)}"
                console.error(printable(f"{spec.source}: {unknown[0]}: {hint}"))
                intake.fail(FAILED)
                continue
            told = told._replace(
                figures=tuple(followed[name] for name in names or followed),
                fits=tuple(f for f in kernel.weighed() if whole or f.path[0] in names),
            )
            if whole:
                told = told._replace(asked=kernel.asked(), registers=registers(kernel.block))
            yield told
            continue
        if whole:
            from kcfg.core.explain.story import story

            yield told._replace(story=story(kernel), registers=registers(kernel.block))
            continue
        found, pins = [], []
        for name in names:
            try:
                if is_goal(name):
                    pins += read_goals(name, kernel)
                else:
                    found.append(why(kernel, name, depth))
            except (UnknownError, UsageError) as wrong:
                hint = str(wrong)
                if isinstance(wrong, UnknownError):
                    lists = "`kcfg derive` shows all there are"
                    hint = no_such(spec.cls, wrong.name, lists, places(kernel.block))
                console.error(printable(f"{spec.source}: {name}: {hint}"))
                intake.fail(FAILED)
        sought = seek(kernel, pins) if pins else None
        if sought and sought.search and not sought.search.found:
            intake.fail(FOUND)
        if found or sought or told.occupancy:
            yield told._replace(explanations=tuple(found), sought=sought)


def _glossary() -> Iterator[Told]:
    """The words of formulas."""
    from kcfg.cli.pages.told import Told
    from kcfg.core.explain.glossary import words

    yield Told("", "", words=words())


def _manual(kernel: str, release: str | None, names: list[str]) -> Iterator[Told]:
    """The manual entries of names; leaves with a message for one that is none."""
    from kcfg.cli.intake.no_such import no_such
    from kcfg.cli.intake.specs import known, usage
    from kcfg.cli.pages.told import Told
    from kcfg.core.errors import UnknownError
    from kcfg.core.explain.explanation import reference
    from kcfg.core.explain.goals import is_goal
    from kcfg.core.spec.known import LAUNCH, release_of

    if kernel == LAUNCH:
        usage(f"{UNDERIVED}; `kcfg kernels launch` lists its keys")
    with known():
        cls = release_of(kernel, release)
    if not names:
        usage(f"name a value or input; `kcfg kernels {kernel}` lists them")
    found = []
    for name in names:
        if is_goal(name):
            usage(f"{name}: a goal is about a configuration: name a spec")
        try:
            found.append(reference(cls, name))
        except UnknownError:
            usage(f"{name}: {no_such(cls, name, f'`kcfg kernels {kernel}` lists all there are')}")
    yield Told(cls.kernel, cls.release, references=tuple(found))
