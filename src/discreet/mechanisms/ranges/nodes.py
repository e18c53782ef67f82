"""Sparse summaries of tree nodes or Haar coefficients in place of cells, in time of the data and not of the domain.

Source: section 5.2 of sparse-summaries, theorem 5. Guarantee: pure epsilon, as in `sparse`: a record counts in as many
entries as the product of the axes' weights says, by one each, and all entries have noise of one scale. With trees the
weight of an attribute is the number of its levels, root and leaves included (errata).
"""

from __future__ import annotations

import math
from abc import abstractmethod
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from discreet.errors import BadParameter
from discreet.mechanisms.ranges.node_counts import node_counts
from discreet.mechanisms.table.sparse import Sparse
from discreet.numbers.cell_numbers import CellNumbers
from discreet.parameters import Parameter, Whole
from discreet.private.counts import Counts
from discreet.summaries import Summary
from discreet.summaries.sparse_nodes import SparseNodes
from discreet.transforms import tree_axis, wavelet_axis
from discreet.transforms.node_axis import NodeAxis
from discreet.transforms.tree_nodes import TreeAxis

#: the most entries that one record may count in: each occupied cell takes as much memory, and noise grows with it
MOST_PER_RECORD = 20_000

BASE = Parameter(
    "base",
    Whole(2, 1 << 20),
    "How many parts a node of an ordinal attribute has; nominal attributes have their hierarchy",
    2,
)


class Nodes(Sparse):
    """A sparse method over the nodes of one axis per attribute; `keep` comes from the method for cells."""

    rehearsal = "empty"

    axes: Sequence[NodeAxis]

    @abstractmethod
    def choose_axes(self) -> Sequence[NodeAxis]:
        """One axis per attribute, from public facts."""

    def layout(self) -> tuple[tuple[int, ...], int]:
        self.axes = self.choose_axes()
        weight = math.prod(axis.weight for axis in self.axes)
        if weight > MOST_PER_RECORD:
            raise BadParameter(
                f"{self.method}: one record would count in {weight:,} {self.entry}s, and the noise grows with that; at "
                f"most {MOST_PER_RECORD:,} are allowed. Name fewer attributes, or use wider bins"
            )
        return tuple(axis.length for axis in self.axes), weight

    def occupied(self, counts: Counts) -> tuple[NDArray[Any], NDArray[np.int64]]:
        return node_counts(counts, self.axes)

    def summary(self, numbers: NDArray[Any], values: NDArray[np.int64], facts: dict[str, Any]) -> Summary:
        return SparseNodes(self.request.schema, self.axes, CellNumbers(self.sizes).decode(numbers), values, facts)


class TreeNodes(Nodes):
    """Counts of tree nodes: parts of the codes of ordinal attributes, the hierarchy of nominal ones."""

    entry = "node"
    axes: Sequence[TreeAxis]

    def choose_axes(self) -> Sequence[TreeAxis]:
        base = self.value(BASE)
        return [tree_axis(attribute, base) for attribute in self.request.schema.values()]


class WaveletNodes(Nodes):
    """Haar coefficients of ordinal attributes; of nominal ones the counts of the nodes of their hierarchy."""

    entry = "coefficient"

    def choose_axes(self) -> Sequence[NodeAxis]:
        return [wavelet_axis(attribute) for attribute in self.request.schema.values()]
