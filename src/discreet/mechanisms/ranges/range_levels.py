"""Which levels of blocks to measure: those of the least mean error for a public workload, by trying changes.

A level cuts each attribute in one of a few ways: an ordinal one into parts of 2^k codes, a nominal one by a level of
its hierarchy, or not at all. The search starts from single cells alone, and from the best of stairs of even steps. It
adds levels of blocks that are about as wide along every attribute, takes levels away, and changes how a level cuts one
attribute, as long as that helps.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property

import numpy as np

from discreet.errors import BadParameter
from discreet.mechanisms.ranges.range_shares import as_fractions, best_shares
from discreet.queries import Questions
from discreet.schema import Attribute, Nominal, Schema
from discreet.transforms.axis import Floats, Integers
from discreet.transforms.nested_levels import Cuts, NestedLevels, nominal_split
from discreet.transforms.splits import LevelSplit

#: the pairs of boxes of all questions together that a choice is made by
MOST_PAIRS = 1 << 18
#: the cells that are measured, over those of the table: blocks at the end of an attribute may reach beyond it
MOST_PADDING = 1.5
#: how much of the error a further level must take away
WORTH = 0.01

#: of each attribute, the number of the way that it is cut: 0 leaves it whole
Level = tuple[int, ...]
Levels = tuple[Level, ...]


@dataclass(frozen=True, eq=False)
class Asked:
    """A workload as pairs of boxes, two of the same question each: what it asks is a sum over them."""

    first: tuple[Integers, Integers]
    end: tuple[Integers, Integers]
    questions: int

    @classmethod
    def of(cls, questions: Questions) -> Asked:
        starts = np.searchsorted(questions.owner, np.arange(questions.count + 1))
        boxes = np.diff(starts)
        if float((boxes.astype(np.float64) ** 2).sum()) > MOST_PAIRS:
            raise BadParameter("workload: its questions consist of too many parts to choose by; give fewer of them")
        alone = starts[:-1][boxes == 1]
        several = [
            start + np.indices((count, count)).reshape(2, -1)
            for start, count in zip(starts[:-1].tolist(), boxes.tolist(), strict=True)
            if count > 1
        ]
        one, other = np.concatenate([np.stack([alone, alone]), *several], axis=1)
        ends = questions.last + 1
        return cls((questions.first[one], questions.first[other]), (ends[one], ends[other]), questions.count)

    def along(self, attribute: int, split: LevelSplit) -> Floats:
        """What each pair shares along one attribute, made even within the parts of a split."""
        one, other = ((self.first[box][:, attribute], self.end[box][:, attribute]) for box in range(2))
        return split.shared(one, other)

    def shares(self, levels: NestedLevels) -> list[Fraction]:
        """The best shares of epsilon for these levels."""
        products = [math.prod(self.along(a, split) for a, split in enumerate(splits)) for splits in levels.splits]
        asked = np.diff([0.0, *(float(np.sum(product)) for product in products)])
        cells = [math.prod(split.mean_width for split in splits) for splits in levels.splits]
        return as_fractions(best_shares(np.maximum(asked, 0.0)[None], np.array([cells]))[0][0])


class LevelChoice:
    """The levels of the least error that changes lead to, for one schema and workload."""

    def __init__(self, schema: Schema, asked: Asked) -> None:
        self.schema, self.asked = schema, asked
        self._ways = [_ways(attribute) for attribute in schema.values()]
        splits = [
            [_split(attribute, way) for way in ways]
            for attribute, ways in zip(schema.values(), self._ways, strict=True)
        ]
        self._widths = [np.array([split.mean_width for split in some]) for some in splits]
        self._shared = [np.array([asked.along(a, split) for split in some]) for a, some in enumerate(splits)]
        self._cells = tuple(len(ways) - 1 for ways in self._ways)
        self._known: dict[Level, float] = {}

    def best(self) -> list[Cuts]:
        """From the coarsest level to single cells."""
        stairs = list(dict.fromkeys(self._stairs()))
        steps = stairs[int(np.argmin(self._errors(stairs)))]
        found = [self._improved(start) for start in dict.fromkeys([steps, (self._cells,)])]
        return [self._cuts(level) for level in found[int(np.argmin(self._errors(found)))]]

    def _improved(self, levels: Levels) -> Levels:
        least = self._errors([levels])[0]
        while tried := list(dict.fromkeys(self._changed(levels))):
            errors = self._errors(tried)
            place = int(np.argmin(errors))
            if errors[place] >= least * (1 - 1e-9):
                break
            levels, least = tried[place], errors[place]
        return levels

    def _stairs(self) -> Iterator[Levels]:
        """Levels whose blocks grow by the same factor from each to the one above."""
        for step in range(1, len(self._alike) + 1):
            levels = dict.fromkeys(self._alike[::step])
            yield tuple(reversed(levels))

    def _changed(self, levels: Levels) -> Iterator[Levels]:
        """A level more, one less, or one that cuts an attribute in another way; blocks stay within each other."""
        whole = (0,) * len(self._cells)
        for place, below in enumerate(levels):
            above = levels[place - 1] if place else whole
            for level in self._alike:
                between = tuple(min(max(way, low), high) for way, low, high in zip(level, above, below, strict=True))
                if between != below and (place == 0 or between != above):
                    yield (*levels[:place], between, *levels[place:])
            if below == self._cells:
                break
            rest = levels[place + 1 :]
            yield (*levels[:place], *rest)
            for a, most in enumerate(rest[0]):
                for way in range(above[a], most + 1):
                    changed = (*below[:a], way, *below[a + 1 :])
                    if changed not in (below, rest[0]) and (place == 0 or changed != above):
                        yield (*levels[:place], changed, *rest)

    @cached_property
    def _alike(self) -> list[Level]:
        """Levels whose blocks are about as wide along every attribute, single cells first."""
        widest = max(float(widths[0]) for widths in self._widths)
        targets = 2.0 ** np.arange(math.ceil(math.log2(widest)) + 1)
        levels = [tuple(int(np.argmax(widths <= target)) for widths in self._widths) for target in targets]
        return list(dict.fromkeys([*levels, (0,) * len(self._cells)]))

    def _errors(self, tried: list[Levels]) -> Floats:
        """Of each, a little more for each of its levels; infinite where too much would be measured."""
        found = np.empty(len(tried))
        for count in {len(levels) for levels in tried}:
            which = [place for place, levels in enumerate(tried) if len(levels) == count]
            asked = np.array([np.diff([0.0, *map(self._asked, tried[place])]) for place in which])
            cells = np.array([[self._block(level) for level in tried[place]] for place in which])
            found[which] = best_shares(np.maximum(asked, 0.0), cells)[1] * (1 + WORTH) ** count
        found[[self._padding(levels) > MOST_PADDING for levels in tried]] = np.inf
        return found

    def _padding(self, levels: Levels) -> float:
        """The cells that are measured, over those of the table: the coarsest parts of an attribute decide."""
        ratio = 1.0
        for a, attribute in enumerate(self.schema.values()):
            way = next((level[a] for level in levels if level[a]), 0)
            if way and not isinstance(attribute, Nominal):
                width = float(self._widths[a][way])
                ratio *= math.ceil(attribute.size / width) * width / attribute.size
        return ratio

    def _asked(self, level: Level) -> float:
        if level not in self._known:
            product = math.prod(shared[way] for shared, way in zip(self._shared, level, strict=True))
            self._known[level] = float(np.sum(product))
        return self._known[level]

    def _block(self, level: Level) -> float:
        return math.prod(float(widths[way]) for widths, way in zip(self._widths, level, strict=True))

    def _cuts(self, level: Level) -> Cuts:
        ways = {name: ways[way] for name, ways, way in zip(self.schema, self._ways, level, strict=True)}
        return {name: way for name, way in ways.items() if way is not None}


def _ways(attribute: Attribute) -> list[int | None]:
    """From whole to single codes, as a level may cut an attribute."""
    if attribute.size == 1:
        return [None]
    if not isinstance(attribute, Nominal):
        return [None, *(1 << power for power in reversed(range((attribute.size - 1).bit_length())))]
    ways: list[int | None] = [None]
    parts = 1
    for depth in range(attribute.depth):
        if (here := len(attribute.level(depth))) > parts:
            ways.append(depth)
            parts = here
    return ways


def _split(attribute: Attribute, way: int | None) -> LevelSplit:
    if isinstance(attribute, Nominal):
        return nominal_split(attribute, -1 if way is None else way)
    return LevelSplit.equal(attribute.size if way is None else way, attribute.size)
