"""What the command line puts in the place of a key inside of others: ``pipelines[0].stages``."""

from __future__ import annotations

import re

from kcfg.core.figures import some
from kcfg.core.printing import shortened
from kcfg.core.spec.nodes import (
    BrokenError,
    MappingNode,
    Node,
    ScalarNode,
    SequenceNode,
    anchors,
    parse,
)
from kcfg.core.spec.problem import meant, shown
from kcfg.core.spec.scalars import RefusedError, is_null
from kcfg.core.spec.section import Entry, Setting, SettingList, SettingMapping

STEP = re.compile(r"(?:^|\.)([^.\[\]=]+)|\[([^.\[\]=]+)\]")
"""One step of a path: a key behind a dot, or an entry of a list in brackets."""
DEEPEST = 10
"""Steps of a path; no key of a launch lies deeper than half of that."""
EXAMPLES = "as in `shared.dynamic` or `pipelines[0].stages`"


def steps(key: str) -> list[str | int]:
    """The steps of a path; raises `RefusedError` for what is none."""
    found: list[str | int] = []
    at = 0
    while at < len(key):
        step = STEP.match(key, at)
        if step is None or (at == 0 and step[1] is None) or len(found) == DEEPEST:
            raise RefusedError(f"{shown(key)} leads to no key; write it {EXAMPLES}")
        inside = step[2]
        is_index = inside is not None and inside.isascii() and inside.isdecimal()
        if is_index and len(inside) > 6:
            raise RefusedError(f"{shown(shortened(inside))} is the number of no entry")
        found.append(int(inside) if is_index else f"[{inside}]" if inside else step[1])
        at = step.end()
    return found


def put(found: dict[str, Entry], key: str, setting: Entry) -> None:
    """Put what an option says in the place that a path leads to.

    What is on the way and not there is made; what is there stays, in a copy. Raises
    `RefusedError` where the path leads nowhere.
    """
    first, *rest = steps(key)
    assert isinstance(first, str)
    before = found[first].value if first in found else None
    value, option = spread(setting.value), str(getattr(setting.value, "option", ""))
    name = found[first].key if before is not None and rest else Setting(option, first)
    found[first] = Entry(name, _put(before, first, rest, option, value))


def spread(value: Node) -> Node:
    """What an option says: the list or mapping that its text is as YAML; else the value itself."""
    if not isinstance(value, Setting) or value.style or not value.value.startswith(("[", "{")):
        return value
    try:
        if any(anchors(value.value)):
            return value
        return _of_option(parse(value.value), value.option)
    except (BrokenError, RecursionError):
        return value  # which whoever reads it shows as it is


def _of_option(node: Node | None, option: str) -> Node:
    """The node of a text as one that an option said."""
    made: Setting | SettingList | SettingMapping
    if isinstance(node, SequenceNode):
        made = SettingList(option, [_of_option(each, option) for each in node.value])
    elif isinstance(node, MappingNode):
        pairs = [(_of_option(key, option), _of_option(each, option)) for key, each in node.value]
        made = SettingMapping(option, pairs)
    else:
        assert isinstance(node, ScalarNode)
        made = Setting(option, "")
        made.value, made.style = node.value, node.style or None
    made.tag = node.tag
    return made


def _put(node: Node | None, at: str, rest: list[str | int], option: str, value: Node) -> Node:
    if not rest:
        return value
    if node is not None and is_null(node):
        node = None
    step, *others = rest
    if isinstance(step, int) or step.startswith("["):
        return _put_entry(node, at, step, others, option, value)
    if node is not None and not isinstance(node, MappingNode):
        kind = "a list" if isinstance(node, SequenceNode) else "a single value"
        known = ", ".join(f"`{at}[{i}]`" for i in range(min(_length(node), 3)))
        hint = f"; name an entry of it first: {known}" if kind == "a list" and known else ""
        raise RefusedError(f"`{at}` is {kind}, and has no key {shown(step)}{hint}")
    pairs = [] if node is None else list(node.value)
    inside = [value_ for key, value_ in pairs if key.value == step]
    new = _put(inside[0] if inside else None, f"{at}.{step}", others, option, value)
    kept = [pair for pair in pairs if pair[0].value != step]
    name = next((key for key, _ in pairs if key.value == step), None)
    if name is None or not others:
        name = Setting(option, step)
    return _like(node, SettingMapping(option, [*kept, (name, new)]))


def _put_entry(
    node: Node | None, at: str, step: str | int, rest: list[str | int], option: str, value: Node
) -> Node:
    """The same for an entry of a list, by its number or its name; a single value is one of one."""
    items = [] if node is None else [node]
    if isinstance(node, SequenceNode):
        items = list(node.value)
    index = step if isinstance(step, int) else _named(items, at, step.strip("[]"))
    if index > len(items):
        there = some(len(items), "entry", "entries")
        raise RefusedError(f"`{at}` has {there}, and no [{index}]: [{len(items)}] would add one")
    before = items[index] if index < len(items) else None
    items[index : index + 1] = [_put(before, f"{at}[{index}]", rest, option, value)]
    return _like(node, SettingList(option, items))


def _named(items: list[Node], at: str, name: str) -> int:
    """The number of the entry of a name."""
    names = [_name(item) for item in items]
    if name not in names:
        known = [each for each in names if each]
        hint = meant(name, known) if known else "its entries have no names: give a number"
        raise RefusedError(f"`{at}` has no entry {shown(name)}; {hint}")
    return names.index(name)


def _name(item: Node) -> str:
    pairs = item.value if isinstance(item, MappingNode) else []
    return next((value.value for key, value in pairs if key.value == "name" and _plain(value)), "")


def _plain(node: Node) -> bool:
    return isinstance(node, ScalarNode)


def _length(node: Node) -> int:
    return len(node.value) if isinstance(node, SequenceNode) else 1


def _like(node: Node | None, new: Node) -> Node:
    """The new node where the old one stood: what else is wrong in it is the document's."""
    if node is None or getattr(node, "option", None) is not None:
        return new
    made = MappingNode if isinstance(new, MappingNode) else SequenceNode
    return made(node.tag, new.value, node.start_mark, node.end_mark)
