"""matmul as of MAX 26.7: what is launched for a problem, and where everything sits."""

from __future__ import annotations

from typing import ClassVar

from kcfg.core.engine.quantity import flag, quantity, step
from kcfg.core.kernels.matmul import r26_6
from kcfg.core.kernels.matmul.before import instead
from kcfg.core.kernels.matmul.given import CONFIG
from kcfg.core.kernels.matmul.memory import SMEM, Memory

SELECT = "select_and_launch_sm100_config"


class Matmul(Memory, r26_6.Matmul):
    """MatmulConfig of MAX 26.7, its dispatcher and its shared memory."""

    release = "26.7"
    struct = f"{CONFIG}, its choice, {SELECT} and {SMEM}, max 26.7.0"
    changes = "The configuration is that of 26.6; what is launched for a problem (select) is known."
    plays: ClassVar = r26_6.Matmul.plays | {
        "shared.dynamic": "size_of",
        "tmem.columns": "tmem_columns",
    }
    unmodelled = r26_6.Matmul.unmodelled - {"shared", "tmem"}

    select: bool = flag(
        "What is launched, by the tuning tables and the kernels that exist, not the choice alone.",
        default=False,
    )

    @step("bool", source=SELECT)
    def selects(self) -> bool:
        """Whether what is launched is asked for, and not the choice alone."""
        return self.select

    @quantity("count", source=f"{SELECT}, whether it launches")
    def hit(self) -> int:
        """1 where a kernel was found; 0 where none was, and the default is what is left."""
        return self.settings.hit

    @quantity("bool", source=f"{CONFIG}.raster_along_n")
    def raster_along_n(self) -> bool:
        """Whether tiles are visited along N first."""
        return self.settings.raster_along_n

    def instead(self) -> tuple[tuple[str, str], ...]:
        return tuple(instead(self.problem, self.hit)) if self.select else ()


KERNEL = Matmul
