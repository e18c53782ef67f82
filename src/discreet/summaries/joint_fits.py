"""Counts over attributes that no published table holds together: the table of most entropy that has the published ones.

It has the association that the tables show and no other. For pairs of three attributes this is the table without an
interaction of all three. It is found by iterative proportional fitting: multiplied until it has one table's counts,
then the next one's, and so on. Noisy tables may fit no joint table at all; then the last round's tables are averaged.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from discreet.errors import CannotAnswer
from discreet.queries import Questions, picked
from discreet.summaries.base import Floats, box_sums, per_question
from discreet.transforms import Direct
from discreet.transforms.effects import Attributes, Placed
from discreet.transforms.lines import running_sums

MOST_CELLS = 1 << 22
"""Of a joint table; beyond it each question has a coarse one of its own, of the parts that it cuts attributes into."""
MOST_COARSE = 500
_KEPT = 8
_WORK = 3 * 10**8
_ROUNDS = 200
_CLOSE = 1e-7
#: how much of what is off may be left after a round before it is given up
_STALLED = 0.999


def widest(sets: Sequence[Attributes], among: Attributes) -> list[Attributes]:
    """What each set holds of these attributes, without what another one holds too."""
    parts = sorted({tuple(place for place in among if place in held) for held in sets}, key=len, reverse=True)
    return [one for number, one in enumerate(parts) if one and not any(set(one) <= set(b) for b in parts[:number])]


def connected(sets: Sequence[Attributes], wanted: Attributes, sizes: Sequence[int]) -> Attributes:
    """The wanted attributes, and others that link them through tables where no table does directly."""
    found = list(wanted)
    while True:
        groups = _groups([tuple(place for place in held if place in found) for held in sets], found)
        path = _path(sets, groups[0], set(found) - groups[0]) if len(groups) > 1 else []
        grown = sorted({*found, *path})
        if len(grown) == len(found) or math.prod(sizes[place] for place in grown) > MOST_CELLS:
            return tuple(found)
        found = grown


def _groups(sets: Sequence[Attributes], places: Sequence[int]) -> list[set[int]]:
    """Attributes that are linked by sets."""
    groups = [{place} for place in places]
    for held in sets:
        met = [group for group in groups if group & set(held)]
        groups = [group for group in groups if not group & set(held)]
        if met:
            groups.append(set().union(*met))
    return sorted(groups, key=min)


def _path(sets: Sequence[Attributes], start: set[int], goal: set[int]) -> list[int]:
    """The fewest attributes by which tables lead from one group to another; none if none do."""
    came: dict[int, int | None] = dict.fromkeys(sorted(start))
    waiting = list(came)
    for place in waiting:
        if place in goal:
            path = [place]
            while (before := came[path[-1]]) is not None:
                path.append(before)
            return path
        for other in sorted({other for held in sets if place in held for other in held} - came.keys()):
            came[other] = place
            waiting.append(other)
    return []


def fitted(sizes: Sequence[int], tables: Sequence[Placed]) -> Floats:
    """The table of most entropy over axes of these sizes whose sums are `tables`, as far as there is one."""
    targets = []
    for places, values in tables:
        gone = tuple(axis for axis in range(len(sizes)) if axis not in places)
        shape = [size if axis in places else 1 for axis, size in enumerate(sizes)]
        targets.append((gone, np.asarray(values, np.float64).reshape(shape)))
    total = float(np.mean([target.sum() for _, target in targets])) if targets else 0.0
    cells = math.prod(sizes)
    table = np.full(sizes, total / cells)
    if total <= 0:
        return table
    rounds = int(np.clip(_WORK // (cells * len(targets)), 10, _ROUNDS))
    before = np.inf
    for _ in range(rounds):
        table, worst = _one_round(table, targets)
        if worst <= _CLOSE * total:
            return table
        if worst > _STALLED * before:
            break
        before = worst
    mean, turns = np.zeros(table.shape), len(targets)
    for turn in range(turns):
        table, _ = _one_round(table, [targets[turn]])
        mean += table / turns
    return mean


def _one_round(table: Floats, targets: Sequence[tuple[Attributes, Floats]]) -> tuple[Floats, float]:
    """Fitted to each in turn, and how far off the worst had been."""
    worst = 0.0
    for gone, target in targets:
        have = table.sum(axis=gone, keepdims=True)
        worst = max(worst, float(np.abs(have - target).sum()))
        table = table * np.divide(target, have, out=np.zeros(have.shape), where=have > 0)
    return table, worst


class JointFits:
    """Joint tables over any attributes, from `tables`: non-negative, and in agreement with each other."""

    def __init__(self, sizes: Sequence[int], tables: Sequence[Placed]) -> None:
        self.sizes, self.tables = tuple(sizes), list(tables)
        self.sets = [places for places, _ in tables]
        self._running: dict[Attributes, Floats] = {}

    def values(self, questions: Questions, asked: Attributes) -> Floats:
        """Of questions about these attributes."""
        if math.prod(self.sizes[place] for place in asked) > MOST_CELLS:
            return self._coarse_values(questions, asked)
        if asked not in self._running:
            if len(self._running) >= _KEPT:
                self._running.pop(next(iter(self._running)))
            sizes = [self.sizes[place] for place in asked]
            self._running[asked] = running_sums([Direct(size) for size in sizes], self._joint(asked))
        there = Questions(questions.first[:, asked], questions.last[:, asked], questions.count, questions.owner)
        return np.asarray(np.maximum(per_question(there, box_sums(there, self._running[asked])), 0.0))

    def _joint(self, asked: Attributes) -> Floats:
        axes = connected(self.sets, asked, self.sizes)
        places = [(part, self.part(part)) for part in widest(self.sets, axes)]
        table = fitted(
            [self.sizes[place] for place in axes],
            [(tuple(axes.index(place) for place in part), values) for part, values in places],
        )
        return np.asarray(table.sum(axis=tuple(axis for axis, place in enumerate(axes) if place not in asked)))

    def part(self, places: Attributes) -> Floats:
        """The counts over these attributes, from the smallest table that holds them."""
        held, values = min((t for t in self.tables if set(places) <= set(t[0])), key=lambda t: int(t[1].size))
        return np.asarray(values.sum(axis=tuple(axis for axis, place in enumerate(held) if place not in places)))

    def _coarse_values(self, questions: Questions, asked: Attributes) -> Floats:
        if questions.count > MOST_COARSE:
            names = f"{math.prod(self.sizes[place] for place in asked):,}"
            raise CannotAnswer(
                f"no table holds what is asked, and the attributes have {names} cells together; ask at most "
                f"{MOST_COARSE} such questions at once, or about fewer attributes"
            )
        return np.array([self._coarse_value(picked(questions, np.array([q])), asked) for q in range(questions.count)])

    def _coarse_value(self, question: Questions, asked: Attributes) -> float:
        parts = CutParts.of(question, asked, self.sizes)
        tables = []
        for held in widest(self.sets, asked):
            axes = tuple(asked.index(place) for place in held)
            tables.append((axes, parts.summed(self.part(held), axes)))
        return float(fitted(parts.sizes, tables)[parts.inside].sum())


class CutParts:
    """What the boxes of a question cut each attribute into: codes that lie in the same boxes are one part."""

    def __init__(self, codes: Sequence[NDArray[np.int64]], met: Sequence[list[int]], inside: NDArray[np.bool_]) -> None:
        #: of each attribute the part that each code is in
        self.codes = codes
        #: of each attribute the parts that lie in a box
        self.met = met
        #: which products of parts the question asks for
        self.inside = inside
        self.sizes = inside.shape
        self._runs: dict[int, list[list[tuple[int, int]]]] = {}

    @classmethod
    def of(cls, question: Questions, asked: Attributes, sizes: Sequence[int]) -> CutParts:
        codes, holds = [], []
        for place in asked:
            first, last = question.first[:, place], question.last[:, place]
            starts = np.unique(np.concatenate([[0], first, last + 1]))
            starts = starts[starts < sizes[place]]
            if len(first) * starts.size > 16 * MOST_CELLS:
                raise _too_many_parts()
            within = (first[:, None] <= starts) & (starts <= last[:, None])
            _, index, part = np.unique(np.packbits(within, axis=0).T, axis=0, return_index=True, return_inverse=True)
            codes.append(np.repeat(part.reshape(-1), np.diff(starts, append=sizes[place])))
            holds.append(within[:, index])
        cells = math.prod(one.shape[1] for one in holds)
        if cells > MOST_CELLS or cells * len(question.first) > 16 * MOST_CELLS:
            raise _too_many_parts()
        inside = np.zeros([one.shape[1] for one in holds], np.bool_)
        for box in range(len(question.first)):
            inside[np.ix_(*(np.flatnonzero(one[box]) for one in holds))] = True
        return cls(codes, [np.flatnonzero(one.any(axis=0)).tolist() for one in holds], inside)

    def summed(self, table: NDArray[Any], axes: Attributes) -> Floats:
        """A table over the codes of some of the attributes, as sums over their parts."""
        for number, axis in enumerate(axes):
            member = self.codes[axis] == np.arange(self.sizes[axis])[:, None]
            table = np.moveaxis(np.tensordot(member.astype(np.float64), table, (1, number)), 0, number)
        return np.asarray(table)

    def runs(self, axis: int, part: int) -> list[tuple[int, int]]:
        """The stretches of codes, first to last, that a part consists of."""
        if axis not in self._runs:
            codes = self.codes[axis]
            starts = np.flatnonzero(np.diff(codes, prepend=-1)).tolist()
            found: list[list[tuple[int, int]]] = [[] for _ in range(self.sizes[axis])]
            for start, end in itertools.pairwise([*starts, len(codes)]):
                found[codes[start]].append((start, end - 1))
            self._runs[axis] = found
        return self._runs[axis][part]


def _too_many_parts() -> CannotAnswer:
    return CannotAnswer(
        "no table holds what is asked, and the question has too many parts for an estimate; ask about fewer "
        "attributes, or for parts that exclude each other"
    )
