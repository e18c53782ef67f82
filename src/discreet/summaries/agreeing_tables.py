"""Marginals that agree on whatever they share, by least squares.

A table over attributes S is the sum of effects, one for each subset T of S: the part that depends on T and averages to
zero over each attribute of T. Noise that is independent from cell to cell has independent effects. The effect of T
shows in every table whose S contains T, with a variance in proportion to that of the table's cells times the cells
that are added up to get down to T; so the least-squares estimate of each effect is the mean of what the tables say,
weighed by the inverse of these, and the tables put together again from the estimates agree.
"""

from __future__ import annotations

import itertools
import math
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np

from discreet.queries import Questions
from discreet.summaries.base import Floats
from discreet.transforms.noise_moments import box_variances

if TYPE_CHECKING:
    from discreet.summaries.marginal_tables import MarginalTables

Attributes = tuple[int, ...]


class AgreeingTables:
    """`tables`: the consistent values of each table, flat. `variances`: that of each effect's noise."""

    def __init__(self, raw: MarginalTables) -> None:
        self.raw = raw
        self.sizes = raw.schema.sizes
        effects: dict[Attributes, Floats] = {}
        weights: dict[Attributes, float] = {}
        for part, places, shape in zip(raw.parts, raw.places, raw.shapes, strict=True):
            table = part.values.reshape(shape).astype(np.float64)
            for subset in _subsets(places):
                weight = 1 / (part.variance * self._cells(set(places) - set(subset)))
                effects[subset] = effects.get(subset, 0.0) + weight * _effect(table, places, subset)
                weights[subset] = weights.get(subset, 0.0) + weight
        self.variances = {subset: 1 / weight for subset, weight in weights.items()}
        self.effects = {subset: effect / weights[subset] for subset, effect in effects.items()}
        self.tables = [self._together(places).reshape(-1) for places in raw.places]

    def _cells(self, places: Any) -> int:
        return math.prod(self.sizes[place] for place in places)

    def _together(self, places: Attributes) -> Floats:
        """The table over these attributes, from its effects."""
        table = np.zeros([self.sizes[place] for place in places])
        for subset in _subsets(places):
            shape = [self.sizes[place] if place in subset else 1 for place in places]
            table += self.effects[subset].reshape(shape) / self._cells(set(places) - set(subset))
        return table

    def answer(self, questions: Questions, tables: list[int]) -> tuple[Floats, Floats, Floats]:
        """Value, variance and an upper bound of the fourth cumulant, from the smallest of the tables: all agree."""
        table = min(tables, key=lambda number: self._cells(self.raw.places[number]))
        value, _ = self.raw.sums(questions, table)
        covariance = partial(self._covariance, questions, self.raw.places[table])
        variance = box_variances(questions.owner, questions.count, covariance)
        # no weighted sum has more kurtosis than the draw that has most
        return value, variance, max(part.fourth / part.variance**2 for part in self.raw.parts) * variance**2

    def _covariance(self, questions: Questions, places: Attributes, one: Any, other: Any) -> Floats:
        """Of the noise in two boxes: over the effects, products of what each attribute contributes."""
        within, across = [], []
        for place in places:
            first = np.maximum(questions.first[one, place], questions.first[other, place])
            last = np.minimum(questions.last[one, place], questions.last[other, place])
            common = np.maximum(last - first + 1, 0).astype(np.float64)
            lengths = [questions.last[box, place] - questions.first[box, place] + 1.0 for box in (one, other)]
            mean = lengths[0] * lengths[1] / self.sizes[place]
            within.append(common - mean)
            across.append(mean / self.sizes[place])
        total = np.zeros(len(one))
        for subset in _subsets(places):
            product = np.full(len(one), self.variances[subset])
            for number, place in enumerate(places):
                product *= within[number] if place in subset else across[number]
            total += product
        return total


def _subsets(places: Attributes) -> list[Attributes]:
    return [some for size in range(len(places) + 1) for some in itertools.combinations(places, size)]


def _effect(table: Floats, places: Attributes, subset: Attributes) -> Floats:
    """The table summed down to a subset of its attributes, without its mean along each of them."""
    gone = tuple(number for number, place in enumerate(places) if place not in subset)
    effect = np.asarray(table.sum(axis=gone))
    for axis in range(len(subset)):
        effect = effect - effect.mean(axis=axis, keepdims=True)
    return effect
