"""Tensor maps that a real driver took or refused, judged by the rules for the same GPU.

``python tests/tensor_maps.py PATH`` judges every row of a file, or of a folder's files named
``tensor_map*.jsonl``, and prints where kcfg and the driver do not agree. A row is ``{"shape",
"extra", "driver", "why"}``: the shape of a launch, keys of its map that stand apart, the
driver's code, and the limits that a model fitted to its answers says are broken; a packed file
names keys once, in its first line, and holds lists of values.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

from kcfg.core.findings import findings
from kcfg.core.spec import Spec, read

DATA = Path(__file__).parent / "golden" / "tensor_map_h200.jsonl"

BLAMED = {
    "address_57_bits": ("TMA005", "address"),
    "address_alignment": ("TMA005", "address"),
    "atom_swizzle_on_h200": ("TMA011", "swizzle"),
    "box": ("TMA001", "box[]"),
    "box_bytes": ("TMA008", "box"),
    "dim": ("TMA006", "dims[]"),
    "element_stride": ("TMA009", "element_strides[]"),
    "inner_16_bytes": ("TMA002", "box[]"),
    "oob_fill_of_integers": ("TMA010", "oob_fill"),
    "packed_type_on_h200": ("TMA011", "dtype"),
    "rank_with_interleave": ("TMA006", "dims"),
    "stride": ("TMA004", "strides[]"),
    "swizzle_span": ("TMA003", "box[]"),
}
"""The rule that has a limit, by the model's name of it, and the key it blames."""


class Asked(NamedTuple):
    """A tensor map, and what the driver said of it: the limits broken, none where it took it."""

    map: dict[str, Any]
    why: frozenset[str]


class Difference(NamedTuple):
    """A tensor map of which kcfg does not say what the driver does."""

    map: dict[str, Any]
    driver: frozenset[tuple[str, str]]
    kcfg: frozenset[tuple[str, str]]


def rows(path: Path) -> Iterator[Asked]:
    """The rows of a file, packed or not."""
    with path.open(encoding="utf-8") as lines:
        columns = None
        for line in lines:
            row = json.loads(line)
            if isinstance(row, dict):
                (about,) = row["shape"]["tma"]
                why = frozenset(row.get("why", ()))
                assert bool(why) == bool(row["driver"]), row
                yield Asked({**about, **row.get("extra", {})}, why)
            elif columns is None:
                columns = row
            else:
                values = dict(zip(columns, row, strict=True))
                why = frozenset(values.pop("why"))
                yield Asked({key: value for key, value in values.items() if value is not None}, why)


def blamed(about: dict[str, Any]) -> frozenset[tuple[str, str]]:
    """What kcfg refuses of a tensor map on an H200: rules, and the keys they blame."""
    text = json.dumps({"kernel": "launch", "target": "h200", "shape": {"tma": [about]}})
    (spec,) = read(text, "row")
    assert isinstance(spec, Spec), (about, [str(problem) for problem in spec])
    errors = (found for found in findings(spec.derive()) if found.severity == "error")
    return frozenset((found.rule, _key(found.path)) for found in errors)


def _key(path: str) -> str:
    name = path.removeprefix("shape.tma[0].")
    return f"{name.partition('[')[0]}[]" if name.endswith("]") else name


def differences(path: Path) -> tuple[int, list[Difference]]:
    """How many rows a file has, and those that are judged otherwise than by the driver."""
    count, found = 0, []
    for about, why in rows(path):
        count += 1
        driver, kcfg = frozenset(BLAMED[name] for name in why), blamed(about)
        if driver != kcfg:
            found.append(Difference(about, driver, kcfg))
    return count, found


def main(path: Path) -> int:
    """Judge every row of a file or a folder; 1 where kcfg and the driver do not agree."""
    worst = 0
    for each in sorted(path.glob("tensor_map*.jsonl")) if path.is_dir() else [path]:
        count, found = differences(each)
        verdicts = [bool(driver) == bool(kcfg) for _, driver, kcfg in found]
        print(f"{each.name}: {count} rows, {verdicts.count(False)} judged otherwise,", end=" ")
        print(f"{verdicts.count(True)} for other reasons")
        for about, driver, kcfg in found[:10]:
            print(f"  {sorted(driver)} there, {sorted(kcfg)} here: {json.dumps(about)}")
        worst = max(worst, bool(found))
    return worst


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit(f"usage: {sys.argv[0]} FILE_OR_FOLDER")
    sys.exit(main(Path(sys.argv[1])))
