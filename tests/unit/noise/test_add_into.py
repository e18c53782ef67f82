"""Noise in place, on tables of any layout: every entry once, nothing beside it, on one core or all."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest

from discreet.errors import BadParameter, CountOverflow
from discreet.noise import LARGEST_COUNT, Noise, SeededSource, ZeroNoise
from discreet.noise.noise import PIECE
from tests.laplace_law import follows_laplace
from tests.statistics import mean_agrees


def has_the_law(drawn: np.ndarray[tuple[int, ...], np.dtype[np.int64]]) -> bool:
    return follows_laplace(drawn, Fraction(3)).holds


@pytest.mark.parametrize(
    "shape", [(2 * PIECE + 7,), (3, PIECE + 1), (1, 1, PIECE + 5), (PIECE // 2, 5), (5, 1, 700, PIECE // 2000)]
)
def test_tables_of_several_pieces(shape: tuple[int, ...]) -> None:
    """Contiguous and strided; what lies between the strides is not touched, and neighbours share no noise."""
    whole = np.full((*shape[:-1], 2 * shape[-1]), 1000, np.int64)
    Noise().add_into(whole[..., ::2], 3)
    assert np.all(whole[..., 1::2] == 1000)
    drawn = whole[..., ::2] - 1000
    assert has_the_law(drawn)
    flat = drawn.reshape(-1)[: drawn.size // 2 * 2].reshape(-1, 2)
    assert mean_agrees(flat.astype(np.float64).prod(axis=1)), "products of what is independent are symmetric"
    again = np.zeros(shape, np.int64)
    Noise().add_into(again, 3)
    assert has_the_law(again)
    assert np.mean(again == drawn) < 0.3, "every call has noise of its own"


def test_pieces_are_all_different() -> None:
    """No piece repeats the noise of another, as it would if threads shared a stream."""
    table = np.zeros((4, PIECE), np.int64)
    Noise().add_into(table, 1000)
    for one in range(4):
        for other in range(one):
            assert np.mean(table[one] == table[other]) < 0.01


def test_one_entry_and_none() -> None:
    table = np.zeros((3, 3), np.int64)
    Noise().add_into(table[1:2, 1:2], 10**15)
    assert np.count_nonzero(table) == 1  # so wide a draw is zero once in 2 * 10**15
    Noise().add_into(table[:0], 5)
    assert np.count_nonzero(table) == 1


def test_a_seed_gives_the_same_table() -> None:
    """Sources whose streams depend on their order are used on one core."""
    first, second = np.zeros((3, PIECE), np.int64), np.zeros((3, PIECE), np.int64)
    for table in (first, second):
        Noise(SeededSource(5)).add_into(table, 7)
    assert np.array_equal(first, second)


def test_nothing_is_changed_where_it_is_refused() -> None:
    table = np.full((2, 3), 7, np.int64)
    with pytest.raises(BadParameter):
        Noise().add_into(table, 2**53)
    assert np.all(table == 7)
    table[0, 0] = LARGEST_COUNT + 1
    with pytest.raises(CountOverflow):
        Noise().add_into(table, 2)
    assert table[1, 2] == 7


def test_zero_noise_adds_none() -> None:
    table = np.arange(12).reshape(3, 4)
    ZeroNoise().add_into(table[:, ::2], 5)
    assert np.array_equal(table, np.arange(12).reshape(3, 4))
