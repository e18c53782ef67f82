"""Pairs of attributes as a forest: which ones hold the others together, and what follows for pairs not among them."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from itertools import pairwise

import numpy as np

from discreet.transforms.axis import Floats

Pair = tuple[int, int]

#: differences below this are rounding, and must not decide which pair is stronger
_DIGITS = 9


def mutual_information(table: Floats) -> float:
    """Of the two attributes of a table of non-negative counts, in nats; none if the table is empty."""
    total = float(table.sum())
    if total <= 0:
        return 0.0
    joint = table / total
    apart = joint.sum(axis=1, keepdims=True) * joint.sum(axis=0, keepdims=True)
    some = joint > 0
    return round(max(float(np.sum(joint[some] * np.log(joint[some] / apart[some]))), 0.0), _DIGITS)


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


def parents_first(count: int, neighbours: Mapping[int, list[int]]) -> list[tuple[int | None, int]]:
    """A forest over 0 to count - 1 as (parent, child), parents before their children; a root has none."""
    found: list[tuple[int | None, int]] = []
    seen: set[int] = set()
    for root in range(count):
        waiting: list[tuple[int | None, int]] = [(None, root)] if root not in seen else []
        seen.add(root)
        while waiting:
            parent, child = waiting.pop(0)
            found.append((parent, child))
            near = [other for other in neighbours.get(child, []) if other not in seen]
            waiting += [(child, other) for other in near]
            seen.update(near)
    return found


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
