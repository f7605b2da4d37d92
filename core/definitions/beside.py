"""Keys that mean nothing by themselves, or beside others: refused where nothing would read them."""

from __future__ import annotations

from collections.abc import Mapping

from kcfg.core.definitions.text import Said

Needs = Mapping[str, tuple[str, str]]
"""By a key the one it means nothing without, and what is to be said then."""

REGION: Needs = {
    "shape": ("of", "`shape` counts elements: say their type by `of`, in place of `bytes`"),
    "stride": ("stages", "`stride` is from one stage to the next: say how many `stages` there are"),
    "offset": (
        "in",
        "`offset` is counted from what a region lies `in`, and that is not said; any other starts"
        " behind the one before it, at its `align`",
    ),
}
COLUMNS: Needs = {
    "offset": (
        "in",
        "`offset` is counted from what a range lies `in`, and that is not said; `at` says a first"
        " column",
    ),
}
ROLE: Needs = {
    "direction": ("registers", "`direction` is how `registers` are set: say how many, or neither"),
}


def means_something(fields: Mapping[str, Said], needs: Needs, path: str) -> bool:
    """Whether every key has the one that it needs; those that lack it are noted."""
    idle = [key for key, (other, _) in needs.items() if key in fields and other not in fields]
    for key in idle:
        fields[key].text.wrong(fields[key].key, f"{path}.{key}", needs[key][1])
    return not idle


CONTENTS = {
    "mbarriers": {
        "stages": "`mbarriers` is how many there are in all, as in `mbarriers: 2 * stages`",
        "bytes": "each of `mbarriers` has 8 bytes",
        "of": "`mbarriers` are no elements",
        "shape": "`mbarriers` says how many there are",
    },
    "struct": {
        "bytes": "the members say how large it is",
        "of": "the members say what they are made of",
        "shape": "the members say how large they are",
        "mbarriers": "a member may have `mbarriers`",
    },
}
CONTENTS["union"] = CONTENTS["struct"]


def unfit(key: str, kind: str) -> str:
    """Why a region whose contents are said by ``kind`` may not have a key that others may."""
    otherwise = "say it of the members it is about" if kind != "mbarriers" else "leave it out"
    return f"`{key}` does not go with `{kind}`: {CONTENTS[kind].get(key, otherwise)}"
