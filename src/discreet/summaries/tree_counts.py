"""Noisy counts of all nodes of a tree per attribute; a box is answered by as few nodes as cover it.

No node is used for two boxes of a question, as boxes do not overlap: so the noise of an answer is a sum of as many
independent draws as nodes were added up, and its quantiles are those of the exact law.
"""

from __future__ import annotations

from functools import cached_property
from typing import Any

import numpy as np

from discreet.errors import BadParameter
from discreet.privacy import Alpha
from discreet.queries import Questions
from discreet.summaries.base import Answers, Floats, Summary, per_question
from discreet.summaries.coefficients import Coefficients
from discreet.transforms import AgreeingTree


class TreeCounts(Coefficients):
    """Node counts that are not made to agree."""

    shape = "tree-counts"
    column = "node_count"

    def answer(self, questions: Questions, level: float) -> Answers:
        from discreet.kernels.canonical import tree_box_sums

        sums, nodes = (np.empty(len(questions.first), np.int64) for _ in range(2))
        strides = np.array(self.values.strides, np.int64) // self.values.itemsize
        tree_box_sums(self.values.reshape(-1), strides, *self._trees, questions.first, questions.last + 1, sums, nodes)
        alpha = Alpha.of(self.scale)
        return Answers.of_draws(per_question(questions, sums), per_question(questions, nodes), alpha, level)

    @cached_property
    def _trees(self) -> tuple[Any, Any, Any, Any, Any, int]:
        """Where each tree begins, the arrays of all of them, and the room that a decomposition may need."""
        trees = [axis.tree for axis in self.axes if isinstance(axis, AgreeingTree)]
        offsets = np.cumsum([0, *(tree.nodes for tree in trees)])
        room = max(2 * (tree.depth + 1) * int(tree.fanout.max()) + 2 for tree in trees)
        arrays = zip(*(tree.arrays for tree in trees), strict=True)
        first, end, child, fanout = (np.concatenate(parts) for parts in arrays)
        return offsets, first, end, child, fanout, room

    @property
    def cells(self) -> Floats:
        """The leaves' own counts."""
        return self.values[np.ix_(*(axis.places(np.arange(axis.size)) for axis in self.axes))].astype(np.float64)

    def as_cells(self) -> Summary:
        raise BadParameter("node counts that are not made to agree have no common cells: write coefficients")

    def facts(self) -> dict[str, Any]:
        return {**super().facts(), "use": "the largest nodes that make up a range, added up"}
