"""Noisy counts of all nodes of a tree per attribute; a box is answered by as few nodes as cover it.

No node is used for two boxes of a question, as boxes do not overlap: so the noise of an answer is a sum of as many
independent draws as nodes were added up, and its quantiles are those of the exact law.
"""

from __future__ import annotations

from functools import cached_property
from typing import Any

import numpy as np

from discreet.errors import BadParameter
from discreet.numbers.laws import DiscreteLaplace, half_widths
from discreet.privacy import Alpha
from discreet.queries import Questions
from discreet.summaries.base import Answers, Summary, per_question
from discreet.summaries.coefficients import Coefficients, Floats
from discreet.transforms import AgreeingTree


class TreeCounts(Coefficients):
    """Node counts that are not made to agree."""

    shape = "tree-counts"
    column = "node_count"

    def answer(self, questions: Questions, level: float) -> Answers:
        from discreet.kernels.canonical import tree_box_sums

        sums, nodes = np.empty(len(questions.first), np.int64), np.empty(len(questions.first), np.int64)
        strides = np.array(self.values.strides, np.int64) // self.values.itemsize
        stops = questions.last + 1
        tree_box_sums(self.values.reshape(-1), strides, *self._trees, questions.first, stops, sums, nodes)
        value, count = per_question(questions, sums), per_question(questions, nodes)
        half = half_widths(self._alpha, count, level)
        stderr = np.sqrt(count * DiscreteLaplace(self._alpha).variance)
        return Answers(value, stderr, value - half, value + half, np.zeros(value.size))

    @cached_property
    def _alpha(self) -> Alpha:
        return Alpha.of(self.scale)

    @cached_property
    def _trees(self) -> tuple[Any, Any, int]:
        """The trees one after the other, where each begins, and the room that a decomposition may need."""
        trees = [axis.tree for axis in self.axes if isinstance(axis, AgreeingTree)]
        offsets = np.cumsum([0, *(tree.nodes for tree in trees)])
        arrays = [[tree.first, tree.end, tree.child, tree.fanout] for tree in trees]
        room = max(2 * (tree.depth + 1) * int(tree.fanout.max()) + 2 for tree in trees)
        return tuple(np.concatenate(parts) for parts in zip(*arrays, strict=True)), offsets, room

    @property
    def cells(self) -> Floats:
        """The leaves' own counts."""
        return self.values[np.ix_(*(axis.places(np.arange(axis.size)) for axis in self.axes))].astype(np.float64)

    def as_cells(self) -> Summary:
        raise BadParameter("node counts that are not made to agree have no common cells: write coefficients")

    def facts(self) -> dict[str, Any]:
        return {**super().facts(), "use": "the largest nodes that make up a range, added up"}
