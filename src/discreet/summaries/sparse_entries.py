"""What summaries of few of very many entries share: values, the public rule by which they were kept, and columns."""

from __future__ import annotations

from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from discreet.schema import Schema
from discreet.summaries.base import Floats, Summary
from discreet.summaries.columns import arrow_table
from discreet.summaries.sparse_law import SparseLaw

_RULE = ("alpha", "two_sided", "theta", "tau", "cut_to", "consistency")


class SparseEntries(Summary):
    """Noisy values of the entries that are here; how they answer is said in `sparse_law`."""

    def __init__(
        self, schema: Schema, values: NDArray[np.int64], rule: dict[str, Any], *, equal_weights: bool = True
    ) -> None:
        self.schema, self.values, self.rule = schema, values, dict(rule)
        self.law = SparseLaw(rule, values, equal_weights=equal_weights)
        self.tau: float | None = rule.get("tau")

    @cached_property
    def weights(self) -> Floats:
        """Adjusted weights, by which sums are unbiased."""
        weights = np.maximum(np.abs(self.values), self.law.tau)
        np.copysign(weights, self.values, out=weights)
        weights[self.values == 0] = 0
        return weights

    def with_values(self, columns: dict[str, Any]) -> Any:
        """An Arrow table of the columns that name the entries, and of their values."""
        weighted = {"weighted_count": self.weights} if self.tau is not None else {}
        return arrow_table({**columns, "count": self.values, **weighted})

    @staticmethod
    def read_rows(facts: dict[str, Any], parquet: Any) -> tuple[Any, NDArray[np.int64], dict[str, Any]]:
        """The stored table, its values, and the rule."""
        import pyarrow.parquet as pq

        table = pq.read_table(parquet)
        rule = {name: facts[name] for name in _RULE if name in facts}
        return table, table["count"].to_numpy().astype(np.int64), rule
