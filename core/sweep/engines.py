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
from concurrent.futures import CancelledError
from contextlib import closing, contextmanager
from importlib import import_module
from itertools import islice
from multiprocessing import parent_process, resource_tracker
from threading import Thread, current_thread, main_thread
from typing import Any

from kcfg.core import printing
from kcfg.core.sweep.query import Outcome
from kcfg.core.sweep.work import Task, work
from kcfg.core.version import VERSION

AHEAD = 3
"""Blocks under way for each worker."""
RETRIES = 5
"""How often in a row workers may be lost before it is no accident."""
CONNECTING = 10
"""Seconds until a Dask scheduler must have answered."""
WAITING = 30
"""Seconds for which a Dask cluster may be without any worker."""

Engine = Callable[[Iterable[Task]], Iterator[Outcome]]
Say = Callable[[str], None]
"""Tells whoever waits what is waited for."""


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
                                waiting[place] = (task, _submitted(workers, task))
                    if not waiting:
                        return
                    outcome = waiting[0][1].result()
                except BrokenProcessPool:
                    lost += 1
                    if lost > RETRIES:
                        raise EngineError(
                            "the worker processes keep dying; --jobs 1 does without them"
                        ) from None
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


def _submitted(workers: Any, task: Task) -> Any:
    try:
        return workers.submit(work, task)
    except OSError as error:
        raise EngineError(f"no worker process can be started: {error}") from None


def dask(scheduler: str | None, jobs: int, say: Say) -> Engine:
    """A Dask cluster: the one at an address, or ``jobs`` processes started here.

    Dask derives a block anew when the worker that had it is gone. Raises `EngineError` where
    there is no cluster, or no worker in it for longer than `WAITING`.
    """

    def run(tasks: Iterable[Task]) -> Iterator[Outcome]:
        distributed: Any = import_module("distributed")
        with _cluster(distributed, jobs, scheduler) as cluster:
            try:
                client = distributed.Client(cluster, timeout=CONNECTING)
            except (OSError, ValueError) as error:
                raise EngineError(f"no Dask scheduler at {scheduler}: {error}") from None
            with closing(client):
                if not _workers(client):
                    say(f"waiting for a Dask worker, {WAITING} s at most")
                    _awaited(client)
                yield from _derived(distributed, client, tasks)

    return run


@contextmanager
def _cluster(distributed: Any, jobs: int, scheduler: str | None) -> Iterator[Any]:
    """What a client connects to: an address, or a cluster that is started here and ended."""
    if scheduler is not None:
        yield scheduler
        return
    try:
        with _unstoppable():
            own = distributed.LocalCluster(
                n_workers=jobs,
                threads_per_worker=1,
                dashboard_address=":0",
                silence_logs=logging.CRITICAL,  # of workers that go: the outcome says enough
            )
    except Exception as error:  # Dask has no one kind for it
        raise EngineError(f"no Dask cluster can be started here: {error}") from None
    with closing(own):
        yield own


def _derived(distributed: Any, client: Any, tasks: Iterable[Task]) -> Iterator[Outcome]:
    ahead = AHEAD * max(2, _workers(client))
    waiting: deque[Any] = deque()
    left = iter(tasks)
    while True:
        for task in islice(left, ahead - len(waiting)):
            waiting.append(client.submit(_remote, VERSION, task, pure=False, retries=RETRIES))
        if not waiting:
            return
        job = waiting.popleft()
        try:
            outcome = _result(client, job)
        except distributed.KilledWorker:
            raise EngineError("a block lost its worker time and again") from None
        except ImportError as error:
            raise EngineError(f"a Dask worker lacks what it needs: {error}") from None
        except (distributed.comm.CommClosedError, CancelledError) as error:
            raise EngineError(f"the Dask cluster was lost: {error}") from None
        job.release()
        yield outcome


def _result(client: Any, job: Any) -> Any:
    """What comes of a job, however long it takes while there are workers."""
    while True:
        try:
            return job.result(timeout=WAITING)
        except TimeoutError:
            if not _workers(client):
                _awaited(client)


def _awaited(client: Any) -> None:
    """Wait for a worker; raises `EngineError` where none comes."""
    try:
        client.wait_for_workers(1, timeout=WAITING)
    except TimeoutError:
        raise EngineError(f"the Dask cluster had no worker for {WAITING} s") from None


def _workers(client: Any) -> int:
    return len(client.nthreads())


def _remote(version: str, task: Task) -> Outcome:
    """`work`, where there may be another kcfg."""
    if version != VERSION:
        raise ImportError(f"kcfg {version} asks, and kcfg {VERSION} is there")
    return work(task)


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
    """Leave Ctrl-C to the process that started this worker, and do not outlive it.

    What is beside the results was told of there.
    """
    printing.listening = lambda message: None
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    Thread(target=_end_with_parent, daemon=True).start()


def _end_with_parent() -> None:
    parent = parent_process()
    if parent is not None:
        parent.join()
        os._exit(1)
