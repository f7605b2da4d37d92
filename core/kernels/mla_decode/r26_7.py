"""mla_decode as of MAX 26.7: what it changed against 26.6."""

from __future__ import annotations

from kcfg.core.engine.quantity import step
from kcfg.core.kernels.mla_decode import r26_6
from kcfg.core.kernels.mla_decode.shape import CONFIG


class MLADecode(r26_6.MLADecode):
    """The MLA decode configuration of MAX 26.7."""

    release = "26.7"
    called = "mla_decode.call:MLADecodeCall"
    struct = f"{CONFIG}, max 26.7.0"
    changes = "The tensor-memory address no longer takes 4 bytes of the budget."

    @step("bytes", source=f"{CONFIG}, tensor-memory address")
    def tmem_pointer_bytes(self) -> int:
        """The tensor-memory address is no longer kept in dynamic shared memory."""
        return 0


KERNEL = MLADecode
