"""The law of a sketch's errors: medians and sums against enumeration, and against the exact law of pure noise."""

from __future__ import annotations

import math
from itertools import product

import numpy as np
import pytest

from discreet.numbers.laws import half_widths
from discreet.privacy import Alpha
from discreet.summaries.sketch_law import ErrorLaw, median_coupling
from tests.laplace_law import LaplaceLaw


def brute_sum(law: ErrorLaw, terms: int) -> dict[float, float]:
    """The law of the absolute value of a sum, by enumeration."""
    signed = [(s * size, chance / 2) for size, chance in zip(law.sizes, law.chances, strict=True) for s in (1, -1)]
    total = {0.0: 1.0}
    for _ in range(terms):
        longer: dict[float, float] = {}
        for (a, p), (b, q) in product(total.items(), signed):
            longer[a + b] = longer.get(a + b, 0.0) + p * q
        total = longer
    sizes: dict[float, float] = {}
    for value, chance in total.items():
        sizes[abs(value)] = sizes.get(abs(value), 0.0) + chance
    return dict(sorted(sizes.items()))


def test_the_law_of_buckets_is_their_own_and_never_narrower_than_the_noise() -> None:
    table = np.array([[3, -3, 0, 5], [1, 0, 0, -1]])
    law = ErrorLaw.of_buckets(table, 0.0)
    assert law.sizes.tolist() == [0, 1, 3, 5]
    assert law.chances.tolist() == [3 / 8, 2 / 8, 2 / 8, 1 / 8]
    assert law.variance == np.mean(table**2)
    assert ErrorLaw.of_buckets(table, 100.0).variance == pytest.approx(100.0)
    assert ErrorLaw.of_buckets(0 * table, 100.0).variance == 0.0


@pytest.mark.parametrize("rows", [1, 3, 5])
def test_the_law_of_a_median_by_enumeration(rows: int) -> None:
    law = ErrorLaw(np.array([0.0, 1.0, 4.0]), np.array([0.5, 0.3, 0.2]))
    signed = [(0.0, 0.5), (1.0, 0.15), (-1.0, 0.15), (4.0, 0.1), (-4.0, 0.1)]
    expected = dict.fromkeys(law.sizes.tolist(), 0.0)
    for draws in product(signed, repeat=rows):
        expected[abs(float(np.median([value for value, _ in draws])))] += float(np.prod([p for _, p in draws]))
    assert law.median(rows).chances == pytest.approx(list(expected.values()))


@pytest.mark.parametrize("rows", [1, 3, 5, 9])
def test_the_coupling_of_medians_is_an_integral(rows: int) -> None:
    """rows times the mean square of Pr[a row of rank u is the median], u uniform."""
    u = (np.arange(10**5) + 0.5) / 10**5
    half = rows // 2
    is_median = math.comb(rows - 1, half) * (u * (1 - u)) ** half
    assert np.mean(is_median) == pytest.approx(1 / rows)
    assert median_coupling(rows) == pytest.approx(rows * np.mean(is_median**2), rel=1e-6)
    assert median_coupling(rows) >= 1 / rows


@pytest.mark.parametrize("level", [0.5, 0.9, 0.99])
@pytest.mark.parametrize("terms", [1, 2, 3, 6])
def test_half_widths_cover_and_are_tight(terms: int, level: float) -> None:
    law = ErrorLaw(np.array([0.0, 1.0, 2.5, 900.0]), np.array([0.5, 0.3, 0.19, 0.01]))
    (half,) = law.half_widths(np.array([terms]), level)
    sizes = brute_sum(law, terms)
    assert sum(chance for size, chance in sizes.items() if size <= half + 1e-9) >= level
    smallest = next(h for h in sizes if sum(p for size, p in sizes.items() if size <= h) >= level + (1 - level) / 100)
    spread = (terms * law.variance) ** 0.5
    assert half <= smallest + 0.01 * spread


def test_half_widths_of_pure_noise_are_those_of_its_exact_law() -> None:
    alpha = Alpha.of(7)
    x = np.arange(0, 400)
    chances = LaplaceLaw(alpha).pmf(x) * np.where(x > 0, 2, 1)
    law = ErrorLaw(x.astype(np.float64), chances / chances.sum())
    terms = np.array([0, 1, 2, 5, 31, 1000, 10**6])
    for level in (0.5, 0.95, 0.999):
        found, exact = law.half_widths(terms, level), half_widths(alpha, terms, level)
        assert np.all(found >= exact * 0.999)
        assert found == pytest.approx(exact, rel=0.04, abs=2)


@pytest.mark.parametrize("rows", [3, 9, 31, 99])
def test_the_median_of_errors_that_are_nearly_always_zero_has_no_negative_chance(rows: int) -> None:
    """Few of very many buckets hold anything, as in a sketch with much room."""
    for held in (1, 7, 40, 400):
        table = np.zeros(1 << 18, np.int64)
        table[:held] = np.arange(1, held + 1)
        law = ErrorLaw.of_buckets(table, 1.0).median(rows)
        assert law.chances.min() >= 0
        for level in (0.5, 0.95, 1 - 1e-9):
            assert np.all(np.isfinite(law.half_widths(np.array([1, 2, 42, 10**6]), level)))
