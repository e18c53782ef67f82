"""Thresholds against the corrected CompThresh, sorted and scanned; subbands against a walk over every coefficient."""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

import discreet
from discreet.kernels.shrinkage import hard_thresholds, shrink, soft_thresholds
from discreet.numbers.laws import DiscreteLaplace
from discreet.transforms import Axis, Direct, Haar, NominalWavelet, Tree
from discreet.transforms.shrinkage import shrunk

Floats = NDArray[np.float64]
Rule = Callable[[Floats, float], float]

CHECKED = settings(max_examples=300)
TREE = Tree.of(discreet.Nominal(hierarchy={"p": ["a", "b", "c"], "q": ["d", "e"], "r": ["f"]}))


def comp_thresh(row: Floats, noise: float) -> float:
    """Figure 8 of privelet as corrected: absolute values falling, X[i] > theta >= X[i + 1], the smaller root."""
    x = np.sort(np.abs(row))[::-1]
    wanted = float(x @ x) - (x.size - 1) * noise
    if wanted <= 0:
        return float(x[0])
    for i in range(x.size, 0, -1):
        alpha, beta = float(x[:i] @ x[:i]), float(x[:i].sum())
        inside = beta**2 - i * (alpha - wanted)
        if inside < 0:
            continue
        theta = (beta - math.sqrt(inside)) / i
        below = float(x[i]) if i < x.size else 0.0
        if x[i - 1] > theta >= below - 1e-9 * (1 + below):
            return theta
    raise AssertionError("no i fits, though the left side falls from above the right side to zero")


def fewest_kept(row: Floats, noise: float) -> float:
    """The hard rule: keep the largest until their squares reach what is wanted; equal ones stay or go together."""
    x = np.sort(np.abs(row))[::-1]
    wanted = float(x @ x) - (x.size - 1) * noise
    if wanted <= 0:
        return float(x[0])
    kept = 1 + int(np.argmax(np.cumsum(x * x) >= wanted))
    return max((size for size in x.tolist() if size < x[kept - 1]), default=0.0)


def threshold(kernel: Callable[..., None], row: Floats, noise: float) -> float:
    out = np.empty(1)
    kernel(row[None, :].copy(), noise, out)
    return float(out[0])


whole_rows = st.one_of(
    st.lists(st.integers(-60, 60), min_size=2, max_size=30),
    st.lists(st.sampled_from([-3, -2, -1, 0, 1, 2, 3, 1000]), min_size=2, max_size=30),
).map(lambda values: np.array(values, np.float64))
rows = whole_rows | st.lists(st.floats(-1e6, 1e6), min_size=2, max_size=12).map(np.array)
noises = st.floats(0.01, 2000)


@CHECKED
@given(row=rows, noise=noises)
def test_soft_thresholds_are_those_of_the_sorted_scan(row: Floats, noise: float) -> None:
    found, wanted = threshold(soft_thresholds, row, noise), comp_thresh(row, noise)
    size = float(np.abs(row).max())
    # where the left side is flat, at its end, a digit of the square is half a digit of theta
    assert found == pytest.approx(wanted, abs=1e-5 * size + 1e-9)
    left = np.maximum(np.abs(row) - found, 0)
    target = max(0.0, float(row @ row) - (row.size - 1) * noise)
    assert float(left @ left) == pytest.approx(target, abs=1e-9 * float(row @ row) + 1e-9)


@CHECKED
@given(row=whole_rows, noise=st.integers(1, 2**17).map(lambda sixteenths: sixteenths / 16))
def test_hard_thresholds_keep_the_fewest(row: Floats, noise: float) -> None:
    """On numbers whose squares add up without rounding."""
    found = threshold(hard_thresholds, row, noise)
    assert found == fewest_kept(row, noise)
    kept = row[np.abs(row) > found]
    target = float(row @ row) - (row.size - 1) * noise
    assert float(kept @ kept) >= target, "what is kept reaches the target"
    if target > 0:
        assert kept.size > 0


@pytest.mark.parametrize("kernel", [soft_thresholds, hard_thresholds])
def test_what_is_all_noise_goes_to_zero(kernel: Callable[..., None]) -> None:
    row = np.array([3.0, -5.0, 4.0, 0.0])
    found = threshold(kernel, row, 50 / 3)  # the target is exactly zero
    assert found == 5
    assert threshold(kernel, row, 1000.0) == 5
    block = row[None, :].copy()
    shrink(block, np.array([found]), True)
    assert not block.any()


def test_the_smaller_root_is_taken() -> None:
    """(5 - t)**2 + (3 - t)**2 = 34 - 24 has the roots 2 and 6."""
    assert threshold(soft_thresholds, np.array([5.0, -3.0]), 24.0) == pytest.approx(2.0)
    assert threshold(soft_thresholds, np.array([5.0, -5.0]), 18.0) == pytest.approx(1.0)  # not 9


def test_equal_sizes_share_their_fate() -> None:
    """Two coefficients of 5 and a target of 20: one would do, but which? Both stay, rather than none."""
    assert threshold(hard_thresholds, np.array([5.0, -5.0]), 30.0) == 0
    assert threshold(hard_thresholds, np.array([5.0, -5.0, 1.0]), 15.5) == 1


def test_shrinking() -> None:
    values = np.array([[4.0, -4.0, 2.0, -2.0, 0.0], [9.0, 1.0, 1.0, 1.0, -9.0]])
    soft, hard = values.copy(), values.copy()
    shrink(soft, np.array([2.0, 0.0]), True)
    shrink(hard, np.array([2.0, 1.0]), False)
    assert soft.tolist() == [[2, -2, 0, 0, 0], [9, 1, 1, 1, -9]]
    assert hard.tolist() == [[4, -4, 0, 0, 0], [9, 0, 0, 0, -9]]


def slow(axes: list[Axis], values: NDArray[np.int64], scale: Fraction, rule: Rule, *, soft: bool) -> Floats:
    """Subbands collected coefficient by coefficient: (level per transformed attribute, code per direct one)."""
    levels = [{int(k): n for n, level in enumerate(a.levels) for k in np.arange(a.length)[level]} for a in axes]
    factors = [{k: factor for part, factor in a.runs for k in range(part.start, part.stop)} for a in axes]
    bands: dict[tuple[int, ...], list[tuple[int, ...]]] = {}
    for place in itertools.product(*(range(axis.length) for axis in axes)):
        key = tuple(k if isinstance(axes[i], Direct) else levels[i][k] for i, k in enumerate(place))
        bands.setdefault(key, []).append(place)
    out = values.astype(np.float64)
    for key, places in bands.items():
        base = all(isinstance(axis, Direct) or level == 0 for axis, level in zip(axes, key, strict=True))
        if base or len(places) == 1:
            continue
        scaled = np.array([math.prod(factors[i][k] for i, k in enumerate(place)) for place in places])
        row = np.array([values[place] for place in places]) / scaled
        noise = float(np.mean([DiscreteLaplace.of(scale * int(f)).variance / int(f) ** 2 for f in scaled]))
        theta = rule(row, noise)
        for place, x, factor in zip(places, row.tolist(), scaled.tolist(), strict=True):
            kept = 0.0 if abs(x) <= theta else math.copysign(abs(x) - theta, x) if soft else x
            out[place] = kept * factor
    return out


TABLES: dict[str, list[Axis]] = {
    "ordinal": [Haar(11)],
    "direct and ordinal": [Direct(3), Haar(13)],
    "ordinal and direct": [Haar(13), Direct(4)],
    "ordinal, direct, nominal": [Haar(5), Direct(2), NominalWavelet(TREE)],
    "nominal": [NominalWavelet(TREE)],
    "two directs": [Direct(2), Haar(9), Direct(3)],
}


@pytest.mark.parametrize("soft", [True, False])
@pytest.mark.parametrize("name", TABLES)
def test_subbands(name: str, soft: bool) -> None:
    axes, rule = TABLES[name], comp_thresh if soft else fewest_kept
    rng, changed = np.random.default_rng(11), 0
    for scale in (Fraction(3, 2), Fraction(8), Fraction(70)):
        values = rng.integers(-60, 61, [axis.length for axis in axes])
        found, wanted = shrunk(axes, values, scale, soft=soft), slow(axes, values, scale, rule, soft=soft)
        assert np.allclose(found, wanted, atol=1e-4)
        changed += int(np.sum(found != values))
    assert changed > 0, "a comparison of what nothing was done to would say nothing"


@pytest.mark.parametrize("soft", [True, False])
def test_the_base_and_single_coefficients_are_left_alone(soft: bool) -> None:
    """However small against the noise: the total of each code of a direct attribute, and a subband of one."""
    axes: list[Axis] = [Direct(3), Haar(8)]
    values = np.ones((3, 8), np.int64)
    found = shrunk(axes, values, Fraction(10**6), soft=soft)
    assert found[:, 0].tolist() == [1, 1, 1]
    assert found[:, 4].tolist() == [1, 1, 1], "the only coefficient of its level"
    assert not found[:, [1, 2, 3, 5, 6, 7]].any()
    everything = shrunk([Direct(3), Direct(8)], values, Fraction(10**6), soft=soft)
    assert np.array_equal(everything, values), "a table without any transform is all base"


def test_each_code_of_a_direct_attribute_has_its_own_threshold() -> None:
    values = np.zeros((2, 8), np.int64)
    values[0, [1, 3, 5, 7]] = 1000
    values[1, [1, 3, 5, 7]] = 1
    found = shrunk([Direct(2), Haar(8)], values, Fraction(10), soft=False)
    assert found[0, [1, 3, 5, 7]].tolist() == [1000] * 4
    assert not found[1, [1, 3, 5, 7]].any()
