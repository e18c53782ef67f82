"""A release that was given known totals: what it says, whole numbers, saving, and what cannot have them."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

import discreet
from discreet.errors import BadParameter, TamperedRelease
from discreet.release import Release
from discreet.tasks import Task
from tests.unit.release.test_release_tampering import reseal

SCHEMA = discreet.Schema(county=discreet.Nominal(["Kent", "Essex", "Surrey"]), age=discreet.Ordinal(0, 5))
TABLE = np.array([[90, 5, 0, 3, 40, 2], [7, 7, 7, 7, 7, 7], [0, 0, 1, 0, 300, 0]])
CODES = np.indices(SCHEMA.sizes).reshape(2, -1).T
KENT, EVERY = int(TABLE[0].sum()), int(TABLE.sum())
KNOWN = [{"where": "county = 'Kent'", "count": KENT}, {"count": EVERY}]
TASKS: list[Task] = [
    discreet.Table(["county", "age"], known=KNOWN),
    discreet.Ranges(["county", "age"], method="adaptive", known=KNOWN),
    discreet.Marginals(["county", "age"], ways=2, known=KNOWN),
]


def published(task: Task, **options: Any) -> Release:
    return discreet.from_counts(SCHEMA, CODES, TABLE.reshape(-1)).publish(task, "0.1", **options)


def test_a_known_count_is_said_to_be_known() -> None:
    found = published(TASKS[0]).count({"county": "Kent"})
    assert (found.value, found.low, found.high, found.stderr, found.ends) == (KENT, KENT, KENT, 0, "known")
    assert str(found).startswith(f"{KENT} (publicly known); the count was given to this release as a public total")
    assert found.to_dict()["ends"] == "known"
    assert found.to_dict()["value"] == KENT


def test_every_other_answer_and_the_description_say_that_totals_are_known() -> None:
    release = published(TASKS[0])
    said = "made to agree with 2 publicly known totals"
    assert said in release.count({"age": 3}).note
    assert release.describe()["known totals"] == said
    assert release.manifest["task"]["known"] == KNOWN
    assert "known" not in published(discreet.Table(["county", "age"])).describe()


def test_tables_mark_what_is_known() -> None:
    found = published(TASKS[0]).table("county")
    assert found["ends"].tolist() == ["known", "interval", "interval"]
    assert "where `ends` is known" in found.notes[0]
    assert found["count"][0] == KENT


@pytest.mark.parametrize("task", TASKS, ids=str)
def test_whole_numbers_add_up_to_known_totals(task: Task) -> None:
    release = published(task)
    both = release.table(["county", "age"], whole=True)["count"].reshape(TABLE.shape)
    assert both.min() >= 0
    assert both[0].sum() == KENT
    assert both.sum() == release.table("age", whole=True)["count"].sum() == EVERY
    assert release.prefix("age", whole=True)["count"][-1] == EVERY
    apart = release.table("age", {"county": "Essex"}, whole=True)["count"]
    assert apart.sum() == release.count({"county": "Essex"}, whole=True).value


def test_plain_measurements_know_nothing_of_it() -> None:
    release = published(TASKS[0])
    found = release.count({"county": "Kent"}, measured=True)
    assert found.ends == "interval"
    assert found.stderr > 0
    assert found.value == release.to_pandas().query("county == 'Kent'")["count"].sum()
    assert found.value == release.count({"county": "Kent"}).measured


def test_quantiles_and_rows_use_known_totals() -> None:
    release = published(TASKS[0])
    assert len(release.rows(seed=1)) == EVERY
    assert release.quantile("age", 0.5).value in range(6)


@pytest.mark.parametrize("task", TASKS, ids=str)
def test_a_saved_release_answers_the_same(task: Task, tmp_path: Path) -> None:
    release = published(task, reliable=0.2)
    release.save(tmp_path / "out")
    again = discreet.load(tmp_path / "out")
    for where in (None, {"county": "Kent"}, {"county": "Kent", "age": 3}, {"age": (1, 4)}):
        assert again.count(where) == release.count(where)
    assert again.table("county")["flag"] == release.table("county")["flag"]


@pytest.mark.parametrize("known", [[], [{"count": -4}], [{"where": "sex = 'f'", "count": 4}], "somewhere.csv", 3])
def test_totals_that_cannot_be_are_not_read(known: Any, tmp_path: Path) -> None:
    published(TASKS[0]).save(tmp_path / "out")
    reseal(tmp_path / "out", lambda manifest: manifest["task"].update(known=known))
    with pytest.raises(TamperedRelease):
        discreet.load(tmp_path / "out")


@pytest.mark.parametrize("task", [TASKS[0]], ids=str)
def test_thresholds_that_cannot_be_are_not_read(task: Task, tmp_path: Path) -> None:
    published(task, reliable=0.2).save(tmp_path / "out")
    reseal(tmp_path / "out", lambda manifest: manifest.update(reliable={"bad": -1}))
    with pytest.raises(TamperedRelease, match="thresholds"):
        discreet.load(tmp_path / "out")


@pytest.mark.parametrize(
    ("task", "why"),
    [
        (discreet.Items("county", known=[{"count": 3}]), "items cannot be made to agree"),
        (discreet.Marginals(queries=["age = 1"], known=[{"count": 3}]), "list of queries cannot be made to agree"),
    ],
)
def test_what_cannot_use_known_totals_refuses_them_before_the_charge(task: Task, why: str) -> None:
    data = discreet.from_counts(SCHEMA, CODES, TABLE.reshape(-1))
    with pytest.raises(BadParameter, match=why):
        data.publish(task, 1)
    assert data.ledger.spent == 0


def test_an_attribute_may_not_be_called_like_a_column_of_such_answers() -> None:
    schema = discreet.Schema(ends=discreet.Ordinal(0, 3), flag=discreet.Ordinal(0, 3))
    data = discreet.from_counts(schema, [[0, 0]], [5])
    with pytest.raises(BadParameter, match="ends"):
        data.publish(discreet.Table("ends", known=[{"count": 5}]), 1)
    with pytest.raises(BadParameter, match="flag"):
        data.publish(discreet.Table("flag"), 1, reliable=0.3)
    assert data.ledger.spent == 0


def test_totals_may_come_from_a_frame() -> None:
    frame = pd.DataFrame({"county": ["Kent", None], "count": [KENT, EVERY]})
    release = published(discreet.Table(["county", "age"], known=frame))
    assert release.count({"county": "Kent"}).ends == "known"
    assert release.count({"county": ["Essex", "Surrey"]}).value == EVERY - KENT
