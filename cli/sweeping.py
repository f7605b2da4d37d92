"""What ``kcfg sweep`` does: from its query to a run and its results."""

from __future__ import annotations

import os
import time
from contextlib import ExitStack
from importlib import import_module
from types import ModuleType
from typing import TYPE_CHECKING

from kcfg.cli import console
from kcfg.cli.exits import FAILED, FINE, INTERRUPTED
from kcfg.cli.intake.extras import needs
from kcfg.cli.intake.specs import spare, usage
from kcfg.cli.intake.sweep_options import Options, Plot, format_of, plotted
from kcfg.cli.pages.titles import title
from kcfg.cli.progress import GridProgress
from kcfg.cli.saving import STDOUT, SaveError, save_bytes

if TYPE_CHECKING:
    from kcfg.core.sweep.engines import Engine
    from kcfg.core.sweep.output import Output
    from kcfg.core.sweep.query import Query
    from kcfg.core.sweep.reader import Sweep
    from kcfg.core.sweep.run import Run, Write


def sweep(options: Options) -> int:
    """Run a sweep and write its results; the exit code."""
    needs("numpy")
    if options.output == STDOUT and options.plot is None:
        options = options._replace(output=None)
    options, drawn = plotted(options)
    spare(options.output, options.specs)
    format = format_of(options)
    from kcfg.cli.intake.sweep_query import query_of, swept

    found = swept(options)
    query = query_of(options, found, format, drawn)
    try:
        return _run(options, query, found, format, drawn)
    except SaveError as error:  # nothing was opened
        console.error(error)
        return FAILED


def _engine(options: Options) -> Engine:
    from kcfg.core.sweep import engines

    if options.engine == "dask":
        needs("distributed")
        return engines.dask(options.scheduler, options.jobs, console.error)
    if options.engine != "local":
        usage(f"unknown engine {options.engine!r}; known: local, dask")
    if options.scheduler:
        usage("--scheduler goes with --engine dask")
    return engines.serial if options.jobs == 1 else engines.processes(options.jobs)


def _run(options: Options, query: Query, found: Sweep, format: str, drawn: Plot | None) -> int:
    from kcfg.cli.pages import sweep_summary
    from kcfg.core.sweep.engines import EngineError
    from kcfg.core.sweep.query import about
    from kcfg.core.sweep.reduce import TooManyError
    from kcfg.core.sweep.run import Run

    module = import_module(f"kcfg.cli.formats.sweep.{format}")
    engine = _engine(options)
    begun = time.monotonic()
    progress = GridProgress(query.grid.size, quiet=options.quiet)
    with ExitStack() as opened:
        output, write = _opened(options, query, format, opened)
        run = Run(query, engine, output, write)
        try:
            with _terminated():
                if format != "table":
                    run.begin(module.header(query.heads, about(query)), options.resume)
                already = run.state.tally.points
                run.go(progress.tell)
                progress.end()
                _results(options, run, found, module, drawn)
        except KeyboardInterrupt:
            progress.end()
            console.error(
                sweep_summary.stopped(sweep_summary.INTERRUPTED, run.state, query, output)
            )
            return INTERRUPTED
        except (SaveError, EngineError, TooManyError) as error:
            progress.end()
            console.error(sweep_summary.stopped(str(error), run.state, query, output))
            return FAILED
    took = time.monotonic() - begun
    for line in sweep_summary.lines(run, run.state.tally.points - already, took):
        if not options.quiet:
            console.error(line)
    return FINE


def _opened(
    options: Options, query: Query, format: str, opened: ExitStack
) -> tuple[Output | None, Write]:
    """Where the rows go: a file that can be continued, or what is written to as it is."""
    from kcfg.core import saving
    from kcfg.core.sweep.output import Output
    from kcfg.core.sweep.run import fingerprint

    if options.output is None or options.plot is not None:
        return None, console.write_bytes
    path = options.output
    with saving.told(path):
        stream = saving.through(path)
    if stream is None:
        output = opened.enter_context(Output(path, query, fingerprint(query, format)))
        return output, output.write
    file = opened.enter_context(stream)

    def write(data: bytes) -> None:
        with saving.told(path):
            saving.write(file, data)

    return None, write


def _results(
    options: Options, run: Run, found: Sweep, module: ModuleType, drawn: Plot | None
) -> None:
    """Write what is known only at the end: what was kept, and the file's name."""
    query = run.query
    if drawn is not None:
        from kcfg.cli.pictures import decisions, plot

        assert options.output
        ending = os.path.splitext(options.output)[1].removeprefix(".") or "svg"
        draw = decisions.draw if drawn.map else plot.draw
        save_bytes(options.output, draw(drawn, query, run.kept, ending))
    elif options.output is None and not query.encode:
        spec = found.spec
        about = title(spec.name, spec.kernel, spec.release, spec.target.name)
        module.write(run, about)
    elif query.keep and query.encode and run.kept.size:
        run.write(query.encode(query.heads, run.kept.sheet))
    if run.output:
        run.output.complete(getattr(module, "finish", None))


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
