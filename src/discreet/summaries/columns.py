"""Arrow columns: the tables that summaries consist of, and columns of Parquet files."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from discreet.arrow import array_of, array_with_gaps
from discreet.naming import RESERVED
from discreet.schema import Schema
from discreet.summaries.labels import labels_of

#: a file may unpack to so many times its size, beyond what is small; tables of few different counts come near
_MOST_PACKED, _SMALL = 1000, 1 << 24
_PIECE = 1 << 16
_LARGEST = 1 << 62


def arrow_table(columns: Mapping[str, Any]) -> Any:
    import pyarrow as pa

    return pa.table(dict(columns))


def cell_labels(schema: Schema, names: Sequence[str]) -> dict[str, Any]:
    """A label column for each of these attributes, over all cells of the table that they make."""
    columns, sizes = {}, [schema[name].size for name in names]
    for place, name in enumerate(names):
        codes = np.repeat(np.arange(sizes[place]), math.prod(sizes[place + 1 :]))
        columns[name] = labels_of(schema[name], np.tile(codes, math.prod(sizes[:place])))
    return columns


def labelled_tables(schema: Schema, sets: Sequence[Sequence[str]], columns: Sequence[Mapping[str, Any]]) -> Any:
    """Several tables one below the other: which it is, labels of its attributes (null for others), and its columns."""
    import pyarrow as pa

    tables = []
    for names, mine in zip(sets, columns, strict=True):
        rows, labels = math.prod(schema[name].size for name in names), cell_labels(schema, names)
        for name in schema:
            none = pa.nulls(rows, labels_of(schema[name], np.empty(0, np.int64)).type)
            labels[name] = labels.pop(name, none)  # in the schema's order
        tables.append(pa.table({"marginal": pa.repeat(" x ".join(names), rows), **labels, **mine}))
    return pa.concat_tables(tables, promote_options="default").combine_chunks()


def opened(parquet: Any, encoded: Sequence[str] = ()) -> Any:
    """A Parquet file of which nothing is decoded yet; a ValueError if little room on disk would become far more.

    Texts of the `encoded` columns stay encoded by a dictionary.
    """
    import pyarrow.parquet as pq

    file = pq.ParquetFile(parquet, read_dictionary=list(encoded))
    groups = [file.metadata.row_group(i) for i in range(file.metadata.num_row_groups)]
    if sum(group.total_byte_size for group in groups) > _SMALL + _MOST_PACKED * Path(parquet).stat().st_size:
        raise ValueError("the table unpacks to far more than it can hold")
    return file


def read_column(parquet: Any, name: str, rows: int, expected: str, dtype: Any = None) -> NDArray[Any]:
    """A column of a Parquet file; a ValueError if it does not have so many rows, or is not of this type."""
    with opened(parquet) as file:
        if file.metadata.num_rows != rows:  # before it is decoded, which for a short file may take long
            raise ValueError(f"the table has {file.metadata.num_rows} rows where {expected}")
        values: NDArray[Any] = array_of(file.read(columns=[name])[name])
    if dtype is not None and values.dtype != dtype:
        raise ValueError(f"column {name} is of type {values.dtype} where {expected}")
    return values if values.dtype == object else checked_counts(values)


def read_with_gaps(parquet: Any, name: str, rows: int, expected: str) -> tuple[NDArray[np.int64], NDArray[np.bool_]]:
    """A column of whole numbers of which some may be missing (0), and which ones are there."""
    with opened(parquet) as file:
        if file.metadata.num_rows != rows:
            raise ValueError(f"the table has {file.metadata.num_rows} rows where {expected}")
        column = file.read(columns=[name])[name]
    values, known = array_with_gaps(column)
    if values.dtype != np.int64:
        raise ValueError(f"column {name} is of type {values.dtype} where {expected}")
    return checked_counts(values), known


def checked_counts(values: NDArray[Any]) -> NDArray[Any]:
    """Noisy values as they can have been published."""
    if values.dtype.kind not in "if" or not np.all(np.isfinite(values)):
        raise ValueError("the table holds counts that are no numbers")
    if values.size and max(int(values.max()), -int(values.min())) > _LARGEST:
        raise ValueError("the table holds counts beyond 2**62, which no release has")
    return values


def _are_distinct(table: Any, keys: list[str]) -> bool:
    """Whether no two rows have the same keys; mostly the first few of them tell rows apart."""
    return any(
        table.group_by(keys[:some]).aggregate([]).num_rows == table.num_rows for some in {min(2, len(keys)), len(keys)}
    )


def pieces(parquet: Any, encoded: Sequence[str] = (), rows: int = _PIECE) -> Iterator[Any]:
    """All columns of a Parquet file, so many rows at a time; of an empty one a piece without rows."""
    with opened(parquet, encoded) as file:
        if not file.metadata.num_rows:
            yield file.read()
        yield from file.iter_batches(rows)


def distinct_rows(parquet: Any) -> Any:
    """All columns of a Parquet file, read in pieces, so that one row over and over is found before it fills memory."""
    import pyarrow as pa

    with opened(parquet) as file:
        pieces = []
        for batch in file.iter_batches(_PIECE):
            keys = [name for name in batch.schema.names if name not in RESERVED]
            if not _are_distinct(pa.table(batch), keys):
                raise ValueError("the table has the same row twice")
            pieces.append(batch)
        return pa.Table.from_batches(pieces, file.schema_arrow)
