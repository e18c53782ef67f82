"""Marginals that agree on whatever they share, by least squares: see `effects`."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

import numpy as np

from discreet.queries import Questions
from discreet.summaries.base import Floats
from discreet.transforms.effects import Effects
from discreet.transforms.noise_moments import box_variances

if TYPE_CHECKING:
    from discreet.summaries.marginal_tables import MarginalTables


class AgreeingTables:
    """`tables`: the consistent values of each table, flat."""

    def __init__(self, raw: MarginalTables) -> None:
        self.raw = raw
        measured = zip(raw.parts, raw.places, raw.shapes, strict=True)
        self.effects = Effects(
            raw.schema.sizes,
            (
                (places, part.values.reshape(shape).astype(np.float64), part.variance)
                for part, places, shape in measured
            ),
        )
        self.tables = [self.effects.table(places).reshape(-1) for places in raw.places]

    def answer(self, questions: Questions, tables: list[int]) -> tuple[Floats, Floats, Floats]:
        """Value, variance and an upper bound of the fourth cumulant, from the smallest of the tables: all agree."""
        table = min(tables, key=lambda number: self.effects.cells(self.raw.places[number]))
        value, _ = self.raw.sums(questions, table)
        covariance = partial(self.effects.covariance, questions, self.raw.places[table])
        variance = box_variances(questions.owner, questions.count, covariance)
        return value, variance, self.kurtosis * variance**2

    @property
    def kurtosis(self) -> float:
        """No weighted sum has more than the draw that has most."""
        return max(part.fourth / part.variance**2 for part in self.raw.parts)
