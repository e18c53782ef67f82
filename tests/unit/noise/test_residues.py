"""Many low bits of a geometric in one draw: against the rungs, and where only these can decide."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest

from discreet.noise import Noise, ScriptedSource, to_integers
from discreet.noise.draw import Drawer
from discreet.noise.ladders import Digit
from discreet.noise.residues import Residue, low_residues
from discreet.numbers.intervals import Complement, Power, Rational, Real
from tests.statistics import compare

CHANCES = [Fraction(1, 10**9), Fraction(1, 3**40), Fraction(1, 10**24), Fraction(7, 10**80)]


def ratio_of(chance: Fraction) -> Real:
    return Complement(Rational(chance))


@pytest.mark.parametrize("chance", CHANCES)
def test_no_rung_is_further_from_uniform_than_the_margin(chance: Fraction) -> None:
    """In fractions, at ends, middle and quarters; the middle is where a rung is lowest."""
    for residue in low_residues(ratio_of(chance)):
        n, bits = 1 << residue.bits, 512
        ladder = Digit(residue.ratio, n)
        for j in {1, n // 4, n // 2 - 1, n // 2, 3 * n // 4, n - 1}:
            rung, uniform = ladder.rung(j, bits), (n - j) << (bits - residue.bits)
            assert rung.low <= uniform
            assert (uniform - rung.low) >> (bits - 64) < residue.margin
        assert n * residue.margin < 1 << (64 - 21)


def test_residues_take_what_is_nearly_uniform_and_leave_the_rest() -> None:
    assert low_residues(ratio_of(Fraction(1, 1000))) == ()
    found = low_residues(ratio_of(Fraction(1, 10**24)))
    assert [residue.bits for residue in found] == [28, 14]
    assert found[1].ratio == Power(found[0].ratio, 1 << 28)


def drawn(residue: Residue, words: list[int], more: list[int] | None = None) -> list[int]:
    out = np.empty(len(words), np.int64)
    residue.draw(Drawer(ScriptedSource(np.array([*words, *(more or [])], np.uint64).tobytes())), out)
    return out.tolist()


@pytest.mark.parametrize("chance", CHANCES)
def test_a_draw_is_the_number_of_rungs_above_it(chance: Fraction) -> None:
    """Words far from and close to an edge, followed by zeros: U is then the word itself."""
    for residue in low_residues(ratio_of(chance)):
        n, width, bits = 1 << residue.bits, 64 - residue.bits, 1024
        ladder = Digit(residue.ratio, n)
        starts = [0, n // 3, n - 1, n // 2]
        for start in starts:
            edge = (start + 1) << width
            for below in {1, 2, residue.margin, residue.margin + 1, 2 * residue.margin, 1 << (width - 1)}:
                word = edge - below
                (found,) = drawn(residue, [word], [0] * 20)
                if found:
                    assert word << (bits - 64) < ladder.rung(found, bits).low
                if found < n - 1:
                    assert word << (bits - 64) >= ladder.rung(found + 1, bits).high


def test_residues_have_their_law() -> None:
    """Two bits of a geometric of mean 4, taken with a margin that covers how far they are from uniform, and uniform."""
    count, ratio = 10_000, Fraction(4, 5)
    out = np.empty(count, np.int64)
    Residue(Rational(ratio), 2, int(0.22 * 2**64)).draw(Drawer(Noise().source.stream()), out)
    law = np.array([float(ratio**j * (1 - ratio) / (1 - ratio**4)) for j in range(4)])
    hits = np.bincount(out, minlength=4)
    assert compare(hits, count, law).holds
    assert not compare(hits, count, np.full(4, 0.25)).holds


def test_wide_gaps_have_the_law_of_a_geometric() -> None:
    """Positions at a chance of 1e-24: their leading and their lowest bits, each against its law."""
    chance, many = Fraction(1, 10**24), 3 << 16
    found = to_integers(Noise().positions(Rational(chance), many * 10**24))
    gaps = np.diff(np.append([-1], found)) - 1
    for bits in (0, 20, 26, 28, 40, 42, 50):
        low = np.array([(int(gap) >> bits) & 7 for gap in gaps])
        assert compare(np.bincount(low, minlength=8), low.size, np.full(8, 1 / 8)).holds
    edges = np.arange(1, 40) / 8
    hits = np.array([int(np.sum(gaps >= Fraction(edge) * 10**24)) for edge in edges.tolist()])
    assert compare(hits, gaps.size, np.exp(-edges)).holds
    assert not compare(hits, gaps.size, np.exp(-1.05 * edges)).holds
