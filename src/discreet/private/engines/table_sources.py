"""Tables in memory and in other engines as sources: Arrow, pandas, polars, DuckDB relations, ibis tables."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from typing import Any

from discreet.private.engines.arrow_columns import from_values, is_text, readable, readable_stream
from discreet.private.engines.base import USER, Source, Wanted
from discreet.private.engines.lazily import Lazily
from discreet.private.engines.session import Limits, picked, private_session, quiet, relation_of
from discreet.private.engines.sql.writing import quoted

pa = Lazily("pyarrow")


class ImportedSource(Source):
    """One table, whatever it is an object of, that is handed to our own DuckDB as Arrow, at once or as a stream.

    A subclass says how (`_arrow`) and, if its tables have no `limit`, how to get one without rows (`_empty`).
    """

    def __init__(self, table: Any, name: str, columns: Iterable[str]) -> None:
        super().__init__(name, columns)
        self._table = table

    def without_rows(self) -> Source:
        return type(self)(self._empty(), self.name, self.columns)

    def _empty(self) -> Any:
        return self._table.limit(0)

    @contextmanager
    def tables(self, wanted: Wanted, limits: Limits, careful: bool) -> Iterator[list[Any]]:
        with private_session(limits) as session:
            rows = session.register(self._arrow(wanted))
            yield [session.view("part", f"SELECT {', '.join(map(quoted, wanted))} FROM {rows}")]

    @abstractmethod
    def _arrow(self, wanted: Wanted) -> Any:
        """The wanted columns, under their aliases."""


class ArrowSource(ImportedSource):
    def _empty(self) -> Any:
        return self._table.schema.empty_table()

    def _arrow(self, wanted: Wanted) -> Any:
        return pa.table({alias: readable(self._table.column(name)) for alias, name in wanted.items()})


def text_without_rows(name: str, columns: Iterable[str]) -> Source:
    """What stands for a source of text alone while nothing of it may be read."""
    return ArrowSource(pa.schema([(column, pa.string()) for column in columns]).empty_table(), name, columns)


class DuckdbSource(ImportedSource):
    """A DuckDB relation, streamed from its own connection to ours."""

    def _arrow(self, wanted: Wanted) -> Any:
        return pa.RecordBatchReader.from_stream(self._table.project(picked(wanted)))


class IbisDuckdbSource(ImportedSource):
    """An ibis table in a DuckDB, streamed to ours, because only there do we know the settings."""

    def _arrow(self, wanted: Wanted) -> Any:
        table = self._table.select(**{alias: self._table[name] for alias, name in wanted.items()})
        return pa.RecordBatchReader.from_stream(relation_of(table))


class IbisSource(ImportedSource):
    """An ibis table, counted where it lives: by its own engine, through its own connection.

    Users are bounded, and told apart, by our own DuckDB, to which a table with users is streamed: not every engine has
    what that takes.
    """

    comes_to_us = False

    @contextmanager
    def tables(self, wanted: Wanted, limits: Limits, careful: bool) -> Iterator[list[Any]]:
        from discreet.private.engines.users import check_kind

        if USER in wanted:
            check_kind(self._table[wanted[USER]].type(), wanted[USER])  # before such a column has to be handed over
            with super().tables(wanted, limits, careful) as parts:
                yield parts
        else:
            yield [self._picked(wanted)]

    def _arrow(self, wanted: Wanted) -> Any:
        with quiet():
            stream = self._picked(wanted).to_pyarrow_batches()
        return readable_stream(stream.schema, stream, list(wanted))

    def _picked(self, wanted: Wanted) -> Any:
        return self._table.select(**{alias: self._table[name] for alias, name in wanted.items()})


class FrameSource(ImportedSource):
    """A pandas or polars frame, or any other that narwhals knows, eager or lazy."""

    def _empty(self) -> Any:
        import narwhals as nw

        if isinstance(self._table, nw.LazyFrame):  # `head` may have to compute, even for no row
            return nw.from_native(self._table.to_native().clear())
        return self._table.head(0)

    def _arrow(self, wanted: Wanted) -> Any:
        import narwhals as nw

        frame = self._table
        # pandas also has names that are no text, such as 0
        own_names = dict(zip(self.columns, frame.collect_schema().names(), strict=True))
        if isinstance(frame, nw.LazyFrame):
            frame = frame.select(*dict.fromkeys(wanted.values())).collect()
        native = frame.to_native()
        return pa.table({alias: _column(native[own_names[name]]) for alias, name in wanted.items()})


def _column(native: Any) -> Any:
    """A column whose type holds for all its rows as it is; any other value by value.

    Arrow must not guess a type from Python objects: one row would then decide how the others are read.
    """
    import narwhals as nw

    series = nw.from_native(native, series_only=True)
    try:
        if series.dtype != nw.Object:
            column = series.to_arrow()
            if series.dtype == nw.String and pa.types.is_null(column.type):  # objects of pandas, none of them a text
                column = column.cast(pa.string())
            kind = column.type.value_type if pa.types.is_dictionary(column.type) else None
            if kind is None or is_text(kind) or pa.types.is_integer(kind):
                return readable(column)
    except (pa.ArrowException, ValueError, TypeError, OverflowError, NotImplementedError):
        pass
    return from_values(series.to_list())
