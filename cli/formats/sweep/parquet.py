"""Parquet, by pyarrow.

A Parquet file ends with an index of itself and cannot be appended to. So rows are collected
as an Arrow stream, which can, compressed as they repeat, and become Parquet when all are there.
"""

from __future__ import annotations

import os
from typing import Any

import pyarrow as pa
import pyarrow.ipc
import pyarrow.parquet

from kcfg.core.sweep.query import Heads
from kcfg.core.sweep.rows import Sheet

TYPES = {"number": pa.int64(), "float": pa.float64(), "truth": pa.bool_(), "text": pa.string()}

GROUP = 1 << 14
"""Rows of a row group at least, but for the last: as many as a block has or two, which pyarrow
writes as they are."""


def header(heads: Heads, about: dict[str, str] | None = None) -> bytes:
    """The schema's message, which begins an Arrow stream; ``about`` is kept with the file."""
    schema = _schema(heads).with_metadata(about) if about else _schema(heads)
    return schema.serialize().to_pybytes()  # type: ignore[no-any-return]


def encode(heads: Heads, sheet: Sheet) -> bytes:
    """Rows as a message of an Arrow stream."""
    schema = _schema(heads)
    columns = zip(sheet.spread(), schema.types, strict=True)
    arrays = [pa.array(column, kind, from_pandas=False) for column, kind in columns]
    sink = pa.BufferOutputStream()
    options = pa.ipc.IpcWriteOptions(compression="lz4", use_threads=False)
    stream = pa.ipc.new_stream(sink, schema, options=options)
    stream.write_batch(pa.record_batch(arrays, schema))
    begun = len(header(heads))  # the stream of one message begins with the schema again
    return sink.getvalue().slice(begun).to_pybytes()  # type: ignore[no-any-return]


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
