"""The stated variance of answers against explicit matrices, and against the bounds that privelet proves."""

from __future__ import annotations

import itertools
import math
from fractions import Fraction
from functools import reduce
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

import discreet
from discreet.errors import CannotAnswer
from discreet.mechanisms import Request, mechanism_for
from discreet.mechanisms.ranges.range_dense import Transformed
from discreet.numbers.laws import DiscreteLaplace
from discreet.privacy import Unit
from discreet.queries import Questions
from discreet.schema import Attribute, Nominal
from discreet.transforms import AgreeingTree, Axis, Direct, Haar, NominalWavelet, Tree
from discreet.transforms.noise_moments import MOST_PARTS, NoiseMoments, box_variances
from tests.unit.transforms.shapes import (
    attributes,
    axes,
    factors_of,
    nominals,
    ordinals,
    ranges,
    restoring,
    schemas,
    small_attributes,
)

Floats = NDArray[np.float64]
Ends = list[tuple[int, int]]


def boxes(ends: Any, owner: Any = None) -> Questions:
    """Questions from boxes, each a list of (first, end) per attribute; one question per box unless `owner` says so."""
    array = np.array(ends, np.int64)
    owners = np.arange(len(array)) if owner is None else np.array(owner)
    return Questions(array[:, :, 0].copy(), array[:, :, 1] - 1, int(owners.max()) + 1, owners)


def kronecker(parts: list[Floats]) -> Floats:
    return reduce(lambda left, right: np.asarray(np.kron(left, right)), parts)


def explicit(found: list[Axis], scale: Fraction, asked: Questions) -> tuple[Floats, Floats]:
    """Variance and fourth cumulant from the weight of every coefficient in every answer."""
    weights = np.zeros((asked.count, math.prod(axis.length for axis in found)))
    for first, last, owner in zip(asked.first, asked.last, asked.owner, strict=True):
        rows = [restoring(axis)[a : b + 1].sum(axis=0) for axis, a, b in zip(found, first, last, strict=True)]
        weights[owner] += kronecker(rows)
    factors = kronecker([factors_of(axis).astype(float) for axis in found]).astype(int)
    laws = {factor: DiscreteLaplace.of(scale * factor) for factor in set(factors.tolist())}
    variances = np.array([laws[factor].variance for factor in factors.tolist()])
    fourths = np.array([laws[factor].fourth_cumulant for factor in factors.tolist()])
    return weights**2 @ variances, weights**4 @ fourths


@settings(max_examples=40)
@given(
    found=st.lists(axes(of=small_attributes), min_size=1, max_size=3),
    scale=st.fractions(min_value=Fraction(1, 3), max_value=40, max_denominator=20),
    seed=st.integers(0, 2**32),
)
def test_single_boxes_are_exact(found: list[Axis], scale: Fraction, seed: int) -> None:
    """Down to scales where discrete noise is far from 2 * scale**2, for products of up to three axes."""
    rng = np.random.default_rng(seed)
    cuts = [np.sort(rng.integers(0, axis.size + 1, (30, 2)), axis=1) for axis in found]
    ends = np.stack([np.stack([cut[:, 0], np.maximum(cut[:, 0] + 1, cut[:, 1])], axis=1) for cut in cuts], axis=1)
    ends = ends[np.all(ends[:, :, 1] <= np.array([axis.size for axis in found]), axis=1)]
    if not len(ends):
        return
    asked = boxes(ends)
    variance, fourth = NoiseMoments(found, scale).of(asked)
    wanted, powers = explicit(found, scale, asked)
    assert np.allclose(variance, wanted, rtol=1e-9)
    if any(isinstance(axis, AgreeingTree) for axis in found):
        assert np.all(fourth >= powers * (1 - 1e-9))
    else:
        assert np.allclose(fourth, powers, rtol=1e-9)


@settings(max_examples=40)
@given(found=st.lists(axes(of=small_attributes), min_size=2, max_size=2), data=st.data())
def test_boxes_of_one_question_share_noise(found: list[Axis], data: st.DataObject) -> None:
    """Any set of cells as a question of many boxes, next to one of a single box and one that asks for nothing."""
    cells = list(itertools.product(*(range(axis.size) for axis in found)))
    chosen = data.draw(st.sets(st.sampled_from(cells), min_size=1))
    ends = [[(0, axis.size) for axis in found], *([(code, code + 1) for code in cell] for cell in sorted(chosen))]
    asked = boxes(ends, [0] + [2] * len(chosen))
    moments = NoiseMoments(found, Fraction(5, 2))
    variance, fourth = moments.of(asked)
    wanted, powers = explicit(found, Fraction(5, 2), asked)
    assert np.allclose(variance, wanted, rtol=1e-8)
    assert variance[1] == fourth[1] == 0
    assert np.all(fourth >= powers * (1 - 1e-9))
    assert np.all(fourth <= moments.largest_kurtosis * variance**2 * (1 + 1e-9))


def test_one_coefficient_has_the_largest_kurtosis() -> None:
    moments = NoiseMoments([Direct(3)], Fraction(1, 2))
    variance, fourth = moments.of(boxes([[(1, 2)]]))
    assert fourth[0] / variance[0] ** 2 == pytest.approx(moments.largest_kurtosis)
    assert moments.largest_kurtosis > 3


def test_too_many_boxes_are_refused() -> None:
    ends = [[(code, code + 1)] for code in range(0, 2 * MOST_PARTS + 2, 2)]
    moments = NoiseMoments([Haar(4 * MOST_PARTS)], Fraction(1))
    with pytest.raises(CannotAnswer, match="fewer cells"):
        moments.of(boxes(ends, [0] * len(ends)))
    assert moments.of(boxes(ends[1:], [0] * MOST_PARTS))[0][0] > 0


# --- the paper's bounds, in units of the variance sigma**2 = 2 * scale**2 of noise on a coefficient of factor 1


def asked_of(attribute: Attribute) -> Ends:
    """What the paper asks of an attribute: any range, or any node of the hierarchy; as (first, end)."""
    if not isinstance(attribute, Nominal):
        return list(zip(*(ends.tolist() for ends in ranges(attribute.size)), strict=True))
    tree = Tree.of(attribute)
    return list(zip(tree.first.tolist(), tree.end.tolist(), strict=True))


def bound(attribute: Attribute) -> float:
    """H(A) of privelet, with the padded size."""
    return 4.0 if isinstance(attribute, Nominal) else (2 + math.ceil(math.log2(attribute.size))) / 2


def relative_variances(restored: Floats, factors: NDArray[np.int64], asked: Ends) -> Floats:
    weights = np.array([restored[first:end].sum(axis=0) for first, end in asked])
    return (weights * factors) ** 2 @ np.ones(factors.size)


@settings(max_examples=100)
@given(attribute=ordinals)
def test_lemma_3(attribute: discreet.Ordinal) -> None:
    axis = Haar(attribute.size)
    found = relative_variances(restoring(axis), factors_of(axis), asked_of(attribute))
    assert found.max() <= bound(attribute) + 1e-12


@settings(max_examples=100)
@given(attribute=nominals)
def test_lemma_5(attribute: Nominal) -> None:
    axis = NominalWavelet(Tree.of(attribute))
    found = relative_variances(restoring(axis), factors_of(axis), asked_of(attribute))
    assert found.max() < bound(attribute)


def test_lemma_5_needs_the_mean_subtracted_after_the_noise() -> None:
    """The same comparison fails for sums that are restored without it, as if it had been done before the noise."""
    tree = Tree.of(discreet.Nominal(list("abcdef")))
    axis = NominalWavelet(tree)
    plain = np.concatenate([np.full((6, 1), 1 / 6), np.eye(6) / 6], axis=1)
    assert np.array_equal(tree.leaves, np.arange(1, 7))
    assert relative_variances(plain, factors_of(axis), [(0, 6)]).max() > 4
    assert relative_variances(restoring(axis), factors_of(axis), [(0, 6)]).max() == pytest.approx(1)


@settings(max_examples=30)
@given(schema=schemas, epsilon=st.fractions(min_value=Fraction(1, 10), max_value=2, max_denominator=20))
def test_theorem_3(schema: discreet.Schema, epsilon: Fraction) -> None:
    """Of the mechanism itself, for every product of what the paper asks; corollary 1 for attributes left direct."""
    asked = boxes(list(itertools.product(*(asked_of(schema[name]) for name in schema)))[:4000])
    for direct in ([], [next(iter(schema))]):
        task = discreet.Ranges(list(schema), method="privelet+", direct=direct)
        mechanism = mechanism_for(task, Request(schema, Unit(), epsilon, dict(task.parameters)))
        assert isinstance(mechanism, Transformed)
        variance, _ = NoiseMoments(mechanism.axes, mechanism.scale).of(asked)
        bounds = (schema[name].size if name in direct else bound(schema[name]) for name in schema)
        assert variance.max() <= 2 * float(mechanism.scale) ** 2 * math.prod(bounds) * (1 + 1e-12)


@settings(max_examples=40)
@given(attribute=attributes, base=st.integers(2, 5))
def test_consistency_never_hurts(attribute: Attribute, base: int) -> None:
    """Least squares has at most the variance of adding up the fewest nodes, which is also an unbiased estimate."""
    tree = Tree.of(attribute, base)
    axis = AgreeingTree(tree, base)
    first, end = ranges(attribute.size)
    agreed = axis.covariance((first, end), (first, end))[:, 0]
    nodes = np.array([fewest(tree, a, b) for a, b in zip(first.tolist(), end.tolist(), strict=True)])
    assert np.all(agreed <= nodes * (1 + 1e-9))


def fewest(tree: Tree, start: int, stop: int, node: int = 0) -> int:
    """How many nodes make up a range."""
    if tree.first[node] >= stop or tree.end[node] <= start:
        return 0
    if start <= tree.first[node] and tree.end[node] <= stop:
        return 1
    return sum(fewest(tree, start, stop, int(tree.child[node]) + i) for i in range(int(tree.fanout[node])))


def test_questions_of_any_number_of_boxes_in_any_order() -> None:
    """Taken together they have the variances that they have one by one."""
    dice = np.random.default_rng(2)
    owner = dice.permutation(np.repeat([0, 1, 2, 4, 5], [1, 3, 2, 3, 7]))
    root = dice.normal(size=(owner.size, owner.size))
    matrix = root @ root.T
    found = box_variances(owner, 6, lambda one, other: matrix[one, other])
    exact = [matrix[np.ix_(owner == question, owner == question)].sum() for question in range(6)]
    assert found == pytest.approx(np.array(exact))
