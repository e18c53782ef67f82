"""Known totals bound to a schema: nested and disjoint ones become disjoint parts, and questions are cut by them."""

from __future__ import annotations

from itertools import product
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import discreet
from discreet.errors import BadParameter
from discreet.queries import Questions, bind, questions_of
from discreet.queries.known_entries import read_entries
from discreet.queries.known_totals import KnownTotals

SCHEMA = discreet.Schema(
    county=discreet.Nominal(hierarchy={"South": ["Kent", "Sussex"], "East": ["Essex"]}), age=discreet.Ordinal(0, 4)
)
TABLE = np.random.default_rng(5).integers(0, 50, SCHEMA.sizes)
#: groups of which any two are apart or nested
FAMILY: list[Any] = [
    None,
    {"county": "South"},
    {"county": "Kent"},
    {"county": "Kent", "age": (1, 3)},
    {"county": "Kent", "age": 4},
    {"county": "Essex", "age": [0, 3]},
]
ASKED: list[Any] = [
    None,
    {"county": "Kent"},
    {"county": ["Kent", "Essex"]},
    {"county": "Kent", "age": (0, 3)},
    {"age": 2},
    {"age": (1, 3)},
    {"county": "Essex", "age": 0},
    {"county": "Sussex", "age": (2, 3)},
    "county = 'Kent' and age = 4 or county = 'Essex' and age < 2",
]


def cells(where: Any) -> set[tuple[int, ...]]:
    boxes = bind(where, SCHEMA).ends(SCHEMA.sizes).tolist()
    return {cell for box in boxes for cell in product(*(range(a, b + 1) for a, b in box))}


def cells_of(questions: Questions, number: int) -> list[tuple[int, ...]]:
    mine = np.flatnonzero(questions.owner == number)
    ends = [np.stack([questions.first[i], questions.last[i]], axis=1).tolist() for i in mine]
    return [cell for box in ends for cell in product(*(range(a, b + 1) for a, b in box))]


def count(some: Any) -> int:
    return sum(int(TABLE[cell]) for cell in some)


def known(groups: list[Any]) -> KnownTotals:
    said = [{**({"where": where} if where else {}), "count": count(cells(where))} for where in groups]
    return KnownTotals.of(read_entries(said), SCHEMA)


@given(st.lists(st.sampled_from(FAMILY), min_size=1, max_size=7))
def test_questions_are_cut_into_what_is_known_and_what_is_open(groups: list[Any]) -> None:
    totals = known(groups)
    parts = [set(cells_of(totals.groups(), number)) for number in range(totals.groups().count)]
    assert sum(map(len, parts)) == len(set().union(*parts))
    assert totals.counts.tolist() == [*(count(part) for part in parts), -1]
    outside = cells(None) - set().union(*parts)
    assert totals.everything == (None if outside else count(cells(None)))
    asked = questions_of(ASKED, SCHEMA)
    cut = totals.cut(asked)
    which = np.flatnonzero(cut.inside)
    around = cut.surroundings(which)
    rest = cut.rest(which, around)
    for number, where in enumerate(ASKED):
        mine = cells(where)
        whole = [part for part in parts if part <= mine]
        some = [part for part in parts if part & mine and not part <= mine]
        left = mine - set().union(*whole)
        assert cut.exact[number] == sum(map(count, whole))
        assert cut.around[number] == sum(map(count, some))
        assert cut.settled[number] == (not left)
        assert cut.inside[number] == (bool(left) and not left & outside)
        assert sorted(cells_of(cut.open(), number)) == sorted(left)
        if cut.inside[number]:
            place = which.tolist().index(number)
            assert sorted(cells_of(around, place)) == sorted(set().union(*some))
            assert sorted(cells_of(rest, place)) == sorted(set().union(*some) - mine)


@given(st.lists(st.sampled_from(FAMILY), min_size=1, max_size=7), st.sampled_from(["county", "age", "both"]))
def test_sums_of_rows_are_known_where_they_make_up_known_groups(groups: list[Any], by: str) -> None:
    names, ages = SCHEMA["county"].labels, range(5)
    kinds: dict[str, list[Any]] = {
        "county": [{"county": name} for name in names],
        "age": [{"age": age} for age in ages],
        "both": [{"county": name, "age": age} for name in names for age in ages],
    }
    rows = kinds[by]
    label, sums = known(groups).cut(questions_of(rows, SCHEMA)).sums()
    for one in np.unique(label).tolist():
        mine = set().union(*(cells(rows[number]) for number in np.flatnonzero(label == one)))
        assert sums[one] in (-1, count(mine))
    if None in groups:
        assert (sums[label] >= 0).all()


@pytest.mark.parametrize(
    ("said", "why"),
    [
        ([{"where": "county = 'Knt'", "count": 1}], "total 1 (county = 'Knt'): county:"),
        ([{"where": "sex = 'f'", "count": 1}], "there is no attribute 'sex'"),
        ([{"count": 1}, {"at": {"age": "old"}, "count": 1}], "total 2 (age old):"),
        ([{"where": "age = 1 and age = 2", "count": 0}], "holds no cell"),
        ([{"where": "age <= 2", "count": 5}, {"where": "age >= 2", "count": 5}], "overlap"),
        ([{"where": "county = 'Kent'", "count": 5}, {"where": {"county": "Kent"}, "count": 6}], "different counts"),
        ([{"where": "county = 'Kent'", "count": 5}, {"count": 4}], "add up to 1 more than it has"),
        (
            [{"where": "county = 'Kent'", "count": 5}, {"where": "county = 'Sussex'", "count": 5},
             {"where": "county = 'South'", "count": 11}],
            "make up county = 'South' add up to 1 less",
        ),
    ],
)  # fmt: skip
def test_what_cannot_be_is_refused_with_its_place(said: list[Any], why: str) -> None:
    with pytest.raises(BadParameter) as caught:
        discreet.from_counts(SCHEMA, [[0, 0]], [5]).publish(discreet.Table(["county", "age"], known=said), 1)
    assert str(caught.value).startswith("known: ")
    assert why in str(caught.value)
