"""The benchmark of `auto`: scores, the best method, and settings that need no real data."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

import benchmarks.regret as regret_of_tasks
from benchmarks.accuracy.shapes import Floats
from benchmarks.measure import Report
from benchmarks.regret import asked_people, asked_tables, scores
from benchmarks.regret.counted import Counted
from benchmarks.regret.scores import Setting, regret, score
from discreet.mechanisms import Mechanism
from discreet.private.counts import Counts
from discreet.schema import Nominal, Ordinal, Schema
from discreet.tasks import Ranges, Table


@pytest.fixture(autouse=True)
def no_real_data(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("DISCREET_DATA", str(tmp_path))


def sparse() -> Counted:
    """A few cells of very many: noise on each would be far worse than blocks."""
    schema = Schema(x=Ordinal(0, 4095))
    return Counted("few cells", "A", Table, schema, Counts.from_arrays((4096,), [[5], [6]], [600, 400]))


def test_a_score_is_the_geometric_mean_over_families_of_classes() -> None:
    found = {"cells": np.array([2.0, 4.0]), "roll-ups: a": np.array([1.0]), "roll-ups: b": np.array([9.0])}
    assert score(found) == pytest.approx(3.0)


@pytest.mark.usefixtures("seeded")
def test_auto_is_compared_with_the_best_method_of_the_task(monkeypatch: pytest.MonkeyPatch) -> None:
    setting = asked_tables.setting(sparse(), "1", guessed=False)
    assert regret(setting, quick=True).picked == "adaptive"
    monkeypatch.setattr("discreet.mechanisms.AUTO", {"table": (("geometric", float("inf")),)})
    found = regret(setting, quick=True)
    assert (found.picked, found.best) == ("geometric", "adaptive")
    assert found.value > 1.5
    assert found.classes["total"] > 1


def test_questions_of_tables_have_the_counts_as_true_answers() -> None:
    schema = Schema(x=Ordinal(0, 4), y=Nominal(hierarchy={"a": ["b", "c"], "d": ["e"]}))
    codes = np.array([[0, 0], [4, 2], [2, 1]])
    one = Counted("three", "B", Table, schema, Counts.from_arrays(schema.sizes, codes, [3, 5, 7]))
    setting = asked_tables.setting(one, "1", guessed=True)
    assert setting.task.parameters["guess"] == {"rows": 20}
    assert set(setting.errors(np.zeros(setting.asked.count))) == {
        *("any cell", "cells of records", "subsets", "total"),
        *("roll-ups: by x", "roll-ups: by y", "roll-ups: by y, level 1"),
    }
    assert setting.errors(np.zeros(setting.asked.count))["total"] == 15
    ranges = asked_tables.setting(Counted("three", "B", Ranges, schema, one.counts), "0.1", guessed=False)
    assert ranges.errors(np.full(ranges.asked.count, 15.0))["total"] == 1.0  # next to nothing: a tenth of the noise


def test_a_list_of_items_is_off_by_what_it_misses() -> None:
    setting = next(asked_people.items("1", quick=True))
    assert setting.errors(np.zeros(setting.asked.count))["L1"] == 1


@pytest.mark.usefixtures("seeded")
def test_every_task_is_judged_in_halves(monkeypatch: pytest.MonkeyPatch) -> None:
    def some(task: str, quick: bool) -> Iterator[Setting]:
        yield asked_tables.setting(sparse(), "1", guessed=False)

    monkeypatch.setattr(regret_of_tasks, "settings", some)
    report = Report("regret", quick=True)
    regret_of_tasks.judged(report, "table")
    said = [row.what for row in report.rows]
    assert said[0].startswith("few cells")
    assert "table, half A: geometric mean of 1 settings" in said
    assert any(what.startswith("table: worst") for what in said)


@pytest.mark.usefixtures("seeded")
def test_a_large_ratio_is_judged_again_by_more_trials(monkeypatch: pytest.MonkeyPatch) -> None:
    seen: list[int] = []
    real = scores._trials

    def counted_trials(setting: Setting, mechanism: Mechanism, wanted: tuple[int, float, int]) -> dict[str, Floats]:
        found = real(setting, mechanism, wanted)
        seen.append(len(found["total"]))
        return found

    setting = asked_tables.setting(sparse(), "1", guessed=False)
    monkeypatch.setattr("discreet.mechanisms.AUTO", {"table": (("geometric", float("inf")),)})
    monkeypatch.setattr(scores, "_trials", counted_trials)
    monkeypatch.setattr(scores, "SEARCH", (2, 0.0, 2))
    monkeypatch.setattr(scores, "JUDGE", (3, 0.0, 3))
    monkeypatch.setattr(scores, "AGAIN", (5, 0.0, 5))
    monkeypatch.setattr(scores, "DOUBTFUL", 0.9)
    regret(setting)
    assert seen[-4:] == [3, 3, 5, 5]
    monkeypatch.setattr(scores, "DOUBTFUL", 1e9)
    regret(setting)
    assert seen[-2:] == [3, 3]
