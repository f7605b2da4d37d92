"""What the tests of ``kcfg check`` share: judging logs against a spec, and the specs."""

from __future__ import annotations

from pathlib import Path
from typing import NamedTuple

from kcfg.cli.validating import exit_code
from kcfg.core.check.check import Check
from kcfg.core.finding import Finding
from kcfg.core.validate.run import Options, Run

LOGS = Path(__file__).parent / "logs"


class Judged(NamedTuple):
    """What a check found, and how it ended."""

    findings: list[Finding]
    notes: str
    code: int

    @property
    def rules(self) -> dict[str, str]:
        return {finding.rule: finding.severity for finding in self.findings}

    def of(self, rule: str) -> Finding:
        (finding,) = [finding for finding in self.findings if finding.rule == rule]
        return finding


def judge(folder: Path, spec: str, *logs: Path | bytes, name: str | None = None) -> Judged:
    """Check logs, files or their bytes, against a spec."""
    path = folder / "a.kcfg.yaml"
    path.write_text(spec)
    files = []
    for number, log in enumerate(logs):
        file = log if isinstance(log, Path) else folder / f"{number}.log"
        if isinstance(log, bytes):
            file.write_bytes(log)
        files.append(str(file))
    run = Run([str(path)], Options(infos=True, ignore=("OCC", "SMEM002")), Check(files, name))
    judged = list(run)
    found = [located.finding for each in judged for located in each.found]
    return Judged(found, "\n".join(note for each in judged for note in each.notes), exit_code(run))


def launch(shape: str, target: str = "b200") -> str:
    return f"kernel: launch\ntarget: {target}\nshape: {{{shape}}}\n"


CLEAN = (
    "threads: 256, registers: {launch_bounds: [256]}, shared: {static: 4096}, named_barriers: [0]"
)
SPILL = "threads: 1024, registers: {launch_bounds: [1024]}, shared: {static: 0}"
WS = (
    "threads: 384, registers: {launch_bounds: [384, 1], warpgroups: [24, 240, 240]},"
    " shared: {static: 0}, named_barriers: [0, 1]"
)
OVER_POOL = WS.replace("[24, 240", "[40, 240")
INC_LOW = WS.replace("[24, 240, 240]", "[24, 160, 160]")
MULTI_A = "threads: 128, shared: {static: 0}"
MULTI_B = "threads: 256, registers: {launch_bounds: [256, 2]}, shared: {static: 16384}"
MULTI_C = "threads: 512, shared: {static: 0}"
TILE = "threads: 256, shared: {static: 4096}, named_barriers: [0]"
LIMIT = "threads: 256, shared: {static: 49152}, named_barriers: [0]"
STATIC_96K = LIMIT.replace("49152", "98304")
FIXED = "threads: 256, named_barriers: [0, 3]"
RUNTIME = "threads: 256, named_barriers: [0, 1]"
TMEM = (
    "threads: 192, registers: {launch_bounds: [192, 1]}, shared: {static: 4},"
    " named_barriers: [0], tmem: {allocations: [512]}"
)

WARNED, WRONG, NOTED = "warning", "error", "info"
SPILLS = {"CHK002": WARNED}
IGNORED = {"CHK003": WRONG}
REFUSED = {"CHK008": WRONG}
FINE: dict[str, str] = {}
