"""The complete deterministic check of the noise for one pair of parameters.

Everything the sampler decides by is computed again, by another road: masses added up in 250-digit decimals instead of
closed forms in binary intervals. Nothing here is random, so a check either always passes or always fails.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from decimal import ROUND_FLOOR, Context, Decimal, localcontext
from fractions import Fraction

import numpy as np

from discreet.kernels.inversion import ESCAPE
from discreet.noise.draw import Drawer
from discreet.noise.draw_tables import CELLS, DrawTable
from discreet.noise.geometric import Digits, laplace_digits
from discreet.noise.ladders import DIGIT
from discreet.noise.source import ScriptedSource
from discreet.privacy import ALPHA_BITS, Alpha, Number, exact, scale_of

_DIGITS = 250
#: every decimal here is computed to better than this
_SURE = Decimal(10) ** -200
_DEEP_BITS = 192
_MOST_DEEP = 1500


@dataclass(frozen=True)
class Check:
    """One thing that was looked at, how much of it, and whether all of it was right."""

    name: str
    looked_at: int
    wrong: int

    @property
    def passed(self) -> bool:
        return self.wrong == 0 and self.looked_at > 0


@dataclass(frozen=True)
class Verdict:
    """The checks for one noise scale, and the epsilon that the noise really has."""

    epsilon: Fraction
    sensitivity: Fraction
    alpha: Alpha
    true_epsilon: float
    checks: tuple[Check, ...]

    @property
    def passed(self) -> bool:
        return all(check.passed for check in self.checks)


def verify_noise(epsilon: Number, sensitivity: Number = 1) -> Verdict:
    """Check alpha, every threshold, every table cell, the law they add up to, and decisions at bits 129 to 192."""
    alpha = Alpha.of(scale_of(epsilon, sensitivity))
    return verify(exact(epsilon, "epsilon"), exact(sensitivity, "sensitivity"), alpha, laplace_digits(alpha))


def verify(epsilon: Fraction, sensitivity: Fraction, alpha: Alpha, digits: Digits) -> Verdict:
    with localcontext(Context(prec=_DIGITS, Emax=10**9, Emin=-(10**9))):
        a = _decimal(alpha.fraction)
        laws = _laws(alpha, len(digits.digits))
        tables = (digits.top, *digits.digits)
        checks = (
            _check_alpha(epsilon / sensitivity, alpha),
            _check_thresholds(tables, laws),
            _check_cells(tables),
            _check_law(a, laws),
            _check_deep(tables, laws),
        )
        true_epsilon = float(-a.ln() * _decimal(sensitivity))
    return Verdict(epsilon, sensitivity, alpha, true_epsilon, checks)


def _decimal(value: Fraction) -> Decimal:
    return Decimal(value.numerator) / Decimal(value.denominator)


@dataclass(frozen=True)
class _Masses:
    """Pr[index = i] of one table, from its definition: a sign and a geometric, or one digit of a geometric.

    The indices of one geometric value follow each other, one for each sign: Pr is in proportion to sign * ratio**value.
    """

    ratio: Decimal
    signs: tuple[Decimal, ...]  # plus and minus, or one for a digit
    share: Decimal  # of index 0
    exact: Fraction | None = None  # alpha itself, where the ratio is alpha

    def __call__(self, index: int) -> Decimal:
        value, sign = divmod(index, len(self.signs))
        return self.ratio**value * self.signs[sign] * self.share

    def exact_floor(self, j: int) -> int | None:
        """floor(2**64 * Pr[index >= j]) in fractions, for the few tails that are themselves 64-bit numbers."""
        if self.exact is None:
            return None
        a = self.exact
        below = sum((a ** (i >> 1) * (a if i & 1 else 1) for i in range(j)), Fraction(0)) * (1 - a) / (1 + a)
        return math.floor((1 - below) * 2**64)

    def tails(self) -> Iterator[Decimal]:
        """Pr[index >= 1], Pr[index >= 2], ...: one minus the masses added up so far."""
        rest, plus = Decimal(1), self.share
        while True:
            for sign in self.signs:
                rest -= plus * sign
                yield rest
            plus *= self.ratio


def _laws(alpha: Alpha, count: int) -> tuple[_Masses, ...]:
    a, one = _decimal(alpha.fraction), Decimal(1)
    ratios = [a ** (DIGIT**place) for place in reversed(range(count + 1))]
    top = _Masses(ratios[0], (one, a), (1 - ratios[0]) / (1 + a), None if count else alpha.fraction)
    return (top, *(_Masses(ratio, (one,), (1 - ratio) / (1 - ratio**DIGIT)) for ratio in ratios[1:]))


def _check_alpha(exponent: Fraction, alpha: Alpha) -> Check:
    """exp(-t) <= alpha, so the noise is never narrower than promised, and alpha is the least such 64-bit fraction."""
    # an exponent written with many digits may lie as near to a border as it has digits
    more = len(str(exponent.numerator)) + len(str(exponent.denominator))
    with localcontext(Context(prec=_DIGITS + more, Emax=10**9, Emin=-(10**9))):
        true = (-_decimal(exponent)).exp() * 2**ALPHA_BITS
        slack = true * Decimal(10) ** -(_DIGITS + more - 50)
        low, high = true - slack, true + slack
    wrong = int(alpha.numerator < high) + int(alpha.numerator > 1 and alpha.numerator - 1 >= low)
    return Check("alpha rounds epsilon down", 2, wrong)


def _floor(value: Decimal, bits: int) -> int | None:
    """floor(value * 2**bits), or None if the decimals cannot tell."""
    scaled = value * 2**bits
    low = (scaled - _SURE).to_integral_value(ROUND_FLOOR)
    return int(low) if low == (scaled + _SURE).to_integral_value(ROUND_FLOOR) else None


def _check_thresholds(tables: tuple[DrawTable, ...], laws: tuple[_Masses, ...]) -> Check:
    looked_at = wrong = 0
    for table, law in zip(tables, laws, strict=True):
        for j, (floor, tail) in enumerate(zip(table.floors.tolist(), law.tails(), strict=False), start=1):
            looked_at += 1
            expected = _floor(tail, 64)
            wrong += floor != (law.exact_floor(j) if expected is None else expected)
        complete = table.floors.size == DIGIT - 1 if len(law.signs) == 1 else table.floors[-1] == 0
        wrong += not complete
    return Check("thresholds, to 64 bits", looked_at, wrong)


def _check_cells(tables: tuple[DrawTable, ...]) -> Check:
    wrong = 0
    for table in tables:
        rising = table.floors[::-1]
        first = np.arange(CELLS, dtype=np.uint64) << np.uint64(48)
        last = first | np.uint64((1 << 48) - 1)
        at_least = rising.size - np.searchsorted(rising, last, side="right")
        at_most = rising.size - np.searchsorted(rising, first, side="left")
        expected = np.where(at_least == at_most, table.ladder.outcome(at_least), ESCAPE)
        wrong += int(np.sum(table.cells != expected))
    return Check("table cells", CELLS * len(tables), wrong)


def _check_law(a: Decimal, laws: tuple[_Masses, ...]) -> Check:
    """The product of the tables' laws is the discrete Laplace law, at values around every digit's borders."""
    count = len(laws) - 1
    borders = {0, 1, 2, 3, 5, 8, 13, 21, 34, 55, 89, 144}
    for place in range(count + 1):
        borders |= {DIGIT**place + step for step in range(-2, 3)} | {77 * DIGIT**place, 255 * DIGIT**place}
    values = sorted({sign * max(0, x) for x in borders for sign in (1, -1)})
    wrong = 0
    for x in values:
        magnitude = x if x >= 0 else -1 - x
        mass = laws[0](2 * (magnitude >> (8 * count)) + (x < 0))
        for place, law in zip(reversed(range(count)), laws[1:], strict=True):
            mass *= law((magnitude >> (8 * place)) % DIGIT)
        true = (1 - a) / (1 + a) * a ** abs(x)
        wrong += abs(mass - true) > true * _SURE
    return Check("the law is discrete Laplace", len(values), wrong)


def _check_deep(tables: tuple[DrawTable, ...], laws: tuple[_Masses, ...]) -> Check:
    """Bit streams that agree with a threshold for 128 bits and more are decided on its right side."""
    looked_at = wrong = 0
    for table, law in zip(tables, laws, strict=True):
        every = -(-table.floors.size // _MOST_DEEP)
        for j, tail in zip(range(1, table.floors.size + 1), law.tails(), strict=False):
            if j % every and j != table.floors.size:
                continue
            bits = _floor(tail, _DEEP_BITS)
            if bits is None or bits == 0:
                continue
            for uniform, index in ((bits - 1, j), (bits + 1, j - 1)):
                looked_at += 1
                wrong += decide(table, uniform) != table.ladder.outcome(index)
    return Check("decisions at bits 129 to 192", looked_at, wrong)


def decide(table: DrawTable, uniform: int) -> int:
    """What the sampler draws when its random bits spell this 192-bit number, followed by zeros."""
    first, second, third = (uniform >> shift & (1 << 64) - 1 for shift in (128, 64, 0))
    rest = np.array([first << 16 & (1 << 64) - 1, second, third, 0], np.uint64)
    script = np.uint16(first >> 48).tobytes() + rest.tobytes()
    out = np.empty(1, np.int64)
    Drawer(ScriptedSource(script), 1).draw(table, out)
    return int(out[0])
