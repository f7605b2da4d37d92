"""What ``kcfg sweep`` does: from its query to a run and its results."""

from __future__ import annotations

import os
import sys
import time
from importlib import import_module
from types import ModuleType
from typing import TYPE_CHECKING

from kcfg.cli import console
from kcfg.cli.exits import FAILED, FINE
from kcfg.cli.intake.extras import needs
from kcfg.cli.intake.specs import usage
from kcfg.cli.intake.sweep_options import Options, format_of, plotted
from kcfg.cli.pages.titles import title
from kcfg.cli.progress import GridProgress
from kcfg.cli.saving import SaveError, save_bytes

if TYPE_CHECKING:
    from kcfg.core.sweep.engines import Engine
    from kcfg.core.sweep.query import Query
    from kcfg.core.sweep.reader import Sweep
    from kcfg.core.sweep.run import Run

INTERRUPTED = 130
"""The exit code after Ctrl-C, as shells have it."""


def sweep(options: Options) -> int:
    """Run a sweep and write its results; the exit code."""
    needs("numpy")
    options, drawn = plotted(options)
    format = format_of(options)
    from kcfg.cli.intake.sweep_query import query_of, swept

    found = swept(options)
    query = query_of(options, found, format, drawn)
    return _run(options, query, found, format)


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
    progress = GridProgress(query.grid.size, quiet=options.quiet)
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
        if not options.quiet:
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
        module.write(run, about)
    elif query.keep and query.encode and run.kept.size:
        run.write(query.encode(query.heads, run.kept.sheet))
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
