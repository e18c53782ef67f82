"""Opening a source: whatever people keep their rows in, checked before anything private is read."""

from __future__ import annotations

import codecs
import sys
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

from discreet.errors import BadParameter, SourceError
from discreet.private.engines.base import Source
from discreet.private.engines.database_files import DATABASE_SUFFIXES, open_database_file
from discreet.private.engines.file_sources import (
    ARROW_SUFFIXES,
    CSV_SUFFIXES,
    PARQUET_SUFFIXES,
    ArrowFileSource,
    CsvSource,
    ParquetSource,
    found_paths,
)
from discreet.private.engines.postgres import SCHEMES, IbisPostgresSource, PostgresTable
from discreet.private.engines.spark import IbisSparkSource, SparkFrameSource
from discreet.private.engines.table_sources import ArrowSource, DuckdbSource, FrameSource, IbisDuckdbSource, IbisSource

_KINDS = {"CSV": CSV_SUFFIXES, "Parquet": PARQUET_SUFFIXES, "Arrow": ARROW_SUFFIXES}


def open_source(thing: Any, *, delimiter: str | None = None, encoding: str | None = None) -> Source:
    """A source over a path, a pattern or a list of them (CSV, packed too, Parquet, Arrow), a folder of Parquet files, a
    table in a file of DuckDB or SQLite (people.duckdb::visits) or in PostgreSQL (postgresql://host/db::visits), a
    pandas or polars frame, an Arrow table, a DuckDB relation, a Spark DataFrame or an ibis table.

    `delimiter` (a comma, or a tab for .tsv) and `encoding` (UTF-8) are for CSV files. Reads names and types of
    columns only.
    """
    if isinstance(thing, Source):
        return thing
    several = thing if isinstance(thing, list | tuple) else [thing]
    if any(isinstance(one, str) and one.lower().startswith(SCHEMES) for one in several):
        return _open_postgres(several)
    if not all(isinstance(one, str | Path) for one in several):
        _for_csv_only(delimiter, encoding)
        return _open_table(thing)
    if (inside := _in_database_file(several)) is not None:
        _for_csv_only(delimiter, encoding)
        return open_database_file(*inside)
    kind, paths = _files(several)
    if kind == "CSV":
        return _open_csv(paths, delimiter, encoding)
    _for_csv_only(delimiter, encoding)
    return ParquetSource(paths) if kind == "Parquet" else ArrowFileSource(paths)


def _for_csv_only(delimiter: str | None, encoding: str | None) -> None:
    if delimiter is not None or encoding is not None:
        raise BadParameter("delimiter and encoding are for CSV files; leave them out here")


def _in_database_file(several: Sequence[Any]) -> tuple[Path, str] | None:
    """The file and the table, if one is named as in people.duckdb::visits."""
    for one in several:
        path, _, table = str(one).partition("::")
        if path.lower().endswith(DATABASE_SUFFIXES) and "://" not in path:
            if len(several) > 1:
                raise SourceError("a table in a database cannot be opened together with others; make a view of them")
            return Path(path).expanduser(), table
    return None


def _open_postgres(several: Sequence[Any]) -> Source:
    if len(several) > 1:
        raise SourceError("a table in a database cannot be opened together with others; make a view of them there")
    address, mark, table = str(several[0]).rpartition("::")
    if not mark or "://" not in address or "/" in table or "]" in table:
        raise SourceError(
            'the address of a database says no table; add one, such as "postgresql://host/db::public.visits", '
            'or in a spec table = "public.visits"'
        )
    return PostgresTable(address, table)


def _files(given: Iterable[str | Path]) -> tuple[str, list[Path]]:
    """What kind of files these are, and where they are."""
    paths = found_paths(given)
    kinds = {path: _kind_of(path.name.lower()) for path in paths}
    for path, kind in kinds.items():
        if not kind:
            known = ", ".join(ending for ends in (*_KINDS.values(), DATABASE_SUFFIXES) for ending in ends)
            raise SourceError(f"{path}: its kind is unknown; convert it to one of {known}")
        if kind != kinds[paths[0]]:
            raise SourceError(f"{paths[0]} is {kinds[paths[0]]} and {path} is {kind}; open files of one kind only")
    return kinds[paths[0]], paths


def _kind_of(name: str) -> str:
    return next((kind for kind, ends in _KINDS.items() if name.endswith(ends)), "")


def _open_csv(paths: list[Path], delimiter: str | None, encoding: str | None) -> Source:
    if delimiter is not None and (not isinstance(delimiter, str) or len(delimiter) != 1 or delimiter in '"\r\n'):
        raise BadParameter(f"delimiter must be one character such as ';', not {delimiter!r}")
    try:
        codec = codecs.lookup("utf-8" if encoding is None else encoding).name
        codecs.getincrementaldecoder(codec)().decode(b"").encode()
    except (LookupError, TypeError, AttributeError, ValueError):
        raise BadParameter(f"encoding {encoding!r} is unknown; use a name such as 'utf-8' or 'latin-1'") from None
    return CsvSource(paths, delimiter, "utf-8-sig" if codec == "utf-8" else codec)


def _open_table(thing: Any) -> Source:
    if _is_a(thing, "pyarrow", "Table", "RecordBatch"):
        return ArrowSource(thing, "the Arrow table", thing.schema.names)
    if _is_a(thing, "discreet.release.synthetic_rows", "SyntheticRows"):
        return _open_table(thing.to_arrow())
    if _is_a(thing, "duckdb", "DuckDBPyRelation"):
        return DuckdbSource(thing, "the DuckDB relation", thing.columns)
    if _is_a(thing, "pyspark.sql", "DataFrame"):
        return SparkFrameSource(thing, "the Spark DataFrame")
    if _is_a(thing, "ibis", "Table"):
        return _open_ibis(thing)
    if (frame := _known_frame(thing)) is not None:
        native = type(frame.to_native())
        name = f"the {native.__module__.split('.')[0]} {native.__name__}"
        return FrameSource(frame, name, map(str, frame.collect_schema().names()))
    kind = f"{type(thing).__module__}.{type(thing).__qualname__}".removeprefix("builtins.")
    raise SourceError(
        f"cannot open a {kind}; give the path of a CSV, Parquet or Arrow file, a table in a database, "
        "a pandas or polars frame, an Arrow table, a DuckDB relation, a Spark DataFrame or an ibis table"
    )


def _is_a(thing: Any, library: str, *names: str) -> bool:
    """Whether a thing is of one of these classes, without loading the library of which it is not."""
    loaded = sys.modules.get(library)
    return loaded is not None and isinstance(thing, tuple(getattr(loaded, name) for name in names))


def _open_ibis(table: Any) -> Source:
    from ibis.common.exceptions import IbisError

    try:
        engine = table.get_backend().name
    except IbisError:
        raise SourceError("the ibis table: is not bound to a database; connect first, then take the table") from None
    if engine == "pyspark":
        return IbisSparkSource(table, "the ibis table (pyspark)")
    if engine == "postgres":
        return IbisPostgresSource(table, "the ibis table (postgres)")
    kind = IbisDuckdbSource if engine == "duckdb" else IbisSource
    return kind(table, f"the ibis table ({engine})", table.columns)


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
