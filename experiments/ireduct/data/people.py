"""People with some attributes, each a code from 0, and their exact marginals."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from discreet.private.counts import Counts
from discreet.schema import Schema
from experiments.shared.chance import shuffled

FOLDS = 10
TARGET = "education"

Integers = NDArray[np.int64]
Sets = Sequence[Sequence[str]]


@dataclass(frozen=True, eq=False)
class People:
    """One row per person: a code for each attribute, by name."""

    schema: Schema
    columns: dict[str, NDArray[np.uint16]]

    @property
    def rows(self) -> int:
        return len(self.columns[TARGET])

    def tables(self, sets: Sets) -> list[Integers]:
        """The exact marginals, each flat."""
        return [np.bincount(self._cells(names), minlength=self.cells(names)) for names in sets]

    def tables_by_fold(self, sets: Sets) -> list[Integers]:
        """The same for each fold: folds x cells."""
        found = []
        for names in sets:
            cells = self.cells(names)
            both = self._cells(names) + cells * self.fold
            found.append(np.bincount(both, minlength=FOLDS * cells).reshape(FOLDS, cells))
        return found

    def counts(self, sets: Sets, tables: Sequence[Integers]) -> list[Counts]:
        """Flat tables as a mechanism takes them."""
        found = []
        for names, table in zip(sets, tables, strict=True):
            sizes = [self.schema[name].size for name in names]
            filled = np.flatnonzero(table)
            found.append(Counts(sizes, np.stack(np.unravel_index(filled, sizes), axis=1), table[filled]))
        return found

    def cells(self, names: Sequence[str]) -> int:
        return int(np.prod([self.schema[name].size for name in names]))

    @cached_property
    def fold(self) -> Integers:
        """Which of ten parts of equal size a person is in, at random."""
        return shuffled(self.rows, 1) % FOLDS

    def _cells(self, names: Sequence[str]) -> Integers:
        cell = np.zeros(self.rows, np.int64)
        for name in names:
            cell *= self.schema[name].size
            cell += self.columns[name]
        return cell
