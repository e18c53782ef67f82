"""A DuckDB of our own, in memory. Tables that are larger go to a private folder, which is removed with it.

The folder lies in the system's folder for temporary files (TMPDIR).
"""

from __future__ import annotations

import re
import sys
import tempfile
import traceback
import uuid
import warnings
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from numpy.typing import NDArray

from discreet.errors import BadParameter, SourceError, without_secrets
from discreet.private.engines.expressions import is_own
from discreet.private.engines.sql.connection import OwnDuckdb
from discreet.private.engines.sql.writing import quoted

MEMORY_SHARE = "60%"
MOST_THREADS = 1024
BATCH_ROWS = 1 << 20
#: what is switched off: it would turn a join round where there are fewer rows than labels. As written, a join gives its
#: left rows in their order; turned round, where a user's records come depends on the records of others
_CHOOSE_JOIN_SIDES = "join_order,build_side_probe_side"
# DuckDB rounds nanoseconds, and with them the last one of a day into the next
_IN_MICROSECONDS = "make_timestamp(epoch_ns({0}) // 1000 - (epoch_ns({0}) % 1000 < 0)::BIGINT)"
_AS_TEXT = "CAST({} AS VARCHAR)"
_PLAINER_TYPES = {
    "TIMESTAMP_NS": _IN_MICROSECONDS,
    "TIMESTAMPTZ_NS": _IN_MICROSECONDS,
    "UHUGEINT": "TRY_CAST({} AS DOUBLE)",
    "BIGNUM": "TRY_CAST({} AS DOUBLE)",
    "JSON": _AS_TEXT,
    '"NULL"': _AS_TEXT,
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


UNLIMITED = Limits()


def small_table(backend: Any, table: Any) -> Any:
    """A small public table of Arrow as a table of an engine, to be joined."""
    if not is_own(backend):
        import ibis

        return ibis.memtable(table)
    name = f"labels_{uuid.uuid4().hex}"
    backend.con.register(name, table)
    return backend.table(name)


@dataclass(frozen=True)
class Session:
    """Our own engine, open, and the private folder it may write to."""

    backend: OwnDuckdb
    folder: Path

    def register(self, rows: Any) -> str:
        """The name under which SQL finds an Arrow table or stream."""
        name = f"rows_{uuid.uuid4().hex}"
        self.backend.con.register(name, rows)
        return name

    def view(self, name: str, query: str) -> Any:
        """A table over a query; types that the coding does not know are turned into some that it does."""
        plain = [
            f"{_plainer(kind.sql).format(quoted(column))} AS {quoted(column)}"
            for column, kind in self.backend.described(query).items()
        ]
        self.backend.raw_sql(f"CREATE TEMP VIEW {quoted(name)} AS SELECT {', '.join(plain)} FROM ({query})")
        return self.backend.table(name)


def _plainer(kind: str) -> str:
    return _AS_TEXT if kind.startswith("ENUM(") and kind.endswith(")") else _PLAINER_TYPES.get(kind, "{}")


@contextmanager
def quiet() -> Iterator[None]:
    """Without the warnings that ibis calls functions which DuckDB and pandas are about to retire."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)
        yield


@contextmanager
def kept_table(expression: Any) -> Iterator[Any]:
    """The rows of an expression as a temporary table of its own engine, for the length of the block."""
    backend, name = expression.get_backend(), f"discreet_{uuid.uuid4().hex}"
    with quiet():
        table = backend.create_table(name, expression, temp=True)
    try:
        yield table
    finally:
        backend.raw_sql(f"DROP TABLE {name}")  # ibis's own way to drop fails with some releases of sqlglot


def array_batches(expression: Any) -> Iterator[dict[str, NDArray[Any]]]:
    """The rows of an expression, some at a time, as an array for each column; from DuckDB as a stream."""
    for batch in arrow_batches(expression):
        yield {name: batch.column(name).to_numpy(zero_copy_only=False) for name in batch.schema.names}


def arrow_batches(expression: Any) -> Iterator[Any]:
    """The same as Arrow has them."""
    backend = expression.get_backend()
    if backend.name == "duckdb":
        found = relation_of(expression)
        yield from (getattr(found, "to_arrow_reader", None) or found.fetch_arrow_reader)(BATCH_ROWS)
    else:
        yield from arrow_table(expression).to_batches()


def arrow_table(expression: Any, backend: Any = None) -> Any:
    """All rows of an expression."""
    backend = backend or expression.get_backend()
    if is_own(backend):
        found = relation_of(expression)
        return (getattr(found, "to_arrow_table", None) or found.fetch_arrow_table)()
    with quiet():
        return backend.to_pyarrow(expression)


def relation_of(expression: Any) -> Any:
    """An expression as a relation of its DuckDB: ibis's own way to read batches fails with some releases of it."""
    backend = expression.get_backend()
    if is_own(backend):
        return backend.con.sql(expression.sql)
    with quiet():
        backend._run_pre_execute_hooks(expression)  # registers what it refers to; what else does so loads pandas
        return backend.con.sql(backend.compile(expression))


def remembered_bytes(table: Any) -> int:
    """How many bytes of a table's rows may stay in memory: a part of what its engine may use, if that is known."""
    backend = table.get_backend()
    if backend.name != "duckdb":
        return 1 << 30
    number, unit = backend.raw_sql("SELECT current_setting('memory_limit')").fetchall()[0][0].split()
    powers = ("bytes", "KiB", "MiB", "GiB", "TiB", "PiB")
    return int(float(number) * 1024 ** powers.index(unit)) // 4


@contextmanager
def private_session(limits: Limits) -> Iterator[Session]:
    """Nothing gets out: no network, no extensions, no prints, and no file after the block, however it ends."""
    # for its owner only (0700)
    with tempfile.TemporaryDirectory(prefix="discreet-", ignore_cleanup_errors=True) as folder:
        config = {
            "temp_directory": folder,
            "memory_limit": limits.memory or MEMORY_SHARE,
            "preserve_insertion_order": "false",
            "disabled_optimizers": _CHOOSE_JOIN_SIDES,
            "autoinstall_known_extensions": "false",
            "autoload_known_extensions": "false",
            "allow_persistent_secrets": "false",
            **({} if limits.threads is None else {"threads": limits.threads}),
        }
        backend = OwnDuckdb(config)
        try:
            backend.raw_sql("SET enable_progress_bar = false")
            yield Session(backend, Path(folder))
        finally:
            backend.disconnect()


def was_stopped(error: BaseException) -> bool:
    """Whether this is the error that DuckDB raises at Ctrl-C."""
    return type(error) is RuntimeError and str(error) == "Query interrupted"


def unreadable(error: BaseException, name: str) -> SourceError:
    """What anyone may know of a failure while reading: that there was one.

    The engine's own message may quote rows, so it goes to an attribute that no traceback or log prints.
    """
    if _lacks_an_operation(error):  # before any row was read
        failure = SourceError(f"{name}: its engine lacks an operation that counting needs; export it to Parquet")
    else:
        failure = SourceError(
            "the data could not be read to the end. The reason may quote the data, so it is not shown here; "
            "the custodian finds it in the attribute private_detail of this error"
        )
    failure.private_detail = without_secrets("".join(traceback.format_exception(error)))
    return failure


def _lacks_an_operation(error: BaseException) -> bool:
    """Whether ibis says so, which can only be if it is loaded."""
    ibis = sys.modules.get("ibis.common.exceptions")
    return ibis is not None and isinstance(error, ibis.OperationNotDefinedError | ibis.UnsupportedOperationError)


def picked(wanted: Mapping[str, str]) -> str:
    """Columns for SQL, under new names: `wanted` goes from the new name to the old."""
    return ", ".join(f"{quoted(name)} AS {quoted(alias)}" for alias, name in wanted.items())
