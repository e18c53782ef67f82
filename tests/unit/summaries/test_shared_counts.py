"""What hides behind shared weights, against all users that there can be; and releases whose facts do not fit."""

from __future__ import annotations

import itertools
from dataclasses import replace
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from discreet.queries import Questions
from discreet.schema import Ordinal, Schema
from discreet.summaries.share_estimates import ShareEstimates, likely_weights
from discreet.summaries.share_intervals import BINS, LOW_WEIGHT, Hidden, most_in_tails, one_sided
from discreet.summaries.share_steps import Corrections, Weighed
from discreet.summaries.shared_counts import SharedCounts
from tests.laplace_law import exceeds

SCALE = Fraction(1)


def steps(bins: Any, most: int, bound: int, units: int, items: int = 3) -> tuple[Weighed, Corrections]:
    weights = Weighed(np.arange(items, 0, -1) * units, SCALE, bound, units)
    head = Weighed(np.array([5 * units]), SCALE, 2, units)
    return weights, Corrections(Weighed(np.array(bins), SCALE), Weighed(np.array([40]), SCALE, 4), np.array([0]), head)


@pytest.fixture
def exact_tails(monkeypatch: pytest.MonkeyPatch) -> None:
    """Histograms without noise."""

    def tails(self: Hidden, miss: float) -> Any:
        sums = np.cumsum(self.corrections.bins.values[::-1])[::-1]
        return sums, sums

    monkeypatch.setattr(Hidden, "tails", tails)


def weight(records: int, bound: int, units: int) -> int:
    return units if records <= bound else units * bound // records


def most_by_trying(bins: tuple[int, ...], most: int, bound: int, units: int, room: int, asked: int, users: bool) -> int:
    """Over all users with so many in each bin: the most records in the question that weigh no more than `room`."""
    sizes = [[size for size in range(1, most + 1) if (size - 1).bit_length() == place] for place in range(len(bins))]
    kinds = [size for place, count in enumerate(bins) for size in [sizes[place]] * count]
    best = 0
    for records in itertools.product(*kinds):
        choices = [range(min(size, asked) + 1 if users else size + 1) for size in records]
        for inside in itertools.product(*choices):
            if sum(n * weight(size, bound, units) for n, size in zip(inside, records, strict=True)) <= room:
                best = max(best, sum(inside))
    return best


@pytest.mark.usefixtures("exact_tails")
@pytest.mark.parametrize("users", [True, False])
@pytest.mark.parametrize(("bound", "units"), [(1, 4), (2, 4), (3, 16), (1, 1)])
@pytest.mark.parametrize("bins", [(1, 1, 1, 0), (2, 0, 0, 1), (0, 1, 0, 1), (1, 0, 1, 1), (0, 0, 0, 0)])
def test_no_users_hide_more_than_the_upper_end(bins: tuple[int, ...], bound: int, units: int, users: bool) -> None:
    most = 7
    for asked in (1, 2, 5):
        hidden = Hidden(*steps(bins, most, bound, units), most, users)
        rooms = np.arange(0, 8 * units, max(units // 4, 1))
        found = hidden.high(rooms, np.full(rooms.size, asked), 0.01)
        tried = [most_by_trying(bins, most, bound, units, int(room), asked, users) for room in rooms]
        assert np.all(found >= tried)
        assert np.all(found <= np.array(tried) + 1)  # and hardly more: the largest of a bin costs least


def test_tails_hold_for_all_bins_and_never_rise() -> None:
    hidden = Hidden(*steps([50, 3, 60, -4, 2], 16, 2, 128), 16, True)
    fewest, most = hidden.tails(0.05)
    assert np.all(np.diff(most) <= 0)
    assert np.all(np.diff(fewest) <= 0)
    assert np.all((fewest >= 0) & (fewest <= most))
    assert most[0] > 111 > fewest[0]


def test_all_tails_together_miss_no_more_than_they_may() -> None:
    """By the law of the noise of each tail, which is that of its bins together."""
    scale = Fraction(20)
    tails = most_in_tails(Weighed(np.zeros(6, np.int64), scale), 0.2)
    missed = sum(exceeds(scale, many, int(reach)) for many, reach in zip(range(6, 0, -1), tails, strict=True))
    assert 0.1 < missed <= 0.2


def test_the_share_beyond_the_bound_is_between_what_bins_allow() -> None:
    sizes = np.repeat([1, 2, 3, 8, 16], [300, 200, 400, 300, 100])
    bins = np.bincount([int(size - 1).bit_length() for size in sizes], minlength=5)
    for bound in (1, 2, 5, 16):
        low, high = Hidden(*steps(bins, 16, bound, 256), 16, False).beyond(0.95)
        true = np.maximum(sizes - bound, 0).sum() / sizes.sum()
        assert 0 <= low <= true <= high <= 1
    assert high - low < 0.1  # at a bound that nobody exceeds


def test_numbers_keep_the_order_of_the_weights_and_the_total() -> None:
    values = np.sort(np.random.default_rng(4).integers(-300, 9000, 200))
    bins, total = Weighed(np.array([30, 40, 30, 9, 4]), SCALE), Weighed(np.array([90_000]), Fraction(40), 8)
    heads = np.argsort(-values, kind="stable")[:10]
    head = Weighed(values[heads] * 2, Fraction(100), 4, 16)
    found = ShareEstimates(Weighed(values, Fraction(60), 2, 16), Corrections(bins, total, heads, head), 16, True)
    rest = np.setdiff1d(np.arange(200), heads)
    assert np.all(np.diff(found.values[rest]) >= 0)
    assert found.values[heads].min() >= found.values[rest].max()
    assert found._powered(found.power).sum() == pytest.approx(found.total)
    assert found.values[rest].sum() < found.total
    assert np.all(found.variances > 0)


def test_counts_of_single_records_add_up_to_what_was_measured() -> None:
    values = np.random.default_rng(5).integers(-40, 60, 300)
    values[7] = 5000
    found = ShareEstimates(Weighed(values, Fraction(20)), None, 1, True)
    assert found.values.sum() == pytest.approx(values.sum())
    assert found.values[7] == 5000
    assert found.variances[7] == pytest.approx(2 * 20**2)
    assert np.sqrt(found.variances.min()) > 5  # what noise hides of the law of counts
    nothing = ShareEstimates(Weighed(-np.arange(5), Fraction(20)), None, 1, True)
    assert nothing.values.tolist() == [0] * 5
    assert np.all(nothing.variances > 0)


def test_what_is_kept_allows_for_weights_that_are_rounded_down() -> None:
    """A user of 1,000 records gives 16 of 16,384 units to each where 16.4 would be a fair share."""
    items, corrections = steps([50] * 11, 1000, 1, 16_384)
    assert Hidden(items, corrections, 1000, True).rounding == pytest.approx(17 / 16)
    assert Hidden(items, corrections, 1, True).rounding == 1
    assert Hidden(Weighed(items.values, SCALE, 1, 16), corrections, 1000, True).rounding == np.inf


def test_where_nothing_shows_all_are_alike() -> None:
    items = Weighed(np.array([-5, -3, -9, -1]), Fraction(16), 1, 16)
    _, corrections = steps([1, 0, 0], 4, 1, 64)
    values = ShareEstimates(items, corrections, 4, True).values
    assert np.ptp(values[1:]) == 0
    assert values.sum() > 0


def test_very_many_items_that_noise_hides_add_up_to_the_records_there_are() -> None:
    """2,000 users of five records each, and 200,000 items: the law that is fitted to noise makes far more of it."""
    dice = np.random.default_rng(8)
    exact = np.bincount(dice.integers(0, 200_000, 4000), minlength=200_000)
    items = Weighed(16 * exact + np.rint(dice.laplace(0, 80, exact.size)).astype(np.int64), Fraction(80), 2, 16)
    bins, total = Weighed(np.array([0, 3, -2, 2000]), Fraction(12)), Weighed(np.array([10_050]), Fraction(200), 8)
    heads = np.argsort(-items.values)[:2]
    corrections = Corrections(bins, total, heads, Weighed(np.array([30, 20]), Fraction(25), 2))
    assert likely_weights(items).sum() > 15_000
    estimates = ShareEstimates(items, corrections, 8, True)
    assert estimates.total == pytest.approx(10_000, rel=0.15)
    assert estimates.values.sum() == pytest.approx(10_000, rel=0.15)
    assert estimates.kept.sum() == pytest.approx(4000, rel=0.15)


def summary(most: int = 16) -> SharedCounts:
    return SharedCounts(Schema(item=Ordinal(0, 2)), *steps([50, 3, 60, -4, 2], most, 2, 128), most=most)


def test_a_blurred_second_look_does_not_hide_what_weights_showed() -> None:
    """Weights decided that this item is the head, so their low end is that of an item picked among all."""
    items, known = steps([500, 300, 600, 40, 20], 16, 2, 128)
    items = Weighed(items.values * 100, Fraction(128), 2, 128)
    blurred = Weighed(known.head.values, Fraction(10**5), 2, 128)
    schema, zero = Schema(item=Ordinal(0, 2)), np.zeros((1, 1), np.int64)
    first = Questions(zero, zero, 1, zero[0])

    def ends(head: Weighed) -> tuple[int, int]:
        found = SharedCounts(schema, items, replace(known, head=head), most=16, what="users").found(first, 0.95)
        return int(found.low[0]), int(found.high[0])

    low, high = ends(blurred)
    assert low == np.ceil(300 - one_sided(items, np.ones(1, np.int64), 0.05 * LOW_WEIGHT / 3)[0] / 128)
    clear = Weighed(np.array([302 * 128]), SCALE, 2, 128)
    assert ends(clear) == (302, 302)
    wrong = Weighed(np.array([200 * 128]), SCALE, 2, 128)  # a contradiction is no reason to be sure
    assert ends(wrong) == (200, high)
    assert high > 300


@pytest.mark.parametrize("what", ["users", "records"])
@pytest.mark.parametrize("level", [0.5, 0.95])
def test_no_end_misses_more_than_half_of_what_both_may(what: str, level: float) -> None:
    """By the law of the noise, where nothing hides: of an item of the head, of another, of ten, and of all together."""
    items, heads, count, far = 40, 10, 10**6, 10**5
    of_weights, of_head, of_total = Fraction(8), Fraction(4), Fraction(12)
    first, last = np.array([0, 20, 10, 0]), np.array([0, 20, 19, items - 1])
    asked, numbers = Questions(first[:, None], last[:, None], 4, np.arange(4)), last - first + 1

    def reaches(other: int) -> tuple[Any, Any]:
        """How far the ends are below and above the weights, if what else was measured is so far above these."""
        weights = Weighed(np.full(items, count), of_weights, 2, 1)
        users = Weighed(np.full(2, count * items), Fraction(1))
        total = Weighed(np.array([count * items + other]), of_total, 2)
        head = Weighed(np.full(heads, count + other), of_head, 2)
        corrections = Corrections(users, total, np.arange(heads), head)
        found = SharedCounts(Schema(item=Ordinal(0, items - 1)), weights, corrections, most=2, what=what)
        low, high, _ = found._ends(asked, numbers, count * numbers, level)
        return count * numbers - low, high - count * numbers

    (alike, most), (low, high), (if_more, _) = reaches(0), reaches(-far), reaches(far)
    lows = [exceeds(of_weights, *each) for each in zip(numbers.tolist(), low.tolist(), strict=True)]
    highs = [exceeds(of_weights, *each) for each in zip(numbers.tolist(), high.tolist(), strict=True)]
    # where both looks contradict each other each has its end; weights chose ten of all, whose low ends may miss
    again = exceeds(of_head, 1, alike[0])
    lows[0] = exceeds(of_weights, 1, if_more[0]) * items / heads + again
    highs[0] += again if what == "users" else 0
    lows[3] += exceeds(of_total, 1, if_more[3] + far)
    for missed in [*lows, *(each + BINS * (1 - level) for each in highs)]:
        assert missed <= (1 - level) / 2
    assert min(lows) > (1 - level) / 4
    # of records a bound may have taken some away, so the second look is no upper end
    assert most[0] == (alike[0] if what == "users" else high[0])


@pytest.mark.parametrize(
    "changed",
    [
        {"what": "weights"},
        {"most": 0},
        {"most": 10**3},
        {"items": {"scale": "1", "bound": 0, "units": 1}},
        {"items": {"scale": "1", "bound": 17, "units": 1}},
        {"items": {"scale": "1", "bound": 1, "units": 2**30}},
        {"head": {"scale": "1", "bound": 2, "units": 1, "items": [3], "counts": [1]}},
        {"head": {"scale": "1", "bound": 2, "units": 1, "items": [1, 1], "counts": [1, 1]}},
        {"head": {"scale": "1", "bound": 2, "units": 1, "items": [1, 2], "counts": [1]}},
        {"head": {"scale": "1", "bound": 2, "units": 1, "items": [1], "counts": [1.5]}},
        {"head": {"scale": "1", "bound": 2, "units": 1, "items": [1], "counts": 7}},
        {"users by records": {"scale": "1", "bound": 1, "units": 1, "counts": [3, 4]}},
        {"total": {"scale": "1e-40", "bound": 1, "units": 1, "count": 3}},
    ],
)
def test_facts_that_do_not_fit_are_refused(changed: dict[str, Any], tmp_path: Path) -> None:
    import pyarrow.parquet as pq

    made = summary()
    pq.write_table(made.stored(), tmp_path / "t.parquet")
    again = SharedCounts.read(made.schema, made.facts(), tmp_path / "t.parquet")
    every = Questions(np.array([[0], [0], [1]]), np.array([[2], [0], [2]]), 3, np.arange(3))
    assert np.array_equal(again.answer(every, 0.9).high, made.answer(every, 0.9).high)
    with pytest.raises(ValueError, match=r"\w"):
        SharedCounts.read(made.schema, {**made.facts(), **changed}, tmp_path / "t.parquet")


def test_facts_without_what_makes_up_for_bounds_are_refused(tmp_path: Path) -> None:
    import pyarrow.parquet as pq

    made = summary()
    pq.write_table(made.stored(), tmp_path / "t.parquet")
    facts = {name: fact for name, fact in made.facts().items() if name != "head"}
    with pytest.raises(ValueError, match="missing"):
        SharedCounts.read(made.schema, facts, tmp_path / "t.parquet")
