"""What the benchmarks share: commands run in turn, and the medians of what they took."""

from __future__ import annotations

import shutil
import subprocess
import sys
import sysconfig
import time
from pathlib import Path
from statistics import median

Commands = dict[str, list[str]]


def script(name: str) -> list[str]:
    """An installed command beside this interpreter, or on the path; empty where there is none."""
    beside = Path(sysconfig.get_path("scripts"), name)
    found = str(beside) if beside.exists() else shutil.which(name)
    return [found] if found else []


def required(name: str) -> list[str]:
    """An installed command; leaves with a message where there is none."""
    return script(name) or sys.exit(f"{name} is not installed for this interpreter")


def processor_time() -> float:
    """Seconds that all programs run so far took of the processor."""
    from resource import RUSAGE_CHILDREN, getrusage

    used = getrusage(RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def installed(commands: Commands) -> Commands:
    """The commands whose program is there; the others are told of."""
    for name in [name for name, command in commands.items() if not command[:1]]:
        print(f"not installed, left out: {name}", file=sys.stderr)
        del commands[name]
    return commands


def took(command: list[str], folder: Path) -> float:
    """Milliseconds of one run; its output and exit code do not matter."""
    begun = time.perf_counter()
    subprocess.run(
        command, cwd=folder, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, check=False
    )
    return 1000 * (time.perf_counter() - begun)


def medians(commands: Commands, folder: Path, runs: int) -> dict[str, float]:
    """The median of each command's runs, one of each in every round; a first round warms up."""
    times: dict[str, list[float]] = {name: [] for name in commands}
    for round in range(runs + 1):
        for name, command in commands.items():
            spent = took(command, folder)
            if round:
                times[name].append(spent)
    return {name: median(spent) for name, spent in times.items()}


def show(found: dict[str, float], unit: str, beside: dict[str, str]) -> None:
    """A line for each figure, with its ratio to those that ``beside`` names."""
    print(f"{sys.implementation.name} {sys.version.split()[0]} on {sys.platform}")
    for name, value in found.items():
        other = beside.get(name, "")
        ratio = f"  {value / found[other]:5.2f} x {other}" if other in found else ""
        print(f"{name:30}{value:10,.1f} {unit}{ratio}")
