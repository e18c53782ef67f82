"""Arrow columns: labels of codes and back, the tables that summaries consist of, and columns of Parquet files."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from discreet.naming import RESERVED
from discreet.schema import Attribute, Ordinal, Schema

#: a file may unpack to so many times its size, beyond what is small; tables of few different counts come near
_MOST_PACKED, _SMALL = 1000, 1 << 24
_PIECE = 1 << 16
_LARGEST = 1 << 62


def labels_of(attribute: Attribute, codes: NDArray[np.int64]) -> Any:
    """A fresh Arrow array with the label of every code, of one type; only labels that occur are ever made."""
    import pyarrow as pa

    if isinstance(attribute, Ordinal) and attribute.first_number is not None:
        return pa.array(codes + attribute.first_number, pa.int64())
    labels: list[Any]
    if attribute.size <= codes.size:
        labels, index = list(attribute.labels), codes
    else:
        occurring, index = np.unique(codes, return_inverse=True)
        labels = [attribute.label(code) for code in occurring.tolist()]
    # "other" next to numbers makes the column text, whether it occurs or not: the type is the schema's
    kind = type(attribute.label(0))
    if attribute.has_other and kind is not str:
        labels, kind = [str(label) for label in labels], str
    types = {int: pa.int64(), str: pa.string()}
    return pa.array(labels, types.get(kind, pa.date32())).take(pa.array(index))


def codes_of(attribute: Attribute, column: Any) -> NDArray[np.int64]:
    """The codes of a column that `labels_of` made; OutsideDomain for a label that the schema does not have."""
    encoded = column.combine_chunks().dictionary_encode()
    codes = np.array([attribute.code(label) for label in encoded.dictionary.to_pylist()], np.int64)
    index = encoded.indices.to_numpy(zero_copy_only=False)
    return codes[index] if codes.size else np.empty(0, np.int64)


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


def opened(parquet: Any) -> Any:
    """A Parquet file of which nothing is decoded yet; a ValueError if little room on disk would become far more."""
    import pyarrow.parquet as pq

    file = pq.ParquetFile(parquet)
    groups = [file.metadata.row_group(i) for i in range(file.metadata.num_row_groups)]
    if sum(group.total_byte_size for group in groups) > _SMALL + _MOST_PACKED * Path(parquet).stat().st_size:
        raise ValueError("the table unpacks to far more than it can hold")
    return file


def read_column(parquet: Any, name: str, rows: int, expected: str, dtype: Any = None) -> NDArray[Any]:
    """A column of a Parquet file; a ValueError if it does not have so many rows, or is not of this type."""
    with opened(parquet) as file:
        if file.metadata.num_rows != rows:  # before it is decoded, which for a short file may take long
            raise ValueError(f"the table has {file.metadata.num_rows} rows where {expected}")
        values: NDArray[Any] = file.read(columns=[name])[name].to_numpy()
    if dtype is not None and values.dtype != dtype:
        raise ValueError(f"column {name} is of type {values.dtype} where {expected}")
    return values if values.dtype == object else checked_counts(values)


def read_with_gaps(parquet: Any, name: str, rows: int, expected: str) -> tuple[NDArray[np.int64], NDArray[np.bool_]]:
    """A column of whole numbers of which some may be missing (0), and which ones are there."""
    import pyarrow.compute as pc

    with opened(parquet) as file:
        if file.metadata.num_rows != rows:
            raise ValueError(f"the table has {file.metadata.num_rows} rows where {expected}")
        column = file.read(columns=[name])[name]
    known = np.asarray(column.is_valid().to_numpy(), np.bool_)
    values = pc.fill_null(column, 0).to_numpy()
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


def distinct_rows(parquet: Any) -> Any:
    """All columns of a Parquet file, read in pieces, so that one row over and over is found before it fills memory."""
    import pyarrow as pa

    with opened(parquet) as file:
        pieces = []
        for batch in file.iter_batches(_PIECE):
            keys = [name for name in batch.schema.names if name not in RESERVED]
            if pa.table(batch).select(keys).group_by(keys).aggregate([]).num_rows != batch.num_rows:
                raise ValueError("the table has the same row twice")
            pieces.append(batch)
        return pa.Table.from_batches(pieces, file.schema_arrow)
