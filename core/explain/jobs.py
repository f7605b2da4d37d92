"""What kernels are for, in words that those of other libraries share.

A file ``job.json`` in a kernel's folder says it: ``job`` is what it does, ``words`` are the keys
of its inputs by the words of the job. ``given`` are inputs without a default and what they are
given; ``apart`` those that others are told at a call, if at all; ``only`` the values of words
that upstream comes here with, and ``alike`` words of which it comes with one value.
"""

from __future__ import annotations

from typing import Any

from kcfg.core.kernel import Kernel


def asked_of(kernel: Kernel, job: dict[str, Any]) -> dict[str, Any] | None:
    """What a kernel is asked, by common words; None where something has no word."""
    words = {key: word for word, key in job["words"].items()}
    found = {}
    for name, member in kernel.inputs.items():
        value = getattr(kernel, name)
        if member.key in words:
            found[words[member.key]] = value
        elif member.tunable or member.key in job.get("apart", ()):
            continue
        elif value != job.get("given", {}).get(member.key, member.default):
            return None
    return found


def sent(asked: dict[str, Any], job: dict[str, Any]) -> bool:
    """Whether upstream comes to a kernel with what is asked, by common words."""
    only, alike = job.get("only", {}), job.get("alike", ())
    return len({asked.get(word) for word in alike}) <= 1 and all(
        asked.get(word) in values for word, values in only.items()
    )


def told(asked: dict[str, Any], job: dict[str, Any]) -> dict[str, Any] | None:
    """The inputs of another kernel, by key; None where it has no word for something.

    Heads that share a KV head are told by their number, or by that of the KV heads.
    """
    asked = dict(asked)
    for one, other in (("group", "heads_kv"), ("heads_kv", "group")):
        if one in asked and one not in job["words"]:
            count, rest = divmod(asked["heads"], asked.pop(one) or 1)
            if rest:
                return None
            asked[other] = count
    if not asked.keys() <= job["words"].keys():
        return None
    words: dict[str, str] = job["words"]
    given: dict[str, Any] = job.get("given", {})
    return {words[word]: value for word, value in asked.items()} | given
