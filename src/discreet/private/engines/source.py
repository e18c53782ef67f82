"""Opening a source: whatever people hold their rows in, checked before anything private is touched."""

from __future__ import annotations

import codecs
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from discreet.errors import BadParameter, SourceError
from discreet.private.engines.base import Source
from discreet.private.engines.files import CSV_SUFFIXES, PARQUET_SUFFIXES, CsvSource, ParquetSource, found_paths
from discreet.private.engines.frames import ArrowSource, FrameSource, IbisDuckdbSource, IbisSource, RelationSource

__all__ = ["Source", "open_source"]


def open_source(thing: Any, *, delimiter: str | None = None, encoding: str | None = None) -> Source:
    """A source over a path, a pattern or a list of them (CSV, gzipped too, or Parquet), a pandas or polars frame,
    an Arrow table, a DuckDB relation or an ibis table.

    `delimiter` (a comma, or a tab for .tsv) and `encoding` (UTF-8) are for CSV files. Reads names and types of
    columns only.
    """
    if isinstance(thing, Source):
        return thing
    if isinstance(thing, str | Path) or (
        isinstance(thing, list | tuple) and all(isinstance(one, str | Path) for one in thing)
    ):
        return _open_files(thing, delimiter, encoding)
    if delimiter is not None or encoding is not None:
        raise BadParameter("delimiter and encoding are for CSV files; leave them out here")
    return _open_table(thing)


def _open_files(given: str | Path | Iterable[str | Path], delimiter: str | None, encoding: str | None) -> Source:
    paths = found_paths(given)
    parquet = [path for path in paths if path.name.lower().endswith(PARQUET_SUFFIXES)]
    csv = [path for path in paths if path.name.lower().endswith(CSV_SUFFIXES)]
    if unknown := [path for path in paths if path not in parquet and path not in csv]:
        known = ", ".join(CSV_SUFFIXES + PARQUET_SUFFIXES)
        raise SourceError(f"{unknown[0]}: its kind is unknown; convert it to one of {known}")
    if parquet and csv:
        raise SourceError(f"{csv[0]} is CSV and {parquet[0]} Parquet; files read together must be of one kind")
    if parquet:
        if delimiter is not None or encoding is not None:
            raise BadParameter("delimiter and encoding are for CSV files; leave them out for Parquet")
        return ParquetSource(parquet)
    if delimiter is not None and (not isinstance(delimiter, str) or len(delimiter) != 1 or delimiter in '"\r\n'):
        raise BadParameter(f"delimiter must be one character such as ';', not {delimiter!r}")
    try:
        codec = codecs.lookup("utf-8" if encoding is None else encoding).name
        codecs.getincrementaldecoder(codec)().decode(b"").encode()
    except (LookupError, TypeError, AttributeError, ValueError):
        raise BadParameter(f"encoding {encoding!r} is unknown; use a name such as 'utf-8' or 'latin-1'") from None
    return CsvSource(csv, delimiter, "utf-8-sig" if codec == "utf-8" else codec)


def _open_table(thing: Any) -> Source:
    home = type(thing).__module__.split(".")[0]
    if home == "pyarrow":
        import pyarrow as pa

        if isinstance(thing, pa.Table | pa.RecordBatch):
            return ArrowSource(thing)
    elif home == "ibis":
        import ibis

        if isinstance(thing, ibis.Table):
            return _open_ibis(thing)
    elif home in ("duckdb", "_duckdb"):
        import duckdb

        if isinstance(thing, duckdb.DuckDBPyRelation):
            return RelationSource(thing)
    elif (frame := _known_frame(thing)) is not None:
        return FrameSource(frame)
    raise SourceError(
        f"cannot open a {type(thing).__module__}.{type(thing).__qualname__}; give the path of a CSV or Parquet file, "
        "a pandas or polars frame, an Arrow table, a DuckDB relation or an ibis table"
    )


def _open_ibis(table: Any) -> Source:
    from ibis.common.exceptions import IbisError

    try:
        engine = table.get_backend().name
    except IbisError:
        raise SourceError("the ibis table: is not bound to a database; connect first, then take the table") from None
    return IbisDuckdbSource(table) if engine == "duckdb" else IbisSource(table, engine)


def _known_frame(thing: Any) -> Any:
    import narwhals as nw
    from narwhals.exceptions import DuplicateError

    try:
        frame = nw.from_native(thing, pass_through=True)
        if isinstance(frame, nw.DataFrame) or (isinstance(frame, nw.LazyFrame) and frame.implementation.is_polars()):
            frame.collect_schema()
            return frame
    except DuplicateError:
        raise SourceError("the data frame: two columns have the same name; rename one") from None
    return None
