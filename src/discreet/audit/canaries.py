"""Invented rows with canaries: values nobody could guess, in every place from which a value might get out.

All canaries of one table begin with the same random mark, so that one search finds any of them. They are the names of
users, values outside the domain of each attribute, and a column that the schema does not know. No user is above a
bound: which rows count then never depends on their order.
"""

from __future__ import annotations

import base64
from dataclasses import dataclass
from functools import cached_property
from itertools import count

import numpy as np
import pyarrow as pa

from discreet.audit.neighbours import Cell, Invented
from discreet.mechanisms import Request
from discreet.noise import Noise
from discreet.schema import Schema

_USERS = 40
_MOST_ROWS = 3
_NOT_COUNTED = 7


@dataclass(frozen=True)
class Mark:
    """How every canary begins: 24 random hexadecimal digits, or 15 decimal ones where a number is wanted."""

    text: str
    digits: str

    @classmethod
    def fresh(cls) -> Mark:
        bits = Noise().salt()
        return cls(bits[:12].hex(), str(10**14 + int.from_bytes(bits[8:14], "big")))

    @cached_property
    def forms(self) -> list[bytes]:
        """Each mark as text, in two encodings, as hexadecimal digits and in base 64, wherever in it."""
        found = []
        for mark in (self.text, self.digits):
            plain = mark.encode()
            found += [plain, mark.encode("utf-16-le")[:-1], plain.hex().encode()]
            found += [_inside_base64(plain, before) for before in range(3)]
        return [*found, self.text.upper().encode(), bytes.fromhex(self.text)]

    def found_in(self, content: bytes) -> bool:
        return any(form in content for form in self.forms)


def _inside_base64(content: bytes, before: int) -> bytes:
    """What base 64 makes of this content after so many other bytes, without the digits that others have a part in."""
    digits = base64.b64encode(bytes(before) + content).rstrip(b"=")
    return digits[-(-8 * before // 6) : 8 * (before + len(content)) // 6]


@dataclass(frozen=True)
class _Row:
    user: str
    cell: Cell
    #: what stands in the place of the cell's own values
    instead: dict[str, str | None]


class Baited:
    """Tables for a request, full of canaries: one, a neighbour of it, and one with more rows that do not count."""

    def __init__(self, request: Request, mark: Mark, *, one_row_each: bool) -> None:
        self._request, self._mark = request, mark
        self._invented = Invented(request.schema, request.unit)
        self._plain = {name: _plain_codes(request.schema, name) for name in request.schema}
        self._most = 1 if one_row_each else min(_MOST_ROWS, request.unit.most)
        names = {name.casefold() for name in (*request.schema.names, request.unit.column)}
        self._unlisted = next(name for name in ("unlisted" + "_" * more for more in count()) if name not in names)

    @cached_property
    def table(self) -> pa.Table:
        return self._table([*self._crowd(), *self._odd()])

    @cached_property
    def neighbour(self) -> pa.Table:
        """Without the first unit."""
        rows = self._crowd()
        rest = rows[1:] if self._request.unit.is_row else [row for row in rows if row.user != rows[0].user]
        return self._table([*rest, *self._odd()])

    @cached_property
    def longer(self) -> pa.Table | None:
        """With rows that no rule counts, so that nothing may change; None if every row counts somewhere."""
        unit, rows = self._request.unit, []
        for place, (name, attribute) in enumerate(self._request.schema.items()):
            user = f"{self._mark.text}-dropped-{place}"
            if attribute.null == "drop":
                rows += [_Row(user, self._cell(place), {name: None})]
            if attribute.outside == "drop":
                rows += [_Row(user, self._cell(place), {name: f"{self._mark.text}-dropped"})]
        if not unit.is_row:
            rows += [_Row(f"{self._mark.text}-nobody", self._cell(3), {unit.column: None})]
        return self._table([*self._crowd(), *self._odd(), *rows * _NOT_COUNTED]) if rows else None

    def _crowd(self) -> list[_Row]:
        """Users with one row, two rows and so on, each in another cell."""
        rows, number = [], 0
        for user in range(_USERS):
            cells = [self._cell(number + more) for more in range(1 + user % self._most)]
            number += len(cells)
            rows += [_Row(f"{self._mark.text}-{user}", cell, {}) for cell in dict.fromkeys(cells)]
        return rows

    def _odd(self) -> list[_Row]:
        """For each attribute a text and a number outside its domain, of users of their own."""
        rows = []
        for place, name in enumerate(self._request.schema):
            for kind, value in (("text", f"{self._mark.text}-odd"), ("number", f"{self._mark.digits}{place}")):
                rows.append(_Row(f"{self._mark.text}-{kind}-{place}", self._cell(place), {name: value}))
        return rows

    def _cell(self, number: int) -> Cell:
        codes = self._plain.values()
        return tuple(some[(number * number + number * (place + 3)) % len(some)] for place, some in enumerate(codes))

    def _table(self, rows: list[_Row]) -> pa.Table:
        columns = self._invented.rows([(row.user, row.cell) for row in rows]).to_pydict()
        for place, row in enumerate(rows):
            for name, value in row.instead.items():
                columns[name][place] = value
        columns[self._unlisted] = [f"{self._mark.text}-unlisted-{place}" for place in range(len(rows))]
        return pa.table({name: pa.array(values, pa.string()) for name, values in columns.items()})


def _plain_codes(schema: Schema, name: str) -> list[int]:
    """Some codes whose values are the same in a CSV file as anywhere else: without blanks at an end."""
    attribute = schema[name]
    some = np.linspace(0, attribute.size - 1, min(attribute.size, 50), dtype=object)
    codes = list(dict.fromkeys(int(code) for code in some))
    examples = {code: attribute.example(code) for code in codes}
    return [code for code, value in examples.items() if value is None or (value and value == value.strip())] or codes


def reordered(table: pa.Table) -> pa.Table:
    """The same rows in another order: the last first, and every other one moved to the end."""
    order = np.arange(table.num_rows)[::-1]
    return table.take(pa.array(np.concatenate([order[::2], order[1::2]])))
