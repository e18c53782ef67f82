"""Which pairs of attributes are worth measuring: noisy strengths, and from these the pairs of least expected error.

The strength of a pair is the sum over its cells of |count - product|. The product of its noisy margins is rounded to
whole numbers before the data are looked at again, so it is fixed, and one record changes the strength by one exactly.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from discreet.transforms.axis import Floats
from discreet.transforms.strengths import likely_strengths

#: no product is larger than this, all its cells together, so that strengths fit 64 bits
_MOST = 1 << 60
#: pairs are tried in falling order of strength / cells to this power
_POWER = 0.6
#: by how much noise in cells is feared more than it hurts after all that is done about it: what was left out costs
#: pairs that follow from it, too
_FEAR = 1.5


def whole_product(product: Floats) -> NDArray[np.int64]:
    """Flat, rounded to whole numbers that can be added up."""
    return np.minimum(np.rint(product.reshape(-1)), _MOST // product.size).astype(np.int64)


def strength(exact: NDArray[np.int64], product: NDArray[np.int64]) -> int:
    """How far a table is from the product; in whole numbers, for noise comes next."""
    from discreet.noise.count_bounds import LARGEST_COUNT

    return min(int(np.abs(exact - product).sum()), LARGEST_COUNT)


def worth_measuring(
    noisy: NDArray[np.int64], cells: NDArray[np.int64], variance: float, left: float, records: float
) -> list[int]:
    """The pairs that leave the least error, one at least, if they share `left` (a sum of 1 / scale) evenly.

    A pair that is left out costs its strength S; with noise whose absolute values add up to e, it costs S e / (S + e).
    """
    likely = np.maximum(likely_strengths(noisy, variance, 2 * records), 1e-9)
    order = np.argsort(-likely / cells**_POWER, kind="stable")
    ordered, sizes = likely[order], cells[order]
    after = ordered.sum() - np.cumsum(ordered)
    errors = [
        float((ordered[:count] * (noise := _FEAR * sizes[:count] * count / left) / (ordered[:count] + noise)).sum())
        for count in range(1, order.size + 1)
    ]
    best = int(np.argmin(np.array(errors) + after)) + 1
    return sorted(order[:best].tolist())
