"""How `agreed` shares epsilon, from public facts and the number of records: all in exact fractions.

The hardness r of a request is the total variation that equal noise in all its tables would have: tables x mean cells /
(2 epsilon records). Constants were chosen on the census table with eight attributes and on a made-up one with twenty.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from fractions import Fraction

#: of epsilon, for a noisy total that the plan follows from
TOTAL_SHARE = Fraction(1, 50)
#: pairs are chosen where the hardness is this or more
HARD = 0.1
#: shares of one-way tables are in proportion to their cells to this power
SINGLES_POWER = Fraction(1, 3)
_LEAST_SINGLES, _MOST_SINGLES, _SLOPE = 0.1, 0.75, 0.3
_MOST_STRENGTHS = Fraction(1, 10)
_STEPS = 1000
_WEIGHT = 1 << 20


def hardness(cells: Sequence[int], budget: Fraction, records: float) -> float:
    """r; `budget` is the epsilon of one record."""
    return float(sum(cells) / (2 * budget)) / max(records, 1.0)


def by_cells(cells: Sequence[int], power: Fraction) -> list[Fraction]:
    """Shares that add up to 1, in proportion to cells to this power up to rounding."""
    weights = [max(round(_WEIGHT * (size / max(cells)) ** float(power)), 1) for size in cells]
    return [Fraction(weight, sum(weights)) for weight in weights]


def singles_share(hard: float) -> Fraction:
    """What one-way tables have, where pairs are chosen: more, the less is left to see of pairs."""
    wanted = _LEAST_SINGLES + _SLOPE * math.log10(1 + hard / HARD)
    return Fraction(round(_STEPS * min(wanted, _MOST_SINGLES)), _STEPS)


def strengths_share(singles: Fraction) -> Fraction:
    """What the strengths of all pairs together have."""
    return min(_MOST_STRENGTHS, singles / 2)
