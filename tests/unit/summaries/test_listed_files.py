"""Releases that are asked where they are, by DuckDB, answer as those that are loaded."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import discreet
from discreet.errors import CannotAnswer
from discreet.queries import Boxes, Questions
from discreet.schema import Schema
from discreet.summaries import listed_files, sliced_cells
from discreet.summaries.listed_files import ListedFile, ListedFiles
from tests.slices_in_process import executors, opened

SCHEMA = discreet.Schema(
    {
        "age": discreet.Ordinal(-5, 24),
        'a "word"': discreet.Nominal(["f", "m", "it's"]),
        "day": discreet.Ordinal("2024-01-01", "2024-01-09"),
        "size": discreet.Ordinal(0, 99, 25),
    }
)


def rows() -> pa.Table:
    dice, many = np.random.default_rng(), 2_000
    labels = {name: np.array([str(label) for label in attribute.labels]) for name, attribute in SCHEMA.items()}
    labels["size"] = np.arange(100)
    return pa.table({name: some[dice.integers(0, len(some), many)] for name, some in labels.items()})


@pytest.mark.parametrize(
    "asked",
    [
        {"method": "geometric"},
        {"method": "filter", "theta": 3},
        {"method": "threshold", "tau": "4.5"},
        {"method": "filter-threshold", "theta": 2, "tau": 7, "sided": "one"},
    ],
    ids=lambda one: one["method"],
)
def test_what_is_not_loaded_answers_the_same(
    asked: dict[str, Any], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    place = tmp_path / "age=3" / "count=7" / "[a] *'release'"
    place.parent.mkdir(parents=True)
    with executors():
        opened(rows(), SCHEMA).publish(discreet.Table(list(SCHEMA), slices=5, **asked), 1, to=place)
    loaded = discreet.load(place)
    monkeypatch.setattr(sliced_cells, "MOST_LOADED", 10)
    monkeypatch.setattr(listed_files, "_MOST_PARTS", 2_000)
    monkeypatch.setattr(listed_files, "_FEW", 3)
    lean = discreet.load(place)
    assert type(lean.summary).__name__.endswith("OnDisk")
    first = np.random.default_rng().integers(0, SCHEMA.sizes, (12, 4))
    last = np.random.default_rng().integers(first, SCHEMA.sizes)
    boxes = Questions(first, last, 12, np.arange(12))
    for level in (0.5, 0.95):
        one, other = (release.summary.answer(boxes, level) for release in (loaded, lean))
        for column in ("value", "low", "high", "measured"):
            assert np.allclose(getattr(one, column), getattr(other, column), rtol=1e-12, atol=1e-9)
        # sums in another order: a variance that is nearly zero has a root that is not
        assert np.allclose(np.square(one.stderr), np.square(other.stderr), rtol=1e-12, atol=1e-9)
        assert one.value.dtype == other.value.dtype
    for where in (None, {"age": (0, 7)}, {'a "word"': ["it's", "f"], "day": "2024-01-03"}):
        assert str(lean.count(where)) == str(loaded.count(where))
    assert str(lean.table(["age"])) == str(loaded.table(["age"]))
    with pytest.raises(CannotAnswer, match="too many to load"):
        lean.to_arrow()
    assert discreet.load(lean.save(tmp_path / "copy")).manifest == loaded.manifest


def test_sums_beyond_64_bits_are_floats(tmp_path: Path) -> None:
    large = np.full(4, (1 << 61) - 1)
    for name in ("one", "two"):
        pq.write_table(pa.table({"count": large}), tmp_path / name)
    schema = Schema(a=discreet.Ordinal(1, 8))
    listed = ListedFiles(schema, [ListedFile(tmp_path / "one", 4, 0), ListedFile(tmp_path / "two", 4, 4)])
    every = Boxes(np.array([[0], [0]]), np.array([[7], [0]]))
    assert listed.whole_sums(every).tolist() == [2.0**64, 2.0**61]
    single = listed.whole_sums(Boxes(np.array([[5]]), np.array([[5]])))
    assert single.tolist() == [(1 << 61) - 1]
    assert single.dtype == np.int64
    for cell in range(8):  # where files begin and end, too
        assert listed.whole_sums(Boxes(np.array([[cell]]), np.array([[cell]]))).tolist() == [(1 << 61) - 1]
