"""Boxes with the records that they are likely to hold, for summaries of every shape."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

import discreet
from discreet.noise import SeededSource, ZeroNoise
from discreet.noise.noise import Noise
from discreet.release import Release
from discreet.release.synthetic_boxes import evenly, rows_of_boxes
from discreet.summaries.mass_boxes import MassBoxes, halved
from discreet.tasks import Task

SCHEMA = discreet.Schema(a=discreet.Ordinal(0, 12), b=discreet.Nominal(["x", "y", "z"]), c=discreet.Ordinal(3, 3))
COUNTS = ((np.arange(39) * 7919) % 101).reshape(13, 3, 1)


def published(task: Task, epsilon: Any = 40, noise: Noise | None = None) -> Release:
    codes = np.indices(COUNTS.shape).reshape(3, -1).T
    return discreet.from_counts(SCHEMA, codes, COUNTS.reshape(-1)).publish(task, epsilon, noise=noise or ZeroNoise())


def placed(boxes: MassBoxes) -> NDArray[np.float64]:
    """The table, if records lie evenly in every box."""
    table = np.zeros(COUNTS.shape)
    for first, last, mass in zip(boxes.first, boxes.last, boxes.mass, strict=True):
        inside = tuple(slice(low, high + 1) for low, high in zip(first, last, strict=True))
        table[inside] += mass / table[inside].size
    return table


@pytest.mark.parametrize(
    "task",
    [
        discreet.Table(["a", "b", "c"], method="geometric"),
        discreet.Table(["a", "b", "c"], method="filter"),
        discreet.Table(["a", "b", "c"], method="filter", total="0.1"),
        discreet.Table(["a", "b", "c"], method="adaptive"),
        discreet.Ranges(["a", "b", "c"], method="privelet"),
        discreet.Ranges(["a", "b", "c"], method="dyadic"),
        discreet.Ranges(["a", "b", "c"], method="weighted"),
        discreet.Ranges(["a", "b", "c"], method="adaptive"),
    ],
    ids=lambda task: f"{task.name}-{task.method}-{len(task.parameters)}",
)
def test_without_noise_the_rows_are_the_records(task: Task) -> None:
    rows = published(task).rows(int(COUNTS.sum()), seed=1).to_arrow()
    second = np.array(["xyz".index(label) for label in rows["b"].to_pylist()])
    table = np.bincount(3 * rows["a"].to_numpy() + second, minlength=39)
    assert np.abs(table - COUNTS.reshape(-1)).sum() <= 0.02 * COUNTS.sum()


def test_halves_add_up_and_none_is_negative() -> None:
    release = published(discreet.Table(["a", "b", "c"], method="geometric"), "0.05", Noise(SeededSource(5)))
    boxes = halved(release.summary, 500)
    assert (boxes.mass >= 0).all()
    assert boxes.mass.sum() == pytest.approx(release.count(measured=True).value)
    covered = placed(MassBoxes(boxes.first, boxes.last, np.prod(boxes.last - boxes.first + 1.0, axis=1)))
    assert (covered == 1).all()


def test_nothing_is_halved_that_would_have_less_than_a_row() -> None:
    release = published(discreet.Table(["a", "b", "c"], method="geometric"))
    assert len(halved(release.summary, 1).mass) == 2
    assert len(halved(release.summary, 10).mass) < 40


def test_what_absent_cells_hold_is_in_their_groups() -> None:
    """Nearly all cells are below theta; the total says how much they hold."""
    release = published(discreet.Table(["a", "b", "c"], method="filter", theta=95, total="0.1"))
    boxes = release.summary.fitted_boxes(100)  # type: ignore[attr-defined]
    assert boxes.mass.sum() == pytest.approx(COUNTS.sum())
    without = published(discreet.Table(["a", "b", "c"], method="filter", theta=95)).summary
    assert without.fitted_boxes(100).mass.sum() == COUNTS[COUNTS >= 95].sum()  # type: ignore[attr-defined]


def test_cells_that_hold_more_than_their_total_give_way() -> None:
    release = published(discreet.Table(["a", "b", "c"], method="filter", theta=2, total="0.1"))
    summary: Any = release.summary
    object.__setattr__(summary.totals[0], "counts", np.array([100]))
    summary.totals = summary.totals[:1]
    boxes = summary.fitted_boxes(100)
    assert boxes.mass.sum() == pytest.approx(100)
    assert (boxes.mass >= 0).all()


def test_points_fall_evenly() -> None:
    random = np.random.default_rng(1)
    counts = np.bincount(evenly(np.array([0.0, 10.0, 0.0, 30.0, 0.5, 0.0]), 81, random), minlength=6)
    assert counts[[0, 2, 5]].tolist() == [0, 0, 0]
    assert np.abs(counts - np.array([0, 20, 0, 60, 1, 0])).max() <= 1


def test_rows_lie_inside_their_boxes_by_the_spread() -> None:
    first, last = np.array([[10], [2**60]]), np.array([[19], [2**60 + 3]])
    spread = np.array([0, 15, 2**60 + 1, 2**60 + 2, 2**61]), np.array([0.0, 50.0, 60.0, 1060.0, 1070.0])
    random = np.random.default_rng(1)
    rows = rows_of_boxes(MassBoxes(first, last, np.array([1.0, 1.0]), {0: spread}), 2000, random)[:, 0]
    assert ((rows >= 10) & (rows <= 19)).sum() == 1000
    assert (rows[rows < 20] < 15).mean() > 0.99
    assert (rows[rows > 20] == 2**60 + 1).mean() > 0.99
