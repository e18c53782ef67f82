"""Certified real numbers: fixed-point intervals that are rounded outwards, to as many bits as are asked for.

A `Real` never has *a* value in the machine, only brackets: integers low <= x * 2**bits <= high. Whoever
decides something by a real number asks for more bits until the bracket proves the answer.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass
from fractions import Fraction


@dataclass(frozen=True, slots=True)
class Interval:
    """All x with low <= x * 2**bits <= high. Arithmetic is for numbers >= 0, and rounds outwards."""

    low: int
    high: int
    bits: int

    @classmethod
    def of(cls, value: Fraction | int, bits: int) -> Interval:
        numerator, denominator = value.numerator << bits, value.denominator
        return cls(numerator // denominator, -(-numerator // denominator), bits)

    def __add__(self, other: Interval) -> Interval:
        return Interval(self.low + other.low, self.high + other.high, self.bits)

    def __sub__(self, other: Interval) -> Interval:
        return Interval(max(0, self.low - other.high), max(0, self.high - other.low), self.bits)

    def __mul__(self, other: Interval) -> Interval:
        return Interval((self.low * other.low) >> self.bits, -(-(self.high * other.high) >> self.bits), self.bits)

    def __truediv__(self, other: Interval) -> Interval:
        if other.low == 0:
            raise ZeroDivisionError("the interval below the line contains zero: use more bits")
        return Interval((self.low << self.bits) // other.high, -(-(self.high << self.bits) // other.low), self.bits)

    def __pow__(self, exponent: int) -> Interval:
        if exponent < 0:
            raise ValueError("intervals have no negative powers")
        result, square = Interval.of(1, self.bits), self
        while exponent:
            if exponent & 1:
                result = result * square
            exponent >>= 1
            if exponent:
                square = square * square
        return result

    def to(self, bits: int) -> Interval:
        """The same numbers at fewer bits."""
        drop = self.bits - bits
        return Interval(self.low >> drop, -(-self.high >> drop), bits)


class Real(ABC):
    """A real number >= 0 known to any precision. Subclasses are frozen dataclasses: equal means the same number."""

    @abstractmethod
    def approximate(self, bits: int) -> Interval:
        """An interval at `bits` bits that contains the number; it narrows as bits grow."""

    def bracket(self, bits: int) -> Interval:
        """An interval at `bits` bits, at most two units wide."""
        work = bits + 32
        while True:
            wide = self.approximate(work)
            if wide.high - wide.low <= 1 << (work - bits):
                return wide.to(bits)
            work += bits + 64

    def __float__(self) -> float:
        bits = 64
        while (found := self.bracket(bits)).low < 1 << 60:
            if found.high == 0 or bits > 4096:
                return 0.0
            bits += 64
        return float(Fraction(found.low, 1 << bits))


@dataclass(frozen=True)
class Rational(Real):
    """A fraction, as a Real."""

    value: Fraction

    def approximate(self, bits: int) -> Interval:
        return Interval.of(self.value, bits)


@dataclass(frozen=True)
class Power(Real):
    """base ** exponent for a base in [0, 1]."""

    base: Real
    exponent: int

    def approximate(self, bits: int) -> Interval:
        # an error in the base grows by the exponent, so that many more bits go in
        work = bits + self.exponent.bit_length() + 8
        return (self.base.bracket(work) ** self.exponent).to(bits)


@dataclass(frozen=True)
class Complement(Real):
    """1 - x for x in [0, 1]."""

    of: Real

    def approximate(self, bits: int) -> Interval:
        return Interval.of(1, bits) - self.of.bracket(bits)
