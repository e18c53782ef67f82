"""Which trees of blocks are measured, how they divide the attributes, and how epsilon is shared: from public facts.

The trees: one over all attributes, and one for each single attribute where there are several, for roll-ups. The number
of records that the plan counts on is a public guess, or the noisy total that is bought first.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction

from discreet.schema import Attribute, Nominal, Schema
from discreet.transforms.block_tree import TreePlan
from discreet.transforms.partitions import EvenParts, HierarchyParts, Partition

#: parts of a block along one attribute, where nothing speaks for another number
FANOUT = 8
_GRAIN = 1 << 10


def even_widths(size: int, fanout: float = FANOUT) -> list[int]:
    """Widths of blocks, falling to 1, in about equal steps of about this fan-out."""
    steps = max(1, round(math.log(size, fanout))) if size > 1 else 1
    step = max(2, math.ceil(round(size ** (1 / steps), 9)))
    return [step**k for k in range(steps - 1, -1, -1)]


def steps_of(attribute: Attribute, fanout: float = FANOUT) -> list[Partition]:
    """How the codes of one attribute are divided again and again, down to single ones."""
    special = attribute.special_codes
    first = [EvenParts(attribute.size, attribute.size, special)] if special else []
    if isinstance(attribute, Nominal) and attribute.depth > 1:
        return [*first, *(HierarchyParts(attribute, depth, 1, special) for depth in range(1, attribute.depth + 1))]
    return [*first, *(EvenParts(attribute.size, width, special) for width in even_widths(attribute.size, fanout))]


def shares_of(weights: Sequence[float], total: Fraction) -> tuple[Fraction, ...]:
    """Fractions in proportion to the weights, to about a thousandth, that add up to the total exactly."""
    scale = sum(weights)
    parts = [max(1, round(_GRAIN * weight / scale)) for weight in weights]
    return tuple(total * Fraction(part, sum(parts)) for part in parts)


@dataclass(frozen=True)
class Sharing:
    """What of epsilon goes to the total, and to the trees of single attributes together."""

    total: Fraction
    singles: Fraction

    @property
    def joint(self) -> Fraction:
        return 1 - self.total - self.singles


def trees(schema: Schema, sharing: Sharing, rows: float) -> list[TreePlan]:
    """The tree of all attributes first."""
    attributes = list(schema.values())
    if len(attributes) == 1:
        return [_single(0, attributes[0], 1 - sharing.total)]
    each = sharing.singles / len(attributes)
    return [
        _joint(attributes, sharing.joint),
        *(_single(place, attribute, each) for place, attribute in enumerate(attributes)),
    ]


def _single(place: int, attribute: Attribute, share: Fraction) -> TreePlan:
    levels = [(partition,) for partition in steps_of(attribute)]
    return TreePlan((place,), (attribute.size,), tuple(levels), shares_of([1.0] * len(levels), share))


def _joint(attributes: list[Attribute], share: Fraction) -> TreePlan:
    chains = [steps_of(attribute, 4) for attribute in attributes]
    longest = max(map(len, chains))
    levels = [
        tuple(chain[max(0, len(chain) - longest + k)] for chain in chains) for k in range(longest)
    ]
    sizes = tuple(attribute.size for attribute in attributes)
    return TreePlan(tuple(range(len(sizes))), sizes, tuple(levels), shares_of([1.0] * longest, share))
