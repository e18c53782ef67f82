"""One step of noise-down on the integers: lower the noise of an answer that was already looked at, at no extra cost.

Source: NoiseDown of iReduct (Xiao, Bender, Hay, Gehrke), in the integer form in which its theorem holds.
Law: old noise = new noise + Z, where Z is nothing with probability w = (b/a) ((1-a)/(1-b))**2, else a discrete Laplace
with ratio a (a = old alpha, b = new alpha < a). So, given that the old answer is at distance d from the exact count and
with r = b/a, the new answer lies, on the side of the old one, at distance
    d, kept                 with probability  s r**d,     s = r (1 - a*a) / (1 - b*b)
    d + Geometric(ab)       with probability  e r**d,     e = (1-w) (1-b)/(1+b) / (1-ab)
    -1 - Geometric(ab)      with probability  e a b
    Geometric(r) modulo d   with the rest.
Only the first multiplies along a path of scales; a redrawn answer may come out the same by chance.
The new noise is again discrete Laplace, and the pair (old, new) tells nothing that new alone does not.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

from discreet.errors import BadParameter
from discreet.noise.ladders import Ladder
from discreet.numbers.intervals import Interval, Power, Rational
from discreet.privacy import Alpha


@dataclass(frozen=True)
class Down:
    """The constants of one step from `old` to `new`, all rational."""

    old: Alpha
    new: Alpha

    def __post_init__(self) -> None:
        if self.new.numerator >= self.old.numerator:
            raise BadParameter("noise can only be taken down: the new scale must be below the old one, in 64 bits")

    @property
    def ratio(self) -> Fraction:
        return Fraction(self.new.numerator, self.old.numerator)

    @property
    def product(self) -> Fraction:
        return self.old.fraction * self.new.fraction

    @property
    def keep(self) -> Fraction:
        """s: the probability that an answer at distance 0 is kept."""
        old, new = self.old.fraction, self.new.fraction
        return self.ratio * (1 - old * old) / (1 - new * new)

    @property
    def outward(self) -> Fraction:
        """e: the probability that an answer at distance 0 is redrawn, but not to the other side."""
        old, new = self.old.fraction, self.new.fraction
        kept = self.ratio * ((1 - old) / (1 - new)) ** 2
        return (1 - kept) * (1 - new) / (1 + new) / (1 - self.product)

    @property
    def across(self) -> Fraction:
        return self.outward * self.product


@dataclass(frozen=True)
class Moves(Ladder):
    """What happens to an answer at one distance: 3 kept, 2 outward, 1 across, 0 inward.

    With `redrawn`, the same given that it is not kept.
    """

    down: Down
    distance: int
    redrawn: bool
    outcomes = 4

    def rung(self, j: int, bits: int) -> Interval:
        down = self.down
        keep, outward, across = (Interval.of(x, bits) for x in (down.keep, down.outward, down.across))
        power = Power(Rational(down.ratio), self.distance).bracket(bits)
        kept = Interval.of(0, bits) if self.redrawn else keep
        reached = (kept if j == 3 else kept + outward) * power
        if j == 1:
            reached = reached + across
        if not self.redrawn:
            return reached
        rest = Interval.of(1, bits) - keep * power
        return reached / rest if rest.low else Interval(0, 1 << bits, bits)
