"""Columns of Arrow as arrays. Arrow's own way, `to_numpy`, loads pandas wherever it is installed."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

_NUMBERS = {
    "double": np.float64,
    "float": np.float32,
    **{f"int{bits}": getattr(np, f"int{bits}") for bits in (8, 16, 32, 64)},
    **{f"uint{bits}": getattr(np, f"uint{bits}") for bits in (8, 16, 32, 64)},
}


def array_of(column: Any) -> NDArray[Any]:
    """What `to_numpy` makes of a column, chunked or not; by its bytes if it holds numbers or marks and no null."""
    if column.null_count or (dtype := _dtype(column)) is None:
        found: NDArray[Any] = column.to_numpy() if hasattr(column, "chunks") else column.to_numpy(zero_copy_only=False)
        return found
    return np.concatenate([np.empty(0, dtype), *(_entries(chunk, 1, dtype) for chunk in _chunks(column))])


def array_with_gaps(column: Any) -> tuple[NDArray[Any], NDArray[np.bool_]]:
    """The numbers of a column, 0 for nulls, and which ones are there."""
    dtype = _dtype(column)
    if dtype is None:
        raise ValueError(f"a column is of type {column.type} where numbers are expected")
    known = valid(column)
    values = np.concatenate([np.empty(0, dtype), *(_entries(chunk, 1, dtype) for chunk in _chunks(column))])
    values[~known] = 0
    return values, known


def with_gaps(column: Any, known: NDArray[np.bool_]) -> Any:
    """A column without nulls that is no slice, with nulls where it is not known; Arrow's own ways load more."""
    import pyarrow as pa

    marks = pa.py_buffer(np.packbits(known, bitorder="little").tobytes())
    return pa.Array.from_buffers(column.type, len(column), [marks, *column.buffers()[1:]])


def valid(column: Any) -> NDArray[np.bool_]:
    """Which entries are not null."""
    return np.concatenate(
        [np.empty(0, np.bool_), *(_entries(chunk, 0, np.dtype(np.bool_)) for chunk in _chunks(column))]
    )


def _chunks(column: Any) -> list[Any]:
    return list(getattr(column, "chunks", [column]))


def _dtype(column: Any) -> np.dtype[Any] | None:
    kind = str(column.type)
    return np.dtype(np.bool_) if kind == "bool" else np.dtype(_NUMBERS[kind]) if kind in _NUMBERS else None


def _entries(chunk: Any, part: int, dtype: np.dtype[Any]) -> NDArray[Any]:
    """Of one array: what its marks of validity (0) or its values (1) hold. No such marks: all are valid."""
    held, start, end = chunk.buffers()[part], chunk.offset, chunk.offset + len(chunk)
    if held is None or start == end:
        return np.ones(end - start, dtype)
    if dtype == np.bool_:
        bits = np.frombuffer(held, np.uint8, count=-(-end // 8))
        return np.unpackbits(bits, bitorder="little")[start:end].view(np.bool_)
    return np.frombuffer(held, dtype, count=end)[start:]
