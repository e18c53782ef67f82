"""The noise that the dense range methods draw has the stated law, and answers have the stated variance.

Variances are compared with 128 block means: by Chebyshev's inequality a block is within 2.3 of its standard deviations
with probability at least 1 - 1/2.3**2.
"""

from __future__ import annotations

import copy
import math
from collections.abc import Callable
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

import discreet
from discreet.mechanisms.ranges.range_dense import Transformed
from discreet.noise import Noise, ZeroNoise
from discreet.privacy import Number, Unit
from discreet.private.counts import Counts
from discreet.queries import Questions
from discreet.summaries.coefficients import Coefficients
from discreet.transforms import Axis, Direct, Haar, NominalWavelet
from discreet.transforms.lines import restored
from discreet.transforms.noise_moments import NoiseMoments
from tests.laplace_law import LaplaceLaw
from tests.statistics import at_least, compare_law
from tests.unit.transforms.measuring import empty, made, scales_of

Integers = NDArray[np.int64]
Floats = NDArray[np.float64]

ENOUGH = 1000
BLOCKS, AWAY = 128, 2.3
COPIES = BLOCKS * 2048

RAGGED = discreet.Nominal(hierarchy={"p": ["a", "b", "c"], "q": ["d"]})
GROUPS = discreet.Nominal(
    hierarchy={f"g{i}": {f"g{i}-{k}": [f"{i}-{k}-{j}" for j in range(2 + k % 3)] for k in range(50)} for i in range(40)}
)
COPY = discreet.Ordinal(1, COPIES)

# --- the law of the coefficients

#: large domains, so that one measurement has many coefficients of each scale
LARGE: dict[str, tuple[discreet.Schema, str, dict[str, Any]]] = {
    "haar": (discreet.Schema(x=discreet.Ordinal(1, 50_001)), "privelet", {}),
    "nominal": (discreet.Schema(y=GROUPS), "privelet", {}),
    "both": (discreet.Schema(y=RAGGED, x=discreet.Ordinal(1, 9_001)), "privelet", {}),
    "copies": (discreet.Schema(c=discreet.Ordinal(1, 9_000), x=discreet.Ordinal(0, 4)), "privelet+", {"direct": ["c"]}),
    "dyadic": (discreet.Schema(x=discreet.Ordinal(1, 20_001)), "dyadic", {"base": 3}),
    "thresholded": (discreet.Schema(x=discreet.Ordinal(1, 20_001)), "privelet*", {"direct": []}),
}


def large(name: str) -> Transformed:
    schema, method, parameters = LARGE[name]
    return made(schema, Unit(), Fraction(2), method, **parameters)


def has_the_law(mechanism: Transformed, stated: Transformed, noise: Noise) -> bool:
    """Every coefficient's noise, by scale; and the differences of neighbours, which would tell of shared noise."""
    schema = mechanism.request.schema
    codes = np.indices(schema.sizes).reshape(len(schema), -1).T
    counts = Counts.from_arrays(schema.sizes, codes, (np.arange(len(codes)) * 7919) % 97)
    published = mechanism.measure(counts, noise)
    assert isinstance(published, Coefficients)
    drawn = (published.values - mechanism.measured(counts, ZeroNoise())).reshape(-1)
    scales = np.array(scales_of(stated), object)
    kinds = [scale for scale in set(scales.tolist()) if np.sum(scales == scale) >= ENOUGH]
    assert kinds
    return all(
        agrees(drawn[scales == scale], scale, 1) and agrees(steps(drawn, scales == scale), scale, 2) for scale in kinds
    )


def steps(drawn: Integers, chosen: NDArray[np.bool_]) -> Integers:
    """Differences within pairs of neighbours of one scale."""
    sample = drawn[chosen]
    pairs = sample[: sample.size // 2 * 2].reshape(-1, 2)
    return pairs[:, 0] - pairs[:, 1]


def agrees(sample: Integers, scale: Fraction, terms: int) -> bool:
    """Does the sample have the law of a sum of so many draws?"""
    reach = math.ceil(10 * float(scale))
    law = LaplaceLaw.of(scale).pmf(np.arange(-4 * reach, 4 * reach + 1))
    total = law if terms == 1 else np.convolve(law, law)
    centre = total.size // 2
    below = float(total[: centre - reach].sum())
    return compare_law(sample, -reach, total[centre - reach : centre + reach + 1], below=below).holds


@pytest.mark.parametrize("name", LARGE)
def test_coefficients_have_the_stated_noise(name: str) -> None:
    assert has_the_law(large(name), large(name), Noise())


class Repeating(Noise):
    """Noise of which every draw is used twice in a row."""

    def add_into(self, table: Integers, scale: Number) -> None:
        drawn = np.repeat(self.laplace(scale, (table.size + 1) // 2), 2)[: table.size]
        table += drawn.reshape(table.shape)


def with_runs(mechanism: Transformed, place: int, runs: list[tuple[slice, Any]]) -> Transformed:
    faulty, axis = copy.copy(mechanism), copy.copy(mechanism.axes[place])
    axis.runs = tuple(runs)
    faulty.axes = [axis if i == place else kept for i, kept in enumerate(mechanism.axes)]
    return faulty


def test_planted_faults_in_the_noise_are_seen() -> None:
    """The noise of one level half as wide, a base without noise, one draw used twice."""
    mechanism = large("nominal")
    *runs, (part, factor) = mechanism.axes[0].runs
    assert not has_the_law(with_runs(mechanism, 0, [*runs, (part, factor * Fraction(1, 2))]), mechanism, Noise())
    copies = large("copies")
    assert not has_the_law(with_runs(copies, 1, [(level, 1) for level in copies.axes[1].levels[1:]]), copies, Noise())
    assert not has_the_law(large("haar"), large("haar"), Repeating())


# --- the variance of answers

#: attributes besides the copies, and questions: a range (first, end) of each attribute
ASKED: dict[str, tuple[dict[str, Any], list[list[tuple[int, int]]]]] = {
    "haar": ({"x": discreet.Ordinal(0, 4)}, [[(0, 5)], [(1, 4)], [(2, 3)], [(0, 3)], [(4, 5)]]),
    "nominal": ({"y": RAGGED}, [[(0, 4)], [(0, 3)], [(1, 2)], [(3, 4)], [(1, 4)]]),
    "both": ({"x": discreet.Ordinal(0, 2), "y": RAGGED}, [[(0, 3), (0, 4)], [(1, 3), (0, 3)], [(0, 1), (2, 3)]]),
}


def replicas(name: str, *, tree: bool = False) -> tuple[Floats, list[Axis], Fraction]:
    """Noisy coefficients of many copies of an empty table, the axes of one copy, and the scale of the noise.

    Copies are a further attribute that is left untransformed, or the leaves of a flat tree: each has noise of its own.
    """
    schema = discreet.Schema({"copy": COPY, **ASKED[name][0]})
    parameters: dict[str, Any] = {"base": COPIES} if tree else {"direct": ["copy"]}
    mechanism = made(schema, Unit(), Fraction(3, 2), "dyadic" if tree else "privelet+", **parameters)
    values = mechanism.measured(empty(mechanism), Noise())
    rows = values[mechanism.axes[0].places(np.arange(COPIES))]
    return rows.astype(np.float64), mechanism.axes[1:], mechanism.scale


def variance_is_stated(rows: Floats, working: list[Axis], stated: list[Axis], scale: Fraction, asked: Any) -> bool:
    """Do answers that one set of axes restores have the variance that the other states?"""
    cells = restored([Direct(len(rows)), *working], rows.copy())
    cells = cells[tuple(slice(size) for size in (len(rows), *(axis.size for axis in stated)))]
    ends = np.array(asked)
    questions = Questions(ends[:, :, 0].copy(), ends[:, :, 1] - 1, len(ends), np.arange(len(ends)))
    variances, fourths = NoiseMoments(stated, scale).of(questions)
    for box, variance, fourth in zip(ends, variances, fourths, strict=True):
        chosen = cells[(slice(None), *(slice(first, end) for first, end in box))]
        squares = chosen.reshape(len(rows), -1).sum(axis=1) ** 2
        slack = AWAY * math.sqrt((fourth + 2 * variance**2) / (len(rows) // BLOCKS))
        near = np.abs(squares.reshape(BLOCKS, -1).mean(axis=1) - variance) <= slack
        if not at_least(int(near.sum()), BLOCKS, 1 - 1 / AWAY**2):
            return False
    return True


@pytest.mark.parametrize("name", ASKED)
def test_answers_of_privelet_have_the_stated_variance(name: str) -> None:
    rows, axes, scale = replicas(name)
    assert variance_is_stated(rows, axes, axes, scale, ASKED[name][1])


@pytest.mark.parametrize("name", ["haar", "nominal"])
def test_answers_of_consistent_trees_have_the_stated_variance(name: str) -> None:
    rows, axes, scale = replicas(name, tree=True)
    assert variance_is_stated(rows, axes, axes, scale, ASKED[name][1])


class Unsubtracted(NominalWavelet):
    """The mean was taken off before the noise, when there was nothing to take off, and is not any more after it."""

    def restore(self, lines: Floats) -> None:
        for node in np.flatnonzero(self.tree.fanout):
            f, child = self.tree.fanout[node], self.tree.child[node]
            lines[child : child + f] = (lines[child : child + f] + lines[node]) / f
        self.tree.to_front(lines)


def test_planted_mean_subtraction_before_the_noise_is_seen() -> None:
    rows, (axis,), scale = replicas("nominal")
    assert isinstance(axis, NominalWavelet)
    assert not variance_is_stated(rows, [Unsubtracted(axis.tree)], [axis], scale, [[(0, 4)]])


def test_planted_padding_counted_as_data_is_seen() -> None:
    """Eight places for five codes, each with its noise: what the five add up to is not what is stated for five."""
    schema = discreet.Schema(copy=COPY, x=discreet.Ordinal(0, 7))
    mechanism = made(schema, Unit(), Fraction(3, 2), "privelet+", direct=["copy"])
    rows = mechanism.measured(empty(mechanism), Noise()).astype(np.float64)
    stated: list[Axis] = [Haar(5)]
    assert mechanism.axes[1].weight == stated[0].weight
    assert not variance_is_stated(rows, mechanism.axes[1:], stated, mechanism.scale, [[(0, 5)]])


@pytest.mark.parametrize("wrong", [lambda s: s / 2, lambda s: s * 2])
def test_a_scale_off_by_two_is_seen(wrong: Callable[[Fraction], Fraction]) -> None:
    rows, axes, scale = replicas("haar")
    assert not variance_is_stated(rows, axes, axes, wrong(scale), ASKED["haar"][1][:1])
