"""YAML: one document a spec, with the keys of the JSON report in the same order."""

from __future__ import annotations

from collections.abc import Iterable

import yaml

from kcfg.cli import console
from kcfg.core.report import Derived

_Dumper = getattr(yaml, "CSafeDumper", yaml.SafeDumper)


def write(derived: Iterable[Derived]) -> None:
    """Write each report as a YAML document."""
    for each in derived:
        text = yaml.dump(each.report, Dumper=_Dumper, sort_keys=False, explicit_start=True)
        console.document(text)
