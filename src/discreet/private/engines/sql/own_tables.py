"""Tables of our own DuckDB as SQL: what counting asks of tables, named and meant as in ibis."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cached_property
from typing import Any

from discreet.private.engines.sql.columns import SqlColumn, SqlField, Windowed
from discreet.private.engines.sql.kinds import WHOLE, SqlKind
from discreet.private.engines.sql.writing import quoted


class SqlTable:
    """Columns by name, of a table that SQL knows or of a query. Columns are attributes, too, as in ibis.

    A column of a table that this one was made from may be asked for here, too, if it is still there as it was (`older`
    says under which name); else that is an error, and nothing is guessed.
    """

    def __init__(
        self,
        backend: Any,
        found_in: str,
        kinds: Mapping[str, SqlKind],
        older: Mapping[SqlField, str] | None = None,
        *,
        is_ordered: bool = False,
    ) -> None:
        self.backend, self._found_in, self._is_ordered = backend, found_in, is_ordered
        self._kinds, self._older, self._alias = dict(kinds), dict(older or {}), backend.fresh()
        self._joins: tuple[str, Mapping[SqlField, SqlField]] | None = None

    @property
    def columns(self) -> list[str]:
        return list(self._kinds)

    @property
    def sql(self) -> str:
        """A query for all of it."""
        whole = self._found_in
        return whole[1:-1] if whole.startswith("(") else f"SELECT * FROM {whole}"

    def get_backend(self) -> Any:
        return self.backend

    def __getitem__(self, name: str) -> SqlColumn:
        return SqlColumn((SqlField(self._alias, name),), self._kinds[name], self, name)

    def __getattr__(self, name: str) -> SqlColumn:
        if name.startswith("_") or name not in self._kinds:
            raise AttributeError(name)
        return self[name]

    def select(self, *given: Any, **named: Any) -> SqlTable:
        return self._selected(self._resolved(given, named))

    def mutate(self, **named: Any) -> SqlTable:
        return self._selected({name: self[name] for name in self._kinds} | self._resolved((), named))

    def drop(self, *names: str) -> SqlTable:
        return self.select([name for name in self._kinds if name not in names])

    def filter(self, *conditions: Any) -> SqlTable:
        listed = [_written(one, self._places) for one in _flat(conditions)]
        return self._with(f" WHERE {' AND '.join(listed)}") if listed else self

    def distinct(self) -> SqlTable:
        return SqlTable(self.backend, f"(SELECT DISTINCT * FROM {self._from})", self._kinds)

    def order_by(self, keys: Any) -> SqlTable:
        columns = [self[key] if isinstance(key, str) else key for key in _flat([keys])]
        listed = ", ".join(_written(column, self._places) for column in columns)
        return self._with(f" ORDER BY {listed}", is_ordered=True)

    def limit(self, rows: int) -> SqlTable:
        if self._is_ordered:  # a query around this one would not keep its order
            return SqlTable(self.backend, f"({self.sql} LIMIT {int(rows)})", self._kinds)
        return self._with(f" LIMIT {int(rows)}")

    def count(self) -> Windowed:
        return Windowed("", SqlColumn(("COUNT(*)",), WHOLE, self), "", WHOLE)

    def group_by(self, *given: Any, **named: Any) -> SqlGroups:
        return SqlGroups(self, self._resolved(given, named))

    def aggregate(self, *given: Any, **named: Any) -> SqlTable:
        return SqlGroups(self, {}).aggregate(*given, **named)

    def left_join(self, other: SqlTable, on: SqlColumn) -> SqlTable:
        return self._joined("LEFT", other, on, other.columns)

    def inner_join(self, other: SqlTable, on: SqlColumn) -> SqlTable:
        return self._joined("INNER", other, on, other.columns)

    def join(self, other: SqlTable, name: str) -> SqlTable:
        """Rows that are alike in the column of this name."""
        rest = [column for column in other.columns if column != name]
        return self._joined("INNER", other, self[name] == other[name], rest)

    def _joined(self, how: str, other: SqlTable, on: SqlColumn, added: list[str]) -> SqlTable:
        if twice := self._kinds.keys() & set(added):
            raise ValueError(f"both tables have {', '.join(sorted(twice))}")
        if self._places.keys() & other._places.keys():
            raise ValueError("a table is joined with what was made from it")
        source, mine = self._source
        places = {**mine, **other._places}
        columns = {name: self[name] for name in self._kinds} | {name: other[name] for name in added}
        source = f"{source} {how} JOIN {other._from} ON {_written(on, places)}"
        joined = _chosen(self.backend, columns, source, places)
        joined._joins = source, _behind(joined, places)
        return joined

    @property
    def _source(self) -> tuple[str, Mapping[SqlField, SqlField]]:
        """What to select from, and where columns are found in it: tables that were joined join others side by side."""
        return self._joins or (self._from, self._places)

    @property
    def _from(self) -> str:
        return f"{self._found_in} AS {self._alias}"

    @cached_property
    def _places(self) -> dict[SqlField, SqlField]:
        """Which of these columns is meant by a column of this or of an older table."""
        own = {SqlField(self._alias, name): SqlField(self._alias, name) for name in self._kinds}
        return {field: SqlField(self._alias, name) for field, name in self._older.items()} | own

    def _with(self, rest: str, *, is_ordered: bool = False) -> SqlTable:
        older = {field: place.name for field, place in self._places.items()}
        query = f"(SELECT * FROM {self._from}{rest})"
        return SqlTable(self.backend, query, self._kinds, older, is_ordered=is_ordered)

    def _resolved(self, given: Any, named: Mapping[str, Any]) -> dict[str, SqlColumn]:
        """Columns by their names; a function is asked about this table."""
        found: dict[str, SqlColumn] = {}
        for one in _flat(given):
            column = self[one] if isinstance(one, str) else one
            if column.label is None:
                raise ValueError("a column has no name")
            found[column.label] = column
        return found | {name: column(self) if callable(column) else column for name, column in named.items()}

    def _selected(self, columns: Mapping[str, SqlColumn], rest: str = "") -> SqlTable:
        return _chosen(self.backend, columns, *self._source, rest)


class SqlGroups:
    """Rows of a table that agree in some columns."""

    def __init__(self, table: SqlTable, by: Mapping[str, SqlColumn]) -> None:
        self._table, self._by = table, by

    def aggregate(self, *given: Any, **named: Any) -> SqlTable:
        columns = {**self._by, **self._table._resolved(given, named)}
        places = ", ".join(str(place) for place in range(1, len(self._by) + 1))
        return self._table._selected(columns, f" GROUP BY {places}" if places else "")


def union(first: SqlTable, *others: SqlTable) -> SqlTable:
    """The rows of all of these tables, which have the same columns."""
    if any(other._kinds != first._kinds for other in others):
        raise ValueError("tables with other columns cannot follow each other")
    if not others:
        return first
    names = ", ".join(map(quoted, first.columns))
    every = " UNION ALL ".join(f"SELECT {names} FROM {table._from}" for table in (first, *others))
    return SqlTable(first.backend, f"({every})", first._kinds)


def _chosen(
    backend: Any, columns: Mapping[str, SqlColumn], source: str, places: Mapping[SqlField, SqlField], rest: str = ""
) -> SqlTable:
    listed = ", ".join(f"{_written(column, places)} AS {quoted(name)}" for name, column in columns.items())
    kinds = {name: column.kind for name, column in columns.items()}
    kept: dict[SqlField, str] = {}
    for name, column in columns.items():
        if len(column.parts) == 1 and isinstance(field := column.parts[0], SqlField):
            kept.setdefault(places[field], name)
    older = {field: kept[place] for field, place in places.items() if place in kept}
    return SqlTable(backend, f"(SELECT {listed} FROM {source}{rest})", kinds, older)


def _behind(joined: SqlTable, places: Mapping[SqlField, SqlField]) -> Mapping[SqlField, SqlField]:
    """The places, and those of a joined table's own columns."""
    own = {place: places[field] for field, place in joined._places.items() if field in places}
    return {**places, **own}


def _written(column: SqlColumn, places: Mapping[SqlField, SqlField]) -> str:
    """A column as SQL, in a query where columns are found in these places."""
    found = (part if isinstance(part, str) else places[part] for part in column.parts)
    return "".join(one if isinstance(one, str) else f"{one.table}.{quoted(one.name)}" for one in found)


def _flat(given: Any) -> list[Any]:
    return [one for some in given for one in (some if isinstance(some, list | tuple) else [some])]
