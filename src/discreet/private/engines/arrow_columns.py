"""Any column of a data frame as an Arrow array that the engine can read.

A type that can hold no declared value (lists, structs, intervals, ...) becomes a column of times of day, which
the coding treats by the schema's rule for values outside the domain; nulls stay nulls.
"""

from __future__ import annotations

import cmath
from collections.abc import Callable, Iterable, Iterator, Mapping
from datetime import UTC, date, datetime, time
from decimal import Decimal
from pathlib import Path
from typing import Any

import numpy as np

from discreet.private.engines.lazily import Lazily

pa = Lazily("pyarrow")
pc = Lazily("pyarrow.compute")
pq = Lazily("pyarrow.parquet")

#: what folders say of all rows of a file
Said = Callable[[Path], Mapping[str, str | None]]

_OUTSIDE = "\x00outside"
_MICROSECONDS = {"s": 10**6, "ms": 10**3}
#: of a decimal number of 128 bits
_DIGITS = 38


def readable(column: Any) -> Any:
    """The same values in a type that the engine reads; the new type follows from the old one alone."""
    if isinstance(column, pa.ChunkedArray):
        chunks = [readable(chunk) for chunk in column.chunks]
        return pa.chunked_array(chunks or [readable(pa.array([], column.type))])
    kind, types = column.type, pa.types
    if isinstance(kind, pa.BaseExtensionType):  # of most extensions nobody knows what a value says
        if kind.extension_name == "arrow.uuid":
            return pa.array([None if value is None else str(value) for value in column.to_pylist()], pa.string())
        return readable(column.storage) if kind.extension_name == "arrow.json" else _times(column)
    if types.is_run_end_encoded(kind):
        return readable(pc.run_end_decode(column))
    if types.is_dictionary(kind):
        if not is_text(kind.value_type):
            return readable(column.dictionary_decode())
        return pa.DictionaryArray.from_arrays(column.indices, readable(column.dictionary))
    if is_text(kind):
        return _valid_text(column)
    if types.is_fixed_size_binary(kind) or types.is_binary_view(kind):
        return column.cast(pa.large_binary())
    if types.is_float16(kind):
        return column.cast(pa.float32())
    if types.is_decimal(kind) and not types.is_decimal128(kind):
        return column.cast(pa.decimal128(kind.precision, kind.scale) if kind.precision <= _DIGITS else pa.string())
    if types.is_timestamp(kind) and kind.unit in _MICROSECONDS:
        return _in_microseconds(column)
    plain = (
        types.is_boolean, types.is_integer, types.is_floating, types.is_decimal, types.is_date, types.is_timestamp,
        types.is_null, types.is_binary, types.is_large_binary,
    )  # fmt: skip
    return column if any(is_kind(kind) for is_kind in plain) else _times(column)


def _times(column: Any) -> Any:
    nothing = np.asarray(column.is_null().to_numpy(zero_copy_only=False), dtype=bool)
    return pa.array(np.zeros(len(column), dtype=np.int64), mask=nothing).cast(pa.time64("us"))


def from_values(values: Iterable[object]) -> Any:
    """Python objects of any and mixed types as one text column."""
    return pa.array([_text(value) for value in values], pa.large_string())


def parquet_batches(paths: list[Path], names: list[str], above: list[str], said: Said) -> Any:
    """A stream of readable record batches over Parquet files of one layout; `above` are columns that folders say."""

    def opened(path: Path) -> Any:
        return pq.ParquetFile(path, coerce_int96_timestamp_unit="us")

    def batches() -> Iterator[Any]:
        for path in paths:
            with opened(path) as file:
                for batch in file.iter_batches(columns=names):
                    told = said(path) if above else {}
                    same = [pa.array([told[name]] * len(batch), pa.string()) for name in above]
                    yield pa.record_batch([*batch.columns, *same], [*batch.schema.names, *above])

    with opened(paths[0]) as file:
        fields = [file.schema_arrow.field(name) for name in names]
    return readable_stream(pa.schema([*fields, *((name, pa.string()) for name in above)]), batches(), names + above)


def readable_stream(fields: Any, batches: Iterable[Any], names: list[str]) -> Any:
    """A stream of record batches of these columns, in types that the engine reads."""

    def made(batch: Any) -> Any:
        columns = [batch.column(name) for name in names]
        # without dictionaries: those of two batches may differ, and a stream takes them for part of the type
        plain = [one.dictionary_decode() if pa.types.is_dictionary(one.type) else one for one in columns]
        return pa.record_batch([readable(column) for column in plain], names=names)

    empty = made(pa.RecordBatch.from_pylist([], fields))
    return pa.RecordBatchReader.from_batches(empty.schema, map(made, batches))


def is_text(kind: Any) -> bool:
    return bool(pa.types.is_string(kind) or pa.types.is_large_string(kind) or pa.types.is_string_view(kind))


def _valid_text(column: Any) -> Any:
    try:
        column.validate(full=True)
        return column
    except pa.ArrowInvalid:
        raw = column.cast(pa.large_binary())
        texts = [None if value is None else value.decode("utf-8", "replace") for value in raw.to_pylist()]
        return pa.array(texts, column.type)


def _in_microseconds(column: Any) -> Any:
    """Moments too far away for microseconds become the last one there is, which is still outside any domain."""
    factor = _MICROSECONDS[column.type.unit]
    most = (2**63 - 2) // factor
    ticks = column.cast(pa.int64())
    ticks = pc.max_element_wise(pc.min_element_wise(ticks, most, skip_nulls=False), -most, skip_nulls=False)
    return pc.multiply(ticks, factor).cast(pa.timestamp("us", column.type.tz))


def _text(value: object) -> str | None:
    """The canonical text of one object; None if it stands for no value. No object can make this raise."""
    try:
        return _spelt(value)
    except Exception:
        return _OUTSIDE


def _spelt(value: object) -> str | None:
    if isinstance(value, np.generic):
        value = value.item()
    if value is None or type(value).__name__ in ("NAType", "NaTType"):  # how pandas writes a missing value
        return None
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, int):
        return int.__repr__(value)
    if isinstance(value, float | complex) and cmath.isnan(value):
        return None
    if isinstance(value, float):
        return str(int(value)) if abs(value) < 2**53 and value.is_integer() else float.__repr__(value)
    if isinstance(value, Decimal):
        return None if value.is_nan() else _spelt_decimal(value)
    if isinstance(value, str):
        # half a character, which Python strings may hold, becomes U+FFFD
        return str.__str__(value).encode("utf-16", "surrogatepass").decode("utf-16", "replace")
    if isinstance(value, bytes):
        return value.decode("utf-8", "replace")
    if isinstance(value, datetime):
        return _spelt_moment(value if value.tzinfo is None else value.astimezone(UTC))
    return value.isoformat() if isinstance(value, date) else _OUTSIDE


def _spelt_decimal(value: Decimal) -> str:
    if abs(value.adjusted()) > 100:
        return str(value)
    text = f"{value:f}"
    return text.rstrip("0").removesuffix(".") if "." in text else text


def _spelt_moment(value: datetime) -> str:
    if value.time() == time():
        return value.date().isoformat()
    fraction = f".{value.microsecond:06d}".rstrip("0").removesuffix(".")
    return value.replace(tzinfo=None).isoformat(" ", "seconds") + fraction
