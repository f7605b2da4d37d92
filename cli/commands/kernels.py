"""``kcfg kernels``: the kernels and releases kcfg can derive."""

from __future__ import annotations

from typing import Annotated

from kcfg.cli.intake.options import KernelName, ListFormat


def kernels(name: Annotated[str | None, KernelName] = None, format: ListFormat = "table") -> None:
    """List the kernels, or one kernel's releases, inputs and values; a definition's by its path."""
    from kcfg.cli.formats.listing import show
    from kcfg.cli.intake.specs import known
    from kcfg.cli.pages import kernels as pages
    from kcfg.core import kernels as registry
    from kcfg.core.spec.known import LAUNCH, listed, releases

    if name is None:
        from kcfg.cli.pages import launch_keys

        names = (*registry.names(), *registry.packaged().kernels)
        found = [*map(registry.find, names), *listed()]
        found.sort(key=lambda cls: (not cls.library, cls.library.lower()))
        briefs = [*map(pages.brief, found), launch_keys.brief()]
        show(format, briefs, pages.overview(briefs))
        return
    if name == LAUNCH:
        from kcfg.cli.pages import launch_keys

        show(format, launch_keys.whole(), launch_keys.manual())
        return
    with known():
        found = releases(name)
    show(format, pages.whole(found), pages.manual(found))
