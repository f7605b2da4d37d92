"""A derived kernel as the block that it launches."""

from __future__ import annotations

import re
from functools import lru_cache
from operator import attrgetter
from typing import TYPE_CHECKING, Any

from kcfg.core import targets
from kcfg.core.block.block import Block
from kcfg.core.block.keys import Group
from kcfg.core.block.parts import Allocation, Pipeline, Region, Shared, Tmem
from kcfg.core.block.placing import SharedLayout, TensorLayout
from kcfg.core.once import once

if TYPE_CHECKING:
    from kcfg.core.kernel import Kernel


def block_of(kernel: Kernel) -> Block:
    """The block a kernel launches; what it does not model is not given."""
    kernel.hasten()
    plays = _players(type(kernel))
    given = {path: read(kernel) for path, read in plays.items()}
    more = kernel.launched()
    smem, tensor = kernel.smem(), kernel.tmem()
    registers = with_more(kernel.registers(), more.get("registers"))
    dynamic, stages = given.get("shared.dynamic"), given.get("pipelines[0].stages")
    if dynamic is None and smem is not None:
        dynamic = smem.used
    elif smem is None and dynamic is not None and dynamic >= 0:
        # Only the total is known, and nothing of what is where.
        smem = SharedLayout("", kernel.target.smem_optin_per_block, dynamic, ())
    # A size below 0 is what the struct derives, and no memory of a launch.
    placed = smem.regions if smem is not None else ()
    shared = None if dynamic is None or dynamic < 0 else _shared(dynamic, placed)
    tmem = None if tensor is None or tensor.unplaced else _tmem(tensor)
    known = {
        "threads": given.get("threads"),
        "blocks_per_sm": given.get("blocks_per_sm"),
        "cluster": _cluster(given),
        "unit": kernel.needs or None,
        "pipelines": () if stages is None else _pipelines(stages),
        "mbarriers": kernel.barriers() or (),
        "mma": () if "mma" in more else kernel.mma(),
        **more,
        "registers": registers,
        "shared": with_more(shared, more.get("shared")),
        "tmem": with_more(tmem, more.get("tmem")),
    }
    # A kernel is built for its target, however spelled.
    block = Block(targets.find(kernel.target.name), kernel=kernel, **known)
    # Laid out already, as the struct does it.
    vars(block).update(smem=smem, tensor=tensor)
    return block


READ = ("threads", "blocks_per_sm", "shared.dynamic", "pipelines[0].stages")
"""The keys of a block that are filled from what plays them."""


def with_more(derived: Any, more: Any) -> Any:
    """A part of a block as derived, with what else is known of it; None where there is neither."""
    if derived is None or more is None:
        return derived or more
    return _merged(derived, more)


@lru_cache(maxsize=1 << 12)
def _merged(derived: Group, more: Group) -> Group:
    given = {name: vars(more)[name] for name in more.keys}
    found: Group = derived.replaced(**{k: v for k, v in given.items() if v not in (None, ())})
    return found


NAMED = r"(shared\.regions|tmem\.regions|mbarriers|registers\.roles)\[([^]]+)\]"
"""Lists of parts that have names, and the number or name of one."""


def behind(kernel: type[Kernel], block: Block, path: str) -> str:
    """The same as `quantity_of` for a key of this very block, whose parts may have names.

    Where a definition's text has a plain number for it, that is the key itself.
    """
    found = re.match(NAMED, path) if "[" in path else None
    if found is None or path in kernel.places_in_text:
        return _said_or_behind(kernel, path)
    name = found[2]
    if name.isdigit():
        parts: Any = attrgetter(found[1])(block)
        name = str(parts[int(name)].name)
    for each in (name, name.rstrip("0123456789")):
        start = f"{found[1]}[{each}]"
        if any(known.startswith(start) for known in (*kernel.plays, *kernel.places_in_text)):
            return _said_or_behind(kernel, start + path[found.end() :])
    # Where others of the list have players by name, it is none of those that this is about.
    named = any(re.match(rf"{re.escape(found[1])}\[[^0-9]", known) for known in kernel.plays)
    return quantity_of(kernel, found[1].rpartition(".")[0] if named else path)


def _said_or_behind(kernel: type[Kernel], path: str) -> str:
    plain = path in kernel.places_in_text and path not in kernel.plays
    return path if plain else quantity_of(kernel, path) or _said_around(kernel, path)


def _said_around(kernel: type[Kernel], path: str) -> str:
    """The nearest key around one that a definition's text says; empty for none."""
    while path and path not in kernel.places_in_text:
        path = path[: max(path.rfind("."), path.rfind("["), 0)]
    return path


def said_by_user(kernel: type[Kernel], path: str) -> bool:
    """Whether a definition that is not shipped says what a key of the block is, or is around it."""
    return kernel.digest is not None and bool(_said_around(kernel, path))


def played(kernel: Kernel | None, path: str) -> Any:
    """The value of what plays a key of a kernel's block; None where nothing does."""
    if kernel is None or path not in kernel.plays:
        return None
    return attrgetter(_attribute(type(kernel), kernel.plays[path]))(kernel)


@once
def quantity_of(kernel: type[Kernel], path: str) -> str:
    """The key of the quantity or input behind a key of a derived block; empty for none.

    A part that has a name may be given by it: ``shared.regions[kv].bytes``.
    """
    member = kernel.quantities.get(path) or kernel.inputs.get(path)
    if member is not None:
        return member.key
    while path:
        for known in kernel.plays:
            inner = known.removeprefix(path)
            if known == path or (inner != known and inner[0] in ".[" and not _of_a_part(inner)):
                return kernel.plays[known]
        path = path[: max(path.rfind("."), path.rfind("["), 0)]
    return ""


def _of_a_part(path: str) -> bool:
    """Whether a path goes on to a part that has a name, which is not to blame for the others."""
    return re.search(r"\[[^0-9]", path) is not None


def asked_for(kernel: Kernel, key: str) -> str:
    """The key of the input that asks for a figure and is what it came to; empty for none.

    Such an input is the figure itself, or has the name of its quantity: a request for it. All
    else that the figure rests on only says whether it is heeded.
    """
    name = request(type(kernel), key)
    value = getattr(kernel, name) if name else None
    return kernel.inputs[name].key if value is not None and value == kernel.read(key) else ""


@once
def request(kernel: type[Kernel], key: str) -> str:
    """The attribute of the input that asks for a quantity, by the key of that; empty for none."""
    struct: Any = kernel
    wanted = key
    while (first := wanted.partition(".")[0]) != wanted and first in struct.parts:
        if not struct.parts[first].shown:
            return ""
        struct = getattr(struct, struct.parts[first].shown)
        wanted = wanted.partition(".")[2]
    try:
        names = (key, struct.attribute(wanted))
    except KeyError:
        return ""
    return next((name for name, each in kernel.inputs.items() if each.key in names), "")


@once
def _players(kernel: type[Kernel]) -> dict[str, Any]:
    """What reads the value of every quantity that plays a part here, by the key it plays."""
    return {
        path: attrgetter(_attribute(kernel, key))
        for path, key in kernel.plays.items()
        if path in READ or path.startswith("cluster[")
    }


def _attribute(kernel: type[Kernel], key: str) -> str:
    """The attribute behind the key of a value or input, those of a nested struct dotted."""
    first, dot, rest = key.partition(".")
    if dot and first in kernel.parts:
        return f"{first}.{_attribute(getattr(kernel, kernel.parts[first].shown), rest)}"
    inputs = (name for name, member in kernel.inputs.items() if member.key == key)
    try:
        return kernel.attribute(key)
    except KeyError:
        return next(inputs)


def _cluster(given: dict[str, Any]) -> tuple[int, ...]:
    paths = (f"cluster[{axis}]" for axis in range(3))
    return tuple(given[path] for path in paths if path in given)


# The same part for the same numbers: their identity is what judging goes by.


@lru_cache(maxsize=1 << 12)
def _shared(dynamic: int, regions: tuple[Region, ...]) -> Shared:
    return Shared(dynamic=dynamic, regions=tuple(each for each in regions if not each.padding))


@lru_cache(maxsize=1024)
def _pipelines(stages: int) -> tuple[Pipeline, ...]:
    return (Pipeline(stages=stages),)


@lru_cache(maxsize=1024)
def _tmem(tensor: TensorLayout) -> Tmem | None:
    # With a lane in its upper half it is an address, and no number of columns.
    if not 0 <= tensor.used < 1 << 16:
        return None
    allocated = tensor.allocated
    allocations = () if allocated is None else (Allocation(columns=allocated),)
    return Tmem(columns=tensor.used, allocations=allocations, regions=tensor.regions)
