"""A priority sample of the whole noisy table, of which only the occupied cells are looked at.

Source: section 3.3 of sparse-summaries, with the errata: the guess of tau must not show.
How: a guess t (see `levels`) splits the empty cells into those of priority at least t, drawn as in threshold sampling
with limit t, and the rest, not drawn. If fewer than count + 1 items reach t, the guess is lowered to a power of two,
then halved, and the empty cells whose priority lies in between are added; nothing is drawn twice. Once count + 1 items
reach t, the highest are those of the table.
A table may come in several fields, which are drawn side by side; the guess, the cut and tau are those of all together.
Law: that of giving every cell of the noisy table (empty or not) the priority |v| / r and keeping the highest `count`.
A cell of value zero, or below the filter, has no priority and is never kept.
"""

from __future__ import annotations

import bisect
import math
import operator
from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from functools import reduce
from typing import Any

import numpy as np
from numpy.typing import NDArray

from discreet.errors import BadParameter
from discreet.kernels.jit import Ints, Marks
from discreet.kernels.priorities import strengths_of
from discreet.noise import levels
from discreet.noise.draw import Drawer
from discreet.noise.fields import Candidates, Chosen, Field, Sample
from discreet.noise.priorities import Contestants, highest, likely_cut
from discreet.noise.skips import placed, positions
from discreet.noise.source import Stream, words
from discreet.noise.survivor_values import signs, sizes, survivor_values
from discreet.noise.survivors import ExtraKeptProbability, KeptProbability, Rule, kept_share
from discreet.noise.wide import merged_order, same_form

SideBySide = Callable[[Callable[[Any], Any], Iterable[Any]], list[Any]]


def priority_sample(
    fields: Sequence[Field], rule: Rule, count: int, drawers: Sequence[Drawer], side_by_side: SideBySide
) -> Sample:
    """The sample of size `count` over all cells of the fields, each of which has a drawer of its own."""
    sides = _contest(fields, rule, count, drawers, side_by_side)
    chosen, tau = _highest([items for side in sides for items in side.items], count, drawers[0].stream, side_by_side)
    pairs = list(zip(sides, chosen[::2], chosen[1::2], strict=True))
    return Sample(side_by_side(lambda pair: pair[0].chosen(*pair[1:]), pairs), tau)


def candidates(
    fields: Sequence[Field], rule: Rule, count: int, drawers: Sequence[Drawer], side_by_side: SideBySide
) -> list[Candidates]:
    """Of each field, all cells that may be among the `count` + 1 highest of these fields and any others.

    Whoever brings candidates of all fields together finds in them the sample of all cells (`priorities.highest`). Which
    ones they are follows from the bits that were read, and no others, so the rest of U is still uniform.
    """
    sides = _contest(fields, rule, count, drawers, side_by_side)
    marks = reduce(operator.add, [items for side in sides for items in side.items]).contenders(count + 1)
    ends = np.cumsum([items.sizes.size for side in sides for items in side.items])
    parts = np.split(marks, ends[:-1])
    return [side.candidates(*pair) for side, pair in zip(sides, zip(parts[::2], parts[1::2], strict=True), strict=True)]


def _contest(
    fields: Sequence[Field], rule: Rule, count: int, drawers: Sequence[Drawer], side_by_side: SideBySide
) -> list[_Side]:
    """All cells that may be among the `count` + 1 highest, and more; what is not drawn is below so many others."""
    if count < 1:
        raise BadParameter(f"a priority sample needs a size of at least 1, not {count}")
    sides = [_Side(field, rule, drawer) for field, drawer in zip(fields, drawers, strict=True)]
    side_by_side(_Side.enter, sides)
    by_power = np.sum([side.occupied.by_power for side in sides], axis=0)
    level = _guess(by_power, sum(field.empty for field in fields), rule, count)
    side_by_side(lambda side: side.draw(level), sides)
    # without a level every eligible cell has been drawn
    while level is not None and sum(side.reaching(level) for side in sides) <= count:
        lower = levels.below(level) if level > 0 and levels.value(levels.below(level)) > rule.theta else None
        for side in sides:
            side.draw_more(level, lower)
        level = lower
    return sides


def _highest(
    parts: Sequence[Contestants], count: int, stream: Stream, side_by_side: SideBySide
) -> tuple[list[Marks], float | None]:
    """Marks of the `count` items of highest priority, part by part, and tau.

    Only those near the likely cut are ranked. If the cut is not among them, which shows before a bit is read, all are.
    """
    likely = likely_cut([items.lows for items in parts], count)
    for least, most in (likely, (0.0, math.inf)):
        split = side_by_side(lambda items: items.around(least, most), parts)  # noqa: B023
        middle = reduce(operator.add, [items.taken(able) for items, (_, able) in zip(parts, split, strict=True)])
        left = count - sum(int(np.count_nonzero(above)) for above, _ in split)
        cut = highest(middle, left, stream, (least, most)) if left >= 0 else None
        if cut is not None:
            break
    assert cut is not None  # all items are within any bounds
    starts = np.cumsum([0, *(able.size for _, able in split)])
    ends = np.searchsorted(cut.chosen, starts)
    for i, (marks, able) in enumerate(split):
        marks[able[cut.chosen[ends[i] : ends[i + 1]] - starts[i]]] = True
    return [marks for marks, _ in split], cut.tau


class _Side:
    """One field in the contest: its occupied cells from the start, those empty ones that have been drawn so far."""

    occupied: Contestants
    #: of the drawn ones: ranks (rising), noisy values, and their places in the contest
    ranks: NDArray[Any]
    values: Ints
    drawn: Contestants

    def __init__(self, field: Field, rule: Rule, drawer: Drawer) -> None:
        self.field, self.rule, self.drawer = field, rule, drawer

    def enter(self) -> None:
        """The occupied cells; one that is not eligible has size zero, and so no priority."""
        strengths = np.empty(self.field.values.size, np.int64)
        strengths_of(self.field.values, self.rule.theta, self.rule.two_sided, strengths)
        self.occupied = _items(strengths, None, self.drawer)
        self.occupied.lows  # noqa: B018  # worked out here, where other fields work at the same time

    def draw(self, level: int | None) -> None:
        """The empty cells of priority at least a level t, or all eligible ones.

        Given that size / r >= t, r is uniform below size / t, so the priority is t / U; a size above t always reaches
        it, and has priority size / U.
        """
        limited = _limited(self.rule, level)
        self.ranks = positions(KeptProbability(limited), self.field.empty, self.drawer)
        self.values = survivor_values(limited, len(self.ranks), self.drawer)
        self.drawn = _items(np.abs(self.values), level, self.drawer)
        self.drawn.lows  # noqa: B018

    def draw_more(self, level: int, lower: int | None) -> None:
        """Those of priority at least a lower level but below this one (or all that are left) as well."""
        above, below = _limited(self.rule, level), _limited(self.rule, lower)
        chance = ExtraKeptProbability(KeptProbability(below), KeptProbability(above))
        left = positions(chance, self.field.empty - len(self.ranks), self.drawer)
        ranks, preceding = placed(left, self.ranks)
        items = _below(below, lower, level, len(ranks), self.drawer)
        values = signs(self.rule, items.sizes.copy(), self.drawer)
        before, ranks = same_form(self.ranks, ranks)
        order = merged_order(preceding, len(before))
        self.ranks = np.concatenate([before, ranks])[order]
        self.values = np.concatenate([self.values, values])[order]
        self.drawn = (self.drawn + items).taken(order)

    def reaching(self, level: int) -> int:
        """How many surely have a priority above the level; a low is below its priority."""
        above = math.nextafter(levels.FLOATS[level], math.inf)
        return sum(int(np.count_nonzero(items.lows >= above)) for items in self.items)

    @property
    def items(self) -> tuple[Contestants, Contestants]:
        return self.occupied, self.drawn

    def chosen(self, old: Marks, new: Marks) -> Chosen:
        which = np.flatnonzero(new)
        return Chosen(old, np.take(self.ranks, which, axis=0), self.values[which])

    def candidates(self, old: Marks, new: Marks) -> Candidates:
        return Candidates(self.chosen(old, new), self.occupied.words, self.drawn.words[new], self.drawn.levels[new])


def _items(strengths: Ints, level: int | None, drawer: Drawer) -> Contestants:
    floors = np.full(strengths.size, levels.NONE if level is None else level, np.int16)
    return Contestants(strengths, floors, words(strengths.size, drawer.stream))


def _limited(rule: Rule, level: int | None) -> Rule:
    return replace(rule, limit=None if level is None else levels.value(level))


def _guess(by_power: Ints, empty: int, rule: Rule, count: int) -> int | None:
    """The highest level that count + 1 items probably reach; a bad guess costs time and nothing else."""
    reached = np.append(np.cumsum(by_power[: int(np.flatnonzero(by_power).max(initial=0)) + 1][::-1])[::-1], [0, 0])
    lowest = next(power for power in range(64) if 2**power > rule.theta)
    highest_ = max(reached.size, lowest) + 1 + max(0, math.ceil(math.log2(max(empty, 1))))

    def enough(level: int) -> bool:
        octave = min(level // levels.OCTAVE, reached.size - 2)
        # as many have a priority above x as go with 1 / x
        share = levels.eighths(level) / 4 - 1 if octave == level // levels.OCTAVE else 0.0
        here = float(reached[octave + 1] + share * (reached[octave] - reached[octave + 1]))
        drawn = kept_share(_limited(rule, level)) * empty
        return here + drawn - 4 * math.sqrt(here + drawn) >= count + 1

    every = range(levels.OCTAVE * lowest, levels.OCTAVE * highest_)
    fails = bisect.bisect_left(every, True, key=lambda level: not enough(level))
    return every[fails - 1] if fails else None


def _below(rule: Rule, lower: int | None, level: int, count: int, drawer: Drawer) -> Contestants:
    """As in `_Side.draw`, given that the priority is below the level: whatever reaches it is drawn again."""
    found = Contestants(np.empty(0, np.int64), np.empty(0, np.int16), np.empty(0, np.uint64))
    while found.sizes.size < count:
        ask = 2 * (count - found.sizes.size) + 16
        items = _items(sizes(rule, ask, drawer), lower, drawer)
        found = found + items.taken(_surely_under(items, level))
    return found.taken(np.arange(count))


def _surely_under(items: Contestants, level: int) -> Marks:
    """top / U < level, that is U > top / level, a whole number of 2**-64: the first word decides.

    The top is a size below 2**62, or the next lower power of two.
    """
    eighths, octave = levels.eighths(level), level // levels.OCTAVE
    lower = levels.below(level) // levels.OCTAVE
    if lower >= 62:  # then it is that power for every size there is
        return items.words >= np.uint64(eighths << (61 + lower - octave))
    tops = np.maximum(items.sizes, np.where(items.levels == levels.NONE, 0, np.int64(1) << lower))
    small = tops <= ((1 << (octave + 3)) - 1) // eighths
    border = np.where(small, tops, 0).astype(np.uint64)
    if octave == 62:  # and eighths are 8: the product would not fit
        border <<= np.uint64(2)
    else:
        border *= np.uint64(eighths)
        border <<= np.uint64(61 - octave)
    return np.asarray(small & (items.words >= border))
