"""What cannot be ruled out of a ratio whose sums lie between others, against trying ratio after ratio."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
import pytest

from discreet.numbers.corridors import Corridor, Mixed, SideSums


@dataclass(frozen=True)
class Cut:
    """`sure` of `under` records are in `over` too, and `more` may be; each with noise of this variance."""

    sure: float
    more: float
    under: float
    variance: float

    def at(self, ratio: float) -> SideSums:
        low, variance = self.sure - ratio * self.under, self.variance * (1 + ratio**2)
        return SideSums(low, low + self.more, variance, variance, 1.0)


@pytest.mark.parametrize(
    ("cut", "limits"),
    [
        (Cut(300, 100, 1000, 400), (0, 1)),
        (Cut(0, 0, 1000, 400), (0, 1)),
        (Cut(900, 200, 1000, 400), (0, 1)),
        (Cut(5, 3, 8, 400), (0, 1)),
        (Cut(300, 20, 40, 900), (0, math.inf)),
        (Cut(300, 20, 400, 900), (0, math.inf)),
        (Cut(-300, 20, 400, 900), (-math.inf, math.inf)),
    ],
)
def test_ends_are_where_ratios_begin_to_be_ruled_out(cut: Cut, limits: tuple[float, float]) -> None:
    corridor = Corridor((cut,))
    guess = min(max((cut.sure + cut.more / 2) / cut.under, limits[0]), limits[1])
    for level in (0.8, 0.95, 0.99):
        low, high = corridor.ratios(level, guess, *limits)
        assert low <= guess <= high
        tried = np.clip(np.concatenate([np.linspace(-20, 20, 4001), np.linspace(0, 1, 1001)]), *limits)
        ends = [corridor.at(ratio).ends(level) for ratio in tried.tolist()]
        possible = tried[[below <= 0 <= above for below, above in ends]]
        assert np.all((possible >= low - 1e-9) & (possible <= high + 1e-9))
        assert low in (limits[0], pytest.approx(possible.min(), abs=0.02))
        assert high > 20 or high in (limits[1], pytest.approx(possible.max(), abs=0.02))


def test_what_may_be_nobody_gives_no_upper_end() -> None:
    assert Corridor((Cut(300, 20, 40, 900),)).ratios(0.95, 8.0, 0, math.inf)[1] == math.inf


def test_a_guess_that_is_ruled_out_stays_an_end() -> None:
    corridor = Corridor((Cut(300, 0, 1000, 1),))
    low, high = corridor.ratios(0.95, 0.5, 0, 1)
    assert low < 0.3 < high == 0.5


def test_constants_and_parts_add_up() -> None:
    one, two = Cut(10, 5, 100, 4), Cut(1, 2, 50, 9)
    found = Corridor((one, two), over=7.0, under=3.0).at(0.5)
    assert found.low == pytest.approx(10 + 1 + 7 - 0.5 * 153)
    assert found.high - found.low == 7
    assert found.low_variance == pytest.approx(13 * 1.25)


def test_two_looks_at_one_sum_are_averaged() -> None:
    sharp, blunt = Cut(10, 0, 100, 1), Cut(14, 0, 100, 100)
    found = Mixed([sharp, blunt]).at(0.0)
    assert found.low == found.high == pytest.approx(10 + 4 / 101)
    assert found.low_variance < 1
    assert Mixed([sharp]).at(0.0) == sharp.at(0.0)


def test_what_was_measured_decides_no_weight() -> None:
    """Weights that follow measured widths prefer low upper ends: they missed the truth in 4.4 % instead of 2.5 %."""
    narrow, wide, other = (SideSums(0.0, high, 1.0, 4.0, 1.0) for high in (3.0, 300.0, 10.0))
    assert narrow.mixed(other).high == pytest.approx((3 + 10) / 2)
    assert wide.mixed(other).high == pytest.approx((300 + 10) / 2)
    assert wide.mixed(SideSums(0.0, 10.0, 0.25, 1.0, 1.0)).high == pytest.approx(0.2 * 300 + 0.8 * 10)
