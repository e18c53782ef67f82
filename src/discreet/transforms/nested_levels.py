"""Levels of blocks that lie in each other: each cuts every attribute into parts, finer ones cut the parts again.

The blocks of a level are the products of its attributes' parts, so every cell is in one block of each level; those of
the last level are the single cells. A level is written as {attribute: part}, the part being a number of codes for an
ordinal attribute, a level of its hierarchy for a nominal one (0 is the outermost); an attribute that is not named is
left whole. Parts of an ordinal attribute are equal: the last may reach beyond it, over cells that are always empty.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from functools import cached_property
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from discreet.errors import BadParameter
from discreet.kernels.block_sums import add_up, give_all
from discreet.kernels.cores import side_by_side, slices
from discreet.schema import Attribute, Nominal, Schema
from discreet.transforms.axis import Floats, Integers
from discreet.transforms.splits import LevelSplit

#: what a level says of each attribute that it cuts
Cuts = Mapping[str, int]
MOST_LEVELS = 64
_WORTH_A_THREAD = 1 << 20


class NestedLevels:
    """`cuts` from the coarsest level to single cells; a BadParameter if they do not lie in each other."""

    def __init__(self, schema: Schema, cuts: Sequence[Cuts]) -> None:
        self.schema, self.cuts = schema, [dict(level) for level in cuts]
        if not 1 <= len(cuts) <= MOST_LEVELS:
            raise BadParameter(f"levels: there must be 1 to {MOST_LEVELS} of them, not {len(cuts)}")
        by_attribute = [_splits(name, schema[name], [level.get(name) for level in cuts]) for name in schema]
        self.splits = list(zip(*by_attribute, strict=True))
        self.shapes = [tuple(split.parts for split in level) for level in self.splits]
        for number, (above, below) in enumerate(pairwise(self.shapes), start=2):
            if above == below:
                raise BadParameter(f"levels: number {number} has the blocks of the one before; leave one of them out")
        if any(split.width != 1 for split in self.splits[-1]):
            raise BadParameter("levels: the last one must consist of single cells; write it as 'cells'")

    @property
    def lengths(self) -> list[int]:
        """How many blocks each level has."""
        return [math.prod(shape) for shape in self.shapes]

    @cached_property
    def children(self) -> list[list[Integers]]:
        """For each level but the last and each attribute: where the parts of every part begin one level below."""
        return [
            [_beginnings(*pair) for pair in zip(above, below, strict=True)] for above, below in pairwise(self.splits)
        ]

    def sums(self, level: int, below: NDArray[Any]) -> NDArray[Any]:
        """The blocks of a level, from those of the next."""
        found = np.zeros(self.lengths[level], below.dtype)
        side_by_side(lambda piece: add_up(*piece, found), self._pieces(level, below))
        return found.reshape(self.shapes[level])

    def give(self, level: int, changes: Floats, below: Floats) -> None:
        """Every block of the next level += the change of the block that it lies in."""
        flat = np.ascontiguousarray(changes).reshape(-1)
        side_by_side(lambda piece: give_all(*piece, flat), self._pieces(level, below))

    def _pieces(self, level: int, below: NDArray[Any]) -> list[tuple[NDArray[Any], Integers, Integers]]:
        """The next level's blocks in rows along the last attribute, as kernels take them.

        They are cut between parts of the first attribute, so that no two pieces have a block of this level in common.
        """
        *others, starts = self.children[level]
        parts = slices(self.shapes[level][0], max(1, _WORTH_A_THREAD * self.shapes[level][0] // below.size))
        if not others:
            line = below.reshape(1, -1)
            return [(line, np.array([part.start]), starts[part.start : part.stop + 1]) for part in parts]
        rows = np.zeros(1, np.int64)
        for begins, count in zip(others, self.shapes[level][:-1], strict=True):
            inside = np.repeat(np.arange(count), np.diff(begins))
            rows = (rows[:, None] * count + inside[None, :]).reshape(-1)
        rows *= self.shapes[level][-1]
        table, per_part = below.reshape(rows.size, -1), rows.size // below.shape[0]
        cuts = [slice(others[0][part.start] * per_part, others[0][part.stop] * per_part) for part in parts]
        return [(table[cut], rows[cut], starts) for cut in cuts]


def _splits(name: str, attribute: Attribute, parts: Sequence[Any]) -> list[LevelSplit]:
    """One attribute on all levels; None leaves it whole."""
    for part in parts:
        if part is not None and (isinstance(part, bool) or not isinstance(part, int) or part < 0):
            raise BadParameter(f"levels: {name!r} must be cut by a whole number, not {part!r}")
    if isinstance(attribute, Nominal):
        return _nominal_splits(name, attribute, parts)
    widths = [part for part in parts if part is not None]
    if any(not 1 <= width <= attribute.size for width in widths):
        raise BadParameter(f"levels: parts of {name!r} have 1 to {attribute.size} codes each")
    for number, (one, other) in enumerate(pairwise(parts), start=2):
        if one is not None and (other is None or one % other):
            raise BadParameter(f"levels: the parts of {name!r} on level {number} must divide those of the one before")
    padded = widths[0] * -(-attribute.size // widths[0]) if widths else attribute.size
    return [LevelSplit.equal(padded if part is None else part, padded) for part in parts]


def _nominal_splits(name: str, attribute: Nominal, parts: Sequence[int | None]) -> list[LevelSplit]:
    depths = [-1 if part is None else part for part in parts]
    if max(depths) >= attribute.depth:
        raise BadParameter(f"levels: the hierarchy of {name!r} has levels 0 to {attribute.depth - 1}")
    if any(one > other for one, other in pairwise(depths)):
        raise BadParameter(f"levels: those of the hierarchy of {name!r} go from the outermost to the single codes")
    found = {depth: nominal_split(attribute, depth) for depth in set(depths)}
    return [found[depth] for depth in depths]


def nominal_split(attribute: Nominal, depth: int) -> LevelSplit:
    """By the groups of one level of its hierarchy; -1 leaves it whole."""
    ends = [last + 1 for _, _, last in attribute.level(depth)] if depth >= 0 else [attribute.size]
    return LevelSplit.between(np.array([0, *ends], np.int64))


def _beginnings(above: LevelSplit, below: LevelSplit) -> Integers:
    if above.width is not None and below.width is not None:
        return np.arange(above.parts + 1) * (above.width // below.width)
    return np.searchsorted(below.edges, above.edges).astype(np.int64)
