"""The first Fourier coefficients of the counts, with noise.

Source: the Fourier perturbation of Rastogi and Nath as in grouping-smoothing, with an orthonormal real basis (errata).
`coefficients` frequencies (rho) make k = 2 rho - 1 numbers. Linear map: k rows of the basis, rounded to 1/65536, the
only real-valued one of the project. Guarantee: `privacy.length_cost`; counts are cut at 10**9, so that the error of
the floating-point transform has a bound, which is paid for along with the rounding.
With no `coefficients` given, rho is drawn by the exponential mechanism. Its loss is the length of what is cut off,
which one user changes by at most the length of the user's records, plus the length of the noise to come, which is
public. Bias: what the coefficients left out would add; intervals allow for it. The order of items matters.
"""

from __future__ import annotations

import math
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from discreet.mechanisms.base import Request
from discreet.mechanisms.items.item_method import ITEMS, ItemMethod
from discreet.naming import FOURIER_COLUMNS
from discreet.noise import Noise
from discreet.parameters import Parameter, Whole
from discreet.privacy import Unit, length_cost, rounded_up
from discreet.private.kept import Histories
from discreet.summaries import Summary
from discreet.summaries.smoothed_items import FourierCounts, Frequencies
from discreet.transforms.fourier import WIDE, coefficients, padded_length, relative_error

LATTICE = 1 << 16
#: no count is above it: larger ones are cut
MOST_COUNT = 10**9
#: losses are whole multiples of 1 / this
_LOSS_STEPS = 16
_CHOICE_SHARE = Fraction(1, 20)
#: the step in which the coefficients of each table are chosen
_CHOICES = {"items": "choice", "edges": "edge-choice"}

COEFFICIENTS = Parameter(
    "coefficients", Whole(), "How many frequencies are kept (rho)", otherwise="drawn privately, for a share of epsilon"
)


class Fpa(ItemMethod):
    method = "fpa"
    parameters = (*ITEMS, COEFFICIENTS)
    takes_pairs = False
    columns = FOURIER_COLUMNS
    always_leaves_out = ("frequencies",)
    spends_all = False  # rounding, and choices whose worst case no data have, are paid for

    def __init__(self, request: Request) -> None:
        super().__init__(request)
        if "coefficients" in request.parameters:
            self.up_to(COEFFICIENTS, self.sizes["items"] // 2 + 1)
        else:
            self.note_choice("coefficients", "drawn privately; see `summary`", "default")
            self.rehearsal = "none"
            unit = self.unit_of(self.bound)
            for step in self.steps:
                sensitivity = _loss_sensitivity(unit, padded_length(self.sizes[step]))
                self.check_choice(sensitivity, self.epsilon_of(_CHOICES[step]))

    def widest_change(self) -> Fraction:
        lengths = [padded_length(self.sizes[step]) for step in ("items", "edges")]
        return max(_moved(self.unit_of(self.bound), length, length) for length in lengths)

    def default_shares(self) -> dict[str, Fraction]:
        if "coefficients" in self.request.parameters:
            return self.for_each_table({"items": Fraction(1)})
        return self.for_each_table({"choice": _CHOICE_SHARE, "items": 1 - _CHOICE_SHARE})

    def published(self, histories: Histories, bound: int, noise: Noise) -> Summary:
        tables = self.tables(self.kept(histories, bound, noise), bound)
        unit = self.unit_of(bound)
        views = []
        for step, table in zip(self.steps, tables, strict=True):
            length = padded_length(table.size)
            every = coefficients(np.minimum(table, MOST_COUNT), length)
            kept = self._numbers(every, step, unit, length, noise)
            moved = _moved(unit, kept, length)
            scale = rounded_up(moved / self.epsilon_of(step))
            self.pay(moved / scale)
            exact = np.rint(every[:kept] * LATTICE).astype(np.int64)
            views.append(Frequencies(noise.add(exact, scale), scale, LATTICE, length, table.size))
        return FourierCounts(self.release_schema, self.views, views, left=self.left_records(bound))

    def _numbers(self, every: NDArray[np.longdouble], step: str, unit: Unit, length: int, noise: Noise) -> int:
        """How many coefficients are kept: k = 2 rho - 1."""
        if "coefficients" in self.request.parameters:
            return min(2 * int(self.request.parameters["coefficients"]) - 1, length)
        # the highest frequency of an even length has a cosine only
        numbers = np.minimum(np.arange(1, length + 2, 2), length)[: length // 2 + 1]
        left = np.concatenate([np.cumsum((every**2)[::-1])[::-1], [0]])[numbers]
        lengths = np.sqrt(np.maximum(left, 0)) + _noise_lengths(unit, numbers, length, self.epsilon_of(step))
        # losses beyond 2**60 are all the same: far too much
        losses = np.ceil(np.minimum(lengths * _LOSS_STEPS, 2.0**60)).astype(np.int64)
        return int(numbers[self.choose(_CHOICES[step], losses, _loss_sensitivity(unit, length), noise)])


def _transform_error(length: int) -> Fraction:
    """The most by which any coefficient of counts up to MOST_COUNT, or the length of several, can be off."""
    return relative_error(length) * MOST_COUNT * (math.isqrt(length) + 1)


def _length_error(length: int) -> Fraction:
    """The most by which the length of several coefficients can be off, with the rounding of adding their squares."""
    summing = Fraction(float(np.finfo(WIDE).eps)) * (length + 4)
    return 2 * _transform_error(length) + summing * MOST_COUNT * (math.isqrt(length) + 1)


def _loss_sensitivity(unit: Unit, length: int) -> int:
    """Each of two lengths is off by the error of the numbers, and rounding up moves a loss by one step."""
    root = math.isqrt(unit.squared_length * _LOSS_STEPS**2 - 1) + 1
    return root + 1 + math.ceil(2 * _LOSS_STEPS * _length_error(length))


def _moved(unit: Unit, kept: int, length: int) -> Fraction:
    """The most that one unit moves the rounded coefficients, in L1."""
    # of one record: 1 / root of the length for the mean, and at most twice that for each pair of cosine and sine
    peak = Fraction(kept | 1, math.isqrt(length))
    rounding = 1 + 2 * LATTICE * _transform_error(length)
    return length_cost(unit, kept, LATTICE, rounding, peak)


def _noise_lengths(unit: Unit, numbers: NDArray[np.int64], length: int, epsilon: Fraction) -> NDArray[np.float64]:
    """The length of the noise in so many coefficients: the root of 2 k times its scale. About; it only guides."""
    by_length = np.sqrt(numbers * float(unit.squared_length))
    moved = np.minimum(by_length, unit.sensitivity * numbers / math.sqrt(length))
    moved += numbers * float(1 + 2 * LATTICE * _transform_error(length)) / LATTICE
    return np.asarray(np.sqrt(2.0 * numbers) * moved / float(epsilon))
