"""Noisy counts per item, and per item and context or per pair of items; both are kept as they were drawn.

`bound` records of a user count; with a `total` of all records, counts are multiplied to make up
for those that are not kept.
With contexts the two tables are made to agree by least squares, which weighs the two noisy counts of an item by their
inverse variances. Pairs do not add up to items; there a question that leaves the second item open is about items.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray

from discreet.numbers import spreads, written
from discreet.numbers.laws import DiscreteLaplace
from discreet.privacy import as_text
from discreet.queries import Questions
from discreet.schema import Schema
from discreet.summaries.base import Answers, Floats, per_question
from discreet.summaries.marginal_tables import MarginalTables, Part
from discreet.summaries.simulation import laplace_sums
from discreet.transforms.noise_moments import box_variances


@dataclass(frozen=True)
class Total:
    """A noisy number of all records, kept or not."""

    noisy: int
    scale: Fraction


class ItemTables(MarginalTables):
    """`pairs` is "none", "both" (one count for each pair) or "second" (directed)."""

    shape = "item-tables"

    def __init__(
        self,
        schema: Schema,
        sets: Sequence[Sequence[str]],
        parts: Sequence[Part],
        *,
        bound: int,
        pairs: str = "none",
        total: Total | None = None,
    ) -> None:
        super().__init__(schema, sets, parts, consistent=pairs == "none" and len(parts) > 1)
        self.bound, self.pairs, self.total = bound, pairs, total

    def answer(self, questions: Questions, level: float) -> Answers:
        if self.total is None:
            return super().answer(questions, level)
        # half of what may be missed for the count, half for the factor; then both hold with the stated level
        factor, deviation, least, most = self._factor((1 + level) / 2)
        found = super().answer(questions, (1 + level) / 2)
        stderr = np.sqrt((factor * found.stderr) ** 2 + (deviation * found.value) ** 2)
        low = np.minimum(least * found.low, most * found.low)
        high = np.maximum(least * found.high, most * found.high)
        return Answers(factor * found.value, stderr, low, high, found.bias)

    def _factor(self, level: float) -> tuple[float, float, float, float]:
        """How many records there are for each one that is kept: value, standard error, and an interval."""
        if self.total is None:
            return 1.0, 0.0, 1.0, 1.0
        kept, law = float(self.parts[0].values.sum()), DiscreteLaplace.of(self.total.scale)
        count = self.parts[0].values.size
        variance, fourth = (np.array([count * one]) for one in (self.parts[0].variance, self.parts[0].fourth))
        around = float(spreads.half_widths(variance, fourth, self.smallest_scale, (1 + level) / 2)[0])
        half = law.half_width((1 + level) / 2)
        factor = max(self.total.noisy / max(kept, 1.0), 1.0)
        deviation = math.sqrt(law.variance + factor**2 * float(variance[0])) / max(kept, 1.0)
        least = max((self.total.noisy - half) / max(kept + around, 1.0), 1.0)
        most = max((self.total.noisy + half) / max(kept - around, 1.0), 1.0)
        return factor, deviation, least, most

    def tables_for(self, wanted: list[int]) -> list[int]:
        if self.pairs == "none":
            return super().tables_for(wanted)
        return [1] if 1 in wanted else [0]

    def sums(self, questions: Questions, table: int) -> tuple[Floats, Floats]:
        value, cells = super().sums(questions, table)
        if self.pairs == "none" or table == 0:
            return value, cells
        return value, self._pair_variances(questions)

    def _pair_variances(self, questions: Questions) -> Floats:
        """How many times the noise variance of one pair a question has.

        An item makes no pair with itself. Where a pair has one count, its two orders are the same draw, so one that is
        asked for in both counts fourfold.
        """

        def shared(one: NDArray[np.int64], other: NDArray[np.int64]) -> Floats:
            same = np.where(one == other, _meeting(questions, one, one, (0, 1)), 0.0)
            return same + (_meeting(questions, one, other, (1, 0)) if self.pairs == "both" else 0.0)

        return box_variances(questions.owner, questions.count, shared)

    def noise_draws(self, questions: Questions, draws: int, random: Any) -> Floats:
        """As `ranking.Ranked` asks: an item's noise is independent of that of others."""
        context = np.prod(questions.last[:, 1:] - questions.first[:, 1:] + 1, axis=1)
        cells = per_question(questions, context.astype(np.int64))
        ones, factor = np.ones_like(cells), self._factor(0.5)[0]
        items = laplace_sums(self.parts[0].scales[0], ones, draws, random)
        if len(self.parts) == 1:
            return factor * items
        every = int(np.prod(self.schema.sizes[1:]))
        edges = laplace_sums(self.parts[1].scales[0], cells, draws, random)
        if self.pairs != "none":
            return np.where(cells < every, edges, items)
        # least squares: the difference of the two counts of an item is shared out over its contexts
        others = laplace_sums(self.parts[1].scales[0], every - cells, draws, random)
        weights = 1 / self.parts[0].variance, 1 / (every * self.parts[1].variance)
        shared = cells * (weights[0] / sum(weights)) / every
        return np.asarray(factor * (edges + shared * (items - edges - others)))

    def to_arrow(self) -> Any:
        table = super().to_arrow()
        if self.total is None:
            return table
        counts = table["consistent_count" if self.consistent else "count"].to_numpy()
        return table.append_column("rescaled_count", [self._factor(0.5)[0] * counts])

    def facts(self) -> dict[str, Any]:
        facts = {**super().facts(), "bound": self.bound, "pairs": self.pairs}
        if self.total is None:
            return facts
        total = {"total": self.total.noisy, "total scale": as_text(self.total.scale)}
        return {**facts, **total, "factor": self._factor(0.5)[0]}

    @classmethod
    def read(cls, schema: Schema, facts: dict[str, Any], parquet: Any) -> ItemTables:
        sets, parts = cls.read_parts(Part, schema, facts, parquet, ["count"])
        total = None
        if "total" in facts:
            total = Total(written.whole(facts, "total", -written.MOST), written.scale(facts["total scale"]))
        if facts["pairs"] not in ("none", "both", "second"):
            raise ValueError("pairs are counted in another way than any that is known")
        return cls(
            schema, sets, parts, bound=written.whole(facts, "bound", 1, 10**300), pairs=facts["pairs"], total=total
        )


def _meeting(questions: Questions, one: NDArray[np.int64], other: NDArray[np.int64], order: tuple[int, int]) -> Floats:
    """How many pairs of different items lie in a box and, with their items in this order, in another."""
    first = np.maximum(questions.first[one, :2], questions.first[other][:, order])
    last = np.minimum(questions.last[one, :2], questions.last[other][:, order])
    sides = np.maximum(last - first + 1.0, 0.0)
    both = np.maximum(last.min(axis=1) - first.max(axis=1) + 1.0, 0.0)
    return np.asarray(sides.prod(axis=1) - both * np.all(sides > 0, axis=1))
