"""Users behind noisy histograms: what is clear stays, what is hidden follows from what is clear."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest
from numpy.typing import NDArray

from discreet.summaries.share_steps import Corrections, Weighed
from discreet.summaries.share_users import DRAWS, ShareUsers, likely_users

#: of 20,000 users half have more than one record, half of these more than two, and so on: many have few, few have many
HALVES = [10_000, 5000, 2500, 1250, 625, 312, 156, 78, 39, 20, 10]
ONE = Weighed(np.array([1]), Fraction(1))


def found(bins: list[int], scale: int, total: float, bound: int, noise: int, most: int = 1024) -> ShareUsers:
    histogram, whole = (
        Weighed(np.array(bins), Fraction(scale)),
        Weighed(np.array([round(total)]), Fraction(noise), bound),
    )
    return likely_users(Corrections(histogram, whole, np.array([0]), ONE), most)


def records(bins: list[int], bound: int) -> float:
    """As many as there are if numbers in a bin are equally common."""
    ends = [1, 2, *(3 * 2 ** (place - 2) + 0.5 for place in range(2, len(bins)))]
    return float(sum(users * min(end, bound) for users, end in zip(bins, ends, strict=True)))


def test_clear_bins_and_a_clear_total_are_what_was_measured() -> None:
    sure = found(HALVES, 1, 70_000, 1024, 1)
    assert sure.users.shape == sure.records.shape == (DRAWS, len(HALVES))
    assert sure.users.mean(axis=0)[:6] == pytest.approx(HALVES[:6], rel=0.01)
    assert sure.total == pytest.approx(70_000, rel=0.01)
    assert sure.total_error < 0.02


def test_what_is_beyond_the_bound_of_the_total_follows_from_the_histogram() -> None:
    every = records(HALVES, 1024)
    counted = records(HALVES, 64)
    assert counted < 0.8 * every
    seen = found(HALVES, 2, counted, 64, 100)
    assert seen.total == pytest.approx(every, rel=0.1)
    assert 0 < seen.total_error < 0.2


def test_bins_that_noise_hides_follow_from_those_below() -> None:
    """As if half as many users had twice as many records; not as the noise of the last bins has it."""
    hidden = [10_000, 5000, 2500, 1250, 625, 312, 200, -60, 110, -70, 60]
    guessed = np.median(found(hidden, 60, records(HALVES, 32), 32, 1000).users, axis=0)
    assert np.all(np.diff(guessed[5:]) <= 0)
    assert guessed[-1] < 60
    assert guessed[6] == pytest.approx(156, rel=0.5)


def test_empty_bins_beyond_a_steep_end_stay_empty() -> None:
    ends = found([5000, 8000, 4000, 200, 0, 0, 0, 0, 0, 0, 0], 10, records([5000, 8000, 4000, 200], 8), 8, 50)
    assert ends.total == pytest.approx(records([5000, 8000, 4000, 200], 8), rel=0.05)


@pytest.mark.parametrize("bins", [[0, 0, 0, 2000], [1000, 1000], [400, 320, 460, 480, 280, 60]])
@pytest.mark.parametrize("scale", [1, 12])
def test_a_generous_limit_makes_no_users_of_many_records_appear(bins: list[int], scale: int) -> None:
    """Users might have a million records, and have few: whatever noise the other bins have, these stay empty."""
    dice, bound = np.random.default_rng(12), 2 ** (len(bins) - 1)
    true = records(bins, bound)
    for _ in range(5):
        noisy = np.array(bins + [0] * (21 - len(bins))) + np.rint(dice.laplace(0, scale, 21)).astype(int)
        seen = found(noisy.tolist(), scale, true + dice.laplace(0, 25 * bound), bound, 25 * bound, most=10**6)
        assert seen.total == pytest.approx(true, rel=0.3)


def test_a_bound_takes_more_away_the_more_of_a_user_is_asked_about() -> None:
    users = found(HALVES, 1, records(HALVES, 1024), 1024, 1)
    parts = [users.seen(32, part) for part in (0.01, 0.1, 0.5, 1.0)]
    assert parts == sorted(parts, reverse=True)
    assert parts[0] == pytest.approx(1)
    assert parts[-1] == pytest.approx(records(HALVES, 32) / records(HALVES, 1024), rel=0.1)


@pytest.mark.parametrize("bins", [[-3] * 9, [0], [10**9] * 9, [-(10**9)] * 9, [7]])
@pytest.mark.parametrize("total", [-(10**12), 0, 10**12])
def test_any_noisy_numbers_give_some_users(bins: list[int], total: int) -> None:
    some = found(bins, 5, total, 4, 10**6, most=2 ** (len(bins) - 1))
    for numbers in (some.users, some.records, some.totals):
        assert np.all(np.isfinite(numbers))
        assert numbers.min() >= 0
    assert some.totals.min() >= 1
    assert np.isfinite(some.total)
    assert np.isfinite(some.total_error)
    assert 0 < some.seen(4, 0.5) <= 1 + 1e-9


def test_the_same_numbers_always_say_the_same() -> None:
    first, second = (found(HALVES, 60, 70_000, 32, 1000).totals for _ in range(2))
    assert np.array_equal(first, second)


def test_records_lie_in_their_bins() -> None:
    means: NDArray[np.float64] = found(HALVES, 60, 70_000, 32, 1000, most=1000).records
    highest = np.minimum(2.0 ** np.arange(len(HALVES)), 1000)
    assert np.all(means <= highest)
    assert np.all(means[:, 1:] > highest[:-1])
