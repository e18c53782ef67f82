"""Few of very many nodes: counts of tree nodes, or Haar coefficients, of which the others were filtered or not drawn.

A range is made up of as few tree nodes as cover it, or of the coefficients with a weight in its sum; a question over
several attributes of their products. From these it is answered as from cells; see `sparse_law`. What absent tree nodes
may hide is bounded in `node_caps`. No tree node is used for two boxes of one question, as boxes do not overlap.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from discreet.queries import Questions
from discreet.schema import Schema
from discreet.summaries.base import Answers
from discreet.summaries.node_caps import Reached, tree_high
from discreet.summaries.node_columns import from_columns, to_columns
from discreet.summaries.sparse_law import SparseEntries, Sums, WeightPowers
from discreet.transforms import node_axis_of
from discreet.transforms.axis import Floats, Integers
from discreet.transforms.node_axis import NodeAxis
from discreet.transforms.noise_moments import box_variances

#: how many boxes are answered at a time, and how many entries their lists may have
_BOXES, _ENTRIES = 1 << 12, 1 << 22
_ROOT_SHARE = 0.2


@dataclass(frozen=True, eq=False)
class Needs:
    """What boxes need: a product of one list of nodes per attribute.

    The lists of all axes stand one after the other: box b needs on axis i the entries starts[i, b] to ends[i, b] - 1.
    """

    starts: Integers
    ends: Integers
    nodes: Integers
    weights: Floats
    skips: Integers

    @classmethod
    def of(cls, axes: Sequence[NodeAxis], first: Integers, last: Integers) -> Needs:
        found, offset = [], 0
        for i, axis in enumerate(axes):
            cover = axis.cover(np.ascontiguousarray(first[:, i]), np.ascontiguousarray(last[:, i]) + 1)
            bounds = cover.starts + offset
            found.append((bounds[:-1], bounds[1:], cover.nodes, cover.weights, cover.skips + offset))
            offset += cover.nodes.size
        starts, ends, nodes, weights, skips = zip(*found, strict=True)
        return cls(np.stack(starts), np.stack(ends), *map(np.concatenate, (nodes, weights, skips)))

    def box_sums(self) -> tuple[Floats, Floats]:
        """Over the nodes that each box needs: five sums, a row for each box, and the largest |w|.

        These are their number, the sums of |w|, w**2 and w**4, and their number with those above them in their trees.
        Every list has an entry of non-zero weight, as no box is empty.
        """
        starts, size = self.starts.reshape(-1), np.abs(self.weights)
        columns = np.stack([size > 0, size, size**2, size**4, np.ones_like(size)])
        sums = np.add.reduceat(columns, starts, axis=1).reshape(-1, *self.starts.shape)
        largest = np.maximum.reduceat(size, starts).reshape(self.starts.shape)
        return np.prod(sums, axis=1).T, np.prod(largest, axis=0)

    def seconds_together(self, owner: Integers, count: int) -> Floats:
        """Per question the sum of squared weights; a node that several of its boxes need has the sum of theirs."""
        from discreet.kernels.node_sums import common_load

        lists = np.repeat(np.arange(self.starts.size), (self.ends - self.starts).reshape(-1))
        order = np.lexsort((self.nodes, lists))
        nodes, weights = self.nodes[order], self.weights[order]

        def together(one: Integers, other: Integers) -> Floats:
            found = np.empty(one.size)
            common_load((self.starts, self.ends, nodes, weights), one, other, found)
            return found

        return box_variances(owner, count, together)


class SparseNodes(SparseEntries):
    """Numbers of the kept nodes on each axis (sorted), their noisy values, and the rule by which they were kept."""

    shape = "sparse-nodes"

    def __init__(
        self, schema: Schema, axes: Sequence[NodeAxis], codes: Integers, values: Integers, rule: dict[str, Any]
    ) -> None:
        self.plain = all(axis.plain for axis in axes)
        super().__init__(schema, values, rule, equal_weights=self.plain)
        self.axes, self.codes = tuple(axes), np.ascontiguousarray(codes)
        self.checked = bool(rule.get("consistency", False))

    def answer(self, questions: Questions, level: float) -> Answers:
        sums, reached = self._sums(questions)
        found, open_ended = self.law.interval(sums, level), ~sums.complete
        if not self.plain:
            open_ended &= sums.needed > 1
        if not open_ended.any():
            return found
        # of what one side may miss, a fifth is for the root
        most = 1 - (1 - level) * (1 - _ROOT_SHARE) if self._root is not None else level
        if self._hides:
            high = tree_high(self.law, sums, reached, most, checked=self.checked)
        else:
            high = self.law.interval(sums, most).high
        if self._root is not None:
            high = np.minimum(high, self._root + self.law.noise.half_width(1 - (1 - level) * _ROOT_SHARE))
        return self.law.with_end(found, np.where(open_ended, high, found.high), open_ended)

    @cached_property
    def _root(self) -> int | None:
        """The noisy count of everything, if it is here; no question has more."""
        return int(self.values[0]) if self.codes.size and not self.codes[0].any() else None

    @property
    def _hides(self) -> bool:
        """Whether what absent nodes hold is bounded by nodes that they lie in."""
        return self.plain and (self.law.drops or self.checked)

    def _sums(self, questions: Questions) -> tuple[Sums, Reached]:
        from discreet.kernels import node_sums as kernels

        count = questions.count
        kept, reached = np.zeros((count, kernels.COLUMNS)), np.zeros((count, 3))
        needed, largest = np.zeros((count, 5)), np.zeros(count)
        for part in self._chunks(questions):
            owner = questions.owner[part]
            needs = Needs.of(self.axes, questions.first[part], questions.last[part])
            lists = (needs.starts, needs.ends, needs.nodes, needs.weights)
            boxes, most = needs.box_sums()
            together = not self.plain and bool(np.any(owner[1:] == owner[:-1]))
            np.add.at(needed, owner, boxes)
            np.maximum.at(largest, owner, most)
            if together:
                second = needs.seconds_together(owner, count)
                mine = np.unique(owner)
                # one node may have all of it, and no node has a weight above one
                needed[mine, 2], needed[mine, 3], largest[mine] = second[mine], second[mine] ** 2, 1.0
            kernels.node_sums(self.codes, self.values, self.law.tau, owner, lists, together, kept)
            if self._hides:
                kernels.reached_nodes(self.codes, self.values, owner, lists, needs.skips, reached)
        value, weighted, up, down, up_drawn, down_drawn, passed, passed_4, held_2, held_4, held_load, held = kept.T
        number, load, second, fourth, looked_at = needed.T
        powers = WeightPowers(second, fourth), WeightPowers(held_2, held_4), WeightPowers(passed, passed_4)
        drawn = up, down, up_drawn, down_drawn
        sums = Sums(value, weighted, *drawn, number, held, load, held_load, largest, *powers)
        found, looked_for, missing = reached.T
        return sums, Reached(found, looked_for, missing, looked_at)

    def _chunks(self, questions: Questions) -> Iterator[slice]:
        """Runs of boxes; whole questions, unless their boxes can be answered one by one."""
        start, total = 0, len(questions.owner)
        step = max(1, min(_BOXES, _ENTRIES // sum(axis.most_needed for axis in self.axes)))
        while start < total:
            stop = min(start + step, total)
            if not self.plain:
                stop = int(np.searchsorted(questions.owner, questions.owner[stop - 1], side="right"))
            yield slice(start, stop)
            start = stop

    def to_arrow(self) -> Any:
        return self.with_values(to_columns(self.schema, self.axes, self.codes))

    def facts(self) -> dict[str, Any]:
        axes = {name: axis.to_dict() for name, axis in zip(self.schema, self.axes, strict=True)}
        column = "`count`" if self.tau is None else "`weighted_count` (`count` where one node is enough)"
        use = (
            f"{column} is the number of records from first to before middle, less that from middle to last; without a "
            "middle, that of all records"
        )
        if self.plain:
            use = f"add up {column} over the largest nodes that make up a range; one that is not here counts as zero"
        return {"axes": axes, **self.rule, "use": use}

    @classmethod
    def read(cls, schema: Schema, facts: dict[str, Any], parquet: Any) -> SparseNodes:
        table, values, rule = cls.read_rows(facts, parquet)
        axes = tuple(node_axis_of(schema[name], facts["axes"][name]) for name in schema)
        return cls(schema, axes, from_columns(schema, axes, table), values, rule)
