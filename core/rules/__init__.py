"""The limits of a GPU as rules, found by the names of the files here.

A rule is a small function under `rule` that gets a `Block` and the values its ``reads``
name, and yields a `Breach` for everything that is not as it should be; where one of those
values is not given, the rule is not asked. Its docstring is its page: what it checks, why
that matters on the hardware, a spec that fails and one that passes, without their
``kernel: launch``. Nothing else lists the rules: a new file, or a function in one, is enough.
Those in a folder that is named like a key of a block are asked of blocks with that key only,
and not even imported for others.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Sequence
from functools import cache, lru_cache
from itertools import islice
from typing import TYPE_CHECKING, Any, NamedTuple

from kcfg.core.block.block import Block
from kcfg.core.block.derived import asked_for, behind, request, said_by_user
from kcfg.core.errors import UnknownError
from kcfg.core.figures import joined, spans
from kcfg.core.finding import SEVERITIES, Finding, Severity, in_order
from kcfg.core.modules import load

if TYPE_CHECKING:
    from kcfg.core.kernel import Kernel


MOST = 200
"""What one rule finds in one block that is told one by one; of more, how many there are."""


class Breach(NamedTuple):
    """One thing that is not as it should be: what is there, what may be, what would do.

    ``path`` is the key of the launch where that is not the one the rule blames, and
    ``severity`` what it weighs where that is not the rule's own, but one it has ``also``.
    `Finding` has the meaning of the others; its message ends with the fix.
    """

    message: str
    path: str = ""
    value: Any = None
    limit: Any = None
    over: int | None = None
    fix: str = ""
    severity: Severity | None = None


Check = Callable[..., Iterator[Breach]]


class Rule:
    """One rule: its id never changes its meaning; ``reads`` are the values it cannot do without.

    A breach weighs ``severity`` unless it says that it weighs one of ``also``.
    """

    def __init__(
        self,
        id: str,
        severity: Severity,
        also: tuple[Severity, ...],
        reads: tuple[str, ...],
        blames: str,
        unit: str,
        source: str,
        check: Check,
    ) -> None:
        self.id, self.severity, self.also, self.reads = id, severity, also, reads
        self.blames, self.unit, self.source, self.check = blames, unit, source, check

    @property
    def severities(self) -> tuple[Severity, ...]:
        """All that its breaches may weigh, the severest first."""
        return in_order((self.severity, *self.also))

    @property
    def key(self) -> str:
        """The key in whose folder it is declared; empty for a rule that is asked of every block."""
        package, _, key = self.check.__module__.rpartition(".")[0].rpartition(".")
        return key if package == __name__ else ""

    @property
    def of_build(self) -> bool:
        """Whether it is about what a compiler made, not about the configuration alone."""
        return any(path.startswith(BUILD) for path in self.reads)

    @property
    def name(self) -> str:
        """What it is called where it is declared: what it looks at, and at what of it."""
        return f"{self.check.__module__.rpartition('.')[2]}_{self.check.__name__}"

    @property
    def title(self) -> str:
        """What it checks, in a line."""
        return self.page.partition("\n")[0]

    @property
    def page(self) -> str:
        """Its page: checks, why, a failing and a passing example, what it rests on."""
        from inspect import cleandoc

        from kcfg.core.hardware.sources import evidence

        kinds = joined(evidence(self.source))
        paragraphs = (
            cleandoc(self.check.__doc__ or ""),
            f"Evidence: {kinds}." if kinds else "",
            f"Reference: {self.source}.",
        )
        return "\n\n".join(filter(None, paragraphs))

    @property
    def fails(self) -> str:
        """The spec on its page that fails."""
        return self._example("Fails: ")

    @property
    def passes(self) -> str:
        """The spec on its page that passes."""
        return self._example("Passes: ")

    def _example(self, word: str) -> str:
        for paragraph in self.page.split("\n\n"):
            if paragraph.startswith(word):
                return " ".join(paragraph.removeprefix(word).split())
        raise LookupError(f"{self.id} has no example '{word}'")


GIVEN_BY = {
    "block_threads": "`threads` or `block`",
    "threads_named": "`threads` or `block`",
    "entry": "`registers.entry` or what it follows from",
    "register_cap": "`threads`, `block` or a cap",
    "spilled": "`compiled.spill_stores` or `compiled.spill_loads`",
    "asked": "register counts of warpgroups or roles",
    "counts_set": "register counts of warpgroups or roles",
    "wanted": "`blocks_per_sm` or a second launch bound",
    "pool": "the register count at entry",
    "shared_bytes": "`shared.static` or `shared.dynamic`",
    "dynamic_bytes": "`shared.dynamic`",
    "barriers_used": "`named_barriers`",
    "carveout": "`shared.carveout` or `shared.carveout_percent`",
    "static_bytes": "`shared.static`",
    "barriers_held": "`named_barriers`",
    "cta_groups": "a `cta_group` under `tmem` or `mma`",
    "unit_used": "`unit`",
    "waits": "arrivals under `mbarriers` or `pipelines`",
    "entry_cap": "`threads`, `block` or `registers.entry`",
}
"""The keys behind a value that follows from several."""

BUILD = ("compiled.", "static_compiled", "spilled")
"""How the paths begin that a compiler's report gives."""

DERIVED = ("kernel", "stored", "unplaced")
"""What only a derived kernel has: no other block lacks it."""

_found: dict[str, Rule] = {}


def rule(
    id: str,
    severity: Severity,
    *,
    also: tuple[Severity, ...] = (),
    reads: str,
    blames: str = "",
    unit: str = "",
    source: str,
) -> Callable[[Check], Check]:
    """Declare the function below as a rule; ``reads`` are paths of a launch, in its order.

    A breach weighs ``severity``, or one of ``also`` where it says so. ``blames`` is the path
    it points at unless it says otherwise, by default the first one read. Raises TypeError for
    an id that another rule has, and for a rule in the folder of a key that it does not read.
    """

    def declare(check: Check) -> Check:
        if id in _found:
            raise TypeError(f"{id} is a rule already: {_found[id].check.__name__}")
        paths = tuple(reads.split())
        found = Rule(id, severity, also, paths, blames or paths[0], unit, source, check)
        if found.key and found.key not in {path.partition(".")[0] for path in paths}:
            raise TypeError(f"{id} does not read {found.key}: its place is {__name__}")
        _found[id] = found
        return check

    return declare


@cache
def rules() -> tuple[Rule, ...]:
    """Every rule, in the order of the ids."""
    return _declared(_keys())


def keys_of(block: Block) -> tuple[str, ...]:
    """The keys of a block that are given and have a folder of rules here."""
    values = vars(block)
    return tuple(key for key in _keys() if values[key])


def of_keys(keys: tuple[str, ...]) -> tuple[Rule, ...]:
    """The rules that may have to say something of a block that gives such keys, by their ids."""
    return _declared(keys)


@cache
def _keys() -> tuple[str, ...]:
    """The keys of a block that have a folder of rules here."""
    return tuple(entry for entry in sorted(os.listdir(__path__[0])) if entry in Block.keys)


@cache
def _declared(keys: tuple[str, ...]) -> tuple[Rule, ...]:
    """The rules here and in the folders of some keys."""
    for package in (__name__, *(f"{__name__}.{key}" for key in keys)):
        _load(package)
    found = (_found[id] for id in sorted(_found))
    return tuple(each for each in found if not each.key or each.key in keys)


def _load(package: str) -> None:
    """Import a folder's modules, which declare their rules."""
    for file in sorted(os.listdir(load(package).__path__[0])):
        stem, ending = os.path.splitext(file)
        if ending == ".py" and stem != "__init__":
            load(f"{package}.{stem}")


def find(id: str) -> Rule:
    """The rule of an id, in whatever letter case; raises `UnknownError` for none."""
    known = {rule.id: rule for rule in rules()}
    if id.upper() not in known:
        raise UnknownError("rule", id, known)
    return known[id.upper()]


def unmodelled(rule: Rule, kernel: type[Kernel] | None) -> str:
    """The key that keeps a rule from being asked: one that a derived kernel does not model."""
    if kernel is None:
        return ""
    return next((path for path in (rule.blames, *rule.reads) if path in kernel.unmodelled), "")


def judge(block: Block) -> Iterator[Finding]:
    """What every rule finds, in the order of the ids."""
    given, kernel = _given(block), block.kernel_class
    for each in _asked(tuple(given)):
        if not unmodelled(each, kernel):
            yield from answers(block, kernel, each, [given[path] for path in each.reads])


def answers(
    block: Block, kernel: type[Kernel] | None, rule: Rule, given: Sequence[Any]
) -> Iterator[Finding]:
    """What a rule finds in what it reads; no more than `MOST` is told one by one."""
    breaches = rule.check(block, *given)
    for breach in islice(breaches, MOST):
        yield finding(block, kernel, rule, breach)
    if left := [breach.severity or rule.severity for breach in breaches]:
        worst = next(word for word in SEVERITIES if word in left)
        yield finding(block, kernel, rule, Breach(f"and {len(left):,} more", severity=worst))


def judge_build(block: Block) -> Iterator[tuple[str, Finding]]:
    """What the rules about a build find, each with the path of the reported value it is about."""
    given, kernel = _given(block), block.kernel_class
    for each in _asked(tuple(given)):
        if each.of_build:
            for breach in each.check(block, *[given[path] for path in each.reads]):
                yield (
                    breach.path or each.blames,
                    finding(block, kernel, each, breach),
                )


def missing(block: Block) -> Iterator[tuple[Rule, str]]:
    """Every rule that is not asked, and the first path it needs that is not given."""
    given, kernel = _given(block), block.kernel_class
    for each in rules():
        lacking = (path for path in each.reads if path not in given)
        built = each.of_build and block.compiled is not None  # then it is asked all the same
        path = ("" if built else unmodelled(each, kernel)) or next(lacking, None)
        if path is not None:
            yield each, path


def not_judged(block: Block) -> list[str]:
    """What was not looked at, in words: rules by the keys they would have needed."""
    return [f"without {keys}, {joined(spans(ids))}" for keys, ids in unasked(block).items()]


def unasked(block: Block) -> dict[str, list[str]]:
    """The ids of the rules that lack something, by the keys that would give it."""
    waiting: dict[str, list[str]] = {}
    for each, path in missing(block):
        # Without a build there is nothing to say about the rules for one.
        if path not in DERIVED and not (each.of_build and block.compiled is None):
            waiting.setdefault(GIVEN_BY.get(path, f"`{path}`"), []).append(each.id)
    return waiting


@lru_cache
def _asked(given: tuple[str, ...]) -> tuple[Rule, ...]:
    """The rules that have all they read, where values at these paths are given."""
    return tuple(each for each in rules() if all(path in given for path in each.reads))


@cache
def _names_below(path: str) -> tuple[tuple[str, str], ...]:
    """The names that the paths of all rules have next below a path, each with its own path."""
    start = f"{path}." if path else ""
    paths = (other for each in rules() for other in each.reads if other.startswith(start))
    names = dict.fromkeys(other.removeprefix(start).partition(".")[0] for other in paths)
    return tuple((name, start + name) for name in names)


def _given(block: Block) -> dict[str, Any]:
    """The values that rules read, and those on the way to them, by path; only what is given."""
    found: dict[str, Any] = {}
    waiting: list[tuple[Any, str]] = [(block, "")]
    for group, at in waiting:
        for name, path in _names_below(at):
            value = getattr(group, name)
            # An empty list or table is not given; numbers and truth values have no length.
            if value or not (value is None or hasattr(value, "__len__")):
                found[path] = value
                if _names_below(path):
                    waiting.append((value, path))
    return found


def _of_kernel(rule: Rule) -> bool:
    return rule.of_build or rule.reads[0] in DERIVED


def finding(block: Block, kernel: type[Kernel] | None, rule: Rule, breach: Breach) -> Finding:
    """A rule's answer about a derived kernel of a class, or about a launch written by hand."""
    path = breach.path or rule.blames
    message, _, value, limit, over, fix, severity = breach
    blamed = f"shape.{path}" if kernel is None else behind(kernel, block, path)
    # What a launch may change is derived by a kernel in Python, unless an input asks for it, and
    # said by a definition; a rule about the kernel itself knows its inputs.
    if fix and kernel is not None and not _of_kernel(rule) and not said_by_user(kernel, path):
        whole = block.kernel if request(kernel, blamed) else None
        fix = fix if whole is not None and asked_for(whole, blamed) else ""
    return Finding(
        rule.id,
        severity or rule.severity,
        f"{message}; {fix}" if fix else message,
        blamed,
        value,
        limit,
        over,
        rule.unit,
        fix,
    )
