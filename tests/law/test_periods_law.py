"""Releases of periods lose together what the ledger says, read off their draws: in one period, or in two."""

from __future__ import annotations

from fractions import Fraction

import pyarrow as pa
import pytest

import discreet
from discreet.audit.losses import losses
from discreet.audit.recorder import TapedNoise
from discreet.private.publish import Data

CROWD = [(f"2026-{9 + number % 3:02}-{1 + number % 28:02}", "fm"[number % 2]) for number in range(40)]
PERIODS = {"2026-09": "0.25", "2026-10": "0.5", "2026-11": "0.75", "2026-12": "0.75"}
TASKS = [
    discreet.Table(["sex"], method="geometric"),
    discreet.Table(["day", "sex"], method="geometric"),
    discreet.Marginals([["day"], ["sex"]], method="equal"),
]


def opened(rows: list[tuple[str, str]], neighbours: str) -> Data:
    schema = discreet.Schema(day=discreet.Ordinal("2026-01-01", "2026-12-31"), sex=discreet.Nominal(["f", "m"]))
    table = pa.table({"day": [day for day, _ in rows], "sex": [sex for _, sex in rows]})
    unit = discreet.Unit(neighbours=neighbours)
    return discreet.open(table, schema, unit=unit, periods=discreet.Periods("day", "month"), threads=1)


def lost(
    task: discreet.Table, one: list[tuple[str, str]], other: list[tuple[str, str]], neighbours: str
) -> dict[str, Fraction]:
    """What the releases of each period lose between these two tables, and what the ledger says, as "spent"."""
    data, rival = opened(one, neighbours), opened(other, neighbours)
    found = {}
    for period, epsilon in PERIODS.items():
        noise = TapedNoise(0)
        data.during(period).publish(task, epsilon, name="a", noise=noise)
        again = TapedNoise(0, noise.tape)
        rival.during(period).publish(task, epsilon, name="a", noise=again)
        assert again.problem is None
        found[period] = sum((loss.epsilon for loss in losses(noise.tape, again.tape)), Fraction(0))
    return {**found, "spent": data.ledger.spent}


@pytest.mark.parametrize("task", TASKS, ids=repr)
def test_a_row_more_costs_its_own_period_only(task: discreet.Table) -> None:
    for period, epsilon in PERIODS.items():
        found = lost(task, CROWD, [*CROWD, (f"{period}-05", "f")], "add-remove")
        assert found == {**dict.fromkeys(PERIODS, 0), period: Fraction(epsilon), "spent": Fraction("0.75")}
    nowhere = lost(task, CROWD, [*CROWD, ("one day", "f")], "add-remove")
    assert set(list(nowhere.values())[:-1]) == {0}


@pytest.mark.parametrize("task", TASKS, ids=repr)
def test_a_row_that_moves_costs_no_more_than_two_periods(task: discreet.Table) -> None:
    moved = lost(task, [*CROWD, ("2026-11-05", "f")], [*CROWD, ("2026-12-05", "m")], "replace")
    both = moved["2026-11"] + moved["2026-12"]
    assert 0 < both <= moved["spent"] == Fraction("1.5")
    assert moved["2026-09"] == moved["2026-10"] == 0
    within = lost(task, [*CROWD, ("2026-11-05", "f")], [*CROWD, ("2026-11-06", "m")], "replace")
    assert within["2026-11"] == Fraction("0.75")
