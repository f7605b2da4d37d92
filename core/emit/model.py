"""A configuration as code, before any language: constants in sections, and what must hold.

`kcfg.core.emit.outline` makes one from a kernel, a module below
``kcfg.core.emit.languages`` writes it down. Names are identifiers of that language already.
"""

from __future__ import annotations

from typing import Any, NamedTuple


class Constant(NamedTuple):
    """A named value: int, bool, float, str or None, in ``unit``, with its declaration's words."""

    name: str
    value: Any
    unit: str
    doc: str


class Section(NamedTuple):
    """Constants that belong together; the one without a name has the struct's own."""

    name: str
    doc: str
    constants: tuple[Constant, ...]


class Check(NamedTuple):
    """A condition on constants: ``text`` in operators all languages share, ``why`` it must hold.

    A constant of a section is ``section.name`` in it. ``holds`` is whether it does, ``largest``
    the larger of what its two sides come to, its sign left out.
    """

    text: str
    why: str
    holds: bool
    largest: int


class Configuration(NamedTuple):
    """One configuration, ready to be written.

    ``name`` is an identifier, ``label`` what the spec calls it, ``digest`` that of the
    inputs. ``errors`` are findings that rule out a launch, ``warnings`` those that do not: what
    upstream takes although its own numbers do not add up has checks that do not hold.
    ``namespace`` is the one asked for, of a language that has such.
    """

    version: str
    name: str
    label: str
    kernel: str
    release: str
    target: str
    struct: str
    digest: str
    sections: tuple[Section, ...]
    checks: tuple[Check, ...]
    errors: tuple[str, ...]
    warnings: tuple[str, ...]
    namespace: str = ""

    @property
    def refused(self) -> tuple[str, ...]:
        """Why this is not to be compiled: the rules judge, and the checks are their limits."""
        return self.errors
