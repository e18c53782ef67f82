"""Noisy answers to queries made to agree: the nearest ones that some table without negative counts has.

Cells that lie in the same queries are one atom; every query is a sum of atoms. The number of each query is that of the
least-squares fit over atoms of at least zero, errors weighed by the inverse of their variance. The interval is that of
the fit over any atoms, which has no bias: a linear map of the measurements, so its variance is exact.

Queries that overlap in more ways than there can be atoms only keep what is plain: none is below zero, and none is below
one that it contains.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from itertools import chain

import numpy as np
from numpy.typing import NDArray

from discreet.kernels.nonnegative_fit import fit_atoms
from discreet.queries import Boxes
from discreet.summaries.base import Floats

MOST_ATOMS = 20_000
#: for the least-squares map, of which all entries are kept
MOST_MAPPED = 2000
_MOST_TRIED = 5 * 10**5
_ROUNDS, _SWEEPS = 50, 200
_CLOSE, _TINY, _RIDGE, _UNBIASED = 1e-7, 1e-9, 1e-9, 1e-7


class AgreeingQueries:
    """`boxes` of each query, and of its noisy answer the value, variance and fourth cumulant."""

    def __init__(self, boxes: Sequence[Boxes], value: Floats, variance: Floats, fourth: Floats) -> None:
        self.boxes, self.value, self.variance, self.fourth = boxes, value, variance, fourth

    @cached_property
    def atoms(self) -> list[NDArray[np.int64]] | None:
        """The queries that each atom is part of; None if there are too many atoms."""
        first, last = (np.concatenate([getattr(box, end) for box in self.boxes]) for end in ("first", "last"))
        owner = np.repeat(np.arange(len(self.boxes)), [len(box.first) for box in self.boxes])
        # sets of boxes as bits of a number; a cell lies in those boxes that hold its code of every attribute
        found = {(1 << len(owner)) - 1}
        for place in range(first.shape[1]):
            holding = _holding(first[:, place], last[:, place])
            if len(found) * len(holding) > _MOST_TRIED:
                return None
            found = {some & held for some in found for held in holding}
            if len(found) > MOST_ATOMS:
                return None
        members = {tuple(np.unique(owner[_bits(some, len(owner))]).tolist()) for some in found if some}
        return [np.array(some, np.int64) for some in sorted(members)]

    @cached_property
    def numbers(self) -> Floats:
        """The answers, made to agree."""
        return self._ordered() if self.atoms is None else self._fitted(self.atoms)

    def _fitted(self, atoms: list[NDArray[np.int64]]) -> Floats:
        """Atom by atom, and every so often all atoms that are not zero at once, as far as none falls below zero."""
        starts = np.cumsum([0, *(len(some) for some in atoms)])
        sums = np.fromiter(chain.from_iterable(atoms), np.int64, int(starts[-1]))
        weights = 1 / np.maximum(self.variance, _TINY)
        rest, found = self.value.astype(np.float64), np.zeros(len(atoms))
        close = _CLOSE * float(np.sqrt(np.maximum(self.variance.min(), _TINY)))
        for _ in range(_ROUNDS):
            before = float(weights @ rest**2)
            if fit_atoms(starts, sums, weights, rest, found, _SWEEPS, close):
                break
            held = np.flatnonzero(found > 0)
            if 0 < min(held.size, len(rest)) <= MOST_MAPPED:
                members = np.zeros((len(rest), held.size))
                for column, atom in enumerate(held.tolist()):
                    members[atoms[atom], column] = 1
                found[held], rest = _moved(found[held], members, weights, rest)
            if before - float(weights @ rest**2) < _CLOSE:
                break
        exact = np.zeros(len(rest))  # as a sum of atoms, to the last digit
        np.add.at(exact, sums, np.repeat(found, np.diff(starts)))
        return exact

    def _ordered(self) -> Floats:
        """Between the largest of what a query contains and the smallest of what contains it."""
        inside = _contained(self.boxes)
        least = np.array([self.value[row].max() for row in inside.T])
        most = np.array([self.value[row].min() for row in inside])
        return np.asarray(np.maximum((least + most) / 2, 0.0))

    @cached_property
    def unbiased(self) -> tuple[Floats, Floats, Floats, Floats]:
        """Value, variance and fourth cumulant of least squares over any atoms, and the sum of all weighed errors."""
        deviation = np.sqrt(self.variance)
        if self.atoms is None or len(self.value) > MOST_MAPPED or not self.variance.min() > 0:
            return self.value, self.variance, self.fourth, deviation
        overlap = np.zeros((len(self.value), len(self.value)))
        for some in self.atoms:
            overlap[np.ix_(some, some)] += 1
        # what queries of any table can be; without the weights, which may be so unequal that rounding hides some of it
        sizes, directions = np.linalg.eigh(overlap)
        kept, _ = np.linalg.qr(directions[:, sizes > _TINY * sizes.max()] / deviation[:, None])
        mapped = deviation[:, None] * (kept @ kept.T) / deviation
        if not np.allclose(mapped @ overlap, overlap, atol=_UNBIASED * overlap.max()):
            return self.value, self.variance, self.fourth, deviation
        variance = np.minimum((mapped**2) @ self.variance, self.variance)
        return np.asarray(mapped @ self.value), variance, (mapped**4) @ self.fourth, np.abs(mapped) @ deviation


def _moved(found: Floats, members: Floats, weights: Floats, rest: Floats) -> tuple[Floats, Floats]:
    """The atoms moved together to where their sums come nearest, none below zero; and what is then left."""
    weighed, wide = members * np.sqrt(weights)[:, None], len(found) > len(rest)
    gram = weighed @ weighed.T if wide else weighed.T @ weighed
    gram[np.diag_indices_from(gram)] += _RIDGE * gram.trace() / len(gram)  # nothing may tell some atoms from others
    wanted = np.sqrt(weights) * rest
    step = weighed.T @ np.linalg.solve(gram, wanted) if wide else np.linalg.solve(gram, weighed.T @ wanted)
    falling = step < 0
    longest = min(1.0, float(np.min(-found[falling] / step[falling], initial=1.0)))
    for there in (np.maximum(found + step, 0.0), np.maximum(found + longest * step, 0.0)):
        left = rest - members @ (there - found)
        if weights @ left**2 < weights @ rest**2:
            return there, left
    return found, rest


def _holding(first: NDArray[np.int64], last: NDArray[np.int64]) -> set[int]:
    """The sets of boxes that hold a code, over all codes of an attribute, as bits of numbers."""
    starts = np.unique(np.concatenate([first, last + 1]))
    return {_number((first <= code) & (code <= last)) for code in starts.tolist()} | {0}


def _number(bits: NDArray[np.bool_]) -> int:
    return int.from_bytes(np.packbits(bits, bitorder="little").tobytes(), "little")


def _bits(number: int, count: int) -> NDArray[np.bool_]:
    held = np.frombuffer(number.to_bytes(-(-count // 8), "little"), np.uint8)
    return np.unpackbits(held, count=count, bitorder="little").astype(np.bool_)


def _contained(boxes: Sequence[Boxes]) -> NDArray[np.bool_]:
    """Whether query i (row) lies in query j (column), as far as each box of i lies in one box of j."""
    first, last = (np.concatenate([getattr(box, end) for box in boxes]) for end in ("first", "last"))
    starts = np.cumsum([0, *(len(box.first) for box in boxes)])[:-1]
    found = np.zeros((len(boxes), len(boxes)), np.bool_)
    for column, outer in enumerate(boxes):
        within = np.zeros(len(first), np.bool_)
        for low, high in zip(outer.first, outer.last, strict=True):
            within |= np.all((first >= low) & (last <= high), axis=1)
        found[:, column] = np.logical_and.reduceat(within, starts)
    return found
