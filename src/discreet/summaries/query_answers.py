"""Noisy answers to a list of count queries, each with its scale; nothing else can be asked.

With `consistency` they are made to agree, see `agreeing_queries`.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import pairwise
from typing import Any

import numpy as np

from discreet.errors import CannotAnswer
from discreet.queries import Boxes, Questions
from discreet.schema import Schema
from discreet.summaries.agreeing_queries import AgreeingQueries
from discreet.summaries.base import Answers, Summary
from discreet.summaries.columns import arrow_table, read_column
from discreet.summaries.marginal_tables import Part, ScaleChoice


@dataclass(eq=False)
class QueryAnswers(Summary):
    """`parts[f]` holds the answers to the queries `members[f]`; `texts` are the predicates as they were given."""

    shape = "query-answers"

    schema: Schema
    texts: list[str]
    boxes: Sequence[Boxes]
    members: Sequence[list[int]]
    parts: Sequence[Part]
    choice: ScaleChoice = field(default_factory=ScaleChoice)
    consistent: bool = False

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
        chosen = np.array([self._numbers[key] for key in keys], np.int64)
        value, variance, fourth = self._answers
        errors = np.sqrt(variance)
        if self.consistent:
            value, variance, fourth, errors = self._agreed.unbiased
        smallest = float(min(scale for part in self.parts for scale in part.scales))
        moments = value[chosen], variance[chosen], fourth[chosen]
        found = Answers.of_moments(*moments, smallest, self.choice.level(level))
        lean = self.choice.lean(1) * errors[chosen]
        found = replace(found, low=found.low - lean, high=found.high + lean)
        if not self.consistent:
            return found
        number, plain = self._agreed.numbers[chosen], self._answers[0][chosen]
        low, high = np.minimum(found.low, number), np.maximum(found.high, number)
        return replace(found, value=number, low=low, high=high, plain=plain)

    @cached_property
    def _agreed(self) -> AgreeingQueries:
        return AgreeingQueries(self.boxes, *self._answers)

    def to_arrow(self) -> Any:
        value, variance, _ = self._answers
        agreed = {"consistent_count": self._agreed.numbers} if self.consistent else {}
        return arrow_table({"where": self.texts, "count": value, "stderr": np.sqrt(variance), **agreed})

    def facts(self) -> dict[str, Any]:
        queries = [{"first": box.first.tolist(), "last": box.last.tolist()} for box in self.boxes]
        pairs = zip(self.members, self.parts, strict=True)
        families = [{"queries": numbers, **part.facts()} for numbers, part in pairs]
        agreed = {"consistency": True} if self.consistent else {}
        return {"queries": queries, "families": families, **self.choice.facts(), **agreed}

    @classmethod
    def read(cls, schema: Schema, facts: dict[str, Any], parquet: Any) -> QueryAnswers:
        boxes = [_read_boxes(schema, query) for query in facts["queries"]]
        expected = f"the release has {len(boxes)} queries"
        texts, values = (read_column(parquet, name, len(boxes), expected) for name in ("where", "count"))
        members = [family["queries"] for family in facts["families"]]
        if sorted(number for numbers in members for number in numbers) != list(range(len(boxes))):
            raise ValueError("not every query belongs to one family")
        if len({_key(box.first, box.last) for box in boxes}) < len(boxes):
            raise ValueError("a query is listed twice")
        parts = [Part.read(family, {"count": values[family["queries"]]}) for family in facts["families"]]
        consistent = facts.get("consistency", False)
        if not isinstance(consistent, bool):
            raise ValueError("consistency must be true or false")
        return cls(schema, texts.tolist(), boxes, members, parts, ScaleChoice.read(facts), consistent)


def _read_boxes(schema: Schema, query: dict[str, Any]) -> Boxes:
    """The boxes of a query; a ValueError if they are not boxes of the schema."""
    first, last = (np.array(query[end]) for end in ("first", "last"))
    for ends in (first, last):
        if ends.dtype != np.int64 or ends.shape != (len(first), len(schema)):
            raise ValueError("queries are not about the attributes of the schema")
    if np.any(first < 0) or np.any(first > last) or np.any(last >= np.array(schema.sizes)):
        raise ValueError("a query asks for what the schema does not have")
    return Boxes(first, last)


def _key(first: Any, last: Any) -> bytes:
    """The same for the same boxes, in whatever order."""
    rows = np.concatenate([first, last], axis=1)
    return np.ascontiguousarray(rows[np.lexsort(rows.T[::-1])]).tobytes()
