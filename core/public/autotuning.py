"""Triton's autotuner: which of its configurations can run, before any of them is compiled."""

from __future__ import annotations

import sys
import warnings
from collections.abc import Iterator, Mapping, Sequence
from os import PathLike
from typing import Any

from kcfg.calls import asked, value_of
from kcfg.core import targets
from kcfg.core.engine.graph import graph
from kcfg.core.engine.quantity import Input
from kcfg.core.spec.problem import meant
from kcfg.errors import error
from kcfg.given import mapping, settled, several, shown, text
from kcfg.manual import Manual
from kcfg.pruning import Dropped, judge, prune

FIELDS = ("num_stages", "num_warps", "num_ctas", "maxnreg")
"""What a ``triton.Config`` says beside its ``kwargs``."""
SHORT = {"fp8e4nv": "float8_e4m3fn", "fp8e5": "float8_e5m2"}
"""Triton's own names of element types, where kcfg does not know them anyway."""
MISSING = object()


class EarlyConfigPrune:
    """What `early_config_prune` gives: a callable for Triton's autotuner. It pickles."""

    def __init__(
        self, kernel: Manual, target: str, names: dict[str, str], fixed: dict[str, Any]
    ) -> None:
        self._kernel, self._target, self._names, self._fixed = kernel, target, names, fixed
        self._warned: set[str] = set()

    def __repr__(self) -> str:
        return f"<kcfg early_config_prune of {self._kernel.kernel} on {self._target}>"

    def __call__(
        self, configs: Sequence[Any], named_args: Mapping[str, Any], /, **kwargs: Any
    ) -> list[Any]:
        """The configurations that may run, in their order, in a list of their own.

        Raises `Error` where an input is nowhere to be found, and where no configuration is
        left: it says what the one that comes nearest fails at.
        """
        given = _configs(configs)
        if not self._judges():
            return given
        named = {} if named_args is None else named_args
        arguments = {**mapping(named, "the arguments of a launch are by name"), **kwargs}
        places = [place for place, each in enumerate(given) if _is_modelled(each)]
        candidates = [self._candidate(given[place], arguments) for place in places]
        pruned = prune(self._kernel, candidates, None, self._target, **self._fixed)
        lost = set(places) - {places[kept] for kept in pruned.kept}
        left = [each for place, each in enumerate(given) if place not in lost]
        if given and not left:
            raise error(_nothing_left(len(given), list(pruned.dropped)))
        return left

    def _candidate(self, config: Any, arguments: dict[str, Any]) -> dict[str, Any]:
        """The inputs that a configuration and the arguments of the launch give."""
        said = {name: getattr(config, name, None) for name in FIELDS}
        known = {**arguments, **said, **config.kwargs}
        found, cls = {}, self._kernel.cls
        for declared in cls.inputs.values():
            key = declared.key
            if key in self._fixed:
                continue
            name = self._names.get(key, key)
            value = _value(known[name], declared) if name in known else MISSING
            if value is not MISSING:
                found[key] = value
            elif key in self._names:
                raise error(f"`{name}`, which names says is {key}, is {_nowhere(known)}", key)
        rests = graph(cls).rests_on(judge(cls) or "")
        lacking = [cls.inputs[name].key for name in rests]
        lacking = [key for key in lacking if key not in found and key not in self._fixed]
        if lacking:
            raise error(_lacking(lacking, known), lacking[0])
        return found

    def _judges(self) -> bool:
        """Whether what the kernel says is about this device; warns where it is not sure."""
        triton = sys.modules.get("triton")
        version, release = str(getattr(triton, "__version__", "")), self._kernel.release
        if version and release.count(".") == 2 and version.partition("+")[0] != release:
            self._warn(
                f"the bounds of {self._kernel.kernel} are those of Triton {release}, and this is "
                f"{version}: compare a few configurations with `kernel.metadata.shared`"
            )
        about, here = targets.find(self._target), _device(triton)
        if here and here != about.cc:
            self._warn(
                f"{self._kernel.kernel} is asked about {about.name} ({about.cc}), and this device "
                f"is {here}: nothing is pruned; name it, as in target='sm_90'"
            )
        return here in ("", about.cc)

    def _warn(self, message: str) -> None:
        if message not in self._warned:
            self._warned.add(message)
            warnings.warn(message, stacklevel=4)


def early_config_prune(
    kernel: str | PathLike[str] | Manual,
    release: str | None = None,
    target: str | None = None,
    *,
    names: Mapping[str, str] | None = None,
    **fixed: Any,
) -> EarlyConfigPrune:
    """A callable for ``prune_configs_by={"early_config_prune": ...}`` of ``triton.autotune``.

    It keeps what `prune` keeps. Inputs of the kernel come from the ``kwargs`` of a Config and
    from the arguments of the launch, by their name or the one that ``names`` says; ``num_stages``
    and ``num_warps`` from the Config; element types from the ``dtype`` of a tensor or descriptor;
    and ``fixed`` are the same for all. Configurations with ``num_ctas`` above 1 or an
    ``ir_override`` are kept, as is everything on a device that is not ``target``. The list that
    the autotuner gives is not changed. Warns where ``triton.__version__`` is not the release that
    a definition's ``version`` names. Raises `Error` for a kernel, target or input that is not
    known, for a kernel without a verdict, and when called as `EarlyConfigPrune` says.
    """
    about, named = asked(kernel, release, target, {})
    if judge(about.cls) is None:
        raise error(f"{about.kernel} has no verdict of its own to prune by", "kernel")
    said = mapping({} if names is None else names, "names is a mapping of inputs to arguments")
    declared = {each.key: each for each in about.cls.inputs.values()}
    for key in (*said, *fixed):
        if key not in declared:
            hint = meant(key, declared)
            raise error(f"{about.kernel} has no input `{key}`; {hint}", key)
        if key in said and key in fixed:
            raise error(f"`{key}` is in names and given as {shown(fixed[key])}: leave one out", key)
    for key, name in said.items():
        text(name, f"the name of the argument that is {key}", f"names.{key}")
    values = {key: _value(value, declared[key], value) for key, value in fixed.items()}
    for key, value in values.items():
        value_of(about.cls, key, value)
    return EarlyConfigPrune(about, named, dict(said), values)


def _configs(given: Any) -> list[Any]:
    """The configurations of an autotuner as a list; raises `Error` where they are none."""
    expected = "expected a list of triton.Config"
    found = several(given, expected)
    for each in found:
        if not isinstance(getattr(each, "kwargs", None), Mapping):
            raise error(f"{expected}, not one of {shown(each)}")
    return found


def _is_modelled(config: Any) -> bool:
    """Whether a configuration is of what was compiled: one block a tile, and the kernel's code."""
    return getattr(config, "num_ctas", 1) in (None, 1) and not getattr(config, "ir_override", None)


def _value(value: Any, declared: Input, otherwise: Any = MISSING) -> Any:
    """What an argument is as the value of an input; ``otherwise`` where it is none, as a tensor."""
    if type(value).__name__ == "constexpr":
        value = value.value
    value = settled(value)
    if declared.unit == "dtype" and not isinstance(value, str | None):
        of = getattr(value, "base", None) if not hasattr(value, "dtype") else value
        said = getattr(of, "dtype", value)
        name = (said.__name__ if isinstance(said, type) else str(said)).rpartition(".")[2]
        return SHORT.get(name, name) if name.isidentifier() else otherwise
    if declared.kind is bool and isinstance(value, int) and value in (0, 1):
        return bool(value)
    return value if isinstance(value, bool | int | float | str) else otherwise


def _device(triton: Any) -> str:
    """The compute capability of the device that Triton would compile for; empty for none."""
    try:
        here = triton.runtime.driver.active.get_current_target()
        return f"{here.arch // 10}.{here.arch % 10}" if here.backend == "cuda" else here.backend
    except Exception:  # whatever a machine without a GPU raises
        return ""


def _nowhere(known: Mapping[str, Any]) -> str:
    return f"neither in the Config nor among the arguments, which are {', '.join(known)}"


def _lacking(keys: list[str], known: Mapping[str, Any]) -> str:
    several = ", ".join(f"`{key}`" for key in keys)
    first = keys[0]
    return (
        f"{several} {'is' if len(keys) == 1 else 'are'} {_nowhere(known)}: give "
        f"early_config_prune {'it' if len(keys) == 1 else 'them'}, as {first}=..., or the name "
        f"that has it, as names={{'{first}': ...}}"
    )


def _nothing_left(count: int, dropped: list[Dropped[Any]]) -> str:
    """Why nothing is left: what the configuration that comes nearest fails at."""
    best = min(dropped, key=lambda each: max((one.over for one in each.failing), default=0.0))
    said = ", ".join(f"{key}={value}" for key, value in best.candidate.items())
    lines = "; ".join(_by_how_much(best))
    return f"none of the {count:,} configurations can run; the nearest, {said}, fails {lines}"


def _by_how_much(dropped: Dropped[Any]) -> Iterator[str]:
    for each in dropped.failing:
        numbers = [value for _, value in each.sides]
        over = f", {abs(numbers[0] - numbers[1]):,} too much" if each.over else ""
        yield f"{each}{over}"
