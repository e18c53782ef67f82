"""Invented tables that differ in one unit: what the guarantee is about, made from the schema alone.

A crowd of users, some of them above their bound, and one more unit that is there or not, or is somebody else. The rows
that differ stand last, so that the others are the same rows in the same places.
"""

from __future__ import annotations

import itertools
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from zlib import crc32

import pyarrow as pa

from discreet.noise import Noise, SeededSource
from discreet.privacy import Unit
from discreet.schema import Schema

Cell = tuple[int, ...]

_CROWD = 12
#: a heavy user has so many times the bound, but no more than so many rows beyond it
_HEAVY, _MOST_BEYOND = 10, 20_000
_MANY_ROWS = 3000
#: one record above these, a sum in float32 or float64 goes wrong
_LARGE = (2**24 + 1, 2**53 + 1)
#: counts at which somebody might round, hide or cut
_LADDER = (0, 1, 2, 4, 5, 9, 10, 19, 49, 50, 99, 100, 499, 999, 1000, 9999, 10**6)
_FAR_ROWS, _FAR_HEAP = 600, 1000
_OUTSIDE = "a value of no domain"
_EMPTY_CELL = "one record in an empty cell"
_AT_BOUND = "a unit at its bound, in one cell"


@dataclass(frozen=True)
class Around:
    """A table of rows, or of ready counts, and neighbours of it, each with what is special about it."""

    base: pa.Table
    neighbours: list[tuple[str, pa.Table]]
    #: tables that differ in more than one unit: what they cost means nothing, but equal noise must hide them as well
    far: bool = False
    #: as two Parquet files, with everybody's rows in both, instead of a table in memory
    files: bool = False


@dataclass(frozen=True, eq=False)
class Invented:
    """Tables for a schema and a unit; the same seed gives the same ones."""

    schema: Schema
    unit: Unit
    seed: int = 0

    def tables(self) -> Iterator[Around]:
        """Rows: neighbours of a crowd, of no rows at all, and the crowd as the neighbour of a few others."""
        crowd, units = self._crowd(), dict(self._units())
        replaced = [] if self.unit.neighbours == "add-remove" else self._target(self._opposite(units[_AT_BOUND]))
        with_unit = {what: self.rows([*crowd, *self._target(cells)]) for what, cells in units.items()}
        base = self.rows([*crowd, *replaced])
        yield Around(base, list(with_unit.items()))
        for what in (_EMPTY_CELL, list(units)[-1]):
            yield Around(with_unit[what], [(f"{what}, the other way round", base)])
        alone = [
            (f"{what}, in an empty table", self.rows(self._target(units[what]))) for what in (_EMPTY_CELL, _AT_BOUND)
        ]
        yield Around(self.rows(replaced), alone)
        others = [(f"other {row // 3}", cell) for row, cell in enumerate(itertools.islice(self.cells(), _FAR_ROWS))]
        heap = [(f"one of a heap {row}", self._last) for row in range(_FAR_HEAP)]
        yield Around(base, [("quite another table of rows", self.rows([*others, *heap]))], far=True)
        yield Around(*self._on_disk(base, with_unit, self.rows(crowd)), files=True)

    def _on_disk(
        self, base: pa.Table, with_unit: dict[str, pa.Table], crowd: pa.Table
    ) -> tuple[pa.Table, list[tuple[str, pa.Table]]]:
        """What matters while rows are read: values that no rule knows, and users who are numbers."""
        ends = {0, len(self.schema) - 1}
        tables = {f"a value outside of {self.schema.names[place]}": self._outside(crowd, place) for place in ends}
        tables["a unit without a value"] = self._outside(crowd, None)
        if not self.unit.is_row:
            tables |= {what: with_unit[what] for what in list(with_unit)[-3:]}
        return self._numbered(base), [(f"{what}, in two files", self._numbered(one)) for what, one in tables.items()]

    def cells(self) -> Iterator[Cell]:
        """Any cells, without end."""
        dice = Noise(SeededSource(self.seed))
        while True:
            yield self._any(dice)

    def ready(self) -> Iterator[Around]:
        """Ready counts, so large that floats would not tell neighbours apart."""
        first, last, most = tuple(0 for _ in self.schema.sizes), self._last, self.unit.most
        for large in _LARGE:
            base = Counter({first: large, last: large})
            more = base + Counter({first: most})
            if self.unit.neighbours == "replace":
                base += Counter({last: most})
            tables = [self._counted(one) for one in (base, more)]
            yield Around(tables[0], [(f"a unit on top of {large:,} others", tables[1])])
            yield Around(tables[1], [(f"a unit less than {large:,} others and it", tables[0])])
        yield from self._ladder()

    def _ladder(self) -> Iterator[Around]:
        """Counts of every size, with one unit more on each: a rounding, or a limit, shows at one of them."""
        cells = list(dict.fromkeys(itertools.islice(self.cells(), 20 * len(_LADDER))))[: len(_LADDER)]
        counts = Counter(dict(zip(cells, _LADDER, strict=False)))
        extra = Counter({cells[0]: self.unit.most} if self.unit.neighbours == "replace" else {})
        more = {cell: counts + Counter({cell: self.unit.most}) for cell in cells}
        steps = [(f"a unit on top of {counts[cell]:,} others", self._counted(one)) for cell, one in more.items()]
        yield Around(self._counted(counts + extra), steps)
        yield Around(self._counted({cells[0]: 1}), [("quite another table", self._counted(counts))], far=True)

    def _units(self) -> Iterator[tuple[str, list[Cell]]]:
        """What a unit may have that is there, or takes another's place."""
        crowd = self._crowd()
        taken, free, most = crowd[0][1], self._free(crowd), self.unit.most
        ends = dict.fromkeys([tuple(0 for _ in free), self._last])
        yield _EMPTY_CELL, [free]
        yield "one record in an occupied cell", [taken]
        yield _AT_BOUND, [free] * most
        for cell in ends:
            yield f"{_AT_BOUND} at an end of the table ({'first' if cell != self._last else 'last'})", [cell] * most
        if self.unit.is_row:
            return
        heavy = min(_HEAVY * most, most + _MOST_BEYOND)
        yield "a user at the bound, in many cells", self._spread(most)
        yield "a user one row above the bound", [free] * (most + 1)
        yield "a user one row above the bound, in many cells", self._spread(most + 1)
        yield "a user with one row over and over", [taken] * heavy
        yield "a heavy user", self._spread(heavy)

    def _target(self, cells: list[Cell]) -> list[tuple[str, Cell]]:
        return [("target", cell) for cell in cells]

    def _opposite(self, cells: list[Cell]) -> list[Cell]:
        sizes = self.schema.sizes
        return [tuple(size - 1 - code for code, size in zip(cell, sizes, strict=True)) for cell in cells]

    def _crowd(self) -> list[tuple[str, Cell]]:
        dice = Noise(SeededSource(self.seed))
        some = [self._any(dice) for _ in range(4)]
        rows: list[tuple[str, Cell]] = []
        for user in range(_CROWD):
            most = min(self.unit.most + user % 3 - 1, _MANY_ROWS // _CROWD)  # below, at and above the bound
            cells = [some[_one(dice, 4)] if _one(dice, 10) < 7 else self._any(dice) for _ in range(max(1, most))]
            rows += [(f"user {user}", cell) for cell in cells]
        return rows

    def _any(self, dice: Noise) -> Cell:
        return tuple(_one(dice, size) for size in self.schema.sizes)

    def _free(self, crowd: list[tuple[str, Cell]]) -> Cell:
        """A cell where nobody of the crowd is, if one is found."""
        dice, taken = Noise(SeededSource(self.seed + 1)), {cell for _, cell in crowd}
        found = [self._any(dice) for _ in range(100)]
        return next((cell for cell in found if cell not in taken), found[0])

    @property
    def _last(self) -> Cell:
        return tuple(size - 1 for size in self.schema.sizes)

    def _spread(self, rows: int) -> list[Cell]:
        """Cells that differ in every attribute as far as there are different codes."""
        return [tuple(row % size for size in self.schema.sizes) for row in range(rows)]

    def rows(self, rows: Sequence[tuple[str, Cell]]) -> pa.Table:
        """One row for each user and cell, as text."""
        columns = {
            name: pa.array([attribute.example(cell[place]) for _, cell in rows], pa.string())
            for place, (name, attribute) in enumerate(self.schema.items())
        }
        if not self.unit.is_row:
            columns[self.unit.column] = pa.array([user for user, _ in rows], pa.string())
        return pa.table(columns)

    def _outside(self, crowd: pa.Table, place: int | None) -> pa.Table:
        """One more row, which has a value of no domain at one place, or no value at all."""
        row: list[str | None] = [None] * len(self.schema)
        if place is not None:
            row = [_OUTSIDE if i == place else one.example(0) for i, one in enumerate(self.schema.values())]
        named = {name: pa.array([value], pa.string()) for name, value in zip(self.schema, row, strict=True)}
        if not self.unit.is_row:
            named[self.unit.column] = pa.array(["target"], pa.string())
        return pa.concat_tables([crowd, pa.table(named)])

    def _numbered(self, table: pa.Table) -> pa.Table:
        """The same rows; whole numbers for the names of users."""
        if self.unit.is_row:
            return table
        place = table.column_names.index(self.unit.column)
        numbers = [crc32(name.encode()) for name in table.column(place).to_pylist()]
        return table.set_column(place, self.unit.column, pa.array(numbers, pa.int64()))

    def _counted(self, counts: Mapping[Cell, int]) -> pa.Table:
        columns = {name: [cell[place] for cell in counts] for place, name in enumerate(self.schema)}
        return pa.table({**columns, "": list(counts.values())})


def _one(dice: Noise, size: int) -> int:
    return int(dice.integers(size, 1)[0])


def relations(unit: Unit) -> list[Unit]:
    """The unit as it is declared, and with the other neighbour relation."""
    other = "replace" if unit.neighbours == "add-remove" else "add-remove"
    return [unit, replace(unit, neighbours=other)]
