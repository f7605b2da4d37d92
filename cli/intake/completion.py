"""What a shell may offer to complete a command line with: names that kcfg knows.

Nothing here runs unless a shell asks. What cannot be read, such as a spec that is being written,
offers nothing, and never says why.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator, Mapping
from itertools import islice
from typing import Any

from kcfg.core import kernels, models, presets, targets
from kcfg.core.block.block import Block
from kcfg.core.block.keys import Group
from kcfg.core.errors import UnknownError
from kcfg.core.kernel import Kernel
from kcfg.core.spec import Spec, read_file
from kcfg.core.spec.head import names
from kcfg.core.spec.shape import grammar
from kcfg.core.spec.sources import Source, sources

Params = Mapping[str, Any]
"""What was read of the command line so far, by the names of a command's parameters."""

TYPED = ("COMP_WORDS", "_TYPER_COMPLETE_ARGS")
"""Where shells that ask for completion put what is typed."""


def offered(what: str, params: Params, incomplete: str) -> list[str]:
    """The words of a kind that begin as what is typed."""
    before = ""
    if what == "columns":  # a list with commas, each name with a sign or none
        head, comma, last = incomplete.rpartition(",")
        before = f"{head}{comma}{'-' if last.startswith('-') else ''}"
    found = (f"{before}{word}" for word in KINDS[what](params))
    return list(dict.fromkeys(word for word in found if word.startswith(incomplete)))


def _specs(params: Params) -> Iterator[str]:
    """Presets, and what lies in the current folder and may hold specs.

    A path further away is left to the shell.
    """
    yield from presets.names()
    for entry in sorted(os.listdir()):
        if os.path.isdir(entry) and not entry.startswith("."):
            yield f"{entry}/"
        elif entry.endswith((".yaml", ".yml", ".json", ".jsonl")):
            yield entry


def _names_after_spec(params: Params) -> Iterable[str]:
    given = params.get("words") or params.get("preset") or params.get("kernel")
    if not given:
        return _specs(params)
    from kcfg.core.explain.residency import NAME

    return (*_values(params), *(() if params.get("kernel") else (NAME,)))


def _spec_then_logs(params: Params) -> Iterable[str]:
    return () if params.get("words") or params.get("preset") else _specs(params)


def _values(params: Params) -> Iterator[str]:
    """Values and inputs."""
    from kcfg.cli.intake.no_such import known

    for cls in _classes():
        yield from known(cls)


def _results(params: Params) -> Iterator[str]:
    """What ``--get`` takes: values and inputs, and paths into the report of the spec."""
    from kcfg.core.report import paths

    yield from _values(params)
    for spec in _given():
        yield from paths(spec.derive())


def _settings(params: Params) -> Iterator[str]:
    launched = [spec for spec in _read() if not spec.cls.derives][:1]
    for spec in launched:
        yield from (f"{path}=" for path in _paths(Block, spec.derive().asked()))
    for cls in _classes() if not launched else ():
        known = grammar(cls)
        yield from (f"{key}=" for key in (*known.inputs, *known.spellings))
    yield "name="


def _releases(params: Params) -> Iterator[str]:
    for name in dict.fromkeys(cls.kernel for cls in _classes()):
        yield from kernels.releases(name)


def _rules(params: Params) -> Iterator[str]:
    from kcfg.core.validate.catalog import known

    return (rule.id for rule in known())


def typed() -> list[str]:
    """The words of the command line behind the program.

    They are not taken from what was parsed: an option that waits for its value stops that.
    """
    return next(filter(None, map(os.environ.get, TYPED)), "").split()[1:]


def _typed() -> list[str]:
    """The words behind the command, options left out."""
    return [word for word in typed()[1:] if not word.startswith("-")]


def _paths(group: type[Group], given: Mapping[str, Any]) -> Iterator[str]:
    """The paths of the keys of a launch, inside of entries of lists as many as it has."""
    for name, key in group.keys.items():
        if not issubclass(key.kind, Group):
            yield name
        elif key.many:
            for index, entry in enumerate(given.get(name, ())):
                yield from (f"{name}[{index}].{rest}" for rest in _paths(key.kind, entry))
        else:
            yield from (f"{name}.{rest}" for rest in _paths(key.kind, given.get(name, {})))


def _read() -> Iterator[Spec]:
    """The specs that the command line names, as far as they can be read."""
    for source in sources(_typed()):
        if isinstance(source, Source) and source.path != "-":
            yield from (item for item in read_file(source.path) if isinstance(item, Spec))


def _given() -> Iterator[Spec]:
    """The first of them that is no launch."""
    yield from islice((spec for spec in _read() if spec.cls.derives), 1)


def _classes() -> list[type[Kernel]]:
    """The kernel that the command line is about; every one where that cannot be told."""
    given = [spec.cls for spec in _given()]
    named = [kernels.find(word) for word in _typed() if kernels.exists(word)]
    return given or named or [kernels.find(name) for name in kernels.names()]


def _quiet(words: Callable[[Params], Iterable[str]]) -> Callable[[Params], list[str]]:
    """The words as a list, and none where something named is not there."""

    def listed(params: Params) -> list[str]:
        try:
            return list(words(params))
        except (OSError, UnknownError):
            return []

    return listed


KINDS: dict[str, Callable[[Params], list[str]]] = {
    "specs": _quiet(_specs),
    "words": _quiet(_names_after_spec),
    "logs": _quiet(_spec_then_logs),
    "values": _quiet(_values),
    "columns": _quiet(_values),
    "results": _quiet(_results),
    "settings": _quiet(_settings),
    "releases": _quiet(_releases),
    "targets": _quiet(lambda params: targets.names()),
    "presets": _quiet(lambda params: presets.names()),
    "kernels": _quiet(lambda params: names()),
    "models": _quiet(lambda params: models.names()),
    "rules": _quiet(_rules),
}
"""Every kind of word that an option or argument takes."""
