"""How far each table's noise goes down: the choices of the step-by-step algorithm, replayed without its steps.

Every step takes the table of the highest score: need * scale * (scale - step) for the average error (errata: with the
factor 1 / |M|), need * scale for the maximum. A need changes only when a cell is redrawn, and scores fall between
redraws. So the tables that have been stepped down to a level are each at the first step at which their own score is
below it: one number says where all of them are. The level at which the budget is used up is found by halving; the last
steps, in which tables that can no longer be paid drop out one by one, are taken singly. If these are many, the same is
done once more from there, with the tables that are left.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from discreet.kernels.stepping import DONE, PAUSED, finish, largest_after, mean_after
from discreet.noise import Descent, Paths

Ints = NDArray[np.int64]
Floats = NDArray[np.float64]

#: so many single steps take longer than to find the next level
SINGLE_STEPS = 200_000


@dataclass(frozen=True, eq=False)
class _Needs:
    """The need of one table as it changes: needs[i] holds from step changes[i] to before changes[i + 1]."""

    changes: Ints
    needs: Floats
    #: the score at the end of each stretch
    at_ends: Floats

    @cached_property
    def lowest(self) -> Floats:
        """The lowest score that was reached by the end of each stretch."""
        return np.minimum.accumulate(self.at_ends)

    def onward(self, step: int) -> _Needs:
        """The same from this step on."""
        first = int(np.searchsorted(self.changes, step, side="right")) - 1
        changes = self.changes[first:].copy()
        changes[0] = step
        return _Needs(changes, self.needs[first:], self.at_ends[first:])

    def first_below(self, level: float, descent: _Scores) -> int:
        """The first step at which the score is below the level; the number of steps if none is."""
        stretch = int(np.searchsorted(-self.lowest, -level, side="right"))
        if stretch == self.lowest.size:
            return descent.steps
        start = int(self.changes[stretch])
        return max(start, descent.first_below(self.needs[stretch], level, start))


@dataclass(frozen=True)
class _Scores:
    """Scores as a function of need and step, in floats, so that ties of fractions go to either table.

    Any rounding is as good a choice as any other: it looks at noisy values only, and what is paid is checked exactly.

    The scale after k steps is (start - k * step) / unit: whole numbers, so that nothing cancels on the way down.
    """

    start: int
    step: int
    unit: float
    steps: int
    average: bool

    def scale(self, step: Any) -> Any:
        return (self.start - step * self.step) / self.unit

    def at(self, need: Any, step: Any) -> Any:
        score = need * self.scale(step)
        return score * self.scale(step + 1) if self.average else score

    def first_below(self, need: float, level: float, lowest: int) -> int:
        step = self.step / self.unit
        scale = 0.5 * (step + np.sqrt(step**2 + 4 * level / need)) if self.average else level / need
        guess = int(min(max((self.start - scale * self.unit) / self.step, lowest), self.steps))
        while guess > lowest and self.at(need, guess - 1) < level:
            guess -= 1
        while guess < self.steps and self.at(need, guess) >= level:
            guess += 1
        return guess


def steps_down(
    paths: Paths, weights: Floats, sanity: float, objective: str, descent: Descent, budget: Fraction
) -> Ints:
    """How many steps each table takes before nothing more can be paid. Looks at noisy values only."""
    start, step, unit = descent.whole
    scores = _Scores(start, step, float(unit), descent.steps, objective == "average")
    tables = _needs(paths, weights, sanity, scores)
    changes, needs = (np.concatenate([getattr(table, name) for table in tables]) for name in ("changes", "needs"))
    ends = np.cumsum([table.changes.size for table in tables])
    taken, working = np.zeros(len(tables), np.int64), np.ones(len(tables), np.bool_)
    path = (start, step, float(unit), descent.steps, scores.average)
    ended = PAUSED
    while ended != DONE:
        if ended == PAUSED:
            taken = _lowest_paid(tables, scores, taken, working, float(budget))
        left = budget - sum((1 / descent.at(k) for k in taken.tolist()), Fraction(0))
        if ended >= 0:  # floats cannot tell whether this table's next step can be paid
            k = int(taken[ended])
            rise = 1 / descent.at(k + 1) - 1 / descent.at(k)
            if rise <= left:
                taken[ended] += 1
                left -= rise
            else:
                working[ended] = False
        ended = finish(taken, working, changes, needs, ends, *path, float(left), SINGLE_STEPS)
    return taken


def _lowest_paid(tables: list[_Needs], scores: _Scores, taken: Ints, working: NDArray[np.bool_], budget: float) -> Ints:
    """Where the tables are at the lowest level that can surely be paid; those that do not work stay where they are."""
    limit = budget * (1 - 2e-12)  # more than roundings add up to
    unfinished = np.flatnonzero(working & (taken < scores.steps))
    ahead = {i: tables[i].onward(int(taken[i])) for i in unfinished.tolist()}

    def at(level: float) -> Ints:
        found = taken.copy()
        for i, table in ahead.items():
            found[i] = table.first_below(level, scores)
        return found

    def paid(steps: Ints) -> bool:
        return float((1 / scores.scale(steps)).sum()) <= limit

    highest = max((float(scores.at(table.needs[0], int(table.changes[0]))) for table in ahead.values()), default=1.0)
    low = high = 2 * highest
    while paid(at(low)) and np.any(at(low)[working] < scores.steps):
        high, low = low, low / 16
    if paid(at(low)):
        return at(low)
    while high / low > 1 + 1e-15 and not np.array_equal(at(high), at(low)):
        middle = np.sqrt(high * low)
        if not low < middle < high:
            break
        high, low = (middle, low) if paid(at(middle)) else (high, middle)
    return at(high)


def _needs(paths: Paths, weights: Floats, sanity: float, scores: _Scores) -> list[_Needs]:
    """The need of each table, step by step, from its cells' needs at the start and after each redraw."""
    bounds, first, found = paths.bounds, 0, []
    for table, cells in enumerate(paths.cells):
        mine = slice(bounds[table], bounds[table + 1])
        begin = 1 / np.maximum(paths.start[first : first + cells], sanity)
        step, after = paths.step[mine], 1 / np.maximum(paths.value[mine], sanity)
        path = np.empty(after.size)
        follow = mean_after if scores.average else largest_after
        follow(begin.copy(), paths.answer[mine] - first, after, path)
        last = np.flatnonzero(np.append(step[1:] != step[:-1], True)) if step.size else np.empty(0, np.int64)
        needs = float(weights[table]) * np.append(begin.mean() if scores.average else begin.max(), path[last])
        changes = np.append(0, step[last])
        found.append(_Needs(changes, needs, scores.at(needs, np.append(changes[1:] - 1, scores.steps - 1))))
        first += cells
    return found
