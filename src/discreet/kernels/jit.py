"""How kernels are compiled: cached where the machine has a place for it, else anew in every process."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar, cast

import numba
import numpy as np
from numpy.typing import NDArray

Function = TypeVar("Function", bound=Callable[..., Any])

#: the arrays that kernels read and fill
Ints = NDArray[np.int64]
Floats = NDArray[np.float64]
Marks = NDArray[np.bool_]
Words = NDArray[np.uint64]
Limbs = NDArray[np.uint32]


def kernel(function: Function) -> Function:
    """Compile on first use, without the interpreter lock."""
    try:
        return cast(Function, numba.njit(cache=True, nogil=True)(function))
    except RuntimeError:  # numba found no folder it may write to
        return cast(Function, numba.njit(nogil=True)(function))
