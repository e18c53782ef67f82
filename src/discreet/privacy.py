"""What one privacy unit may change, and the exact arithmetic of its cost.

Every number here is a rational. Nothing rounds, except `Alpha.of`, which rounds towards more noise, so
that the epsilon a release really has is never above the one it states.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, replace
from decimal import Decimal
from fractions import Fraction
from functools import lru_cache
from numbers import Rational
from typing import Any

from discreet.errors import BadParameter

Number = str | int | float | Fraction | Decimal

ALPHA_BITS = 64
#: a larger one protects nobody and is surely a mistake
LARGEST_EPSILON = 10**6
#: what a refusal advises
USUAL_EPSILON = "usual values are 0.01 to 10"
LARGEST_SCALE = Fraction(2**52)
LARGEST_POWER = 400
MOST_TEXT = 1000
MOST_SAMPLING_BITS = 1 << 13


def exact(value: Number, name: str) -> Fraction:
    """The positive rational a user wrote: '0.1', '1/3', 2, Fraction(1, 3), or 0.1 read as its shortest text."""
    if isinstance(value, bool) or not isinstance(value, str | float | Rational | Decimal):
        raise BadParameter(f"{name} must be a number such as '0.5', 1 or Fraction(1, 2), not {_shown(value)}")
    try:
        number = _fraction(value)
    except (ValueError, ZeroDivisionError, ArithmeticError):
        raise BadParameter(f"{name} must be a finite number such as '0.5', not {_shown(value)}") from None
    digits = (number.numerator.bit_length() - number.denominator.bit_length()) * 3 // 10
    if number and not -LARGEST_POWER < digits < LARGEST_POWER:
        raise BadParameter(f"{name} must lie between 1e-400 and 1e400, in at most {MOST_TEXT} characters")
    if number <= 0:
        raise BadParameter(f"{name} must be above zero, not {_shown(value)}")
    return number


def _fraction(value: str | float | Rational | Decimal) -> Fraction:
    if isinstance(value, Rational):  # numpy's integers too, which must not get into a Fraction as they are
        return Fraction(int(value.numerator), int(value.denominator))
    text = repr(float(value)) if isinstance(value, float) else str(value).strip()
    if len(text) > MOST_TEXT or ("/" not in text and abs(Decimal(text).adjusted()) > LARGEST_POWER):
        raise ValueError  # before it is expanded: the text '1e1000000000' is short
    return Fraction(text)


def _shown(value: object) -> str:
    """A value for a message; numbers that are too long to print have no text at all."""
    try:
        text = repr(value)
    except ValueError:
        return "a number of very many digits"
    return text if len(text) <= 60 else f"{text[:57]}..."


def as_text(number: Fraction) -> str:
    """The number as people write it: '0.5' where a decimal ends, else '1/3'. `exact` reads it back."""
    # a decimal that ends has no more places than its denominator, powers of 2 and 5, has bits
    ends = (places for places in range(number.denominator.bit_length()) if 10**places % number.denominator == 0)
    if (places := next(ends, None)) is None:
        return str(number)
    digits = f"{number.numerator * 10**places // number.denominator:0{places + 1}d}"
    return digits if places == 0 else f"{digits[:-places]}.{digits[-places:]}"


def exp_negative(exponent: Fraction, bits: int) -> tuple[int, int]:
    """Integers low <= 2**bits * exp(-exponent) <= high, at most two apart, for exponent >= 0."""
    if exponent < 0:
        raise BadParameter("exp_negative needs an exponent of at least zero")
    # exp(-t) = exp(-t / 2**halvings) ** (2**halvings), with the series only ever asked for |x| <= 1/2
    halvings = max(0, math.ceil(exponent).bit_length() + 1) if exponent > Fraction(1, 2) else 0
    work = bits + 2 * halvings + 16
    small_low = ((exponent.numerator << work) // exponent.denominator) >> halvings
    low, high = _series(small_low + 1, work)[0], _series(small_low, work)[1]
    for _ in range(halvings):
        low = (low * low) >> work
        high = -((-high * high) >> work)
    drop = work - bits
    return low >> drop, -((-high) >> drop)


def _series(x: int, work: int) -> tuple[int, int]:
    """Bounds on 2**work * exp(-x / 2**work) for 0 <= x <= 2**work / 2: the alternating series, rounded both ways."""
    total = term = 1 << work
    index = 0
    while term:
        index += 1
        term = (term * x) // (index << work)
        total += -term if index % 2 else term
    # every computed term is less than two units low, and so is all that follows the last one
    slack = 2 * index + 4
    return max(0, total - slack), total + slack


@lru_cache(maxsize=4096)
def _alpha_numerator(exponent: Fraction) -> int:
    bits = ALPHA_BITS
    while True:
        bits *= 2
        low, high = exp_negative(exponent, bits)
        if high <= 1 << (bits - ALPHA_BITS):  # positive and at most one unit
            return 1
        down, up = -(-low >> (bits - ALPHA_BITS)), -(-high >> (bits - ALPHA_BITS))
        if down == up:  # the ceiling is proved; exp of a rational is irrational, so this ends
            return max(1, up)


@dataclass(frozen=True)
class Alpha:
    """The ratio of the two-sided geometric law, a rational `numerator / 2**64` just above exp(-1/scale).

    Rounding up makes the law a little wider, so noise drawn with it costs at most what `scale` says.
    """

    numerator: int

    def __post_init__(self) -> None:
        if not 0 < self.numerator < 1 << ALPHA_BITS:
            raise BadParameter("alpha must lie strictly between 0 and 1")

    @classmethod
    def of(cls, scale: Number) -> Alpha:
        rational = exact(scale, "scale")
        if rational > LARGEST_SCALE:
            raise BadParameter(
                "a noise scale above 2**52 is too large for 64-bit counts; raise epsilon or lower the sensitivity"
            )
        return cls(_alpha_numerator(1 / rational))

    @property
    def fraction(self) -> Fraction:
        return Fraction(self.numerator, 1 << ALPHA_BITS)


def scale_of(epsilon: Number, sensitivity: Number) -> Fraction:
    """The noise scale (the papers' lambda) at which a change of `sensitivity` costs exactly `epsilon`."""
    return exact(sensitivity, "sensitivity") / exact(epsilon, "epsilon")


def rounded_up(scale: Fraction) -> Fraction:
    """A short fraction that is no smaller, by less than a part in 2**40."""
    power = max(0, 41 - (scale.numerator.bit_length() - scale.denominator.bit_length()))
    return Fraction(math.ceil(scale * 2**power), 2**power)


@dataclass(frozen=True)
class Unit:
    """Whose presence is hidden: one row, or every row of one user, of which at most `max_rows` count.

    `Unit()`: one row, right where nobody has two.
    `Unit("patient", max_rows=5)`: whoever the column `patient` names; of those with more rows, five count, by chance.
    `Unit("patient", max_rows=5, max_rows_per_cell=1)`: and in each cell only one of them, so that patients are counted.

    `neighbours="replace"` compares with data in which somebody else has their place, instead of nobody
    ("add-remove"), for twice the noise.
    """

    column: str = "row"
    max_rows: int | None = None
    max_rows_per_cell: int | None = None
    neighbours: str = "add-remove"

    def __post_init__(self) -> None:
        if not isinstance(self.column, str) or not self.column:
            raise BadParameter("unit must be 'row' or the name of the column that identifies a user")
        if self.neighbours not in ("add-remove", "replace"):
            raise BadParameter(f"neighbours must be 'add-remove' or 'replace', not {self.neighbours!r}")
        for name, bound in (("max_rows", self.max_rows), ("max_rows_per_cell", self.max_rows_per_cell)):
            if bound is not None and (isinstance(bound, bool) or not isinstance(bound, int) or bound < 1):
                raise BadParameter(f"{name} must be a whole number of at least 1, not {bound!r}")
        if self.is_row and (self.max_rows, self.max_rows_per_cell) != (None, None):
            raise BadParameter("unit 'row' takes no max_rows: name the user column as the unit to bound its rows")
        if not self.is_row and self.max_rows is None:
            raise BadParameter(f"unit {self.column!r} needs max_rows: how many rows of one user may count")

    @property
    def is_row(self) -> bool:
        """Whether single rows are protected, and not all rows of a user."""
        return self.column == "row"

    @property
    def sensitivity(self) -> int:
        """The most that one unit can change a count table, in the sum of absolute differences."""
        return self.most if self.neighbours == "add-remove" else 2 * self.most

    @property
    def squared_length(self) -> int:
        """The most that one unit can change a count table, in the sum of squared differences."""
        rows = self.most
        in_cell = rows if self.max_rows_per_cell is None else min(rows, self.max_rows_per_cell)
        # fullest where as few cells as possible hold the rows
        squares = rows // in_cell * in_cell**2 + (rows % in_cell) ** 2
        # what replaces it adds to it at most, for no count of either is below zero
        return squares if self.neighbours == "add-remove" else 2 * squares

    @property
    def most(self) -> int:
        """How many rows of one unit count."""
        return 1 if self.max_rows is None else self.max_rows

    @property
    def in_cell(self) -> int | None:
        """How many rows of one unit may count in one cell; None for any number."""
        return self.max_rows_per_cell

    def narrowed(self, rows: int, *, per_cell: int | None = None) -> Unit:
        """The same unit, of which fewer rows count."""
        if self.is_row:
            return self
        return replace(self, max_rows=min(rows, self.most), max_rows_per_cell=per_cell)

    def widened(self, rows: int) -> Unit:
        """The unit for counts of things that its rows make together, such as pairs: it has this many of them."""
        return replace(self, max_rows=rows, max_rows_per_cell=None)

    def to_dict(self) -> dict[str, Any]:
        """What was declared, as in release.json."""
        bounds = {"max_rows": self.max_rows, "max_rows_per_cell": self.max_rows_per_cell}
        stated = {name: bound for name, bound in bounds.items() if bound is not None}
        return {"unit": self.column, **stated, "neighbours": self.neighbours}

    @classmethod
    def from_dict(cls, fields: Mapping[str, Any]) -> Unit:
        """The unit that `to_dict` wrote."""
        return cls(
            fields.get("unit", "row"),
            fields.get("max_rows"),
            fields.get("max_rows_per_cell"),
            fields.get("neighbours", "add-remove"),
        )


def cost(unit: Unit, weight: Fraction) -> Fraction:
    """The epsilon of a measurement: every cost in this project is computed here.

    A measurement adds noise of scale s_i to row i of a linear map A of the count table. `weight` is the most that one
    record can weigh in it: the maximum over cells c of sum_i |A_ic| / s_i. A unit moves the table by at most
    `unit.sensitivity` in L1, so by the triangle inequality it moves the measurement by at most that many times the
    weight; adding records to the heaviest cell does. This is the generalised sensitivity of privelet and ireduct,
    times the unit's bound.
    """
    return unit.sensitivity * weight


def periods_counted(neighbours: str) -> int:
    """Of how many periods at most the releases see one row change, where each release counts rows of one period only.

    The release of a period is a function of the rows whose day lies in it, and the day of a row follows from that row
    alone. A row that is added or taken away is in one period: all others see the same rows as before, so together they
    cost what the releases of that period cost. A row that is replaced may leave one period and enter another. To the
    releases of the first it is replaced by a row that does not count, to those of the second it replaces one, and both
    are changes that their epsilon is for; so together they cost the sum of two periods, at most twice the largest.
    """
    return 1 if neighbours == "add-remove" else 2


def length_cost(unit: Unit, rows: int, lattice: int, rounding: Fraction, peak: Fraction) -> Fraction:
    """The most, in L1, that one unit moves the first `rows` of an orthonormal basis, rounded to whole 1 / lattice.

    It moves the table by at most the root of `unit.squared_length` in length, and no part of an orthonormal basis
    lengthens it; `rows` numbers of that length have an L1 norm of at most the root of `rows` times it. Or: one record
    moves all of them by at most `peak` together. Rounding moves each number by another `rounding` at most.
    """
    by_length = Fraction(math.isqrt(rows * unit.squared_length * lattice**2 - 1) + 1)
    return min(by_length, unit.sensitivity * peak * lattice) + rows * rounding


def choice_scale(epsilon: Fraction, sensitivity: int) -> Fraction:
    """The scale at which the exponential mechanism costs `epsilon`: what is chosen has a chance that falls by
    exp(-1 / scale) with each step of its loss, and one unit changes every loss by at most `sensitivity`.

    The chance of an outcome then changes by that factor, and the sum of all, which it is divided by, by another.
    """
    return 2 * Fraction(sensitivity) / epsilon


def choice_cost(scale: Fraction, sensitivity: int) -> Fraction:
    """The epsilon of a choice at this scale."""
    return 2 * Fraction(sensitivity) / scale


def selection_scale(epsilon: Fraction, unit: Unit, most: int) -> Fraction:
    """The scale of one-sided noise at which selecting the `most` largest counts, in one go, costs `epsilon`.

    For counts that one unit all raises by 0 or 1, or all lowers, or by both if it is replaced (`unit` has one row).
    One more unit raises counts by d: let the noise of what is selected be larger by 1 - d. Then all of it is higher by
    one, whatever else by at most one, so the same is selected, in the same order; that noise is less likely by at most
    exp(most / scale). One unit less: let it be larger by d; what is selected stays as high, nothing else rises.
    """
    return most * Fraction(unit.sensitivity) / epsilon


def selection_cost(unit: Unit, scale: Fraction, most: int) -> Fraction:
    """The epsilon of a selection at this scale."""
    return most * Fraction(unit.sensitivity) / scale


def sampling_rate(epsilon: Fraction, factor: int) -> Fraction:
    """A rate of sampling units at which what costs `factor` times epsilon costs epsilon, rounded down.

    Sampling each unit with probability b turns a cost of e into log(1 + b (exp(e) - 1)), so b = (exp(epsilon) - 1) /
    (exp(factor * epsilon) - 1). For replaced units it holds as well: the two outcomes differ where the unit was
    sampled, and the outcome without it lies between them.
    """
    if factor == 1:
        return Fraction(1)
    bits = 128 + math.ceil(factor * epsilon * 2)
    if bits > MOST_SAMPLING_BITS:  # a chance that no machine will see
        return Fraction(0)
    one = 1 << bits
    once, all_but_one = exp_negative(epsilon, bits), exp_negative((factor - 1) * epsilon, bits)
    whole = exp_negative(factor * epsilon, bits)
    return Fraction(all_but_one[0] * (one - once[1]), one * (one - whole[0]))
