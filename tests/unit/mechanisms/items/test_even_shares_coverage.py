"""Intervals of `even-shares` hold the truth: of all items, the largest, the rarest, those that are shown as largest.

Of users as anybody has them and of hostile ones, with all items counted and where only the largest are wanted.
"""

from __future__ import annotations

import itertools
from collections import defaultdict
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from discreet.noise import Noise
from discreet.privacy import Unit
from discreet.queries import Questions
from discreet.release.ranking import answered
from discreet.summaries import Summary
from discreet.summaries.selected_counts import SelectedCounts
from discreet.summaries.share_intervals import Hidden, most_in_tails, most_records
from discreet.summaries.share_steps import Weighed
from tests.law.item_cases import Given, made
from tests.statistics import at_least

ITEMS = 300
#: of how many releases, by the level of the intervals
TRIALS = {0.8: 20, 0.95: 40}
TOP_TRIALS = {0.95: 30}


def hostile() -> dict[str, tuple[str, int, Given]]:
    """Of each kind what is counted, how many records may count, and the users."""
    dice = np.random.default_rng(20_261_117)
    few = [dice.choice(ITEMS, 3, replace=False) for _ in range(400)]
    powers = [np.arange(2 ** (user % 9)) % ITEMS for user in range(300)]
    above = [np.arange(min(2 ** (user % 9) + 1, ITEMS)) for user in range(300)]
    everything = [np.arange(ITEMS)] * 30
    one_item = [np.zeros(4096, np.int64)] * 20
    popular = 1 / (np.arange(ITEMS) + 3.0)
    shop = [dice.choice(ITEMS, min(1 + dice.zipf(1.7), 200), p=popular / popular.sum()) for _ in range(600)]
    once = [np.unique(mine) for mine in shop]
    return {
        "one user of a million records": ("records", 10**6, Given([*few, np.zeros(10**6, np.int64)], ITEMS)),
        "many records of one item": ("records", 4096, Given([*few, *one_item], ITEMS)),
        "powers of two": ("users", ITEMS, Given(powers, ITEMS)),
        "one above powers of two": ("users", 10**6, Given(above, ITEMS)),
        "heavy users alone have an item": ("users", 1000, Given([*few, *everything], ITEMS)),
        "all alike": ("users", 16, Given([np.arange(16)] * 200, ITEMS)),
        "all alike, records": ("records", 16, Given([np.arange(16)] * 200, ITEMS)),
        "a shop": ("users", 200, Given(once, ITEMS)),
        "a shop, records": ("records", 200, Given(shop, ITEMS)),
        "nobody": ("users", 50, Given([], ITEMS)),
    }


def questions() -> Questions:
    """Each item, everything, and the first ten together."""
    each = np.arange(ITEMS)[:, None]
    ends = np.concatenate([each, [[0], [0]]]), np.concatenate([each, [[ITEMS - 1], [9]]])
    return Questions(*ends, ITEMS + 2, np.arange(ITEMS + 2))


def held(summary: Summary, true: NDArray[np.int64], level: float) -> dict[str, tuple[float, float]]:
    """By class of question, which part of the intervals does not end above the truth, and which not below it."""
    order, everything = np.argsort(-true, kind="stable"), np.array([true.sum(), true[:10].sum()])
    found = summary.answer(questions(), level).of_counts()
    truth = np.concatenate([true, everything])
    classes = {
        "all items": order,
        "top 10": order[:10],
        "top 100": order[:100],
        "rare items": order[-100:],
        "everything": np.array([ITEMS]),
        "ten together": np.array([ITEMS + 1]),
    }
    sides = found.low <= truth, truth <= found.high
    return {name: (float(sides[0][some].mean()), float(sides[1][some].mean())) for name, some in classes.items()}


def shown(summary: Summary, true: NDArray[np.int64], most: int, level: float) -> float:
    """Which part of the intervals in a list of the largest holds the truth."""
    each = np.arange(ITEMS)[:, None]
    asked = Questions(each, each, ITEMS, np.arange(ITEMS))
    values = np.asarray(summary.answer(asked, level).of_counts().value, np.float64)
    if isinstance(summary, SelectedCounts):
        values[~summary.was_selected(asked)] = -1
    best = np.argsort(-values, kind="stable")[:most]
    holds = np.zeros(best.size)
    for places, found in answered(summary, asked, best, level):
        holds[places] = (found.low <= true[best[places]]) & (true[best[places]] <= found.high)
    return float(holds.mean())


def check(
    given: Given, most: int, epsilon: str, asked: dict[str, Any], lists: list[int], tried: dict[float, int]
) -> set[str]:
    """Which shapes the releases had."""
    method, shapes = made("even-shares", (ITEMS,), epsilon, Unit("who", max_rows=most), **asked), set()
    for level, trials in tried.items():
        hits: dict[str, NDArray[np.float64]] = defaultdict(lambda: np.zeros(2))
        of_lists = dict.fromkeys(lists, 0.0)
        for _ in range(trials):
            summary = method.measure(given, Noise())
            shapes.add(summary.shape)
            for name, sides in held(summary, given.true, level).items():
                hits[name] += sides
            for many in lists:
                of_lists[many] += shown(summary, given.true, many, level)
        for name, both in hits.items():
            for side, hit in zip(("low", "high"), both.tolist(), strict=True):
                assert at_least(hit, trials, (1 + level) / 2), (name, side, level, hit / trials)
        for many, hit in of_lists.items():
            assert at_least(hit, trials, level), (f"{many} shown", level, hit / trials)
    return shapes


@pytest.mark.parametrize("kind", hostile())
@pytest.mark.parametrize("epsilon", ["1", "0.1"])
def test_intervals_hold_whatever_users_do(kind: str, epsilon: str) -> None:
    count, most, given = hostile()[kind]
    check(given, most, epsilon, {"count": count}, [10, 100], TRIALS)


@pytest.mark.parametrize("kind", [kind for kind, (count, *_) in hostile().items() if count == "users"])
@pytest.mark.parametrize("top", [10, 100])
def test_intervals_hold_where_only_the_largest_are_wanted(kind: str, top: int) -> None:
    _, most, given = hostile()[kind]
    shapes = set[str]()
    for epsilon in ("1", "0.1"):
        shapes |= check(given, most, epsilon, {"top": top}, [top], TOP_TRIALS)
    if top > most:
        assert shapes == {"shared-counts"}
    elif kind == "nobody":
        assert "selected-counts" in shapes


def test_without_the_histogram_hostile_users_are_found_outside(monkeypatch: pytest.MonkeyPatch) -> None:
    """As if no user had more records than the bound."""
    monkeypatch.setattr(Hidden, "_least_weight", lambda self, records: self.items.units)
    count, most, given = hostile()["powers of two"]
    method = made("even-shares", (ITEMS,), 1, Unit("who", max_rows=most), count=count)
    each = np.arange(10, ITEMS)[:, None]
    asked, true = Questions(each, each, len(each), np.arange(len(each))), given.true[10:]
    found = [method.measure(given, Noise()).answer(asked, 0.95).of_counts().high >= true for _ in range(40)]
    assert not at_least(float(np.mean(found, axis=1).sum()), 40, 0.975)


@pytest.mark.parametrize("epsilon", ["0.1", "1", "10"])
def test_items_that_lost_have_no_more_together_than_there_are_users(epsilon: str) -> None:
    """400 users of 30 items each, of 3,000: together these are 12,000, and not 3,000 times what one of them may be."""
    items, every = 3000, Questions(np.array([[0]]), np.array([[2999]]), 1, np.array([0]))
    given = Given([(np.arange(30) + 7 * user) % items for user in range(400)], items)
    method, held, narrower = made("even-shares", (items,), epsilon, Unit("who", max_rows=50), top=5), [], []
    for _ in range(40):
        summary = method.measure(given, Noise())
        if isinstance(summary, SelectedCounts):
            known = summary.answer(every, 0.95).of_counts()
            assert known.low[0] <= known.value[0] <= known.high[0]
            held.append(known.low[0] <= 12_000 <= known.high[0])
            without = SelectedCounts(summary.schema, summary.codes, summary.values, summary.scale, summary.selecting)
            narrower.append(known.high[0] / without.answer(every, 0.95).of_counts().high[0])
    assert len(held) > 20
    assert at_least(sum(held), len(held), 0.95)
    assert np.median(narrower) < 0.3


def test_most_records_are_those_of_the_heaviest_users() -> None:
    """Bins of 1, 2, 3 to 4 and 5 to 7 items: against all ways to have no more users in any tail."""
    bins = Weighed(np.array([3, 1, 2, 1]), Fraction(1, 100))
    tails = most_in_tails(bins, 0.01).tolist()
    assert tails == [7, 4, 3, 1]
    for asked in (1, 2, 3, 5, 100):
        each = [min(asked, top) for top in (1, 2, 4, 7)]
        ways = itertools.product(*(range(upto + 1) for upto in tails))
        allowed = (way for way in ways if all(sum(way[place:]) <= upto for place, upto in enumerate(tails)))
        best = max(sum(many * has for many, has in zip(way, each, strict=True)) for way in allowed)
        assert most_records(bins, 7, np.array([asked]), 0.01).tolist() == [best]
