"""Inputs at the edge of what is legal: each once broke a bound, a sign or the patience of a user."""

from __future__ import annotations

from decimal import Decimal, localcontext
from fractions import Fraction

import numpy as np
import pytest

from discreet.errors import BadParameter, CountOverflow
from discreet.noise import LARGEST_COUNT, Descent, Noise, ScriptedSource, placed, to_integers, to_limbs
from discreet.noise.descents import exact_redraw
from discreet.noise.draw import Drawer
from discreet.noise.draw_tables import DrawTable
from discreet.noise.geometric import laplace_digits
from discreet.noise.verify import verify_noise
from discreet.numbers.intervals import Complement, Interval, Rational
from discreet.numbers.laws import NoiseSum, half_widths
from discreet.privacy import Alpha, Number, exact
from tests.mixed_sums import MixedSum
from tests.noise_down import next_redraw, noise_down


@pytest.mark.parametrize("scale", ["1e-2", "1e-3", "1e-5", "1e-9"])
def test_scales_too_small_for_64_bits_have_the_least_alpha(scale: str) -> None:
    assert Alpha.of(scale).numerator == 1


def test_numbers_beyond_use_are_refused_at_once() -> None:
    texts = ["1e500", "1e-500", "1e1000000000", "9" * 2000, "1/" + "9" * 2000]
    numbers: list[Number] = [*texts, 10**5000, Fraction(1, 10**5000), Decimal("1e5000")]
    for value in numbers:
        with pytest.raises(BadParameter, match="epsilon must"):
            exact(value, "epsilon")
    with pytest.raises(BadParameter, match="too large"):
        Alpha.of("1e300")


def test_an_epsilon_next_to_ln_2_in_many_digits_is_proved_right() -> None:
    with localcontext() as context:
        context.prec = 400
        text = str(Decimal(2).ln())
    assert verify_noise(text).passed


def cut_draw(table: DrawTable, index_bits: int, minus: bool, largest: int) -> int:
    """The outcome of a U so small that the index is enormous; scripted zeros, then a word that picks the sign."""
    out = np.empty(1, np.int64)
    last = (1 << 64) - 1 if not minus else (1 << 63) - 1 - (1 << 61)
    script = bytes(2 + 8 + 8 * index_bits) + np.uint64(last).tobytes() + b"\xff" * 64
    Drawer(ScriptedSource(script), 1).draw(table, out, largest=largest)
    return int(out[0])


def test_a_draw_that_sticks_keeps_its_sign_and_clears_every_clamp() -> None:
    table = laplace_digits(Alpha.of(1)).top
    drawn = {cut_draw(table, bits, minus, 50) for bits in range(2, 8) for minus in (False, True)}
    assert drawn <= {50, -51}
    assert len(drawn) == 2
    digits = laplace_digits(Alpha.of(2**52))
    stuck = (((1 << 62) - 1) >> (8 * len(digits.digits))) + 1
    assert stuck << (8 * len(digits.digits)) >= LARGEST_COUNT + LARGEST_COUNT + 1


@pytest.mark.parametrize("pair", [(2**62, -(2**62)), (2**63 - 1, -(2**63) + 5), (2**60, 0)])
def test_distant_pairs_are_refused_everywhere(pair: tuple[int, int]) -> None:
    noisy, counts = np.array([pair[0]]), np.array([pair[1]])
    with pytest.raises(CountOverflow):
        noise_down(Noise(), noisy, counts, 10, 5)
    with pytest.raises(CountOverflow):
        next_redraw(Noise(), noisy, counts, Descent(Fraction(10), Fraction(1), 9))
    with pytest.raises(CountOverflow):
        Noise().descend(noisy, counts, Descent(Fraction(10), Fraction(1), 9))


def test_small_integer_types_do_not_wrap() -> None:
    down = noise_down(Noise(), np.full(4, 100, np.int8), np.full(4, -100, np.int8), 10, 5)
    assert down.dtype == np.int64
    wide = noise_down(Noise(), np.zeros(2000, np.int32), np.zeros(2000, np.int32), 10**11, 10**10, redrawn=True)
    assert np.abs(wide).max() > 2**31
    with pytest.raises(BadParameter, match="noisy answers"):
        noise_down(Noise(), np.zeros(3, int), np.zeros(2, int), 10, 5)
    top = noise_down(Noise(), np.full(50, LARGEST_COUNT), np.full(50, LARGEST_COUNT), 1000, 999, redrawn=True)
    assert top.max() <= LARGEST_COUNT


def test_scales_that_are_one_in_64_bits_change_nothing() -> None:
    noisy = np.array([3, 9])
    assert noise_down(Noise(), noisy, noisy, "0.02", "0.01").tolist() == [3, 9]
    with pytest.raises(BadParameter, match="in 64 bits"):
        noise_down(Noise(), noisy, noisy, "0.02", "0.01", redrawn=True)


@pytest.mark.parametrize(
    ("descent", "word"),
    [
        (Descent(Fraction("133455.8"), Fraction("1.0716"), 124_382), 23228176748940244),
        (Descent(582_514 * (step := Fraction(4_822_444_681)) + Fraction(3, 20), step, 582_514), 8),
    ],
)
def test_floats_near_their_bound_leave_the_decision_to_integers(descent: Descent, word: int) -> None:
    zero = np.zeros(1, np.int64)

    def bits() -> ScriptedSource:
        return ScriptedSource(np.array([word] + [1 << 63] * 9, np.uint64).tobytes())

    rest = bits()
    rest.fill(np.empty(1, np.uint64))
    assert next_redraw(Noise(bits()), zero, zero, descent)[0] == exact_redraw(0, word, descent, rest)


def test_descents_are_checked_when_they_are_made() -> None:
    for scale, step, steps in ((10, Fraction(1, 2**70), 2**62), (2**60, 1, 5), (10**400, 1, 5)):
        with pytest.raises(BadParameter, match="descent"):
            Descent(Fraction(scale), Fraction(step), steps)


def test_ranks_and_cells_of_different_width() -> None:
    wide = placed(to_limbs([2**64 - 6], 2), to_limbs(range(10), 4))[0]
    assert to_integers(wide).tolist() == [2**64 + 4]
    assert to_integers(placed(to_limbs([3, 4, 5], 4), to_limbs([0, 2**63], 2))[0]).tolist() == [4, 5, 6]
    mixed = placed(np.array([0, 1, 2]), to_limbs([1, 2**80], 4))[0]
    assert to_integers(mixed).tolist() == [0, 2, 3]
    with pytest.raises(BadParameter, match="int64"):
        placed(np.array([1]), np.array([1], np.uint64))


def test_ranges_and_probabilities_out_of_reach_are_refused() -> None:
    noise = Noise()
    for size in (-1, 10**309):
        with pytest.raises(BadParameter, match="range"):
            noise.positions(Rational(Fraction(1, 2)), size)
    assert 9000 < len(noise.positions(Rational(Fraction(1, 10**295)), 10**299)) < 11_000
    for p, size in ((Fraction(1, 10**301), 10**299), (Fraction(1, 2**20000), 10**299), (Fraction(1, 2**20000), 2**61)):
        with pytest.raises(BadParameter, match="probability of at least"):
            noise.positions(Rational(p), size)
    for limit in (Fraction(0), Fraction(1, 10**400), Fraction(10**310)):
        with pytest.raises(BadParameter, match="limit above zero"):
            noise.coins(np.array([1]), limit)
    with pytest.raises(BadParameter, match="at most 1"):
        noise.coin(Rational(Fraction(3, 2)), 3)
    with pytest.raises(BadParameter, match="ratio"):
        noise.geometric(Rational(Fraction(1)), 3)
    with pytest.raises(BadParameter, match="cannot draw"):
        noise.integers(5, -1)
    with pytest.raises(CountOverflow):
        noise.coins(np.array([-(2**63)]), Fraction(2))
    with pytest.raises(ValueError, match="negative"):
        Interval.of(1, 8) ** -1
    assert noise.integers(np.int64(7), np.int64(3)).size == 3  # type: ignore[arg-type]
    assert noise.geometric(Complement(Rational(Fraction(1, 2**40))), np.int64(3)).size == 3  # type: ignore[arg-type]


def test_one_wide_draw_among_narrow_ones_is_quick_and_safe() -> None:
    """Compared with the wide draw alone, whose quantile it exceeds by a hair."""
    for scale in ("1e4", "1e6", "1e9"):
        alone = NoiseSum(Alpha.of(scale), 1).half_width(0.95)
        both = MixedSum(((Alpha.of(scale), 1), (Alpha.of("0.05"), 1))).half_width(0.95)
        assert alone <= both <= alone * 1.0001 + 2


def test_levels_next_to_one_are_answered_and_counts_beyond_reach_refused() -> None:
    law = NoiseSum(Alpha.of("1.7"), 2)
    widths = [law.half_width(1 - miss) for miss in (1e-9, 3e-10, 1e-10, 1e-12, 1e-15)]
    assert widths == sorted(widths)
    # the chance beyond h is that of one draw times a linear factor, so 1e-15 needs at least this much
    assert widths[-1] > NoiseSum(Alpha.of("1.7"), 1).half_width(1 - 1e-15)
    assert widths[-1] < 2 * widths[0]
    assert law.within(-1) == 0
    with pytest.raises(BadParameter, match="2\\*\\*60"):
        half_widths(Alpha.of(1), np.array([2**63 - 1]), 0.95)
