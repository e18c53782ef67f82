"""Certified numbers contain what they stand for, and narrow to any precision."""

from __future__ import annotations

from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from discreet.numbers.intervals import Complement, Interval, Power, Rational, Real

shares = st.fractions(min_value=0, max_value=1)


def contains(interval: Interval, value: Fraction) -> bool:
    return interval.low <= value * (1 << interval.bits) <= interval.high


@given(x=shares, y=shares, k=st.integers(0, 40), bits=st.integers(4, 200))
def test_arithmetic_rounds_outwards(x: Fraction, y: Fraction, k: int, bits: int) -> None:
    a, b = Interval.of(x, bits), Interval.of(y, bits)
    assert contains(a + b, x + y)
    assert contains(a - b, max(Fraction(0), x - y))
    assert contains(a * b, x * y)
    assert contains(a**k, x**k)
    if b.low:
        assert contains(a / b, x / y)
    assert contains(a.to(bits // 2), x)


def floor(real: Real, bits: int) -> int:
    """floor(2**bits * x), proved by as many bits as it takes."""
    work = bits
    while True:
        work += 64
        found = real.bracket(work)
        if found.low >> (work - bits) == found.high >> (work - bits):
            return found.low >> (work - bits)


@given(x=shares, k=st.integers(0, 300), bits=st.integers(1, 300))
def test_brackets_are_narrow_and_right(x: Fraction, k: int, bits: int) -> None:
    reals: list[tuple[Real, Fraction]] = [
        (Rational(x), x),
        (Power(Rational(x), k), x**k),
        (Complement(Rational(x)), 1 - x),
    ]
    for real, value in reals:
        bracket = real.bracket(bits)
        assert contains(bracket, value)
        assert bracket.high - bracket.low <= 2
        assert floor(real, bits) == value * 2**bits // 1


@given(x=st.fractions(min_value=Fraction(1, 10**40), max_value=1))
def test_float_is_close(x: Fraction) -> None:
    assert float(Rational(x)) == pytest.approx(float(x), rel=1e-15)


def test_division_by_an_interval_around_zero_is_an_error_not_a_number() -> None:
    with pytest.raises(ZeroDivisionError):
        Interval.of(1, 8) / Interval.of(0, 8)
