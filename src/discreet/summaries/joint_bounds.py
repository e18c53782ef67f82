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
from discreet.summaries.joint_fits import CutParts, widest
from discreet.transforms.effects import Attributes

#: about how many steps of arithmetic all linear programmes of one call may take; beyond, bounds are simpler ones
_WORK = 3 * 10**9
_MOST_ROWS, _MOST_ATOMS, _MOST_STEPS, _MOST_BOXES = 400, 4096, 500, 20_000
#: so many questions that are no products are looked at one by one
_MOST_SINGLY = 200
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
        low, high = np.zeros(questions.count), np.zeros(questions.count)
        products = _are_products(questions, asked)
        if (some := np.flatnonzero(products)).size:
            low[some], high[some] = self._of_products(picked(questions, some), asked, level)
        others = np.flatnonzero(~products)
        left, rest = _WORK if others.size <= _MOST_SINGLY else 0, []
        for number in others.tolist():
            question = picked(questions, np.array([number]))
            sums = KnownSums.of(question, asked, self.sizes, self.sets) if left else None
            if sums is None or _work(*sums.members.shape) > left:
                rest.append(number)
                continue
            left -= _work(*sums.members.shape)
            ends = self._ends(sums.asked, _each(level, len(sums.members)))
            found = _solved(sums.members, ends[0][None], ends[1][None], sums.inside)
            low[number], high[number] = found[0][0], found[1][0]
        if rest:
            low[rest], high[rest] = self._of_parts(picked(questions, np.array(rest)), level)
        return low, high

    def _of_products(self, questions: Questions, asked: Attributes, level: float) -> Interval:
        """Inside or outside by each attribute on its own, so all questions have the same atoms and sums."""
        sums = _subsets(widest(self.sets, asked))
        each = _each(level, len(sums))
        low, high = np.empty((questions.count, len(sums))), np.empty((questions.count, len(sums)))
        for number, places in enumerate(sums):
            some, which = self._narrowed(questions, places)
            low[:, number], high[:, number] = (side[which] for side in self._ends(some, each))
        if 1 << len(asked) > _MOST_ATOMS or questions.count * _work(len(sums), 1 << len(asked)) > _WORK:
            return _simple(sums, low, high, asked)
        outside = np.array(list(itertools.product((False, True), repeat=len(asked))))
        axes = [[asked.index(place) for place in places] for places in sums]
        members = np.array([~outside[:, some].any(axis=1) for some in axes], np.float64)
        return _solved(members, low, high, np.logical_not(outside.any(axis=1)))

    def _narrowed(self, questions: Questions, places: Attributes) -> tuple[Questions, NDArray[np.int64]]:
        """The questions by these attributes alone, each different one once; and which of them each question became."""
        single = len(questions.first) == questions.count
        owner = np.zeros(questions.count, np.int64) if single else questions.owner
        ends = [owner[:, None], questions.first[:, places], questions.last[:, places]]
        rows, which = _different(np.concatenate(ends, axis=1))
        first, last = (
            np.zeros((len(rows), len(self.sizes)), np.int64),
            np.tile(np.array(self.sizes) - 1, (len(rows), 1)),
        )
        first[:, places], last[:, places] = rows[:, 1 : 1 + len(places)], rows[:, 1 + len(places) :]
        if single:
            return Questions(first, last, len(rows), np.arange(len(rows))), which
        return Questions(first, last, questions.count, rows[:, 0]), np.arange(questions.count)

    def _ends(self, questions: Questions, level: float) -> Interval:
        found = self.held(questions, level).of_counts()
        return np.asarray(found.low, np.float64), np.asarray(found.high, np.float64)

    def _of_parts(self, questions: Questions, level: float) -> Interval:
        """Of questions of many boxes: the bounds of each box, which are all right together, added up; at most all."""
        boxes = np.bincount(questions.owner, minlength=questions.count)[questions.owner]
        alone = Questions(questions.first, questions.last, len(boxes), np.arange(len(boxes)))
        low, high, total = (np.zeros(len(boxes)) for _ in range(3))
        narrowed = (alone.first > 0) | (alone.last < np.array(self.sizes) - 1)
        alike, which = _different(np.column_stack([boxes, narrowed]))
        for number, (share, *columns) in enumerate(alike.tolist()):
            some = np.flatnonzero(which == number)
            places, each = tuple(np.flatnonzero(columns).tolist()), min(1 - (1 - level) / (share + 1), _HIGHEST)
            total[some] = self._ends(self._narrowed(picked(alone, some[:1]), ())[0], each)[1]
            if any(set(places) <= set(held) for held in self.sets):
                low[some], high[some] = self._ends(picked(alone, some), each)
            else:
                low[some], high[some] = self._of_products(picked(alone, some), places, each)
        most = np.zeros(questions.count)
        most[questions.owner] = total
        least = per_question(questions, low)
        return least, np.maximum(np.minimum(per_question(questions, high), most), least)


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


def _different(rows: NDArray[np.int64]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Each different row once, sorted, and which of them each row is; numbers none of which is below zero."""
    spans = (rows.max(axis=0, initial=0) + 1).tolist()
    if math.prod(spans) >= 1 << 62:
        found, which = np.unique(rows, axis=0, return_inverse=True)
        return found, which.reshape(-1)
    key = np.zeros(len(rows), np.int64)  # one number for each row sorts many times faster
    for column, span in zip(rows.T, spans, strict=True):
        key = key * span + column
    _, index, which = np.unique(key, return_index=True, return_inverse=True)
    return rows[index], which


def _are_products(questions: Questions, asked: Attributes) -> NDArray[np.bool_]:
    """Which questions ask for some codes of one attribute and some of another, in any combination."""
    combinations = np.ones(questions.count)
    for place in asked:
        ends = np.column_stack([questions.owner, questions.first[:, place], questions.last[:, place]])
        combinations *= np.bincount(_different(ends)[0][:, 0], minlength=questions.count)
    return np.asarray(combinations == np.bincount(questions.owner, minlength=questions.count))


def _subsets(tables: Sequence[Attributes]) -> list[Attributes]:
    """Of any of these sets of attributes; the empty one, which stands for all records, is first."""
    found: set[Attributes] = {(), *tables, *((place,) for held in tables for place in held)}
    if sum(1 << len(held) for held in tables) <= _MOST_ROWS:
        found |= {some for held in tables for size in range(len(held)) for some in itertools.combinations(held, size)}
    return sorted(found, key=lambda some: (len(some), some))


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
