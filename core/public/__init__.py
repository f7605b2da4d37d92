"""kcfg as a library: configurations of Blackwell kernels, derived, explained and compared.

    import kcfg

    config = kcfg.derive("fa4", qkv_dtype="bf16", num_q_heads=32, group=4, qk_depth=128,
                         ov_depth=128, page_size=128)
    config["num_kv_stages"], config.supported, config.smem

Everything here is imported at its first use, and `Error` is all that is raised for what is
given. Nothing prints and nothing exits; objects do not change, pickle, and may be used by
several threads at once.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from kcfg.autotuning import early_config_prune as early_config_prune
    from kcfg.comparing import Difference as Difference, diff as diff
    from kcfg.configuration import Configuration as Configuration, derive as derive, read as read
    from kcfg.errors import Error as Error
    from kcfg.manual import Manual as Manual, kernel as kernel, kernels as kernels, load as load
    from kcfg.pruning import Pruned as Pruned, prune as prune
    from kcfg.sweeping import Swept as Swept, sweep as sweep

_MODULES = {
    "Configuration": "configuration",
    "Difference": "comparing",
    "Error": "errors",
    "Manual": "manual",
    "Pruned": "pruning",
    "Swept": "sweeping",
    "derive": "configuration",
    "early_config_prune": "autotuning",
    "diff": "comparing",
    "kernel": "manual",
    "kernels": "manual",
    "load": "manual",
    "prune": "pruning",
    "read": "configuration",
    "sweep": "sweeping",
}
"""The public names, and the modules here that have them."""

__all__ = list(_MODULES)


def __getattr__(name: str) -> Any:
    if name not in _MODULES:
        raise AttributeError(f"module 'kcfg' has no attribute {name!r}; it has {__all__}")
    from importlib import import_module

    found = globals()[name] = getattr(import_module(f"kcfg.{_MODULES[name]}"), name)
    return found


def __dir__() -> list[str]:
    return sorted({*(name for name in globals() if name.startswith("__")), *__all__})
