"""Tables of Spark, counted and bounded there, by the session that they belong to; only aggregates come to us."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from discreet.errors import DiscreetError, SourceError
from discreet.private.engines.base import USER, Source, Wanted
from discreet.private.engines.session import Limits, quiet
from discreet.private.engines.spark_types import names_users, no_value, plain_column

OLDEST = 4
#: settings under which SQL means something else than what we write
_STRANGE = {"spark.sql.parser.escapedStringLiterals": "false"}


class SparkSource(Source):
    """Some rows that Spark can read; a subclass says which, and makes its data frame anew for each reading."""

    counts_itself = True
    has_executors = True
    comes_to_us = False

    def __init__(self, name: str, *, without_rows: bool = False) -> None:
        self._without_rows = without_rows
        _check_version()
        with _told(name, no_rows_yet=True):
            frame = self._frame()
            if frame.isStreaming:
                raise SourceError(f"{name}: is a stream, which has no end to count to; read its table instead")
            super().__init__(name, frame.columns)

    @contextmanager
    def tables(self, wanted: Wanted, limits: Limits, careful: bool) -> Iterator[list[Any]]:
        from discreet.private.engines.spark_backend import SparkBackend

        with _told(self.name), quiet():
            frame = self._frame()
            for setting, usual in _STRANGE.items():
                if frame.sparkSession.conf.get(setting, usual) != usual:
                    raise SourceError(f"{self.name}: Spark cannot count while {setting} is set; set it to {usual}")
            anew = frame.sparkSession.sql("SELECT * FROM {rows}", rows=frame)  # of itself, a frame may be out of date
            fields = {field.name: field for field in anew.schema.fields}
            if USER in wanted and not names_users(field := fields[wanted[USER]]):
                kind = field.dataType.simpleString()
                raise SourceError(
                    f"column {wanted[USER]!r} cannot name users: it must hold text or whole numbers, not {kind}"
                )
            columns = {alias: plain_column(name, fields[name]) for alias, name in wanted.items()}
            if self._without_rows:  # a limit of 0 is no way: while planning, Spark computes columns of small tables
                _check_tables(frame, self.name)
                empty = dict.fromkeys(wanted.values())
                frame = frame.sparkSession.range(0).selectExpr(*(no_value(name, fields[name]) for name in empty))
            plain = frame.selectExpr(*(f"{sql} AS {alias}" for alias, (sql, _) in columns.items()))
            types = {alias: known for alias, (_, known) in columns.items()}
            yield [SparkBackend(frame.sparkSession).table_of(plain, types)]

    @abstractmethod
    def _frame(self) -> Any:
        """The rows as a data frame."""


class SparkFrameSource(SparkSource):
    """A Spark DataFrame, classic or of Spark Connect."""

    def __init__(self, frame: Any, name: str, *, without_rows: bool = False) -> None:
        self._given = frame
        super().__init__(name, without_rows=without_rows)

    def without_rows(self) -> Source:
        return SparkFrameSource(self._given, self.name, without_rows=True)

    def _frame(self) -> Any:
        return self._given


class IbisSparkSource(SparkSource):
    """An ibis table in Spark."""

    def __init__(self, table: Any, name: str, *, without_rows: bool = False) -> None:
        self._given = table
        super().__init__(name, without_rows=without_rows)

    def without_rows(self) -> Source:
        return IbisSparkSource(self._given, self.name, without_rows=True)

    def _frame(self) -> Any:
        backend = self._given.get_backend()
        with quiet():
            backend._run_pre_execute_hooks(self._given)  # registers what the table refers to
            return backend.raw_sql(backend.compile(self._given))


def _check_tables(frame: Any, name: str) -> None:
    """Refuses a data frame whose tables are gone: a classic one is planned when it is made, and does not notice."""
    if (planned := getattr(frame, "_jdf", None)) is None:  # Spark Connect plans anew each time
        return
    leaves = planned.queryExecution().analyzed().collectLeaves()
    for place in range(leaves.size()):
        leaf = leaves.apply(place)
        if leaf.getClass().getSimpleName() == "LogicalRelation" and (found := leaf.catalogTable()).isDefined():
            table = found.get().identifier().unquotedString()
            if not frame.sparkSession.catalog.tableExists(table):
                raise SourceError(f"{name}: its table {table} is gone; make the data frame anew")


def _check_version() -> None:
    import pyspark

    try:
        import ibis.backends.pyspark  # noqa: F401
    except ImportError:
        raise SourceError("Spark needs more: pip install 'discreet[spark]'") from None
    if int(pyspark.__version__.partition(".")[0]) < OLDEST:
        raise SourceError(f"Spark {pyspark.__version__} is too old: version {OLDEST} is needed")


@contextmanager
def _told(name: str, *, no_rows_yet: bool = False) -> Iterator[None]:
    """Failures to plan a query, which happen before any row is read, by the name that Spark has for them.

    Others, too, where no row can have been read; elsewhere they may quote rows, and pass.
    """
    from pyspark.errors import AnalysisException

    reason = None
    try:
        yield
    except AnalysisException as error:
        reason = f"cannot plan the query ({error.getCondition() or 'unknown'}); is its table gone, or did it change?"
    except DiscreetError:
        raise
    except Exception:
        if not no_rows_yet:
            raise
        reason = "does not answer; was its session stopped?"
    if reason is not None:
        raise SourceError(f"{name}: Spark {reason}")
