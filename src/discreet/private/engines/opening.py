"""Opening a source: whatever people keep their rows in, checked before anything private is read."""

from __future__ import annotations

import codecs
import shutil
import sys
import tempfile
import weakref
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

from discreet.errors import BadParameter, SourceError
from discreet.private.engines.base import Source
from discreet.private.engines.database_files import DATABASE_SUFFIXES, open_database_file
from discreet.private.engines.excel_files import EXCEL_SUFFIXES, ExcelSource
from discreet.private.engines.file_sources import (
    ARROW_SUFFIXES,
    CSV_SUFFIXES,
    PARQUET_SUFFIXES,
    ArrowFileSource,
    CsvSource,
    ParquetSource,
    found_paths,
)
from discreet.private.engines.json_lines import JSON_SUFFIXES, JsonLinesSource
from discreet.private.engines.lake_tables import DeltaSource, lake_at, refuse_parts
from discreet.private.engines.postgres import SCHEMES, IbisPostgresSource, PostgresTable
from discreet.private.engines.remote_files import copied, is_remote, shown
from discreet.private.engines.spark import IbisSparkSource, SparkFrameSource
from discreet.private.engines.table_sources import ArrowSource, DuckdbSource, FrameSource, IbisDuckdbSource, IbisSource

#: what other programs write before the path of a file with a database in it
_FILE_SCHEMES = ("sqlite:///", "duckdb:///")
_KINDS = {"CSV": CSV_SUFFIXES, "Parquet": PARQUET_SUFFIXES, "Arrow": ARROW_SUFFIXES, "JSON lines": JSON_SUFFIXES}


def open_source(
    thing: Any, *, delimiter: str | None = None, encoding: str | None = None, remote: bool = False
) -> Source:
    """A source over a path, a pattern or a list of them (CSV and JSON lines, packed too, Parquet, Arrow), a folder of
    Parquet files or of a Delta table, a sheet of an Excel file (people.xlsx::visits), a table in a file of DuckDB or
    SQLite (people.duckdb::visits) or in PostgreSQL (postgresql://host/db::visits), a pandas or polars frame, an Arrow
    table, a DuckDB relation, a Spark DataFrame or an ibis table.

    `delimiter` (a comma, or a tab for .tsv) and `encoding` (UTF-8) are for CSV files. Reads names and types of
    columns only. With `remote`, files at s3://, gs:// and https:// are copied to this machine first.
    """
    if isinstance(thing, Source):
        return thing
    several = thing if isinstance(thing, list | tuple) else [thing]
    if any(map(is_remote, several)):
        return _open_remote(several, remote, delimiter, encoding)
    if remote:
        raise BadParameter("remote is for addresses such as s3://bucket/people.parquet; leave it out here")
    if any(isinstance(one, str) and one.lower().startswith(SCHEMES) for one in several):
        return _open_postgres(several)
    if not all(isinstance(one, str | Path) for one in several):
        _for_csv_only(delimiter, encoding)
        return _open_table(thing)
    if (inside := _inside_a_file(several)) is not None:
        _for_csv_only(delimiter, encoding)
        return (ExcelSource if inside[0].name.lower().endswith(EXCEL_SUFFIXES) else open_database_file)(*inside)
    if len(several) == 1 and lake_at(folder := Path(several[0]).expanduser()) == "a Delta table":
        _for_csv_only(delimiter, encoding)
        return DeltaSource(folder)
    kind, paths = _files(several)
    if kind == "CSV":
        return _open_csv(paths, delimiter, encoding)
    _for_csv_only(delimiter, encoding)
    if kind == "Parquet":
        refuse_parts(paths)
        return ParquetSource(paths)
    return ArrowFileSource(paths) if kind == "Arrow" else JsonLinesSource(paths)


def _open_remote(several: Sequence[Any], remote: bool, delimiter: str | None, encoding: str | None) -> Source:
    if not remote:  # not shown: it may hold a password
        raise SourceError(
            "the source is an address in an object store or on a web site, and nothing is fetched unless you say so: "
            "remote=True in Python, remote = true under [data] in a spec; or download the file first"
        )
    if not all(map(is_remote, several)):
        raise SourceError("some of the sources are addresses and some are not; open those of one kind only")
    folder = Path(tempfile.mkdtemp(prefix="discreet-"))  # for its owner only
    try:
        there = [one.rpartition("::") if "::" in one else (one, "", "") for one in several]
        copies = [copied(address, folder / str(place)) for place, (address, _, _) in enumerate(there)]
        inside = [f"{copy}{mark}{table}" for copy, (_, mark, table) in zip(copies, there, strict=True)]
        source = open_source(inside, delimiter=delimiter, encoding=encoding)
    except BaseException as error:
        shutil.rmtree(folder, ignore_errors=True)
        if isinstance(error, SourceError):
            raise SourceError(str(error).replace(f"{folder}/", "copy ")) from None
        raise
    source.name = shown(several[0]) + (f" and {len(several) - 1} more" if len(several) > 1 else "")
    weakref.finalize(source, shutil.rmtree, folder, ignore_errors=True)
    return source


def _for_csv_only(delimiter: str | None, encoding: str | None) -> None:
    if delimiter is not None or encoding is not None:
        raise BadParameter("delimiter and encoding are for CSV files; leave them out here")


def _inside_a_file(several: Sequence[Any]) -> tuple[Path, str] | None:
    """The file and the table or sheet, if one is named as in people.duckdb::visits."""
    for one in several:
        path, _, table = str(one).partition("::")
        if scheme := next((scheme for scheme in _FILE_SCHEMES if path.lower().startswith(scheme)), None):
            raise SourceError(f'write the path alone, without {scheme} in front: "{str(one)[len(scheme) :]}"')
        if path.lower().endswith(DATABASE_SUFFIXES + EXCEL_SUFFIXES) and "://" not in path:
            if len(several) > 1:
                raise SourceError("a table in a database or an Excel file cannot be opened together with others")
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
            known = ", ".join(
                ending for ends in (*_KINDS.values(), EXCEL_SUFFIXES, DATABASE_SUFFIXES) for ending in ends
            )
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
        f"cannot open a {kind}; give the path of a CSV, Parquet, Arrow, JSON lines or Excel file, a table in a "
        "database, a pandas or polars frame, an Arrow table, a DuckDB relation, a Spark DataFrame or an ibis table"
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
