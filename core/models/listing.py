"""A layer derived: each kernel with its verdict and figures, or why there is none."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator
from typing import Any, NamedTuple

from kcfg.core import kernels
from kcfg.core.diff import Diff, compare, derived
from kcfg.core.errors import UnknownError
from kcfg.core.explain.thresholds import decided
from kcfg.core.kernel import Kernel
from kcfg.core.models import Model
from kcfg.core.models.layer import Part
from kcfg.core.report import report_of
from kcfg.core.spec import Overrides, Spec, read


class Row(NamedTuple):
    """One kernel of a layer: its spec and kernel, or why there is none.

    ``decided`` are the dispatcher's decisions by key; ``report`` is the kernel's.
    """

    part: Part
    spec: Spec | None
    kernel: Kernel | None
    report: dict[str, Any] | None
    unknown: str

    @property
    def decided(self) -> dict[str, Any]:
        return {} if self.kernel is None else decided(self.kernel)

    def figure(self, key: str) -> Any:
        """A value of the report; None where there is none."""
        return None if self.report is None else self.report["values"].get(key)


def rows(model: Model, parts: Iterable[Part], release: str | None = None) -> Iterator[Row]:
    """Every part derived, as of a release where one is named."""
    for part in parts:
        yield _row(model, part, release)


def _row(model: Model, part: Part, release: str | None) -> Row:
    import yaml

    if part.spec is None:
        return Row(part, None, None, None, part.unknown)
    text = yaml.safe_dump(part.spec if release else selecting(part.spec), sort_keys=False)
    (item,) = read(text, f"model:{model.id}", Overrides(release=release))
    if not isinstance(item, Spec):
        return Row(
            part, None, None, None, "; ".join(f"{each.path}: {each.message}" for each in item)
        )
    kernel = item.derive()
    return Row(part, item, kernel, report_of(item, kernel), "")


def selecting(spec: dict[str, Any]) -> dict[str, Any]:
    """The spec, asking for what is launched where the kernel has that as a choice of its own."""
    if "call" in spec or "select" not in kernels.find(spec["kernel"]).inputs:
        return spec
    return {**spec, "shape": {**spec["shape"], "select": True}}


def compared(
    model: Model, parts: Iterable[Part], old: str, new: str
) -> Iterator[tuple[Row, Row, Diff | None]]:
    """Every part in two releases, and what changed; None where one of them is not known.

    Products are those that are chosen, as what is selected is known of one release alone. Raises
    `UnknownError` for a release that none of the kernels has.
    """
    parts = tuple(parts)
    for release in (old, new):
        _released({part.spec["kernel"] for part in parts if part.spec is not None}, release)
    for part in parts:
        before, after = (_row(model, part, release) for release in (old, new))
        if before.spec is None or after.spec is None:
            yield before, after, None
        else:
            yield before, after, compare(derived(before.spec), derived(after.spec))


def _released(used: Collection[str], release: str) -> None:
    for kernel in used:
        try:
            kernels.find(kernel, release)
        except UnknownError:
            continue
        return
    known = {each for kernel in used for each in kernels.releases(kernel)}
    raise UnknownError("release", release, sorted(known, key=kernels.age))
