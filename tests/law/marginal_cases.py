"""Small marginals for tests: methods made without a data set, two samples compared, the plain greedy loop."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray

from discreet.mechanisms import Request, registry
from discreet.noise import Descent
from discreet.privacy import Unit
from discreet.schema import Ordinal, Schema
from tests.statistics import compare_two

Ints = NDArray[np.int64]


def made(method: str, cells: Sequence[int], epsilon: Fraction, unit: Unit | None = None, **parameters: Any) -> Any:
    """A method whose tables are the single attributes of a schema with so many values each."""
    schema = Schema({f"a{i}": Ordinal(0, size - 1) for i, size in enumerate(cells)})
    request = Request(schema, unit or Unit(), epsilon, {"ways": 1, **parameters})
    return registry()["marginals", method](request)


def same_law(one: dict[Any, int], other: dict[Any, int]) -> bool:
    """Whether two samples of the same kinds of outcome may have one law."""
    kinds = list(set(one) | set(other))
    hits = [np.array([sample.get(kind, 0) for kind in kinds]) for sample in (one, other)]
    return compare_two(hits[0], sum(one.values()), hits[1], sum(other.values())).holds


def need(values: Sequence[int], sanity: Fraction, weight: Fraction, objective: str) -> Fraction:
    """What an error of one in every cell of a table does to the objective, in fractions."""
    parts = [1 / max(Fraction(int(value)), sanity) for value in values]
    return weight * (max(parts) if objective == "maximum" else sum(parts, Fraction(0)) / len(parts))


def score(needed: Fraction, scale: Fraction, step: Fraction, objective: str) -> Fraction:
    """How much the error falls for what a step costs: equation 15 with the factor of definition 6, or the maximum."""
    return needed * scale * ((scale - step) if objective == "average" else 1)


class Greedy:
    """ireduct's loop as in figure 4: pick the table of the highest score, check the budget, step down or drop out."""

    def __init__(
        self, tables: int, descent: Descent, budget: Fraction, sanity: Fraction, weights: list[Fraction], objective: str
    ) -> None:
        self.descent, self.budget, self.sanity = descent, budget, sanity
        self.weights, self.objective = weights, objective
        self.taken = [0] * tables
        self.working = set(range(tables))

    def best(self, values: Sequence[Sequence[int]], tie: Fraction = Fraction(0)) -> list[int]:
        """The tables of the highest score, or so close to it, lowest number first."""
        worth = {table: self._worth(table, values[table]) for table in sorted(self.working)}
        highest = max(worth.values())
        return [table for table, found in worth.items() if found >= highest - tie * abs(highest)]

    def pick(self, values: Sequence[Sequence[int]]) -> int:
        return self.best(values)[0]

    def _worth(self, table: int, values: Sequence[int]) -> Fraction:
        needed = need(values, self.sanity, self.weights[table], self.objective)
        return score(needed, self.descent.at(self.taken[table]), self.descent.step, self.objective)

    def try_step(self, table: int) -> bool:
        """Whether the next step of a table can be paid; it is then taken, and otherwise the table drops out."""
        after = [self.descent.at(k + (i == table)) for i, k in enumerate(self.taken)]
        if self.taken[table] < self.descent.steps and sum((1 / scale for scale in after), Fraction(0)) <= self.budget:
            self.taken[table] += 1
            return True
        self.working.remove(table)
        return False
