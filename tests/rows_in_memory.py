"""Rows of users as a plain list, bounded by the rules in the plainest way: what engines do, without an engine."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from discreet.ledger import Ledger
from discreet.privacy import Unit
from discreet.private.counts import Counts
from discreet.private.kept import Kept, KeptRecords
from discreet.private.publish import Data
from discreet.schema import Schema

Row = tuple[Any, tuple[int, ...]]


def opened(table: pa.Table, schema: Schema, unit: Unit) -> Data:
    """The rows of a table whose every value is a label of the schema."""
    names = [*schema.names, *([] if unit.is_row else [unit.column])]
    columns = [table.column(name).to_pylist() for name in names]
    rows: list[Row] = []
    for number, values in enumerate(zip(*columns, strict=True)):
        user = number if unit.is_row else values[-1]
        rows.append((user, tuple(schema[name].code(value) for name, value in zip(schema, values, strict=False))))
    return Data(schema, unit, Ledger.open(None, "data", None), PlainRows(schema, rows))


@dataclass(frozen=True)
class PlainRows:
    schema: Schema
    rows: list[Row]
    has_rows = True

    def check(self, schema: Schema, unit: Unit, task: str = "table") -> None:
        """There is nothing that could not be counted."""

    def bounded(self, schema: Schema, unit: Unit, salt: bytes, *, repeatable: bool = False) -> PlainBounded:
        places = [self.schema.names.index(name) for name in schema]
        rows = [(user, tuple(codes[place] for place in places)) for user, codes in self.rows]
        return PlainBounded(schema, unit, salt, rows)


@dataclass(frozen=True)
class PlainBounded:
    schema: Schema
    unit: Unit
    salt: bytes
    rows: list[Row]

    def table(self) -> Counts:
        codes = np.array([codes for _, codes in self._bounded()], np.int64).reshape(-1, len(self.schema))
        return Counts.from_arrays(self.schema.sizes, codes, np.ones(len(codes), np.int64))

    def tables(self, sets: Sequence[Sequence[int]]) -> list[Counts]:
        return [self.table().marginal(places) for places in sets]

    def histories(self, looks: int) -> PlainHistories:
        return PlainHistories(self.schema, self.rows)

    def _bounded(self) -> list[Row]:
        kept: list[Row] = []
        for _, rows in _by_user(self.rows, self.salt):
            in_cell: dict[tuple[int, ...], int] = {}
            mine = []
            for row in rows:
                in_cell[row[1]] = in_cell.get(row[1], 0) + 1
                if self.unit.in_cell is None or in_cell[row[1]] <= self.unit.in_cell:
                    mine.append(row)
            kept += mine[: self.unit.most]
        return kept


@dataclass(frozen=True)
class PlainHistories:
    schema: Schema
    rows: list[Row]

    def kept(self, most: int, *, distinct: bool, scores: NDArray[np.float64] | None, salt: bytes) -> Kept:
        starts, words = [0], []
        for _, rows in _by_user(self.rows, salt):
            codes = [codes for _, codes in rows]
            if distinct:  # of each item, the first in an order that is random
                codes = list({one[0]: one for one in reversed(codes)}.values())[::-1]
            if scores is not None:
                codes.sort(key=lambda one: -scores[one[0]])
            words += [int(np.ravel_multi_index(one, self.schema.sizes)) for one in codes[:most]]
            starts.append(len(words))
        return KeptRecords(self.schema.sizes, np.array(starts, np.int64), np.array(words, np.int64))


def _by_user(rows: list[Row], salt: bytes) -> list[tuple[Any, list[Row]]]:
    """Each user's rows, in an order that hashes over the salt, the user and the row's number decide."""
    users: dict[Any, list[Row]] = {}
    for row in rows:
        users.setdefault(row[0], []).append(row)

    def place(user: Any, number: int) -> bytes:
        return hashlib.blake2b(repr((user, number)).encode(), key=salt).digest()

    return [
        (user, [mine[i] for i in sorted(range(len(mine)), key=lambda i: place(user, i))])
        for user, mine in users.items()
    ]
