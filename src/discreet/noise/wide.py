"""Integers wider than 64 bits in arrays: rows of uint32 limbs, least significant first, and Python integers."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray


def limbs_for(size: int) -> int:
    """How many limbs hold every integer up to and including `size`, an even number so that pairs make words."""
    return 2 * max(1, -(-size.bit_length() // 64))


def to_limbs(values: Any, limbs: int) -> NDArray[np.uint32]:
    """Non-negative integers (any integer array, or objects) as rows of limbs."""
    raw = b"".join([int(value).to_bytes(4 * limbs, "little") for value in values])
    return np.frombuffer(raw, "<u4").reshape(-1, limbs).astype(np.uint32)


def to_integers(rows: NDArray[np.uint32]) -> NDArray[Any]:
    """Rows of limbs as an object array of Python integers."""
    words = np.ascontiguousarray(rows).astype("<u4", copy=False).view("<u8")
    result = words[:, -1].astype(object)
    for column in range(words.shape[1] - 2, -1, -1):
        result = (result << 64) | words[:, column].astype(object)
    return result


def merged_order(first: NDArray[Any], second: NDArray[Any]) -> NDArray[np.int64]:
    """The order that sorts two rising sequences laid end to end; both int64, or both rows of limbs."""
    if first.ndim == 1:
        return np.argsort(np.concatenate([first, second]), kind="stable")
    rows = np.concatenate([first, second])
    return np.lexsort(tuple(rows[:, limb] for limb in range(rows.shape[1])))
