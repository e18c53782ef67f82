"""Losses against the laws themselves, on tapes made by hand."""

from __future__ import annotations

import math
from collections.abc import Sequence
from fractions import Fraction

import numpy as np
import pytest

from discreet.audit.losses import Loss, losses, sampled_losses
from discreet.audit.tape import Added, Chose, Sparsely, TakenDown, Tape, TapeStep
from discreet.noise import Descent, Paths
from discreet.privacy import Alpha
from tests.laplace_law import LaplaceLaw


def total(first: Sequence[TapeStep], second: Sequence[TapeStep]) -> Fraction:
    return sum((loss.epsilon for loss in losses(Tape([*first]), Tape([*second]))), Fraction(0))


def added(exact: list[int], scale: Fraction, noisy: list[int] | None = None) -> Added:
    return Added(scale, np.array(exact), np.array(noisy or [0] * len(exact)))


def test_the_loss_of_numbers_is_the_worst_ratio_of_their_chances() -> None:
    scale, law = Fraction(7, 2), LaplaceLaw(Alpha.of("7/2"))
    for x, other in ((0, 1), (5, 2), (3, 3)):
        worst = max(abs(math.log(law.exact_pmf(y - x) / law.exact_pmf(y - other))) for y in range(-20, 21))
        assert float(total([added([x], scale)], [added([other], scale)])) == pytest.approx(worst, abs=1e-12)


def test_losses_add_up_exactly_beyond_64_bits() -> None:
    first = [added([2**62, -(2**62), 1], Fraction(1, 3)), added([5], Fraction(10))]
    second = [added([-(2**62), 2**62, 1], Fraction(1, 3)), added([6], Fraction(10))]
    assert total(first, second) == 3 * 2**64 + Fraction(1, 10)


def test_an_empty_cell_is_a_zero() -> None:
    one = Sparsely(Fraction(2), 0, 50, {3: 4, 10**30: 1}, {})
    other = Sparsely(Fraction(2), 0, 50, {3: 5, 8: 2}, {})
    assert total([one], [other]) == Fraction(1 + 1 + 2, 2)


def descended(exact: list[int], depths: list[int] | None) -> list[TapeStep]:
    descent, none = Descent(Fraction(10), Fraction(1), 9), np.empty(0, np.int64)
    paths = Paths([1, 1], np.array([7, 7]), none, none, none)
    down = TakenDown(descent, np.array([7, 7]), np.array(exact), paths, None if depths is None else np.array(depths))
    return [added(exact, Fraction(10), [7, 7]), down]


@pytest.mark.parametrize(
    ("depths", "expected"),
    [([0, 0], Fraction(2, 10)), ([5, 8], Fraction(1, 5) + Fraction(1, 2)), (None, Fraction(2))],
)
def test_a_way_down_costs_its_last_scale_alone(depths: list[int] | None, expected: Fraction) -> None:
    """Paths that nobody was seen to read are taken to be read to their end."""
    assert total(descended([1, 1], depths), descended([2, 2], depths)) == expected


def test_a_way_down_that_begins_nowhere_does_not_make_a_draw_free() -> None:
    first, second = descended([1, 1], [5, 5]), descended([2, 2], [5, 5])
    for steps in (first, second):
        steps[0] = added([9, 9], Fraction(10), [7, 7])
    second[0] = added([10, 9], Fraction(10), [7, 7])
    assert total(first, second) == Fraction(2, 5) + Fraction(1, 10)


def test_a_choice_costs_its_worst_outcome() -> None:
    scale, one, other = Fraction(4), np.array([0, 3, 1]), np.array([1, 2, 1])
    alpha = float(Alpha.of(scale).fraction)
    laws = [alpha**losses_ / np.sum(alpha**losses_) for losses_ in (one.astype(float), other.astype(float))]
    worst = np.abs(np.log(laws[0] / laws[1])).max()
    found = losses(Tape([Chose(scale, one, 0)]), Tape([Chose(scale, other, 0)]))[0]
    assert worst <= found.epsilon < worst + 1e-10
    assert not found.exact
    assert found.epsilon < 2 * 1 / scale


def test_what_only_sampled_units_change_costs_less() -> None:
    heads = [Loss("coin", Fraction(0)), Loss("sample", Fraction(2)), Loss("all", Fraction(1))]
    tails = [Loss("coin", Fraction(0)), Loss("sample", Fraction(0)), Loss("all", Fraction(1))]
    every, sample = sampled_losses(heads, tails, [Fraction(1, 10)])
    exact = math.log(1 + 0.1 * (math.exp(2) - 1))
    assert exact - 1e-12 < sample.epsilon < exact + 1e-12
    assert every.epsilon == 1


def test_draws_that_hang_on_one_coin_are_lost_together() -> None:
    coin, half, none = Loss("coin", Fraction(0)), Loss("sample", Fraction(1)), Loss("sample", Fraction(0))
    (both,) = sampled_losses([coin, half, half], [coin, none, none], [Fraction(1, 10)])
    apart = sampled_losses([coin, half, coin, half], [coin, none, coin, none], [Fraction(1, 10)] * 2)
    assert float(both.epsilon) == pytest.approx(math.log(1 + 0.1 * (math.exp(2) - 1)))
    assert float(sum(loss.epsilon for loss in apart)) == pytest.approx(2 * math.log(1 + 0.1 * (math.e - 1)))
    assert both.epsilon > sum(loss.epsilon for loss in apart)
