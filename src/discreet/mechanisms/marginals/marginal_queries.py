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

from discreet.errors import BadParameter
from discreet.kernels.sorted_rows import sparse_box_sums
from discreet.mechanisms.predicates import read_predicates
from discreet.private.counts import Counts
from discreet.queries import Boxes, Questions
from discreet.schema import Schema

MOST_QUERIES = 5000
_TRIES = 100_000


@dataclass(frozen=True, eq=False)
class Families:
    """`members[f]` are the numbers of the queries in family f."""

    queries: Questions
    members: list[list[int]]
    #: whether a record can really be in one query of each family
    exact: bool

    @classmethod
    def of(cls, given: Any, schema: Schema) -> Families:
        if isinstance(given, list | tuple) and len(given) > MOST_QUERIES:
            raise BadParameter(f"queries: at most {MOST_QUERIES:,} at once, not {len(given):,}; make several releases")
        queries = read_predicates("queries", given, schema)
        empty = np.flatnonzero(np.bincount(queries.owner, minlength=queries.count) == 0)
        if empty.size:
            raise BadParameter(f"queries, question {empty[0] + 1}: no cell can satisfy it; leave it out")
        members = _colours(_overlaps(queries))
        return cls(queries, members, _meet(queries, members))

    @property
    def boxes(self) -> list[Boxes]:
        """What each query asks for."""
        return _split(self.queries)

    def counts(self, table: Counts) -> list[NDArray[np.int64]]:
        """The exact answers of each family's queries."""
        # whole numbers all the way: above 2**53 a float would let one record move an answer by more than one
        sums = np.zeros((len(self.queries.first), 1), np.int64)
        sparse_box_sums(table.codes, table.counts[:, None], self.queries.first, self.queries.last, sums)
        answers = np.zeros(self.queries.count, np.int64)
        np.add.at(answers, self.queries.owner, sums[:, 0])
        return [answers[numbers] for numbers in self.members]


def _split(queries: Questions) -> list[Boxes]:
    ends = np.searchsorted(queries.owner, np.arange(1, queries.count))
    return [Boxes(*both) for both in zip(np.split(queries.first, ends), np.split(queries.last, ends), strict=True)]


def _overlaps(queries: Questions) -> NDArray[np.bool_]:
    """Which queries share a cell."""
    overlaps = np.zeros((queries.count, queries.count), np.bool_)
    for number, low, high in zip(queries.owner, queries.first, queries.last, strict=True):
        meets = np.all((queries.first <= high) & (queries.last >= low), axis=1)
        overlaps[number, queries.owner[meets]] = True
    np.fill_diagonal(overlaps, False)
    return overlaps


def _colours(overlaps: NDArray[np.bool_]) -> list[list[int]]:
    """Families by turns: the query with the most overlaps first, into the first family where it overlaps none."""
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


def _meet(queries: Questions, members: list[list[int]]) -> bool:
    """Whether some cell lies in a query of every family; False also if that was not found out in time."""
    boxes, attributes, tries = _split(queries), queries.first.shape[1], 0
    waiting = [(0, np.zeros(attributes, np.int64), np.full(attributes, np.iinfo(np.int64).max))]
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
