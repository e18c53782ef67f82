"""The noisy values of empty cells that were kept; which ones are, and the law of their values, is in `survivors`.

Numerics: exact. Many come from one certified table of sizes with their signs; few, or those of very wide noise, from
exact proposals and exact coins, as making the table would take longer.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from itertools import count as count_from

import numpy as np

from discreet.kernels.inversion import raise_sizes
from discreet.kernels.jit import Ints
from discreet.noise.coins import coin, coins, inverse_coins
from discreet.noise.draw import CHUNK, Drawer
from discreet.noise.draw_tables import DrawTable, Unproved, table_of
from discreet.noise.geometric import ONE_TABLE, geometric_digits
from discreet.noise.ladders import Ladder
from discreet.noise.survivors import Rule
from discreet.numbers.intervals import Interval, Rational

#: for so many survivors, times the mean of a geometric, a table of their law is worth making
_WORTH_A_TABLE = 1 << 15
_HALF = Rational(Fraction(1, 2))


@dataclass(frozen=True)
class SurvivorSizes(Ladder):
    """The size of a kept empty cell, less theta: Pr[. >= j] = T(j) / T(0), where T(j) sums over k >= theta + j.

    With t the limit, e = floor(t) + 1 - theta the first of those that are always kept, and up to a factor,
        T(j) = a**j t (1 - a)                                                            for j >= e, and else
        T(j) = a**j ((theta + j) (1 - a) + a) - a**e ((theta + e - t) (1 - a) + a).
    """

    rule: Rule
    enough_bits = 1 << 11

    def rungs(self, bits: int) -> Iterator[Interval]:
        return self._falling(bits, 1)

    def rung(self, j: int, bits: int) -> Interval:
        return next(self._falling(bits, j))

    def _falling(self, bits: int, first: int) -> Iterator[Interval]:
        """T(j) / T(0) for j = first, first + 1, ..., with one multiplication for each power."""
        theta, limit = self.rule.theta, self.rule.limit
        if limit is None or limit <= theta:  # every size is kept, which any limit up to theta says
            limit = Fraction(1)
        end = max(0, limit.numerator // limit.denominator + 1 - theta)
        work, fraction = bits + 64 + theta.bit_length(), self.rule.alpha.fraction
        a, all_kept = Interval.of(fraction, work), Interval.of(limit * (1 - fraction), work)
        step = Interval.of(1 - fraction, work)
        never = Interval.of((theta + end - limit) * (1 - fraction) + fraction, work) * a**end

        def tail(j: int, power: Interval, share: Interval) -> Interval:
            return power * all_kept if j >= end else power * share - never

        def share_of(j: int) -> Interval:
            return Interval.of((theta + j) * (1 - fraction) + fraction, work)

        whole = tail(0, Interval.of(1, work), share_of(0))
        power, share = a**first, share_of(first)
        for j in count_from(first):
            yield (tail(j, power, share) / whole).to(bits)
            power, share = power * a, share + step


@dataclass(frozen=True)
class SignedSurvivorSizes(SurvivorSizes):
    """A size and a fair sign in one draw: index 2g is theta + g, index 2g + 1 is -(theta + g)."""

    zigzag = True

    def rung(self, j: int, bits: int) -> Interval:
        here = super().rung(j >> 1, bits)
        return _half(here + super().rung((j >> 1) + 1, bits)) if j & 1 else here

    def rungs(self, bits: int) -> Iterator[Interval]:
        falling = self._falling(bits, 0)
        here = next(falling)
        for following in falling:
            yield _half(here + following)
            yield following
            here = following


def _half(sum_: Interval) -> Interval:
    return Interval(sum_.low >> 1, -(-sum_.high >> 1), sum_.bits)


def survivor_values(rule: Rule, count: int, drawer: Drawer) -> Ints:
    """The noisy values of `count` kept empty cells."""
    mean = 1 / float(1 - rule.alpha.fraction)
    table = _table(rule) if mean <= ONE_TABLE and count >= _WORTH_A_TABLE * mean else None
    if table is None:
        return signs(rule, sizes(rule, count, drawer), drawer)
    values = np.empty(count, np.int64)
    for start in range(0, count, CHUNK):
        piece = values[start : start + CHUNK]
        drawer.draw(table, piece)
        raise_sizes(rule.theta, piece)
    return values


@lru_cache(maxsize=64)
def _table(rule: Rule) -> DrawTable | None:
    """Of all values that the rule may keep; None for the few rules with a rung that is a fraction of 64 bits."""
    try:
        return table_of(SignedSurvivorSizes(rule) if rule.two_sided else SurvivorSizes(rule))
    except Unproved:
        return None


def sizes(rule: Rule, count: int, drawer: Drawer) -> Ints:
    """The sizes |v| of `count` kept empty cells."""
    theta, limit = rule.theta, rule.limit
    mean = 1 / float(1 - rule.alpha.fraction)
    out, done = np.empty(count, np.int64), 0
    while done < count:  # a chunk at a time, which stays in the cache
        room = out[done : done + CHUNK]
        ask = min(CHUNK, int(room.size * 1.2) + 16)
        # of two exact proposals the better one is accepted at least about a third of the time
        if limit is None or limit <= theta:
            accepted = _geometric(rule, room.size, drawer)
            accepted += theta
        elif float(limit) > theta + mean:  # proportional to k a**k, then accepted with probability min(limit / k, 1)
            proposed = _size_biased(rule, ask, drawer)
            accepted = proposed[inverse_coins(proposed, limit, drawer.stream)]
        else:  # proportional to a**k, then accepted with probability min(k / limit, 1)
            proposed = theta + _geometric(rule, ask, drawer)
            accepted = proposed[coins(proposed, limit, drawer.stream)]
        room = room[: accepted.size]
        room[:] = accepted[: room.size]
        done += room.size
    return out


def _size_biased(rule: Rule, count: int, drawer: Drawer) -> Ints:
    """k >= theta with probability proportional to k a**k.

    (theta + j) a**j is theta times a geometric law plus j a**j, which is one plus the sum of two geometrics.
    """
    a, theta = rule.alpha.fraction, rule.theta
    single = Rational(theta * (1 - a) / (theta * (1 - a) + a))
    out = _geometric(rule, count, drawer)
    out += theta
    double = ~coin(single, count, drawer)
    out[double] += 1 + _geometric(rule, int(np.count_nonzero(double)), drawer)
    return out


def _geometric(rule: Rule, count: int, drawer: Drawer) -> Ints:
    out = np.empty(count, np.int64)
    geometric_digits(Rational(rule.alpha.fraction)).fill(drawer, out)
    return out


def signs(rule: Rule, values: Ints, drawer: Drawer) -> Ints:
    """Each size with its sign, in place: fair if the rule has two sides, else plus."""
    for start in range(0, values.size if rule.two_sided else 0, CHUNK):
        piece = values[start : start + CHUNK]
        np.negative(piece, out=piece, where=coin(_HALF, piece.size, drawer))
    return values
