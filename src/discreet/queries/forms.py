"""Weighted sums of counts: which cells count how often. Cells that are added and taken off again cancel exactly."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from fractions import Fraction

import numpy as np

from discreet.queries.selection import Boxes, Selection, complement, intersection, union


@dataclass(frozen=True)
class CellWeights:
    """Disjoint selections of cells, each with its weight: no two have the same weight, and none has the weight zero."""

    parts: tuple[tuple[Fraction, Selection], ...]

    @classmethod
    def of(cls, selection: Selection) -> CellWeights:
        return cls(((Fraction(1), selection),) if selection.products else ())

    def times(self, weight: Fraction) -> CellWeights:
        return CellWeights(tuple((weight * own, selection) for own, selection in self.parts) if weight else ())

    def plus(self, other: CellWeights, sizes: Sequence[int]) -> CellWeights:
        pairs = joined(self, other, sizes)
        return CellWeights(_merged([(one + two, selection) for one, two, selection in pairs], sizes))


def joined(one: CellWeights, other: CellWeights, sizes: Sequence[int]) -> list[tuple[Fraction, Fraction, Selection]]:
    """Disjoint selections with their weights in both forms; the same pair of weights may come more than once."""
    found: list[tuple[Fraction, Fraction, Selection]] = []
    nothing = Fraction(0)
    for weight, selection in one.parts:
        for second, theirs in other.parts:
            found.append((weight, second, intersection([selection, theirs], sizes)))
        found.append((weight, nothing, _without(selection, other, sizes)))
    found += [(nothing, weight, _without(selection, one, sizes)) for weight, selection in other.parts]
    return [part for part in found if part[2].products]


def _without(selection: Selection, form: CellWeights, sizes: Sequence[int]) -> Selection:
    if not form.parts:
        return selection
    covered = union([theirs for _, theirs in form.parts], sizes)
    return intersection([selection, complement(covered, sizes)], sizes)


def _merged(
    parts: Iterable[tuple[Fraction, Selection]], sizes: Sequence[int]
) -> tuple[tuple[Fraction, Selection], ...]:
    by_weight: dict[Fraction, list[Selection]] = {}
    for weight, selection in parts:
        by_weight.setdefault(weight, []).append(selection)
    return tuple(
        (weight, some[0] if len(some) == 1 else union(some, sizes))
        for weight, some in sorted(by_weight.items())
        if weight
    )


def selection_of(boxes: Boxes, sizes: Sequence[int]) -> Selection:
    """Disjoint boxes as a selection."""
    whole = np.array(sizes) - 1
    products = []
    for first, last in zip(boxes.first.tolist(), boxes.last.tolist(), strict=True):
        ends = enumerate(zip(first, last, whole.tolist(), strict=True))
        products.append({place: ((low, high),) for place, (low, high, top) in ends if (low, high) != (0, top)})
    return Selection(tuple(products))
