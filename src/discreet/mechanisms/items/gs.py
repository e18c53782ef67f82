"""Items grouped by a noisy sample, in groups of the size that the sample says is best.

Source: GS of grouping-smoothing, section 3.3. Guarantee: see `item_groups` and gs-s; the size follows from the noisy
sample. For every size from 1 to all items the error is worked out, in O(d log d) for all together: items are sorted
by the sample, running sums give a group's mean, and a look-up gives the distances from it (`kernels.grouping`). The
noise to come is put in as quantiles of its law, in turn, rather than drawn.
Deviations: a sampled record of a user stands for as many as users have on average, `mean` (errata), not for Delta as in
the paper, which takes counts for far too large, and so groups too small, where Delta is far above the mean. And noise
in the sample is not taken for differences between items: sizes are tried on what counts are likely behind it.
`scale = "paper"` does as the paper.
"""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray

from discreet.errors import BadParameter
from discreet.kernels.cores import cores, side_by_side
from discreet.kernels.grouping import index_values, smoothing_errors
from discreet.mechanisms.items.gs_s import SAMPLING, GsS
from discreet.mechanisms.items.item_groups import Grouping
from discreet.mechanisms.items.item_method import ITEMS
from discreet.noise import Noise
from discreet.numbers.likely_counts import likely_counts
from discreet.parameters import Parameter, Positive, choice
from discreet.privacy import scale_of
from discreet.private.kept import Kept

_QUANTILES = 1024
_MOST_BUCKETS = 1 << 22
#: likely counts are rounded to such parts of one, or to coarser ones if they are large
_FINEST = 1024
_LARGEST_SUM = 2.0**61
#: at lower rates hardly anybody is in the sample, and it stands for nothing
_LEAST_RATE = Fraction(1, 2**40)
_SCALE_SHARE = Fraction(1, 50)

MEAN = Parameter(
    "mean",
    Positive(),
    "A public guess of how many records of a user count on average",
    otherwise="measured with a little of epsilon",
)
SCALE = choice(
    "scale",
    ("mean", "paper"),
    "'mean': a sampled record stands for as many as users have on average, and its noise is allowed for; 'paper': for "
    "as many as the bound says, and noise is not allowed for",
)


class Gs(GsS):
    method = "gs"
    rehearsal = "none"
    parameters = (*ITEMS, SAMPLING, MEAN, SCALE)

    def check_size(self) -> None:
        scale = self.value(SCALE)
        if "mean" in self.request.parameters:
            if scale == "paper" or self.sampling != "columns":
                raise BadParameter('mean needs scale = "mean" and sampling = "columns"; set these, or leave mean out')
            self.mean = self.value(MEAN)
            if not 1 <= self.mean <= self.bound:
                raise BadParameter(f"mean must lie between 1 and the bound, {self.bound}")

    @property
    def as_printed(self) -> bool:
        return self.request.parameters.get("scale") == "paper"

    @property
    def finds_mean(self) -> bool:
        asked = self.request.parameters
        return not self.as_printed and asked.get("sampling", "columns") == "columns" and "mean" not in asked

    def default_shares(self) -> dict[str, Fraction]:
        spare = _SCALE_SHARE if self.finds_mean else Fraction(0)
        steps = self.for_each_table({"sample": (1 - spare) / 2, "items": (1 - spare) / 2})
        return {**steps, **({"scale": spare} if spare else {})}

    def grouping(self, kept: Kept, step: str, bound: int, noise: Noise) -> Grouping:
        seen, own_scale, rate = self.noisy_sample(kept, step, bound, noise)
        stands_for = self._stands_for(kept, step, bound, rate, noise)
        order = noise.shuffled(seen)
        rising: NDArray[Any] = seen[order]
        parts = 1.0
        if not self.as_printed:
            rising = likely_counts(rising, float(own_scale), 1 - 1 / stands_for)
            parts = max(1.0, min(_FINEST, _MOST_BUCKETS / 2 / max(float(rising[-1]), 1)))
        parts = min(parts, _LARGEST_SUM / max(float(np.abs(rising).sum(dtype=np.float64)), 1))
        if parts != 1:
            rising = np.rint(rising * parts)
        scale = scale_of(self.epsilon_of(step), self.unit_of(bound).sensitivity)
        size = best_size(rising.astype(np.int64, copy=False), float(scale) / stands_for * parts)
        own = self.own_sample(seen, own_scale, bound)
        return Grouping(order, size, {"sample stands for": stands_for}, own)

    def _stands_for(self, kept: Kept, step: str, bound: int, rate: Fraction, noise: Noise) -> float:
        """How many records one of the sample stands for."""
        if self.as_printed:
            return float(bound)
        if self.sampling != "columns":
            return float(1 / rate) if rate > _LEAST_RATE else float(bound)
        if not self.finds_mean:
            return float(self.mean)
        if step == "items":
            records, users = (
                self.noisy_total(kept, rows, noise, self.scale("scale", self.unit_of(rows), Fraction(1, 2)))
                for rows in (bound, 1)
            )
            self._mean = min(max(records / max(users, 1), 1.0), float(bound))
        return self._mean  # the edges' is the same, and was paid for


def best_size(values: NDArray[np.int64], noise: float) -> int:
    """The size of groups of neighbours of rising values that has the least absolute error.

    `noise` is the scale of a group sum's noise. Noisy values only: this is post-processing.
    """

    sums = np.concatenate([np.zeros(1, np.int64), np.cumsum(values)])
    span, shift = int(values[-1]) - int(values[0]) + 2, 0
    while span >> shift > _MOST_BUCKETS:
        shift += 1
    starts = np.empty((span >> shift) + 2, np.int64)
    index_values(values, shift, starts)
    quantiles = _laplace_quantiles()

    def errors(sizes: NDArray[np.int64], bound: float) -> NDArray[np.float64]:
        found = np.full(sizes.size, np.inf)
        smoothing_errors(values, sums, starts, shift, noise, quantiles, sizes, bound, found)
        return found

    # a few sizes first: what they reach lets the others stop early
    half = max(values.size // 2, 1)
    some = np.unique(np.rint(np.geomspace(1, half, 200)).astype(np.int64))[::-1].copy()
    first = errors(some, np.inf)
    # above half of all, every size is one group of all
    every = np.concatenate([[values.size], np.arange(values.size // 2, 0, -1)])
    parts = [every[core :: cores()].copy() for core in range(cores())]
    found = side_by_side(lambda part: errors(part, float(first.min())), parts)
    sizes, all_errors = np.concatenate([some, *parts]), np.concatenate([first, *found])
    return int(sizes[np.argmin(all_errors)])


def _laplace_quantiles() -> NDArray[np.float64]:
    """Quantiles of the unit Laplace law in an order in which any run of them is spread out."""
    shares = (np.arange(_QUANTILES) + 0.5) / _QUANTILES
    values = np.where(shares < 0.5, np.log(2 * shares), -np.log(2 * (1 - shares)))
    return values[(np.arange(_QUANTILES) * 633) % _QUANTILES]  # 633 / 1024 is near the golden section
