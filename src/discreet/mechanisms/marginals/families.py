"""Count queries sorted into families of which no record is in two: a family then acts like one table.

A record counts at most once in each family, so noise of scale s_i on the answers of family i costs
sensitivity * sum of 1 / s_i, as for marginals. If some cell lies in a query of every family, that is what a record
really costs; otherwise it is an upper bound.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from discreet.errors import BadParameter, DiscreetError
from discreet.kernels.sorted_rows import sparse_box_sums
from discreet.private.counts import Counts
from discreet.queries import Boxes, bind
from discreet.schema import Schema

MOST_QUERIES = 5000
_TRIES = 100_000


@dataclass(frozen=True, eq=False)
class Families:
    """`boxes[i]` is what query i asks for; `members[f]` are the numbers of the queries in family f."""

    boxes: list[Boxes]
    members: list[list[int]]
    #: whether a record can really be in one query of each family
    exact: bool

    @classmethod
    def of(cls, queries: Any, schema: Schema) -> Families:
        if isinstance(queries, str | dict) or not isinstance(queries, list | tuple) or not queries:
            raise BadParameter('queries must be a list of predicates, such as ["age < 18", {"sex": "f"}]')
        if len(queries) > MOST_QUERIES:
            raise BadParameter(f"queries: at most {MOST_QUERIES:,} at once, not {len(queries):,}")
        boxes = []
        for number, where in enumerate(queries, start=1):
            try:
                boxes.append(bind(where, schema).boxes(schema.sizes))
            except DiscreetError as error:
                raise BadParameter(f"queries, number {number}: {error}") from None
            if not len(boxes[-1].first):
                raise BadParameter(f"queries, number {number}: holds for no cell at all; leave it out")
        overlaps = _overlaps(boxes)
        members = _colours(overlaps)
        return cls(boxes, members, _meet(boxes, members))

    def counts(self, table: Counts) -> list[NDArray[np.int64]]:
        """The exact answers of each family's queries."""
        first, last = (np.concatenate([getattr(box, end) for box in self.boxes]) for end in ("first", "last"))
        owner = np.repeat(np.arange(len(self.boxes)), [len(box.first) for box in self.boxes])
        sums = np.zeros((len(first), 1))
        sparse_box_sums(table.codes, table.counts.astype(np.float64)[:, None], first, last, sums)
        answers = np.zeros(len(self.boxes), np.int64)
        np.add.at(answers, owner, sums[:, 0].astype(np.int64))
        return [answers[numbers] for numbers in self.members]


def _overlaps(boxes: list[Boxes]) -> NDArray[np.bool_]:
    """Which queries share a cell."""
    first, last = (np.concatenate([getattr(box, end) for box in boxes]) for end in ("first", "last"))
    owner = np.repeat(np.arange(len(boxes)), [len(box.first) for box in boxes])
    overlaps = np.zeros((len(boxes), len(boxes)), np.bool_)
    for number, box in enumerate(boxes):
        for low, high in zip(box.first, box.last, strict=True):
            meets = np.all((first <= high) & (last >= low), axis=1)
            overlaps[number, owner[meets]] = True
    np.fill_diagonal(overlaps, False)
    return overlaps


def _colours(overlaps: NDArray[np.bool_]) -> list[list[int]]:
    """Families by turns: the query with the most overlaps first, into the first family where it meets nobody."""
    members: list[list[int]] = []
    taken: list[NDArray[np.bool_]] = []
    for query in np.argsort(-overlaps.sum(axis=1), kind="stable").tolist():
        place = next((f for f, used in enumerate(taken) if not used[query]), len(members))
        if place == len(members):
            members.append([])
            taken.append(np.zeros(len(overlaps), np.bool_))
        members[place].append(query)
        taken[place] |= overlaps[query]
    return [sorted(numbers) for numbers in members]


def _meet(boxes: list[Boxes], members: list[list[int]]) -> bool:
    """Whether some cell lies in a query of every family; False also if that was not found out in time."""
    tries = 0
    waiting = [
        (0, np.zeros(boxes[0].first.shape[1], np.int64), np.full(boxes[0].first.shape[1], np.iinfo(np.int64).max))
    ]
    while waiting and tries < _TRIES:
        family, low, high = waiting.pop()
        if family == len(members):
            return True
        for query in members[family]:
            for first, last in zip(boxes[query].first, boxes[query].last, strict=True):
                tries += 1
                a, b = np.maximum(low, first), np.minimum(high, last)
                if np.all(a <= b):
                    waiting.append((family + 1, a, b))
    return False
