"""The deterministic proof: it accepts the tables as built, and rejects planted faults in them."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction

import pytest

from discreet.noise.draw_tables import DrawTable
from discreet.noise.geometric import Digits, laplace_digits
from discreet.noise.verify import Verdict, verify, verify_noise
from discreet.privacy import Alpha


@pytest.mark.parametrize(
    ("epsilon", "sensitivity"),
    [
        ("1", 1),
        ("0.37", 1),
        ("0.1", 1),
        ("2", 30),
        ("1/300", "7/3"),
        ("0.000123", 5),
        ("1e-9", 1),
        ("1000", 1),
    ],
)
def test_every_threshold_cell_and_deep_decision_is_right(epsilon: str, sensitivity: int | str) -> None:
    verdict = verify_noise(epsilon, sensitivity)
    assert verdict.passed, verdict.checks
    assert verdict.true_epsilon <= float(verdict.epsilon) * (1 + 1e-12)
    assert all(check.looked_at > 0 for check in verdict.checks)


def test_tails_that_are_64_bit_numbers_themselves() -> None:
    """With alpha exactly 1/2 half of all thresholds end within the word: ties must fall on the right side."""
    alpha = Alpha(1 << 63)
    assert verify(Fraction(694, 1000), Fraction(1), alpha, laplace_digits(alpha)).checks[1].passed


def failed(verdict: Verdict) -> set[str]:
    return {check.name for check in verdict.checks if not check.passed}


def judge(digits: Digits, alpha: Alpha, epsilon: Fraction) -> set[str]:
    return failed(verify(epsilon, Fraction(1), alpha, digits))


@pytest.mark.parametrize("epsilon", [Fraction(37, 100), Fraction(1, 1000)])
def test_a_threshold_off_by_one_part_in_2_to_the_40_is_caught(epsilon: Fraction) -> None:
    alpha = Alpha.of(1 / epsilon)
    good = laplace_digits(alpha)
    assert judge(good, alpha, epsilon) == set()
    for k, table in enumerate((good.top, *good.digits)):
        for j, step in ((0, 1 << 24), (3, -(1 << 24)), (table.floors.size // 2, 1 << 24)):
            floors = table.floors.copy()
            floors[j] = int(floors[j]) + step
            bad = replace(table, floors=floors)
            tables = [bad if i == k else other for i, other in enumerate((good.top, *good.digits))]
            assert "thresholds, to 64 bits" in judge(Digits(tables[0], tuple(tables[1:])), alpha, epsilon)


def test_one_wrong_cell_is_caught() -> None:
    epsilon = Fraction(1, 10)
    alpha = Alpha.of(10)
    good = laplace_digits(alpha)
    for cell in (0, 1, 30_000, 65_535):
        cells = good.top.cells.copy()
        cells[cell] += 1
        bad = Digits(DrawTable(good.top.ladder, good.top.floors, cells), ())
        assert "table cells" in judge(bad, alpha, epsilon)


def test_a_scale_wrong_by_five_per_cent_is_caught() -> None:
    epsilon = Fraction(1, 2)
    narrow = Alpha.of(Fraction(190, 100))
    assert judge(laplace_digits(narrow), narrow, epsilon) == {"alpha rounds epsilon down"}
    wide = Alpha.of(2)
    assert "thresholds, to 64 bits" in judge(laplace_digits(narrow), wide, epsilon)


def test_an_alpha_rounded_down_is_caught() -> None:
    epsilon = Fraction(1, 2)
    low = Alpha(Alpha.of(2).numerator - 1)
    assert judge(laplace_digits(low), low, epsilon) == {"alpha rounds epsilon down"}


def test_missing_deep_rungs_are_caught() -> None:
    epsilon = Fraction(1, 2)
    alpha = Alpha.of(2)
    good = laplace_digits(alpha)
    short = replace(good.top, floors=good.top.floors[:-5])
    assert judge(Digits(short, ()), alpha, epsilon)
