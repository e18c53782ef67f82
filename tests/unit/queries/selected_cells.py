"""How many cells a selection covers, counted product by product."""

from __future__ import annotations

import math
from collections.abc import Sequence

from discreet.queries.selection import Selection


def cells_of(selection: Selection, sizes: Sequence[int]) -> int:
    """Exactly, also far beyond 64 bits."""
    everything, total = math.prod(sizes), 0
    for product in selection.products:
        cells = everything
        for attribute, intervals in product.items():
            cells = cells // sizes[attribute] * sum(last - first + 1 for first, last in intervals)
        total += cells
    return total
