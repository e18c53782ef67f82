"""Few of very many nodes: counts of tree nodes, or Haar coefficients, of which the others were filtered or not drawn.

A range is made up of as few tree nodes as cover it, or of the coefficients with a weight in its sum; a question over
several attributes of their products. From these it is answered as from cells; see `sparse_law`. What absent tree nodes
may hide is bounded in `node_bias`. No tree node is used for two boxes of one question, as boxes do not overlap.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from discreet.queries import Questions
from discreet.schema import Schema
from discreet.summaries.base import Answers, Summary
from discreet.summaries.node_bias import Reached, tree_bias
from discreet.summaries.node_columns import from_columns, to_columns
from discreet.summaries.node_needs import Needs
from discreet.summaries.sparse_law import SparseLaw, Spread, Sums, least_kept
from discreet.transforms.node_axes import node_axis_of
from discreet.transforms.node_axis import NodeAxis

_RULE = ("alpha", "two_sided", "theta", "tau", "cut_to", "consistency")
#: how many boxes are answered at a time, and how many entries their lists may have
_BOXES, _ENTRIES = 1 << 12, 1 << 22


class SparseNodes(Summary):
    """Numbers of the kept nodes on each axis (sorted), their noisy values, and the rule by which they were kept."""

    shape = "sparse-nodes"

    def __init__(
        self,
        schema: Schema,
        axes: Sequence[NodeAxis],
        codes: NDArray[np.int64],
        values: NDArray[np.int64],
        rule: dict[str, Any],
    ) -> None:
        self.schema, self.axes = schema, tuple(axes)
        self.codes, self.values, self.rule = np.ascontiguousarray(codes), values, dict(rule)
        self.plain = all(axis.plain for axis in axes)
        self.law = SparseLaw(rule, least_kept(rule, values), equal_weights=self.plain)
        self.tau: float | None = rule.get("tau")
        self.checked = bool(rule.get("consistency", False))

    @cached_property
    def weights(self) -> NDArray[np.float64]:
        """Adjusted weights, by which sums are unbiased."""
        return self.law.weighted(self.values)

    def answer(self, questions: Questions, level: float) -> Answers:
        sums, reached = self._sums(questions)
        interval = self.law.interval(sums, level)
        if reached is None:
            bias = self.law.bias(sums, level)
        else:
            bias = tree_bias(self.law, sums, reached, interval, level, checked=self.checked)
        return Answers(interval.value, interval.stderr, interval.low, interval.high, bias)

    @property
    def _hides(self) -> bool:
        """Whether absent nodes of trees have a bias of their own."""
        return self.plain and (self.law.drops or self.checked)

    def _sums(self, questions: Questions) -> tuple[Sums, Reached | None]:
        from discreet.kernels import node_sums as kernels

        count = questions.count
        kept, reached = np.zeros((count, kernels.COLUMNS)), np.zeros((count, 3))
        needed, largest = np.zeros((count, 5)), np.zeros(count)
        for part in self._chunks(questions):
            owner = questions.owner[part]
            needs = Needs.of(self.axes, questions.first[part], questions.last[part])
            lists = (needs.starts, needs.ends, needs.nodes, needs.weights)
            boxes = needs.box_sums()
            together = not self.plain and bool(np.any(owner[1:] == owner[:-1]))
            columns = [boxes.needed, boxes.load, boxes.second, boxes.fourth, boxes.looked_at]
            np.add.at(needed, owner, np.stack(columns, axis=1))
            np.maximum.at(largest, owner, boxes.largest)
            if together:
                second = needs.seconds_together(owner, count)
                mine = np.unique(owner)
                # one node may have all of it, and no node has a weight above one
                needed[mine, 2], needed[mine, 3], largest[mine] = second[mine], second[mine] ** 2, 1.0
            kernels.node_sums(self.codes, self.values, self.law.tau, owner, lists, together, kept)
            if self._hides:
                kernels.reached_nodes(self.codes, self.values, owner, lists, needs.skips, reached)
        value, weighted, up, down, passed, passed_4, held_2, held_4, held_load, held = kept.T
        number, load, second, fourth, looked_at = needed.T
        spreads = Spread(second, fourth), Spread(held_2, held_4), Spread(passed, passed_4)
        sums = Sums(value, weighted, up, down, number, held, load, held_load, largest, *spreads)
        found, looked_for, missing = reached.T
        return sums, Reached(found, looked_for, missing, looked_at) if self._hides else None

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
        import pyarrow as pa

        columns = to_columns(self.schema, self.axes, self.codes)
        columns["count"] = pa.array(self.values)
        if self.tau is not None:
            columns["weighted_count"] = pa.array(self.weights)
        return pa.table(columns)

    def facts(self) -> dict[str, Any]:
        axes = {name: axis.to_dict() for name, axis in zip(self.schema, self.axes, strict=True)}
        return {"axes": axes, **self.rule, "use": self._use}

    @property
    def _use(self) -> str:
        column = "`count`" if self.tau is None else "`weighted_count` (`count` where one node is enough)"
        if self.plain:
            return f"add up {column} over the largest nodes that make up a range; one that is not here counts as zero"
        return (
            f"{column} is the number of records from first to before middle, less that from middle to last; without a "
            "middle, that of all records"
        )

    @classmethod
    def read(cls, schema: Schema, facts: dict[str, Any], parquet: Any) -> SparseNodes:
        import pyarrow.parquet as pq

        table = pq.read_table(parquet)
        axes = tuple(node_axis_of(schema[name], facts["axes"][name]) for name in schema)
        rule: dict[str, Any] = {name: facts[name] for name in _RULE if name in facts}
        codes = from_columns(schema, axes, table)
        return cls(schema, axes, codes, table["count"].to_numpy().astype(np.int64), rule)
