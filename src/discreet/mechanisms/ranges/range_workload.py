"""The workload by which a method picks its parameters if the user gives none: it follows from the schema."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from discreet.queries import Questions
from discreet.schema import Attribute, Nominal, Schema

SPREAD = 4096


def spread_workload(schema: Schema, *, prefixes: bool = False) -> Questions:
    """Questions spread evenly over all that the paper's experiment might draw.

    The number of predicates is even over 1 to all attributes, so is their choice; a predicate is any range of an
    ordinal attribute (any that begins at its first code, for `prefixes`), or any hierarchy node of a nominal one.
    Placed by a rank-1 lattice, without any randomness.
    """
    attributes = len(schema)
    places = _lattice(2 * attributes + 1, SPREAD)
    predicates = 1 + np.floor(places[:, 0] * attributes).astype(np.int64)
    rank = np.argsort(np.argsort(places[:, 1 : attributes + 1], axis=1), axis=1)
    first = np.zeros((SPREAD, attributes), np.int64)
    last = np.broadcast_to(np.array(schema.sizes, np.int64) - 1, first.shape).copy()
    for place, attribute in enumerate(schema.values()):
        asked = rank[:, place] < predicates
        low, high = _ranges(attribute, places[:, attributes + 1 + place], prefixes)
        first[asked, place], last[asked, place] = low[asked], high[asked]
    return Questions(first, last, SPREAD, np.arange(SPREAD))


def _lattice(dimensions: int, count: int) -> NDArray[np.float64]:
    """Points that fill the unit cube evenly: multiples of the powers of the root of x**(dimensions + 1) = x + 1."""
    root = 2.0
    for _ in range(64):
        root = (1 + root) ** (1 / (dimensions + 1))
    steps = root ** -np.arange(1.0, dimensions + 1)
    return np.asarray((0.5 + np.outer(np.arange(1, count + 1), steps)) % 1.0)


def _ranges(
    attribute: Attribute, place: NDArray[np.float64], prefixes: bool
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """First and last codes: for each number in [0, 1) one of all ranges, or of all nodes, each equally often."""
    if isinstance(attribute, Nominal):
        nodes = np.array([ends for depth in range(attribute.depth) for _, *ends in attribute.level(depth)])
        nodes = np.unique(nodes, axis=0)
        chosen = nodes[np.floor(place * len(nodes)).astype(np.int64)]
        return chosen[:, 0], chosen[:, 1]
    size = attribute.size
    if prefixes:
        return np.zeros(place.size, np.int64), np.floor(place * size).astype(np.int64)
    # ranges of length 1 come first, size of them, then those of length 2, and so on
    rank = place * (size * (size + 1) / 2)
    length = np.floor(size + 0.5 - np.sqrt((size + 0.5) ** 2 - 2 * rank)).astype(np.int64)
    start = np.floor(rank - (length * size - length * (length - 1) / 2)).astype(np.int64)
    start = np.clip(start, 0, size - 1 - length)
    return start, start + length
