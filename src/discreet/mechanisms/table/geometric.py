"""Noise on every cell of the table.

Source: the geometric mechanism (Ghosh, Roughgarden, Sundararajan 2009), `Geometric` in sparse-summaries.
Guarantee: pure epsilon-differential privacy; the map is the identity, the scale sensitivity / epsilon.
Numerics: exact. Bias: none.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from discreet.errors import BadParameter
from discreet.mechanisms.base import Request
from discreet.mechanisms.table.table_slices import SLICES, Sliceable
from discreet.private.bounded import Bounded
from discreet.queries import Questions
from discreet.summaries.base import Answers, cells_asked
from discreet.summaries.dense_cells import DenseCells, dense_facts, rows_of

if TYPE_CHECKING:
    from discreet.noise import Noise

#: the most cells that one process writes out one by one
MOST_CELLS = 2**27


class Geometric(Sliceable):
    tasks = ("table", "ranges")
    method = "geometric"
    parameters = (SLICES,)

    def __init__(self, request: Request) -> None:
        super().__init__(request)
        self.slices = self.given(SLICES)
        if self.cell_slices.longest > MOST_CELLS:
            what = "the table has" if self.slices is None else f"each of {self.slices:,} slices has"
            raise BadParameter(
                f"{what} {self.cell_slices.longest:,} cells, too many to give each its own noise (at most "
                f"{MOST_CELLS:,}). Use adaptive, fewer attributes, or wider bins"
                + ("" if self.slices is None else ", or more slices")
            )
        self.set_scale()

    def noise_alone(self, questions: Questions, level: float) -> Answers:
        return Answers.of_draws(np.zeros(questions.count), cells_asked(questions).astype(np.int64), self.alpha, level)

    def measure(self, data: Bounded, noise: Noise) -> DenseCells:
        tables = [self.drawn(*part, noise) for part in self.cell_slices.parts(*self.occupied(data.table()))]
        table = tables[0] if len(tables) == 1 else np.concatenate(tables)
        return DenseCells(self.request.schema, table, self.alpha)

    def drawn(self, cells: range, occupied: NDArray[Any], exact: NDArray[np.int64], noise: Noise) -> NDArray[np.int64]:
        table = np.zeros(len(cells), np.int64)
        table[occupied - cells.start] = exact
        noise.add_into(table, self.scale)
        return table

    def slice_table(self, cells: range, drawn: NDArray[np.int64]) -> Any:
        return rows_of(self.request.schema, cells.start, drawn)

    def slice_facts(self) -> dict[str, Any]:
        return {"shape": DenseCells.shape, **dense_facts(self.alpha)}
