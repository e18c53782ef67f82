"""Floats decide a draw of a descent only where they prove it: words next to every border, and no floats at all."""

from __future__ import annotations

import random
from collections.abc import Callable
from decimal import Decimal, localcontext
from fractions import Fraction
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from discreet.errors import BadParameter
from discreet.kernels import redraws as kernels
from discreet.noise import Descent, Noise, Redraws, ScriptedSource, SeededSource, descents
from discreet.noise import draw as drawing
from discreet.noise.descents import exact_redraw
from discreet.noise.down import Moves
from discreet.noise.draw import read_on
from discreet.noise.ladders import Digit, GeometricLadder, Ladder
from discreet.numbers.intervals import Rational
from tests.laplace_law import LaplaceLaw
from tests.law.descents import after, transition
from tests.statistics import compare

Ints = NDArray[np.int64]

#: short and long ways down, from wide and from narrow scales, in large and in small steps
DESCENTS = [
    Descent(Fraction(7), Fraction(1, 100), 690),
    Descent(Fraction(10**6), Fraction(10), 99_998),
    Descent(Fraction(10**6), Fraction(1, 100), 99_999_000),
    Descent(Fraction(10**4), Fraction(1, 3), 29_997),
]
by_descent = pytest.mark.parametrize("descent", DESCENTS, ids=[f"{float(d.scale):.0f}-{d.steps}" for d in DESCENTS])
#: how far from a border, in units of 2**-64
OFFSETS = [sign * 2**power for power in (2, 11, 14, 16, 17, 18, 19, 21, 24, 29, 36, 44) for sign in (-1, 1)]
dice = random.SystemRandom()


class Zeros(ScriptedSource):
    """Whoever reads on from a word reads zeros; they decide only for a word that is the first 64 bits of a border."""

    def fill(self, out: NDArray[Any]) -> None:
        out[:] = 0


ZEROS = Zeros(b"")


def near(border: int) -> list[int]:
    return [border + offset for offset in OFFSETS if 0 < border + offset < 2**64]


def first_word(ladder: Ladder, j: int) -> int:
    """The first 64 bits of rung j."""
    return ladder.rung(j, 256).low >> 192


def filled(words: list[int]) -> tuple[NDArray[np.uint64], Ints, Ints, NDArray[np.bool_]]:
    n = len(words)
    return np.array(words, np.uint64), np.empty(n, np.int64), np.empty(n, np.int64), np.empty(n, np.bool_)


def ways(descent: Descent, cases: int) -> list[tuple[int, int]]:
    """A step, and a distance that is likely by then; late steps, at narrow scales, too."""
    steps = [dice.randrange(1, descent.steps + 1) for _ in range(cases // 2)]
    steps += [max(1, descent.steps - round(10 ** dice.uniform(0, 4))) for _ in range(cases // 2)]
    return [(step, round(float(descent.at(step)) * 10 ** dice.uniform(-2, 1.5)) + 1) for step in steps]


@by_descent
def test_the_step_of_a_redraw_next_to_its_borders(descent: Descent) -> None:
    for step, distance in ways(descent, 10):
        at = dice.randrange(0, step)
        left = Descent(descent.at(at), descent.step, descent.steps - at)
        border = left.kept(distance, step - at, 256).low >> 192
        words, to, _, sure = filled(near(border))
        same = np.full(words.size, 1)
        kernels.redraw_steps(distance * same, at * same, words, descent.numbers, descent.steps, to, sure)
        for word, found in zip(words[sure].tolist(), to[sure].tolist(), strict=True):
            assert found == at + exact_redraw(distance, word, left, ZEROS), (step, distance, word)


@by_descent
def test_the_logarithm_of_the_kept_probability_is_as_near_as_it_says(descent: Descent) -> None:
    for step, distance in [*ways(descent, 100), (descent.steps, 1)]:
        old, new, gap = (float(x) for x in (descent.scale, descent.at(step), step * descent.step))
        kept = descent.kept(distance, step, 4000).low
        found = kernels._log_kept(distance, old, new, gap)
        if kept >> 2900:
            with localcontext(prec=60):
                true = Decimal(kept).ln() - 4000 * Decimal(2).ln()
                error = abs(Decimal(found) - true)
            assert error <= kernels._kept_error(distance, old, new, gap)


@by_descent
def test_where_a_redrawn_answer_goes_next_to_the_borders(descent: Descent) -> None:
    looked_at = 0
    for step, distance in ways(descent, 10):
        moves = Moves(descent.down(step), distance, True)
        words, move, _, sure = filled([word for j in (1, 2) for word in near(first_word(moves, j))])
        same = np.full(words.size, 1)
        kernels.redraw_moves(distance * same, step * same, words, descent.numbers, move, sure)
        looked_at += int(sure.sum())
        for word, found in zip(words[sure].tolist(), move[sure].tolist(), strict=True):
            assert found == read_on(moves, 0, word, ZEROS), (step, distance, word)
    assert looked_at


@by_descent
def test_jumps_next_to_their_borders(descent: Descent) -> None:
    looked_at = 0
    for step, distance in ways(descent, 20):
        ladder = GeometricLadder(Rational(descent.down(step).product))
        words, out, least, sure = filled(near(first_word(ladder, distance)))
        kernels.geometric_jumps(np.full(words.size, step), words, descent.numbers, out, least, sure)
        looked_at += int(sure.sum())
        for word, found, proved, decided in zip(words.tolist(), out.tolist(), least.tolist(), sure, strict=True):
            exact = read_on(ladder, 0, word, ZEROS)
            assert proved <= exact
            assert not decided or found == exact, (step, distance, word)
    assert looked_at


@by_descent
def test_inward_moves_next_to_their_borders(descent: Descent) -> None:
    looked_at = 0
    for step, distance in ways(descent, 20):
        size = distance + 1
        ladder = Digit(Rational(descent.down(step).ratio), size)
        rungs = {1, min(5, size - 1), dice.randrange(1, size), size - 1}
        words, out, least, sure = filled([word for j in rungs for word in near(first_word(ladder, j))])
        same = np.full(words.size, 1)
        kernels.inward_moves(size * same, step * same, words, descent.numbers, out, least, sure)
        looked_at += int(sure.sum())
        for word, found, proved, decided in zip(words.tolist(), out.tolist(), least.tolist(), sure, strict=True):
            exact = read_on(ladder, 0, word, ZEROS)
            assert proved <= exact
            assert not decided or found == exact, (step, size, word)
    assert looked_at


def unsure(monkeypatch: pytest.MonkeyPatch, *, nothing_proved: bool) -> None:
    """Kernels that are never sure of anything; bits that are read on come from elsewhere."""

    def never(kernel: Callable[..., None]) -> Callable[..., None]:
        def filling(*arguments: Any) -> None:
            kernel(*arguments)
            arguments[-1][:] = False
            if nothing_proved and kernel in (kernels.geometric_jumps, kernels.inward_moves):
                arguments[-2][:] = 0

        return filling

    names = ("redraw_steps", "redraw_moves", "geometric_jumps", "inward_moves")
    patched = {**vars(kernels), **{name: never(getattr(kernels, name)) for name in names}}
    monkeypatch.setattr(descents, "kernels", SimpleNamespace(**patched))
    for room in (drawing, descents):
        monkeypatch.setattr(room, "word", lambda stream: dice.getrandbits(64))


def seeded(descent: Descent, n: int, seed: int) -> tuple[Ints, Redraws]:
    noise, counts = Noise(SeededSource(seed)), np.zeros(n, np.int64)
    start = noise.laplace(descent.scale, n)
    return start, noise.descend(start, counts, descent)


@by_descent
@pytest.mark.parametrize("nothing_proved", [False, True])
def test_integers_draw_what_floats_draw(
    descent: Descent, nothing_proved: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    seed = dice.getrandbits(60)
    start, floats = seeded(descent, 12, seed)
    unsure(monkeypatch, nothing_proved=nothing_proved)
    again, integers = seeded(descent, 12, seed)
    assert np.array_equal(start, again)
    assert floats.answer.size > 12
    for name in ("answer", "step", "offset"):
        assert np.array_equal(getattr(floats, name), getattr(integers, name)), (name, seed)


def test_the_law_without_floats(monkeypatch: pytest.MonkeyPatch) -> None:
    """From a distance of 2 at scale 3 down to scale 1 in four steps."""
    unsure(monkeypatch, nothing_proved=True)
    n, descent = 3000, Descent(Fraction(3), Fraction(1, 2), 4)
    noise, counts = Noise(), np.zeros(n, np.int64)
    found = after(counts + 2, noise.descend(counts + 2, counts, descent), 4)
    values = np.arange(-60, 61)
    law = transition(Fraction(3), Fraction(1), values)[62]
    hits = np.array([np.sum(found == value) for value in range(-4, 6)])
    assert compare(hits, n, law[56:66]).holds
    fresh = LaplaceLaw.of(1).pmf(values)[56:66]
    assert not compare(hits, n, fresh).holds


def test_steps_that_64_bits_do_not_tell_apart() -> None:
    """From 2**40 on, most steps of one leave alpha as it is; answers are redrawn in the others."""
    descent = Descent(Fraction(2**40), Fraction(1), 2**36)
    noise, counts = Noise(), np.zeros(40, np.int64)
    start = noise.add(counts, descent.scale)
    redraws = noise.descend(start, counts, descent)
    assert np.all((redraws.step >= 1) & (redraws.step <= descent.steps))
    for step in redraws.step.tolist():
        assert descent.down(step).ratio < 1


def test_wide_scales_and_long_ways_take_no_longer() -> None:
    """From 10**9 in 2**30 steps floats prove nothing, and the distance is far too long to be walked rung by rung."""
    descent = Descent(Fraction(10**9), Fraction(10**9, 2**30), 2**28)
    noise, counts = Noise(), np.zeros(20, np.int64)
    redraws = noise.descend(noise.add(counts, descent.scale), counts, descent)
    assert np.all(redraws.step <= descent.steps)


def test_a_descent_must_fit_into_62_bits() -> None:
    wide = Descent(Fraction(2**52), Fraction(2**52, 10**5), 99_999)
    assert wide.whole == (10**5, 1, Fraction(10**5, 2**52))
    crooked = Descent(Fraction(10**9) + Fraction(1, 10**9 + 7), Fraction(1, 10**9 + 9), 5)
    with pytest.raises(BadParameter, match="multiples of one number"):
        _ = crooked.whole
    with pytest.raises(BadParameter, match="multiples of one number"):
        Noise().descend(np.zeros(1, np.int64), np.zeros(1, np.int64), crooked)


@pytest.mark.parametrize(("ratio", "size"), [("1/3", 4), ("99/100", 50), ("9999999/10000000", 7)])
def test_the_truncated_ladder_is_the_law_in_fractions(ratio: str, size: int) -> None:
    r = Fraction(ratio)
    ladder = Digit(Rational(r), size)
    for j in range(1, size):
        exact = (r**j - r**size) / (1 - r**size)
        found = ladder.rung(j, 128)
        assert Fraction(found.low, 2**128) <= exact <= Fraction(found.high, 2**128)
        assert found.high - found.low <= 4


def test_reading_on_from_afar_finds_what_rung_by_rung_finds() -> None:
    for ladder in (GeometricLadder(Rational(Fraction(999, 1000))), Digit(Rational(Fraction(9, 10)), 30)):
        for _ in range(30):
            word = dice.getrandbits(64) >> dice.randrange(3)
            found = read_on(ladder, 0, word, ZEROS)
            assert found == read_on(ladder, max(0, found - dice.randrange(5)), word, ZEROS)
            assert found == 0 or word <= first_word(ladder, found)
            if ladder.outcomes is None or found + 1 < ladder.outcomes:
                assert word >= first_word(ladder, found + 1)
