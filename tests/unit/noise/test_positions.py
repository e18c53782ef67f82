"""Skips, ranks and subsets: same answers as brute force, narrow or wide."""

from __future__ import annotations

from fractions import Fraction
from itertools import combinations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from discreet.errors import BadParameter
from discreet.noise import KeystreamSource, Noise, SeededSource, placed, to_integers, to_limbs
from discreet.noise.draw import Drawer
from discreet.noise.geometric import geometric_digits
from discreet.noise.skips import _narrow, _wide
from discreet.numbers.intervals import Complement, Rational
from tests.statistics import compare


@given(st.lists(st.integers(0, 2**190), max_size=20))
def test_limbs_hold_python_integers(values: list[int]) -> None:
    assert to_integers(to_limbs(values, 6)).tolist() == values


@pytest.mark.parametrize("p", [Fraction(1, 2), Fraction(1, 700), Fraction(1, 10**7), Fraction(999, 1000)])
def test_narrow_and_wide_walks_are_the_same_algorithm(p: Fraction) -> None:
    size = int(3000 / p)
    ratio = Complement(Rational(p))
    narrow = _narrow(geometric_digits(ratio), size, 100, Drawer(SeededSource(5)))
    wide = to_integers(_wide(ratio, size, 100, Drawer(SeededSource(5))))
    assert narrow.tolist() == wide.tolist()
    assert narrow.size > 2000


@pytest.mark.parametrize("size", [0, 1, 5, 10**6, 10**30, 10**70])
def test_positions_rise_within_the_range(size: int) -> None:
    p = Rational(Fraction(min(size, 2000), 2 * size)) if size else Rational(Fraction(1, 2))
    found = Noise().positions(p, size)
    positions = (to_integers(found) if found.ndim == 2 else found).tolist()
    assert positions == sorted(set(positions))
    assert all(0 <= position < size for position in positions)
    if size > 10**4:
        assert 700 < len(positions) < 1300
        assert max(positions) > size * 0.9
        assert min(positions) < size * 0.1


def test_certain_and_impossible() -> None:
    noise = Noise()
    assert noise.positions(Rational(Fraction(1)), 100).tolist() == list(range(100))
    assert noise.positions(Rational(Fraction(0)), 100).size == 0
    assert noise.positions(Rational(Fraction(1, 10**40)), 10**18).size == 0
    assert noise.positions(Rational(Fraction(1, 10**90)), 10**30).size == 0
    with pytest.raises(BadParameter, match="more than memory holds"):
        noise.positions(Rational(Fraction(1, 2)), 10**30)


@pytest.mark.parametrize("wide", [False, True])
def test_every_subset_has_its_binomial_probability(wide: bool) -> None:
    """All 32 subsets of five cells at p = 1/3, each against its exact probability."""
    trials, source = 40_000, KeystreamSource()
    ratio = Complement(Rational(Fraction(1, 3)))
    digits = geometric_digits(ratio)
    hits = np.zeros(32, np.int64)
    for _ in range(trials):
        drawer = Drawer(source.stream(), 64)
        chosen = to_integers(_wide(ratio, 5, 8, drawer)) if wide else _narrow(digits, 5, 8, drawer)
        hits[sum(1 << int(cell) for cell in chosen)] += 1
    sizes = np.array([subset.bit_count() for subset in range(32)])
    probabilities = (1 / 3) ** sizes * (2 / 3) ** (5 - sizes)
    assert compare(hits, trials, probabilities).holds


@given(st.sets(st.integers(0, 40), max_size=30), st.integers(0, 2**80))
def test_ranks_become_the_empty_cells(occupied: set[int], offset: int) -> None:
    cells = sorted(occupied)
    empty = [cell for cell in range(60) if cell not in occupied]
    ranks = np.arange(len(empty))
    assert placed(ranks, np.array(cells, np.int64))[0].tolist() == empty
    # wide, with the whole picture moved up by `offset` empty cells
    shifted = placed(to_limbs([int(rank) + offset for rank in ranks], 4), to_limbs([c + offset for c in cells], 4))[0]
    assert to_integers(shifted).tolist() == [cell + offset for cell in empty]


@pytest.mark.parametrize(("size", "count"), [(5, 2), (5, 3), (6, 3), (4, 0), (4, 4), (1, 1), (0, 0)])
def test_every_subset_of_a_size_is_equally_likely(size: int, count: int) -> None:
    noise, trials = Noise(), 20_000
    index = {subset: i for i, subset in enumerate(combinations(range(size), count))}
    hits = np.zeros(len(index), np.int64)
    for _ in range(trials):
        hits[index[tuple(noise.subset(size, count).tolist())]] += 1
    assert compare(hits, trials, np.full(len(index), 1 / len(index))).holds


def test_subsets_of_huge_ranges() -> None:
    chosen = Noise().subset(10**40, 1000).tolist()
    assert len(set(chosen)) == 1000
    assert chosen == sorted(chosen)
    assert max(chosen) < 10**40
    assert max(chosen) > 9 * 10**39
    with pytest.raises(BadParameter, match="cannot choose"):
        Noise().subset(3, 4)


@pytest.mark.parametrize("size", [1, 2, 3, 7, 2**63 - 1, 2**63, 2**64, 2**64 + 1])
def test_uniform_integers_stay_below_and_reach_far(size: int) -> None:
    drawn = Noise().integers(size, 3000).tolist()
    assert len(drawn) == 3000
    assert all(0 <= value < size for value in drawn)
    assert max(drawn) >= (size - 1) * 0.97
    assert Noise().integers(size, 0).size == 0
