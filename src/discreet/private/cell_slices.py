"""The cells of a table in slices of consecutive numbers, by public facts alone: empty cells belong to one as well."""

from __future__ import annotations

import math
from bisect import bisect_left
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from discreet.numbers.cell_numbers import number_at
from discreet.private.counts import word_slices


@dataclass(frozen=True)
class CellSlices:
    """`wanted` slices, as even as can be, or one for each value of the first word of a cell if these are fewer."""

    sizes: tuple[int, ...]
    wanted: int

    @cached_property
    def words(self) -> int:
        """How many values the first word of a cell has; in tables below 2**63 cells, the word is the cell's number."""
        return math.prod(self.sizes[word_slices(self.sizes)[0]])

    @property
    def many(self) -> int:
        return min(self.wanted, self.words)

    @property
    def longest(self) -> int:
        """Cells of the first slice, of which no slice has more."""
        cells = self.cells(0)
        return cells.stop - cells.start

    def cells(self, place: int) -> range:
        """The numbers of the cells of a slice."""
        each = math.prod(self.sizes) // self.words
        return range(self._first(place) * each, self._first(place + 1) * each)

    def sql(self, word: str) -> str:
        """In which slice a cell is, by its first word, in Spark's words: whole numbers all the way."""
        short, longer = divmod(self.words, self.many)
        edge = longer * (short + 1)
        return (
            f"CASE WHEN {word} < {edge} THEN {word} DIV {short + 1} ELSE {longer} + ({word} - {edge}) DIV {short} END"
        )

    def parts(self, occupied: NDArray[Any], exact: NDArray[np.int64]) -> Iterator[tuple[range, Any, Any]]:
        """Of each slice: its cells, and those entries (numbers, rising, and values) that lie in it."""
        start = 0
        for place in range(self.many):
            cells = self.cells(place)
            end = bisect_left(range(len(occupied)), cells.stop, lo=start, key=lambda at: number_at(occupied, at))
            yield cells, occupied[start:end], exact[start:end]
            start = end

    def _first(self, place: int) -> int:
        short, longer = divmod(self.words, self.many)
        return place * short + min(place, longer)
