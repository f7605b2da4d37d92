"""The table ``[tool.kcfg]`` of the pyproject.toml that a file belongs to."""

from __future__ import annotations

import os
import re
import stat
from typing import TYPE_CHECKING, Any

from kcfg.core.spec.problem import Problem

if TYPE_CHECKING:
    from kcfg.core.check.listed import Checked
    from kcfg.core.emit.listed import Output

NAME = "pyproject.toml"
MENTION = rb"""\btool["']?\s*(?:\]|\.\s*["']?kcfg)"""
"""What a pyproject.toml must hold to be parsed: most of them say nothing to kcfg."""


MOST = 20
"""Unknown keys that are named."""
LARGEST = 1 << 24
"""Bytes of a pyproject.toml that is read."""


class Settings:
    """What a project says; None and empty where it says nothing. ``file`` is its pyproject.toml."""

    def __init__(
        self,
        file: str = "",
        target: str | None = None,
        select: tuple[str, ...] = (),
        ignore: tuple[str, ...] = (),
        strict: bool = False,
        emit: tuple[Output, ...] = (),
        check: tuple[Checked, ...] = (),
        kernels: tuple[str, ...] = (),
    ) -> None:
        self.file, self.target, self.select, self.ignore = file, target, select, ignore
        self.strict, self.emit, self.check, self.kernels = strict, emit, check, kernels


NONE = Settings()


class Projects:
    """The settings for every folder, each looked for once; ``problems`` waits to be told."""

    def __init__(self) -> None:
        self._known: dict[str, Settings] = {}
        self.problems: list[Problem] = []

    def of(self, path: str) -> Settings:
        """The settings for a file, or for standard input those of the current folder."""
        folder = os.path.dirname(path) if path != "-" else ""
        if folder not in self._known:
            self._known[folder] = self._upwards(os.path.abspath(folder))
        return self._known[folder]

    def _upwards(self, folder: str) -> Settings:
        """The settings of a folder: its own pyproject.toml's, or those of the folder above."""
        if folder not in self._known:
            above = os.path.dirname(folder)
            found = self._read(os.path.join(folder, NAME))
            if found is None:
                found = NONE if above == folder else self._upwards(above)
            self._known[folder] = found
        return self._known[folder]

    def _read(self, path: str) -> Settings | None:
        try:
            if not stat.S_ISREG(os.stat(path).st_mode):
                self._note(path, "", "expected a file: this is none that could be read")
                return NONE
            with open(path, "rb") as file:
                data = file.read(LARGEST + 1)
        except OSError as error:
            if not os.path.lexists(path):
                return None
            self._note(path, "", f"cannot be read: {error.strerror or error}")
            return NONE
        if len(data) > LARGEST:
            self._note(path, "", f"more than {LARGEST:,} bytes, too many to read")
            return NONE
        return self._parse(path, data) if _mentioned(data) else None

    def _parse(self, path: str, data: bytes) -> Settings | None:
        import tomllib

        try:
            tools = tomllib.loads(data.decode()).get("tool", {})
        except (tomllib.TOMLDecodeError, UnicodeDecodeError, RecursionError) as error:
            self._note(path, "", f"not TOML: {error}")
            return NONE
        except ValueError:  # TOML, whose numbers Python does not take
            self._note(path, "", "a number in this file has too many digits to be read")
            return NONE
        table = tools.get("kcfg") if isinstance(tools, dict) else None
        if table is None:
            return None
        if not isinstance(table, dict):
            self._note(path, "", "expected a table")
            return NONE
        return self._settings(path, table)

    def _settings(self, path: str, table: dict[str, Any]) -> Settings:
        from kcfg.core.errors import UnknownError
        from kcfg.core.spec.problem import meant, shown

        given: dict[str, Any] = {}
        unknown = [key for key in table if key not in READERS]
        for key in unknown[:MOST]:
            self._note(path, "", f"unknown key {shown(key)}; {meant(key, READERS)}")
        if len(unknown) > MOST:
            self._note(path, "", f"{len(unknown) - MOST:,} more unknown keys")
        for key, value in table.items():
            if key not in READERS:
                continue
            try:
                given[key] = READERS[key](value)
            except (TypeError, UnknownError) as error:
                self._note(path, key, str(error))
        return Settings(path, **given)

    def _note(self, path: str, key: str, message: str) -> None:
        at = f"tool.kcfg.{key}" if key else "tool.kcfg"
        self.problems.append(Problem(path, 0, 0, at, message, "unreadable"))


def _mentioned(data: bytes) -> bool:
    """Whether a pyproject.toml seems to say something to kcfg, in UTF-16 as well."""
    return b"kcfg" in (text := data.replace(b"\0", b"")) and re.search(MENTION, text) is not None


def _target(value: Any) -> str:
    from kcfg.core import targets
    from kcfg.core.spec.problem import quoted

    if not isinstance(value, str):
        raise TypeError(f"expected the name of a target in quotes, not {quoted(value)}")
    return targets.find(value).name


def _ids(value: Any) -> tuple[str, ...]:
    from kcfg.core.spec.problem import quoted
    from kcfg.core.validate.selection import prefixes

    if not isinstance(value, list) or not all(isinstance(each, str) for each in value):
        raise TypeError(f'expected a list of rule ids, such as ["SMEM004"], not {quoted(value)}')
    return prefixes(value)


def _strict(value: Any) -> bool:
    from kcfg.core.spec.problem import quoted

    if not isinstance(value, bool):
        raise TypeError(f"expected true or false, not {quoted(value)}")
    return value


def _outputs(value: Any) -> tuple[Output, ...]:
    from kcfg.core.emit.listed import read

    return read(value)


def _checks(value: Any) -> tuple[Checked, ...]:
    from kcfg.core.check.listed import read

    return read(value)


def _patterns(value: Any) -> tuple[str, ...]:
    from kcfg.core.spec.problem import quoted

    if not isinstance(value, list) or not all(isinstance(each, str) for each in value):
        raise TypeError(
            f'expected a list of files, such as ["kernels/*.yaml"], not {quoted(value)}'
        )
    return tuple(value)


READERS = {
    "target": _target,
    "select": _ids,
    "ignore": _ids,
    "strict": _strict,
    "emit": _outputs,
    "check": _checks,
    "kernels": _patterns,
}
