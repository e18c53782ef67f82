"""What may be noised: whole numbers, far enough from the ends of 64 bits."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from discreet.errors import BadParameter, CountOverflow
from discreet.kernels.jit import Ints

#: counts up to here may be noised; noisy counts are clamped to the same bound
LARGEST_COUNT = (1 << 61) - 1
#: noisy answers may be as far from their counts before noise is taken down
LARGEST_DISTANCE = 1 << 58


def paired(noisy: NDArray[Any], exact: NDArray[Any]) -> tuple[Ints, Ints]:
    """Noisy and exact counts of one shape, near enough to each other for 64-bit arithmetic."""
    noisy, exact = check_counts(noisy), check_counts(exact)
    if noisy.shape != exact.shape:
        raise BadParameter(f"there are {noisy.shape} noisy answers for {exact.shape} counts")
    if noisy.size and int(np.abs(noisy - exact).max()) >= LARGEST_DISTANCE:
        raise CountOverflow("a noisy answer is too far from its count for 64-bit arithmetic")
    return noisy, exact


def check_counts(counts: NDArray[Any]) -> Ints:
    """Integer counts within +-LARGEST_COUNT, as int64; anything else is refused, without showing it."""
    array = np.asarray(counts)
    if array.dtype.kind not in "iu":
        raise BadParameter(f"counts must be whole numbers in an integer array, not {array.dtype}")
    if array.size and (int(array.max()) > LARGEST_COUNT or int(array.min()) < -LARGEST_COUNT):
        raise CountOverflow("a count is beyond +-2**61, too large for noise to be added in 64 bits")
    return array.astype(np.int64, copy=False)
