"""Coins are decided exactly: by floats only where these prove the answer."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from discreet.errors import BadParameter
from discreet.noise import Noise, ScriptedSource
from discreet.noise.coins import inverse_coins
from discreet.numbers.intervals import Power, Rational
from tests.statistics import compare


@given(
    weight=st.integers(-(2**50), 2**50),
    limit=st.fractions(min_value=Fraction(1, 10**6), max_value=2**52),
    offset=st.integers(-3, 3),
)
def test_coins_near_their_border_follow_the_fraction(weight: int, limit: Fraction, offset: int) -> None:
    """Bits chosen within three units in 2**128 of the border: no float could tell."""
    threshold = min(abs(weight) / limit, Fraction(1))
    uniform = min(max(int(threshold * 2**128) + offset, 0), 2**128 - 1)
    script = np.uint64(uniform >> 64).tobytes() + np.uint64(uniform & (2**64 - 1)).tobytes() + bytes(16)
    heads = Noise(ScriptedSource(script)).coins(np.array([weight]), limit)
    assert bool(heads[0]) == (Fraction(uniform, 2**128) < threshold)


@given(
    weight=st.integers(1, 2**50),
    limit=st.fractions(min_value=Fraction(1, 10**6), max_value=2**52),
    offset=st.integers(-3, 3),
)
def test_inverse_coins_near_their_border_follow_the_fraction(weight: int, limit: Fraction, offset: int) -> None:
    threshold = min(limit / weight, Fraction(1))
    uniform = min(max(int(threshold * 2**128) + offset, 0), 2**128 - 1)
    source = ScriptedSource(np.uint64(uniform >> 64).tobytes() + np.uint64(uniform & (2**64 - 1)).tobytes() + bytes(16))
    heads = inverse_coins(np.array([weight]), limit, source)
    assert bool(heads[0]) == (Fraction(uniform, 2**128) < threshold)
    assert (source.given == 0) == (weight <= limit)  # no bits for what is certain


def test_shares_of_heads_of_inverse_coins() -> None:
    n = 400_000
    weights = np.repeat(np.array([1, 7, 8, 30, 10**6]), n)
    heads = inverse_coins(weights, Fraction(15, 2), Noise().source.stream()).reshape(5, n).sum(axis=1)
    assert compare(heads, n, np.array([1, 1, 15 / 16, 1 / 4, 7.5e-6])).holds


def test_shares_of_heads() -> None:
    noise, n = Noise(), 400_000
    p = Power(Rational(Fraction(9, 10)), 7)
    assert compare(np.array([noise.coin(p, n).sum()]), n, np.array([0.9**7])).holds
    weights = np.repeat(np.array([0, 1, -5, 7, 8, 900]), n)
    heads = noise.coins(weights, Fraction(15, 2)).reshape(6, n).sum(axis=1)
    assert compare(heads, n, np.array([0, 2 / 15, 10 / 15, 14 / 15, 1, 1])).holds


def test_certain_coins() -> None:
    assert Noise().coin(Rational(Fraction(1)), 1000).all()
    assert not Noise().coin(Rational(Fraction(0)), 1000).any()
    with pytest.raises(BadParameter):
        Noise().coins(np.array([1]), Fraction(0))
    with pytest.raises(BadParameter):
        inverse_coins(np.array([1]), Fraction(0), Noise().source.stream())
