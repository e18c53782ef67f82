"""Nodes that are never all written out: their numbers, what codes count in, what ranges need; against brute force."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import discreet
from discreet.schema import Attribute, Nominal
from discreet.transforms import Haar, node_axis_of, tree_axis, wavelet_axis
from discreet.transforms.haar_nodes import HaarNodes
from discreet.transforms.node_axis import NodeAxis
from discreet.transforms.tree_nodes import Parts, TreeAxis
from tests.unit.transforms.node_maps import matrix
from tests.unit.transforms.shapes import attributes, bases, nominal, ranges, restoring, tree_weight, wavelet_weight

CHECKED = settings(max_examples=120)
trees = st.builds(tree_axis, attributes, bases | st.just(1 << 20))
axes = trees | st.builds(wavelet_axis, attributes)
LARGE = 2**40


@CHECKED
@given(axis=trees)
def test_a_tree_node_counts_the_codes_it_covers(axis: TreeAxis) -> None:
    first, last = axis.ends(np.arange(axis.length))
    codes = np.arange(axis.size)
    assert np.array_equal(matrix(axis), (first[:, None] <= codes) & (codes <= last[:, None]))
    assert len(set(zip(first.tolist(), last.tolist(), strict=True))) == axis.length, "no node repeats another's count"
    assert np.array_equal(axis.numbers(first, last), np.arange(axis.length))
    assert (first[0], last[0]) == (0, axis.size - 1)


@CHECKED
@given(axis=trees)
def test_a_parent_is_the_least_node_around(axis: TreeAxis) -> None:
    first, last = axis.ends(np.arange(axis.length))
    parents = axis.parents(np.arange(axis.length))
    assert parents[0] == -1
    for node in range(1, axis.length):
        around = [v for v in range(axis.length) if v != node and first[v] <= first[node] and last[node] <= last[v]]
        assert parents[node] == min(around, key=lambda v: last[v] - first[v])
        assert parents[node] < node


@CHECKED
@given(attribute=attributes, base=bases)
def test_the_weight_is_what_the_heaviest_code_counts_in(attribute: Attribute, base: int) -> None:
    tree, wavelet = tree_axis(attribute, base), wavelet_axis(attribute)
    assert np.abs(matrix(tree)).sum(axis=0).max() == tree.weight == tree_weight(attribute, base)
    assert np.abs(matrix(wavelet)).sum(axis=0).max() == wavelet.weight == wavelet_weight(attribute)


def test_a_weight_without_the_last_level_is_told_apart() -> None:
    """log2 m instead of log2 m + 1, as the paper has it."""
    axis = Parts(8)
    assert np.abs(matrix(axis)).sum(axis=0).max() != axis.depth


@CHECKED
@given(axis=axes)
def test_a_cover_adds_up_to_its_range(axis: NodeAxis) -> None:
    """The weights times what each code adds to the nodes: one inside the range, zero outside; for all ranges."""
    first, end = ranges(axis.size)
    cover, made, codes = axis.cover(first, end), matrix(axis), np.arange(axis.size)
    for i in range(first.size):
        mine = slice(cover.starts[i], cover.starts[i + 1])
        assert mine.stop - mine.start <= axis.most_needed
        weights = np.zeros(axis.length)
        np.add.at(weights, cover.nodes[mine], cover.weights[mine])
        assert np.array_equal(weights @ made, (first[i] <= codes) & (codes < end[i]))


@CHECKED
@given(axis=trees)
def test_a_tree_cover_is_the_way_from_the_root_to_the_largest_nodes_inside(axis: TreeAxis) -> None:
    starts, ends = ranges(axis.size)
    cover = axis.cover(starts, ends)
    first, last = axis.ends(np.arange(axis.length))
    parents = axis.parents(np.arange(axis.length))
    for i, (start, end) in enumerate(zip(starts.tolist(), ends.tolist(), strict=True)):
        inside = (first >= start) & (last < end)
        largest = inside & ((parents < 0) | ~inside[parents])
        passed = ~inside & (first < end) & (last >= start)
        mine = slice(cover.starts[i], cover.starts[i + 1])
        nodes, weights = cover.nodes[mine], cover.weights[mine]
        assert np.array_equal(np.sort(nodes[weights == 1]), np.flatnonzero(largest))
        assert np.array_equal(np.sort(nodes[weights == 0]), np.flatnonzero(passed))
        place = {node: entry for entry, node in zip(range(mine.start, mine.stop), nodes.tolist(), strict=True)}
        for node, entry in place.items():
            assert parents[node] < 0 or place[parents[node]] < entry, "parents come first"
            below = [e for v, e in place.items() if first[node] <= first[v] and last[v] <= last[node]]
            assert sorted(below) == list(range(entry, int(cover.skips[entry])))


@settings(max_examples=40)
@given(size=st.integers(1, 3000), base=st.integers(2, 9), data=st.data())
def test_a_range_needs_few_nodes_per_level(size: int, base: int, data: st.DataObject) -> None:
    first = data.draw(st.integers(0, size - 1))
    end = data.draw(st.integers(first + 1, size))
    axis = Parts(size, base)
    cover = axis.cover(np.array([first]), np.array([end]))
    needed = cover.nodes[cover.weights == 1]
    firsts, lasts = axis.ends(needed)
    widths = [base**k for k in range(axis.depth + 1)]
    per_level = np.bincount(np.searchsorted(widths, lasts - firsts + 1))
    assert per_level.max() <= 2 * (base - 1) + 1  # and one more where the last, shorter part is among them


@pytest.mark.parametrize("size", [1, 2, 3, 5, 8, 13, 16, 33, 100])
def test_haar_nodes_are_the_coefficients_of_the_dense_transform(size: int) -> None:
    """In another order: the one whose right half starts at p is at place p there."""
    nodes, dense = HaarNodes(size), Haar(size)
    middles = nodes.middles(np.arange(size))
    assert sorted(middles.tolist()) == list(range(size))
    assert np.array_equal(nodes.numbers_of_middles(middles), np.arange(size))
    first, end = ranges(size)
    cover, weights = nodes.cover(first, end), restoring(dense)
    for i in range(first.size):
        mine = slice(cover.starts[i], cover.starts[i + 1])
        found = np.zeros(size)
        found[middles[cover.nodes[mine]]] = cover.weights[mine]
        assert np.array_equal(found, weights[first[i] : end[i]].sum(axis=0))
        assert np.all(cover.weights[mine] != 0)
        assert np.all(np.diff(cover.nodes[mine]) > 0)


@pytest.mark.parametrize(("axis", "levels"), [(Parts(LARGE), 41), (Parts(LARGE, 16), 11), (HaarNodes(LARGE), 41)])
def test_a_huge_domain_takes_no_memory(axis: NodeAxis, levels: int) -> None:
    assert axis.weight == levels
    first, end = np.array([0, 1, 12345]), np.array([LARGE, LARGE - 1, LARGE - 98765])
    cover = axis.cover(first, end)
    assert np.diff(cover.starts)[0] == 1, "the root or the total alone"
    assert np.diff(cover.starts).max() <= axis.most_needed <= 32 * levels + 1
    starts, lasts = axis.ends(cover.nodes)
    for i in range(3):
        mine = slice(cover.starts[i], cover.starts[i + 1])
        if isinstance(axis, TreeAxis):
            needed = cover.weights[mine] == 1
            assert (lasts - starts + 1)[mine][needed].sum() == end[i] - first[i]
            assert np.array_equal(axis.numbers(starts[mine], lasts[mine]), cover.nodes[mine])
        assert np.all(cover.nodes[mine] < axis.length)


@CHECKED
@given(attribute=attributes, base=bases)
def test_an_axis_is_made_again_from_what_it_writes(attribute: Attribute, base: int) -> None:
    for axis in (tree_axis(attribute, base), wavelet_axis(attribute)):
        again = node_axis_of(attribute, axis.to_dict())
        assert type(again) is type(axis)
        assert (again.size, again.length, again.depth, again.to_dict()) == (
            axis.size,
            axis.length,
            axis.depth,
            axis.to_dict(),
        )
    with pytest.raises(ValueError, match="no nodes of kind"):
        node_axis_of(attribute, {"kind": "parts of parts"})
    if not isinstance(attribute, Nominal):
        with pytest.raises(ValueError, match="no nodes of kind"):
            node_axis_of(attribute, {"kind": "branches"})


def test_a_flat_list_of_labels_is_a_root_with_leaves() -> None:
    axis = tree_axis(discreet.Nominal(["a", "b", "c"]), 2)
    assert (axis.length, axis.weight) == (4, 2)
    assert tree_axis(discreet.Nominal(["a"]), 2).length == 1
    assert tree_axis(nominal([[0], [0, 0]]), 2).length == 5, "a group of one label is that label"
