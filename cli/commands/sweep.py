"""``kcfg sweep``: a spec whose inputs are lists and ranges, derived at every point."""

from __future__ import annotations

from typing import Annotated

import typer

from kcfg.cli import formats
from kcfg.cli.intake import helps
from kcfg.cli.intake.options import Output, Preset, Release, Setting, Target, completing


def sweep(
    specs: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="SPEC",
            help="A spec file (`-`: standard input), a directory with one, or a preset's name "
            f"where no such file exists; {helps.ONE} Inputs may be lists, as [64, 128], or "
            "ranges, as 64..512 step 64.",
            show_default=False,
            autocompletion=completing("specs"),
        ),
    ] = None,
    preset: Preset = None,
    settings: Setting = None,
    release: Release = None,
    target: Target = None,
    zips: Annotated[
        list[str] | None,
        typer.Option("--zip", metavar="A,B", help="Let these lists advance together; repeatable."),
    ] = None,
    where: Annotated[
        str | None,
        typer.Option(
            metavar="CONDITION",
            help='Keep the points where this holds, as "supported and num_kv_stages >= 4".',
        ),
    ] = None,
    columns: Annotated[
        list[str] | None,
        typer.Option(
            metavar="A,B,...",
            help="The inputs and values to show; `all` for all there are.",
            autocompletion=completing("columns"),
        ),
    ] = None,
    sort: Annotated[
        str | None,
        typer.Option(
            metavar="A,-B,...",
            help="Show what comes first by these: least first, with - greatest.",
            autocompletion=completing("columns"),
        ),
    ] = None,
    top: Annotated[
        int | None, typer.Option(metavar="N", min=1, help="Show so many points at most.")
    ] = None,
    pareto: Annotated[
        str | None,
        typer.Option(
            metavar="A,-B,...",
            help="Show the points that no other beats in all of these: less is better, with - "
            "more is. Of points alike in all of them, the first.",
            autocompletion=completing("columns"),
        ),
    ] = None,
    everything: Annotated[
        bool,
        typer.Option(
            "--all", help="Let --sort, --top and --pareto pick among refused points as well."
        ),
    ] = False,
    format: Annotated[
        str | None,
        typer.Option(
            metavar="|".join(formats.names("sweep")),
            help="How to write it; by default as the name of the file says, else a table.",
        ),
    ] = None,
    output: Annotated[
        str | None,
        Output("Write to this file, once complete; `-` is standard output."),
    ] = None,
    resume: Annotated[
        bool, typer.Option("--resume", help="Continue the run that FILE.progress tells of.")
    ] = False,
    jobs: Annotated[
        int, typer.Option("--jobs", "-j", metavar="N", min=1, help="Derive in so many processes.")
    ] = 1,
    engine: Annotated[
        str, typer.Option(metavar="local|dask", help="Who runs the processes.")
    ] = "local",
    scheduler: Annotated[
        str | None,
        typer.Option(metavar="ADDRESS", help="The Dask scheduler; without, one is started."),
    ] = None,
    plot: Annotated[
        str | None,
        typer.Option(
            metavar="x=A y=B [by=C|map=D+E]",
            help="Draw the least and greatest B for each A, a band for each C, to the file of -o; "
            "or a map of what D and E are for each A and B.",
        ),
    ] = None,
    quiet: Annotated[
        bool, typer.Option("--quiet", "-q", help="Say nothing of the run but what goes wrong.")
    ] = False,
) -> None:
    """Derive a grid of shapes, and count why points are refused.

    --sort, --top and --pareto pick among the points that are supported.
    """
    from kcfg.cli.intake.sweep_options import Options
    from kcfg.cli.sweeping import sweep as run

    code = run(
        Options(
            specs=tuple(specs or ()),
            presets=tuple(preset or ()),
            settings=tuple(settings or ()),
            release=release,
            target=target,
            zips=tuple(zips or ()),
            where=where,
            columns=tuple(columns or ()),
            sort=sort,
            top=top,
            pareto=pareto,
            everything=everything,
            format=format,
            output=output,
            resume=resume,
            jobs=jobs,
            engine=engine,
            scheduler=scheduler,
            plot=plot,
            quiet=quiet,
        )
    )
    raise typer.Exit(code)
