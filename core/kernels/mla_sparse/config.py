"""What is asked of sparse MLA prefill, and what its configuration struct makes of that."""

from __future__ import annotations

from kcfg.core.engine.quantity import choice, integer, quantity
from kcfg.core.engine.terms import pick
from kcfg.core.hardware.dtypes import DTYPES, dtype_bytes
from kcfg.core.kernel import Kernel

CONFIG = "MLASparseConfig"


class Config(Kernel):
    """Inputs, and the struct's own members."""

    qkv_dtype: str = choice("dtype", "Element type of Q, K and V.", DTYPES)
    num_q_heads: int = integer("heads", "Query heads.", repeated=True)
    num_kv_heads: int = integer("heads", "Heads of the latent cache.", repeated=True)
    qk_depth: int = integer(
        "elements", "Depth of a row of the cache, rope included.", repeated=True
    )
    v_depth: int = integer("elements", "Depth of V: the latent part.", repeated=True)
    indices_stride: int = integer("tokens", "Keys that are picked for a query.", repeated=True)
    group: int = integer("heads", "Query heads that share a head of the cache.", repeated=True)
    input_qk_depth_asked: int = integer(
        "elements", "Depth of Q in memory; 0: qk_depth.", default=0, least=0, key="input_qk_depth"
    )
    b_topk: int = integer("tokens", "Keys in one tile.", default=128, tunable=True)
    num_mbars: int = integer(
        "count", "Buffers that have mbarriers of their own.", default=2, repeated=True, tunable=True
    )
    q_smem_depth: int = integer(
        "elements",
        "Depth of Q that stays in shared memory.",
        default=192,
        repeated=True,
        tunable=True,
    )
    q_tmem_depth: int = integer(
        "elements",
        "Depth of Q that is copied to tensor memory.",
        default=384,
        repeated=True,
        tunable=True,
    )
    cta_group: int = integer(
        "CTAs", "CTAs that issue one MMA together.", default=2, most=2, repeated=True, tunable=True
    )

    @quantity("heads", source=f"{CONFIG}.padded_num_q_heads")
    def padded_num_q_heads(self) -> int:
        """Query heads as they lie in the MMA: 64 at least."""
        return pick(self.num_q_heads <= 64, 64, self.num_q_heads)

    @quantity("elements", source=f"{CONFIG}.input_qk_depth")
    def input_qk_depth(self) -> int:
        """Depth of Q in memory."""
        return pick(self.input_qk_depth_asked > 0, self.input_qk_depth_asked, self.qk_depth)

    @quantity("bool", source=f"{CONFIG}.use_ws")
    def use_ws(self) -> bool:
        """Whether the MMA is the .ws form, of one CTA."""
        return self.cta_group == 1

    @quantity("tokens", source=f"{CONFIG}.B_TOPK")
    def B_TOPK(self) -> int:
        """Keys in one tile."""
        return self.b_topk

    @quantity("bytes", source=f"{CONFIG}.qkv_dtype_size")
    def qkv_dtype_size(self) -> int:
        """One element of Q, K and V."""
        return dtype_bytes(self.qkv_dtype)

    @quantity("threads", source=f"{CONFIG}.num_threads")
    def num_threads(self) -> int:
        """Threads of the block."""
        return 512
