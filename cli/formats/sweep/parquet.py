"""Parquet, by pyarrow.

A Parquet file ends with an index of itself and cannot be appended to. So rows are collected
as an Arrow stream, which can, and become Parquet when all are there.
"""

from __future__ import annotations

import os
from typing import Any

import pyarrow as pa
import pyarrow.ipc
import pyarrow.parquet

from kcfg.core.sweep.query import Heads
from kcfg.core.sweep.rows import Rows

TYPES = {"number": pa.int64(), "float": pa.float64(), "truth": pa.bool_(), "text": pa.string()}

GROUP = 1 << 18
"""Rows of one row group, about."""


def header(heads: Heads) -> bytes:
    """The schema's message, which begins an Arrow stream."""
    return _schema(heads).serialize().to_pybytes()  # type: ignore[no-any-return]


def encode(heads: Heads, rows: Rows) -> bytes:
    """Rows as a message of an Arrow stream."""
    schema = _schema(heads)
    columns = zip(rows.columns, schema.types, strict=True)
    arrays = [pa.array(column, kind, from_pandas=False) for column, kind in columns]
    batch = pa.record_batch(arrays, schema)
    return batch.serialize().to_pybytes()  # type: ignore[no-any-return]


def finish(part: str, path: str) -> None:
    """Make the Parquet file at ``path`` from the stream in ``part``, a row group at a time."""
    with (
        pa.OSFile(part) as source,
        pa.ipc.open_stream(source) as stream,
        pa.parquet.ParquetWriter(path, stream.schema) as writer,
    ):
        waiting: list[Any] = []
        for batch in stream:
            waiting.append(batch)
            if sum(map(len, waiting)) >= GROUP:
                writer.write_table(pa.Table.from_batches(waiting))
                waiting = []
        if waiting:
            writer.write_table(pa.Table.from_batches(waiting))
    with open(path, "rb") as file:
        os.fsync(file.fileno())


def _schema(heads: Heads) -> Any:
    return pa.schema([(head.name, TYPES[head.kind]) for head in heads])
