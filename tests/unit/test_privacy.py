"""Exact arithmetic of cost, and the unit of privacy."""

from __future__ import annotations

from decimal import Decimal, localcontext
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from discreet.errors import BadParameter
from discreet.privacy import Alpha, Unit, as_text, exact, exp_negative, scale_of

positive = st.fractions(min_value=Fraction(1, 10**12), max_value=10**6)


@pytest.mark.parametrize(
    ("written", "meant"),
    [
        ("0.1", Fraction(1, 10)),
        (0.1, Fraction(1, 10)),
        (np.float64(0.1), Fraction(1, 10)),
        (3, Fraction(3)),
        (np.int64(3), Fraction(3)),
        ("1/3", Fraction(1, 3)),
        (Fraction(2, 7), Fraction(2, 7)),
        (Decimal("0.25"), Fraction(1, 4)),
        ("1e-3", Fraction(1, 1000)),
        (1e-7, Fraction(1, 10**7)),
    ],
)
def test_a_number_is_what_was_written(written: object, meant: Fraction) -> None:
    assert exact(written, "epsilon") == meant  # type: ignore[arg-type]


@pytest.mark.parametrize(
    "bad",
    [
        0,
        "0",
        -1,
        "-0.5",
        float("nan"),
        "nan",
        float("inf"),
        "-inf",
        "one",
        "",
        None,
        True,
        [1],
        1j,
        Decimal("NaN"),
        "1/0",
    ],
)
def test_anything_but_a_positive_finite_number_is_refused_by_name(bad: object) -> None:
    with pytest.raises(BadParameter, match="epsilon must be"):
        exact(bad, "epsilon")  # type: ignore[arg-type]


@given(number=st.one_of(positive, st.decimals(min_value="1e-9", max_value=10**6).map(Fraction)))
def test_text_is_read_back(number: Fraction) -> None:
    assert exact(as_text(number), "number") == number
    assert as_text(Fraction(1, 2)) == "0.5"
    assert as_text(Fraction(30)) == "30"
    assert as_text(Fraction(1, 3)) == "1/3"


@given(exponent=positive, bits=st.integers(8, 400))
def test_exp_is_bracketed(exponent: Fraction, bits: int) -> None:
    low, high = exp_negative(exponent, bits)
    assert 0 <= high - low <= 2
    with localcontext() as context:
        context.prec = 400
        true = (-Decimal(exponent.numerator) / Decimal(exponent.denominator)).exp() * 2**bits
        assert low <= true <= high


@given(scale=st.fractions(min_value=Fraction(1, 1000), max_value=10**12))
def test_alpha_is_the_least_64_bit_fraction_not_below_exp(scale: Fraction) -> None:
    alpha = Alpha.of(scale)
    with localcontext() as context:
        context.prec = 1000
        true = (-Decimal(scale.denominator) / Decimal(scale.numerator)).exp() * 2**64
        assert alpha.numerator >= true
        assert alpha.numerator == 1 or alpha.numerator - 1 < true


def test_a_scale_too_large_for_64_bits_is_refused() -> None:
    with pytest.raises(BadParameter, match="too large"):
        Alpha.of("1e16")
    assert scale_of("0.1", 3) == 30


def test_sensitivity_of_units() -> None:
    assert Unit().sensitivity == 1
    assert Unit(neighbours="replace").sensitivity == 2
    assert Unit("user", max_rows=30).sensitivity == 30
    assert Unit("user", max_rows=30, neighbours="replace").sensitivity == 60


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"column": "user"}, "needs max_rows"),
        ({"max_rows": 3}, "takes no max_rows"),
        ({"column": "user", "max_rows": 0}, "at least 1"),
        ({"column": "user", "max_rows": True}, "at least 1"),
        ({"column": "user", "max_rows": 2, "max_rows_per_cell": 1.5}, "max_rows_per_cell"),
        ({"neighbours": "swap"}, "add-remove"),
        ({"column": ""}, "unit must be"),
    ],
)
def test_a_wrong_unit_says_what_is_wrong(arguments: dict[str, object], message: str) -> None:
    with pytest.raises(BadParameter, match=message):
        Unit(**arguments)  # type: ignore[arg-type]


def test_units_survive_a_round_trip() -> None:
    for unit in (Unit(), Unit("user", max_rows=3, max_rows_per_cell=1, neighbours="replace")):
        assert Unit.from_dict(unit.to_dict()) == unit
