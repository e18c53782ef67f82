"""Integers wider than 64 bits in arrays: rows of uint32 limbs, least significant first, and Python integers."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from discreet.errors import BadParameter
from discreet.kernels.jit import Ints, Limbs


def to_limbs(values: Any, limbs: int) -> Limbs:
    """Non-negative integers (any integer array, or objects) as rows of limbs."""
    raw = b"".join([int(value).to_bytes(4 * limbs, "little") for value in values])
    return np.frombuffer(raw, "<u4").reshape(-1, limbs).astype(np.uint32)


def to_integers(rows: Limbs) -> NDArray[Any]:
    """Rows of limbs as an object array of Python integers."""
    words = np.ascontiguousarray(rows).astype("<u4", copy=False).view("<u8")
    result = words[:, -1].astype(object)
    for column in range(words.shape[1] - 2, -1, -1):
        result = (result << 64) | words[:, column].astype(object)
    return result


def same_form(first: NDArray[Any], second: NDArray[Any]) -> tuple[NDArray[Any], NDArray[Any]]:
    """Both as int64, or both as rows of equally many limbs: counts of cells and of empty ones may differ in width."""
    if first.ndim == second.ndim == 1:
        return _whole(first), _whole(second)
    width = max(array.shape[1] for array in (first, second) if array.ndim == 2)
    return _widened(first, width), _widened(second, width)


def _whole(array: NDArray[Any]) -> Ints:
    if array.dtype != np.int64:
        raise BadParameter(f"cells and ranks are int64 numbers or rows of limbs, not {array.dtype}")
    return array


def _widened(array: NDArray[Any], width: int) -> Limbs:
    rows = array if array.ndim == 2 else _whole(array).astype("<i8").view("<u4").reshape(-1, 2)
    if rows.shape[1] == width:
        return np.ascontiguousarray(rows, np.uint32)
    out = np.zeros((len(rows), width), np.uint32)
    out[:, : rows.shape[1]] = rows
    return out


def merged_order(before: Ints, count: int) -> Ints:
    """The order that sorts `count` old entries and new ones laid end to end; before[i] old ones precede the i-th."""
    new = np.zeros(count + before.size, np.bool_)
    new[before + np.arange(before.size)] = True
    order = np.empty(new.size, np.int64)
    order[~new] = np.arange(count)
    order[new] = np.arange(count, new.size)
    return order
