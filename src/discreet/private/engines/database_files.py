"""Tables in files of DuckDB and SQLite, which are only read."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

from discreet.errors import SourceError
from discreet.private.engines.arrow_columns import from_values
from discreet.private.engines.base import Source, Wanted
from discreet.private.engines.lazily import Lazily
from discreet.private.engines.sql.writing import quoted
from discreet.private.engines.table_sources import DuckdbSource, ImportedSource, text_without_rows

pa = Lazily("pyarrow")

DUCKDB_SUFFIXES = (".duckdb", ".ddb")
SQLITE_SUFFIXES = (".sqlite", ".sqlite3", ".db")
DATABASE_SUFFIXES = DUCKDB_SUFFIXES + SQLITE_SUFFIXES
_TOGETHER = 1 << 16


def open_database_file(path: Path, table: str) -> Source:
    """A table or view of a file, by its name, or in DuckDB by schema and name with a point between."""
    if not path.is_file():
        raise SourceError(f"{path}: there is no such file; correct the path")
    if not table:
        raise SourceError(f'{path}: is a database; say which table, such as "{path.name}::visits"')
    if path.name.lower().endswith(DUCKDB_SUFFIXES):
        return _open_duckdb(path, table)
    return SqliteSource(path, table)


def _open_duckdb(path: Path, table: str) -> Source:
    import duckdb

    config: dict[str, Any] = {"autoinstall_known_extensions": "false", "autoload_known_extensions": "false"}
    try:
        connection = duckdb.connect(str(path), read_only=True, config=config)
        rows = connection.table(".".join(quoted(part) for part in table.split(".")))
    except duckdb.CatalogException:
        raise SourceError(f"{path}: there is no table {table!r}") from None
    except duckdb.Error:
        raise SourceError(f"{path}: cannot be read; is it a DuckDB file, and does nobody write to it?") from None
    return DuckdbSource(rows, f"{path}::{table}", rows.columns)


class SqliteSource(ImportedSource):
    """A table of SQLite, whose columns hold values of any type, so all are read value by value, as text."""

    is_stream = True

    def __init__(self, path: Path, table: str) -> None:
        self._path = path
        try:
            with closing(self._opened()) as database:
                columns = [name for name, *_ in database.execute(f"SELECT * FROM {quoted(table)} LIMIT 0").description]
        except sqlite3.Error:
            raise SourceError(f"{path}: cannot be read, or has no table {table!r}; is it a SQLite file?") from None
        super().__init__(table, f"{path}::{table}", columns)

    def without_rows(self) -> Source:
        return text_without_rows(self.name, self.columns)

    def _opened(self) -> sqlite3.Connection:
        # DuckDB's threads read the stream, one after the other
        database = sqlite3.connect(f"{self._path.absolute().as_uri()}?mode=ro", uri=True, check_same_thread=False)
        database.text_factory = lambda raw: raw.decode("utf-8", "replace")
        return database

    def _arrow(self, wanted: Wanted) -> Any:
        fields = pa.schema([(alias, pa.large_string()) for alias in wanted])
        picked = ", ".join(quoted(name) for name in wanted.values())

        def batches() -> Iterator[Any]:
            with closing(self._opened()) as database:
                cursor = database.execute(f"SELECT {picked} FROM {quoted(self._table)}")
                while rows := cursor.fetchmany(_TOGETHER):
                    yield pa.record_batch([from_values(column) for column in zip(*rows, strict=True)], fields)

        return pa.RecordBatchReader.from_batches(fields, batches())
