"""Sparse summaries of tree nodes or Haar coefficients in place of cells, in time of the data and not of the domain.

Source: section 5.2 of sparse-summaries, theorem 5. Guarantee: pure epsilon, as in `table_sparse`: a record counts in
as many entries as the product of the axes' weights says, by one each, and all entries have noise of one scale. With
trees the weight of an attribute is the number of its levels, root and leaves included (errata).

The consistency check for filtered tree nodes drops a node whose ancestor is missing, before anything is sampled. With
several attributes an ancestor is any node in which one or more coordinates are replaced by ancestors of theirs. The
check looks at which noisy nodes passed the filter, so it is post-processing.
"""

from __future__ import annotations

import math
from abc import abstractmethod
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from discreet.errors import BadParameter
from discreet.kernels.sorted_rows import mark_complete
from discreet.left_out import LeftOut
from discreet.mechanisms.base import Request
from discreet.mechanisms.ranges.range_node_counts import node_counts
from discreet.mechanisms.table.table_sparse import Sparse
from discreet.noise import Chosen, Field, Noise
from discreet.numbers.cell_numbers import CellNumbers
from discreet.parameters import Flag, Parameter, Whole
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
    "How many parts a node of an ordinal attribute is divided into; nominal attributes use their hierarchy",
    2,
)
CONSISTENCY = Parameter(
    "consistency", Flag(), "Whether a node is dropped if a node that contains it did not pass theta", True
)


class Nodes(Sparse):
    """A sparse method over the nodes of one axis per attribute; `keep` comes from the method for cells."""

    tasks = ("ranges",)
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


class CheckedTreeNodes(TreeNodes):
    """Adds the consistency check to a method that filters; `reduced` comes after it."""

    def __init__(self, request: Request) -> None:
        super().__init__(request)
        self.consistency = self.value(CONSISTENCY)
        if self.consistency:
            self.check_expected(self.rule(self.theta))

    def keep(self, fields: Sequence[Field], noise: Noise) -> tuple[list[Chosen], dict[str, Any]]:
        if self.consistency:
            return self.passing(fields, noise), {}
        return super().keep(fields, noise)  # type: ignore[safe-super]  # of the method for cells

    def finished(
        self, numbers: NDArray[Any], values: NDArray[np.int64], facts: dict[str, Any], noise: Noise
    ) -> Summary:
        if self.consistency:
            codes = CellNumbers(self.sizes).decode(numbers)
            complete = have_all_ancestors(codes, [axis.parents for axis in self.axes])
            numbers, values = numbers[complete], values[complete]
            chosen, facts = self.reduced(values, noise)
            numbers, values = numbers[chosen], values[chosen]
        return super().finished(numbers, values, {**facts, "consistency": self.consistency}, noise)

    @abstractmethod
    def reduced(self, values: NDArray[np.int64], noise: Noise) -> tuple[NDArray[np.int64], dict[str, Any]]:
        """Which of the nodes that are left are published, rising, and theta and tau as the summary needs them."""

    def method_leaves_out(self) -> list[LeftOut]:
        return [*super().method_leaves_out(), *([LeftOut("below-missing")] if self.consistency else [])]


def have_all_ancestors(codes: NDArray[np.int64], parents: Any) -> NDArray[np.bool_]:
    """Which nodes, given in their order, have every ancestor in the list; `parents` has a function per axis."""
    above = np.empty_like(codes)
    for axis, find in enumerate(parents):
        above[:, axis] = find(np.ascontiguousarray(codes[:, axis]))
    complete = np.zeros(len(codes), np.bool_)
    mark_complete(codes, above, complete)
    return complete
