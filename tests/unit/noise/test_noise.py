"""Edges of the room: shapes, extremes, overflow, and the zero-noise double."""

from __future__ import annotations

from fractions import Fraction
from itertools import combinations, pairwise
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from discreet.errors import BadParameter, CountOverflow
from discreet.noise import LARGEST_COUNT, Descent, Noise, ScriptedSource, ZeroNoise
from discreet.noise.draw import CHUNK, Drawer
from discreet.noise.geometric import laplace_digits
from discreet.noise.noise import FEW, PIECE
from discreet.numbers.intervals import Complement, Rational
from discreet.privacy import Alpha
from tests.laplace_law import follows_laplace
from tests.noise_down import noise_down
from tests.statistics import compare

HALF = Rational(Fraction(1, 2))


@pytest.mark.parametrize("shape", [0, 1, (), (3, 4), (2, 0, 5), CHUNK - 1, CHUNK, CHUNK + 1, (3, CHUNK)])
def test_any_shape(shape: int | tuple[int, ...]) -> None:
    noise = Noise()
    for drawn in (noise.laplace("2.5", shape), noise.geometric(HALF, shape), noise.coin(HALF, shape)):
        assert drawn.shape == np.empty(shape).shape
        if drawn.size > 1000:
            tail = drawn.reshape(-1)[-100:]
            assert np.unique(tail).size > 1


@pytest.mark.parametrize("scale", ["0.001", "0.01", "1", "255.9", "256.1", "65536", "1e6", "1e9", "1e12", 2**52])
def test_any_scale(scale: str | int) -> None:
    assert follows_laplace(Noise().laplace(scale, 20_000), Fraction(scale)).holds


@pytest.mark.parametrize("scale", [10**5, 10**7, 10**9])
def test_digits_of_wide_noise_share_no_bits(scale: int) -> None:
    """Bytes of a draw that were drawn from the same bits would be the same, or follow from each other."""
    drawn = Noise().laplace(scale, 200_000)
    for low, high in pairwise(range(0, scale.bit_length() - 4, 8)):
        one, other = drawn >> low & 255, drawn >> high & 255
        assert abs(np.mean(one == other) - 1 / 256) < 0.001
        assert abs(np.asarray(np.corrcoef(one, other))[0, 1]) < 0.02


def test_a_hundred_million_at_once() -> None:
    drawn = Noise().laplace(1, 10**8)
    assert drawn.size == 10**8
    assert follows_laplace(drawn[-(10**6) :], Fraction(1)).holds


def test_blocks_have_their_own_scales() -> None:
    zeros = [np.zeros(size, np.int64) for size in (1000, 1000, 0)]
    drawn = Noise().add_blocks(zeros, ["0.001", 1000, 5])
    assert [block.size for block in drawn] == [1000, 1000, 0]
    assert not drawn[0].any()
    assert follows_laplace(drawn[1], Fraction(1000)).holds
    with pytest.raises(BadParameter, match="one scale for each block"):
        Noise().add_blocks(zeros[:2], [1])


def test_blocks_of_one_scale_and_size_share_no_noise() -> None:
    """Where two tables have the same noise, their difference is exact."""
    for size in (1000, FEW + 1):
        drawn = Noise().add_blocks([np.zeros(size, np.int64)] * 3, [1000, 1000, 1000])
        for one, other in combinations(drawn, 2):
            assert np.mean(one == other) < 0.05


def test_pieces_of_a_long_array_share_no_noise() -> None:
    noisy = Noise().add(np.zeros(3 * PIECE + 5, np.int64), 1000)
    for one, other in combinations(np.split(noisy[: 3 * PIECE], 3), 2):
        assert np.mean(one == other) < 0.01


#: bits of which the first say that noise is far out, twelve scales and more
FAR = bytes(16) + b"\xff" * 64


@pytest.mark.parametrize("scale", [Fraction(1, 20), 1, Fraction(7, 3), 100, 1000, 10**6, 10**9])
def test_noise_has_no_largest_value(scale: Fraction | int) -> None:
    """A value that noise cannot reach from one count, and can from its neighbour, tells them apart for sure."""
    draws = [
        Noise(ScriptedSource(FAR)).laplace(scale),
        Noise(ScriptedSource(FAR)).add(np.zeros(1, np.int64), scale),
        Noise(ScriptedSource(FAR)).add_blocks([np.zeros(1, np.int64)], [scale])[0],
    ]
    for drawn in draws:
        assert abs(int(drawn[0])) >= 40 * scale


def test_every_salt_is_fresh() -> None:
    noise = Noise()
    assert len({noise.salt() for _ in range(100)} | {Noise().salt() for _ in range(100)}) == 200


@pytest.mark.parametrize("count", [2**61, 2**62, -(2**62), 2**63 - 1, -(2**63)])
def test_counts_too_large_are_refused_without_being_shown(count: int) -> None:
    with pytest.raises(CountOverflow) as caught:
        Noise().add(np.array([1, count]), 1)
    assert str(abs(count)) not in str(caught.value)


def test_counts_at_the_edge_never_wrap() -> None:
    counts = np.array([LARGEST_COUNT, -LARGEST_COUNT] * 5000)
    noisy = Noise().add(counts, "1e12")
    assert np.all(np.sign(noisy) == np.sign(counts))
    assert np.all(np.abs(noisy) <= LARGEST_COUNT)
    assert compare(np.array([np.sum(np.abs(noisy) == LARGEST_COUNT)]), noisy.size, np.array([0.5])).holds


def test_a_draw_beyond_all_bounds_saturates_beyond_every_clamp() -> None:
    """All-zero bits spell an ever larger noise; eight words of them, and it still is not wrapped."""
    digits = laplace_digits(Alpha.of(10))
    out = np.empty(1, np.int64)
    script = bytes(2 + 8 + 8 * 8) + b"\xff" * 16
    Drawer(ScriptedSource(script), 1).draw(digits.top, out)
    assert abs(int(out[0])) > 10 * 64 * 8 * 0.69


@pytest.mark.parametrize("bad", [np.array([1.5]), np.array(["1"]), np.array([True]), np.array([None])])
def test_counts_must_be_integers(bad: NDArray[Any]) -> None:
    with pytest.raises(BadParameter, match="whole numbers"):
        Noise().add(bad, 1)


def test_unsigned_counts_are_fine_and_inputs_stay() -> None:
    counts = np.array([1, 2, 3], np.uint8)
    noisy = Noise().add(counts, "0.001")
    assert noisy.dtype == np.int64
    assert noisy.tolist() == counts.tolist() == [1, 2, 3]


@pytest.mark.parametrize("scale", [0, -1, "nan", float("inf"), "1e17"])
def test_bad_scales_are_refused(scale: object) -> None:
    for noise in (Noise(), ZeroNoise()):
        with pytest.raises(BadParameter, match="scale"):
            noise.laplace(scale, 3)  # type: ignore[arg-type]


def test_a_geometric_too_wide_is_refused() -> None:
    with pytest.raises(BadParameter, match="too wide"):
        Noise().geometric(Complement(Rational(Fraction(1, 10**20))), 1)


def test_zero_noise_changes_nothing() -> None:
    noise, counts = ZeroNoise(), np.array([5, 0, -3])
    assert noise.add(counts, 100).tolist() == counts.tolist()
    assert not noise.geometric(HALF, 50).any()
    assert noise.positions(HALF, 10**6).size == 0
    assert noise.descend(counts, counts, Descent(Fraction(10), Fraction(1), 5)).answer.size == 0
    assert noise.subset(10, 4).size == 4


def test_descents_end_above_zero() -> None:
    with pytest.raises(BadParameter, match="above zero"):
        Descent(Fraction(10), Fraction(1), 10)
    with pytest.raises(BadParameter, match="below the old one"):
        noise_down(Noise(), np.array([1]), np.array([1]), 5, 6)
