"""A Count sketch of the table: every cell hashed, with a sign, into one bucket of each row; noise on every bucket.

Source: section 5.1 of sparse-summaries; the Count sketch of Charikar, Chen and Farach-Colton (2002).
Guarantee: pure epsilon-differential privacy. The hash functions are drawn first, without the data, and published; given
them the map is linear, a record weighs rows / scale, and scale = sensitivity * rows / epsilon.
Numerics: exact integers; the 4-wise independence of the hash functions is exact but for parts in 2**58 (see the card).
Bias: none for the mean; for the median none as far as errors above and below are equally likely.
"""

from __future__ import annotations

import numpy as np

from discreet.errors import BadParameter
from discreet.kernels.hashing import PRIME, add_cells, cell_keys
from discreet.left_out import LeftOut
from discreet.mechanisms.base import Request
from discreet.mechanisms.noise_scales import OneScale
from discreet.mechanisms.table.table_sparse import DEFAULT_SIZE
from discreet.noise import Noise
from discreet.parameters import Parameter, Whole, choice
from discreet.private.bounded import Bounded
from discreet.summaries.sketch_cells import SketchCells

MOST_ROWS = 99
FEWEST_BUCKETS = 64
#: rows times buckets; each is held, noised and written
MOST_BUCKETS = 10**8

ROWS = Parameter(
    "rows",
    Whole(1, MOST_ROWS),
    "How many times every cell is hashed (d): with more rows large errors are rarer, but each row has more noise",
    5,
)
BUCKETS = Parameter(
    "buckets",
    Whole(FEWEST_BUCKETS),
    "Buckets in each row (B), a power of two: with more buckets, fewer cells share one",
    otherwise=f"the power of two above twice {DEFAULT_SIZE:,}, or twice the number of cells",
)
ESTIMATE = choice(
    "estimate",
    ("median", "mean"),
    "How the rows are combined: large cells elsewhere disturb the median least, and it needs an odd number of rows",
)


class Sketch(OneScale):
    tasks = ("table",)
    method = "sketch"
    entry = "bucket"
    rehearsal = "none"
    parameters = (ROWS, BUCKETS, ESTIMATE)

    def __init__(self, request: Request) -> None:
        super().__init__(request)
        for name, attribute in request.schema.items():
            if attribute.size > PRIME:
                raise BadParameter(f"attribute {name} has more than 2**61 - 1 values; use wider bins")
        self.rows = self.value(ROWS, origin="default: enough for a median to hold off single large cells")
        self.estimate = self.value(ESTIMATE, origin="default: large cells elsewhere disturb it least")
        if self.estimate == "median" and self.rows % 2 == 0:
            raise BadParameter(
                f"rows: a median needs an odd number, not {self.rows}; change it, or use estimate='mean'"
            )
        self.buckets = self._buckets()
        self.set_scale(weight=self.rows)

    def measure(self, data: Bounded, noise: Noise) -> SketchCells:
        attributes, counts = len(self.request.schema), data.table()
        linear = noise.integers(PRIME, attributes).astype(np.uint64)
        polynomials = noise.integers(PRIME, 4 * self.rows).astype(np.uint64).reshape(self.rows, 4)
        exact = np.zeros((self.rows, self.buckets), np.int64)
        keys = np.empty(len(counts.counts), np.uint64)
        cell_keys(counts.codes, linear, keys)
        add_cells(keys, counts.counts, polynomials, exact)
        noisy = noise.add(exact, self.scale)
        return SketchCells(self.request.schema, noisy, linear, polynomials, self.estimate, self.alpha)

    def method_leaves_out(self) -> list[LeftOut]:
        return [] if self.estimate == "mean" else [LeftOut("median")]

    def _buckets(self) -> int:
        enough = max(FEWEST_BUCKETS, _power_of_two(2 * min(DEFAULT_SIZE, self.request.schema.cells)))
        buckets = self.value(BUCKETS, enough, f"default: {BUCKETS.otherwise}")
        if buckets & (buckets - 1):
            above = _power_of_two(buckets)
            raise BadParameter(f"buckets must be a power of two, such as {above // 2:,} or {above:,}, not {buckets:,}")
        if self.rows * buckets > MOST_BUCKETS:
            raise BadParameter(
                f"{self.rows} rows of {buckets:,} buckets are too many to hold (at most {MOST_BUCKETS:,} in all); "
                "give fewer rows or buckets"
            )
        return buckets


def _power_of_two(number: int) -> int:
    """The least power of two that is at least this."""
    return 1 << (number - 1).bit_length()
