"""Cells of a sparse stretch by number and by rank among the empty ones."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from discreet.audit.tape import Sparsely, cells_of, numbers, ranks_of
from discreet.noise import Stretch, to_limbs


@given(st.sets(st.integers(0, 39), max_size=39), st.integers(0, 10**6))
def test_ranks_and_cells_are_two_names_of_the_same(occupied: set[int], start: int) -> None:
    cells = sorted(start + cell for cell in occupied)
    stretch = Stretch(start, 40 - len(cells), np.array(cells, np.int64), np.ones(len(cells), np.int64))
    empty = [cell for cell in range(start, start + 40) if cell not in cells]
    assert cells_of(range(len(empty)), stretch) == empty
    assert ranks_of(empty, stretch).tolist() == list(range(len(empty)))


def test_numbers_beyond_64_bits() -> None:
    far = [3, 10**25, 10**25 + 2]
    stretch = Stretch(0, 10**30 - 3, to_limbs(far, 4), np.ones(3, np.int64))
    assert numbers(stretch.occupied) == far
    cells = [4, 10**25 - 1, 10**25 + 1, 10**29]
    ranks = ranks_of(cells, stretch)
    assert numbers(ranks) == [3, 10**25 - 2, 10**25 - 1, 10**29 - 3]
    assert cells_of(numbers(ranks), stretch) == cells


def test_what_nobody_kept_might_as_well_have_been_zero() -> None:
    step = Sparsely(Fraction(2), 0, 50, {1: 5}, {1: 7}, {4: -3})
    assert [step.value(cell) for cell in (1, 4, 9)] == [7, -3, 0]
