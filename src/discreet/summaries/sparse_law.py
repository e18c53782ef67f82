"""Intervals from a summary that holds few of very many entries (cells, tree nodes, coefficients): what it leaves open.

A question needs some entries, each with a weight (1 for cells and tree nodes). It is answered
- by the noisy values as they were drawn, if it needs one entry only, or all that it needs are here (one that is not
here counts as zero);
- else by the sum of sign(v) * max(|v|, tau) times the weights, which is unbiased for the (filtered) noisy entries.

Intervals put three things together. Noise: the quantile of the law of the noise of all entries needed (with a filter:
of the estimated number that passed it). Sampling: of the entries lighter than tau (each was drawn with chance p = |v|
/ tau) some were drawn on each side; the variance of that number is estimated without bias by the sum of 1 - p; its
limits are those of a Poisson number of that variance (Wilson-Hilferty), so that few or none drawn still leave room
above. The parts are squared and added (the MOVER rule). What a filter hides is not in the interval but in the bias:
each absent entry had a noisy value below theta. Adding the noise of the absent ones makes that a bound for whatever
they hold: the error is the noise of all entries needed, less the noisy values of the absent ones.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from statistics import NormalDist
from typing import Any

import numpy as np
from numpy.typing import NDArray

from discreet.numbers import spreads, written
from discreet.numbers.laws import DiscreteLaplace, half_widths
from discreet.schema import Schema
from discreet.summaries.base import Answers, Floats, Summary
from discreet.summaries.columns import arrow_table, checked_counts, distinct_rows

_EXACT_COUNTS = 1 << 40
#: limits may be any number whose square is one
_BEYOND = 10**150
_RULE = ("alpha", "two_sided", "theta", "tau", "cut_to", "consistency")


@dataclass(frozen=True, eq=False)
class WeightPowers:
    """Weighted draws of the noise: the sums of the weights' squares and fourth powers; if all are 1, their number."""

    second: Floats
    fourth: Floats

    @classmethod
    def of_count(cls, count: Floats) -> WeightPowers:
        return cls(count, count)

    def without(self, other: WeightPowers) -> WeightPowers:
        second = np.maximum(self.second - other.second, 0.0)
        return WeightPowers(second, np.clip(self.fourth - other.fourth, 0.0, second**2))

    def where(self, chosen: NDArray[np.bool_], other: WeightPowers) -> WeightPowers:
        return WeightPowers(np.where(chosen, self.second, other.second), np.where(chosen, self.fourth, other.fourth))


@dataclass(frozen=True, eq=False)
class Sums:
    """What questions add up to, each an entry of the arrays; v a value, w its weight, p its chance of being drawn."""

    #: over the entries that are here: w v, and w sign(v) max(|v|, tau)
    value: Floats
    weighted: Floats
    #: w**2 (1 - p) where w v is above zero, and below
    up: Floats
    down: Floats
    #: how many entries are needed, and how many of them are here
    needed: Floats
    held: Floats
    #: |w| of those, and the most that one of them has
    load: Floats
    held_load: Floats
    largest: Floats
    #: the noise of all that are needed, of those that are here, and an estimate of those that passed a filter
    spread: WeightPowers
    held_spread: WeightPowers
    passed: WeightPowers

    @property
    def absent_load(self) -> Floats:
        return np.maximum(self.load - self.held_load, 0.0)

    @property
    def complete(self) -> NDArray[np.bool_]:
        return np.asarray(self.held >= self.needed)


class SparseLaw:
    """The public rule by which entries were kept, and what follows from it for these values."""

    def __init__(self, rule: Mapping[str, Any], values: NDArray[np.int64], *, equal_weights: bool = True) -> None:
        self.alpha, self.theta = written.alpha(rule), written.whole(rule, "theta", 1, _BEYOND)
        self.two_sided = bool(rule["two_sided"])
        self.tau = written.real(rule.get("tau") or 0.0, "tau", 0.0, float(_BEYOND))
        cut_to = None if rule.get("cut_to") is None else written.whole(rule, "cut_to", 0, 10**4000)
        cut = cut_to is not None and values.size >= cut_to
        #: what an absent entry's |v| is at most, unless it was sampled away
        self.hidden = int(np.abs(values).min()) if cut else self.theta - 1
        self.filters = self.theta > 1
        self.drops = self.filters or cut_to is not None
        self.equal_weights = equal_weights
        self.noise = DiscreteLaplace(self.alpha)

    def interval(self, sums: Sums, level: float) -> Answers:
        """The answers without their bias."""
        raw = (sums.needed == 1) | sums.complete
        spread = sums.spread.where(raw, sums.passed) if self.filters else sums.spread
        noise = self.half(spread, level)
        below, above = self._sampling(sums, level)
        middle = np.where(raw, sums.value, sums.weighted)
        # whatever was sampled away is lighter than tau, so what is here bounds the whole from both sides
        most = np.where(sums.complete, 0.0, sums.absent_load * self.tau)
        below = np.clip(middle - sums.value + (most if self.two_sided else 0.0), 0.0, below)
        above = np.clip(sums.value + most - middle, 0.0, above)
        sampling = np.where(raw, 0.0, self.tau**2 * (sums.up + sums.down))
        stderr = np.sqrt(spread.second * self.noise.variance + sampling)
        low, high = middle - np.hypot(noise, below), middle + np.hypot(noise, above)
        return Answers(middle, stderr, low, high, np.zeros_like(middle))

    def bias(self, sums: Sums, level: float) -> Floats:
        """The most that is outside the interval: what absent entries hide, and what one side leaves out."""
        bias = self.one_sided(sums.load)
        if self.drops:
            left = self.half(sums.spread.without(sums.held_spread), level)
            bias = bias + np.where(sums.complete, 0.0, sums.absent_load * self.hidden + left)
        return bias

    def one_sided(self, load: Floats) -> Floats:
        """What entries that are zero add to a sum if only positive noise is kept; no entry adds more."""
        a = self.alpha.fraction
        return np.zeros_like(load) if self.two_sided else load * float(a / (1 - a * a))

    def half(self, spread: WeightPowers, level: float) -> Floats:
        """Half-widths of the noise; of equal weights by the exact law, beyond 2**40 draws the normal one is as good."""
        counts, variance = spread.second, spread.second * self.noise.variance
        if not self.equal_weights:
            fourth = spread.fourth * self.noise.fourth_cumulant
            return spreads.half_widths(variance, fourth, 1 / self.noise.rate, level)
        exact = half_widths(self.alpha, np.ceil(np.minimum(counts, _EXACT_COUNTS)).astype(np.int64), level)
        normal = NormalDist().inv_cdf(0.5 + level / 2) * 1.000001 * np.sqrt(variance)
        return np.where(counts <= _EXACT_COUNTS, exact, normal)

    def _sampling(self, sums: Sums, level: float) -> tuple[Floats, Floats]:
        """How far the sampled part may be off, below and above: by limits of two Poisson numbers, in steps of tau w.

        The largest weight stands for all: with fewer, larger steps of the same variance the limits are wider.
        """
        if not self.tau:
            return np.zeros_like(sums.up), np.zeros_like(sums.up)
        unit = np.where(sums.largest > 0, sums.largest, 1.0)
        up, down = sums.up / unit**2, sums.down / unit**2
        (low_up, high_up), (low_down, high_down) = poisson_limits(up, level), poisson_limits(down, level)
        if not self.two_sided:
            low_down = high_down = down
        step = self.tau * unit
        return step * np.hypot(up - low_up, high_down - down), step * np.hypot(high_up - up, down - low_down)


class SparseEntries(Summary):
    """What summaries of such entries share: the noisy values that are here, the public rule, and columns."""

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
        table = distinct_rows(parquet)
        rule = {name: facts[name] for name in _RULE if name in facts}
        return table, checked_counts(table["count"].to_numpy()).astype(np.int64), rule


def poisson_limits(count: Floats, level: float) -> tuple[Floats, Floats]:
    """Two-sided limits for the mean of a Poisson number (Wilson-Hilferty; none seen: exactly)."""
    z, miss = NormalDist().inv_cdf(0.5 + level / 2), (1 - level) / 2
    n, m = np.maximum(count, 1e-9), count + 1.0
    low = n * np.maximum(1 - 1 / (9 * n) - z / (3 * np.sqrt(n)), 0.0) ** 3
    high = np.where(count > 0, m * (1 - 1 / (9 * m) + z / (3 * np.sqrt(m))) ** 3, -math.log(miss))
    return low, high
