"""The empty cells that a summary of the noisy table would keep, drawn without looking at the others.

Source: sparse-summaries (Cormode, Procopiuc, Srivastava, Tran), algorithms FILTER and THRESHOLD, for any real tau.
Law: an empty cell has noise v ~ discrete Laplace. It is kept if |v| >= theta (one-sided: v >= theta), and then with
probability min(|v| / limit, 1) if there is a limit (tau). So it is kept with probability
    p = sides * sum over k >= theta of (1-a)/(1+a) a**k min(k/limit, 1),
and a kept one has size k with probability proportional to a**k min(k/limit, 1), its sign fair if there are two sides.
Numerics: exact. p is certified; how values are drawn is in `survivor_values`.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache

from discreet.numbers.intervals import Interval, Real
from discreet.privacy import Alpha

#: with at most this many powers of a in the sum, p is worked out as a fraction: with more it is none of 64 bits
_FEW = 64


@dataclass(frozen=True)
class Rule:
    """What a summary keeps of a noisy cell: the filter theta >= 1, the sampling limit (tau) or None, and the sides."""

    alpha: Alpha
    theta: int = 1
    limit: Fraction | None = None
    two_sided: bool = True


@dataclass(frozen=True)
class KeptProbability(Real):
    """p of the module's text: the probability that an empty cell is kept."""

    rule: Rule

    def approximate(self, bits: int) -> Interval:
        rule = self.rule
        theta, fraction = rule.theta, rule.alpha.fraction
        # with limit 2 p is alpha, which has 64 bits: no bracket that is not exact could ever prove its floor
        if (whole := _as_fraction(rule)) is not None:
            return Interval.of(whole, bits)
        # sums over k lose as many leading bits as 1 - a has zeros, twice; limit and theta scale what is lost
        limit = Fraction(1) if rule.limit is None else rule.limit
        scaled = abs(limit.numerator.bit_length() - limit.denominator.bit_length())
        work = bits + 160 + theta.bit_length() + scaled
        one, a = Interval.of(1, work), Interval.of(fraction, work)
        mass = Interval.of((1 - fraction) / (1 + fraction), work)
        if limit <= theta:  # theta is at least one
            tail = a**theta * Interval.of(1 / (1 - fraction), work)
        else:
            last = limit.numerator // limit.denominator  # sizes up to here are sampled, those above kept
            rest = a ** (last + 1) * Interval.of(1 / (1 - fraction), work)
            sampled = _weighted(theta, a, fraction, work) - _weighted(last + 1, a, fraction, work)
            tail = sampled * Interval.of(1 / limit, work) + rest
        sides = Interval.of(2 if rule.two_sided else 1, work)
        found = (mass * tail * sides).to(bits)
        return Interval(found.low, min(found.high, one.to(bits).high), bits)


@lru_cache(maxsize=4096)
def kept_share(rule: Rule) -> float:
    """p as a float, for planning."""
    return float(KeptProbability(rule))


@lru_cache(maxsize=4096)
def _as_fraction(rule: Rule) -> Fraction | None:
    """p itself, if it is the sum of few powers of a."""
    a, limit = rule.alpha.fraction, rule.limit or Fraction(1)
    end = max(rule.theta, limit.numerator // limit.denominator + 1)  # from here on all are kept
    if end > _FEW:
        return None
    sampled = sum((a**k * k for k in range(rule.theta, end)), Fraction(0)) / limit
    return (2 if rule.two_sided else 1) * (1 - a) / (1 + a) * (sampled + a**end / (1 - a))


def _weighted(first: int, a: Interval, fraction: Fraction, bits: int) -> Interval:
    """The sum of k a**k over k >= first: a**first (first / (1-a) + a / (1-a)**2)."""
    factor = first / (1 - fraction) + fraction / (1 - fraction) ** 2
    return a**first * Interval.of(factor, bits)


@dataclass(frozen=True)
class ExtraKeptProbability(Real):
    """The probability that an empty cell is kept by `lower`, given that `higher`, which keeps less, did not keep it."""

    lower: KeptProbability
    higher: KeptProbability

    def approximate(self, bits: int) -> Interval:
        work = bits + 64
        low, high, one = self.lower.bracket(work), self.higher.bracket(work), Interval.of(1, work)
        if (one - high).low == 0:
            return Interval(0, 1 << bits, bits)
        return ((low - high) / (one - high)).to(bits)
