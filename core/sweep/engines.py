"""Who derives the blocks: this process, several of them, or a Dask cluster.

An engine takes tasks, a query and the number of a block each, and gives their outcomes in
order, whoever finished first. Not more than a few blocks for each worker are under way, so
memory stays flat. A block that was lost with its worker is derived again.
"""

from __future__ import annotations

import logging
import os
import signal
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from importlib import import_module
from itertools import islice
from multiprocessing import parent_process, resource_tracker
from threading import Thread, current_thread, main_thread
from typing import Any

from kcfg.core.sweep.query import Outcome
from kcfg.core.sweep.work import Task, work

AHEAD = 3
"""Blocks under way for each worker."""
RETRIES = 5
"""How often in a row workers may be lost before it is no accident."""

Engine = Callable[[Iterable[Task]], Iterator[Outcome]]


class EngineError(RuntimeError):
    """The workers cannot do the work; its text says why."""


def serial(tasks: Iterable[Task]) -> Iterator[Outcome]:
    """One block after the other, in this process."""
    return map(work, tasks)


def processes(jobs: int) -> Engine:
    """So many processes on this machine; raises `EngineError` where they keep dying."""

    def run(tasks: Iterable[Task]) -> Iterator[Outcome]:
        from concurrent.futures import ProcessPoolExecutor
        from concurrent.futures.process import BrokenProcessPool
        from multiprocessing import get_context

        def pool() -> ProcessPoolExecutor:
            return ProcessPoolExecutor(jobs, get_context("spawn"), _begin)

        waiting: deque[tuple[Task, Any]] = deque()
        left, lost, workers = iter(tasks), 0, pool()
        try:
            while True:
                try:
                    for task in islice(left, jobs * AHEAD - len(waiting)):
                        waiting.append((task, None))
                    with _unstoppable():  # workers may be started here
                        for place, (task, job) in enumerate(waiting):
                            if job is None:
                                waiting[place] = (task, workers.submit(work, task))
                    if not waiting:
                        return
                    outcome = waiting[0][1].result()
                except BrokenProcessPool:
                    lost += 1
                    if lost > RETRIES:
                        raise EngineError("the worker processes keep dying") from None
                    workers.shutdown(wait=False, cancel_futures=True)
                    workers = pool()
                    waiting = deque((task, None) for task, _ in waiting)
                    continue
                lost = 0
                waiting.popleft()
                yield outcome
        finally:
            workers.shutdown(wait=True, cancel_futures=True)

    return run


def dask(scheduler: str | None, jobs: int) -> Engine:
    """A Dask cluster: the one at an address, or ``jobs`` processes started here.

    Dask derives a block anew when the worker that had it is gone.
    """

    def run(tasks: Iterable[Task]) -> Iterator[Outcome]:
        distributed: Any = import_module("distributed")
        own = None
        if scheduler is None:
            with _unstoppable():
                own = distributed.LocalCluster(
                    n_workers=jobs,
                    threads_per_worker=1,
                    dashboard_address=":0",
                    silence_logs=logging.CRITICAL,  # of workers that go: the outcome says enough
                )
        try:
            client = distributed.Client(own or scheduler, timeout=10)
        except OSError as error:
            raise EngineError(f"no Dask scheduler at {scheduler}: {error}") from None
        ahead = AHEAD * max(2, len(client.scheduler_info()["workers"]))
        try:
            waiting: deque[Any] = deque()
            left = iter(tasks)
            while True:
                for task in islice(left, ahead - len(waiting)):
                    waiting.append(client.submit(work, task, pure=False, retries=RETRIES))
                if not waiting:
                    return
                job = waiting.popleft()
                try:
                    outcome = job.result()
                except distributed.KilledWorker:
                    raise EngineError("a block lost its worker time and again") from None
                job.release()
                yield outcome
        finally:
            client.close()
            if own is not None:
                own.close()

    return run


@contextmanager
def _unstoppable() -> Iterator[None]:
    """Keep being told to end for later; and what is started here, out of Ctrl-C altogether.

    Halfway through its start a process would end with a traceback.
    """
    if current_thread() is not main_thread() or not hasattr(signal, "pthread_sigmask"):
        yield
        return
    told: list[int] = []
    handlers = {
        number: signal.signal(number, lambda number, frame: told.append(number))
        for number in (signal.SIGINT, signal.SIGTERM)
    }
    resource_tracker.ensure_running()  # started with the first process, it would unblock signals
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})  # as its children have it
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)
        for number, handler in handlers.items():
            signal.signal(number, handler)
        for each in told:
            signal.raise_signal(each)


def _begin() -> None:
    """Leave Ctrl-C to the process that started this worker, and do not outlive it."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    Thread(target=_end_with_parent, daemon=True).start()


def _end_with_parent() -> None:
    parent = parent_process()
    if parent is not None:
        parent.join()
        os._exit(1)
