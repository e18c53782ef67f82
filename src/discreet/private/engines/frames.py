"""Tables in memory and in other engines as sources: Arrow, pandas, polars, DuckDB relations, ibis tables."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any

from discreet.private.engines.arrow_columns import from_values, is_text, readable
from discreet.private.engines.base import Source
from discreet.private.engines.session import Limits, picked, private_session, quoted


class MemorySource(Source):
    """Something that turns into Arrow, column by column or as a stream, and is then read by our own DuckDB."""

    @contextmanager
    def tables(self, wanted: Mapping[str, str], limits: Limits, careful: bool) -> Iterator[list[Any]]:
        with private_session(limits) as session:
            rows = session.register(self._arrow(wanted))
            yield [session.view("part", f"SELECT {', '.join(map(quoted, wanted))} FROM {rows}")]

    @abstractmethod
    def _arrow(self, wanted: Mapping[str, str]) -> Any:
        """The wanted columns, under their aliases."""


class ArrowSource(MemorySource):
    def __init__(self, table: Any) -> None:
        super().__init__("the Arrow table", table.schema.names)
        self._table = table

    def without_rows(self) -> Source:
        return ArrowSource(self._table.schema.empty_table())

    def _arrow(self, wanted: Mapping[str, str]) -> Any:
        import pyarrow as pa

        return pa.table({alias: readable(self._table.column(name)) for alias, name in wanted.items()})


class FrameSource(MemorySource):
    """A pandas or polars frame, or any other that narwhals knows, eager or lazy."""

    def __init__(self, frame: Any) -> None:
        native = type(frame.to_native())
        self._names = list(frame.collect_schema().names())
        super().__init__(f"the {native.__module__.split('.')[0]} {native.__name__}", map(str, self._names))
        self._frame = frame

    def without_rows(self) -> Source:
        import narwhals as nw

        if isinstance(self._frame, nw.LazyFrame):  # even for no row it may have to compute
            return FrameSource(nw.from_native(self._frame.to_native().clear()))
        return FrameSource(self._frame.head(0))

    def _arrow(self, wanted: Mapping[str, str]) -> Any:
        import narwhals as nw
        import pyarrow as pa

        picked = {alias: self._names[self.columns().index(name)] for alias, name in wanted.items()}
        frame = self._frame
        if isinstance(frame, nw.LazyFrame):
            frame = frame.select(*dict.fromkeys(picked.values())).collect()
        return pa.table({alias: _column(_series(frame, name)) for alias, name in picked.items()})


def _series(frame: Any, name: Any) -> Any:
    import narwhals as nw

    # pandas has names that are no texts, such as 0
    return frame[name] if isinstance(name, str) else nw.from_native(frame.to_native()[name], series_only=True)


def _column(series: Any) -> Any:
    """A column whose type holds for all its rows as it is; any other value by value.

    Python objects must not be given to Arrow to guess a type from: one row would then decide how others are read.
    """
    import narwhals as nw
    import pyarrow as pa

    if series.dtype == nw.Object:
        return from_values(series.to_list())
    try:
        column = series.to_arrow()
        kind = column.type
        if pa.types.is_dictionary(kind) and not (is_text(kind.value_type) or pa.types.is_integer(kind.value_type)):
            return from_values(series.to_list())
        return readable(column)
    except (pa.ArrowException, ValueError, TypeError, OverflowError, NotImplementedError):
        return from_values(series.to_list())


class RelationSource(MemorySource):
    """A DuckDB relation, streamed from its own connection to ours."""

    def __init__(self, relation: Any) -> None:
        super().__init__("the DuckDB relation", relation.columns)
        self._relation = relation

    def without_rows(self) -> Source:
        return RelationSource(self._relation.limit(0))

    def _arrow(self, wanted: Mapping[str, str]) -> Any:
        return _stream(self._relation.project(picked(wanted)))


class IbisSource(Source):
    """An ibis table, counted where it lives: by its own engine, through its own connection."""

    def __init__(self, table: Any, engine: str) -> None:
        super().__init__(f"the ibis table ({engine})", table.columns)
        self._table = table

    def without_rows(self) -> Source:
        return self

    @contextmanager
    def tables(self, wanted: Mapping[str, str], limits: Limits, careful: bool) -> Iterator[list[Any]]:
        yield [self._table.select(**{alias: self._table[name] for alias, name in wanted.items()})]


class IbisDuckdbSource(MemorySource):
    """An ibis table in a DuckDB, streamed to ours: only there are we sure what the engine takes for granted."""

    def __init__(self, table: Any) -> None:
        super().__init__("the ibis table (duckdb)", table.columns)
        self._table = table

    def without_rows(self) -> Source:
        return IbisDuckdbSource(self._table.limit(0))

    def _arrow(self, wanted: Mapping[str, str]) -> Any:
        backend = self._table.get_backend()
        backend.to_pyarrow(self._table.limit(0).count())  # makes ibis register what the table is made of
        query = backend.compile(self._table.select(*dict.fromkeys(wanted.values())))
        return _stream(backend.con.sql(f"SELECT {picked(wanted)} FROM ({query})"))


def _stream(relation: Any) -> Any:
    import pyarrow as pa

    return pa.RecordBatchReader.from_stream(relation)
