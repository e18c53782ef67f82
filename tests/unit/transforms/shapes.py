"""Random attributes of every shape, the axes they can have, and any linear map written out as a matrix."""

from __future__ import annotations

import itertools
import math
from collections.abc import Sequence
from typing import Any

import numpy as np
from hypothesis import strategies as st
from numpy.typing import NDArray

import discreet
from discreet.schema import Attribute, Nominal
from discreet.schema.hierarchy import Node
from discreet.transforms import AgreeingTree, Axis, Direct, Haar, NominalWavelet, Tree
from discreet.transforms.lines import through

Matrix = NDArray[Any]


def nominal(shape: Sequence[Any], *, other: bool = False) -> Nominal:
    """A hierarchy of this shape: a list is a group, anything else a leaf."""
    numbers = itertools.count()

    def named(part: Any) -> Any:
        return {f"group {next(numbers)}": [named(inner) for inner in part]} if isinstance(part, list) else next(numbers)

    return Nominal(hierarchy=[named(part) for part in shape], outside="other" if other else "drop")


shapes = st.recursive(st.just(0), lambda inner: st.lists(inner, min_size=1, max_size=5), max_leaves=12).filter(
    lambda shape: isinstance(shape, list)
)
nominals = st.builds(lambda shape, other: nominal(shape, other=other), shapes, st.booleans())
ordinals = st.builds(
    lambda size, other: discreet.Ordinal(1, size, outside="other" if other else "clamp"),
    st.integers(1, 40) | st.sampled_from([1, 2, 3, 4, 5, 7, 8, 9, 15, 16, 17, 31, 32, 33, 63, 64, 65]),
    st.booleans(),
)
attributes = nominals | ordinals
small_attributes = attributes.filter(lambda attribute: attribute.size <= 9)
schemas = st.lists(small_attributes, min_size=1, max_size=3).map(
    lambda found: discreet.Schema({f"a{i}": attribute for i, attribute in enumerate(found)})
)
bases = st.integers(2, 5)


@st.composite
def axes(draw: st.DrawFn, of: st.SearchStrategy[Attribute] = attributes) -> Axis:
    """Any axis of a random attribute; trees of equal parts go with the nominal wavelet, too."""
    attribute, base = draw(of), draw(bases)
    tree = Tree.of(attribute, base)
    return draw(
        st.sampled_from([Direct(attribute.size), Haar(attribute.size), NominalWavelet(tree), AgreeingTree(tree, base)])
    )


def transformed(axis: Axis, size: int) -> Matrix:
    """The matrix of an axis: a column of coefficients for each code, through the same code that tables go through."""
    made = np.zeros((axis.length, size), np.int64)
    made[axis.places(np.arange(size)), np.arange(size)] = 1
    through(made, 0, axis.forward)
    return made


def restoring(axis: Axis) -> Matrix:
    """A row for each code: the weights of the coefficients in its estimate."""
    made = np.eye(axis.length)
    through(made, 0, axis.restore)
    return made[: axis.size]


def factors_of(axis: Axis) -> NDArray[np.int64]:
    """The relative noise scale of each coefficient."""
    line = np.zeros(axis.length, np.int64)
    for part, factor in axis.runs:
        line[part] += factor
    return line


def height(attribute: Attribute) -> int:
    """The levels of the hierarchy, root included, where an only child is no level of its own."""
    assert isinstance(attribute, Nominal)

    def levels(entries: Sequence[Any]) -> int:
        below = [levels(entry.children) if isinstance(entry, Node) else 1 for entry in entries]
        return below[0] if len(below) == 1 else 1 + max(below)

    return levels(attribute.tree)


def wavelet_weight(attribute: Attribute) -> int:
    """P(A) of privelet: 1 + log2 of the padded size, or the height of the hierarchy."""
    return height(attribute) if isinstance(attribute, Nominal) else 1 + math.ceil(math.log2(attribute.size))


def tree_weight(attribute: Attribute, base: int) -> int:
    """The levels of a tree, root and leaves included."""
    if isinstance(attribute, Nominal):
        return height(attribute)
    levels = 1
    while base ** (levels - 1) < attribute.size:
        levels += 1
    return levels


def ranges(size: int) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """First code and end of every range."""
    pairs = np.array([(a, b) for a in range(size) for b in range(a + 1, size + 1)], np.int64)
    return pairs[:, 0].copy(), pairs[:, 1].copy()
