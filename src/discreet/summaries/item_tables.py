"""Noisy counts per item, and per item and context or per pair of items; both are kept as they were drawn.

`bound` records of a user count; counts are multiplied by `factor` to make up for the rest.
With contexts the two tables are made to agree by least squares, which weighs the two noisy counts of an item by their
inverse variances. Pairs do not add up to items; there a question that leaves the second item open is about items.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from discreet.queries import Questions
from discreet.schema import Schema
from discreet.simulation import laplace_sums
from discreet.summaries.base import Answers, per_question
from discreet.summaries.marginal_tables import MarginalTables, Part

Floats = NDArray[np.float64]


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
        factor: float = 1.0,
    ) -> None:
        super().__init__(schema, sets, parts, consistent=pairs == "none" and len(parts) > 1)
        self.bound, self.pairs, self.factor = bound, pairs, factor

    def answer(self, questions: Questions, level: float) -> Answers:
        found = super().answer(questions, level)
        if self.factor == 1:
            return found
        scaled = (self.factor * column for column in (found.value, found.stderr, found.low, found.high, found.bias))
        return Answers(*scaled)

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
        """How many times the noise variance of one pair a question has: a pair that is asked for twice counts fourfold.

        An item makes no pair with itself; where pairs have one count, the two orders of a pair are that count twice.
        """
        out = np.zeros(questions.count)
        lengths = questions.last - questions.first + 1.0
        common = np.minimum(questions.last[:, 0], questions.last[:, 1]) - np.maximum(
            questions.first[:, 0], questions.first[:, 1]
        )
        both = np.maximum(common + 1.0, 0)
        pairs = lengths[:, 0] * lengths[:, 1] - both
        if self.pairs == "both":
            pairs += both * (both - 1)
        np.add.at(out, questions.owner, pairs)
        return out

    def noise_draws(self, questions: Questions, draws: int, random: Any) -> Floats:
        """As `ranking.Ranked` asks: an item's noise is independent of that of others."""
        context = np.prod(questions.last[:, 1:] - questions.first[:, 1:] + 1, axis=1)
        cells = per_question(questions, context.astype(np.int64))
        ones = np.ones_like(cells)
        items = laplace_sums(self.parts[0].scales[0], ones, draws, random)
        if len(self.parts) == 1:
            return self.factor * items
        every = int(np.prod(self.schema.sizes[1:]))
        edges = laplace_sums(self.parts[1].scales[0], cells, draws, random)
        if self.pairs != "none":
            return np.where(cells < every, edges, items)
        # least squares: the difference of the two counts of an item is shared out over its contexts
        others = laplace_sums(self.parts[1].scales[0], every - cells, draws, random)
        weights = 1 / self.parts[0].variance, 1 / (every * self.parts[1].variance)
        shared = cells * (weights[0] / sum(weights)) / every
        return np.asarray(self.factor * (edges + shared * (items - edges - others)))

    def facts(self) -> dict[str, Any]:
        return {**super().facts(), "bound": self.bound, "pairs": self.pairs, "factor": self.factor}

    @classmethod
    def read(cls, schema: Schema, facts: dict[str, Any], parquet: Any) -> ItemTables:
        plain = MarginalTables.read(schema, {**facts, "consistency": False}, parquet)
        sets = [table["attributes"] for table in facts["tables"]]
        return cls(schema, sets, plain.parts, bound=int(facts["bound"]), pairs=facts["pairs"], factor=facts["factor"])
