"""Noisy counts per item, and per item and context or per pair of items; both are kept as they were drawn.

Some records of each user are kept; what that says of all records is in `left_records`. With a `total` of all records,
counts are multiplied to make up for those that are not kept, which is the best guess; and no count is above the total
less what is kept elsewhere.
With contexts the two tables are made to agree by least squares, which weighs the two noisy counts of an item by their
inverse variances. Pairs do not add up to items; there a question that leaves the second item open is about items.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from discreet.arrow import array_of
from discreet.numbers import spreads, written
from discreet.numbers.laws import DiscreteLaplace
from discreet.privacy import as_text
from discreet.queries import Boxes, Questions
from discreet.schema import Schema
from discreet.summaries.base import Answers, Floats, cells_asked, per_question
from discreet.summaries.left_records import LeftRecords
from discreet.summaries.linear_laws import LinearLaw
from discreet.summaries.marginal_tables import MarginalTables, Part
from discreet.summaries.simulation import laplace_sums
from discreet.transforms.noise_moments import box_variances

#: questions times items beyond which a total is used as it is
_MOST_LOOKED_AT = 10**8


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
        left: LeftRecords,
        pairs: str = "none",
        total: Total | None = None,
    ) -> None:
        super().__init__(schema, sets, parts, consistent=pairs == "none" and len(parts) > 1)
        self.left, self.pairs, self.total = left, pairs, total

    def answer(self, questions: Questions, level: float) -> Answers:
        kept = super().answer(questions, level)
        if self.left.none:
            return kept
        # one side may miss for the noise or for which records are kept; or for the total, if there is one
        miss = (1 - level) / (4 if self.total is None else 8)
        high = self.left.high(super().answer(questions, 1 - 2 * miss).high, miss)
        if self.pairs != "none":  # both items of a pair must be kept
            high = np.where(self.asked(questions)[:, 1], np.inf, high)
        parts = {"noise": kept.high - kept.value, "not kept": high - kept.high}
        found = replace(kept, high=high, plain=kept.value, besides=self.left.besides(kept), parts=parts)
        return found if self.total is None else self._with_total(self.total, questions, found, level)

    def linear_law(self, boxes: Boxes) -> LinearLaw | None:
        """Where every record is kept; noise is all that stands between then."""
        return super().linear_law(boxes) if self.left.none and self.pairs == "none" else None

    def _with_total(self, total: Total, questions: Questions, kept: Answers, level: float) -> Answers:
        """Counts multiplied to make up for records that are not kept; the total answers for everything."""
        factor, deviation = self._factor
        law = DiscreteLaplace.of(total.scale)
        half, every = law.half_width(level), cells_asked(questions) >= self.schema.cells
        high = np.minimum(kept.high, self._most_of_total(total, questions, (1 - level) / 4))
        stderr = np.hypot(factor * kept.stderr, deviation * kept.value)
        return replace(
            kept,
            value=np.where(every, total.noisy, factor * kept.value),
            stderr=np.where(every, math.sqrt(law.variance), stderr),
            low=np.where(every, total.noisy - half, kept.low),
            high=np.where(every, total.noisy + half, high),
        )

    @cached_property
    def _factor(self) -> tuple[float, float]:
        """How many records there are for each one that is kept, and the standard error of that."""
        if self.total is None:
            return 1.0, 0.0
        part, law = self.parts[0], DiscreteLaplace.of(self.total.scale)
        kept = max(float(part.values.sum()), 1.0)
        factor = max(self.total.noisy / kept, 1.0)
        return factor, math.sqrt(law.variance + factor**2 * part.values.size * part.variance) / kept

    def _most_of_total(self, total: Total, questions: Questions, miss: float) -> Floats:
        """The total less the kept records of other items."""
        part, asked = self.parts[0], np.zeros((questions.count, self.schema.sizes[0]), np.bool_)
        first, last = questions.first[:, 0], questions.last[:, 0]
        if asked.size > _MOST_LOOKED_AT:
            others = np.zeros(questions.count)
            noise = others
        else:
            for owner, low, high in zip(questions.owner, first, last, strict=True):
                asked[owner, low : high + 1] = True
            others = (~asked).astype(np.float64) @ part.values
            count = (~asked).sum(axis=1)
            variance, fourth = count * part.variance, count * part.fourth
            noise = spreads.half_widths(variance, fourth, self.smallest_scale, 1 - miss)
        half = DiscreteLaplace.of(total.scale).half_width(1 - miss)
        return np.asarray(total.noisy - others + half + noise)

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
        ones, factor = np.ones_like(cells), self._factor[0]
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
        counts = array_of(table["consistent_count" if self.consistent else "count"])
        return table.append_column("rescaled_count", [self._factor[0] * counts])

    def facts(self) -> dict[str, Any]:
        facts = {**super().facts(), **self.left.to_dict(), "pairs": self.pairs}
        if self.total is None:
            return facts
        total = {"total": self.total.noisy, "total scale": as_text(self.total.scale)}
        return {**facts, **total, "factor": self._factor[0]}

    @classmethod
    def read(cls, schema: Schema, facts: dict[str, Any], parquet: Any) -> ItemTables:
        sets, parts = cls.read_parts(Part, schema, facts, parquet, ["count"])
        total = None
        if "total" in facts:
            total = Total(written.whole(facts, "total", -written.MOST), written.scale(facts["total scale"]))
        if facts["pairs"] not in ("none", "both", "second"):
            raise ValueError("pairs are counted in another way than any that is known")
        return cls(schema, sets, parts, left=LeftRecords.read(facts), pairs=facts["pairs"], total=total)


def _meeting(questions: Questions, one: NDArray[np.int64], other: NDArray[np.int64], order: tuple[int, int]) -> Floats:
    """How many pairs of different items lie in a box and, with their items in this order, in another."""
    first = np.maximum(questions.first[one, :2], questions.first[other][:, order])
    last = np.minimum(questions.last[one, :2], questions.last[other][:, order])
    sides = np.maximum(last - first + 1.0, 0.0)
    both = np.maximum(last.min(axis=1) - first.max(axis=1) + 1.0, 0.0)
    return np.asarray(sides.prod(axis=1) - both * np.all(sides > 0, axis=1))
