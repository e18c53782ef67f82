"""Prefix sums and quantiles of releases: right without noise, with intervals that hold the truth as often as stated."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import discreet
from discreet.errors import BadParameter, CannotAnswer, UnknownAttribute
from discreet.noise import Noise, ZeroNoise
from discreet.release import Release
from discreet.release.quantiles import Quantile
from discreet.tasks import Task
from tests.statistics import at_least

SCHEMA = discreet.Schema(
    age=discreet.Ordinal(10, 49), sex=discreet.Nominal(["f", "m"]), pay=discreet.Ordinal(0.0, 2.0, 0.5, outside="other")
)
CODES = np.array(list(np.ndindex(*SCHEMA.sizes)))
COUNTS = (CODES[:, 0] * (CODES[:, 1] + 1) + 3 * CODES[:, 2]) % 41
TABLE = COUNTS.reshape(SCHEMA.sizes)
TASKS: list[Task] = [
    discreet.Ranges(["age", "sex", "pay"], method="privelet"),
    discreet.Ranges(["age", "sex", "pay"], method="dyadic", consistency=False),
    discreet.Table(["age", "sex", "pay"], method="geometric"),
    discreet.Table(["age", "sex", "pay"], method="threshold", tau=30),
]


def made(task: Task, noise: Noise | None = None, epsilon: Any = 1) -> Release:
    return discreet.from_counts(SCHEMA, CODES, COUNTS).publish(task, epsilon, noise=noise)


def true_quantile(share: float, counts: np.ndarray[Any, Any]) -> int:
    running = np.cumsum(counts)
    return 10 + int(np.argmax(running >= share * running[-1]))


@pytest.mark.parametrize("task", TASKS[:3], ids=lambda task: task.method)
@pytest.mark.parametrize("share", [0, 0.1, 0.5, 0.77, 1])
def test_without_noise_quantiles_and_prefixes_are_exact(task: Task, share: float) -> None:
    release = made(task, ZeroNoise())
    assert release.quantile("age", share).value == true_quantile(share, TABLE.sum(axis=(1, 2)))
    assert release.quantile("age", share, {"sex": "f"}).value == true_quantile(share, TABLE[:, 0].sum(axis=1))
    frame = release.prefix("age", "sex = 'm'")
    assert frame["age"] == list(range(10, 50))
    assert np.allclose(frame["count"], np.cumsum(TABLE[:, 1].sum(axis=1)))


@pytest.mark.parametrize("share", [0.1, 0.2, 0.3, 0.6, 0.7, 0.9])
def test_a_share_that_so_many_records_are_to_the_last_one_is_met_there(share: float) -> None:
    schema = discreet.Schema(age=discreet.Ordinal(0, 29))
    ages = np.arange(30)[:, None]
    data = discreet.from_counts(schema, ages, np.ones(30, np.int64))
    release = data.publish(discreet.Table("age", method="geometric"), 1, noise=ZeroNoise())
    assert release.quantile("age", share).value == round(30 * share) - 1


@pytest.mark.parametrize("task", TASKS, ids=lambda task: task.method)
def test_intervals_hold_the_true_quantile(task: Task) -> None:
    truth = true_quantile(0.5, TABLE[:, 0].sum(axis=1))
    found = [made(task, epsilon="0.2").quantile("age", 0.5, {"sex": "f"}, level=0.8) for _ in range(400)]
    assert at_least(sum(q.low <= truth <= q.high for q in found), 400, 0.8)
    assert all(q.low <= q.value <= q.high for q in found)
    assert any(q.low < q.high for q in found)


@pytest.mark.usefixtures("seeded")  # widths of few draws are compared by their means
def test_more_noise_leaves_more_codes_open() -> None:
    def width(epsilon: str) -> float:
        drawn = [made(TASKS[0], epsilon=epsilon).quantile("age", 0.5) for _ in range(20)]
        return float(np.mean([q.high - q.low for q in drawn]))

    assert width("0.05") > 2 * width("1")


def test_a_table_in_whole_numbers_has_none_below_zero() -> None:
    release = made(TASKS[0], epsilon="0.05")
    plain, whole = release.table("age"), release.table("age", whole=True)
    assert whole["count"].dtype == np.int64
    assert whole["count"].min() >= 0
    assert whole["count"].sum() == release.count(whole=True).value
    assert np.all(np.diff(release.prefix("age", whole=True)["count"]) >= 0)
    assert np.array_equal(whole["low"], plain["low"])


def test_bins_are_answered_by_their_labels_and_other_values_stay_out() -> None:
    release = made(TASKS[0], ZeroNoise())
    assert release.quantile("pay", 1).value == "[1.5, 2]"
    assert release.prefix("pay")["pay"] == ["[0, 0.5)", "[0.5, 1)", "[1, 1.5)", "[1.5, 2]"]
    assert "95 %" in str(release.quantile("pay", 0.5))
    assert release.quantile("pay", 0.5).to_dict()["value"] == release.quantile("pay", 0.5).value


def test_what_cannot_be_asked_is_refused_with_advice() -> None:
    release = made(TASKS[0], ZeroNoise())
    with pytest.raises(CannotAnswer, match="no order"):
        release.quantile("sex", 0.5)
    with pytest.raises(BadParameter, match=r"between 0 and 1"):
        release.quantile("age", 1.5)
    with pytest.raises(UnknownAttribute, match="age"):
        release.quantile("agee", 0.5)
    wide = discreet.Schema(x=discreet.Ordinal(0, 2**21))
    sparse = discreet.from_counts(wide, [[5]], [3]).publish(discreet.Table("x", method="filter", theta=50), 1)
    with pytest.raises(CannotAnswer, match="ask for quantiles"):
        sparse.prefix("x")


@pytest.mark.parametrize("share", [0.01, 0.5, 0.99])
def test_quantiles_of_very_many_values(share: float) -> None:
    """Found by search; without noise they are those of the records."""
    wide = discreet.Schema(x=discreet.Ordinal(0, 2**30 - 1))
    values = np.unique(np.random.default_rng(1).integers(10**8, 10**9, 500))
    data = discreet.from_counts(wide, values[:, None], np.full(values.size, 10**6))
    exact = data.publish(discreet.Ranges("x", method="dyadic-filter", theta=1000), 1, noise=ZeroNoise()).quantile(
        "x", share
    )
    assert exact.value == values[np.argmax(np.arange(1, values.size + 1) >= share * values.size)]
    noisy = data.publish(discreet.Ranges("x", method="adaptive"), 1).quantile("x", share, level=1 - 1e-12)
    assert noisy.low <= exact.value <= noisy.high
    assert noisy.high - noisy.low < 10**8


@pytest.mark.parametrize("method", ["geometric", "adaptive"])
def test_nothing_is_known_of_nobody(method: str) -> None:
    schema = discreet.Schema(age=discreet.Ordinal(0, 15))
    data = discreet.from_counts(schema, np.arange(16)[:, None], np.full(16, 50))
    release = data.publish(discreet.Table("age", method=method), 1)
    found, mean = release.quantile("age", 0.5, "age > 3 and age < 3"), release.mean("age", "age > 3 and age < 3")
    assert (found.low, found.high) == (0, 15)
    assert (mean.low, mean.high) == (0, 15)
    assert "nobody" in mean.note


def test_a_notebook_shows_a_quantile_as_text() -> None:
    schema = discreet.Schema(pay=discreet.Ordinal(edges=[0, 10, 20]))
    data = discreet.from_counts(schema, [[0], [1]], [5, 1])
    found = data.publish(discreet.Table("pay", method="geometric"), 1, noise=ZeroNoise()).quantile("pay", 0.5)
    assert found._repr_html_() == str(found)
    assert Quantile("<1", "<1", "9", 0.95)._repr_html_() == "&lt;1 (95 %: &lt;1 to 9)"
