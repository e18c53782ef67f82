"""Bounds of counts that no published table holds (Frechet bounds): all that the tables' intervals leave possible.

The attributes that a question asks about are cut into parts, such as inside and outside of a box. Whatever the data,
the true counts of all combinations of parts (atoms) are not below zero, and sums of them lie in the intervals of the
published tables: how many records lie in the box by one attribute, by each two of them, and so on. The least and the
most that the question can then be follow by a linear programme (`linear_bounds`).

With m sums, each interval is taken at the level 1 - (1 - level) / 2m, so that all hold together with a chance of
1 - (1 - level) / 2 or more: each end of the bounds is missed with a chance of (1 - level) / 2 at most.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from discreet.errors import CannotAnswer
from discreet.kernels.linear_bounds import linear_bounds
from discreet.queries import Questions, picked
from discreet.summaries.base import Answers, Floats, per_question
from discreet.summaries.joint_fits import Attributes, CutParts, widest

#: about how many steps of arithmetic all linear programmes of one call may take; beyond, bounds are simpler ones
_WORK = 3 * 10**9
_MOST_ROWS, _MOST_ATOMS, _MOST_STEPS, _MOST_BOXES = 400, 4096, 500, 20_000
_HIGHEST = 1 - 2.0**-53

Interval = tuple[Floats, Floats]


@dataclass(frozen=True)
class JointBounds:
    """Bounds from the intervals of tables over `sets` of attributes; `held` answers what a table holds."""

    sizes: Sequence[int]
    sets: Sequence[Attributes]
    held: Callable[[Questions, float], Answers]

    def of(self, questions: Questions, asked: Attributes, level: float) -> Interval:
        """Of questions that are about these attributes; each has a box or more."""
        boxes = np.bincount(questions.owner, minlength=questions.count)
        low, high = np.zeros(questions.count), np.zeros(questions.count)
        if (single := np.flatnonzero(boxes == 1)).size:
            low[single], high[single] = self._of_boxes(picked(questions, single), asked, level)
        left = _WORK
        for number in np.flatnonzero(boxes != 1).tolist():
            question = picked(questions, np.array([number]))
            sums = KnownSums.of(question, asked, self.sizes, self.sets)
            if sums is None or _work(*sums.members.shape) > left:
                found = self._of_parts(question, asked, level)
            else:
                left -= _work(*sums.members.shape)
                ends = self._ends(sums.asked, _each(level, len(sums.members)))
                found = _solved(sums.members, ends[0][None], ends[1][None], sums.inside)
            low[number], high[number] = found[0][0], found[1][0]
        return low, high

    def _of_boxes(self, boxes: Questions, asked: Attributes, level: float) -> Interval:
        """Of single boxes: inside or outside by each attribute, so all questions have the same atoms and sums."""
        sums = _subsets(widest(self.sets, asked))
        each = _each(level, len(sums))
        low, high = np.empty((boxes.count, len(sums))), np.empty((boxes.count, len(sums)))
        for number, places in enumerate(sums):
            ends = np.concatenate([boxes.first[:, places], boxes.last[:, places]], axis=1)
            different, which = np.unique(ends, axis=0, return_inverse=True)
            first, last = np.zeros((len(different), len(self.sizes)), np.int64), np.array(self.sizes, np.int64) - 1
            last = np.tile(last, (len(different), 1))
            first[:, places], last[:, places] = different[:, : len(places)], different[:, len(places) :]
            found = self._ends(Questions(first, last, len(different), np.arange(len(different))), each)
            low[:, number], high[:, number] = (side[which.reshape(-1)] for side in found)
        if 1 << len(asked) > _MOST_ATOMS or boxes.count * _work(len(sums), 1 << len(asked)) > _WORK:
            return _simple(sums, low, high, asked)
        outside = np.array(list(itertools.product((False, True), repeat=len(asked))))
        axes = [[asked.index(place) for place in places] for places in sums]
        members = np.array([~outside[:, some].any(axis=1) for some in axes], np.float64)
        return _solved(members, low, high, np.logical_not(outside.any(axis=1)))

    def _ends(self, questions: Questions, level: float) -> Interval:
        found = self.held(questions, level).of_counts()
        return np.asarray(found.low, np.float64), np.asarray(found.high, np.float64)

    def _of_parts(self, question: Questions, asked: Attributes, level: float) -> Interval:
        """Of a question of many boxes: the bounds of each, which are all right together, added up."""
        boxes = len(question.first)
        alone = Questions(question.first, question.last, boxes, np.arange(boxes))
        low, high = np.zeros(boxes), np.zeros(boxes)
        share = min(1 - (1 - level) / boxes, _HIGHEST)
        narrowed = (alone.first > 0) | (alone.last < np.array(self.sizes) - 1)
        alike, which = np.unique(narrowed, axis=0, return_inverse=True)
        for number, columns in enumerate(alike):
            some = np.flatnonzero(which.reshape(-1) == number)
            places = tuple(np.flatnonzero(columns).tolist())
            if any(set(places) <= set(held) for held in self.sets):
                low[some], high[some] = self._ends(picked(alone, some), share)
            else:
                low[some], high[some] = self._of_boxes(picked(alone, some), places, share)
        return per_question(question, low), per_question(question, high)


@dataclass(frozen=True, eq=False)
class KnownSums:
    """A question of several boxes: which atoms are in each sum, what each sum asks, and the atoms asked for."""

    members: Floats
    asked: Questions
    inside: NDArray[np.bool_]

    @classmethod
    def of(
        cls, question: Questions, asked: Attributes, sizes: Sequence[int], sets: Sequence[Attributes]
    ) -> KnownSums | None:
        """Of the parts of each table's attributes that lie in a box; None if these are too many."""
        try:
            parts = CutParts.of(question, asked, sizes)
        except CannotAnswer:
            return None
        cells: list[dict[int, int]] = []
        for places in _subsets(widest(sets, asked)):
            axes = [asked.index(place) for place in places]
            if len(cells) + math.prod(len(parts.met[axis]) for axis in axes) > _MOST_ROWS:
                return None
            cells += [dict(zip(axes, cell, strict=True)) for cell in itertools.product(*(parts.met[a] for a in axes))]
        runs = [{asked[axis]: parts.runs(axis, part) for axis, part in cell.items()} for cell in cells]
        boxes = sum(math.prod(map(len, chosen.values())) for chosen in runs)
        if parts.inside.size > _MOST_ATOMS or boxes > _MOST_BOXES:
            return None
        atoms = np.indices(parts.sizes).reshape(len(parts.sizes), -1)
        members = [np.all([atoms[axis] == part for axis, part in cell.items()], axis=0) for cell in cells]
        ends: list[tuple[tuple[int, int], ...]] = []
        owner: list[int] = []
        for number, chosen in enumerate(runs):
            ends += itertools.product(*(chosen.get(place, [(0, size - 1)]) for place, size in enumerate(sizes)))
            owner += [number] * (len(ends) - len(owner))
        both = np.array(ends, np.int64)
        questions = Questions(both[:, :, 0].copy(), both[:, :, 1].copy(), len(cells), np.array(owner, np.int64))
        return cls(
            np.array([np.broadcast_to(one, atoms.shape[1]) for one in members], np.float64),
            questions,
            parts.inside.reshape(-1),
        )


def _subsets(tables: Sequence[Attributes]) -> list[Attributes]:
    """Of any of these sets of attributes; the empty one, which stands for all records, is first."""
    found = {some for held in tables for size in range(len(held) + 1) for some in itertools.combinations(held, size)}
    return sorted(found | {()}, key=lambda some: (len(some), some))


def _each(level: float, sums: int) -> float:
    """The level of each of so many intervals at which all hold, with room for either end to be missed by half."""
    return min(1 - (1 - level) / (2 * sums), _HIGHEST)


def _work(rows: int, atoms: int) -> int:
    """About how many steps a linear programme takes, both ways."""
    return 8 * rows * rows * atoms


def _solved(members: Floats, low: Floats, high: Floats, inside: NDArray[np.bool_]) -> Interval:
    """By a linear programme. Ends that contradict each other, which then are not all right, are moved apart."""
    low, high = low.copy(), high.copy()
    least, most = np.zeros(len(low)), np.zeros(len(low))
    todo = np.arange(len(low))
    while todo.size:
        ends, fits = (np.zeros(todo.size), np.zeros(todo.size)), np.zeros(todo.size, np.int64)
        linear_bounds(members, low[todo], high[todo], inside.astype(np.float64), _MOST_STEPS, *ends, fits)
        least[todo], most[todo] = ends
        todo = todo[fits == 0]
        width = high[todo] - low[todo] + 1
        low[todo], high[todo] = np.maximum(low[todo] - width, 0), high[todo] + width
    return least, np.maximum(most, least)


def _simple(sums: Sequence[Attributes], low: Floats, high: Floats, asked: Attributes) -> Interval:
    """Without a linear programme: no more than any table has of the box, and no less than what one table has of it,
    less the most that may then lie outside of it by each other attribute."""
    column = {places: number for number, places in enumerate(sums)}
    most = high.min(axis=1)
    least = np.zeros(len(low))
    for held in sums:
        floor = low[:, column[held]].copy()
        for place in sorted(set(asked) - set(held)):
            with_it = [other for other in sums if place in other and set(other) - {place} <= set(held)]
            without = [tuple(one for one in other if one != place) for other in with_it]
            pairs = zip(with_it, without, strict=True)
            floor -= np.min([high[:, column[wide]] - low[:, column[narrow]] for narrow, wide in pairs], axis=0)
        least = np.maximum(least, floor)
    return least, np.maximum(most, least)
