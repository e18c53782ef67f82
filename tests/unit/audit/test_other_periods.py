"""A release of one period sees nothing of the others; where it does, the audit says so."""

from __future__ import annotations

from typing import Any

import pytest

import discreet
from discreet.audit import audited
from discreet.private.engines.period_source import PeriodSource
from discreet.schema import Periods

SCHEMA = discreet.Schema(
    day=discreet.Ordinal("2026-01-01", "2026-12-31", reading=discreet.Reading("When", format="%d.%m.%Y")),
    sex=discreet.Nominal(["f", "m"]),
)
TASKS = [
    discreet.Table(["sex"], method="geometric"),
    discreet.Table(["sex", "day"], method="geometric"),
    discreet.Items("sex", method="lpa"),
]


@pytest.mark.parametrize("task", TASKS, ids=repr)
@pytest.mark.parametrize("unit", [discreet.Unit(), discreet.Unit("who", max_rows=2)], ids=["row", "user"])
def test_nothing_of_other_periods_is_seen(task: Any, unit: discreet.Unit) -> None:
    found = audited(task, SCHEMA, 1, unit=unit, periods=Periods("day", "month"), period="2026-10")
    assert (found.name, found.of_others, found.verdict) == ("release@2026-10", [], "HOLDS")
    assert "other periods: nothing seen of their rows" in "\n".join(found.lines())
    assert found.to_dict()["other_periods"] == {"problems": []}


def test_rows_of_other_periods_that_count_are_found(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(PeriodSource, "_within", lambda self, part: part)
    found = audited(TASKS[0], SCHEMA, 1, periods=Periods("day", "month"))
    assert found.of_others is not None
    assert [problem.split(":")[0] for problem in found.of_others] == [
        *("a unit of 2025-12-31", "a unit of 2026-02-01", "a unit without a date")
    ]
    assert found.verdict == "BROKEN"
