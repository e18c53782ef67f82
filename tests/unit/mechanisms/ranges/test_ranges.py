"""Releases of `Ranges` by every dense method and option: answers, their errors, tables, and what lies on disk."""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable
from fractions import Fraction
from functools import reduce
from pathlib import Path
from typing import Any

import duckdb
import numpy as np
import pandas as pd
import pyarrow.parquet as pq
import pytest

import discreet
from discreet.errors import DiscreetError, TamperedRelease
from discreet.mechanisms.ranges.privelet import wavelet
from discreet.noise import Noise, SeededSource, ZeroNoise
from discreet.numbers.laws import DiscreteLaplace
from discreet.queries import questions_of
from discreet.queries.binding import Where
from discreet.release import Release
from discreet.release.files import TABLE
from discreet.summaries.shrunk import ShrunkCells
from discreet.transforms import AgreeingTree, Axis, Direct, Tree
from tests.unit.transforms.shapes import factors_of, restoring

SCHEMA = discreet.Schema(
    age=discreet.Ordinal(0, 10),
    sex=discreet.Nominal(["f", "m"]),
    place=discreet.Nominal(
        hierarchy={"north": ["a", "b", "c"], "south": {"east": ["d", "e"], "far": {"farther": ["g"]}}}, outside="other"
    ),
)
BY = list(SCHEMA)
CODES = np.array(list(np.ndindex(*SCHEMA.sizes)))
COUNTS = (np.arange(len(CODES)) * 7919) % 101
AGE, SEX, PLACE = (CODES[:, i] for i in range(3))
NORTH, SOUTH, EAST, OTHER = PLACE < 3, (PLACE >= 3) & (PLACE < 6), (PLACE == 3) | (PLACE == 4), PLACE == 6

#: predicate and, cell by cell, whether it holds
WHERES: list[tuple[Any, Any]] = [
    (None, AGE >= 0),
    ({"age": (2, 7)}, (AGE >= 2) & (AGE <= 7)),
    ({"age": (8, None), "sex": "m"}, (AGE >= 8) & (SEX == 1)),
    ({"place": "south"}, SOUTH),
    ({"place": "farther", "age": 0}, (PLACE == 5) & (AGE == 0)),
    ({"age": 4, "sex": "f", "place": "e"}, (AGE == 4) & (SEX == 0) & (PLACE == 4)),
    ({"place": "other", "age": (1, 1)}, OTHER & (AGE == 1)),
    # of several boxes, whose errors depend on each other
    ({"age": [1, (4, 6), 9]}, np.isin(AGE, [1, 4, 5, 6, 9])),
    ({"place": ["a", "east"], "age": [0, 10]}, ((PLACE == 0) | EAST) & np.isin(AGE, [0, 10])),
    ("age >= 3 and (sex = 'm' or place = 'north')", (AGE >= 3) & ((SEX == 1) | NORTH)),
    ("not (place = 'south' or age between 2 and 8)", ~(SOUTH | ((AGE >= 2) & (AGE <= 8)))),
    ("age = 1 and age = 2", AGE < 0),
]
TASKS: dict[str, dict[str, Any]] = {
    "geometric": {"method": "geometric"},
    "privelet": {"method": "privelet"},
    "privelet cells": {"method": "privelet", "write": "cells"},
    "privelet+": {"method": "privelet+"},
    "privelet+ sex": {"method": "privelet+", "direct": ["sex"]},
    "privelet+ none, cells": {"method": "privelet+", "direct": [], "write": "cells"},
    "privelet+ paper": {"method": "privelet+", "direct": "paper"},
    "privelet+ workload": {"method": "privelet+", "workload": ["age between 2 and 5", "place = 'north'"]},
    "privelet*": {"method": "privelet*", "direct": ["sex"]},
    "privelet* hard, cells": {"method": "privelet*", "direct": ["sex"], "threshold": "hard", "write": "cells"},
    "dyadic": {"method": "dyadic"},
    "dyadic 3, cells": {"method": "dyadic", "base": 3, "write": "cells"},
    "dyadic 4, apart": {"method": "dyadic", "base": 4, "consistency": False},
}
SHRUNK = [name for name in TASKS if "*" in name]
PLAIN = [name for name in TASKS if "*" not in name]
#: methods whose answers are sums of restored cells
RESTORED = [name for name in PLAIN if name not in ("geometric", "dyadic 4, apart")]


def publish(name: str, epsilon: Any = "0.5", noise: Noise | None = None) -> Release:
    data = discreet.from_counts(SCHEMA, CODES, COUNTS)
    return data.publish(discreet.Ranges(BY, **TASKS[name]), epsilon, noise=noise)


def axes_of(release: Release) -> list[Axis]:
    """The axes that the release's own parameters say."""
    said = {entry["name"]: entry["value"] for entry in release.manifest["parameters"]}
    if release.manifest["method"] == "dyadic":
        return [AgreeingTree(Tree.of(SCHEMA[name], said["base"]), said["base"]) for name in BY]
    direct = said.get("direct", [])
    return [Direct(SCHEMA[name].size) if name in direct else wavelet(SCHEMA[name]) for name in BY]


@pytest.mark.parametrize("name", PLAIN)
def test_without_noise_answers_are_exact(name: str) -> None:
    release = publish(name, noise=ZeroNoise())
    for where, holds in WHERES:
        assert release.count(where).value == pytest.approx(int(COUNTS[holds].sum()), abs=1e-8)


@pytest.mark.parametrize("name", RESTORED)
def test_errors_are_those_of_the_explicit_map(name: str) -> None:
    """stderr**2 is the sum over coefficients of (weight in the answer)**2 times the variance of its noise."""
    release = publish(name)
    axes = axes_of(release)
    scale = Fraction(2) * math.prod(axis.weight for axis in axes)
    weights = reduce(np.kron, [restoring(axis) for axis in axes])
    factors = reduce(np.kron, [factors_of(axis) for axis in axes])
    variances = {factor: DiscreteLaplace.of(scale * factor).variance for factor in set(factors.tolist())}
    noise = np.array([variances[factor] for factor in factors.tolist()])
    for where, holds in WHERES:
        answer = release.count(where)
        assert answer.stderr**2 == pytest.approx(float(weights[holds].sum(axis=0) ** 2 @ noise), rel=1e-9)


@pytest.mark.parametrize("name", RESTORED + SHRUNK)
def test_answers_are_sums_of_the_cells_that_are_shown(name: str) -> None:
    release = publish(name)
    cells = release.to_pandas()["count"].to_numpy()
    for where, holds in WHERES:
        answer = release.count(where)
        assert answer.measured == pytest.approx(float(cells[holds].sum()), abs=1e-7)
        assert release.count(where, measured=True).value == answer.measured
        assert 0 <= answer.low <= answer.value <= answer.high
        wide, narrow = (release.count(where, level=level) for level in (0.99, 0.5))
        assert wide.low <= answer.low <= narrow.low <= narrow.high <= answer.high <= wide.high


def test_nodes_that_stand_alone_are_as_few_as_possible() -> None:
    """Without consistency an answer has the noise of the nodes it adds up, counted here by hand."""
    release = publish("dyadic 4, apart")
    scale = Fraction(2) * math.prod(axis.weight for axis in axes_of(release))
    one = DiscreteLaplace.of(scale).variance
    for where, nodes in [
        (None, 1),
        ({"age": (0, 3)}, 1),
        ({"age": (2, 7)}, 3),  # 2, 3, 4-7
        ({"age": (8, 10)}, 1),  # the last part is cut short
        ({"place": "south", "age": (1, 4)}, 4),
        ({"place": ["north", "d"], "sex": "f"}, 2),
        ("age = 1 and age = 2", 0),
    ]:
        assert release.count(where).stderr == pytest.approx(math.sqrt(nodes * one))


@pytest.mark.parametrize("name", SHRUNK)
def test_thresholding_keeps_the_interval_from_before(name: str) -> None:
    """The same bits without thresholds: same interval, widened only where the answer itself is outside."""
    shrunk = publish(name, noise=Noise(SeededSource(8)))
    before = publish("privelet+ sex", noise=Noise(SeededSource(8)))
    outside = 0
    for (where, _), level in itertools.product(WHERES, (0.95, 0.02)):
        asked = questions_of([where], SCHEMA.select(BY))
        one, other = (release.summary.answer(asked, level) for release in (shrunk, before))
        assert one.stderr == pytest.approx(other.stderr)
        assert one.low == pytest.approx(np.minimum(other.low, one.value))
        assert one.high == pytest.approx(np.maximum(other.high, one.value))
        outside += not other.low[0] - 1e-6 <= one.value[0] <= other.high[0] + 1e-6
    assert outside, "no threshold moved an answer out of even the narrowest interval"
    assert any("biases" in sentence for sentence in shrunk.leaves_out)
    assert not any("biases" in sentence for sentence in before.leaves_out)


def test_many_questions_at_once() -> None:
    release = publish("privelet")
    asked = pd.DataFrame({"age": ["2..7", "", "1|4..6"], "place": ["north", "other", "a|east"]})
    found = release.ask(asked)
    wheres: list[Where] = [
        {"age": (2, 7), "place": "north"},
        {"place": "other"},
        {"age": [1, (4, 6)], "place": ["a", "east"]},
    ]
    for row, where in zip(found.to_dicts(), wheres, strict=True):
        one = release.count(where)
        assert (row["count"], row["stderr"], row["low"]) == pytest.approx((one.value, one.stderr, one.low))


@pytest.mark.parametrize("name", ["privelet", "privelet+ none, cells", "privelet*", "dyadic", "dyadic 4, apart"])
def test_tables_agree_with_single_questions(name: str) -> None:
    release = publish(name)
    for row in release.table([("place", 0), "sex"], {"age": (3, 9)}).to_dicts():
        one = release.count({"place": row["place"], "sex": row["sex"], "age": (3, 9)})
        assert (row["count"], row["stderr"], row["low"], row["high"]) == pytest.approx(
            (one.value, one.stderr, one.low, one.high)
        )
    assert len(release.table("age")) == 11
    assert release.table().rows()[0][:3] == (0, "f", "a")


@pytest.mark.parametrize("name", TASKS)
def test_frames_name_every_cell_in_order(name: str) -> None:
    frame = publish(name).to_pandas()
    assert list(frame.columns) == [*BY, "count"]
    labels = [SCHEMA[attribute].labels for attribute in BY]
    assert frame[BY].to_numpy().tolist() == [[labels[i][code] for i, code in enumerate(row)] for row in CODES]


def lengths(release: Release) -> int:
    return math.prod(axis.length for axis in axes_of(release))


#: name -> columns on disk, and how many rows
ON_DISK: dict[str, tuple[list[str], Callable[[Release], int]]] = {
    "privelet": (["coefficient"], lengths),
    "privelet cells": (["count"], lambda release: len(CODES)),
    "privelet+ sex": (["coefficient"], lengths),
    "privelet*": (["coefficient"], lengths),
    "privelet* hard, cells": (["count", "count_before"], lambda release: len(CODES)),
    "dyadic": (["coefficient"], lengths),
    "dyadic 3, cells": (["count"], lambda release: len(CODES)),
    "dyadic 4, apart": (["node_count"], lengths),
}


@pytest.mark.parametrize("name", ON_DISK)
def test_what_is_on_disk(name: str, tmp_path: Path) -> None:
    """Bare columns in the schema's order, without labels, that anything opens; the numbers are those of the release."""
    release = publish(name)
    columns, rows = ON_DISK[name]
    place = release.save(tmp_path / "r") / TABLE
    frame, relation = pd.read_parquet(place), duckdb.sql(f"select * from '{place}'")
    assert relation is not None
    assert list(frame.columns) == relation.columns == columns
    assert len(frame) == rows(release)
    assert pq.read_schema(place).metadata is None
    assert not any(label.encode() in place.read_bytes() for label in ("north", "farther", "other"))
    assert np.array_equal(np.array(relation.fetchall())[:, 0], frame[columns[0]])
    summary: Any = release.summary
    if columns[0] == "count":
        assert frame["count"].tolist() == release.to_pandas()["count"].tolist()
    else:
        assert frame[columns[0]].dtype == np.int64
        assert np.array_equal(frame[columns[0]], summary.values.reshape(-1))
    if isinstance(summary, ShrunkCells):
        assert frame["count_before"].tolist() == summary.before.cells.reshape(-1).tolist()


@pytest.mark.parametrize("name", TASKS)
def test_a_release_comes_back_from_disk(name: str, tmp_path: Path) -> None:
    release = publish(name)
    again = discreet.load(release.save(tmp_path / "r"))
    assert type(again.summary) is type(release.summary)
    for where, _ in WHERES:
        assert again.count(where) == release.count(where)
        assert again.count(where, level=0.6) == release.count(where, level=0.6)
    assert again.to_arrow().equals(release.to_arrow())
    assert again.summary.facts() == release.summary.facts()


@pytest.mark.parametrize(
    ("one", "other"), [("privelet", "privelet cells"), ("dyadic", "dyadic 2, cells"), ("privelet*", "privelet* cells")]
)
def test_cells_and_coefficients_answer_alike(
    monkeypatch: pytest.MonkeyPatch, one: str, other: str, tmp_path: Path
) -> None:
    monkeypatch.setitem(TASKS, other, {**TASKS[one], "write": "cells"})
    pair = [publish(name, noise=Noise(SeededSource(4))) for name in (one, other)]
    for where, _ in WHERES:
        first, second = (release.count(where) for release in pair)
        for part in ("value", "stderr", "low", "high"):
            assert getattr(first, part) == pytest.approx(getattr(second, part), abs=1e-7)


@pytest.mark.parametrize("name", ["privelet", "privelet cells", "privelet* hard, cells", "dyadic 4, apart"])
def test_a_table_of_the_wrong_length_is_refused(name: str, tmp_path: Path) -> None:
    """Should the files of two releases be mixed, and the seals of both be forged."""
    release = publish(name)
    table = release.summary.stored()
    pq.write_table(table.slice(0, table.num_rows - 1), tmp_path / TABLE)
    with pytest.raises((DiscreetError, ValueError), match="rows"):
        type(release.summary).read(release.schema, release.summary.facts(), tmp_path / TABLE)


def test_a_changed_number_is_refused(tmp_path: Path) -> None:
    place = publish("privelet").save(tmp_path / "r")
    content = bytearray((place / TABLE).read_bytes())
    content[len(content) // 2] ^= 1
    (place / TABLE).write_bytes(bytes(content))
    with pytest.raises(TamperedRelease):
        discreet.load(place)


def test_noise_scales_are_stated() -> None:
    said = publish("privelet").manifest["noise"]
    assert said["scale"] == str(2 * 5 * 2 * 4)  # 1 / epsilon, the levels of 16 places, of two labels, of the hierarchy
    assert said["factors"] == {"age": [1], "sex": [1, 2], "place": [1, 2, 4]}
