"""Noise without tables: the same law as from tables, floats only where they prove a draw, and any scale at all."""

from __future__ import annotations

import importlib
import random
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from discreet.errors import BadParameter
from discreet.kernels.float_draws import signed_geometric
from discreet.noise import LARGEST_COUNT, Noise, ScriptedSource, SeededSource, ZeroNoise
from discreet.noise import draw as drawing
from discreet.noise import noise as room
from discreet.noise.draw import read_on
from discreet.noise.geometric import few
from discreet.noise.ladders import Coin, GeometricLadder
from discreet.numbers.intervals import Rational
from discreet.privacy import Alpha
from tests.laplace_law import LaplaceLaw, follows_laplace
from tests.statistics import compare_law

Ints = NDArray[np.int64]

few_module = importlib.import_module("discreet.noise.geometric")

N = 200_000
dice = random.SystemRandom()


def stream() -> Any:
    return Noise().source.stream()


def random_scale() -> Fraction:
    denominator = dice.randrange(101, 10**6, 2)
    return Fraction(max(1, round(10 ** dice.uniform(-1.2, 7) * denominator)), denominator)


@pytest.mark.parametrize("_", range(15))
def test_the_law_at_a_random_scale_is_that_of_the_tables(_: int) -> None:
    scale = random_scale()
    for sample in (few(scale, N, stream()), Noise().laplace(scale, N)):
        result = follows_laplace(sample, scale)
        assert result.holds, (scale, result)


def test_the_same_test_rejects_faults() -> None:
    scale, many = Fraction(10, 7), 500_000
    right = few(scale, many, stream())
    assert follows_laplace(right, scale).holds
    assert not follows_laplace(few(scale * Fraction(105, 100), many, stream()), scale).holds
    assert not follows_laplace(np.where(right < 0, right + 1, right), scale).holds  # zero is drawn with both signs
    assert not follows_laplace(np.where(np.arange(many) % 20 == 0, np.abs(right), right), scale).holds
    wide = Fraction(10**4)
    assert not follows_laplace(few(wide * Fraction(95, 100), many, stream()), wide).holds


def test_sizes_and_signs_of_neighbours_are_independent() -> None:
    scale = Fraction(5, 2)
    drawn = few(scale, 2 * N, stream())
    law, kinds = LaplaceLaw.of(scale), np.clip(drawn, -3, 3) + 3
    single = np.array([law.tail(3), law.pmf(2), law.pmf(1), law.pmf(0), law.pmf(1), law.pmf(2), law.tail(3)])
    both = (kinds[0::2] * 7 + kinds[1::2]).astype(np.int64)
    assert compare_law(both, 0, np.outer(single, single).reshape(-1)).holds


class Zeros(ScriptedSource):
    def fill(self, out: NDArray[Any]) -> None:
        out[:] = 0


ZEROS = Zeros(b"")
#: what no draw is: the float's word where it is not sure
SPOILED = -(1 << 50)


def exact_draw(scale: Fraction, sign: int, size: int) -> int:
    alpha = Alpha.of(scale).fraction
    found = read_on(GeometricLadder(Rational(alpha)), 0, size, ZEROS)
    return -1 - found if read_on(Coin(Rational(alpha / (1 + alpha))), 0, sign, ZEROS) else found


@pytest.mark.parametrize("scale", ["0.07", "0.3", "1", "37/7", "1000", "1000000", "16000000"])
def test_floats_decide_only_what_they_prove(scale: str) -> None:
    """Words just above and just below the border between two outcomes, in size and in sign."""
    rational = Fraction(scale)
    alpha = Alpha.of(rational).fraction
    border = Coin(Rational(alpha / (1 + alpha))).rung(1, 256).low >> 192
    offsets = [
        sign * 2**power * k // 4 for power in (2, 9, 12, 15, 16, 17, 18, 20, 25, 34) for sign in (-1, 1) for k in (4, 5)
    ]
    sizes, signs = [], []
    for _ in range(30):
        rung = GeometricLadder(Rational(alpha)).rung(1 + int(rational * Fraction(dice.random())), 256).low >> 192
        sizes += [rung + offset for offset in offsets]
        signs += [dice.getrandbits(64) for _ in offsets]
    sizes += [dice.getrandbits(64) for _ in offsets]
    signs += [border + offset for offset in offsets]
    inside = [(u, v) for u, v in zip(signs, sizes, strict=True) if 0 <= u < 2**64 and 0 < v < 2**64]
    words = np.array(inside, np.uint64).T.copy()
    n = words.shape[1]
    out, least, sure = np.empty(n, np.int64), np.empty(n, np.int64), np.empty(n, np.bool_)
    signed_geometric(float(rational), words[0], words[1], out, least, sure)
    assert 0 < sure.sum() < n
    for (sign, size), found, proved, decided in zip(inside, out.tolist(), least.tolist(), sure, strict=True):
        exact = exact_draw(rational, sign, size)
        assert proved <= (exact if exact >= 0 else -1 - exact)
        assert not decided or found == exact, (sign, size)


@pytest.mark.parametrize("scale", ["0.01", "0.5", "12.5", "1e6", "1e12"])
def test_integers_draw_what_floats_draw(scale: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """The same bits, with a kernel that is never sure; further bits come from elsewhere."""
    seed = dice.getrandbits(60)
    monkeypatch.setattr(drawing, "word", lambda _: dice.getrandbits(64))
    floats = few(Fraction(scale), 60, SeededSource(seed).stream())

    def never_sure(*arguments: Any) -> None:
        signed_geometric(*arguments)
        arguments[-3][:] = SPOILED
        arguments[-1][:] = False

    monkeypatch.setattr(few_module, "signed_geometric", never_sure)
    integers = few(Fraction(scale), 60, SeededSource(seed).stream())
    assert np.array_equal(floats, integers), seed


def test_the_law_without_floats(monkeypatch: pytest.MonkeyPatch) -> None:
    def never_sure(*arguments: Any) -> None:
        signed_geometric(*arguments)
        arguments[-3][:] = SPOILED
        arguments[-2][:] = 0
        arguments[-1][:] = False

    monkeypatch.setattr(few_module, "signed_geometric", never_sure)
    scale = Fraction(7, 3)
    drawn = few(scale, 4000, stream())
    assert follows_laplace(drawn, scale).holds
    assert not follows_laplace(2 * drawn, scale).holds


@pytest.mark.parametrize("scale", ["1e-9", "1/100", "1/25", "1/16"])
def test_tiny_scales(scale: str) -> None:
    sample = few(Fraction(scale), 2000, stream())
    assert follows_laplace(sample, Fraction(scale)).holds


@pytest.mark.parametrize("power", [24, 30, 34, 45, 52])
def test_huge_scales(power: int) -> None:
    """Beyond about 2**30 floats prove nothing, and the answer is too far to be walked to."""
    sample = few(Fraction(2**power), 30, stream())
    assert 2**power // 100 < np.abs(sample).max() < 50 * 2**power
    assert np.unique(sample).size == 30


def test_an_all_zero_word_is_read_on() -> None:
    """U below 2**-64: the size is at least 64 ln 2 times the scale."""
    script = bytes(8) + bytes(8) + np.array([2**63, 2**63 + 2**62], np.uint64).tobytes()
    found = few(Fraction(10), 1, ScriptedSource(script))
    assert found[0] < -440


def test_blocks_are_drawn_without_tables_where_floats_prove_enough(monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[Fraction] = []

    def watched(scale: Fraction, count: int, given: Any) -> Ints:
        asked.append(scale)
        return few(scale, count, given)

    monkeypatch.setattr(room, "few", watched)
    scales: list[str | int] = ["1/20", "1/2", 100, 2**30]
    blocks = Noise().add_blocks([np.full(2000, 5)] * 4, scales)
    assert asked == [Fraction(1, 2), Fraction(100)]
    for block, scale in zip(blocks, scales, strict=True):
        assert follows_laplace(block - 5, Fraction(scale)).holds
    Noise().add_blocks([np.zeros((1 << 17) + 1, np.int64)], [3])
    assert len(asked) == 2


def test_blocks_are_clamped_and_zero_noise_leaves_them() -> None:
    full = np.array([LARGEST_COUNT, -LARGEST_COUNT])
    for block in Noise().add_blocks([full] * 20, [100] * 20):
        assert np.abs(block).max() <= LARGEST_COUNT
    assert ZeroNoise().add_blocks([full], [100])[0].tolist() == full.tolist()
    with pytest.raises(BadParameter):
        Noise().add_blocks([np.array([0.5])], [1])
