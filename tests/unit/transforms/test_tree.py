"""Trees as arrays: every invariant that the kernels rely on, and the shapes that schemas declare."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import discreet
from discreet.schema import Attribute, Nominal
from discreet.transforms import Tree
from tests.unit.transforms.shapes import attributes, bases, nominal, tree_weight

CHECKED = settings(max_examples=150)


def spans(tree: Tree) -> set[tuple[int, int]]:
    return set(zip(tree.first.tolist(), tree.end.tolist(), strict=True))


@CHECKED
@given(attribute=attributes, base=bases)
def test_structure(attribute: Attribute, base: int) -> None:
    tree = Tree.of(attribute, base)
    assert (tree.first[0], tree.end[0], tree.size) == (0, attribute.size, attribute.size)
    assert tree.starts[0] == 0
    assert tree.starts[-1] == tree.nodes == len(tree.end) == len(tree.child) == len(tree.fanout)
    assert all(a < b for a, b in pairwise(tree.starts)), "no level is empty"
    assert tree.depth + 1 == len(tree.levels) == tree_weight(attribute, base)
    assert not np.any(tree.fanout == 1), "an only child would repeat its parent"
    assert len(spans(tree)) == tree.nodes, "no two nodes are the same"
    level_of = np.repeat(np.arange(len(tree.levels)), np.diff(tree.starts))
    seen = [0]
    for node in range(tree.nodes):
        children = range(int(tree.child[node]), int(tree.child[node]) + int(tree.fanout[node]))
        if not children:
            assert tree.end[node] - tree.first[node] == 1, "a node without children is one code"
            continue
        assert tree.first[children[0]] == tree.first[node]
        assert tree.end[children[-1]] == tree.end[node]
        assert all(tree.end[a] == tree.first[b] for a, b in pairwise(children))
        assert all(level_of[below] == level_of[node] + 1 for below in children)
        assert all(tree.parent[below] == node for below in children)
        seen += children
    assert sorted(seen) == list(range(tree.nodes)), "every node but the root is one node's child"
    assert tree.parent[0] == -1
    assert tree.first[tree.leaves].tolist() == list(range(attribute.size))
    assert tree.end[tree.leaves].tolist() == list(range(1, attribute.size + 1))


@CHECKED
@given(attribute=attributes, base=bases)
def test_groups_of_siblings_stand_in_order_of_their_number(attribute: Attribute, base: int) -> None:
    """So that siblings with equal noise are neighbours, and noise is drawn in few pieces."""
    tree = Tree.of(attribute, base)
    for level in tree.levels[1:]:
        siblings = tree.fanout[tree.parent[level]]
        assert np.all(np.diff(siblings) >= 0)


@CHECKED
@given(size=st.integers(1, 200), base=bases)
def test_equal_parts(size: int, base: int) -> None:
    """Aligned blocks of base**k codes, the last one cut short: as a canonical decomposition wants them."""
    tree = Tree.of(discreet.Ordinal(1, size), base)
    blocks = {(0, size)}
    width = 1
    while width < size:
        blocks |= {(start, min(start + width, size)) for start in range(0, size, width)}
        width *= base
    assert spans(tree) == blocks
    assert tree.fanout.max() <= base


@CHECKED
@given(attribute=attributes)
def test_hierarchies_keep_every_node_that_says_something(attribute: Attribute) -> None:
    if not isinstance(attribute, Nominal):
        return
    nodes = {(first, last + 1) for level in range(attribute.depth) for _, first, last in attribute.level(level)}
    assert spans(Tree.of(attribute)) == nodes | {(0, attribute.size)}


@pytest.mark.parametrize(
    ("shape", "other", "fanouts"),
    [
        ([0], False, [0]),
        ([[[0]]], False, [0]),
        ([[0, 0]], False, [2, 0, 0]),
        ([[0, 0]], True, [2, 2, 0, 0, 0]),
        ([0, [0, [0, 0]]], False, [2, 0, 2, 0, 2, 0, 0]),
        ([[0, 0, 0], [0, 0]], False, [2, 3, 2, 0, 0, 0, 0, 0]),
    ],
)
def test_small_shapes(shape: list[object], other: bool, fanouts: list[int]) -> None:
    assert Tree.of(nominal(shape, other=other)).fanout.tolist() == fanouts


def test_children_of_smaller_groups_come_first() -> None:
    """The pair (codes 3 and 4) before the three (codes 0 to 2), on the level below both."""
    tree = Tree.of(nominal([[0, 0, 0], [0, 0]]))
    assert tree.first[tree.levels[2]].tolist() == [3, 4, 0, 1, 2]
    assert tree.leaves.tolist() == [5, 6, 7, 3, 4]
