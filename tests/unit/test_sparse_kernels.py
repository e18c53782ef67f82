"""Merging, walking and numbering cells: kernels against Python integers, at the edges too."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from discreet.kernels.priorities import least_priorities
from discreet.kernels.walks import interleave, put_digit, walk_wide
from discreet.mechanisms.cell_numbers import CellNumbers
from discreet.noise import placed, to_integers, to_limbs
from discreet.noise.wide import merged_order

#: one word, and the places where a second and a third begin
EDGES = (0, 2**62, 2**63, 2**64 - 8, 2**64, 3 * 2**64 - 5, 2**100, 2**128 - 9)


def expected(ranks: list[int], occupied: list[int]) -> tuple[list[int], list[int]]:
    cells, before = [], []
    for rank in ranks:
        passed = 0
        while passed < len(occupied) and occupied[passed] <= rank + passed:
            passed += 1
        cells.append(rank + passed)
        before.append(passed)
    return cells, before


near_an_edge = st.builds(lambda edge, more: edge + more, st.sampled_from(EDGES), st.integers(0, 6))
rising = st.sets(st.one_of(near_an_edge, st.integers(0, 12), st.integers(0, 2**127)), max_size=14).map(sorted)


@given(rising, rising, st.sampled_from([6, 8]), st.integers(0, 14))
def test_ranks_find_their_cells_in_limbs(ranks: list[int], occupied: list[int], limbs: int, split: int) -> None:
    cells, before = placed(to_limbs(ranks, limbs), to_limbs(occupied, limbs))
    assert (to_integers(cells).tolist(), before.tolist()) == expected(ranks, occupied)
    passed = before[:split].max(initial=0)
    later, after = placed(to_limbs(ranks[split:], limbs), to_limbs(occupied, limbs), passed)
    assert np.array_equal(later, cells[split:])
    assert np.array_equal(after, before[split:])


@given(rising, rising, st.booleans())
def test_ranks_find_their_cells_in_one_word(ranks: list[int], occupied: list[int], wide: bool) -> None:
    most = 2**64 - 20 if wide else 2**62
    ranks, occupied = [r for r in ranks if r < most], [o for o in occupied if o < most]
    if wide:
        cells, before = placed(to_limbs(ranks, 2), to_limbs(occupied, 2))
        found = to_integers(cells).tolist()
    else:
        cells, before = placed(np.array(ranks, np.int64), np.array(occupied, np.int64))
        found = cells.tolist()
    assert (found, before.tolist()) == expected(ranks, occupied)


@given(st.lists(st.integers(0, 9), max_size=12).map(sorted), st.integers(0, 9))
def test_a_merged_order_puts_new_ones_after_those_before_them(before: list[int], count: int) -> None:
    before = [min(passed, count) for passed in before]
    order = merged_order(np.array(before, np.int64), count).tolist()
    keys = [(place, 1) for place in range(count)] + [(passed, 0) for passed in before]
    assert order == sorted(range(len(keys)), key=lambda i: keys[i])


@given(
    st.integers(0, 9),
    st.sets(st.integers(0, 8)).map(sorted),
    st.lists(st.integers(0, 9), max_size=12).map(sorted),
    st.integers(1, 13),
)
def test_chosen_old_entries_stand_among_the_new(count: int, chosen: list[int], before: list[int], block: int) -> None:
    """In blocks or at once; the order is that of 2 * entry + 1 for an old entry and 2 * before for a new one."""
    chosen, before = [c for c in chosen if c < count], [min(passed, count) for passed in before]
    rows = np.arange(2 * count).reshape(count, 2) * 10
    old, new = np.arange(count) + 1000, -1 - np.arange(len(before))
    total = len(chosen) + len(before)
    out, values, places = np.full((total, 2), -7), np.zeros(total, np.int64), np.array(before, np.int64)
    which, done = np.array(chosen, np.int64), 0
    for first in range(0, max(1, new.size), block):
        some, last = slice(first, first + block), int(first + block >= new.size)
        done = interleave(which, rows, which, old, new[some], places[some], done, first, last, out, values)
    assert done == len(chosen)
    entries = [(2 * c + 1, c + 1000, c) for c in chosen] + [(2 * b, -1 - i, None) for i, b in enumerate(before)]
    ordered = sorted(entries, key=lambda entry: (entry[0], -entry[1]))
    assert values.tolist() == [value for _, value, _ in ordered]
    assert out.tolist() == [[-7, -7] if c is None else rows[c].tolist() for _, _, c in ordered]
    assert places.tolist() == [values.tolist().index(-1 - i) for i in range(len(before))]


def walked(gaps: list[int], size: int, words: int, places: int) -> tuple[list[int], bool, int]:
    """Positions by the kernels, from gaps that are split into so many digits and a top; and the position after them."""
    split = np.zeros((words, len(gaps)), np.uint64)
    put_digit(split, places, np.array([gap >> (8 * places) for gap in gaps], np.int64))
    for place in range(places):
        put_digit(split, place, np.array([(gap >> (8 * place)) & 255 for gap in gaps], np.uint8))
    position, out = np.zeros(words, np.uint64), np.zeros((len(gaps), 2 * (words - 1)), np.uint32)
    end = to_limbs([size], 2 * words).view("<u8").reshape(-1).astype(np.uint64)
    count, ended = walk_wide(split, position, end, out)
    return to_integers(out[:count]).tolist(), ended, to_integers(position.view(np.uint32)[None])[0]


@given(
    st.lists(st.one_of(st.integers(0, 3), st.integers(0, 2**66), near_an_edge), max_size=9),
    st.one_of(near_an_edge, st.integers(1, 2**128 - 1)).map(lambda size: min(size + 1, 2**128 - 1)),
    st.integers(9, 16),
)
def test_a_wide_walk_adds_up_gaps_of_any_number_of_digits(gaps: list[int], size: int, places: int) -> None:
    words = max(2, -(-(8 * places + 1) // 64)) + 1
    gaps = [gap % (1 << (8 * places + 62)) for gap in gaps]
    reached, position = [], 0
    for gap in gaps:
        if position + gap >= size:
            break
        reached.append(position + gap)
        position += gap + 1
    found, ended, left = walked(gaps, size, words, places)
    assert found == reached
    assert ended == (len(reached) < len(gaps))
    assert ended or left == position


@pytest.mark.parametrize(
    "sizes",
    [
        (1,),
        (7,),
        (2**61,),
        (3, 1, 5),
        (2**31, 2**30),
        (2**31 - 1, 2**31 - 1, 2),
        (2**31 - 1, 2**31 - 1, 4),
        (2**31 - 1, 2**31 - 1, 2**31 - 1, 1),
        (1, 2**31 - 1, 2**31 - 1, 2**31 - 1, 2**31 - 1, 2**31 - 1),
        (10**8, 10**8, 10**7, 10**7),
        (10,) * 30,
        (2,) * 130,
    ],
)
def test_cells_have_their_numbers_and_numbers_their_cells(sizes: tuple[int, ...]) -> None:
    numbers, cells = CellNumbers(sizes), math.prod(sizes)
    rng = np.random.default_rng()
    ends = [[0] * len(sizes), [size - 1 for size in sizes], [0] * (len(sizes) - 1) + [sizes[-1] - 1]]
    ends += [[size - 1] + [0] * (len(sizes) - 1) for size in sizes[:1]]
    codes = np.concatenate([np.array(ends), np.stack([rng.integers(0, size, 50) for size in sizes], axis=1)])
    encoded = numbers.encode(codes)
    plain: list[int] = (to_integers(encoded) if numbers.wide else encoded).tolist()
    for row, number in zip(codes.tolist(), plain, strict=True):
        exact = 0
        for size, code in zip(sizes, row, strict=True):
            exact = exact * size + code
        assert number == exact < cells
    assert np.array_equal(numbers.decode(encoded), codes)
    assert np.array_equal(numbers.encode(np.asfortranarray(codes)), encoded)
    backwards = np.empty_like(codes)
    numbers.decode_into(encoded, np.arange(len(codes))[::-1].copy(), backwards)
    assert np.array_equal(backwards[::-1], codes)
    assert numbers.decode(encoded[:0]).shape == (0, len(sizes))


@pytest.mark.parametrize("words", [[], [0], [2**64 - 1] * 3, [0, 1, 2**32, 2**63]])
def test_least_priorities_are_those_of_the_upper_end(words: list[int]) -> None:
    floors: Any = np.array([1.0, 64.0, 0.0])
    sizes, powers = np.full(len(words), 5), np.array([-1, 0, 1, -1][: len(words)], np.int16)
    out = np.empty(len(words))
    least_priorities(sizes, powers, np.array(words, np.uint64), floors, 0.5, out)
    tops = [max(5.0, floors[power]) for power in powers]
    assert out.tolist() == [0.5 * top / ((word + 1) * 2.0**-64) for top, word in zip(tops, words, strict=True)]
