"""The map of an axis of nodes as a matrix, and that of several axes."""

from __future__ import annotations

from collections.abc import Sequence
from functools import reduce

import numpy as np
from numpy.typing import NDArray

from discreet.transforms.node_axis import NodeAxis


def matrix(axis: NodeAxis) -> NDArray[np.int64]:
    """What each code adds to each node, level by level as counts are."""
    made = np.zeros((axis.length, axis.size), np.int64)
    codes = keys = np.arange(axis.size)
    for level in range(axis.depth, -1, -1):
        nodes, signs = axis.places(level, keys), axis.signs(level, keys)
        there = nodes >= 0
        np.add.at(made, (nodes[there], codes[there]), 1 if signs is None else signs[there])
        keys = axis.above(level, keys) if level else keys
        assert np.all(np.diff(keys) >= 0), "sorted keys stay sorted"
    return made


def product(axes: Sequence[NodeAxis]) -> NDArray[np.int64]:
    """A row for each entry and a column for each cell, both with the last attribute changing fastest."""
    return reduce(np.kron, [matrix(axis) for axis in axes])
