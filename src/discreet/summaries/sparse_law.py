"""Intervals from a summary that holds few of very many entries (cells, tree nodes, coefficients): what it leaves open.

A question needs some entries, each with a weight (1 for cells and tree nodes). It is answered
- by the noisy values as they were drawn, if it needs one entry only, or all that it needs are here (one that is not
here counts as zero);
- else by the sum of sign(v) * max(|v|, tau) times the weights, which is unbiased for the (filtered) noisy entries.

An interval has to hold the true count c of the entries needed, whatever a filter hides. With noise z each had the
value v = c + z, and it is here if |v| (one-sided: v) is at least theta, unless it was sampled away.

Upwards. An absent entry has v < theta, so c <= theta - 1 - z: the truth is at most the sum of what is here, theta - 1
for each absent entry, and the noise of all.

Downwards, if no c is below zero: an entry that passed makes the sum too high by its noise, one that did not makes it
too low by c. For each t > 0 the mean of exp(t error) is at most that of the noise (for an entry that fails, v has a
mean of zero or more), so the noise of all entries bounds the error. Where few passed less is enough: the noise of those
that did, and that of the entries that pass though they are empty, whose number and law are public. One-sided, these
have a mean, which is taken off.

Sampling: of the entries lighter than tau (each was drawn with chance p = |v| / tau) some were drawn on each side, and
their number times tau stands for all of them. That it is too low: the variance of that number is estimated without bias
by the sum of 1 - p; its upper limit is that of a Poisson number of that variance (Wilson-Hilferty), so that few or none
drawn still leave room above. That it is too high: the lower limit of a Poisson number, for few; for ten and more, what
the normal law has with the same estimate of the variance. Noise and sampling are squared and added (the MOVER rule).
And whatever was drawn is at least what it is, what was not at most tau: with the noise, this holds without any rule.
Weighted entries may be below zero, so what hides of them counts both ways.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from statistics import NormalDist
from typing import Any

import numpy as np
from numpy.typing import NDArray

from discreet.arrow import array_of
from discreet.numbers import spreads, written
from discreet.numbers.laws import DiscreteLaplace, half_widths
from discreet.schema import Schema
from discreet.summaries.base import Answers, Floats, Summary
from discreet.summaries.columns import arrow_table, checked_counts, distinct_rows

_EXACT_COUNTS = 1 << 40
#: limits may be any number whose square is one
_BEYOND = 10**150
#: width of an interval over typical error, where most of it is what may be hidden: from 2 to 50 in trials
_TYPICAL = 8
#: of the rate of the noise: exponents that bounds are tried with
_EXPONENTS = np.geomspace(0.01, 0.95, 24).tolist()
_MOST_LOG = 500.0
#: so many drawn entries are enough for the normal law
_MANY = 10
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
    #: w**2 (1 - p) where w v is above zero, and below; and w**2 there, if p is not one
    up: Floats
    down: Floats
    up_drawn: Floats
    down_drawn: Floats
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

    def without(self, part: Sums) -> Sums:
        """The rest, when a part of the entries is taken out; what is largest stays."""
        numbers = {
            name: np.maximum(getattr(self, name) - getattr(part, name), 0.0)
            for name in ("up", "down", "up_drawn", "down_drawn", "needed", "held", "load", "held_load")
        }
        values = {name: getattr(self, name) - getattr(part, name) for name in ("value", "weighted")}
        noise = {name: getattr(self, name).without(getattr(part, name)) for name in ("spread", "held_spread", "passed")}
        return Sums(**values, **numbers, **noise, largest=self.largest)

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
        """From these entries alone: noise, sampling, and what absent entries may hold."""
        raw, middle = self.middle(sums)
        noise = self.half(sums.spread, level)
        _, above = self.sampling(sums, level)
        hides = np.where(sums.complete, 0.0, sums.absent_load * self.hidden)
        low = self.least(sums, (1 - level) / 2)
        surely = sums.value + noise + self.unseen(sums)
        high = np.where(raw, surely, np.minimum(middle + np.hypot(noise, above) + hides, surely))
        high = np.maximum(high, low)
        passed = sums.spread.where(raw, sums.passed) if self.filters else sums.spread
        sampled = np.where(raw, 0.0, self.tau**2 * (sums.up + sums.down))
        stderr = np.sqrt(np.maximum(passed.second * self.noise.variance + sampled, 0.0))
        parts = {"noise": noise, "sampled away": np.where(raw, 0.0, above), "hidden by the filter": hides}
        shown = {name: part for name, part in parts.items() if part.any()}
        return Answers(middle - self.surplus(sums), stderr, low, high, plain=middle, parts=shown)

    def least(self, sums: Sums, miss: float) -> Floats:
        """The least that the entries hold, but for a chance of `miss`."""
        raw, middle = self.middle(sums)
        noise = self.half(sums.spread, 1 - 2 * miss)
        below, _ = self.sampling(sums, 1 - 2 * miss)
        unseen = self.unseen(sums) if self.two_sided else 0.0
        if not self.equal_weights:
            hides = np.where(sums.complete, 0.0, sums.absent_load * self.hidden)
            return np.maximum(middle - np.hypot(noise, below) - hides, sums.value - noise - unseen)
        lifted = np.where(raw, noise, self.lifted(sums, miss))
        low = np.maximum(middle - np.hypot(lifted, below), sums.value - lifted - unseen)
        return np.asarray(low - self.surplus(sums))

    def with_end(self, found: Answers, high: Floats, hidden: NDArray[np.bool_]) -> Answers:
        """With this upper end. Where entries are hidden, the typical error is a guess: a part of the width."""
        if not self.drops:
            return replace(found, high=high)
        reach = np.where(np.isfinite(high) & hidden, high - np.maximum(found.low, 0.0), 0.0) / _TYPICAL
        return replace(found, high=high, stderr=np.maximum(found.stderr, reach))

    def middle(self, sums: Sums) -> tuple[NDArray[np.bool_], Floats]:
        """Which questions are answered by values as they were drawn, and the sums that answer."""
        raw = (sums.needed == 1) | sums.complete
        return raw, np.where(raw, sums.value, sums.weighted)

    def unseen(self, sums: Sums) -> Floats:
        """The most that the noisy values of absent entries add up to, whether filtered or sampled away."""
        return np.where(sums.complete, 0.0, sums.absent_load * max(self.hidden, self.tau))

    def surplus(self, sums: Sums) -> Floats:
        """What empty entries add to a sum in the mean, if only those above zero are kept."""
        raw, _ = self.middle(sums)
        return np.zeros_like(sums.load) if self.two_sided else np.where(raw, 0.0, sums.load * self._empty[1])

    def lifted(self, sums: Sums, miss: float) -> Floats:
        """By how much the noise may have made a sum too high, but for a chance of `miss`."""
        every = self.half(sums.spread, 1 - 2 * miss)
        if self.two_sided and not self.filters:
            return every
        if not self.two_sided:
            return self._lifted_one_sided(sums, miss)
        chance, _, second, fourth = self._empty
        expected = sums.needed * chance
        few, rare = expected <= miss / 2, expected <= miss / 100
        of_passed = np.where(rare, self.half(sums.passed, 1 - 1.98 * miss), self.half(sums.passed, 1 - miss))
        variance = sums.passed.second * self.noise.variance + sums.spread.second * second
        cumulant = sums.passed.fourth * self.noise.fourth_cumulant + sums.spread.fourth * fourth
        mixed = spreads.half_widths(variance, cumulant, 1 / self.noise.rate, 1 - 2 * miss)
        return np.minimum(np.where(few, of_passed, mixed), every)

    def _lifted_one_sided(self, sums: Sums, miss: float) -> Floats:
        """What only adds up is skewed, so a bound by the mean of exp(t error), the best of some t.

        An entry that passed has the noise's, M(t); an empty one 1 + E[exp(tz) / M(t) - 1; z >= theta]; others, less.
        """
        rate, theta = self.noise.rate, float(self.theta)
        chance, mean, _, _ = self._empty
        rest = math.log(-math.expm1(-rate))  # of 1 - a
        log_chance = -theta * rate - math.log1p(math.exp(-rate))
        best = np.full(sums.needed.size, np.inf)
        for share in _EXPONENTS:
            t = share * rate
            up, down = math.log(-math.expm1(t - rate)), math.log(-math.expm1(-t - rate))
            moment = 2 * rest - up - down
            log_passing = log_chance + t * theta + rest - up - moment
            if log_passing > _MOST_LOG:
                continue
            each = math.log1p(max(math.exp(log_passing) - chance, 0.0))
            bound = (sums.passed.second * moment + sums.needed * each - math.log(miss)) / t
            best = np.minimum(best, bound)
        return np.maximum(best - sums.load * mean, 0.0)

    @cached_property
    def _empty(self) -> tuple[float, float, float, float]:
        """Of an empty entry: the chance that it passes upwards; its mean if only that counts; second, fourth moments.

        Beyond theta its noise is theta and a geometric number.
        """
        a, theta = float(self.alpha.fraction), float(self.theta)
        if (rest := 1 - a) == 0:
            rest = float(1 - self.alpha.fraction)
        chance = math.exp(-theta * self.noise.rate) / (1 + a)
        g1, g2 = a / rest, a * (1 + a) / rest**2
        g3, g4 = a * (1 + 4 * a + a * a) / rest**3, a * (1 + 11 * a + 11 * a * a + a**3) / rest**4
        second = theta**2 + 2 * theta * g1 + g2
        fourth = theta**4 + 4 * theta**3 * g1 + 6 * theta**2 * g2 + 4 * theta * g3 + g4
        sides = 2 if self.two_sided else 1
        return chance, chance * (theta + g1), sides * chance * second, sides * chance * fourth

    def half(self, spread: WeightPowers, level: float) -> Floats:
        """Half-widths of the noise; of equal weights by the exact law, beyond 2**40 draws the normal one is as good."""
        counts, variance = spread.second, spread.second * self.noise.variance
        if not self.equal_weights:
            fourth = spread.fourth * self.noise.fourth_cumulant
            return spreads.half_widths(variance, fourth, 1 / self.noise.rate, level)
        exact = half_widths(self.alpha, np.ceil(np.minimum(counts, _EXACT_COUNTS)).astype(np.int64), level)
        normal = NormalDist().inv_cdf(0.5 + level / 2) * 1.000001 * np.sqrt(variance)
        return np.where(counts <= _EXACT_COUNTS, exact, normal)

    def sampling(self, sums: Sums, level: float) -> tuple[Floats, Floats]:
        """How far the sampled part may be off, below and above: by limits of two Poisson numbers, in steps of tau w.

        The largest weight stands for all: with fewer, larger steps of the same variance the limits are wider.
        """
        if not self.tau:
            return np.zeros_like(sums.up), np.zeros_like(sums.up)
        unit = np.where(sums.largest > 0, sums.largest, 1.0)
        up, down = sums.up / unit**2, sums.down / unit**2
        too_low = [poisson_limits(part, level)[1] - part for part in (up, down)]
        too_high = [
            _drawn_too_often(part, drawn / unit**2, level)
            for part, drawn in ((up, sums.up_drawn), (down, sums.down_drawn))
        ]
        if not self.two_sided:
            too_low[1] = too_high[1] = np.zeros_like(down)
        step = np.where(self.middle(sums)[0], 0.0, self.tau * unit)  # nothing stands for others where values answer
        return step * np.hypot(too_high[0], too_low[1]), step * np.hypot(too_low[0], too_high[1])


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
        return table, checked_counts(array_of(table["count"])).astype(np.int64), rule_of(facts)


def rule_of(facts: Mapping[str, Any]) -> dict[str, Any]:
    """Of what release.json says, what entries were kept by."""
    return {name: facts[name] for name in _RULE if name in facts}


def _drawn_too_often(variance: Floats, drawn: Floats, level: float) -> Floats:
    """By how much more entries than expected may have been drawn."""
    few = drawn - poisson_limits(drawn, level)[0]
    many = NormalDist().inv_cdf(0.5 + level / 2) * np.sqrt(variance)
    return np.where(drawn >= _MANY, np.minimum(few, many), few)


def poisson_limits(count: Floats, level: float) -> tuple[Floats, Floats]:
    """Two-sided limits for the mean of a Poisson number (Wilson-Hilferty; none seen: exactly)."""
    z, miss = NormalDist().inv_cdf(0.5 + level / 2), (1 - level) / 2
    n, m = np.maximum(count, 1e-9), count + 1.0
    low = n * np.maximum(1 - 1 / (9 * n) - z / (3 * np.sqrt(n)), 0.0) ** 3
    high = np.where(count > 0, m * (1 - 1 / (9 * m) + z / (3 * np.sqrt(m))) ** 3, -math.log(miss))
    return low, high
