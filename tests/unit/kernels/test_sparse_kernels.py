"""Merging, walking and numbering cells: kernels against Python integers, at the edges too."""

from __future__ import annotations

import math
from itertools import pairwise
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from discreet.kernels.priorities import least_priorities, strengths_of
from discreet.kernels.walks import put_bits, walk_wide
from discreet.mechanisms.table.table_stretches import cut, merged
from discreet.noise import Chosen, placed, to_integers, to_limbs
from discreet.noise.wide import merged_order
from discreet.numbers.cell_numbers import CellNumbers, are_rising, limbs_for

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


@given(rising, rising, st.sampled_from([6, 8]))
def test_ranks_find_their_cells_in_limbs(ranks: list[int], occupied: list[int], limbs: int) -> None:
    cells, before = placed(to_limbs(ranks, limbs), to_limbs(occupied, limbs))
    assert (to_integers(cells).tolist(), before.tolist()) == expected(ranks, occupied)


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


def laid_out(cells: int, taken: list[int], old: list[int], kept: list[bool], drawn: dict[int, int]) -> dict[int, int]:
    """All entries that are kept of a table: number and value. `drawn` are the values of empty ones, by rank."""
    empty = [cell for cell in range(cells) if cell not in taken]
    found = {empty[rank]: value for rank, value in drawn.items()}
    return found | {cell: value for cell, value, mark in zip(taken, old, kept, strict=True) if mark}


tables = st.integers(1, 30).flatmap(
    lambda cells: st.tuples(st.just(cells), st.sets(st.integers(0, cells - 1)).map(sorted), st.randoms())
)


@given(tables, st.integers(1, 5), st.sampled_from([(1,), (2**31 - 1,) * 2, (2**31 - 1,) * 4]))
def test_stretches_make_up_the_table(table: Any, parts: int, more: tuple[int, ...]) -> None:
    """Wherever it is cut; also where the numbers are wide, for the same cells at the end of a far larger table."""
    cells, taken, dice = table
    sizes = (*more, 32)
    offset = math.prod(sizes) - cells
    room = CellNumbers(sizes)
    numbers = [cell + offset for cell in taken]
    occupied = to_limbs(numbers, room.empty(0).shape[1]) if room.wide else np.array(numbers, np.int64)
    exact = np.array([dice.randrange(100) for _ in taken], np.int64)
    stretches = cut(occupied, exact, range(math.prod(sizes)), parts)
    assert len(stretches) == parts
    assert sum(stretch.empty for stretch in stretches) == math.prod(sizes) - len(taken)
    assert np.concatenate([stretch.exact for stretch in stretches]).tolist() == exact.tolist()
    ends = [*(stretch.start for stretch in stretches[1:]), math.prod(sizes)]
    noisy, kept, first = [], [], 0
    drawn: dict[int, int] = {}
    for stretch, end in zip(stretches, ends, strict=True):
        mine = (to_integers(stretch.occupied) if room.wide else stretch.occupied).tolist()
        assert all(stretch.start <= number < end for number in mine)
        assert end - stretch.start == stretch.empty + len(mine)
        # only empty cells among the last ones can be drawn, so that the outcome is that of the small table
        before = max(0, min(offset, end) - stretch.start)
        ranks = [rank for rank in range(before, stretch.empty) if dice.random() < 0.6]
        noisy.append(np.array([dice.randrange(-9, 9) for _ in mine], np.int64))
        values = np.array([dice.randrange(100, 200) for _ in ranks], np.int64)
        marks = np.array([dice.random() < 0.6 for _ in mine], np.bool_)
        wide = stretch.empty > 2**62 - 1
        kept.append(
            Chosen(marks, to_limbs(ranks, limbs_for(stretch.empty)) if wide else np.array(ranks, np.int64), values)
        )
        drawn |= {first + rank - before: value for rank, value in zip(ranks, values.tolist(), strict=True)}
        first += stretch.empty - before
    found, values = merged(sizes, stretches, noisy, kept)
    plain = (to_integers(found) if room.wide else found).tolist()
    marks = np.concatenate([part.marks for part in kept]).tolist()
    expected_ = laid_out(cells, taken, np.concatenate(noisy).tolist(), marks, drawn)
    assert plain == sorted(plain)
    assert dict(zip((number - offset for number in plain), values.tolist(), strict=True)) == expected_


def test_stretches_share_out_the_occupied_and_the_empty() -> None:
    crowded = np.concatenate([np.arange(1000), [10**9 - 1]])
    for occupied in (crowded, np.empty(0, np.int64)):
        stretches = cut(occupied, np.ones(occupied.size, np.int64), range(10**9), 4)
        for stretch in stretches:
            assert len(stretch.exact) <= 501
            assert stretch.empty <= 5 * 10**8 + 1
    assert [stretch.start for stretch in stretches] == [0, 10**9 // 4, 10**9 // 2, 3 * 10**9 // 4]


def walked(gaps: list[int], size: int, words: int, places: int) -> tuple[list[int], bool, int]:
    """Positions by the kernels, from gaps that are split into so many digits and a top; and the position after them."""
    split = np.zeros((words, len(gaps)), np.uint64)
    put_bits(split, 8 * places, 62, np.array([gap >> (8 * places) for gap in gaps], np.int64))
    for place in range(places):
        put_bits(split, 8 * place, 8, np.array([(gap >> (8 * place)) & 255 for gap in gaps], np.uint8))
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
    assert numbers.decode(encoded[:0]).shape == (0, len(sizes))


@pytest.mark.parametrize("words", [[], [0], [2**64 - 1] * 3, [0, 1, 2**32, 2**63]])
def test_least_priorities_are_those_of_the_upper_end(words: list[int]) -> None:
    floors: Any = np.array([1.0, 64.0, 0.0])
    sizes, powers = np.full(len(words), 5), np.array([-1, 0, 1, -1][: len(words)], np.int16)
    out = np.empty(len(words))
    exponents, telling = np.zeros(2048, np.int64), np.uint64(2**32)
    more = out, out.view(np.int64), exponents
    few = least_priorities(sizes, powers, np.array(words, np.uint64), floors, 0.5, telling, *more)
    found = np.frexp(out)[1] - 1
    assert [int(exponents[1023 + power]) for power in found] == [int(np.sum(found == power)) for power in found]
    assert few == sum(word < 2**32 for word in words)
    tops = [max(5.0, floors[power]) for power in powers]
    assert out.tolist() == [0.5 * top / ((word + 1) * 2.0**-64) for top, word in zip(tops, words, strict=True)]


@pytest.mark.parametrize(("two_sided", "strong"), [(True, [0, 0, 3, 4, 7]), (False, [0, 0, 0, 4, 0])])
def test_what_is_below_the_filter_has_no_strength(two_sided: bool, strong: list[int]) -> None:
    out = np.empty(5, np.int64)
    strengths_of(np.array([0, 2, -3, 4, -7]), 3, two_sided, out)
    assert out.tolist() == strong


@given(st.lists(st.integers(0, 2**62 - 1), min_size=1, max_size=4), st.integers(0, 140), st.integers(1, 62))
def test_bits_are_put_where_they_belong(numbers: list[int], shift: int, width: int) -> None:
    """Also above and below bits that are there already."""
    numbers = [number >> (62 - width) for number in numbers]
    words = np.zeros((5, len(numbers)), np.uint64)
    for at in (shift + width, shift):
        put_bits(words, at, width, np.array(numbers, np.int64))
    found = to_integers(np.ascontiguousarray(words.T).view(np.uint32)).tolist()
    assert found == [number << shift | number << (shift + width) for number in numbers]


@given(st.lists(st.one_of(near_an_edge, st.integers(0, 3), st.integers(0, 2**127)), max_size=4), st.booleans())
def test_numbers_rise_if_each_is_above_the_one_before(numbers: list[int], in_order: bool) -> None:
    numbers = sorted(numbers) if in_order else numbers
    expected = all(one < other for one, other in pairwise(numbers))
    assert are_rising(to_limbs(numbers, 6)) == expected
    if all(number < 2**62 for number in numbers):
        assert are_rising(np.array(numbers, np.int64)) == expected
