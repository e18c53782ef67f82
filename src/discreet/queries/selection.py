"""Sets of cells as unions of disjoint products of code intervals, and the exact algebra on them.

A product gives some attributes (by index) a set of codes, as sorted disjoint inclusive intervals; an
attribute it does not mention may have any code. The products of one selection never overlap, so counts over
them add up.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from discreet.errors import CannotAnswer

MOST_PRODUCTS = 10_000
MOST_BOXES = 10_000
"""Per question; more would take longer than asking the question's parts."""
_MOST_STEPS = 3_000_000
_FEW_UNIONS = 8

Intervals = tuple[tuple[int, int], ...]
_Product = tuple[tuple[int, Intervals], ...]


@dataclass(frozen=True, eq=False)
class Boxes:
    """Many boxes: first and last code, both included, as int64 arrays of shape (boxes, attributes)."""

    first: NDArray[np.int64]
    last: NDArray[np.int64]

    @classmethod
    def of(cls, ends: NDArray[np.int64]) -> Boxes:
        return cls(ends[:, :, 0].copy(), ends[:, :, 1].copy())


@dataclass(frozen=True)
class Selection:
    """A set of cells: pairwise disjoint products, each attribute index -> intervals (absent: all codes)."""

    products: tuple[Mapping[int, Intervals], ...]

    @classmethod
    def everything(cls) -> Selection:
        return cls(({},))

    @classmethod
    def where(cls, attribute: int, intervals: Iterable[tuple[int, int]], size: int) -> Selection:
        """The cells whose code of one attribute (of `size` codes) lies in any of the intervals."""
        united = unite(intervals)
        if united == ((0, size - 1),):
            return cls.everything()
        return cls(({attribute: united},) if united else ())

    def boxes(self, sizes: Sequence[int]) -> Boxes:
        """The selection as single boxes."""
        return Boxes.of(self.ends(sizes))

    def ends(self, sizes: Sequence[int]) -> NDArray[np.int64]:
        """The single boxes as one array (boxes, attributes, 2) of first and last codes."""
        if sum(math.prod(map(len, product.values())) for product in self.products) > MOST_BOXES:
            raise CannotAnswer(
                f"the predicate consists of more than {MOST_BOXES:,} boxes of cells; "
                "ask for parts that exclude each other and add the answers up"
            )
        every = [((0, size - 1),) for size in sizes]
        rows = [
            box
            for product in self.products
            for box in itertools.product(*(product.get(i, every[i]) for i in range(len(sizes))))
        ]
        return np.array(rows, dtype=np.int64).reshape(len(rows), len(sizes), 2)


def unite(intervals: Iterable[tuple[int, int]]) -> Intervals:
    """Any inclusive intervals -> the same codes as sorted, disjoint, non-touching intervals."""
    united: list[tuple[int, int]] = []
    for first, last in sorted(intervals):
        if united and first <= united[-1][1] + 1:
            united[-1] = (united[-1][0], max(last, united[-1][1]))
        else:
            united.append((first, last))
    return tuple(united)


def union(selections: Iterable[Selection], sizes: Sequence[int]) -> Selection:
    """Cells in any of the selections."""
    products: set[_Product] = set()
    alone: dict[int, list[tuple[int, int]]] = {}
    for product in (product for selection in selections for product in selection.products):
        if len(product) == 1:  # many values of one attribute: one set of codes
            ((attribute, intervals),) = product.items()
            alone.setdefault(attribute, []).extend(intervals)
        else:
            products.add(_key(product))
    products.update(((attribute, unite(intervals)),) for attribute, intervals in alone.items())
    return _selection(_divide(products, sizes, inside=True))


def complement(selection: Selection, sizes: Sequence[int]) -> Selection:
    """Cells that are not in the selection."""
    return _selection(_divide(map(_key, selection.products), sizes, inside=False))


def intersection(selections: Iterable[Selection], sizes: Sequence[int]) -> Selection:
    """Cells in all of the selections; products of disjoint sets are disjoint, so pairs are all it takes.

    Of many unions the pairs would be too many: there it is what is in none of the complements.
    """
    narrowed: dict[int, list[Intervals]] = {}
    several = []
    for selection in selections:
        if len(selection.products) == 1:  # these meet attribute by attribute, all at once
            for attribute, intervals in selection.products[0].items():
                narrowed.setdefault(attribute, []).append(intervals)
        else:
            several.append(selection)
    met = {attribute: _common(sets) for attribute, sets in narrowed.items()}
    common = [_key(met)] if all(met.values()) else []
    if len(several) > _FEW_UNIONS:
        several = [complement(union([complement(one, sizes) for one in several], sizes), sizes)]
    steps = 0
    for selection in several:
        products = [_key(product) for product in selection.products]
        steps += _length(common) * len(products) + len(common) * _length(products)
        if len(common) * len(products) > _MOST_STEPS or steps > 10 * _MOST_STEPS:
            raise _too_many()
        common = [both for one in common for other in products if (both := _meet(one, other)) is not None]
        if len(common) > MOST_PRODUCTS:
            raise _too_many()
    return _selection(common)


def _length(products: Sequence[_Product]) -> int:
    return sum(len(intervals) for product in products for _, intervals in product)


def _common(sets: Sequence[Intervals]) -> Intervals:
    """The codes that are in all of these sets of codes."""
    starts = [(first, 1) for codes in sets for first, _ in codes]
    changes = sorted(starts + [(last + 1, -1) for codes in sets for _, last in codes])
    found, holding = [], 0
    for (code, change), (following, _) in itertools.pairwise(changes):
        holding += change
        if holding == len(sets) and code < following:
            found.append((code, following - 1))
    return unite(found)


def _key(product: Mapping[int, Intervals]) -> _Product:
    return tuple(sorted(product.items()))


def _selection(products: Iterable[_Product]) -> Selection:
    return Selection(tuple(dict(product) for product in sorted(products)))


def _meet(one: _Product, other: _Product) -> _Product | None:
    met = dict(one)
    for attribute, intervals in other:
        if attribute in met:
            intervals = _overlap(met[attribute], intervals)
            if not intervals:
                return None
        met[attribute] = intervals
    return _key(met)


def _overlap(one: Intervals, other: Intervals) -> Intervals:
    found, i, j = [], 0, 0
    while i < len(one) and j < len(other):
        first, last = max(one[i][0], other[j][0]), min(one[i][1], other[j][1])
        if first <= last:
            found.append((first, last))
        if one[i][1] < other[j][1]:
            i += 1
        else:
            j += 1
    return tuple(found)


def _divide(products: Iterable[_Product], sizes: Sequence[int], *, inside: bool) -> list[_Product]:
    """Disjoint products that make up the union of `products` (inside) or all the rest (not inside).

    One attribute after the other is cut where the set of products that hold there changes; what these
    products still ask of later attributes is settled within each piece, so pieces never overlap.
    """
    found: list[_Product] = []
    steps = 0
    # an explicit stack: the depth is the number of attributes, which nothing bounds
    open_pieces: list[tuple[_Product, frozenset[_Product]]] = [((), frozenset(products))]
    while open_pieces:
        piece, tails = open_pieces.pop()
        if () in tails or not tails:
            if bool(tails) is inside:
                found.append(piece)
                if len(found) > MOST_PRODUCTS:
                    raise _too_many()
            continue
        attribute = min(tail[0][0] for tail in tails)
        every = ((0, sizes[attribute] - 1),)
        groups: dict[frozenset[_Product], list[tuple[int, int]]] = {}
        for first, last, holding in _cuts(tails, attribute, sizes[attribute]):
            groups.setdefault(holding, []).append((first, last))
            steps += len(holding) + 1
            if steps > _MOST_STEPS:
                raise _too_many()
        for holding, pieces in groups.items():
            intervals = unite(pieces)
            grown = piece if intervals == every else (*piece, (attribute, intervals))
            open_pieces.append((grown, holding))
    return found


def _cuts(tails: frozenset[_Product], attribute: int, size: int) -> Iterator[tuple[int, int, frozenset[_Product]]]:
    """Code ranges first..last of an attribute, each with what the products that hold there ask further on."""
    everywhere = frozenset(tail for tail in tails if tail[0][0] != attribute)
    changes: dict[int, list[tuple[_Product, int]]] = {0: [], size: []}
    for tail in tails - everywhere:
        for first, last in tail[0][1]:
            changes.setdefault(first, []).append((tail[1:], 1))
            changes.setdefault(last + 1, []).append((tail[1:], -1))
    active: dict[_Product, int] = {}
    for start, stop in itertools.pairwise(sorted(changes)):
        for rest, change in changes[start]:
            active[rest] = active.get(rest, 0) + change
            if not active[rest]:
                del active[rest]
        holding = everywhere.union(active)
        yield start, stop - 1, frozenset({()}) if () in active else holding


def _too_many() -> CannotAnswer:
    return CannotAnswer(
        f"the predicate has too many parts that overlap (at most {MOST_PRODUCTS:,} disjoint pieces); "
        "ask for parts that exclude each other and add the answers up"
    )
