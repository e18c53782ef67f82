"""Columns of our own DuckDB as SQL text with a type: what counting asks of columns, named and meant as in ibis.

A column is text in which other columns stand as such (`SqlField`), until it is known in which query it is written.
"""

from __future__ import annotations

from collections.abc import Iterable
from datetime import date
from typing import TYPE_CHECKING, Any, NamedTuple

from discreet.private.engines.sql.kinds import BOOLEAN, DAY, REAL, TEXT, WHOLE, SqlKind
from discreet.private.engines.sql.writing import text_literal, written

if TYPE_CHECKING:
    from discreet.private.engines.sql.own_tables import SqlTable

#: what `strip` takes away
_SPACE = " \t\n\r\v\f"


class SqlField(NamedTuple):
    """A column of a table, by names that no other has."""

    table: str
    name: str


#: what a query is made of, in this order
Parts = tuple[str | SqlField, ...]


class SqlColumn:
    """An expression over the columns of a table, or of none."""

    def __init__(self, parts: Parts, kind: SqlKind, table: SqlTable | None = None, label: str | None = None) -> None:
        self.parts, self.kind, self.table, self.label = parts, kind, table, label

    def type(self) -> SqlKind:
        return self.kind

    def name(self, label: str) -> SqlColumn:
        return SqlColumn(self.parts, self.kind, self.table, label)

    def get_backend(self) -> Any:
        return None if self.table is None else self.table.backend

    def cast(self, kind: str | SqlKind) -> SqlColumn:
        return self._cast("CAST", SqlKind.of(kind))

    def try_cast(self, kind: str | SqlKind) -> SqlColumn:
        return self._cast("TRY_CAST", SqlKind.of(kind))

    def _cast(self, how: str, kind: SqlKind) -> SqlColumn:
        return self if kind == self.kind else made(kind, f"{how}(", self, f" AS {kind.sql})")

    def fill_null(self, value: Any) -> SqlColumn:
        return function("COALESCE", self.kind, self, _as(value, self.kind))

    def nullif(self, value: Any) -> SqlColumn:
        return function("NULLIF", self.kind, self, value)

    def isnull(self) -> SqlColumn:
        return made(BOOLEAN, "(", self, " IS NULL)")

    def notnull(self) -> SqlColumn:
        return made(BOOLEAN, "(", self, " IS NOT NULL)")

    def cases(self, *pairs: tuple[Any, Any], else_: Any = None) -> SqlColumn:
        """The second of the pair whose first this is."""
        return case(self, pairs, else_)

    def between(self, first: Any, last: Any) -> SqlColumn:
        return self._with(">=", first, BOOLEAN) & self._with("<=", last, BOOLEAN)

    # numbers

    def abs(self) -> SqlColumn:
        return function("ABS", self.kind, self)

    def isnan(self) -> SqlColumn:
        return function("ISNAN", BOOLEAN, self)

    def isinf(self) -> SqlColumn:
        return function("ISINF", BOOLEAN, self)

    def floor(self) -> SqlColumn:
        return function("FLOOR", REAL, self).cast(WHOLE)

    def round(self) -> SqlColumn:
        return function("ROUND", REAL, self, 0).cast(WHOLE)

    def hash(self) -> SqlColumn:
        return made(WHOLE, "CAST(CAST(HASH(", self, ") AS BIT) AS BIGINT)")

    # texts

    def strip(self) -> SqlColumn:
        return function("TRIM", TEXT, self, _SPACE)

    def lower(self) -> SqlColumn:
        return function("LOWER", TEXT, self)

    def length(self) -> SqlColumn:
        return function("LENGTH", WHOLE, self)

    def left(self, letters: int) -> SqlColumn:
        return function("SUBSTRING", TEXT, self, 1, letters)

    def substr(self, start: int) -> SqlColumn:
        return function("SUBSTRING", TEXT, self, start + 1)

    def contains(self, part: str) -> SqlColumn:
        return function("CONTAINS", BOOLEAN, self, part)

    def startswith(self, start: str) -> SqlColumn:
        return function("STARTS_WITH", BOOLEAN, self, start)

    def endswith(self, end: str) -> SqlColumn:
        return function("SUFFIX", BOOLEAN, self, end)

    def re_search(self, pattern: str) -> SqlColumn:
        return function("REGEXP_MATCHES", BOOLEAN, self, pattern)

    def re_replace(self, pattern: str, instead: str) -> SqlColumn:
        return function("REGEXP_REPLACE", TEXT, self, pattern, instead, "g")

    # days and moments

    def delta(self, since: Any, unit: str) -> SqlColumn:
        return made(WHOLE, f"DATE_DIFF({text_literal(unit)}, ", _given(since), ", ", self, ")")

    def hour(self) -> SqlColumn:
        return function("HOUR", WHOLE, self)

    def month(self) -> SqlColumn:
        return function("MONTH", WHOLE, self)

    def year(self) -> SqlColumn:
        return function("YEAR", WHOLE, self)

    @property
    def day_of_week(self) -> DayOfWeek:
        return DayOfWeek(self)

    # several rows

    def unnest(self) -> SqlColumn:
        return made(SqlKind(self.kind.sql.removesuffix("[]")), "UNNEST(", self, ")")

    def sum(self) -> Windowed:
        if self.kind.is_floating():
            return Windowed("", function("SUM", REAL, self), "", REAL)
        summed = self.cast("int32") if self.kind.is_boolean() else self
        return Windowed("CAST(", function("SUM", WHOLE, summed), " AS BIGINT)", WHOLE)

    def min(self, where: SqlColumn | None = None) -> SqlColumn:
        return _only(function("MIN", self.kind, self), where)

    def max(self, where: SqlColumn | None = None) -> SqlColumn:
        return _only(function("MAX", self.kind, self), where)

    def quantile(self, share: float) -> SqlColumn:
        return function("QUANTILE_CONT", REAL, self, share)

    def desc(self) -> SqlColumn:
        """For an order only."""
        return made(self.kind, self, " DESC")

    # operators

    def __add__(self, other: Any) -> SqlColumn:
        if self.kind.is_string():
            return self._with("||", other, TEXT)
        return self._with("+", other, self._summed(other))

    def __sub__(self, other: Any) -> SqlColumn:
        return self._with("-", other, self._summed(other))

    def __mul__(self, other: Any) -> SqlColumn:
        return self._with("*", other, self._summed(other))

    def __truediv__(self, other: Any) -> SqlColumn:
        return self._with("/", other, REAL)

    def __floordiv__(self, other: Any) -> SqlColumn:
        return self._with("/", other, REAL).floor()

    def __mod__(self, other: Any) -> SqlColumn:
        return self._with("%", other, self._summed(other))

    def __lt__(self, other: Any) -> SqlColumn:
        return self._with("<", other, BOOLEAN)

    def __le__(self, other: Any) -> SqlColumn:
        return self._with("<=", other, BOOLEAN)

    def __gt__(self, other: Any) -> SqlColumn:
        return self._with(">", other, BOOLEAN)

    def __ge__(self, other: Any) -> SqlColumn:
        return self._with(">=", other, BOOLEAN)

    def __eq__(self, other: object) -> SqlColumn:  # type: ignore[override]
        return self._with("=", other, BOOLEAN)

    def __ne__(self, other: object) -> SqlColumn:  # type: ignore[override]
        return self._with("<>", other, BOOLEAN)

    __hash__ = None  # type: ignore[assignment]

    def __and__(self, other: Any) -> SqlColumn:
        return self._with("AND", other, BOOLEAN)

    def __or__(self, other: Any) -> SqlColumn:
        return self._with("OR", other, BOOLEAN)

    def __invert__(self) -> SqlColumn:
        return made(BOOLEAN, "(NOT ", self, ")")

    def __bool__(self) -> bool:
        raise TypeError("a column is neither true nor false; its rows are")

    def _summed(self, other: Any) -> SqlKind:
        """The type of a sum; 64 bits for all whole numbers, or DuckDB would run out of them sooner."""
        kinds = (self.kind, _kind_of(other))
        if any(kind.is_floating() for kind in kinds):
            return REAL
        if all(kind.is_integer() for kind in kinds):
            return WHOLE
        raise TypeError(f"cannot do sums with {' and '.join(map(str, kinds))}")

    def _with(self, sign: str, other: Any, kind: SqlKind) -> SqlColumn:
        return made(kind, "(", self, f" {sign} ", _given(other), ")")


class DayOfWeek:
    """The day of the week of a day, from 0 for Monday on."""

    def __init__(self, day: SqlColumn) -> None:
        self._day = day

    def index(self) -> SqlColumn:
        return (function("DAYOFWEEK", WHOLE, self._day) + 6) % 7


class Windowed(SqlColumn):
    """A number for all rows together, or `over` those that share something, in an order."""

    def __init__(self, before: str, call: SqlColumn, after: str, kind: SqlKind, window: str = "") -> None:
        whole = made(kind, before, call, window, after)
        super().__init__(whole.parts, kind, call.table)
        self._pieces = before, call, after

    def over(self, group_by: Any = (), order_by: Any = ()) -> SqlColumn:
        before, call, after = self._pieces
        groups, orders = (_listed(some) for some in (group_by, order_by))
        window = [*(["PARTITION BY ", *_with_commas(groups)] if groups else []), " "]
        window += ["ORDER BY ", *_with_commas(orders)] if orders else []
        return made(self.kind, before, call, " OVER (", *window, ")", after)


def made(kind: SqlKind, *pieces: str | SqlColumn) -> SqlColumn:
    """A column that is written so. What is text here is SQL as it stands; values and names never are."""
    parts: list[str | SqlField] = []
    table = None
    for piece in pieces:
        table = piece.table if table is None and isinstance(piece, SqlColumn) else table
        for part in piece.parts if isinstance(piece, SqlColumn) else (piece,):
            if parts and isinstance(part, str) and isinstance(parts[-1], str):
                parts[-1] += part
            else:
                parts.append(part)
    return SqlColumn(tuple(parts), kind, table)


def case(subject: SqlColumn | None, pairs: Iterable[tuple[Any, Any]], otherwise: Any) -> SqlColumn:
    """CASE: of the results that are no columns, each is written in the type that all have."""
    listed = list(pairs)
    results = [result for _, result in listed] + ([] if otherwise is None else [otherwise])
    kind = _common(results)
    if not listed:
        return _as(otherwise, kind)
    pieces: list[str | SqlColumn] = ["CASE"] if subject is None else ["CASE ", subject]
    for found, result in listed:
        pieces += [" WHEN ", _given(found), " THEN ", _as(result, kind)]
    pieces += [] if otherwise is None else [" ELSE ", _as(otherwise, kind)]
    return made(kind, *pieces, " END")


def function(name: str, kind: SqlKind, *given: Any) -> SqlColumn:
    """A call of a function of DuckDB, which is named by us and never by data."""
    return made(kind, f"{name}(", *_with_commas(map(_given, given)), ")")


def literal(value: Any, kind: str | SqlKind | None = None) -> SqlColumn:
    """A value, in a type if one is told."""
    own = _kind_of(value) if kind is None else SqlKind.of(kind)
    plain = own.is_string() or own.is_boolean() or own.is_date() or (own == REAL and isinstance(value, float))
    return made(own, written(value) if plain else f"CAST({written(value)} AS {own.sql})")


def _given(value: Any) -> SqlColumn:
    """A value as a column, in the type in which DuckDB reads it."""
    return value if isinstance(value, SqlColumn) else made(_kind_of(value), written(value))


def _as(value: Any, kind: SqlKind) -> SqlColumn:
    return value if isinstance(value, SqlColumn) else literal(value, kind)


def _common(results: list[Any]) -> SqlKind:
    """The type of all results; of numbers that are not all whole, the widest that is not."""
    kinds = list(map(_kind_of, results))
    if all(kind.is_integer() for kind in kinds):
        return WHOLE
    if any(kind.is_floating() for kind in kinds):
        return REAL if len(set(kinds)) > 1 else kinds[0]
    return kinds[0]


def _kind_of(value: Any) -> SqlKind:
    if isinstance(value, SqlColumn):
        return value.kind
    for known, kind in ((bool, BOOLEAN), (int, WHOLE), (float, REAL), (str, TEXT), (date, DAY)):
        if isinstance(value, known):
            return kind
    raise TypeError(f"no column holds a {type(value).__name__}")


def _only(aggregate: SqlColumn, where: SqlColumn | None) -> SqlColumn:
    return aggregate if where is None else made(aggregate.kind, aggregate, " FILTER (WHERE ", where, ")")


def _listed(some: Any) -> list[Any]:
    return list(some) if isinstance(some, list | tuple) else [some]


def _with_commas(columns: Iterable[SqlColumn]) -> list[str | SqlColumn]:
    return [piece for column in columns for piece in (", ", column)][1:]
