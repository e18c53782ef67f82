"""Noisy tables on their way down a path of scales: where each cell starts, and every redraw."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from discreet.kernels.jit import Ints


@dataclass(frozen=True, eq=False)
class Paths:
    """The noisy values of all cells of all tables at the start, and every redraw: which cell, in which step, to what.

    Redraws are in order of table, then step; `bounds` has where each table's begin.
    """

    cells: list[int]
    start: Ints
    answer: Ints
    step: Ints
    value: Ints

    @classmethod
    def of(cls, cells: list[int], start: Ints, answer: Ints, step: Ints, value: Ints) -> Paths:
        table = _table_of(cells, answer)
        order = np.argsort(table * (step.max(initial=0) + 1) + step, kind="stable")  # a cell's redraws stay in order
        return cls(cells, start, answer[order], step[order], value[order])

    @property
    def bounds(self) -> Ints:
        """Where the redraws of each table begin, and the end."""
        return np.searchsorted(_table_of(self.cells, self.answer), np.arange(len(self.cells) + 1))

    def values_after(self, taken: Ints) -> Ints:
        """The noisy values when each table has gone down so many steps."""
        values, bounds = self.start.copy(), self.bounds
        for table, steps in enumerate(taken.tolist()):
            mine = slice(bounds[table], bounds[table + 1])
            last = np.searchsorted(self.step[mine], steps, side="right")
            values[self.answer[mine][:last]] = self.value[mine][:last]
        return values


def _table_of(cells: list[int], answer: Ints) -> Ints:
    return np.searchsorted(np.cumsum(cells), answer, side="right")
