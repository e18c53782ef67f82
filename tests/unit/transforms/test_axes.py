"""What an axis says of itself against the matrices of its maps: inverse, weight, covariances, least squares."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

import discreet
from discreet.transforms import AgreeingTree, Axis, Direct, Haar, NominalWavelet, Tree, axis_of
from discreet.transforms.lines import restored, through
from tests.unit.transforms.shapes import (
    attributes,
    axes,
    bases,
    factors_of,
    nominal,
    ranges,
    restoring,
    small_attributes,
    transformed,
)

CHECKED = settings(max_examples=150)
PRODUCTS = settings(max_examples=40)


@CHECKED
@given(axis=axes())
def test_every_coefficient_is_in_one_run_and_on_one_level(axis: Axis) -> None:
    runs, levels = np.zeros(axis.length, int), np.zeros(axis.length, int)
    for part, _ in axis.runs:
        runs[part] += 1
    for level in axis.levels:
        levels[level] += 1
    assert np.all(runs == 1)
    assert np.all(levels == 1)
    assert axis.factors == tuple(np.unique(factors_of(axis)).tolist())
    assert axis.factors[0] == 1, "the total has noise of the scale itself"
    assert [part.start for part, _ in axis.runs] == sorted(part.start for part, _ in axis.runs)


@CHECKED
@given(axis=axes())
def test_the_weight_is_that_of_the_heaviest_code(axis: Axis) -> None:
    weights = (np.abs(transformed(axis, axis.size)) / factors_of(axis)[:, None]).sum(axis=0)
    assert weights.max() == pytest.approx(axis.weight, abs=1e-12)


@CHECKED
@given(axis=axes())
def test_the_first_level_is_the_total(axis: Axis) -> None:
    total = transformed(axis, axis.size)[axis.levels[0]].sum(axis=0)
    assert np.all(total == 1)


@CHECKED
@given(axis=axes())
def test_restoring_undoes_the_transform(axis: Axis) -> None:
    product = restoring(axis) @ transformed(axis, axis.size)
    assert np.allclose(product, np.eye(axis.size), rtol=0, atol=1e-12)


@PRODUCTS
@given(found=st.lists(axes(of=small_attributes), min_size=1, max_size=3), seed=st.integers(0, 2**32))
def test_counts_come_back_from_tables_of_several_attributes(found: list[Axis], seed: int) -> None:
    """To the last digit if all axes halve only; else within a rounding error that is far below one."""
    counts = np.random.default_rng(seed).integers(0, 2**30, [axis.size for axis in found])
    table = np.zeros([axis.length for axis in found], np.int64)
    table[np.ix_(*(axis.places(np.arange(axis.size)) for axis in found))] = counts
    for place, axis in enumerate(found):
        through(table, place, axis.forward)
    back = restored(found, table.astype(np.float64))
    assert np.array_equal(np.rint(back), counts)
    assert np.max(np.abs(back - counts)) < 1e-4
    if all(isinstance(axis, Haar | Direct) for axis in found):
        assert np.array_equal(back, counts)


def halves(line: list[int], size: int) -> list[int]:
    """Haar coefficients to counts in whole numbers, from the definition: sum and difference of the halves of a node."""
    padded = 1 << (size - 1).bit_length()
    counts = [0] * padded

    def spread(first: int, width: int, total: int) -> None:
        if width == 1:
            counts[first] = total
            return
        middle = first + width // 2
        difference = line[middle] if middle < size else total  # the right half is padding: all is on the left
        assert (total + difference) % 2 == 0
        spread(first, width // 2, (total + difference) // 2)
        spread(middle, width // 2, (total - difference) // 2)

    spread(0, padded, line[0])
    assert not any(counts[size:])
    return counts[:size]


def shares(line: list[int], tree: Tree) -> list[int]:
    """Nominal coefficients to counts in whole numbers: a node has (coefficient + parent's sum) / fan-out."""
    sums = [line[0], *[0] * (tree.nodes - 1)]
    for node in range(tree.nodes):
        f, child = int(tree.fanout[node]), int(tree.child[node])
        for below in range(child, child + f):
            assert (line[below] + sums[node]) % f == 0
            sums[below] = (line[below] + sums[node]) // f
        assert f == 0 or sum(line[child : child + f]) == 0
    return [sums[leaf] for leaf in tree.leaves]


@CHECKED
@given(attribute=attributes, base=bases, data=st.data())
def test_wavelets_invert_in_whole_numbers(attribute: discreet.Ordinal, base: int, data: st.DataObject) -> None:
    """Nothing rounds: every division that the definition asks for comes out even."""
    size = attribute.size
    counts = data.draw(st.lists(st.integers(0, 2**40), min_size=size, max_size=size))
    tree = Tree.of(attribute, base)
    haar = transformed(Haar(size), size) @ np.array(counts)
    assert halves(haar.tolist(), size) == counts
    coefficients = transformed(NominalWavelet(tree), size) @ np.array(counts)
    assert shares(coefficients.tolist(), tree) == counts


@CHECKED
@given(axis=axes())
def test_covariances_of_prefixes(axis: Axis) -> None:
    prefixes = np.concatenate([np.zeros((1, axis.length)), np.cumsum(restoring(axis), axis=0)])
    one, other = (places.reshape(-1).astype(np.int64) for places in np.indices((axis.size + 1, axis.size + 1)))
    found = axis.prefix_covariance(one, other)
    factors = factors_of(axis)
    assert found.shape == (one.size, len(axis.factors))
    for column, factor in enumerate(axis.factors):
        part = prefixes[:, factors == factor]
        assert np.allclose(found[:, column], (part @ part.T).reshape(-1), atol=1e-10)


@CHECKED
@given(axis=axes())
def test_covariances_and_fourth_powers_of_ranges(axis: Axis) -> None:
    first, end = ranges(axis.size)
    sums = weights_of_ranges(axis)
    order = np.random.default_rng(axis.length).permutation(first.size)
    found = axis.covariance((first, end), (first[order], end[order]))
    fourth = axis.fourth(first, end)
    factors = factors_of(axis)
    for column, factor in enumerate(axis.factors):
        part = sums[:, factors == factor]
        assert np.allclose(found[:, column], (part * part[order]).sum(axis=1), atol=1e-10)
        powers = (part**4).sum(axis=1)
        if isinstance(axis, AgreeingTree):  # a bound, as it says
            assert np.all(fourth[:, column] >= powers - 1e-10)
        else:
            assert np.allclose(fourth[:, column], powers, atol=1e-10)


def weights_of_ranges(axis: Axis) -> NDArray[np.float64]:
    prefixes = np.concatenate([np.zeros((1, axis.length)), np.cumsum(restoring(axis), axis=0)])
    first, end = ranges(axis.size)
    return np.asarray(prefixes[end] - prefixes[first])


@CHECKED
@given(attribute=attributes, base=bases)
def test_consistent_trees_are_least_squares(attribute: discreet.Ordinal, base: int) -> None:
    axis = AgreeingTree(Tree.of(attribute, base), base)
    wanted = np.linalg.pinv(transformed(axis, axis.size).astype(np.float64))
    assert np.allclose(restoring(axis), wanted, atol=1e-9)


@PRODUCTS
@given(one=small_attributes, other=small_attributes, base=bases, seed=st.integers(0, 2**32))
def test_one_axis_after_the_other_is_least_squares_of_both(
    one: discreet.Ordinal, other: discreet.Ordinal, base: int, seed: int
) -> None:
    pair = [AgreeingTree(Tree.of(attribute, base), base) for attribute in (one, other)]
    noisy = np.random.default_rng(seed).normal(size=[axis.length for axis in pair])
    first, second = (transformed(axis, axis.size).astype(np.float64) for axis in pair)
    wanted = np.linalg.pinv(np.kron(first, second)) @ noisy.reshape(-1)
    assert np.allclose(restored(pair, noisy.copy()).reshape(-1), wanted, atol=1e-9)


@CHECKED
@given(attribute=attributes, base=bases)
def test_an_axis_is_made_again_from_what_it_writes(attribute: discreet.Ordinal, base: int) -> None:
    tree = Tree.of(attribute, base)
    made: list[Axis] = [Direct(attribute.size), Haar(attribute.size), AgreeingTree(tree, base)]
    if isinstance(attribute, discreet.Nominal):
        made.append(NominalWavelet(tree))
    for axis in made:
        again = axis_of(attribute, axis.to_dict())
        assert (type(again), again.length, again.runs, again.levels) == (
            type(axis),
            axis.length,
            axis.runs,
            axis.levels,
        )
        assert np.array_equal(transformed(again, axis.size), transformed(axis, axis.size))


def test_an_axis_of_an_unknown_kind_is_refused() -> None:
    with pytest.raises(ValueError, match="fourier"):
        axis_of(discreet.Ordinal(0, 3), {"kind": "fourier"})


def test_padding_has_no_coefficient() -> None:
    """Five codes stand on eight places; the three empty ones leave neither a coefficient nor a level."""
    axis = Haar(5)
    assert axis.length == 5
    assert transformed(axis, 5).tolist() == [
        [1, 1, 1, 1, 1],
        [1, -1, 0, 0, 0],
        [1, 1, -1, -1, 0],
        [0, 0, 1, -1, 0],
        [1, 1, 1, 1, -1],
    ]
    assert [np.arange(5)[level].tolist() for level in axis.levels] == [[0], [4], [2], [1, 3]]


def test_the_example_of_the_paper() -> None:
    """Example 3 of privelet: two groups of three, total 30, first group 18, v1 = 9 give 30, 3 and 3 (times fan-out)."""
    axis = NominalWavelet(Tree.of(nominal([[0, 0, 0], [0, 0, 0]])))
    found = transformed(axis, 6) @ np.array([9, 3, 6, 2, 8, 2])
    assert found.tolist() == [30, 2 * 3, 2 * -3, 3 * 3, 3 * -3, 3 * 0, 3 * -2, 3 * 4, 3 * -2]
    assert factors_of(axis).tolist() == [1, 2, 2, 4, 4, 4, 4, 4, 4]


def test_only_children_have_no_coefficient() -> None:
    plain, chained = nominal([0, 0, [0, 0]]), nominal([[[0]], [0], [[[0], 0]]])
    one, other = (transformed(NominalWavelet(Tree.of(found)), 4) for found in (plain, chained))
    assert np.array_equal(one, other)
