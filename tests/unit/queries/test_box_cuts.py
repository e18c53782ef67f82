"""Boxes cut by boxes, against sets of cells."""

from __future__ import annotations

from itertools import product
from typing import Any

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from discreet.queries import Boxes
from discreet.queries.box_cuts import meeting, shared_part, volumes, without

SIZES = (4, 3)

ends = st.tuples(*(st.tuples(st.integers(0, size - 1), st.integers(0, size - 1)).map(sorted) for size in SIZES))
some_boxes = st.lists(ends, max_size=5)


def boxes(drawn: Any) -> Boxes:
    return Boxes.of(np.array(drawn, np.int64).reshape(len(drawn), len(SIZES), 2))


def cells(box: Any) -> set[tuple[int, ...]]:
    return set(product(*(range(low, high + 1) for low, high in box)))


@given(some_boxes, some_boxes)
def test_boxes_that_meet_are_all_found_with_what_they_share(some: list[Any], others: list[Any]) -> None:
    mine, theirs = meeting(boxes(some), boxes(others))
    expected = {(i, j) for i, one in enumerate(some) for j, other in enumerate(others) if cells(one) & cells(other)}
    assert sorted(zip(mine.tolist(), theirs.tolist(), strict=True)) == sorted(expected)
    a, b = boxes(some), boxes(others)
    shared = shared_part(Boxes(a.first[mine], a.last[mine]), Boxes(b.first[theirs], b.last[theirs]))
    for i, j, first, last in zip(mine, theirs, shared.first.tolist(), shared.last.tolist(), strict=True):
        assert cells(list(zip(first, last, strict=True))) == cells(some[i]) & cells(others[j])


@given(st.lists(st.tuples(ends, some_boxes), max_size=4))
def test_what_is_left_of_a_box_holds_each_cell_that_was_not_taken_once(drawn: list[Any]) -> None:
    taken = [box for _, away in drawn for box in away]
    takes = np.array([owner for owner, (_, away) in enumerate(drawn) for _ in away], np.int64)
    left, owner = without(boxes([box for box, _ in drawn]), np.arange(len(drawn)), boxes(taken), takes)
    for number, (box, away) in enumerate(drawn):
        mine = np.flatnonzero(owner == number)
        found = [c for i in mine for c in cells(list(zip(left.first[i].tolist(), left.last[i].tolist(), strict=True)))]
        assert sorted(found) == sorted(cells(box) - set().union(*map(cells, away)))


def test_volumes_are_exact_beyond_64_bits() -> None:
    sizes = (2**40, 2**40)
    first = np.zeros((2, 2), np.int64)
    found = volumes(Boxes(first, np.array([[2**40 - 1, 2**40 - 1], [2**40 - 1, 2**40 - 2]])), sizes)
    assert found.tolist() == [2**80, 2**40 * (2**40 - 1)]
