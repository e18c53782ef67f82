"""The summed-area kernels against plain numpy."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from discreet.kernels.prefix import box_sums, prefix_sums


def sums(dense: NDArray[np.int64], first: NDArray[np.int64], last: NDArray[np.int64]) -> NDArray[np.int64]:
    prefix = prefix_sums(dense)
    strides = np.array(prefix.strides, dtype=np.int64) // prefix.itemsize
    return box_sums(prefix.ravel(), strides, first, last)


def random_boxes(
    rng: np.random.Generator, sizes: tuple[int, ...], boxes: int
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    one, other = (rng.integers(0, sizes, size=(boxes, len(sizes))) for _ in range(2))
    return np.minimum(one, other), np.maximum(one, other)


@given(st.lists(st.integers(1, 5), max_size=5), st.integers(0, 2**32), st.sampled_from([10, 2**40, 2**63]))
def test_equals_plain_numpy_even_where_prefixes_wrap(sizes: list[int], seed: int, magnitude: int) -> None:
    rng = np.random.default_rng(seed)
    dense = rng.integers(-magnitude, magnitude, size=sizes, dtype=np.int64)
    first, last = random_boxes(rng, tuple(sizes), 20)
    wanted = [
        dense[tuple(slice(f, t + 1) for f, t in zip(low, high, strict=True))].sum(dtype=np.int64)
        for low, high in zip(first, last, strict=True)
    ]
    assert sums(dense, first, last).tolist() == wanted


def test_prefix_is_padded_by_a_zero_hyperplane() -> None:
    prefix = prefix_sums(np.array([[1, 2], [3, 4]]))
    assert prefix.tolist() == [[0, 0, 0], [0, 1, 3], [0, 4, 10]]
    assert prefix.dtype == np.int64


def test_boxes_in_any_memory_order_and_no_boxes() -> None:
    dense = np.arange(24, dtype=np.int64).reshape(2, 3, 4)
    first, last = random_boxes(np.random.default_rng(1), dense.shape, 50)
    wanted = sums(dense, first, last)
    assert (sums(dense, np.asfortranarray(first), np.asfortranarray(last)) == wanted).all()
    assert (sums(np.asfortranarray(dense), first, last) == wanted).all()
    assert sums(dense, first[:0], last[:0]).shape == (0,)


@pytest.mark.parametrize(
    ("first", "last"),
    [([[-1, 0]], [[0, 0]]), ([[0, 0]], [[0, 3]]), ([[0, 0]], [[2, 0]]), ([[1, 0]], [[0, 0]])],
)
def test_a_box_outside_the_table_is_refused(first: list[list[int]], last: list[list[int]]) -> None:
    with pytest.raises(ValueError, match="outside the table"):
        sums(np.ones((2, 3), dtype=np.int64), np.array(first), np.array(last))


def test_boxes_of_other_attributes_are_refused() -> None:
    with pytest.raises(ValueError, match="do not fit 2 attributes"):
        sums(np.ones((2, 3), dtype=np.int64), np.zeros((1, 3), np.int64), np.zeros((1, 3), np.int64))
