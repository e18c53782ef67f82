"""Private rows, read once for many trials: as counts where rows are the unit, else as codes with their users."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import cached_property
from typing import TYPE_CHECKING, Any

import pyarrow as pa

from discreet.privacy import Unit
from discreet.private.bounded import Bounded, Origin
from discreet.private.counts import Counts
from discreet.private.engines.base import USER
from discreet.private.engines.coding import coded
from discreet.private.engines.counting_query import read
from discreet.private.engines.opening import open_source
from discreet.private.engines.session import arrow_table, remembered_bytes
from discreet.private.engines.users import with_users
from discreet.private.engines.values import engine_of
from discreet.private.rows import Rows
from discreet.schema import Ordinal, Schema

if TYPE_CHECKING:
    from discreet.private.kept import Histories

#: more rows than any user has
_ALL = 10**9
#: for one row, about what a user takes beside the codes
_USER_BYTES = 32


class RememberedCounts:
    """Bounded data whose counts are taken once, however often they are asked for."""

    def __init__(self, data: Bounded, is_row: bool) -> None:
        self._data, self._is_row = data, is_row
        self._table: Counts | None = None
        self._tables: dict[tuple[tuple[int, ...], ...], list[Counts]] = {}

    def table(self) -> Counts:
        if self._table is None:
            self._table = self._data.table()
        return self._table

    def tables(self, sets: Sequence[Sequence[int]]) -> list[Counts]:
        if self._table is not None:
            return self._table.tables(sets)
        key = tuple(map(tuple, sets))
        if key not in self._tables:
            self._tables[key] = self._data.tables(sets)
        return self._tables[key]

    def histories(self, looks: int) -> Histories:
        return self.table().histories(looks) if self._is_row else self._data.histories(looks)


class RememberedRows:
    """The rows of some attributes, for any salt."""

    def __init__(self, origin: Origin, schema: Schema, unit: Unit) -> None:
        self._origin, self._schema, self._unit = origin, schema, unit
        every = Unit() if unit.is_row or not origin.has_rows else unit.widened(_ALL)
        if isinstance(origin, Rows) and not unit.is_row:
            # in the same order every time; a column of that name may be an attribute, too
            limits, named = (
                replace(origin.limits, threads=1),
                replace(unit, column=USER + "_" * len(max(schema, key=len))),
            )
            codes = read(origin.source, schema, unit, limits, lambda parts: _codes(parts, schema, unit, named.column))
            if codes is not None:
                self._origin, self._unit, every = Rows(open_source(codes), origin.limits), named, Unit()
                self._schema = Schema({name: Ordinal(0, schema[name].size - 1) for name in schema})
        self._all = RememberedCounts(self._origin.bounded(self._schema, every, b"all rows are in."), every.is_row)

    def all_rows(self) -> Bounded:
        """Every row that the schema's rules count and that names a user, if these are the unit; none is left out."""
        return self._all

    @cached_property
    def some_are_left_out(self) -> bool:
        """Whether the unit's bounds leave out rows."""
        every, left = (int(data.table().counts.sum()) for data in (self._all, self.bounded(b"how many remain.")))
        return left < every

    def bounded(self, salt: bytes) -> Bounded:
        if self._unit.is_row or not self._origin.has_rows:  # nothing is chosen, so all trials see the same
            return self._all
        return RememberedCounts(self._origin.bounded(self._schema, self._unit, salt, repeatable=True), False)


def _codes(parts: list[Any], schema: Schema, unit: Unit, user: str) -> pa.Table | None:
    """The codes of all rows that count and their users; None if they are too many to remember."""
    engine = engine_of(parts[0].get_backend())
    aliases = {f"a{place}": attribute for place, attribute in enumerate(schema.values())}
    kinds = [part[USER].type() for part in parts]
    rows = []
    for raw in parts:
        part = with_users(raw, engine, unit.column, kinds)
        codes = coded(part, aliases, {"user_id": part[USER]}, engine)
        rows.append(codes.filter([codes[name].notnull() for name in codes.columns]))
    most = remembered_bytes(parts[0]) // (8 * len(aliases) + _USER_BYTES)
    every = engine.words.union(*rows).limit(most + 1)
    table = arrow_table(every)
    return table.rename_columns([*schema.names, user]) if table.num_rows <= most else None
