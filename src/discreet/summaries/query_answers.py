"""Noisy answers to a list of count queries, each with its scale; nothing else can be asked."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from itertools import pairwise
from typing import Any

import numpy as np

from discreet.errors import CannotAnswer
from discreet.numbers import spreads
from discreet.privacy import as_text, exact
from discreet.queries import Boxes, Questions
from discreet.schema import Schema
from discreet.summaries.base import Answers, Summary
from discreet.summaries.marginal_tables import Part


class QueryAnswers(Summary):
    """`parts[f]` holds the answers to the queries `members[f]`; `texts` are the predicates as they were given."""

    shape = "query-answers"

    def __init__(
        self,
        schema: Schema,
        texts: Sequence[str],
        boxes: Sequence[Boxes],
        members: Sequence[Sequence[int]],
        parts: Sequence[Part],
    ) -> None:
        self.schema, self.texts, self.boxes = schema, list(texts), list(boxes)
        self.members, self.parts = [list(numbers) for numbers in members], tuple(parts)

    @cached_property
    def _answers(self) -> tuple[Any, Any, Any]:
        """Value, variance and fourth cumulant of every query."""
        value, variance, fourth = (np.zeros(len(self.boxes)) for _ in range(3))
        for numbers, part in zip(self.members, self.parts, strict=True):
            value[numbers], variance[numbers], fourth[numbers] = part.values, part.variance, part.fourth
        return value, variance, fourth

    @cached_property
    def _numbers(self) -> dict[bytes, int]:
        return {_key(box.first, box.last): number for number, box in enumerate(self.boxes)}

    def answer(self, questions: Questions, level: float) -> Answers:
        ends = np.searchsorted(questions.owner, np.arange(questions.count + 1))
        keys = [_key(questions.first[a:b], questions.last[a:b]) for a, b in pairwise(ends.tolist())]
        unknown = next((place for place, key in enumerate(keys) if key not in self._numbers), None)
        if unknown is not None:
            listed = "; ".join(self.texts[:8]) + (f"; and {len(self.texts) - 8} more" if len(self.texts) > 8 else "")
            raise CannotAnswer(f"question {unknown + 1} is not among those that this release answers: {listed}")
        chosen = [self._numbers[key] for key in keys]
        value, variance, fourth = (column[chosen] for column in self._answers)
        smallest = float(min(scale for part in self.parts for scale in part.scales))
        half = spreads.half_widths(variance, fourth, smallest, level)
        return Answers(value, np.sqrt(variance), value - half, value + half, np.zeros(value.size))

    def to_arrow(self) -> Any:
        import pyarrow as pa

        value, variance, _ = self._answers
        return pa.table({"where": self.texts, "count": value, "stderr": np.sqrt(variance)})

    def facts(self) -> dict[str, Any]:
        queries = [{"first": box.first.tolist(), "last": box.last.tolist()} for box in self.boxes]
        families = [
            {
                "queries": numbers,
                "scales": [as_text(scale) for scale in part.scales],
                "weights": list(part.weights),
            }
            for numbers, part in zip(self.members, self.parts, strict=True)
        ]
        return {"queries": queries, "families": families}

    @classmethod
    def read(cls, schema: Schema, facts: dict[str, Any], parquet: Any) -> QueryAnswers:
        import pyarrow.parquet as pq

        table = pq.read_table(parquet, columns=["where", "count"])
        values = table["count"].to_numpy()
        boxes = [Boxes(np.array(q["first"], np.int64), np.array(q["last"], np.int64)) for q in facts["queries"]]
        if values.size != len(boxes):
            raise ValueError(f"the table has {values.size} rows where the release has {len(boxes)} queries")
        members = [family["queries"] for family in facts["families"]]
        parts = [
            Part(values[f["queries"]], tuple(f["weights"]), tuple(exact(scale, "scale") for scale in f["scales"]))
            for f in facts["families"]
        ]
        return cls(schema, table["where"].to_pylist(), boxes, members, parts)


def _key(first: Any, last: Any) -> bytes:
    """The same for the same boxes, in whatever order."""
    rows = np.concatenate([first, last], axis=1)
    return np.ascontiguousarray(rows[np.lexsort(rows.T[::-1])]).tobytes()
