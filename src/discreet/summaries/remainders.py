"""What is left of measured totals when all that is here is taken off: the most that absent cells can hold, and their
fair part of it.

Totals are of the whole table, or of the groups of one attribute, each with noise of its own. A question lies in a run
of groups, its surroundings: of the totals at hand those with the fewest cells around it, a public choice. All counts
there add up to the total, so the question has at most the total less what the other cells hold, which is at least what
is here of them, less what noise may have lifted it by (`SparseLaw.lifted`).

In the mean the absent cells of the surroundings hold the total less all that is here. What a question gets of that is
in proportion to its absent cells. How far that is off nobody knows; `stderr` alone uses a guess: absent cells that hold
anything hold half of theta, and a part may be wrong by its own size.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from fractions import Fraction
from math import prod
from typing import Any

import numpy as np
from numpy.typing import NDArray

from discreet.numbers import written
from discreet.numbers.laws import DiscreteLaplace, half_widths
from discreet.privacy import Alpha, as_text
from discreet.queries import Questions
from discreet.schema import Schema
from discreet.summaries.base import Answers, Floats
from discreet.summaries.sparse_law import SparseLaw, Sums


@dataclass(frozen=True, eq=False)
class Totals:
    """Noisy totals of runs of codes of one attribute, which together are all of it; or of everything, by none."""

    attribute: str | None
    starts: NDArray[np.int64]
    counts: NDArray[np.int64]
    scale: Fraction

    def to_dict(self) -> dict[str, Any]:
        return {
            "attribute": self.attribute,
            "starts": self.starts.tolist(),
            "counts": self.counts.tolist(),
            "scale": as_text(self.scale),
        }

    @classmethod
    def read(cls, schema: Schema, facts: Mapping[str, Any]) -> Totals:
        name = facts["attribute"]
        size = 1 if name is None else schema[name].size
        starts, counts = (np.array(facts[key], np.int64) for key in ("starts", "counts"))
        rising = starts.ndim == 1 and starts.size and starts[0] == 0 and np.all(np.diff(starts) > 0)
        if not rising or starts[-1] >= size or counts.shape != starts.shape or np.abs(counts).max() > written.MOST:
            raise ValueError("the totals do not fit the groups of their attribute")
        return cls(name, starts, counts, written.scale(facts["scale"]))

    def runs(self, schema: Schema, questions: Questions) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """The first and the last group that each question touches."""
        first, last = np.full(questions.count, self.starts.size - 1), np.zeros(questions.count, np.int64)
        if self.attribute is None:
            return np.zeros_like(last), last
        place = schema.names.index(self.attribute)
        for found, ends, further in ((first, questions.first, np.minimum), (last, questions.last, np.maximum)):
            groups = np.searchsorted(self.starts, ends[:, place], side="right") - 1
            further.at(found, questions.owner, groups)
        return first, np.maximum(last, first)

    def groups(self, schema: Schema, codes: NDArray[np.int64]) -> NDArray[np.int64]:
        """Of each cell."""
        if self.attribute is None:
            return np.zeros(len(codes), np.int64)
        place = schema.names.index(self.attribute)
        return np.searchsorted(self.starts, codes[:, place], side="right") - 1

    def cells(self, schema: Schema) -> Floats:
        """How many cells each group has."""
        if self.attribute is None:
            return np.array([float(prod(schema.sizes))])
        size = schema[self.attribute].size
        return np.diff(self.starts, append=size) * float(prod(schema.sizes) // size)


@dataclass(frozen=True, eq=False)
class Surroundings:
    """Of each question: what is around it and in it together, and the noisy total of that."""

    sums: Sums
    total: Floats
    #: the law of the noise of a total, by how many were added up
    alphas: list[Alpha]
    law: NDArray[np.int64]
    groups: NDArray[np.int64]

    def half(self, miss: float) -> Floats:
        """What the noise of the totals stays below, but for a chance of `miss` on each side."""
        return self._by_law(lambda alpha, groups: half_widths(alpha, groups, 1 - 2 * miss))

    @property
    def variance(self) -> Floats:
        return self._by_law(lambda alpha, groups: groups * DiscreteLaplace(alpha).variance)

    def _by_law(self, work: Callable[[Alpha, NDArray[np.int64]], NDArray[Any]]) -> Floats:
        found = np.zeros(self.total.size)
        for number, alpha in enumerate(self.alphas):
            mine = self.law == number
            found[mine] = work(alpha, self.groups[mine])
        return found


def with_remainder(law: SparseLaw, sums: Sums, around: Surroundings, level: float) -> Answers:
    """The answers of the cells alone, and with what the totals tell about absent ones."""
    miss = (1 - level) / 2
    found = law.interval(sums, level)
    rest = around.sums.without(sums)
    others = np.where(rest.needed == 0, 0.0, law.least(rest, miss / 4))
    by_total = around.total + around.half(miss / 4) - others
    high = np.minimum(law.interval(sums, 1 - miss).high, by_total)
    value, stderr = _with_fair_part(law, found, sums, around)
    # a single cell is bounded by theta, and what is all here by itself; then no total is needed
    known, single = sums.complete, sums.needed == 1
    every = (around.sums.needed <= sums.needed) & ~single
    half = around.half(miss)

    def chosen(of_cells: Floats, of_total: Floats, otherwise: Floats) -> Floats:
        return np.where(known, of_cells, np.where(every, of_total, otherwise))

    return replace(
        found,
        parts={**found.parts, "left for absent cells around": _left(law, around)},
        value=chosen(found.value, around.total, value),
        stderr=chosen(found.stderr, np.sqrt(around.variance), stderr),
        low=chosen(found.low, around.total - half, found.low),
        high=chosen(found.high, around.total + half, np.where(single, found.high, high)),
    )


def _with_fair_part(law: SparseLaw, found: Answers, sums: Sums, around: Surroundings) -> tuple[Floats, Floats]:
    """The number with its part of what is left for absent cells, and its typical error."""
    left = _left(law, around)
    share = sums.absent_load / np.maximum(around.sums.absent_load, 1.0)
    unsure = np.maximum(left, np.sqrt(around.variance))
    variance = np.where(sums.held > 0, found.stderr**2, 0.0) + share**2 * around.variance
    variance += share * (1 - share) * unsure * max(law.hidden, 1) / 2 + (left * share * (1 - share)) ** 2
    return np.asarray(found.value + share * left), np.sqrt(variance)


def _left(law: SparseLaw, around: Surroundings) -> Floats:
    """What the totals leave for absent cells."""
    return np.maximum(around.total - around.sums.weighted + law.surplus(around.sums), 0.0)
