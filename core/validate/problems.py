"""Problems of reading as findings, so that one run has one list."""

from __future__ import annotations

from collections.abc import Iterable

from kcfg.core.finding import Finding
from kcfg.core.spec.problem import Problem
from kcfg.core.validate.checks import REFUSED, UNREADABLE, Check
from kcfg.core.validate.result import Located


def told(problems: Iterable[Problem], file: str) -> tuple[Located, ...]:
    """What is wrong with a document of ``file``, in the order given."""
    return tuple(Located(_finding(problem, file), unread=problem.undone) for problem in problems)


def _finding(problem: Problem, file: str) -> Finding:
    check = UNREADABLE if problem.kind == "unreadable" else REFUSED
    # A value from the command line or the project's settings is named by its option.
    option = "" if problem.file == file else f"{problem.file}: "
    return of(check, option + problem.message, file, problem[1:3], problem.path)


def of(
    check: Check, message: str, file: str, position: tuple[int, int] = (0, 0), path: str = ""
) -> Finding:
    """A finding of one of validating's own checks."""
    return Finding(
        check.id,
        check.severity,
        message,
        path,
        file=file,
        line=position[0],
        column=position[1],
    )
