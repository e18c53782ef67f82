"""Ranges, levels, order and number of the groups of a table; cumulative counts and quantiles by group."""

from __future__ import annotations

from datetime import date
from typing import Any

import numpy as np
import pytest

import discreet
from discreet.errors import BadParameter, CannotAnswer, DiscreetError, OutsideDomain
from discreet.noise import ZeroNoise
from discreet.release import Release
from discreet.release.frame import Frame
from tests.statistics import at_least

SCHEMA = discreet.Schema(
    age=discreet.Ordinal(0, 99, outside="other"),
    pay=discreet.Ordinal(0.0, 2.0, 0.5),
    day=discreet.Ordinal(date(2024, 1, 1), date(2024, 12, 31), "month"),
    band=discreet.Ordinal(edges=[0, 18, 65, 120]),
    sex=discreet.Nominal(["f", "m"]),
)
SMALL = SCHEMA.select(["age", "sex"])
CODES = np.array(list(np.ndindex(*SMALL.sizes)))
COUNTS = (CODES[:, 0] * 7 + 13 * CODES[:, 1]) % 41
TABLE = COUNTS.reshape(SMALL.sizes)


@pytest.fixture(scope="module")
def release() -> Release:
    task = discreet.Table(["age", "sex"], method="geometric")
    return discreet.from_counts(SMALL, CODES, COUNTS).publish(task, 1, noise=ZeroNoise())


def by(name: str) -> Release:
    """Nothing but zeros: what matters are the groups."""
    empty = np.zeros((0, 1), np.int64)
    data = discreet.from_counts(SCHEMA.select([name]), empty, np.zeros(0, np.int64))
    return data.publish(discreet.Table([name], method="geometric"), 1, noise=ZeroNoise())


def test_so_many_ranges(release: Release) -> None:
    frame = release.table("age", bins=10)
    assert frame["age"] == [*(f"{low} to {low + 9}" for low in range(0, 100, 10)), "other"]
    sums = TABLE[:100].reshape(10, -1).sum(axis=1)
    assert frame["count"].tolist() == [*sums, TABLE[100].sum()]


def test_ranges_between_cuts_are_what_the_predicates_count(release: Release) -> None:
    frame = release.table(["sex", "age"], bins={"age": [0, 18, 65]})
    assert frame["age"] == ["0 to 17", "18 to 64", "65 to 99", "other"] * 2
    for sex, label, count in zip(frame["sex"], frame["age"], frame["count"], strict=True):
        where = "other" if label == "other" else tuple(map(int, label.split(" to ")))
        assert count == release.count({"sex": sex, "age": where}).value
    assert release.table("age", bins=[18, 65])["age"] == frame["age"][:4]
    assert release.table("age", bins=[100])["age"] == ["0 to 99", "other"]
    assert release.table("age", bins=[1])["age"][0] == "0"


@pytest.mark.parametrize(
    ("name", "bins", "labels"),
    [
        ("pay", 2, ["0 to below 1", "1 to 2"]),
        ("pay", [0.5], ["0 to below 0.5", "0.5 to 2"]),
        ("day", 2, ["2024-01-01 to 2024-06-30", "2024-07-01 to 2024-12-31"]),
        ("day", ["2024-03-01", date(2024, 12, 1)], ["2024-01-01 to 2024-02-29", None, "2024-12-01 to 2024-12-31"]),
        ("band", 3, ["0 to 17", "18 to 64", "65 to 119"]),
        ("band", [65, 120], ["0 to 64", "65 to 119"]),
        ("band", 2, ["0 to 17", "18 to 119"]),
    ],
)
def test_labels_can_be_read(name: str, bins: Any, labels: list[str | None]) -> None:
    found = by(name).table(name, bins=bins)[name]
    assert len(found) == len(labels)
    assert all(label in (None, mine) for label, mine in zip(labels, found, strict=True))


@pytest.mark.parametrize(
    ("name", "bins", "kind", "words"),
    [
        ("band", [20], CannotAnswer, "20 splits the bin 18-64; cut at 18 or 65"),
        ("band", [70], CannotAnswer, "70 splits the bin 65-119; cut at 65"),
        ("band", [121], OutsideDomain, "121 is outside the declared domain 0 to 119"),
        ("band", 4, BadParameter, "band has 3 declared bins"),
        ("band", 0, BadParameter, "1 to as many"),
        ("band", True, BadParameter, "give a number of ranges"),
        ("band", "18", BadParameter, "give a number of ranges"),
        ("band", [65, 18], BadParameter, "must ascend"),
        ("band", [None], OutsideDomain, "is not a whole number"),
        ("band", {"age": 3}, BadParameter, "'age' is not grouped by"),
        ("sex", {"sex": 2}, BadParameter, "'sex' has no order"),
        ("sex", 2, BadParameter, "are for ordinal attributes"),
        ("day", ["2024-03-02"], CannotAnswer, "cut at 2024-03-01 or 2024-04-01"),
        ("day", ["spring"], OutsideDomain, "is not a date"),
        ("pay", [0.7], CannotAnswer, "cut at 0.5 or 1"),
    ],
)
def test_ranges_that_cannot_be(name: str, bins: Any, kind: type[DiscreetError], words: str) -> None:
    with pytest.raises(kind) as caught:
        by(name).table(name, bins=bins)
    assert words in str(caught.value)


def test_an_attribute_too_large_for_a_row_each_has_ranges() -> None:
    schema = discreet.Schema(id=discreet.Ordinal(0, 2**40 - 1))
    data = discreet.from_counts(schema, np.array([[5], [2**39]]), np.array([400, 600]))
    release = data.publish(discreet.Table("id", method="filter", theta=20), 1)
    with pytest.raises(CannotAnswer, match="bins=10"):
        release.table("id")
    assert release.table("id", bins=2)["id"] == [f"0 to {2**39 - 1}", f"{2**39} to {2**40 - 1}"]


def test_order(release: Release) -> None:
    frame = release.table("age", bins=5, sort="count")
    assert frame["count"].tolist() == sorted(frame["count"], reverse=True)
    assert release.table("age", bins=5, sort="count", ascending=True)["age"] == frame["age"][::-1]
    both = release.table(["sex", "age"], bins=2, sort="age")
    assert both["age"] == ["0 to 49"] * 2 + ["50 to 99"] * 2 + ["other"] * 2  # as declared, not as letters
    assert both["sex"] == ["f", "m"] * 3
    assert release.table("sex", sort="sex", ascending=False)["sex"] == ["m", "f"]
    few = release.table("age", bins=10, largest=3, sort="age")
    assert sorted(few["count"]) == sorted(release.table("age", bins=10, largest=3)["count"])
    assert few["age"] == [label for label in release.table("age", bins=10)["age"] if label in few["age"]]
    for wrong in ({"sort": "nothing"}, {"ascending": True}):
        with pytest.raises(BadParameter, match="sort"):
            release.table("age", **wrong)


def test_whole_ranges_add_up(release: Release) -> None:
    frame = release.table(["age", "sex"], bins=7, whole=True)
    assert frame["count"].sum() == release.count(whole=True).value


def test_cumulative_counts_by_group(release: Release) -> None:
    for whole in (False, True):
        frame = release.prefix("age", by="sex", whole=whole)
        assert list(frame.columns)[:3] == ["sex", "age", "count"]
        assert frame["sex"] == ["f"] * 100 + ["m"] * 100
        assert np.allclose(np.reshape(frame["count"], (2, 100)), np.cumsum(TABLE[:100], axis=0).T)
    with pytest.raises(BadParameter, match="itself"):
        release.prefix("age", by="age")


def test_many_quantiles_are_those_asked_one_by_one(release: Release) -> None:
    shares = [0.25, 0.5, 0.9]
    frame = release.quantile("age", shares, by="sex")
    assert isinstance(frame, Frame)
    assert list(frame.columns) == ["sex", "share", "age", "low", "high"]
    single = [release.quantile("age", share, {"sex": sex}) for sex in "fm" for share in shares]
    assert [row[2:] for row in frame.rows()] == [(one.value, one.low, one.high) for one in single]
    assert release.quantile("age", [0.5])["age"] == [release.quantile("age", 0.5).value]  # type: ignore[index]
    met = release.quantile("age", 0.5, "sex = 'm'", by="sex")
    assert met["sex"] == ["m"]  # type: ignore[index]


@pytest.mark.parametrize(("share", "by"), [([], ()), ("0.5", ()), ([0.5, 2], ()), (None, "sex")])
def test_quantiles_that_cannot_be(release: Release, share: Any, by: Any) -> None:
    with pytest.raises(BadParameter, match="quantile: "):
        release.quantile("age", share, by=by)


def test_quantiles_within_ranges_of_the_attribute_itself(release: Release) -> None:
    frame: Any = release.quantile("age", [0.1, 0.5], by="age", bins=[18, 65])
    for band, share, found in zip(frame["age"], frame["share"], frame["age_2"], strict=True):
        if band != "other":
            low, high = map(int, band.split(" to "))
            assert found == release.quantile("age", share, {"age": (low, high)}).value
            assert low <= found <= high


def test_quantiles_of_groups_lie_in_their_intervals() -> None:
    task, data = discreet.Ranges(["age", "sex"], method="privelet"), discreet.from_counts(SMALL, CODES, COUNTS)
    running = np.cumsum(TABLE[:100], axis=0)
    truth = [int(np.argmax(running[:, sex] >= share * running[-1, sex])) for sex in (0, 1) for share in (0.3, 0.6)]
    held = 0
    for _ in range(100):
        frame: Any = data.publish(task, "0.1").quantile("age", [0.3, 0.6], by="sex", level=0.8)
        held += sum(low <= age <= high for low, age, high in zip(frame["low"], truth, frame["high"], strict=True))
    assert at_least(held, 400, 0.8)
