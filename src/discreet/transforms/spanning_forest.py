"""Which pairs of attributes tell most of each other, and the forest of the strongest of them."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from discreet.transforms.axis import Floats

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


def spanning_forest(count: int, strengths: Mapping[tuple[int, int], float]) -> list[tuple[int | None, int]]:
    """The forest over 0 to count - 1 of the greatest strength: (parent, child), parents first; a root has none."""
    group = list(range(count))
    near: list[list[int]] = [[] for _ in range(count)]
    for one, other in sorted(strengths, key=lambda pair: (-strengths[pair], pair)):
        mine, theirs = group[one], group[other]
        if mine != theirs:
            near[one].append(other)
            near[other].append(one)
            group = [mine if number == theirs else number for number in group]
    found: list[tuple[int | None, int]] = []
    seen: set[int] = set()
    for root in range(count):
        waiting: list[tuple[int | None, int]] = [(None, root)] if root not in seen else []
        seen.add(root)
        while waiting:
            parent, child = waiting.pop(0)
            found.append((parent, child))
            waiting += [(child, other) for other in near[child] if other not in seen]
            seen.update(near[child])
    return found
