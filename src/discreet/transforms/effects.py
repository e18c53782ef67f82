"""Least squares over noisy tables that share attributes, by effects.

A table over attributes S is the sum of effects, one for each subset T of S: the part that depends on T and averages to
zero over each attribute of T. Noise that is independent from cell to cell has independent effects. The effect of T
shows in every table whose S contains T, with a variance in proportion to that of the table's cells times the cells
that are added up to get down to T; so the least-squares estimate of each effect is the mean of what the tables say,
weighed by the inverse of these, and the tables put together again from the estimates agree.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np

from discreet.queries import Boxes
from discreet.transforms.axis import Floats

Attributes = tuple[int, ...]
#: the attributes of a table, by their places in the schema, and its values, with an axis for each
Placed = tuple[Attributes, Floats]


class Effects:
    """`values`: the estimate of each effect. `variances`: that of its noise, before its means are taken off."""

    def __init__(self, sizes: Sequence[int], tables: Iterable[tuple[Attributes, Floats, float]]) -> None:
        """Each table with its attributes in rising order, and the variance of its cells."""
        self.sizes = tuple(sizes)
        sums: dict[Attributes, Floats] = {}
        weights: dict[Attributes, float] = {}
        for places, table, variance in tables:
            for subset in subsets(places):
                weight = 1 / (variance * self.cells(set(places) - set(subset)))
                sums[subset] = sums.get(subset, 0.0) + weight * effect(table, places, subset)
                weights[subset] = weights.get(subset, 0.0) + weight
        self.variances = {subset: 1 / weight for subset, weight in weights.items()}
        self.values = {subset: total / weights[subset] for subset, total in sums.items()}

    def cells(self, places: Iterable[int]) -> int:
        return math.prod(self.sizes[place] for place in places)

    def knows(self, places: Attributes) -> bool:
        """Whether some table has all these attributes."""
        return places in self.values

    def table(self, places: Attributes) -> Floats:
        """The table over these attributes, from its effects."""
        table = np.zeros([self.sizes[place] for place in places])
        for subset in subsets(places):
            shape = [self.sizes[place] if place in subset else 1 for place in places]
            table += self.values[subset].reshape(shape) / self.cells(set(places) - set(subset))
        return table

    def own_variance(self, places: Attributes) -> float:
        """Of one cell's noise in the effect of these attributes, which is what is left without all means."""
        left = math.prod(1 - 1 / self.sizes[place] for place in places)
        return self.variances[places] * left

    def cell_variance(self, places: Attributes) -> float:
        """Of one cell's noise in the table over these attributes."""
        parts = ((some, self.cells(set(places) - set(some))) for some in subsets(places))
        return sum(self.own_variance(some) / rest**2 for some, rest in parts)

    def covariance(self, questions: Boxes, places: Attributes, one: Any, other: Any) -> Floats:
        """Of the noise in two boxes of a table: over the effects, products of what each attribute contributes."""
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
        for subset in subsets(places):
            product = np.full(len(one), self.variances[subset])
            for number, place in enumerate(places):
                product *= within[number] if place in subset else across[number]
            total += product
        return total


def subsets(places: Attributes) -> list[Attributes]:
    return [some for size in range(len(places) + 1) for some in itertools.combinations(places, size)]


def effect(table: Floats, places: Attributes, subset: Attributes) -> Floats:
    """The table summed down to a subset of its attributes, without its mean along each of them."""
    gone = tuple(number for number, place in enumerate(places) if place not in subset)
    found = np.asarray(table.sum(axis=gone))
    for axis in range(len(subset)):
        found = found - found.mean(axis=axis, keepdims=True)
    return found
