"""A Count sketch of the table: every cell hashed, with a sign, into one bucket of each row; noise on every bucket.

Source: section 5.1 of sparse-summaries; the Count sketch of Charikar, Chen and Farach-Colton (2002).
Guarantee: pure epsilon-differential privacy. The hash functions are drawn first, without the data, and published; given
them the map is linear, a record weighs rows / scale, and scale = sensitivity * rows / epsilon.
Numerics: exact integers; the 4-wise independence of the hash functions is exact but for parts in 2**58 (see the card).
Bias: none for the mean; for the median none as far as errors above and below are equally likely.
"""

from __future__ import annotations

from fractions import Fraction
from typing import TYPE_CHECKING, Any

import numpy as np

from discreet.errors import BadParameter
from discreet.mechanisms.base import Mechanism, Request
from discreet.mechanisms.table.sparse import DEFAULT_SIZE
from discreet.privacy import Alpha, as_text, cost, scale_of

if TYPE_CHECKING:
    from discreet.noise import Noise
    from discreet.private.counts import Counts
    from discreet.summaries.sketch_cells import SketchCells

DEFAULT_ROWS = 5
MOST_ROWS = 99
FEWEST_BUCKETS = 64
#: rows times buckets; each is held, noised and written
MOST_BUCKETS = 10**8


class Sketch(Mechanism):
    tasks = ("table",)
    method = "sketch"
    rehearsal = "none"
    parameters = {  # noqa: RUF012
        "rows": "how many times every cell is hashed (d): more rows, fewer large errors, but more noise in each",
        "buckets": "buckets in each row (B), a power of two: more buckets, fewer cells that share one",
        "estimate": "'median' (default) or 'mean' of the rows; the median wants an odd number of them",
    }

    def __init__(self, request: Request) -> None:
        super().__init__(request)
        self._chosen: list[dict[str, Any]] = []
        self._check_codes()
        self.rows = self._rows()
        self.estimate = self._estimate()
        self.buckets = self._buckets()
        self.scale = scale_of(request.epsilon, request.unit.sensitivity * self.rows)
        self.alpha = Alpha.of(self.scale)

    @property
    def cost(self) -> Fraction:
        return cost(self.request.unit, self.rows / self.scale)

    def measure(self, counts: Counts, noise: Noise) -> SketchCells:
        from discreet.kernels.hashing import PRIME, add_cells, cell_keys
        from discreet.summaries.sketch_cells import SketchCells

        attributes = len(self.request.schema)
        linear = noise.integers(PRIME, attributes).astype(np.uint64)
        polynomials = noise.integers(PRIME, 4 * self.rows).astype(np.uint64).reshape(self.rows, 4)
        exact = np.zeros((self.rows, self.buckets), np.int64)
        keys = np.empty(len(counts.counts), np.uint64)
        cell_keys(counts.codes, linear, keys)
        add_cells(keys, counts.counts, polynomials, exact)
        noisy = noise.add(exact, self.scale)
        return SketchCells(self.request.schema, noisy, linear, polynomials, self.estimate, self.alpha)

    def noise_law(self) -> dict[str, Any]:
        return {
            "law": "discrete Laplace: Pr[x] = (1 - alpha) / (1 + alpha) * alpha**|x|, independent in every bucket",
            "scale": as_text(self.scale),
            "alpha": f"{self.alpha.numerator}/2**64",
        }

    def chosen(self) -> list[dict[str, Any]]:
        return self._chosen

    def bias(self) -> list[str]:
        if self.estimate == "mean":
            return []
        return [
            "each cell's estimate is a median, which is centred on the truth as far as the cells that share its "
            "buckets push it up as often as down; the hash functions make that so on average, not exactly"
        ]

    # parameters, each validated, and noted with its origin

    def _check_codes(self) -> None:
        from discreet.kernels.hashing import PRIME

        for name in self.request.schema:
            if self.request.schema[name].size > PRIME:
                raise BadParameter(f"attribute {name} has more than 2**61 - 1 values; use wider bins")

    def _parameter(self, name: str, default: Any, why: str) -> Any:
        given = name in self.request.parameters
        value = self.request.parameters[name] if given else default
        self._chosen.append({"name": name, "value": value, "origin": "given" if given else f"default: {why}"})
        return value

    def _rows(self) -> int:
        rows = self._parameter("rows", DEFAULT_ROWS, "enough for a median to hold off single large cells")
        if isinstance(rows, bool) or not isinstance(rows, int) or not 1 <= rows <= MOST_ROWS:
            raise BadParameter(f"rows must be a whole number from 1 to {MOST_ROWS}, not {rows!r}")
        return rows

    def _estimate(self) -> str:
        estimate = self._parameter("estimate", "median", "large cells elsewhere disturb it least")
        if estimate not in ("median", "mean"):
            raise BadParameter(f"estimate must be 'median' or 'mean', not {estimate!r}")
        if estimate == "median" and self.rows % 2 == 0:
            raise BadParameter(f"a median needs an odd number of rows, not {self.rows}; or use estimate='mean'")
        return str(estimate)

    def _buckets(self) -> int:
        wanted = 2 * min(DEFAULT_SIZE, self.request.schema.cells)
        default = max(FEWEST_BUCKETS, _power_of_two(wanted))
        why = f"the power of two above twice {DEFAULT_SIZE:,}, or twice the number of cells"
        buckets = self._parameter("buckets", default, why)
        if isinstance(buckets, bool) or not isinstance(buckets, int) or buckets < FEWEST_BUCKETS:
            raise BadParameter(f"buckets must be a power of two of at least {FEWEST_BUCKETS}, not {buckets!r}")
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
