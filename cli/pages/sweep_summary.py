"""What is said about a sweep on standard error: what came of it, and why not."""

from __future__ import annotations

from collections.abc import Iterator

from kcfg.core.figures import some
from kcfg.core.kernel import VERDICT
from kcfg.core.sweep.output import Output
from kcfg.core.sweep.query import Query
from kcfg.core.sweep.reasons import leaves, tree
from kcfg.core.sweep.run import Run
from kcfg.core.sweep.state import State

INTERRUPTED = "interrupted"


def lines(run: Run, derived: int, seconds: float) -> Iterator[str]:
    """The counts of a sweep, and the conditions that refused points, the most frequent first."""
    query, tally = run.query, run.state.tally
    speed = f"{derived / max(seconds, 1e-3):,.0f} a second"
    yield f"{some(tally.points, 'point')} in {seconds:,.1f} s ({speed})"
    root = tree(query.cls)
    if VERDICT in query.cls.quantities:
        yield f"  supported: {_share(tally.supported, tally.points)}"
    if query.where:
        kept = f"{VERDICT} and matching" if query.supported else "matching"
        yield f"  {kept} --where: {_share(tally.kept, tally.points)}"
    refused = dict(tally.refused)
    if refused and root:
        yield f"  refused: {_share(sum(refused.values()), tally.points)}, by the first to fail of"
        conditions = leaves(root)
        width = max(len(conditions[place].name) for place in refused)
        for place, count in sorted(refused.items(), key=lambda item: (-item[1], item[0])):
            one = conditions[place]
            yield f"    {count:>{len(f'{tally.points:,}')},}  {one.name:<{width}}  {one.text}"
    if tally.faulty:
        share = _share(tally.faulty, tally.points)
        yield f"  not derived, as no spec may say them: {share}, the first for"
        yield f"    {tally.why}"
    if tally.ruled:
        rules = ", ".join(f"{rule} {count:,}" for rule, count in tally.ruled)
        ruled = some(sum(count for _, count in tally.ruled), "point")
        yield f"  {ruled} that would have been shown put aside by rules: {rules}"
    ranked = bool(query.keep and query.keep.ranks)
    refusals = sum(map(bool, run.refused)) if ranked else 0
    if refusals:
        advice = "" if VERDICT in (query.where or "") else "; without --all they are left out"
        yield f"  refused among those shown: {refusals:,} of {run.rows.size:,}{advice}"
    if tally.singly:
        yield (
            f"  derived one by one, which takes longer: {tally.singly:,} (a formula loops over "
            "what varies, its numbers may pass 64 bits, or inputs may not go together)"
        )


def stopped(why: str, state: State, query: Query, output: Output | None) -> str:
    """What to say where a sweep did not get to its end; only why where it did not begin."""
    if state == State() and why != INTERRUPTED:
        return why
    done = f"{state.tally.points:,} of {query.grid.size:,} points are done"
    if output is None or not (state.bytes or state.next):
        return f"{why}; {done}"
    return f"{why}; {done}, kept in {output.part}: continue with --resume"


def _share(part: int, whole: int) -> str:
    return f"{part:,} ({part / whole:.1%})" if whole else "0"
