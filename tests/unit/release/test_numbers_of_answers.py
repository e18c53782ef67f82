"""Which number an answer gives: the best estimate, the measurement, or whole numbers that add up."""

from __future__ import annotations

import itertools
import math

import numpy as np
import pytest

import discreet
from discreet.errors import BadParameter, CannotAnswer
from discreet.noise import ZeroNoise
from discreet.private.open_data import from_counts
from discreet.queries import Estimate
from discreet.release.remarks import remark
from discreet.summaries import Answers

SCHEMA = discreet.Schema(x=discreet.Ordinal(0, 199), y=discreet.Nominal(["a", "b"]))
FEW = from_counts(SCHEMA, [[3, 0], [4, 1]], [2, 1])


def test_estimates_are_not_below_zero_and_measurements_are() -> None:
    release = FEW.publish(discreet.Table(["x", "y"], method="geometric"), "0.1")
    best, plain = release.table(["x", "y"]), release.table(["x", "y"], measured=True)
    assert best["count"].min() == 0
    assert plain["count"].min() < 0
    assert np.array_equal(best["count"], np.maximum(plain["count"], 0))
    for column in ("low", "high", "stderr"):
        assert np.array_equal(best[column], plain[column])
    assert best["low"].min() == 0
    assert best["high"].min() > 0, "no interval is a single point"


def test_measurements_add_up_and_whole_numbers_too() -> None:
    release = FEW.publish(discreet.Table(["x", "y"], method="geometric"), "0.1")
    plain = release.table(["x", "y"], measured=True)
    assert plain["count"].sum() == release.count(measured=True).value
    whole = release.table(["x", "y"], whole=True)
    assert whole["count"].min() >= 0
    assert whole["count"].sum() == release.count(whole=True).value == max(plain["count"].sum(), 0)
    assert np.maximum(plain["count"], 0).sum() > whole["count"].sum() + 500, "cutting at zero would not"


@pytest.mark.parametrize("method", ["privelet+", "dyadic", "privelet*"])
def test_whole_numbers_of_other_methods_add_up(method: str) -> None:
    release = FEW.publish(discreet.Ranges(["x", "y"], method=method), 1)
    for by in ("x", ["x", "y"]):
        assert release.table(by, whole=True)["count"].sum() == release.count(whole=True).value
    rising = release.prefix("x", whole=True)["count"]
    assert np.all(np.diff(rising) >= 0)
    assert rising[-1] == release.count(whole=True).value


def test_whole_and_measured_exclude_each_other() -> None:
    release = FEW.publish(discreet.Table(["x", "y"], method="geometric"), 1)
    for ask in (release.count, lambda **how: release.table("x", **how)):
        with pytest.raises(BadParameter, match="either `whole` or `measured`"):
            ask(whole=True, measured=True)


def test_a_table_without_upper_ends_is_written_without_them() -> None:
    release = from_counts(SCHEMA, [[3, 0]], [50]).publish(discreet.Table(["x", "y"], method="filter", theta=9), 1)
    frame = release.table("y")
    assert math.isinf(frame["high"][0])
    assert frame.to_dicts()[0]["high"] is None
    assert frame.to_csv().splitlines()[1].endswith(",")
    assert "none" in repr(frame)
    found = release.count()
    assert found.to_dict()["high"] is None
    assert "publishing with `total = 0.03` would give one" in found.note


def test_an_interval_that_says_next_to_nothing_is_told_apart() -> None:
    schema = discreet.Schema(item=discreet.Ordinal(0, 63))
    release = from_counts(schema, [[5]], [1000]).publish(discreet.Items("item", method="fpa", coefficients=2), 1)
    assert "says next to nothing" in release.count({"item": 5}).note
    assert "says next to nothing" not in release.count().note


@pytest.mark.parametrize(("low", "useless"), [(0, True), (400, False)])
def test_ends_that_lie_near_each_other_say_something(low: int, useless: bool) -> None:
    """The number of everything may have an interval as wide as itself."""
    release = from_counts(SCHEMA, [[3, 0]], [50]).publish(discreet.Table(["x", "y"]), 1, noise=ZeroNoise())
    value, stderr, least, most = (np.array([one]) for one in (500.0, 10.0, low, 1500))
    assert bool(remark(release.summary, Answers(value, stderr, least, most), 0.95, "")) == useless


def test_the_largest_groups() -> None:
    release = from_counts(SCHEMA, [[3, 0], [4, 1], [9, 0]], [500, 900, 700]).publish(discreet.Table(["x", "y"]), 1)
    found = release.table("x", largest=3)
    assert list(found["x"]) == [4, 9, 3]
    assert np.all(np.diff(found["count"]) < 0)
    assert len(release.table("y", largest=10, whole=True)) == 2
    for wrong in (0, True, "3"):
        with pytest.raises(BadParameter, match="largest must be a whole number of at least 1"):
            release.table("x", largest=wrong)  # type: ignore[arg-type]


def test_groups_that_are_ruled_out_have_rows_unless_these_are_too_many(monkeypatch: pytest.MonkeyPatch) -> None:
    release = from_counts(SCHEMA, [[3, 0], [4, 1], [9, 0]], [500, 900, 700]).publish(discreet.Table(["x", "y"]), 1)
    assert len(release.table("x", "x = 3")) == 200
    monkeypatch.setattr("discreet.release.groups.MOST_TOTAL_BOXES", 250)
    assert list(release.table(["x", "y"], "x between 3 and 4 or x = 9")["x"]) == [3, 3, 4, 4, 9, 9]
    assert list(release.table(["x", "y"], "x = 3 and y = 'a'")["y"]) == ["a"]
    with pytest.raises(CannotAnswer, match="400 rows; group by less, or add `where`"):
        release.table(["x", "y"])


def test_a_higher_level_has_no_narrower_interval() -> None:
    """Also where a measurement lies far below zero."""
    value, stderr = np.array([-89.0, -1.0, 3.0]), np.array([60.0, 60.0, 2.0])
    found = [Answers.around(value, stderr, width * stderr).of_counts() for width in (0.7, 1.3, 2.0, 2.6)]
    for narrow, wide in itertools.pairwise(found):
        assert np.all(wide.low <= narrow.low)
        assert np.all(wide.high >= narrow.high)


def test_exact_numbers_that_are_not_whole_keep_their_digits() -> None:
    assert str(Estimate(0.47943, 0.0, 0.47943, 0.47943)).startswith("0.4794 ± 0 ")
    assert str(Estimate(4.0, 0.0, 4.0, 4.0)).startswith("4 ± 0 ")
