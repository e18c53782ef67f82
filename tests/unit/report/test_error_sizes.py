"""Errors by size of question are those that the release itself gives for such questions."""

from __future__ import annotations

import numpy as np
import pytest

import discreet
from discreet.report.error_sizes import error_rows
from tests.conformance.test_answers import data

ALL = ["age", "sex", "place"]


def test_the_largest_question_is_everything() -> None:
    release = data().publish(discreet.Table(ALL, method="geometric"), 1)
    rows = error_rows(release)
    answer = release.count()
    assert rows[-1].name == "everything"
    assert rows[-1].cells == release.schema.cells
    assert rows[-1].reach == rows[-1].worst == max(answer.high - answer.value, answer.value - answer.low)
    assert rows[-1].stderr == answer.stderr
    assert [row.cells for row in rows] == sorted(row.cells for row in rows)


def test_the_smallest_is_one_cell() -> None:
    release = data().publish(discreet.Table(ALL, method="geometric"), 1)
    first = error_rows(release)[0]
    table = release.table(ALL)
    reach = np.maximum(table["high"] - table["count"], table["count"] - table["low"])
    assert (first.name, first.cells) == ("one cell", 1)
    assert min(reach) <= first.reach <= first.worst <= max(reach)


def test_marginals_are_asked_by_their_tables() -> None:
    rows = error_rows(data().publish(discreet.Marginals(ways=2), 1))
    assert [row.name for row in rows] == [
        "one cell of age × sex",
        "one cell of age × place",
        "one cell of sex × place",
        "everything",
    ]


def test_queries_are_asked_as_they_were_given() -> None:
    queries = ["age < 3", "sex = 'm'"]
    rows = error_rows(data().publish(discreet.Marginals(queries=queries, method="equal"), 1))
    assert [row.name for row in rows] == queries
    assert [row.cells for row in rows] == [6, 7]


@pytest.mark.parametrize("size", [2**28, 10])
def test_tables_of_any_size_can_be_asked(size: int) -> None:
    schema = discreet.Schema({f"a{n}": discreet.Ordinal(0, size - 1) for n in range(4)})
    codes = np.array([[0, 1, 2, 3], [3, 3, 3, 3]])
    release = discreet.from_counts(schema, codes, [500, 700]).publish(
        discreet.Table(list(schema), method="filter", theta=300), 1
    )
    assert [row.name for row in error_rows(release)][0::4] == ["one cell", "everything"]
