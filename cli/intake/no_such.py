"""Names of values that a kernel does not have: what to say, and what was likely meant."""

from __future__ import annotations

from collections.abc import Iterable

from kcfg.cli.pages.titles import title
from kcfg.core.kernel import Kernel


def known(cls: type[Kernel]) -> list[str]:
    """Every value and input of a kernel, by the keys that reports and specs have."""
    from kcfg.core.report import units

    return list(dict.fromkeys([*units(cls), *(member.key for member in cls.inputs.values())]))


def no_such(cls: type[Kernel], name: str, lists: str, others: Iterable[str] = ()) -> str:
    """A message about an unknown value or input; ``lists`` says where all are listed.

    ``others`` are names that would have done beside those of the kernel.
    """
    from kcfg.core.likely import likely

    meant = likely(cls, name, [*known(cls), *others])
    hint = f"did you mean {meant!r}? " if meant else ""
    return f"no such value of {title(None, cls.kernel, cls.release, '')}; {hint}{lists}"
