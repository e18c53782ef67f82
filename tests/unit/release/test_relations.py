"""Arithmetic of estimates, shares, ratios, means and comparisons of one release, and of several."""

from __future__ import annotations

import copy
import dataclasses
import math
import pickle
from collections.abc import Callable
from fractions import Fraction
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

import discreet
from discreet.errors import BadParameter, CannotAnswer
from discreet.queries import Estimate
from discreet.queries.selection import Selection
from discreet.release import Release
from discreet.release.means import Moment

SCHEMA = discreet.Schema(
    age=discreet.Ordinal(10, 17),
    pay=discreet.Ordinal(0.0, 4.0, 0.5),
    sex=discreet.Nominal(["f", "m"]),
    born=discreet.Ordinal("2020-01-01", "2020-01-04"),
)
CODES = np.array(list(np.ndindex(SCHEMA.sizes)))
COUNTS = np.random.default_rng(7).integers(0, 9, len(CODES))
METHODS: list[discreet.Table | discreet.Ranges | discreet.Marginals] = [
    discreet.Table(["age", "sex"], method="geometric"),
    discreet.Ranges(["age", "sex"], method="weighted"),
    discreet.Ranges(["age", "sex"], method="dyadic", consistency=False),
    discreet.Ranges(["age", "sex"], method="adaptive"),
    discreet.Marginals(["age", "sex"], ways=2),
    discreet.Table(["age", "sex"], method="filter-priority", size=12, theta=3),
]


def data(dataset: str = "people") -> Any:
    return discreet.from_counts(SCHEMA, CODES, COUNTS, dataset=dataset)


def publish(task: Any, name: str = "r", epsilon: Any = 1) -> Release:
    release: Release = data().publish(task, epsilon, name=name)
    return release


@pytest.fixture(scope="module")
def plain() -> Release:
    return publish(METHODS[0])


@pytest.fixture(scope="module", params=METHODS, ids=str)
def release(request: pytest.FixtureRequest) -> Release:
    return publish(request.param)


def numbers(estimate: Estimate) -> tuple[float, ...]:
    return tuple(float(getattr(estimate, name)) for name in ("value", "stderr", "low", "high", "level"))


def test_what_is_taken_off_itself_is_nothing(release: Release) -> None:
    for where in (None, "age >= 13", "sex = 'f' or age = 11"):
        found = release.count(where)
        assert numbers(found - found) == (0, 0, 0, 0, 0.95)
        assert numbers(found - release.count(where)) == (0, 0, 0, 0, 0.95)
        assert numbers(found * 3 - found - 2 * found) == (0, 0, 0, 0, 0.95)
    share = release.share("sex = 'f'")
    assert numbers(share - share) == (0, 0, 0, 0, 0.95)
    questions: list[Callable[[], Estimate]] = [
        lambda: release.share("sex = 'f'", of="age >= 13"),
        lambda: release.ratio("sex = 'f'", "age >= 13"),
        lambda: release.mean("age", "sex = 'f'"),
        lambda: release.variance("age"),
        lambda: release.sum("age"),
    ]
    for ask in questions:
        assert numbers(ask() - ask()) == (0, 0, 0, 0, 0.95)
        assert numbers(2 * ask() - ask() - ask() + 3) == (3, 0, 3, 3, 0.95)
        assert release.compare(ask(), ask()).larger is None


def test_parts_of_one_whole_are_one_ratio(release: Release) -> None:
    f, m = (release.share(f"sex = '{label}'", of="age >= 13") for label in "fm")
    assert numbers(f + m) == (1, 0, 1, 1, 0.95)
    less, whole = f - m, release.count("age >= 13")
    above = release.difference("sex = 'f' and age >= 13", "sex = 'm' and age >= 13")
    assert numbers(less) == numbers(above / whole)
    assert -1 <= less.low <= less.high <= 1
    assert numbers(f - m - f + m) == (0, 0, 0, 0, 0.95)
    of_more = release.share("sex = 'm'", of="age >= 12")
    apart = f - of_more
    assert apart.high - apart.low > 0
    assert apart.value == pytest.approx(f.value - of_more.value)


def test_the_total_less_a_part_is_the_rest(release: Release) -> None:
    part, rest = release.count("sex = 'f'"), release.count("sex = 'm'")
    assert release.count() - part == rest
    assert release.difference(None, "age < 13") == release.count("age >= 13")
    assert numbers(release.count("age < 13") + release.count("age >= 13")) == numbers(release.count())
    assert numbers(sum([part, rest])) == numbers(release.count())  # type: ignore[arg-type]


def test_estimates_and_numbers(plain: Release) -> None:
    found = plain.count("sex = 'f'")
    assert float(found) == found.value
    for twice in (found * 2, 2 * found, found + found, found / Fraction(1, 2), found / 0.5, np.float64(2) * found):
        assert numbers(twice) == pytest.approx((2 * found.value, 2 * found.stderr, 2 * found.low, 2 * found.high, 0.95))
    assert numbers(-found) == (-found.value, found.stderr, -found.high, -found.low, 0.95)
    assert numbers(100 - found) == (100 - found.value, found.stderr, 100 - found.high, 100 - found.low, 0.95)
    assert numbers(found / 3 * 3 - found) == (0, 0, 0, 0, 0.95)
    assert numbers((found + 5) - found) == (5, 0, 5, 5, 0.95)
    assert (found * 0 + 1).value == 1
    low, high = (1 / found).low, (1 / found).high
    assert low < 1 / found.value < high
    for wrong in (found.__add__, found.__mul__, found.__truediv__, found.__sub__, found.__rtruediv__):
        assert wrong("x") is NotImplemented
    with pytest.raises(BadParameter, match="zero"):
        found / 0
    with pytest.raises(BadParameter, match="product"):
        found * found


def test_what_is_a_number_after_all_divides_like_one(plain: Release) -> None:
    old, nobody = plain.count("age >= 15"), plain.count("age < 12 and age > 15")
    assert old / (nobody + 5) == old / (old - old + 5) == old / 5
    with pytest.raises(BadParameter, match="nobody can be in what is divided by"):
        old / (nobody * 5)


def test_estimates_are_not_ordered(plain: Release) -> None:
    one, two = plain.count("sex = 'f'"), plain.count("sex = 'm'")
    for compared in (
        lambda: one < two,
        lambda: one <= 5,
        lambda: one > two,
        lambda: np.float64(5) >= one,
        lambda: sorted([one, two]),
        lambda: max(one, two),
    ):
        with pytest.raises(BadParameter, match=r"release\.compare"):
            compared()


def test_an_estimate_that_travelled_keeps_its_numbers_only(plain: Release) -> None:
    found = plain.count("sex = 'f'")
    away = pickle.loads(pickle.dumps(found))
    assert away == found
    assert numbers(away * 2) == numbers(found * 2)
    with pytest.raises(BadParameter, match="does not know its release"):
        away - found
    with pytest.raises(BadParameter, match="no longer knows"):
        plain.compare(away, "sex = 'm'")
    assert copy.deepcopy(found).asked is found.asked
    assert dataclasses.asdict(found)["value"] == found.value


def test_sums_of_whole_counts_go_in_steps(plain: Release) -> None:
    def step(asked: Any) -> Fraction:
        found: Fraction = asked.asked.step
        return found

    a, b = plain.count("age = 10"), plain.count("age = 11")
    assert step(a - b) == step(a + b) == step(a - a + b) == 1
    assert step(4 * a - 6 * b) == 2
    assert step(4 * a - 6 * b + 3) == 1
    assert step(a / 4 + b / 6) == Fraction(1, 12)
    assert step(a / 2 - b) == Fraction(1, 2)
    assert step(a - a) == step(a / b) == step(a - a / b) == 0


def test_a_difference_knows_what_both_share(plain: Release) -> None:
    """Of overlapping counts, cells in both cancel, with their noise."""
    near = plain.difference("age >= 11", "age >= 12")
    assert near.stderr == plain.count("age = 11").stderr
    assert near == plain.count("age = 11")
    swapped = plain.difference("age >= 12", "age >= 11")
    assert (swapped.low, swapped.high) == (-near.high, -near.low)
    apart = plain.difference("age = 11", "age = 12")
    assert apart.stderr == pytest.approx(math.sqrt(2) * near.stderr)
    assert apart.value == plain.count("age = 11").value - plain.count("age = 12").value


def test_measurements_stay_measurements(plain: Release) -> None:
    a, b = (plain.count(where, measured=True) for where in ("age = 11", "age = 12"))
    assert (a - b).value == a.value - b.value
    assert (a - plain.count("age = 12")).value == plain.count("age = 11").value - plain.count("age = 12").value


def test_shares(release: Release) -> None:
    share = release.share("age < 13", of="sex = 'f'")
    assert 0 <= share.low <= share.value <= share.high <= 1
    assert share.value == pytest.approx(
        release.count("age < 13 and sex = 'f'").value / release.count("sex = 'f'").value, rel=1e-6
    )
    same = release.count("age < 13 and sex = 'f'") / release.count("sex = 'f'")
    assert numbers(same) == pytest.approx(numbers(share), nan_ok=True)
    other = release.share("age >= 13", of="sex = 'f'")
    assert 0 <= other.low <= other.value <= other.high <= 1
    every = release.share("sex = 'f'", of="sex = 'f'")
    assert numbers(every) == (1, 0, 1, 1, 0.95)
    nothing = release.share("sex = 'm'", of="sex = 'f'")
    assert numbers(nothing)[:1] == (0,)
    assert nothing.high == 0


def test_shares_of_a_table(release: Release) -> None:
    frame = release.table(["age", "sex"], "age >= 12", shares=True)
    for row in frame.to_dicts():
        share = release.share({"age": row["age"], "sex": row["sex"]}, of="age >= 12")
        assert row["share"] == pytest.approx(share.value, abs=1e-6)
        assert 0 <= row["share_low"] <= row["share"] <= row["share_high"] <= 1
        if release.manifest["method"] != "adaptive":  # where a whole table is asked for in a simpler way
            assert (row["share_low"], row["share_high"]) == pytest.approx((share.low, share.high), abs=1e-6)


def test_simultaneous_intervals_are_wider(release: Release) -> None:
    one, all_of_them = (release.table("age", simultaneous=wanted) for wanted in (False, True))
    assert np.all(all_of_them["low"] <= one["low"])
    assert np.all(all_of_them["high"] >= one["high"])
    assert "together" in all_of_them.notes[-1]
    each = release.table("age", level=1 - 0.05 / 8)
    assert np.array_equal(each["high"], all_of_them["high"])


def test_ratios(release: Release) -> None:
    ratio = release.ratio("sex = 'f'", "sex = 'm'")
    assert 0 <= ratio.low <= ratio.value <= ratio.high
    assert ratio.value == pytest.approx(release.count("sex = 'f'").value / release.count("sex = 'm'").value)
    nobody = release.count("age = 11") - release.count("age = 11")
    with pytest.raises(BadParameter, match="divided by"):
        release.count() / nobody


def test_means_variances_and_sums(release: Release) -> None:
    mean, variance, total = release.mean("age"), release.variance("age"), release.sum("age")
    ages = np.bincount(CODES[:, 0], COUNTS)
    true = float(ages @ np.arange(10, 18)) / COUNTS.sum()
    assert 10 <= mean.low <= mean.value <= mean.high <= 17
    if release.manifest["method"] != "filter-priority":  # which leaves cells out
        assert mean.value == pytest.approx(true, abs=1)
    assert 0 <= variance.low <= variance.value <= variance.high <= 49 / 4
    assert total.low <= total.value <= total.high
    wide, narrow = (release.mean("age", level=level) for level in (0.99, 0.5))
    assert wide.high - wide.low > narrow.high - narrow.low
    assert release.mean("age", "age = 12").value == pytest.approx(12)
    inside = release.mean("age", "age >= 12 and age <= 13")
    assert inside.value >= 10
    doubled = release.mean("age") * 2 - 1
    assert numbers(doubled) == pytest.approx(
        (2 * mean.value - 1, 2 * mean.stderr, 2 * mean.low - 1, 2 * mean.high - 1, 0.95), nan_ok=True
    )


@pytest.mark.parametrize("mean", [2.0, 2.3, 2.5, 2.9, 4.0])
def test_the_interval_of_a_variance_holds_it_wherever_the_mean_is(plain: Release, mean: float) -> None:
    """The mean is known to lie from 2 to 4, and how far values are from each point is known exactly."""
    asked: list[float] = []

    class Known:
        runs = SimpleNamespace(low=np.array([0.0]), high=np.array([9.0]))

        def means(self, points: Any, level: float) -> Any:
            asked.append(level)
            return (np.array(2.0), np.array(4.0)) if points is None else [1.25 + (points - mean) ** 2] * 2

    source: Any = Known()
    variance = Moment(plain, Selection(({},)).boxes(plain.schema.sizes), 0, "variance")
    low, high = variance._variance_ends(source, 0.9)
    assert 0 < low <= 1.25 <= high
    assert sum(1 - level for level in asked) <= 1 - 0.9  # so that all are right together


def test_bins_of_several_values_are_known_up_to_the_bin() -> None:
    release = publish(discreet.Table(["pay"], method="geometric"), epsilon=1000)
    mean, spread, total = release.mean("pay"), release.variance("pay"), release.sum("pay")
    pays, records = np.bincount(CODES[:, 1], COUNTS), COUNTS.sum()
    middle = float(pays @ (np.arange(8) / 2 + 0.25)) / records
    assert mean.value == pytest.approx(middle)
    assert (mean.low, mean.high) == pytest.approx((middle - 0.25, middle + 0.25), abs=1e-3)
    assert (total.low, total.high) == pytest.approx((records * mean.low, records * mean.high), rel=1e-3)
    assert "several values" in mean.note
    assert spread.high - spread.low > 0.25


def test_values_that_are_taken_in_runs_are_no_wide_bins() -> None:
    pay = discreet.Schema(pay=discreet.Ordinal(0, 99_999))
    source = discreet.from_counts(pay, np.arange(0, 100_000, 50)[:, None], np.full(2000, 3))
    note = source.publish(discreet.Ranges("pay", method="adaptive"), 1).mean("pay").note
    assert "taken in runs" in note
    assert "bins hold several values" not in note


@pytest.mark.usefixtures("seeded")  # how far off a few numbers are is compared by its mean
@pytest.mark.parametrize("method", ["dyadic-filter", "dyadic-threshold", "dyadic-priority"])
def test_where_small_counts_are_left_out_sums_come_from_large_ones(method: str) -> None:
    values = np.arange(200)
    rows = discreet.from_counts(discreet.Schema(age=discreet.Ordinal(0, 511)), values[:, None], np.full(200, 3))
    found = [rows.publish(discreet.Ranges("age", method=method), 1).sum("age").value for _ in range(10)]
    assert np.mean(np.abs(np.array(found) / (3 * values.sum()) - 1)) < 0.3


def test_what_has_no_mean(plain: Release) -> None:
    with pytest.raises(CannotAnswer, match="sex has labels"):
        plain.mean("sex")
    with pytest.raises(CannotAnswer, match=r'quantile\("born", 0.5\)'):
        publish(discreet.Table(["born"], method="geometric")).variance("born")
    with pytest.raises(BadParameter, match="level"):
        plain.mean("age", level=95)
    with pytest.raises(BadParameter, match="level"):
        plain.share("age = 11", level=0)


def test_comparisons(release: Release) -> None:
    clear = release.compare(None, "age = 11")
    assert clear.larger == "a"
    assert clear.probability > 0.97
    other = release.compare("age = 11", None)
    assert other.larger == "b"
    assert other.probability == pytest.approx(1 - clear.probability)
    same = release.compare("age = 11", "age = 11")
    assert (same.larger, same.probability, same.difference.value) == (None, 0.5, 0)
    assert "cannot tell" in str(same)
    said = clear.to_dict()
    assert said["difference"]["level"] == 0.95
    assert f"{said['larger']} is larger with probability" in str(clear)


def test_two_releases_have_independent_noise(plain: Release) -> None:
    source = data()
    one, two = (source.publish(METHODS[0], epsilon, name=str(epsilon)) for epsilon in (1, 2))
    a, b = one.count("age < 13"), two.count("age < 13")
    assert (a - b).stderr == pytest.approx(math.hypot(a.stderr, b.stderr))
    assert a.value - b.value == (a - b).value
    change = one.change("age < 13", since=two)
    assert change.value == pytest.approx(100 * (a.value / b.value - 1))
    assert change.low < change.value < change.high
    moved = one.share("sex = 'f'") - two.share("sex = 'f'")
    assert moved.low < moved.value < moved.high
    assert one.compare(a, b).probability == pytest.approx(1 - one.compare(b, a).probability)


@pytest.mark.usefixtures("seeded")  # so that nobody is in neither group
@pytest.mark.parametrize("method", [METHODS[2], METHODS[5]], ids=str)
def test_parts_without_a_joint_law_are_all_right_together(method: Any) -> None:
    """Two intervals hold at once with 95 % if each does with 97.5 %, whatever their noise has in common."""
    source = data()
    one, two = (source.publish(method, 1, name=name) for name in ("one", "two"))
    for other in (one, two):
        asked = (one, "sex = 'f'"), (other, "sex = 'm'")
        a, b = (release.count(where) for release, where in asked)
        low, high = (
            [getattr(release.count(where, level=0.975), end) for release, where in asked] for end in ("low", "high")
        )
        for found, ends in (
            (2 * a - b, (2 * low[0] - high[1], 2 * high[0] - low[1])),
            (a / b, (low[0] / high[1], high[0] / low[1])),
        ):
            assert (found.low, found.high) == pytest.approx(ends)


def test_other_data_are_mixed_only_if_that_is_asked_for(plain: Release) -> None:
    other = data("elsewhere").publish(METHODS[0], 1, name="r")
    again = publish(METHODS[0])  # the same name, but a ledger of its own
    for release, why in ((other, "elsewhere"), (again, "different ledgers")):
        a, b = plain.count("age < 13"), release.count("age < 13")
        for mixed in (
            lambda a=a, b=b: a - b,
            lambda a=a, b=b: a / b,
            lambda a=a, b=b: plain.compare(a, b),
            lambda release=release: plain.change("age < 13", since=release),
            lambda release=release: plain.share("age < 13") - release.share("age < 13"),
        ):
            with pytest.raises(BadParameter, match=why):
                mixed()
        assert plain.difference(a, b, across=True).stderr == pytest.approx(math.hypot(a.stderr, b.stderr))
        assert plain.ratio(a, b, across=True).value == pytest.approx(a.value / b.value)
        assert plain.compare(a, b, across=True).difference.value == a.value - b.value
        assert abs(plain.change("age < 13", since=release, across=True).value) < 50
    with pytest.raises(BadParameter, match="since must be a release"):
        plain.change("age < 13", since="last year")  # type: ignore[arg-type]
