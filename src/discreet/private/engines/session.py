"""A DuckDB of our own, in memory, whose temporary files lie in a private folder that goes away with it.

Tables larger than memory spill to that folder, below the system's folder for temporary files (TMPDIR).
"""

from __future__ import annotations

import re
import shutil
import tempfile
import traceback
import uuid
import warnings
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from discreet.errors import BadParameter, SourceError

MEMORY_SHARE = "60%"
MOST_THREADS = 1024
BATCH_ROWS = 1 << 20
# DuckDB rounds nanoseconds, and with them the last one of a day into the next
_IN_MICROSECONDS = "make_timestamp(epoch_ns({0}) // 1000 - (epoch_ns({0}) % 1000 < 0)::BIGINT)"
_PLAINER_TYPES = {
    "TIMESTAMP_NS": _IN_MICROSECONDS,
    "TIMESTAMPTZ_NS": _IN_MICROSECONDS,
    "UHUGEINT": "TRY_CAST({} AS DOUBLE)",
    "BIGNUM": "TRY_CAST({} AS DOUBLE)",
    "JSON": "CAST({} AS VARCHAR)",
}


@dataclass(frozen=True)
class Limits:
    """What counting may use of this machine; None leaves the choice to the engine."""

    threads: int | None = None
    memory: str | None = None

    def __post_init__(self) -> None:
        if self.threads is not None and (type(self.threads) is not int or not 1 <= self.threads <= MOST_THREADS):
            raise BadParameter(f"threads must be a whole number from 1 to {MOST_THREADS}, not {self.threads!r}")
        if self.memory is not None and not _is_size(self.memory):
            raise BadParameter(f"memory_limit must be a size such as '4GB' or '50%', not {self.memory!r}")


def _is_size(given: object) -> bool:
    if not isinstance(given, str) or not (found := re.fullmatch(r"(\d{1,18}(?:\.\d+)?) ?(%|[KMGT]i?B)", given)):
        return False
    number, unit = float(found[1]), found[2][0]
    return 0 < number <= 100 if unit == "%" else 0 < number * 1000 ** "_KMGT".index(unit) <= 10**18


@dataclass(frozen=True)
class Session:
    """An open engine (an ibis backend) and the private folder it may write to."""

    backend: Any
    folder: Path

    def new_file(self, suffix: str) -> Path:
        """A file name of its own in the private folder."""
        return self.folder / f"{uuid.uuid4().hex}{suffix}"

    def register(self, rows: Any) -> str:
        """The name under which SQL finds an Arrow table or stream."""
        name = f"rows_{uuid.uuid4().hex}"
        self.backend.con.register(name, rows)
        return name

    def view(self, name: str, query: str) -> Any:
        """An ibis table over a query; types that ibis does not know are turned into some that it does."""
        columns = self.backend.raw_sql(f"DESCRIBE {query}").fetchall()
        plain = [_PLAINER_TYPES.get(kind, "{}").format(quoted(column)) for column, kind, *_ in columns]
        plain = [f"{one} AS {quoted(column)}" for one, (column, *_) in zip(plain, columns, strict=True)]
        self.backend.raw_sql(f"CREATE TEMP VIEW {quoted(name)} AS SELECT {', '.join(plain)} FROM ({query})")
        with quiet():
            return self.backend.table(name)


@contextmanager
def quiet() -> Iterator[None]:
    """Without warnings that ibis still calls functions which DuckDB and pandas are about to retire."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)
        yield


@contextmanager
def kept_table(expression: Any) -> Iterator[Any]:
    """The rows of an ibis expression as a temporary table of its own engine, for the length of the block."""
    backend, name = expression.get_backend(), f"discreet_{uuid.uuid4().hex}"
    with quiet():
        table = backend.create_table(name, expression, temp=True)
    try:
        yield table
    finally:
        backend.raw_sql(f"DROP TABLE {name}")  # ibis's own way to drop fails with some releases of sqlglot


def arrow_batches(expression: Any) -> Iterator[Any]:
    """The rows of an ibis expression, as Arrow batches; from DuckDB as a stream."""
    backend = expression.get_backend()
    with quiet():
        if backend.name != "duckdb":
            yield from backend.to_pyarrow(expression).to_batches()
            return
        # ibis's own way to read batches fails with some releases of DuckDB; this makes it register what it refers to
        backend.to_pyarrow(expression.limit(0).count())
        found = backend.con.sql(backend.compile(expression))
    read_batches = getattr(found, "to_arrow_reader", None) or found.fetch_arrow_reader
    yield from read_batches(BATCH_ROWS)


def remembered_bytes(table: Any) -> int:
    """How much of the rows of a table may stay in memory: a part of what its engine may use, if that is known."""
    backend = table.get_backend()
    if backend.name != "duckdb":
        return 1 << 30
    number, unit = backend.raw_sql("SELECT current_setting('memory_limit')").fetchall()[0][0].split()
    powers = ("bytes", "KiB", "MiB", "GiB", "TiB", "PiB")
    return int(float(number) * 1024 ** powers.index(unit)) // 4


@contextmanager
def private_session(limits: Limits) -> Iterator[Session]:
    """Nothing leaves: no network, no extensions, no prints, and no file once the block is left, in whatever way."""
    import ibis

    folder = Path(tempfile.mkdtemp(prefix="discreet-"))  # for its owner only (0700)
    try:
        config = {
            "temp_directory": str(folder),
            "memory_limit": limits.memory or MEMORY_SHARE,
            "preserve_insertion_order": "false",
            "autoinstall_known_extensions": "false",
            "autoload_known_extensions": "false",
            "allow_persistent_secrets": "false",
            **({} if limits.threads is None else {"threads": limits.threads}),
        }
        backend = ibis.duckdb.connect(":memory:", **config)
        try:
            backend.raw_sql("SET enable_progress_bar = false")
            yield Session(backend, folder)
        finally:
            backend.disconnect()
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def was_stopped(error: BaseException) -> bool:
    """Whether this is what DuckDB makes of Ctrl-C."""
    return type(error) is RuntimeError and str(error) == "Query interrupted"


def unreadable(error: BaseException, name: str) -> SourceError:
    """What the world may know of a failure while reading: that there was one.

    The engine's own words may quote rows, so they go to an attribute that no traceback or log prints.
    """
    from ibis.common.exceptions import OperationNotDefinedError, UnsupportedOperationError

    if isinstance(error, OperationNotDefinedError | UnsupportedOperationError):  # before any row was read
        failure = SourceError(f"{name}: its engine lacks an operation that counting needs; export it to Parquet")
    else:
        failure = SourceError(
            "the data could not be read to the end. The reason may quote the data, so it is not shown here; "
            "the custodian finds it in the attribute private_detail of this error"
        )
    vars(failure)["private_detail"] = "".join(traceback.format_exception(error))
    return failure


def quoted(name: str) -> str:
    """A name for SQL."""
    return '"' + name.replace('"', '""') + '"'


def picked(wanted: Mapping[str, str]) -> str:
    """Columns for SQL, under new names: `wanted` goes from the new name to the old."""
    return ", ".join(f"{quoted(name)} AS {quoted(alias)}" for alias, name in wanted.items())


def literal(text: str) -> str:
    """A text for SQL."""
    return "'" + text.replace("'", "''") + "'"
