"""What counts are behind noisy ones: nearer to the truth than the noisy values, and never out of bounds."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from discreet.noise import Noise, SeededSource
from discreet.numbers.likely_counts import likely_counts, posteriors_by_others, smooth_posteriors
from tests.law.item_cases import Rows, made

dice = np.random.default_rng(1763)

TRUTHS = {
    "alike": np.full(4000, 20.0),
    "two kinds": np.where(np.arange(4000) < 3000, 2.0, 60.0),
    "zipf": 1e4 / np.arange(1, 4001),
    "none": np.zeros(4000),
}


@pytest.fixture(autouse=True)
def same_dice() -> None:
    """Inputs are made up alike in every run, whichever tests ran before; noise is not."""
    dice.bit_generator.state = np.random.PCG64(1763).state


def noisy(truth: Any, scale: float, sampled: bool) -> Any:
    """Rising noisy values, and the truth in the same order."""
    seen = dice.poisson(truth) if sampled else truth
    values = np.rint(seen + dice.laplace(0, scale, truth.size)).astype(np.int64)
    order = np.argsort(values, kind="stable")
    return values[order], truth[order]


def off(values: Any, truth: Any) -> float:
    return float(np.sqrt(np.mean((values - truth) ** 2)))


@pytest.mark.parametrize("sampled", [True, False])
@pytest.mark.parametrize("scale", [2.0, 20.0])
@pytest.mark.parametrize("name", TRUTHS)
def test_they_are_nearer_to_the_truth(name: str, scale: float, sampled: bool) -> None:
    values, truth = noisy(TRUTHS[name], scale, sampled)
    likely = likely_counts(values, scale, float(sampled))
    assert off(likely, truth) < off(values, truth) * (1 if name == "zipf" else 0.7)
    assert likely.mean() == pytest.approx(truth.mean(), abs=0.15 * truth.mean() + scale / 10)


def test_counts_far_above_the_noise_stay_what_they_are() -> None:
    values = np.array([1000, 2000, 4000, 100_000])
    assert likely_counts(values, 1.0, 0.0) == pytest.approx(values, rel=0.03)


def test_a_sample_says_less_than_its_noise_alone_would() -> None:
    """Counts of about 400 that differ by chance only; noise of scale 1 cannot explain that, sampling can."""
    values, _ = noisy(np.full(3000, 400.0), 1.0, True)
    assert np.ptp(likely_counts(values, 1.0, 1.0)) < np.ptp(likely_counts(values, 1.0, 0.0)) / 4


def test_any_values_at_any_scale() -> None:
    for _ in range(400):
        count, scale = int(dice.integers(1, 60)), float(10 ** dice.uniform(-6, 12))
        truth = dice.uniform(0, 10 ** dice.uniform(0, 15), count) * (dice.random(count) < dice.random())
        values, _ = noisy(truth, scale, False)
        likely = likely_counts(values, scale, float(dice.random()))
        assert likely.shape == values.shape
        assert np.all(np.diff(likely) >= 0)
        assert likely[0] >= 0
        assert likely[-1] <= max(int(values[-1]), 0) * 1.03 + 4 * scale + 10


def test_items_that_are_alike_end_up_in_large_groups() -> None:
    """As printed, the noise of the sample is taken for differences, and groups are far too small."""
    histories = Rows((300,), [[item] for item in range(300)] * 5)
    groups = {}
    for scale, more in (("mean", {"mean": 1}), ("paper", {})):
        summary = made("gs", (300,), "0.1", None, scale=scale, **more).measure(histories, Noise(SeededSource(4)))
        groups[scale] = summary.parts[0].facts()["group"]
    assert groups["mean"] >= 100
    assert groups["paper"] <= 50


def test_a_value_is_judged_by_all_others() -> None:
    """Equal counts with noise at its quantiles, the largest a little beyond: it must not make a law for itself."""
    scale, parts = 100.0, (np.arange(1000) + 0.5) / 1000
    noise = np.where(parts < 0.5, np.log(2 * parts), -np.log(2 * (1 - parts))) * scale
    values = np.rint(300 + noise).astype(np.int64)
    top = int(np.argmax(values))
    values[top] += 300

    def mean(posteriors: Any, values: Any) -> float:
        counts, row_of, chances = posteriors(values, scale)
        assert chances.sum(axis=1) == pytest.approx(np.ones(chances.shape[0]))
        return float(chances[row_of[top]] @ counts)

    assert mean(posteriors_by_others, values) + 200 < mean(smooth_posteriors, values) < values[top]
    values[top] += 5000  # beyond what noise can do
    assert mean(posteriors_by_others, values) == pytest.approx(values[top], rel=0.05)


def test_a_few_largest_do_not_confirm_each_other() -> None:
    """Nothing but noise, at its quantiles; the five largest are as far out as luck has them once in a while."""
    scale, parts = 100.0, (np.arange(4000) + 0.5) / 4000
    noise = np.where(parts < 0.5, np.log(2 * parts), -np.log(2 * (1 - parts))) * scale

    def above_noise(moved: float) -> float:
        values = noise.copy()
        values[-5:] += moved * scale
        counts, row_of, chances = posteriors_by_others(np.rint(values).astype(np.int64), scale)
        return float(chances[row_of[-1]] @ (counts > 3 * scale))

    assert above_noise(0) < 0.15
    assert above_noise(1) < 0.4
    assert above_noise(25) > 0.999
