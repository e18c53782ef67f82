"""Releases of counts on nested levels: answers against dense algebra, intervals against exact laws, forged facts."""

from __future__ import annotations

import math
import shutil
from collections.abc import Callable
from fractions import Fraction
from pathlib import Path
from statistics import NormalDist
from typing import Any

import duckdb
import numpy as np
import pytest

import discreet
from discreet.errors import TamperedRelease
from discreet.numbers.laws import DiscreteLaplace
from discreet.private.open_data import from_counts
from discreet.queries import Questions
from discreet.release import load
from discreet.summaries.weighted_levels import WeightedLevels
from discreet.transforms.level_fit import LevelFit
from tests.unit.release.test_release_tampering import reseal
from tests.unit.transforms.test_level_fit import CASES, Dense, random_boxes

SCHEMA = discreet.Schema(
    age=discreet.Ordinal(0, 6), place=discreet.Nominal(hierarchy={"north": ["a", "b"], "south": ["c"]})
)
CODES = np.array(list(np.ndindex(*SCHEMA.sizes)))
LEVELS = [{"place": 0}, {"age": 4, "place": 1}, "cells"]


def saved(place: Path, write: str) -> Path:
    task = discreet.Ranges(list(SCHEMA), method="weighted", levels=LEVELS, write=write)
    from_counts(SCHEMA, CODES, np.arange(len(CODES))).publish(task, "0.5", to=place)
    return place


def summary_of(dense: Dense, values: Any, scales: list[Fraction]) -> WeightedLevels:
    return WeightedLevels(dense.levels, np.split(values, np.cumsum(dense.levels.lengths)[:-1]), scales)


@pytest.mark.parametrize("name", CASES)
def test_answers_are_sums_of_fitted_cells(name: str) -> None:
    dense = Dense(name)
    scales = [Fraction(7), Fraction(3, 2), Fraction(4), Fraction(1, 2)][-len(dense.laws) :]
    values = np.random.default_rng(4).integers(-30, 90, len(dense.map))
    questions = random_boxes(dense.schema, 60)
    summary = summary_of(dense, values, scales)
    for kind in (summary, summary.as_cells()):
        found = kind.answer(questions, 0.95)
        np.testing.assert_allclose(found.value, values @ dense.weights(questions), atol=1e-8)
        np.testing.assert_allclose(found.stderr**2, (dense.weights(questions) ** 2).T @ dense.variances, rtol=1e-9)


@pytest.mark.parametrize("level", [0.5, 0.8, 0.95, 0.99, 0.999])
@pytest.mark.parametrize("name", CASES)
def test_intervals_hold_as_often_as_they_say_by_the_exact_law(name: str, level: float) -> None:
    """With scales at which steps do not show, noise is a weighted sum of Laplace variables: its law by inversion."""
    dense = Dense(name)
    scales = [Fraction(2000), Fraction(500), Fraction(900), Fraction(300)][-len(dense.laws) :]
    dense.laws = [DiscreteLaplace.of(scale) for scale in scales]
    dense.variances = np.concatenate(
        [np.full(length, law.variance) for law, length in zip(dense.laws, dense.levels.lengths, strict=True)]
    )
    dense.covariance = np.linalg.inv(dense.map.T @ (dense.map / dense.variances[:, None]))
    questions = random_boxes(dense.schema, 40)
    found = summary_of(dense, np.zeros(len(dense.map), np.int64), scales).answer(questions, level)
    parts = dense.weights(questions).T ** 2 * dense.variances / found.stderr[:, None] ** 2
    angles = np.arange(1, 1 << 13) * (np.pi / 64)
    for shares, half in zip(parts, (found.high - found.low) / 2 / found.stderr, strict=True):
        heights = np.exp(-np.log1p(shares[:, None] * angles**2 / 2).sum(axis=0))
        within = (half + 2 * (np.sin(half * angles) / angles * heights).sum()) / 64
        assert within >= level - 1e-6
        assert half <= 1.005 * max(NormalDist().inv_cdf(0.5 + level / 2), -math.log(1 - level) / math.sqrt(2))


def test_every_part_of_the_fit_matters_to_the_law() -> None:
    """The comparison above can fail: weights as if levels had equal noise are not those of least squares."""
    dense = Dense("padded")
    even = LevelFit(dense.levels, [dense.laws[0]] * len(dense.laws))
    questions = random_boxes(dense.schema, 60)
    with pytest.raises(AssertionError):
        np.testing.assert_allclose(even.moments(questions)[0], dense.fit.moments(questions)[0], rtol=0.05)


def test_cells_can_be_read_by_their_labels(tmp_path: Path) -> None:
    place = saved(tmp_path / "r", "cells")
    query = "select sum(count) from read_parquet(?) where place in ('a', 'b') and age <= 3"
    found = duckdb.execute(query, [str(place / "table.parquet")]).fetchall()
    measured = load(place).count("place = 'north' and age <= 3", measured=True)
    assert found == [(pytest.approx(measured.value),)]


def test_measured_counts_are_whole_numbers_level_by_level(tmp_path: Path) -> None:
    place = saved(tmp_path / "r", "coefficients")
    found = duckdb.execute("select * from read_parquet(?)", [str(place / "table.parquet")]).fetchall()
    assert len(found) == 2 + 2 * 3 + 8 * 3
    summary = load(place).summary
    assert isinstance(summary, WeightedLevels)
    assert [row[0] for row in found] == [count for table in summary.measured for count in table.reshape(-1).tolist()]


@pytest.mark.parametrize(
    "change",
    [
        lambda facts: facts.update(levels=facts["levels"][:-1]),
        lambda facts: facts.update(levels=facts["levels"][1:]),
        lambda facts: facts.update(levels="cells"),
        lambda facts: facts.update(levels=[]),
        lambda facts: facts["levels"][1].update(age=3),
        lambda facts: facts["levels"][1].update(age=2**70),
        lambda facts: facts["levels"][1].update(place="side"),
        lambda facts: facts["levels"][1].update(place=9),
        lambda facts: facts.update(scales=facts["scales"][:-1]),
        lambda facts: facts["scales"].__setitem__(0, "0"),
        lambda facts: facts["scales"].__setitem__(0, "1e60"),
        lambda facts: facts.pop("scales"),
    ],
)
@pytest.mark.parametrize("write", ["coefficients", "cells"])
def test_facts_that_do_not_fit_are_refused(write: str, change: Callable[[Any], Any], tmp_path: Path) -> None:
    place = Path(shutil.copytree(saved(tmp_path / "r", write), tmp_path / "copy"))
    try:
        reseal(place, lambda manifest: change(manifest["summary"]))
        release = load(place)
    except TamperedRelease:
        return
    assert write == "cells", "measured counts fit no other levels"
    questions = Questions(np.zeros((1, 2), np.int64), np.array([[6, 2]]), 1, np.arange(1))
    assert np.isfinite(release.summary.answer(questions, 0.95).stderr).all()
