"""What ``kcfg sweep`` does: from its options to a query, a run and its results."""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Sequence
from importlib import import_module
from types import ModuleType
from typing import TYPE_CHECKING, NamedTuple, NoReturn

import typer

from kcfg.cli import console, formats
from kcfg.cli.exits import FAILED, FINE, FOUND
from kcfg.cli.intake.specs import pair, usage
from kcfg.cli.pages.titles import title
from kcfg.cli.saving import SaveError, refuse, save_bytes

if TYPE_CHECKING:
    from kcfg.core.sweep.engines import Engine
    from kcfg.core.sweep.query import Query
    from kcfg.core.sweep.reader import Sweep
    from kcfg.core.sweep.run import Run

INTERRUPTED = 130
"""The exit code after Ctrl-C, as shells have it."""

SORTABLE = 1_000_000
"""Points of a grid that may be sorted as a whole, which takes memory for each."""

EXTRAS = {
    "numpy": ("sweep", "NumPy"),
    "pyarrow": ("parquet", "pyarrow"),
    "matplotlib": ("plot", "Matplotlib"),
    "distributed": ("dask", "Dask"),
}
"""What is not installed with kcfg itself, and the extra that brings it."""

PICTURES = (".svg", ".png", ".pdf")


class Options(NamedTuple):
    """The options of the command, as given."""

    specs: tuple[str, ...]
    presets: tuple[str, ...]
    settings: tuple[str, ...]
    release: str | None
    target: str | None
    zips: tuple[str, ...]
    where: str | None
    columns: tuple[str, ...]
    sort: str | None
    top: int | None
    pareto: str | None
    format: str | None
    output: str | None
    resume: bool
    jobs: int
    engine: str
    scheduler: str | None
    plot: str | None


def sweep(options: Options) -> int:
    """Run a sweep and write its results; the exit code."""
    needs("numpy")
    options, drawn = _plotted(options)
    format = _format(options)
    found = _read(options)
    from kcfg.cli.intake.sweep_query import query_of

    query = query_of(options, found, format, drawn)
    return _run(options, query, found, format)


def needs(module: str) -> None:
    """Leave with a message where an extra is not installed."""
    extra, name = EXTRAS[module]
    try:
        import_module(module)
    except ImportError:
        how = f"pip install '.[{extra}]' where kcfg was cloned"
        _leave(f"this needs {name}, which is not installed; it comes with: {how}")


def _leave(message: object, code: int = FAILED) -> NoReturn:
    console.error(message)
    raise typer.Exit(code)


def _plotted(options: Options) -> tuple[Options, dict[str, str]]:
    """What ``--plot`` asks for; its words may stand behind it as arguments of their own."""
    if options.plot is None:
        return options, {}
    specs = [word for word in options.specs if word[:2] not in ("x=", "y=") and word[:3] != "by="]
    words = options.plot.replace(",", " ").split()
    words += [word for word in options.specs if word not in specs]
    output = options.output or next((word for word in specs if word.endswith(PICTURES)), None)
    drawn = dict(word.split("=", 1) for word in words if "=" in word)
    if set(drawn) - {"x", "y", "by"} or not {"x", "y"} <= set(drawn) or len(drawn) != len(words):
        usage(f"--plot takes x=NAME y=NAME, and by=NAME, not {options.plot!r}")
    if len(set(drawn.values())) < len(drawn):
        usage(f"--plot: x, y and by must be different names, not {options.plot!r}")
    if output is None or not output.endswith(PICTURES):
        usage(f"--plot needs a file to draw to: -o with one of {', '.join(PICTURES)}")
    try:
        refuse(output)
    except SaveError as error:
        usage(str(error))
    for name, given in (
        ("--sort", options.sort),
        ("--top", options.top),
        ("--pareto", options.pareto),
        ("--columns", options.columns),
        ("--format", options.format),
    ):
        if given:
            usage(f"--plot and {name} do not go together")
    needs("matplotlib")
    specs = [word for word in specs if word != output]
    return options._replace(specs=tuple(specs), output=output, plot=options.plot), drawn


def _format(options: Options) -> str:
    known = formats.names("sweep")
    if options.plot is not None:
        return "table"
    ending = os.path.splitext(options.output or "")[1].removeprefix(".")
    if options.format is None and options.output and ending not in known:
        usage(
            f"-o {options.output}: give --format, or a name that ends in .{' .'.join(known[:-1])}"
        )
    format = options.format or (ending if options.output else "table")
    if format not in known:
        usage(f"unknown format {format!r}; known: {', '.join(known)}")
    if format == "table" and options.output:
        usage("a table is for the terminal: write csv, jsonl or parquet to a file")
    if format == "parquet":
        needs("pyarrow")
        if not options.output:
            usage("parquet is no text: name a file with -o")
    if options.resume and not options.output:
        usage("--resume needs the file of -o that it continues")
    return format


def _read(options: Options) -> Sweep:
    from kcfg.core import presets
    from kcfg.core.errors import UnknownError
    from kcfg.core.spec import Overrides
    from kcfg.core.sweep.reader import read_sweep

    try:
        paths = [*options.specs, *map(presets.path, options.presets)]
    except UnknownError as unknown:
        usage(f"--preset: {unknown}")
    if len(paths) != 1:
        usage("name one spec file, `-` for standard input, or --preset NAME")
    overrides = Overrides(
        set=tuple(map(pair, options.settings)), release=options.release, target=options.target
    )
    zips = [tuple(key.strip() for key in group.split(",")) for group in options.zips]
    found = read_sweep(paths[0], overrides, zips)
    if isinstance(found, list):
        for problem in found:
            console.error(problem)
        unreadable = any(problem.kind == "unreadable" for problem in found)
        raise typer.Exit(FAILED if unreadable else FOUND)
    return found


def _engine(options: Options) -> Engine:
    from kcfg.core.sweep import engines

    if options.engine == "dask":
        needs("distributed")
        return engines.dask(options.scheduler, options.jobs)
    if options.engine != "local":
        usage(f"unknown engine {options.engine!r}; known: local, dask")
    if options.scheduler:
        usage("--scheduler goes with --engine dask")
    return engines.serial if options.jobs == 1 else engines.processes(options.jobs)


def _run(options: Options, query: Query, found: Sweep, format: str) -> int:
    from kcfg.cli.pages import sweep_summary
    from kcfg.core.sweep.engines import EngineError
    from kcfg.core.sweep.output import Output, OutputError
    from kcfg.core.sweep.run import Run, fingerprint

    module = import_module(f"kcfg.cli.formats.sweep.{format}")
    output = None
    if options.output and options.plot is None:
        output = Output(options.output, fingerprint(query, format))
    write = output.write if output else _stdout
    run = Run(query, _engine(options), output, write)
    begun = time.monotonic()
    progress = sweep_summary.Progress(query.grid.size)
    try:
        with _terminated():
            if format != "table":
                run.begin(module.header(query.heads), options.resume)
            already = run.state.tally.points
            run.go(progress.tell)
            progress.end()
            _results(options, run, found, module)
    except KeyboardInterrupt:
        progress.end()
        console.error(sweep_summary.stopped("interrupted", run.state, query, output))
        return INTERRUPTED
    except (OutputError, EngineError, SaveError) as error:
        progress.end()
        console.error(sweep_summary.stopped(str(error), run.state, query, output))
        return FAILED
    took = time.monotonic() - begun
    for line in sweep_summary.lines(run, run.state.tally.points - already, took):
        console.error(line)
    return FINE


def _results(options: Options, run: Run, found: Sweep, module: ModuleType) -> None:
    """Write what is known only at the end: what was kept, and the file's name."""
    query = run.query
    if options.plot is not None:
        from kcfg.cli.pictures import plot

        assert options.output
        ending = os.path.splitext(options.output)[1].removeprefix(".")
        save_bytes(options.output, plot.draw(query, run.kept, ending))
    elif options.output is None and not query.encode:
        spec = found.spec
        about = title(spec.name, spec.kernel, spec.release, spec.target.name)
        module.write(query.heads, run.kept, about, run.state.tally.kept)
    elif query.keep and query.encode and run.kept.size:
        run.write(query.encode(query.heads, run.kept))
    if run.output:
        run.output.complete(getattr(module, "finish", None))


def _stdout(data: bytes) -> None:
    sys.stdout.flush()
    sys.stdout.buffer.write(data)


class _terminated:
    """While it is entered, being told to end (SIGTERM) is like Ctrl-C."""

    def __enter__(self) -> None:
        import signal

        def end(number: int, frame: object) -> None:
            raise KeyboardInterrupt

        self.before = signal.signal(signal.SIGTERM, end)

    def __exit__(self, *about: object) -> None:
        import signal

        signal.signal(signal.SIGTERM, self.before)


def names(text: str) -> Sequence[str]:
    """The names of an option, with commas between."""
    found = [name.strip() for name in text.split(",")]
    if not all(found):
        usage(f"expected names with commas between, not {text!r}")
    return found
