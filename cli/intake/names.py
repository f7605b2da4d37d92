"""Names of values that a kernel does not have: what to say, and what was likely meant."""

from __future__ import annotations

from kcfg.cli.pages.titles import title
from kcfg.core.kernel import Kernel


def no_such(cls: type[Kernel], name: str, otherwise: str) -> str:
    """A message about an unknown value or input; ``otherwise`` says where all are listed."""
    from kcfg.core.errors import nearest
    from kcfg.core.report import units

    known = [*units(cls), *(member.key for member in cls.inputs.values())]
    likely = nearest(name, known)
    hint = f"did you mean {likely!r}?" if likely else otherwise
    return f"no such value of {title(None, cls.kernel, cls.release, '')}; {hint}"
