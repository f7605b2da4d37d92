"""What a log, or a spec, does not say, so that nobody judged it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import NamedTuple

from kcfg.core.block.block import Block
from kcfg.core.check.build import Build
from kcfg.core.check.found import where
from kcfg.core.figures import joined, size, spans
from kcfg.core.rules import BUILD, GIVEN_BY, missing

WHAT = {
    "compiled.target": "the target",
    "compiled.registers": "the registers",
    "compiled.barriers": "named barriers",
    "compiled.stack": "the stack",
    "compiled.spill_stores": "spills",
    "spilled": "spills",
    "compiled.setmaxnreg_ignored": "whether setmaxnreg was ignored",
    "static_compiled": "static shared memory",
}
"""The values of a report in words."""

KEYS_OF = {path: (path.removeprefix("compiled."),) for path in WHAT} | {
    "spilled": ("spill_stores", "spill_loads"),
    "static_compiled": ("smem", "shared"),
}
"""The keys of a build behind those values."""

LAUNCHED = {
    "threads": ("block_threads", ("threads", "max_threads")),
    "clusters": ("cluster", ("cluster",)),
    "dynamic shared memory": ("dynamic_bytes", ("dynamic",)),
    "tensor memory": ("tmem", ("tmem_columns",)),
    "the counts of setmaxnreg": ("counts_set", ("setmaxnreg",)),
}
"""What a launch has, and the values of a report that show it: in many reports none is."""
UNSHOWN = (
    "min_blocks",
    "maxnreg",
    "max_cluster",
    *(key for _, keys in LAUNCHED.values() for key in keys),
)
"""The values of a report that most reports lack; the rules about them are not named for it."""

EVENTS = ("compiled.setmaxnreg_ignored", "compiled.refused")
"""What a log tells of only where it happened."""

NONE_OF = {"CHK015": ("tmem_columns", 0), "CHK019": ("setmaxnreg", (0,))}
"""Rules about what a build may have none of: the key of it, and how it says so."""

QUIET = ("CHK009", "CHK010")
"""Rules that stand in for another one, which is told of."""


class Reported(NamedTuple):
    """A launch with what a log says of its build, and the line of each value."""

    build: Build
    block: Block
    lines: dict[str, int]

    @property
    def says_something(self) -> bool:
        """Whether there is more than a target."""
        return bool(self.lines.keys() - {"target"})


def untold(reported: Iterable[Reported]) -> Iterator[str]:
    """A line for every reason why rules were not asked of any of the builds, and for the rest."""
    every = [each for each in reported if each.build.name]
    if not every:
        return
    waiting: dict[str, list[str]] = {}
    silent = [dict(_silent(each)) for each in every]
    for id, reason in silent[0].items():
        if all(id in others for others in silent):
            waiting.setdefault(reason, []).append(id)
    place = where(every[0].build)
    for reason, ids in waiting.items():
        yield f"{place}: not judged: {joined(spans(ids))}: {reason}"
    for each in every:
        yield from _about(each)
    hidden = joined(_hidden(every))
    if hidden:
        tool = every[0].build.tool
        yield f"{place}: not judged: {hidden}: not in what {tool} {_verb(tool, 'reports')}"


def _silent(reported: Reported) -> Iterator[tuple[str, str]]:
    """Every rule that was not asked of a build, and why."""
    for rule, path in missing(reported.block):
        if rule.of_build and rule.id not in QUIET and not _no_event(reported, path):
            if path.removeprefix(BUILD[0]) in UNSHOWN or _none_of_either(reported, rule.id):
                continue
            yield rule.id, _reason(reported, path)


def _no_event(reported: Reported, path: str) -> bool:
    """Whether a log would tell of something, and does not."""
    seen = reported.build.tool == "ptxas" or not reported.block.setmaxnreg
    return path in EVENTS and (seen or path == "compiled.refused")


def _none_of_either(reported: Reported, id: str) -> bool:
    """Whether a rule compares what neither the build nor the configuration has."""
    key, nothing = NONE_OF.get(id, ("", ()))
    return bool(key) and reported.build.values.get(key) == nothing


def _reason(reported: Reported, path: str) -> str:
    if path.startswith(BUILD):
        if digits := max((reported.build.long.get(key, 0) for key in KEYS_OF[path]), default=0):
            return f"{WHAT[path]}: {digits:,} digits are no figure"
        tool = reported.build.tool
        return f"{tool} {_verb(tool, 'does')} not report {WHAT[path]} here"
    if reported.block.kernel is not None:
        return f"{GIVEN_BY.get(path, f'`{path}`')}: not part of what is derived"
    return f"{GIVEN_BY.get(path, f'`{path}`')} not given"


def _verb(tool: str, singular: str) -> str:
    """What one tool does, or two together."""
    return {"does": "do", "reports": "report"}[singular] if " and " in tool else singular


def _about(reported: Reported) -> Iterator[str]:
    build, compiled = reported.build, reported.block.compiled
    if compiled is None:
        return
    if compiled.spill_stores is None and compiled.stack:
        yield f"{where(build)}: its {size(compiled.stack)} of stack may be spills or an array"
    for key, digits in build.long.items():
        if not any(key in keys for keys in KEYS_OF.values()):
            what = key.replace("_", " ")
            yield f"{where(build)}: not judged: {what}: {digits:,} digits are no figure"
    if build.unclear:
        yield f"{where(build)}: not judged: {build.unclear}"
    if build.others:
        counted = joined(f"{count:,} {what}" for what, count in build.others.items())
        yield f"{where(build)}: not judged: {counted}: no configuration says it"
    if build.uncertain and compiled.setmaxnreg_ignored is None:
        line, code = build.unit.ignored[0]
        yield (
            f"{build.file}:{line}: not judged: {code}, which names no kernel: of the"
            f" {build.unit.kernels} here this one sets no registers by its spec"
        )


def _hidden(every: list[Reported]) -> Iterator[str]:
    """What a launch has and no report of its builds shows."""
    shown = {key for each in every for key in each.build.values}
    for what, (key, values) in LAUNCHED.items():
        if any(each.build.unclear.startswith(what) for each in every):  # which is said already
            continue
        if getattr(every[0].block, key) not in (None, ()) and shown.isdisjoint(values):
            yield what
