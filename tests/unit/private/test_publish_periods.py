"""Releases of one period: only its rows count, it is charged to that period, and says which promise holds."""

from __future__ import annotations

from datetime import date, datetime
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest

import discreet
from discreet.audit import published
from discreet.errors import BadParameter, BudgetExceeded, DiscreetError, LedgerError, SourceError
from discreet.ledger.acts import add_dataset
from discreet.noise import ZeroNoise
from discreet.private.open_data import from_counts
from discreet.private.publish import Data

DAYS = ["2026-09-30", "2026-10-01", "2026-10-01", "2026-10-31", "2026-11-01", None, "soon", "", "2026-10-31 23:59:59"]
TABLE = discreet.Table(["sex"], method="geometric")
BY_DAY = discreet.Table(["day", "sex"], method="geometric")


def opened(days: Any, *, here: Path | None = None, unit: Any = None, reading: Any = None, **options: Any) -> Data:
    schema = discreet.Schema(
        day=discreet.Ordinal("2026-01-01", "2026-12-31", **({} if reading is None else {"reading": reading})),
        sex=discreet.Nominal(["f", "m"]),
    )
    rows = len(days)
    frame = {"day": days, "sex": ["f"] * rows, "who": [f"u{row % 3}" for row in range(rows)]}
    given = {"periods": discreet.Periods("day", "month"), "budget": 1, **options}
    ledger = None if here is None else here / "l.ledger"
    return discreet.open(
        pa.table(frame) if isinstance(days, list) else frame, schema, unit=unit, ledger=ledger, **given
    )


def exactly(data: Data, period: str, task: discreet.Table = TABLE) -> int:
    return int(data.during(period).publish(task, "0.01", noise=ZeroNoise()).count().value)


def test_only_rows_of_the_period_are_counted() -> None:
    data = opened(DAYS)
    assert [exactly(data, f"2026-{month:02}") for month in (8, 9, 10, 11)] == [0, 1, 4, 1]
    assert [exactly(data, f"2026-{month:02}", BY_DAY) for month in (8, 9, 10, 11)] == [0, 1, 4, 1]


def test_dates_are_read_as_the_attribute_reads_them() -> None:
    american = discreet.Reading(format="%m/%d/%Y")
    data = opened(["10/1/2026", "1/10/2026", "10/31/2026", "2026-10-05"], reading=american)
    assert [exactly(data, f"2026-{month:02}") for month in (1, 10)] == [1, 2]
    moments = [datetime(2026, 10, 31, 23, 59), datetime(2026, 11, 1), None]
    typed = [moments, [date(2026, 10, 31), date(2026, 11, 1), None]]
    for column in typed:
        assert [exactly(opened(column), f"2026-{month}") for month in (10, 11)] == [1, 1]
    assert exactly(opened([20261031, 5, 7]), "2026-10") == 0, "numbers are no dates without a format"
    elsewhere = pa.table({"sex": ["f"], "When": ["2026-10-03"]})
    schema = discreet.Schema(
        day=discreet.Ordinal("2026-01-01", "2026-12-31", reading=discreet.Reading("When")), sex=discreet.Nominal(["f"])
    )
    data = discreet.open(elsewhere, schema, periods=discreet.Periods("day", "year"))
    assert exactly(data, "2026") == 1


def test_rows_beyond_the_ends_of_the_domain_are_in_their_own_period() -> None:
    schema = discreet.Schema(day=discreet.Ordinal("2026-10-10", "2026-12-31"), sex=discreet.Nominal(["f"]))
    rows = pa.table({"day": ["2026-10-01", "2025-10-15", "2026-10-11", "2026-11-01"], "sex": ["f"] * 4})
    data = discreet.open(rows, schema, periods=discreet.Periods("day", "month"))
    release = data.during("2026-10").publish(BY_DAY, "0.1", noise=ZeroNoise())
    assert release.count().value == 2, "no row of another year is moved to the first day"
    assert release.count({"day": "2026-10-10"}).value == 1


def test_the_release_is_about_the_days_of_the_period_alone() -> None:
    release = opened(DAYS).during("2026-10").publish(BY_DAY, "0.5", name="days")
    assert release.schema["day"].labels == tuple(date(2026, 10, day) for day in range(1, 32))
    assert release.manifest["id"] == "days@2026-10"
    assert release.manifest["period"] == {
        "period": "2026-10",
        "first": "2026-10-01",
        "last": "2026-10-31",
        "attribute": "day",
        "partition": "month of day",
        "adds_up": False,
    }
    assert "only rows of 2026-10 are counted" in release.describe()["leaves out"]


@pytest.mark.parametrize("task", [discreet.Ranges("day"), discreet.Marginals(ways=2), discreet.Items("sex"), TABLE])
def test_a_period_of_one_bin_can_be_published(task: Any) -> None:
    rows = pa.table({"day": ["2026-10-01"] * 50, "sex": ["f"] * 50})
    schema = discreet.Schema(
        day=discreet.Ordinal("2026-01-01", "2026-12-31", "month"), sex=discreet.Nominal(["f", "m"])
    )
    data = discreet.open(rows, schema, periods=discreet.Periods("day", "month"))
    assert abs(data.during("2026-10").publish(task, 10).count().value - 50) < 40


def test_a_release_is_charged_to_its_own_period(tmp_path: Path) -> None:
    data = opened(DAYS, here=tmp_path)
    for period in ("2026-10", "2026-11"):
        data.during(period).publish(TABLE, "0.7", name="by-sex", to=tmp_path / period)
    entries = [entry for entry in data.ledger.entries() if entry.kind == "charge"]
    assert [(one.id, one.scope.period, one.scope.neighbours) for one in entries] == [
        (f"by-sex@{period}", period, "add-remove") for period in ("2026-10", "2026-11")
    ]
    assert data.ledger.spent == Fraction("0.7")
    with pytest.raises(BudgetExceeded, match="for the rows of 2026-10"):
        data.during("2026-10").publish(TABLE, "0.4", name="again")
    data.publish(TABLE, "0.3", name="all")
    assert data.ledger.left == 0
    for period in ("2026-10", "2026-11"):
        assert published(tmp_path / period, tmp_path / "l.ledger").verdict == "HOLDS"


def test_periods_of_users_add_up(tmp_path: Path) -> None:
    data = opened(DAYS, here=tmp_path, unit=discreet.Unit("who", max_rows=1))
    release = data.during("2026-10").publish(TABLE, "0.6", name="by-sex", to=tmp_path / "a")
    assert release.manifest["period"]["adds_up"] is True
    with pytest.raises(BudgetExceeded, match=r"spent 0\.6, asked 0\.6"):
        data.during("2026-11").publish(TABLE, "0.6", name="by-sex")
    assert published(tmp_path / "a", tmp_path / "l.ledger").verdict == "HOLDS"
    free = opened(DAYS, unit=discreet.Unit("who", max_rows=1))
    assert exactly(free, "2026-10") == 3, "users are bounded within the period"


def test_replaced_rows_have_half_of_the_budget_in_each_period() -> None:
    data = opened(DAYS, unit=discreet.Unit(neighbours="replace"))
    for period in ("2026-10", "2026-11"):
        data.during(period).publish(TABLE, "0.5")
    with pytest.raises(BudgetExceeded, match="half of it for each period"):
        data.during("2026-12").publish(TABLE, "0.6")
    assert data.ledger.spent == 1


def test_the_period_is_part_of_the_request(tmp_path: Path) -> None:
    data = opened(DAYS, here=tmp_path)
    first = data.during("2026-10").publish(TABLE, "0.1", name="a", to=tmp_path / "a")
    requests = {
        one.publish(TABLE, "0.1", name="b").manifest["request"]
        for one in (data, data.during("2026-10"), data.during("2026-11"))
    }
    assert len(requests) == 3
    assert first.manifest["request"] in requests
    assert data.during("2026-10").publish(TABLE, "0.1", name="a", to=tmp_path / "a").manifest == first.manifest
    with pytest.raises(DiscreetError, match="holds another release"):
        data.during("2026-11").publish(TABLE, "0.1", name="a", to=tmp_path / "a")


def test_a_release_that_was_charged_for_another_period_is_noticed(tmp_path: Path) -> None:
    data = opened(DAYS, here=tmp_path)
    manifest = data.during("2026-10").publish(TABLE, "0.1", name="a").manifest
    assert data.ledger.fault_of(manifest) is None
    forged = {**manifest, "period": {**manifest["period"], "period": "2026-11"}}
    assert data.ledger.fault_of(forged) == "it was charged for 2026-10, and is about other rows"


def test_all_releases_of_a_period(tmp_path: Path) -> None:
    data = opened(DAYS, here=tmp_path).during("2026-10")
    made = data.publish_all({"sexes": (TABLE, "0.5"), "days": (BY_DAY, "0.5")}, to=tmp_path / "out")
    assert sorted(path.name for path in (tmp_path / "out").iterdir()) == ["days@2026-10", "sexes@2026-10"]
    assert {release.manifest["period"]["period"] for release in made.values()} == {"2026-10"}
    free = opened(DAYS, budget=None).during("2026-10")
    exact = free.publish_all({"a": (TABLE, 1), "b": (BY_DAY, 1)}, noise=ZeroNoise())
    assert [release.count().value for release in exact.values()] == [4, 4]


def test_what_has_no_periods_says_so() -> None:
    with pytest.raises(BadParameter, match='periods=Periods\\("day", "month"\\)'):
        opened(DAYS, periods=None).during("2026-10")
    with pytest.raises(BadParameter, match="rows of 2026-10 already"):
        opened(DAYS).during("2026-10").during("2026-10")
    with pytest.raises(BadParameter, match="periods must be such as"):
        opened(DAYS, periods="month")
    schema = discreet.Schema(day=discreet.Ordinal("2026-01-01", "2026-12-31"))
    ready = from_counts(schema, [[0]], [3])
    with pytest.raises(BadParameter, match="ready counts"):
        Data(schema, ready.unit, ready.ledger, ready.origin, discreet.Periods("day", "month")).during("2026-10")
    rows = pd.DataFrame({"sex": ["f"]})
    lacking = discreet.Schema(day=schema["day"], sex=discreet.Nominal(["f"]))
    with pytest.raises(SourceError, match=r"no column 'day'|has none"):
        discreet.open(rows, lacking, periods=discreet.Periods("day", "month")).during("2026-10")


def test_a_data_set_that_was_added_is_part_of_the_request(tmp_path: Path) -> None:
    first = opened(DAYS, here=tmp_path, dataset="visits", periods=None)
    first.publish(TABLE, "0.2", name="a", to=tmp_path / "a")
    with pytest.raises(LedgerError, match="--add-dataset later"):
        opened(DAYS, here=tmp_path, dataset="later", periods=None)
    add_dataset(first.ledger, "later", "the same people")
    second = opened(DAYS, here=tmp_path, dataset="later", periods=None)
    with pytest.raises(DiscreetError, match="holds another release"):
        second.publish(TABLE, "0.2", name="a", to=tmp_path / "a")
    with pytest.raises(LedgerError, match="published before"):
        second.publish(TABLE, "0.2", name="a", to=tmp_path / "b")
    release = second.publish(TABLE, "0.2", name="b", to=tmp_path / "b")
    assert release.manifest["dataset"] == "later"
    assert second.ledger.spent == Fraction("0.4")
    for folder in "ab":
        assert published(tmp_path / folder, tmp_path / "l.ledger").verdict == "HOLDS"
        assert first.ledger.fault_of(discreet.load(tmp_path / folder).manifest) is None


def test_noise_of_a_period_is_fresh() -> None:
    data, wide = opened(DAYS), list[np.ndarray[Any, Any]]()
    for period in ("2026-08", "2026-07"):
        release = data.during(period).publish(BY_DAY, "0.001")
        wide.append(np.array(release.to_arrow().column("count")))
    assert not np.array_equal(wide[0], wide[1])
