"""Configurations: derived from inputs, or read from specs."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from functools import cached_property
from os import PathLike
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

from kcfg.calls import CALL, called, placeless
from kcfg.core.kernel import Kernel
from kcfg.core.printing import shortened
from kcfg.core.spec import Spec, read as read_specs, read_document, read_file
from kcfg.core.spec.overrides import NOTHING
from kcfg.core.spec.problem import Problem, listed
from kcfg.core.spec.sources import sources
from kcfg.errors import Error, MissingError, error
from kcfg.given import path_of, text
from kcfg.manual import Manual
from kcfg.pickled import reduced

if TYPE_CHECKING:
    from kcfg.core.finding import Finding
    from kcfg.explained import Explained


def copied(data: Any) -> Any:
    """Data of a report, which its owner may change."""
    return json.loads(json.dumps(data))


class Configuration(Mapping[str, Any]):
    """One configuration of one kernel: its values by name, and everything kcfg says of them.

    As a mapping it has the values of the report under their names (``config["smem_used"]``), and
    gives what else a report shows (``config["kv.offset"]``); units are in ``units``. ``smem``,
    ``tmem``, ``registers`` and ``barriers`` are those parts of the report, None where they are
    not modelled: bytes, columns and registers per thread. Its text, as ``print(config)`` shows
    it, is the table of ``kcfg derive``.
    """

    def __init__(self, spec: Spec) -> None:
        self._spec = spec

    @cached_property
    def derived(self) -> Kernel:
        """The kernel behind it, of ``kcfg.core``, which is not part of this interface."""
        return self._spec.derive()

    @property
    def kernel(self) -> str:
        """The kernel's name."""
        return self._spec.kernel

    @property
    def release(self) -> str:
        """The release whose derivation this is; empty for a launch written by hand."""
        return self._spec.release

    @property
    def target(self) -> str:
        """The GPU it is judged for."""
        return self._spec.target.name

    @property
    def name(self) -> str | None:
        """The label of its spec."""
        return self._spec.name

    @cached_property
    def inputs(self) -> Mapping[str, Any]:
        """Every input, defaults filled in."""
        return MappingProxyType(self.derived.asked())

    @cached_property
    def values(self) -> Mapping[str, Any]:  # type: ignore[override]
        """Every value, in the order of the struct."""
        return MappingProxyType(self.derived.values())

    @property
    def units(self) -> Mapping[str, str]:
        """The unit of every value."""
        from kcfg.core.report import units_of

        return MappingProxyType(units_of(self.derived))

    @property
    def supported(self) -> bool | None:
        """The kernel's own verdict; None where it has none."""
        return self.derived.verdict

    @cached_property
    def findings(self) -> tuple[Finding, ...]:
        """What the rules find, errors first; each has a rule, a severity and a message."""
        from kcfg.core.findings import findings

        return tuple(findings(self.derived))

    @property
    def runs(self) -> bool:
        """Whether a GPU will launch it: nothing found is an error."""
        return not any(each.severity == "error" for each in self.findings)

    @cached_property
    def _report(self) -> dict[str, Any]:
        from kcfg.core.report import report_of

        return report_of(self._spec, self.derived)

    def report(self) -> dict[str, Any]:
        """The whole report as ``kcfg derive --format json`` writes it, as data of one's own."""
        copy: dict[str, Any] = copied(self._report)
        return copy

    @property
    def smem(self) -> dict[str, Any] | None:
        """Where every buffer of shared memory sits."""
        return self._part("smem")

    @property
    def tmem(self) -> dict[str, Any] | None:
        """Which columns of tensor memory hold what."""
        return self._part("tmem")

    @property
    def registers(self) -> dict[str, Any] | None:
        """Who has which warps, and how many registers."""
        return self._part("registers")

    @property
    def barriers(self) -> dict[str, Any] | None:
        """The mbarriers, in the order of memory."""
        return self._part("barriers")

    def _part(self, name: str) -> dict[str, Any] | None:
        part: dict[str, Any] | None = copied(self._report[name])
        return part

    def explain(self, name: str) -> Explained:
        """Why a value is what it is: formula, numbers, parts, and the limit that binds.

        ``print`` shows it as ``kcfg explain`` does. Raises `Error` for a name it has no value
        under.
        """
        from kcfg.core.errors import UnknownError
        from kcfg.core.explain.explanation import explain
        from kcfg.explained import Explained

        try:
            return Explained(*explain(self.derived, text(name, "the name of a value")))
        except UnknownError:
            self[name]  # which says what there is where it is not there at all
            raise error(f"it has no formula: config[{name!r}] is all there is", name) from None

    def __getitem__(self, name: str) -> Any:
        """A value, or what else the report has, by the name that ``--get`` takes.

        As a place (``config["kv.offset"]``), an input, or a path (``config["smem.free"]``).
        Raises `Error`, which is a `KeyError` here, where there is nothing of that name.
        """
        if text(name, "the name of a value") in self.values:
            return self.values[name]
        from kcfg.core.report import lookup

        try:
            return copied(lookup(self._spec, self.derived, name))
        except KeyError:
            raise self._no_such(name) from None

    def __contains__(self, name: object) -> bool:
        return name in self.values

    def _no_such(self, name: str) -> MissingError:
        from kcfg.cli.intake.no_such import no_such
        from kcfg.core.block import places
        from kcfg.core.report import paths

        first, named = name.partition(".")[0], places.names(self.derived.block)
        inner = [each for each in named if each.startswith(f"{first}.")]
        lists = "list(config) has the values, and config.report() all there is"
        lists = f"of {first} there are {listed(sorted(inner))}" if inner else lists
        said = no_such(type(self.derived), name, lists, (*paths(self.derived), *named))
        return MissingError([Problem("", 0, 0, shortened(name), said)])

    def __iter__(self) -> Iterator[str]:
        return iter(self.values)

    def __len__(self) -> int:
        return len(self.values)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Configuration) and self._key == other._key

    def __hash__(self) -> int:
        return hash(self._key)

    @property
    def _key(self) -> tuple[Any, ...]:
        given = json.dumps(self.derived.asked(), sort_keys=True)
        about = self.kernel, self.release, self.derived.digest, self.target
        return *about, self._spec.target.arch, given

    def __repr__(self) -> str:
        said = {None: "no verdict of its own", True: "supported", False: "not supported"}
        about = f"{self.kernel} {self.release}".rstrip()
        return f"<kcfg configuration of {about} on {self.target}: {said[self.supported]}>"

    def __str__(self) -> str:
        """Its table, of 80 columns and without colours."""
        from kcfg.cli.pages.report import page
        from kcfg.cli.render import plain
        from kcfg.core.report import Derived

        return plain.text(page(Derived(self.derived, self._report))).rstrip("\n")

    def __reduce__(self) -> tuple[Any, ...]:
        return reduced(type(self), self._spec)

    # In a notebook

    def _ipython_key_completions_(self) -> list[str]:
        from kcfg.core.block import places

        return [*self, *places.names(self.derived.block), *self.inputs]

    def _repr_html_(self) -> str:
        """Its table and pictures."""
        from kcfg.cli.pictures import notebook

        return notebook.html(self.derived, self._report)

    def _repr_svg_(self) -> str:
        """Its pictures alone."""
        from kcfg.cli.pictures import notebook

        return notebook.svg(self.derived, self._report)


def derive(
    kernel: str | PathLike[str] | Manual,
    release: str | None = None,
    target: str | None = None,
    **inputs: Any,
) -> Configuration:
    """The configuration of a kernel for its inputs, under the names of a spec's ``shape``.

    The kernel is a name, or one that `load` gave, or the path of its definition. Everything a
    spec may write is taken, short type names and other spellings included; inputs that are None
    are left at their default; those of a call are a mapping, ``call={"batch_size": 4, ...}``. The
    release is by default the newest, the target b200, or what a
    definition says. Raises `Error` for an unknown kernel, release or target, and for inputs that
    are unknown, missing, of the wrong kind or out of range.
    """
    return derived(kernel, release, target, inputs)


def derived(
    kernel: str | PathLike[str] | Manual,
    release: str | None,
    target: str | None,
    inputs: Mapping[str, Any],
) -> Configuration:
    """What `derive` gives for inputs of any names."""
    document, known = called(kernel, release, target, inputs)
    found = read_document(document, CALL, NOTHING, known)
    if not isinstance(found, Spec):
        raise placeless(found if isinstance(found, list) else [])
    return Configuration(found)


def read(path_or_text: str | PathLike[str]) -> list[Configuration]:
    """The configurations of a YAML file, or of YAML itself: a text with line breaks or `: `.

    As on a command line, a folder stands for every spec below it, the name of a preset, where no
    file has it, for that, and ``my.kcfg.yaml#2`` for the second document alone. Raises `Error`
    with every problem of every document, each with its file, line and column.
    """
    items: list[Spec | list[Problem]] = []
    if isinstance(path_or_text, str) and ("\n" in path_or_text or ": " in path_or_text):
        items += read_specs(path_or_text, "<text>")
    else:
        path = path_of(path_or_text, "the path of a YAML file, or YAML as text")
        for each in sources([path]):
            if isinstance(each, Problem):
                items.append([each])
            else:
                items += read_file(each.path, None, each.file, each.only)
    problems = [problem for item in items if isinstance(item, list) for problem in item]
    if problems:
        raise Error(problems)
    return [Configuration(item) for item in items if isinstance(item, Spec)]
