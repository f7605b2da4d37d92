"""What validating itself checks, beside the rules of ``kcfg.core.rules``."""

from __future__ import annotations

from typing import NamedTuple

from kcfg.core.finding import Severity


class Check(NamedTuple):
    """One check, with its page; like a rule it has an id that never changes its meaning."""

    id: str
    severity: Severity
    page: str
    waivable: bool = True
    """Whether it can be left out, by a comment or an option."""

    @property
    def severities(self) -> tuple[Severity, ...]:
        """All that its findings may weigh."""
        return (self.severity,)

    @property
    def name(self) -> str:
        """What it is called here, in lower case."""
        return next(name.lower() for name, each in globals().items() if each is self)

    @property
    def title(self) -> str:
        """What it checks, in a line."""
        return self.page.partition("\n")[0]


UNREADABLE = Check(
    "SPEC001",
    "error",
    "Whether a file could be read and parsed.\n\n"
    "The same goes for the table [tool.kcfg] of a pyproject.toml, which may give `target`,\n"
    "`select`, `ignore` and `strict`. What is not read is not judged: the exit code is 2. It\n"
    "cannot be ignored.",
    waivable=False,
)
REFUSED = Check(
    "SPEC002",
    "error",
    "Whether a spec says something that can be derived or judged.\n\n"
    "Unknown, missing or repeated keys, values of the wrong kind or out of range, inputs that\n"
    "do not go together. It cannot be ignored.",
    waivable=False,
)
IDLE = Check(
    "SPEC003",
    "warning",
    "Whether all that a definition says can come up.\n\n"
    "A case of a table that none of its input's values reaches, or a text that an input is\n"
    "compared with and never is, is often a slip of the pen, and the number another than meant.",
)
NO_KERNEL = Check(
    "LOG001",
    "error",
    "Whether a compiler's log tells of the kernel that a spec is about, and of no other.\n\n"
    "Where it tells of several, `--kernel-name` says which one is meant: its name or a part of\n"
    "it, mangled or not, or a pattern with `*` and `?`. The exit code is 2. It cannot be ignored.",
    waivable=False,
)
MIXED = Check(
    "LOG002",
    "warning",
    "Whether the figures in a compiler's log are those of one kernel.\n\n"
    "Two lines `Compiling entry function` without figures between them are those of compilers\n"
    "that ran side by side: whose figures follow cannot be told, and none are judged. A build\n"
    "with `make --output-sync`, with ninja, or with one job, keeps them apart.",
)
PIN = Check(
    "EXP001",
    "error",
    "Whether a result is what the spec's `expect` pins.\n\n"
    "A pin is a value, which must be met with its type, a bound such as `<= 232448`, or a list\n"
    "of the values allowed.",
)
STALE = Check(
    "RPT001",
    "error",
    "Whether a saved report still has the values its inputs give.\n\n"
    "The report is derived again from its own inputs, release and target. Values, layouts,\n"
    "registers and barriers are compared; keys that only the newer report has do not count.",
)
UNUSED = Check(
    "IGN001",
    "warning",
    "Whether a comment `# kcfg: ignore[...]` ignores anything.\n\n"
    "One that does not hides the next finding of that rule from everybody: take it out.",
)
NO_REASON = Check(
    "IGN002",
    "warning",
    "Whether a comment `# kcfg: ignore[...]` says why.\n\n"
    "The reason follows the bracket, on the same line.",
)
UNKNOWN = Check(
    "IGN003",
    "warning",
    "Whether a comment `# kcfg: ignore[...]` names rules that can be ignored.",
)
MALFORMED = Check(
    "IGN004",
    "warning",
    "Whether a comment that begins with `# kcfg:` can be understood.\n\n"
    "The one form is `# kcfg: ignore[ID, ID] reason`.",
)

CHECKS = (
    *(UNREADABLE, REFUSED, IDLE, NO_KERNEL, MIXED, PIN, STALE),
    *(UNUSED, NO_REASON, UNKNOWN, MALFORMED),
)
