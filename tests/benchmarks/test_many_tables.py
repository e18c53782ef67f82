"""The benchmark of all pairs of attributes, on few made-up people. No limit is checked here."""

from __future__ import annotations

import numpy as np
import pytest

from benchmarks.accuracy import many_tables, people
from benchmarks.accuracy.people import People
from benchmarks.accuracy.table_errors import METRICS, errors
from benchmarks.measure import Report


def test_all_pairs_are_compared_with_everything_else(monkeypatch: pytest.MonkeyPatch) -> None:
    """On few made-up people; without limits, which a quick run does not have."""
    few = People("few people", "A", people.made_up().codes[:2000, :4], people.MADE_UP_SIZES[:4])
    monkeypatch.setattr(many_tables, "peoples", lambda: iter([few]))
    monkeypatch.setattr(many_tables, "EPSILONS", ("1",))
    report = Report("few", quick=True)
    many_tables.run(report)
    said = {row.what: row.measured for row in report.rows}
    assert all(row.limit is None for row in report.rows)
    best = [said[f"all pairs, agreed, {metric}: error / best of all, geometric mean"] for metric in METRICS]
    assert all(isinstance(ratio, float) and ratio >= 1 for ratio in best)
    assert "few people, epsilon 1, agreed: errors (over the best of all)" in said


def test_errors_of_tables_are_what_they_are_called() -> None:
    true = [np.array([[60.0, 40.0], [0.0, 0.0]]), np.array([[100.0, 0.0]])]
    found = [np.array([[50.0, 40.0], [0.0, 10.0]]), np.array([[100.0, 0.0]])]
    singles, seen = [np.array([100.0, 0.0])], [np.array([90.0, 10.0])]
    got = dict(zip(METRICS, errors(true, found, singles, seen), strict=True))
    assert got["total variation"] == pytest.approx(0.05)
    assert got["worst table"] == pytest.approx(0.1)
    assert got["relative error"] == pytest.approx((10 / 60 + 10 / 0.01) / 4 / 2)
    assert got["small tables"] == pytest.approx(0.0)
    assert got["heavy cells"] == pytest.approx(10 / 3 / 100)
    assert got["one-way tables"] == pytest.approx(0.1)


def test_made_up_people_are_the_same_in_every_run() -> None:
    one, other = people.made_up(), people.made_up()
    assert np.array_equal(one.codes, other.codes)
    assert one.codes.max(axis=0).tolist() <= [size - 1 for size in one.sizes]
    assert one.table((0, 5), times=3).counts.sum() == 3 * people.MADE_UP_ROWS
