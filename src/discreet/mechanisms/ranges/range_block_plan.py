"""Which trees of blocks are measured, how they divide the attributes, and how epsilon is shared: from public facts.

The trees: one over all attributes, and one for each single attribute where there are several, for roll-ups. The number
of records that the plan counts on is a public guess, or the noisy total that is bought first.

A level's share is in proportion to g**(1/3), g the blocks of the level that a question typically needs: its fan-out,
times the roots of the fan-outs before it where there are several attributes. Levels at which records are fewer than
blocks, in units of the noise, get less: most of their blocks are never looked at, and if they are, counts are large.
Where records are many for every cell, a single attribute is divided in fewer, wider steps, and the trees of single
attributes get less: all blocks will be divided, and sums over the tree of all attributes are good enough for roll-ups.
Where records are many, tables by several attributes have single cells measured at once, with no blocks above, for
there cells matter most; ranges over several attributes have the levels and shares of `weighted`.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction

import numpy as np

from discreet.mechanisms.ranges.range_block_needs import blocks_needed
from discreet.mechanisms.ranges.range_filled_levels import filled_levels
from discreet.queries import Questions
from discreet.schema import Attribute, Nominal, Schema
from discreet.transforms.block_tree import TreePlan
from discreet.transforms.partitions import EvenParts, HierarchyParts, Partition

#: parts of a block along an attribute that is divided alone, usually and where records are many; along each of several
_ALONE, _TOGETHER = (8.0, 16.0), 4.0
#: records, in units of the noise, for each cell: from here on nearly all blocks are divided down to cells
_DENSE = 20.0
#: the same, from where on cells of tables are measured at once, and ranges over several attributes have the levels of
#: `weighted`; see the benchmark `regret`
_FILLED = 3.0
#: if cells are no more than this: in a table by one attribute, and by several; for ranges over two attributes (larger
#: ones do better with squares), and over more
_MOST_CELLS, _MOST_FILLED = (1 << 10, 1 << 20), (1 << 15, 1 << 20)
#: of their usual share, what the trees of single attributes have then: the tree of all serves roll-ups as well
_DENSE_SINGLES = Fraction(3, 10)
#: and what cells have of theirs: every question ends in cells that are all looked at
_CELLS_RAISED = 1.25
#: for the noisy total: of one attribute, and of several; with more where sums of everything are asked more often
_TOTAL = ((Fraction(7, 100), Fraction(10, 100)), (Fraction(2, 100), Fraction(4, 100)))
#: of several attributes
_FEW_CELLS = 1 << 14
#: attributes are divided at once as long as a block has no more children than this
MOST_AT_ONCE = 64
#: where a level has more blocks than a part of the records, in units of the noise, its share falls, to this at least:
#: for one attribute, and for several
_CROWDED, _LEAST = (10.0, 1.0), (0.15, 0.3)
#: no share is smaller than in the plan for another number of records by more than this: 1 / _LEAST, and roundings
MOST_SHIFT = 8
_GRAIN = 1 << 12

Level = tuple[Partition, ...]


@dataclass(frozen=True)
class Planner:
    """Everything that the plan follows from, but the number of records."""

    schema: Schema
    #: of a look for all of epsilon
    scale: Fraction
    total: Fraction
    singles: Fraction
    levels: tuple[Level, ...] | None = None
    weights: tuple[Fraction, ...] | None = None
    #: what will be asked, if that is known
    workload: Questions | None = None
    #: whether singles may be less where records are many
    free: bool = False
    #: whether it is for a table, whose cells matter more than sums of many of them
    table: bool = False

    def trees(self, rows: float) -> list[TreePlan]:
        """The tree of all attributes first."""
        attributes = list(self.schema.values())
        several = len(attributes) > 1
        each_cell = rows / float(self.scale) / math.prod(float(one.size) for one in attributes)
        dense = each_cell >= _DENSE
        wide = dense and self.weights is None  # shares are given for as many levels as there usually are
        levels, weights = self.levels or self._usual_levels(wide), self.weights
        if each_cell >= _FILLED and self._plain:
            if self.table and self.schema.cells <= _MOST_CELLS[several]:
                levels = (tuple(steps_of(attribute, _TOGETHER)[-1] for attribute in attributes),)
            elif not self.table and several and self.schema.cells <= _MOST_FILLED[len(attributes) > 2]:
                (levels, weights), dense = filled_levels(self.schema), True
        singles = self.singles * (_DENSE_SINGLES if dense and self.free else 1)
        joint = 1 - self.total - singles
        found = [self._tree(tuple(range(len(attributes))), levels, joint, rows, weights, dense)]
        if several:
            each = singles / len(attributes)
            found += [self._tree((i,), single_levels(one), each, rows) for i, one in enumerate(attributes)]
        return found

    def _usual_levels(self, wide: bool) -> tuple[Level, ...]:
        attributes = list(self.schema.values())
        return joint_levels(attributes) if len(attributes) > 1 else single_levels(attributes[0], wide)

    @property
    def _plain(self) -> bool:
        """Whether no blocks were declared (hierarchies, special values), or wanted by levels, shares or a workload."""
        if self.levels is not None or self.weights is not None or self.workload is not None:
            return False
        return not (has_hierarchy(self.schema) or any(one.special_codes for one in self.schema.values()))

    def _tree(
        self,
        places: tuple[int, ...],
        levels: tuple[Level, ...],
        share: Fraction,
        rows: float,
        weights: Sequence[Fraction] | None = None,
        dense: bool = False,
    ) -> TreePlan:
        levels, weights = _from_the_first_cut(levels, weights)
        needs = None if self.workload is None else blocks_needed(levels, _about(self.workload, places))
        found = _level_weights(levels, rows * float(share / self.scale), needs)
        if dense:
            found[-1] *= _CELLS_RAISED
        usual = _whole(found)
        shares = _divided(share, weights or usual)
        return TreePlan(places, tuple(partition.size for partition in levels[0]), levels, shares)


def has_hierarchy(schema: Schema) -> bool:
    return any(isinstance(one, Nominal) and one.depth > 1 for one in schema.values())


def share_of_total(schema: Schema) -> Fraction:
    """More above a hierarchy, and in tables of few cells."""
    several = len(schema) > 1
    more = has_hierarchy(schema) or (several and schema.cells <= _FEW_CELLS)
    return _TOTAL[several][more]


def single_levels(attribute: Attribute, dense: bool = False) -> tuple[Level, ...]:
    return tuple((partition,) for partition in steps_of(attribute, _ALONE[dense]))


def joint_levels(attributes: Sequence[Attribute]) -> tuple[Level, ...]:
    """Round by round a step for every attribute, few at once: those of small fan-out first."""
    chains = [steps_of(attribute, _TOGETHER) for attribute in attributes]
    here: list[Partition] = [EvenParts(attribute.size, attribute.size) for attribute in attributes]
    levels: list[Level] = []
    for turn in range(max(map(len, chains))):
        due = [place for place, chain in enumerate(chains) if turn < len(chain)]
        fanouts = {place: chains[place][turn].blocks / here[place].blocks for place in due}
        children = math.inf
        for place in sorted(due, key=lambda place: fanouts[place]):
            children *= fanouts[place]
            here[place] = chains[place][turn]
            if children > MOST_AT_ONCE:
                children = fanouts[place]
                levels.append(tuple(here))
            else:
                levels[-1] = tuple(here)
    return tuple(levels)


def steps_of(attribute: Attribute, fanout: float) -> list[Partition]:
    """How the codes of one attribute are divided again and again, down to single ones."""
    special, size = attribute.special_codes, attribute.size
    first: list[Partition] = [EvenParts(size, size, special)] if special and size > 1 else []
    if isinstance(attribute, Nominal) and attribute.depth > 1:
        return _hierarchy_steps(attribute, first)
    return [*first, *(EvenParts(size, width, special) for width in _widths(size, fanout))]


def _hierarchy_steps(attribute: Nominal, first: list[Partition]) -> list[Partition]:
    """Its levels; where siblings are very many, runs of them come between. One that cuts nothing, such as a country
    above all places, is left out."""
    found = first
    for depth in range(1, attribute.depth + 1):
        level = HierarchyParts(attribute, depth, 1, attribute.special_codes)
        before = found[-1].blocks if found else 1
        if level.blocks == before and depth < attribute.depth:
            continue
        if level.blocks > MOST_AT_ONCE * before:
            together = math.ceil(math.sqrt(level.blocks / before))
            found.append(HierarchyParts(attribute, depth, together, attribute.special_codes))
        found.append(level)
    return found


def _widths(size: int, fanout: float) -> list[int]:
    """Widths of blocks, falling to 1, in equal steps of about this fan-out; 16 parts at once are not too many."""
    steps = max(1, round(math.log(size, fanout))) if size > 16 else 1
    step = max(2, math.ceil(round(size ** (1 / steps), 9)))
    return [step**k for k in range(steps - 1, -1, -1)]


def _from_the_first_cut(
    levels: tuple[Level, ...], weights: Sequence[Fraction] | None
) -> tuple[tuple[Level, ...], Sequence[Fraction] | None]:
    """Nobody looks at the whole table, so levels above the first cut would be paid for and never used: that cut has
    their weights as well."""
    cuts = (number for number, level in enumerate(levels) if any(partition.blocks > 1 for partition in level))
    first = next(cuts, len(levels) - 1)
    if weights is not None:
        weights = [sum(weights[: first + 1], Fraction(0)), *weights[first + 1 :]]
    return levels[first:], weights


def _about(asked: Questions, places: tuple[int, ...]) -> Questions:
    """The same questions, as far as they are about these attributes."""
    first, last = asked.first[:, list(places)], asked.last[:, list(places)]
    return Questions(first, last, asked.count, asked.owner)


def _level_weights(levels: Sequence[Level], rows: float, needs: Sequence[float] | None) -> list[float]:
    """By the blocks that questions need; `rows` is in units of the noise of a look for all of the tree's share."""
    blocks = [math.prod(float(partition.blocks) for partition in level) for level in levels]
    fanouts = [now / before for before, now in zip([1.0, *blocks], blocks, strict=False)]
    several = int(len(levels[0]) > 1)
    passed = np.concatenate([[1.0], np.cumprod(fanouts[:-1])]) if several else np.ones(len(levels))
    typical = [fanout * root for fanout, root in zip(fanouts, np.sqrt(passed), strict=True)]
    return [
        float(need ** (1 / 3) * max(_LEAST[several], min(1.0, rows / (_CROWDED[several] * many)) ** 0.5))
        for need, many in zip(needs or typical, blocks, strict=True)
    ]


def _whole(weights: Sequence[float]) -> tuple[Fraction, ...]:
    """The weights to a few digits: short fractions."""
    most = max(weights)
    return tuple(Fraction(max(1, round(_GRAIN * weight / most))) for weight in weights)


def _divided(share: Fraction, weights: Sequence[Fraction]) -> tuple[Fraction, ...]:
    whole = sum(weights, Fraction(0))
    return tuple(share * weight / whole for weight in weights)
