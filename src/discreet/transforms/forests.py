"""Pairs of attributes as a forest: which ones hold the others together, and what follows for pairs not among them."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from itertools import pairwise

import numpy as np

from discreet.transforms.axis import Floats

Pair = tuple[int, int]


def strongest_forest(strengths: Mapping[Pair, float]) -> dict[int, list[int]]:
    """The neighbours of each attribute in the forest of the strongest pairs: no way leads back to where it began."""
    neighbours: dict[int, list[int]] = {}
    tree: dict[int, int] = {}

    def root(place: int) -> int:
        while tree.setdefault(place, place) != place:
            place = tree[place]
        return place

    for one, other in sorted(strengths, key=lambda pair: (-strengths[pair], pair)):
        if root(one) != root(other):
            tree[root(one)] = root(other)
            neighbours.setdefault(one, []).append(other)
            neighbours.setdefault(other, []).append(one)
    return neighbours


def way(neighbours: Mapping[int, list[int]], start: int, end: int) -> list[int]:
    """The attributes from one to another along the forest; nothing if it does not connect them."""
    before, waiting = {start: start}, [start]
    while waiting:
        place = waiting.pop()
        for other in neighbours.get(place, []):
            if other not in before:
                before[other] = place
                waiting.append(other)
    if end not in before:
        return []
    found = [end]
    while found[-1] != start:
        found.append(before[found[-1]])
    return found[::-1]


def along(places: list[int], table: Callable[[int, int], Floats], margin: Callable[[int], Floats]) -> Floats:
    """The table of the first and the last attribute, if each depends on the one before it only."""
    found = table(places[0], places[1])
    for one, other in pairwise(places[1:]):
        counts = margin(one)
        shares = np.divide(1.0, counts, out=np.zeros_like(counts), where=counts > 0)
        found = (found * shares) @ table(one, other)
    return found
