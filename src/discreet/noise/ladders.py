"""Laws on 0, 1, 2, ... as ladders: Q_j = Pr[index >= j], each rung known to any number of bits.

A draw is one uniform real U in [0, 1), read bit by bit: its index is the number of rungs j >= 1 with U < Q_j.
Q_j falls to zero, so the rungs that need the most bits lie where the leading bits of U are zero.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import count
from typing import Any

from discreet.kernels.inversion import zigzag
from discreet.numbers.intervals import Interval, Power, Real

DIGIT = 256


class Ladder(ABC):
    """A law on the integers from 0. Subclasses are frozen dataclasses, so that equal ladders share a table."""

    #: the number of outcomes, or None if there is no largest
    outcomes: int | None = None
    #: whether index 0, 1, 2, 3, ... stands for 0, -1, 1, -2, ...
    zigzag: bool = False
    #: with so many bits a rung is near enough to a short fraction to give up, if there is another way to draw
    enough_bits: int | None = None

    def outcome(self, index: Any) -> Any:
        """What an index, or an array of them, stands for."""
        return zigzag(index) if self.zigzag else index

    @abstractmethod
    def rung(self, j: int, bits: int) -> Interval:
        """Q_j at `bits` bits, for one j >= 1."""

    def rungs(self, bits: int) -> Iterator[Interval]:
        """Q_1, Q_2, ... at `bits` bits; a ladder of many rungs has a way to them that costs less."""
        return (self.rung(j, bits) for j in (count(1) if self.outcomes is None else range(1, self.outcomes)))


def _powers(base: Interval) -> Iterator[Interval]:
    """base, base**2, ...: the running product, so that one rung costs one multiplication."""
    power = base
    while True:
        yield power
        power = power * base


@dataclass(frozen=True)
class GeometricLadder(Ladder):
    """Pr[G >= j] = ratio**j."""

    ratio: Real

    def rungs(self, bits: int) -> Iterator[Interval]:
        return _powers(self.ratio.bracket(bits))

    def rung(self, j: int, bits: int) -> Interval:
        return Power(self.ratio, j).bracket(bits)


@dataclass(frozen=True)
class Digit(Ladder):
    """A geometric modulo n, by default one radix-256 digit: Pr[D >= j] = (ratio**j - ratio**n) / (1 - ratio**n).

    With `ratio` that of a geometric raised to n**place it is its digit at that place; those of different places are
    independent, and of what is above them.
    """

    ratio: Real
    outcomes: int = DIGIT

    def _parts(self, bits: int) -> tuple[Interval, Interval, Interval]:
        """ratio, ratio**n and 1 - ratio**n; the last has so many leading bits that a quotient has `bits`."""
        work, needed = 2 * bits, bits + self.outcomes.bit_length() + 2  # an error in the ratio grows by n
        while True:
            ratio = self.ratio.bracket(work)
            last = ratio**self.outcomes
            whole = Interval.of(1, work) - last
            if whole.low >> needed:
                return ratio, last, whole
            work += bits

    def rungs(self, bits: int) -> Iterator[Interval]:
        ratio, last, whole = self._parts(bits)
        for power, _ in zip(_powers(ratio), range(1, self.outcomes), strict=False):
            yield ((power - last) / whole).to(bits)

    def rung(self, j: int, bits: int) -> Interval:
        ratio, last, whole = self._parts(bits)
        return ((ratio**j - last) / whole).to(bits)


@dataclass(frozen=True)
class Signed(Ladder):
    """A geometric and an independent sign in one draw: index 2g is (g, plus), index 2g + 1 is (g, minus).

    The sign is minus with probability alpha / (1 + alpha). With ratio = alpha this is the discrete Laplace
    law itself: plus stands for g, minus for -1 - g.
    """

    alpha: Real
    ratio: Real
    zigzag = True

    def _minus(self, bits: int) -> Interval:
        """Q_(2g+1) / Q_(2g)."""
        alpha, ratio = self.alpha.bracket(bits), self.ratio.bracket(bits)
        return (alpha + ratio) / (Interval.of(1, bits) + alpha)

    def rungs(self, bits: int) -> Iterator[Interval]:
        minus, ratio = self._minus(bits), self.ratio.bracket(bits)
        yield minus
        for power in _powers(ratio):
            yield power
            yield power * minus

    def rung(self, j: int, bits: int) -> Interval:
        power = Power(self.ratio, j >> 1).bracket(bits)
        return power * self._minus(bits) if j & 1 else power


@dataclass(frozen=True)
class Coin(Ladder):
    """1 with the given probability, else 0."""

    probability: Real
    outcomes = 2

    def rung(self, j: int, bits: int) -> Interval:
        return self.probability.bracket(bits)
