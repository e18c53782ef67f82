"""A Count sketch: rows of buckets, each a signed sum of the counts of the cells that hash to it, plus noise.

Nothing is stored per cell, so any cell can be asked for, and a question is answered cell by cell: each cell's estimate
is the mean or the median over the rows of sign * bucket, and estimates add up.

Error of a sum over k cells, with d rows of b buckets and F2 the sum of the squares of all counts:
- noise, for the mean: exactly sum(w**2) / d**2 times the variance of one noise, w the sum of the signs of the cells
  asked for that share a bucket;
- other cells in the same buckets: F2 / b takes the place of the variance of the noise. F2 is estimated without bias
  from the sketch: the mean over rows of the sum of squares, less b times the variance of the noise; not below zero;
- cells asked for that meet one another, in p pairs over all rows (the hash functions are public, so p is known): about
  2 p kappa S**2 / (d k**2), S being the sum asked for, for which the answer stands; kappa is 1/d for the mean.

For the median the variance of one cell is that of the median of d draws from `ErrorLaw`, cells count as independent but
for the factor sum(w**2) / (k d), and kappa is `median_coupling(d)`: an approximation. So are all intervals: quantiles
of the law of a sum of independent errors, widened for the pairs that meet.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from statistics import NormalDist
from typing import Any

import numpy as np
from numpy.typing import NDArray

from discreet.errors import CannotAnswer
from discreet.numbers import written
from discreet.numbers.laws import DiscreteLaplace
from discreet.privacy import Alpha
from discreet.queries import Questions
from discreet.schema import Schema
from discreet.summaries.base import Answers, Summary, cells_asked
from discreet.summaries.columns import arrow_table, read_column
from discreet.summaries.sketch_law import ErrorLaw, median_coupling

MOST_CELLS_PER_QUESTION = 2_000_000
MOST_CELLS = 50_000_000
_SPARSE = "filter, threshold, priority, filter-threshold and filter-priority answer sums over any number of cells"
_HASH = (
    "key = sum(linear[i] * code[i]) mod 2**61 - 1; value = p[0] + p[1] key + p[2] key**2 + p[3] key**3 mod 2**61 - 1, "
    "p the polynomial of the row; sign = 1 - 2 (value mod 2); bucket = (value // 2) mod buckets"
)


@dataclass(eq=False)
class SketchCells(Summary):
    """The noisy sketch (rows x buckets), its hash functions, and how the rows are put together."""

    shape = "sketch"

    schema: Schema
    table: NDArray[np.int64]
    linear: NDArray[np.uint64]
    polynomials: NDArray[np.uint64]
    estimate: str
    alpha: Alpha

    def __post_init__(self) -> None:
        self.rows: int = self.table.shape[0]
        self.buckets: int = self.table.shape[1]
        self._is_median = self.estimate == "median"

    @cached_property
    def second_moment(self) -> float:
        """F2, the sum of the squares of all counts, estimated."""
        squares = np.sum(self.table.astype(np.float64) ** 2) / self.rows
        return max(0.0, float(squares) - self.buckets * DiscreteLaplace(self.alpha).variance)

    @cached_property
    def _error_law(self) -> ErrorLaw:
        """The law of one cell's error (median), or of one row's (mean)."""
        row = ErrorLaw.of_buckets(self.table, DiscreteLaplace(self.alpha).variance)
        return row.median(self.rows) if self._is_median else row

    def answer(self, questions: Questions, level: float) -> Answers:
        cells = _few_enough(questions)
        value, squares, meetings = self._estimates(questions)
        # the mean adds up errors of rows, each divided by d; the median adds up errors of cells
        terms, share = (-(-squares // self.rows), 1.0) if self._is_median else (squares, 1 / self.rows)
        coupling = median_coupling(self.rows) if self._is_median else share
        of_row = DiscreteLaplace(self.alpha).variance + self.second_moment / self.buckets
        variance = self._error_law.variance if self._is_median else of_row
        apart = variance * share * squares / self.rows

        def meeting(each: NDArray[np.float64]) -> NDArray[np.float64]:
            return np.asarray(2 * coupling * meetings * each**2 / self.rows)

        stderr = np.sqrt(apart + meeting(value / np.maximum(cells, 1)))
        # an answer that came out too low must not make its own interval narrow
        far = 1 + NormalDist().inv_cdf(0.5 + level / 2)
        most = np.sqrt(apart + meeting((np.abs(value) + far * stderr) / np.maximum(cells, 1)))
        wider = np.divide(most, np.sqrt(apart), out=np.ones_like(stderr), where=apart > 0)
        return Answers.around(value, stderr, share * self._error_law.half_widths(terms, level) * wider)

    def _estimates(self, questions: Questions) -> tuple[NDArray[np.float64], NDArray[np.int64], NDArray[np.int64]]:
        """Every question's value, its sum of w**2 over rows and buckets, and how many pairs of its cells meet."""
        from discreet.kernels.hashing import box_estimates

        value = np.zeros(questions.count)
        squares, meetings = np.zeros(questions.count, np.int64), np.zeros(questions.count, np.int64)
        boxes = (np.ascontiguousarray(questions.first), np.ascontiguousarray(questions.last), questions.owner)
        sketch = (self.linear, self.polynomials, self.table)
        scratch = np.zeros((*self.table.shape, 3), np.int32)
        box_estimates(*boxes, *sketch, self._is_median, scratch, value, squares, meetings)
        return value, squares, meetings

    def to_arrow(self) -> Any:
        row, bucket = np.indices(self.table.shape, np.int32).reshape(2, -1)
        return arrow_table({"row": row, "bucket": bucket, "count": self.table.reshape(-1).copy()})

    def facts(self) -> dict[str, Any]:
        return {
            "rows": self.rows,
            "buckets": self.buckets,
            "estimate": self.estimate,
            "alpha": str(self.alpha.numerator),
            "hash": _HASH,
            "linear": [str(number) for number in self.linear.tolist()],
            "polynomials": [[str(number) for number in numbers] for numbers in self.polynomials.tolist()],
        }

    @classmethod
    def read(cls, schema: Schema, facts: dict[str, Any], parquet: Any) -> SketchCells:
        from discreet.kernels.hashing import PRIME

        rows, buckets = written.whole(facts, "rows", 1), written.whole(facts, "buckets", 1)
        linear = np.array([int(text) for text in facts["linear"]], np.uint64)
        polynomials = np.array([[int(text) for text in texts] for texts in facts["polynomials"]], np.uint64)
        if linear.shape != (len(schema),) or polynomials.shape != (rows, 4) or facts["hash"] != _HASH:
            raise ValueError(f"the hash functions do not fit {len(schema)} attributes and {rows} rows")
        if buckets < 1 or buckets & (buckets - 1) or max(linear.max(), polynomials.max()) >= PRIME:
            raise ValueError("the hash functions do not fit the buckets")
        if facts["estimate"] not in ("median", "mean"):
            raise ValueError("the estimate is neither median nor mean")
        expected = f"the sketch has {rows} x {buckets} values"
        table = read_column(parquet, "count", rows * buckets, expected, np.int64).reshape(rows, buckets)
        return cls(schema, table, linear, polynomials, facts["estimate"], written.alpha(facts))


def _few_enough(questions: Questions) -> NDArray[np.float64]:
    """How many cells each question has; refused if they are too many to look up one by one."""
    cells = cells_asked(questions)
    if (most := cells.max(initial=0.0)) > MOST_CELLS_PER_QUESTION:
        raise CannotAnswer(
            f"a sketch looks cells up one by one, at most {MOST_CELLS_PER_QUESTION:,} for one question, and this one "
            f"has {most:,.7g}; ask for fewer cells, or publish with another method: {_SPARSE}"
        )
    if (total := cells.sum()) > MOST_CELLS:
        raise CannotAnswer(
            f"a sketch looks cells up one by one, at most {MOST_CELLS:,} at a time, and these questions have "
            f"{total:,.9g}; ask them in parts, or publish with another method: {_SPARSE}"
        )
    return cells
