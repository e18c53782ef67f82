"""Noise on every cell of the table.

Source: the geometric mechanism (Ghosh, Roughgarden, Sundararajan 2009), `Geometric` in sparse-summaries.
Guarantee: pure epsilon-differential privacy; the map is the identity, the scale sensitivity / epsilon.
Numerics: exact. Bias: none.
"""

from __future__ import annotations

import numpy as np

from discreet.errors import BadParameter
from discreet.mechanisms.base import Request
from discreet.mechanisms.noise_scales import OneScale
from discreet.noise import Noise
from discreet.private.bounded import Bounded
from discreet.queries import Questions
from discreet.summaries.base import Answers, cells_asked
from discreet.summaries.dense_cells import DenseCells

#: the most cells that are written out one by one
MOST_CELLS = 2**27


class Geometric(OneScale):
    tasks = ("table", "ranges")
    method = "geometric"

    def __init__(self, request: Request) -> None:
        super().__init__(request)
        cells = request.schema.cells
        if cells > MOST_CELLS:
            raise BadParameter(
                f"the table has {cells:,} cells, too many to give each its own noise (at most {MOST_CELLS:,}). "
                "Use adaptive, fewer attributes, or wider bins"
            )
        self.set_scale()

    def noise_alone(self, questions: Questions, level: float) -> Answers:
        return Answers.of_draws(np.zeros(questions.count), cells_asked(questions).astype(np.int64), self.alpha, level)

    def measure(self, data: Bounded, noise: Noise) -> DenseCells:
        table = data.table().dense()
        noise.add_into(table, self.scale)
        return DenseCells(self.request.schema, table, self.alpha)
