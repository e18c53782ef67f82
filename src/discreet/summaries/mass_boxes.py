"""A table as boxes of cells with the records that each is likely to hold: what rows can be drawn from.

`halved` finds them for any summary that can be asked about boxes: everything is halved along one attribute after the
other, and what a box holds is shared out to its halves by what the summary says of them, none getting less than
nothing. A box that would have less than a row is not halved, nor one of which the summary cannot tell the halves apart.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from discreet.queries import Questions
from discreet.summaries.base import Floats, Summary
from discreet.transforms.axis import Integers

#: more boxes than this are not made, however many rows there are
MOST_BOXES = 1 << 21
_LEVEL = 0.95

#: codes of one attribute, the first and the end of all among them, and the records before each
Spread = tuple[Integers, Floats]


@dataclass(frozen=True, eq=False)
class MassBoxes:
    """Boxes first..last (boxes x attributes) with the records in each; inside they lie evenly, or by `spreads`."""

    first: Integers
    last: Integers
    mass: Floats
    spreads: dict[int, Spread] = field(default_factory=dict)


def halved(summary: Summary, rows: int) -> MassBoxes:
    """Boxes for so many rows; those that lie side by side stay side by side."""
    sizes = summary.schema.sizes
    first, last = np.zeros((1, len(sizes)), np.int64), np.array([sizes], np.int64) - 1
    total = max(float(summary.answer(_each(first, last), _LEVEL).value[0]), 0.0)
    mass, least, still = np.array([total]), total / min(rows, MOST_BOXES), np.ones(1, np.bool_)
    for axis, half in _halvings(sizes):
        cut = np.flatnonzero(still & (mass >= least) & (last[:, axis] - first[:, axis] >= half))
        if not cut.size:
            continue
        middle = first[cut, axis] + half
        ends, starts = last[cut].copy(), first[cut].copy()
        ends[:, axis], starts[:, axis] = middle - 1, middle
        asked = _each(np.concatenate([first[cut], starts]), np.concatenate([ends, last[cut]]))
        found = summary.answer(asked, _LEVEL)
        value, variance = (np.asarray(part, np.float64).reshape(2, -1) for part in (found.value, found.stderr**2))
        told = variance.min(axis=0) < mass[cut] ** 2
        still[cut[~told]] = False
        cut, value, variance = cut[told], value[:, told], np.maximum(variance[:, told], 1e-12)
        missing = mass[cut] - value.sum(axis=0)
        here = np.clip(value[0] + missing * variance[0] / variance.sum(axis=0), 0.0, mass[cut])
        first, last, mass, still = (np.insert(part, cut + 1, part[cut], axis=0) for part in (first, last, mass, still))
        left = cut + np.arange(cut.size)
        last[left], first[left + 1] = ends[told], starts[told]
        mass[left + 1] = mass[left] - here
        mass[left] = here
    return MassBoxes(first, last, mass)


def _halvings(sizes: Sequence[int]) -> list[tuple[int, int]]:
    """Attribute and length of what is cut off, in turn: all attributes in halves, then in quarters, and so on."""
    found = []
    for axis, size in enumerate(sizes):
        bits = (size - 1).bit_length()
        found += [(turn, size, axis, 1 << (bits - 1 - turn)) for turn in range(bits)]
    return [(axis, half) for _, _, axis, half in sorted(found)]


def _each(first: NDArray[np.int64], last: NDArray[np.int64]) -> Questions:
    return Questions(first, last, len(first), np.arange(len(first)))
