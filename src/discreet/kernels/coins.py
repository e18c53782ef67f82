"""Which of many coins fall heads, as far as floats can prove it."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from discreet.kernels.jit import kernel

#: 2**12 times every rounding that is made
_MARGIN = 2.0**-40


@kernel
def toss(
    sizes: NDArray[np.int64],
    limit: float,
    inverse: bool,
    words: NDArray[np.uint64],
    heads: NDArray[np.bool_],
    near: NDArray[np.int32],
) -> int:
    """heads[i] = U < |size| / limit, or limit / |size|, for U = 0.word; lists the i that this does not prove."""
    found = 0
    for i in range(sizes.size):
        size, uniform = np.float64(abs(sizes[i])), np.float64(words[i]) * 2.0**-64
        threshold = limit / size if inverse else size / limit
        heads[i] = uniform < threshold
        near[found] = i
        found += int(abs(uniform - threshold) <= _MARGIN * (1.0 + threshold))
    return found
