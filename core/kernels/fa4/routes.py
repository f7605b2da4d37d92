"""The routes of FA4's dispatcher, as candidates: which took the call, and why others did not."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from kcfg.core.kernel import Candidate, Kernel

if TYPE_CHECKING:
    from kcfg.core.kernels.fa4.call import CalledAttention


def candidates(call: CalledAttention) -> tuple[Candidate, ...]:
    """Every route in the order they are asked; then those ways to split that the taken one has."""
    return (*_routes(call), *_splits(call))


def _routes(call: CalledAttention) -> Iterator[Candidate]:
    at, depth = call.launch, f"depth {call.qk_depth}"
    taken = False

    def candidate(route: str, said: str, refused: Kernel | None = None) -> Candidate:
        nonlocal taken
        chosen, after = at.route == route, taken
        taken = taken or chosen
        return Candidate(route, chosen, "not asked any more" if after else said, refused)

    yield candidate("deep", f"for depths 256 and 512; here {call.qk_depth}")
    short = (("tile of 32", at.tokens_32, call.tile_32), ("tile of 64", at.tokens_64, call.tile_64))
    for route, tokens, tile in short:
        said = f"for prompts of {tokens:,} tokens or less; here {call.max_prompt_len:,}"
        if not at.has_short_tiles:
            said = (
                f"for depths 64 and 128 and masks that show known keys; here {depth}, {call.mask}"
            )
        refused = None if taken or tile.supported or not at.has_short_tiles else tile
        yield candidate(route, said if refused is None else "FA4 does not support it", refused)
    asked = "are asked for" if call.num_partitions else "are not asked for"
    yield candidate(
        "one tile of 128",
        f"for prompts of {at.tokens_128:,} tokens or less, here {call.max_prompt_len:,}; for"
        f" {call.target.sm_count // 2} CTAs of two tiles or less, here {at.items_256:,}; or for"
        f" partitions, which {asked}",
    )
    yield candidate("two tiles of 128", "for all the rest")


def _splits(call: CalledAttention) -> Iterator[Candidate]:
    at = call.launch
    if not at.may_split:
        yield Candidate("no split", True, "two query tiles do not split, nor unknown keys")
        return
    wish = (
        f"{at.visible_keys:,} keys are worth {at.worth_while:,} of {at.keys_per_partition:,},"
        f" and {at.work_items:,} CTAs without a split leave room for {at.ceiling:,}"
    )
    yield Candidate("no split", at.partitions == 1, wish)
    if not at.deep:
        yield Candidate("split in a cluster", at.split == "cluster", "for 2 partitions")
    if at.has_workspace:
        said = "for 2 partitions or more" if at.deep else "for 3 partitions or more"
    elif at.BM == 64:
        said = "in a tile of 64 for caches of 8,192 tokens (depth 128), or 65,536 (depth 64)"
    else:
        said = "in one tile of 128 for depths of 64 to 128"
    yield Candidate("split through memory", at.split == "workspace", said)
