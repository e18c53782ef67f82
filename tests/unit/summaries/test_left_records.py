"""How many records may be behind those that were kept: the limit against exact laws, and against the worst users."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.stats import chi2

from discreet.summaries.base import Answers
from discreet.summaries.left_records import POPULAR, LeftRecords, most_behind
from tests.statistics import at_least


@pytest.mark.parametrize("miss", [0.1, 0.025, 0.0025])
def test_the_limit_is_that_of_a_poisson_number_and_not_much_more(miss: float) -> None:
    seen = np.array([0.0, 1, 2, 5, 40, 1000])
    exact = chi2.ppf(1 - miss, 2 * seen + 2) / 2
    assert np.all(most_behind(seen, miss) >= exact * (1 - 1e-12))
    assert np.all(most_behind(seen, miss) <= exact * 1.08 + 0.05)


def test_what_is_kept_at_random_bounds_what_there_is() -> None:
    left = LeftRecords(10, 300)
    assert left.high(np.array([0.0]), 0.025)[0] == pytest.approx(30 * 3.7, rel=0.05)
    assert left.high(np.array([-50.0]), 0.025)[0] == left.high(np.array([0.0]), 0.025)[0]
    assert (left.events, left.none) == (2, False)


def test_where_everything_is_kept_nothing_is_added() -> None:
    left = LeftRecords(10, 10)
    assert left.high(np.array([3.5, 7.0]), 0.01).tolist() == [3.5, 7.0]
    assert (left.events, left.none) == (1, True)


def test_nothing_is_promised_of_what_popular_items_push_out_or_of_an_unknown_bound() -> None:
    for left in (LeftRecords(10, 300, POPULAR), LeftRecords(10, None)):
        assert np.isinf(left.high(np.array([5.0]), 0.01)[0])


@pytest.mark.parametrize("users", [(20, 20, 20), (1, 7, 20), (20, 1, 0)], ids=str)
def test_the_worst_users_are_covered(users: tuple[int, int, int]) -> None:
    """Each of 40 users has 20 records, or fewer, of which some are about the item; 2 of all are kept."""
    dice, left, trials, missed = np.random.default_rng(11), LeftRecords(2, 20), 2000, 0
    about = np.resize(np.array(users), 40)
    for _ in range(trials):
        kept = dice.hypergeometric(about, 20 - about, 2).sum()
        missed += left.high(np.array([float(kept)]), 0.05)[0] < about.sum()
    assert at_least(trials - missed, trials, 0.95)


def test_users_with_more_records_than_is_said_are_not_covered() -> None:
    """40 users with 20 records each, all about one item; two of each are kept, as if there were at most 12."""
    assert LeftRecords(2, 20).high(np.array([80.0]), 0.05)[0] > 800
    assert LeftRecords(2, 12).high(np.array([80.0]), 0.05)[0] < 800


def test_facts_survive_and_odd_ones_are_refused() -> None:
    for left in (LeftRecords(3, 9), LeftRecords(3, None), LeftRecords(3, 9, POPULAR, "different items")):
        assert LeftRecords.read(left.to_dict()) == left
    for odd in ({"bound": 0}, {"bound": 3, "most": 2}, {"bound": 3, "chosen": "last"}, {"bound": 3, "what": "users"}):
        with pytest.raises(ValueError):
            LeftRecords.read(odd)


def test_what_is_kept_is_named() -> None:
    kept = Answers(np.array([4.0]), np.ones(1), np.array([-2.0]), np.array([9.0]))
    found = LeftRecords(10, 300).besides(kept)
    assert found.name == "when each user counts at most 10 records"
    assert (found.value[0], found.low[0], found.high[0]) == (4, 0, 9)
