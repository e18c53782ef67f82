"""Known totals as people give them: lists, CSV files, frames; what cannot be a total is refused with its place."""

from __future__ import annotations

from datetime import date
from pathlib import Path
from typing import Any

import pandas as pd
import pytest

import discreet
from discreet.errors import BadParameter
from discreet.queries import bind
from discreet.queries.known_entries import read_entries, shown

SCHEMA = discreet.Schema(
    {
        "county": discreet.Nominal(["Kent", "O'Hara", "Essex"]),
        "age in years": discreet.Ordinal(0, 9),
        "day": discreet.Ordinal(date(2024, 1, 1), date(2024, 1, 31)),
    }
)


@pytest.mark.parametrize(
    "where",
    [
        {"county": "O'Hara"},
        {"age in years": (3, 5)},
        {"age in years": (3, None), "county": "Kent"},
        {"age in years": (None, 4)},
        {"age in years": [3, 5, (7, 9)]},
        {"county": ["Kent", "Essex"]},
        {"day": (date(2024, 1, 2), date(2024, 1, 9))},
    ],
)
def test_a_mapping_is_kept_as_the_text_that_means_the_same(where: dict[str, Any]) -> None:
    (entry,) = read_entries([{"where": where, "count": 3}])
    assert isinstance(entry["where"], str)
    assert bind(entry["where"], SCHEMA) == bind(where, SCHEMA)


def test_rows_of_a_table_keep_their_cells_and_blank_ones_are_left_out(tmp_path: Path) -> None:
    path = tmp_path / "totals.csv"
    path.write_text("county,count,age in years\nKent,12,\n,30,\nEssex,4,0..3\n", encoding="utf-8")
    expected: list[dict[str, Any]] = [
        {"at": {"county": "Kent"}, "count": 12},
        {"count": 30},
        {"at": {"county": "Essex", "age in years": "0..3"}, "count": 4},
    ]
    assert read_entries(str(path)) == expected
    assert read_entries(expected) == expected  # as release.json has them
    assert [shown(entry) for entry in expected] == ["county Kent", "everything", "county Essex, age in years 0..3"]


def test_a_column_of_predicates_is_read_too() -> None:
    frame = pd.DataFrame({"where": ["county = 'Kent'", ""], "count": [5, 9]})
    assert read_entries(frame) == [{"where": "county = 'Kent'", "count": 5}, {"count": 9}]


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ({"count": 3}, "must be a list of totals"),
        ([], "has no totals"),
        ([3], "total 1: must have `count`"),
        ([{"count": 3}, {"where": "a = 1"}], "total 2: count must be a whole number of at least 0, not None"),
        ([{"count": -1}], "not -1"),
        ([{"count": 1.5}], "not 1.5"),
        ([{"count": True}], "not True"),
        ([{"count": 1, "were": "a = 1"}], "must have `count`"),
        ([{"count": 1, "where": 3}], "where must be a predicate"),
        ([{"count": 1, "where": {"a": []}}], "the list of values is empty"),
        ([{"count": 1, "where": {"a": (1, 2, 3)}}], "two ends"),
        ([{"count": 1, "where": {"a": {1: 2}}}], "is not a value"),
        ([{"count": 1, "where": {3: 2}}], "names of attributes"),
        ([{"count": 1, "at": 3}], "`at` must have a text"),
        ([{"count": 1}] * 5000, "more than 4,096"),
        (3, "must be a list of totals, the path"),
        (pd.DataFrame({"county": ["Kent"]}), "has no column 'count'"),
        (pd.DataFrame({"count": ["many"]}), "question 1, column 'count': count must be a whole number"),
        ("no-such-file.csv", "no such file"),
    ],
)
def test_what_is_no_total_is_refused(given: Any, said: str) -> None:
    with pytest.raises(BadParameter) as caught:
        read_entries(given)
    assert said in str(caught.value)
