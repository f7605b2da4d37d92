"""The structure can be read off the imports: no circles, no borrowed privates, no way up.

Modules that are found by their file names, such as formats, rules and targets, are no imports here.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import NamedTuple

import pytest

ROOT = Path(__file__).parent.parent

LAZY_CIRCLE = {"kcfg.core.engine.formula", "kcfg.core.engine.program", "kcfg.core.engine.struct"}
"""The one circle, closed by an import inside a function: a struct is compiled once there are many
of it, by what reads structs."""


class Import(NamedTuple):
    """One module imports another; ``lazy`` where a function does, when it is called."""

    importer: str
    imported: str
    lazy: bool


Graph = dict[str, set[str]]


@cache
def modules() -> dict[str, Path]:
    """Every module of the package by its name."""
    found = {}
    for top in ("cli", "core"):
        for path in (ROOT / top).rglob("*.py"):
            parts = path.relative_to(ROOT).with_suffix("").parts
            # The library is the package itself, beside its parts.
            parts = parts[2:] if parts[:2] == ("core", "public") else parts
            found[".".join(("kcfg", *parts)).removesuffix(".__init__")] = path
    return found


@cache
def imports() -> tuple[Import, ...]:
    """Every import of one module of the package by another, but for those of types alone."""
    return tuple(
        Import(module, imported, lazy)
        for module, path in modules().items()
        for imported, lazy in imported_by(ast.parse(path.read_text(encoding="utf-8")), False)
        if imported != module
    )


def imported_by(node: ast.AST, lazy: bool) -> Iterator[tuple[str, bool]]:
    if isinstance(node, ast.ImportFrom) and node.module and not node.level:
        for alias in node.names:
            inner = f"{node.module}.{alias.name}"
            name = inner if inner in modules() else node.module
            if name in modules():
                yield name, lazy
    elif isinstance(node, ast.Import):
        yield from ((alias.name, lazy) for alias in node.names if alias.name in modules())
    lazy = lazy or isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda)
    for_types = node.body if isinstance(node, ast.If) and _asks_for_types(node.test) else []
    for child in ast.iter_child_nodes(node):
        if child not in for_types:
            yield from imported_by(child, lazy)


def _asks_for_types(test: ast.AST) -> bool:
    return ast.unparse(test).removeprefix("typing.") == "TYPE_CHECKING"


def graph(*, lazy: bool) -> Graph:
    """What every module imports; with ``lazy`` what its functions import too."""
    found: Graph = {module: set() for module in modules()}
    for each in imports():
        if lazy or not each.lazy:
            found[each.importer].add(each.imported)
    return found


def circles(graph: Graph) -> list[set[str]]:
    """The largest sets of modules of which each leads to every other."""
    reached = {module: reachable(graph, module) for module in graph}
    found: list[set[str]] = []
    for module, others in reached.items():
        circle = {other for other in others if module in reached[other]}
        if circle and circle not in found:
            found.append(circle)
    return found


def reachable(graph: Graph, module: str) -> set[str]:
    seen: set[str] = set()
    waiting = [module]
    while waiting:
        fresh = graph[waiting.pop()] - seen
        seen |= fresh
        waiting += fresh
    return seen


def folder(module: str) -> str:
    """The folder a module's file is in, as a package."""
    is_package = modules()[module].name == "__init__.py"
    return module if is_package else module.rpartition(".")[0]


def listed(found: list[set[str]]) -> str:
    return "; ".join(" <-> ".join(sorted(circle)) for circle in found)


def test_no_modules_import_each_other() -> None:
    found = circles(graph(lazy=False))
    assert found == [], (
        f"{listed(found)}: move what they share into a module that imports none of them"
    )


def test_functions_close_no_other_circles() -> None:
    found = circles(graph(lazy=True))
    assert found == [LAZY_CIRCLE], (
        f"{listed(found)}: an import inside a function hides the circle and does not break it; "
        "move what both need into a module that imports neither"
    )


def test_core_does_not_know_the_command_line() -> None:
    found = [
        f"{each.importer} imports {each.imported}"
        for each in imports()
        if each.importer.startswith("kcfg.core") and each.imported.startswith("kcfg.cli")
    ]
    assert found == [], f"{'; '.join(found)}: core returns data, and cli says it"


def test_a_private_module_is_imported_from_its_own_folder_only() -> None:
    found = [
        f"{each.importer} imports {each.imported}"
        for each in imports()
        if each.imported.rpartition(".")[2].startswith("_")
        and folder(each.importer) != folder(each.imported)
    ]
    assert found == [], (
        f"{'; '.join(found)}: a leading underscore means that nobody outside the folder builds on "
        "it; rename what is shared, or move it to where both sides may look"
    )


@pytest.mark.parametrize(
    ("lower", "upper"),
    [
        ("pages", ("render", "formats", "pictures", "intake", "commands")),
        ("render", ("formats", "pictures", "intake", "commands")),
        ("formats", ("pictures", "commands")),
        ("intake", ("render", "pictures", "commands")),
        ("pictures", ("formats", "commands")),
    ],
)
def test_a_folder_of_cli_knows_only_what_is_below_it(lower: str, upper: tuple[str, ...]) -> None:
    above = tuple(f"kcfg.cli.{name}." for name in upper)
    found = [
        f"{each.importer} imports {each.imported}"
        for each in imports()
        if f"{each.importer}.".startswith(f"kcfg.cli.{lower}.")
        and f"{each.imported}.".startswith(above)
    ]
    assert found == [], f"{'; '.join(found)}: cli/{lower}/ is below that: hand it what it needs"


def test_circles_are_found() -> None:
    line: Graph = {"a": {"b"}, "b": {"c"}, "c": set()}
    assert circles(line) == []
    assert circles({**line, "c": {"a"}, "d": {"a", "e"}, "e": {"d"}}) == [
        {"a", "b", "c"},
        {"d", "e"},
    ]
