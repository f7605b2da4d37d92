"""``kcfg kernels``: the kernels and releases kcfg can derive."""

from __future__ import annotations

from typing import Annotated

from kcfg.cli.intake.options import KernelName, ListFormat


def kernels(name: Annotated[str | None, KernelName] = None, format: ListFormat = "table") -> None:
    """List the kernels, or one kernel's releases, inputs and values."""
    from kcfg.cli.formats.listing import show
    from kcfg.cli.intake.specs import known
    from kcfg.cli.pages import kernels as pages
    from kcfg.core import kernels as registry
    from kcfg.core.spec.head import LAUNCH, kernel_named

    if name is None:
        from kcfg.cli.pages import launch_keys

        briefs = [pages.brief(registry.find(each)) for each in registry.names()]
        briefs.append(launch_keys.brief())
        show(format, briefs, pages.overview(briefs))
        return
    with known():
        kernel_named(name)
    if name == LAUNCH:
        from kcfg.cli.pages import launch_keys

        show(format, launch_keys.whole(), launch_keys.manual())
        return
    releases = [registry.find(name, each) for each in registry.releases(name)]
    show(format, pages.whole(releases), pages.manual(releases))
