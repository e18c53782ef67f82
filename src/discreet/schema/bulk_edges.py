"""Edges of many bins at once, exactly as an attribute gives them one by one."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from discreet.schema.ordinal import Ordinal

#: floats hold every whole number up to it, so that a quotient of two such numbers is rounded once, as Python's is
_EXACT = 2**53


def edges_at(attribute: Ordinal, places: NDArray[np.int64]) -> NDArray[np.int64] | NDArray[np.float64] | None:
    """Edge number `places[i]`, as `edges_array` has it, of domains of any size; None where floats are not exact."""
    ticks, per_one = attribute._ticks, attribute._per_one
    if attribute.kind == "real" and max(abs(ticks[0]), abs(ticks[-1]), per_one) > _EXACT:
        return None
    if isinstance(ticks, range):
        found = ticks.start + places * np.int64(ticks.step)
    else:
        found = np.array(ticks, np.int64)[places]
    return found / per_one if attribute.kind == "real" else found


def bins_from(attribute: Ordinal, starts: NDArray[np.int64] | NDArray[np.float64]) -> NDArray[np.int64]:
    """The bins that may start there: right if one does, else any number."""
    ticks, per_one = attribute._ticks, attribute._per_one
    if not isinstance(ticks, range):
        edges = attribute.edges_array()
        return np.searchsorted(edges, starts)
    if attribute.kind != "real":
        return (starts.astype(np.int64) - ticks.start) // ticks.step
    with np.errstate(over="ignore"):
        found = np.rint((starts * per_one - ticks.start) / ticks.step)
    return np.where((found >= 0) & (found < len(ticks)), found, -1).astype(np.int64)  # others may not fit 64 bits
