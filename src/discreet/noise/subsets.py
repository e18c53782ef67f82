"""Uniform integers and uniform subsets without replacement, exact, for ranges of any size."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from discreet.errors import BadParameter
from discreet.noise.source import Stream
from discreet.noise.wide import to_integers


def integers(size: int, count: int, stream: Stream) -> NDArray[Any]:
    """`count` independent uniform draws from range(size): int64, or Python integers where 63 bits end.

    Takes as many bits as size - 1 has, and draws again whatever is not below `size`: at most half is lost.
    """
    if size < 1 or count < 0:
        raise BadParameter(f"cannot draw {count} numbers from a range of {size} items")
    bits = (size - 1).bit_length()
    kept: list[NDArray[Any]] = []
    missing = count
    while missing > 0:
        drawn = _bits(bits, 2 * missing if size & (size - 1) else missing, stream)
        drawn = drawn[drawn < size][:missing]
        kept.append(drawn)
        missing -= drawn.size
    empty = np.empty(0, np.int64 if bits < 64 else object)
    return np.concatenate(kept) if kept else empty


def _bits(bits: int, count: int, stream: Stream) -> NDArray[Any]:
    words = np.empty((count, max(1, -(-bits // 64))), np.uint64)
    stream.fill(words)
    if bits < 64:
        return (words[:, 0] >> np.uint64(64 - bits)).astype(np.int64) if bits else np.zeros(count, np.int64)
    words[:, -1] >>= np.uint64(64 * words.shape[1] - bits)
    return to_integers(words.view(np.uint32))


def subset(size: int, count: int, stream: Stream) -> NDArray[Any]:
    """A uniformly random `count` of range(size), rising.

    The first `count` *different* values of a sequence of uniform draws are such a subset; more than half of
    the range is the complement of one.
    """
    if not 0 <= count <= size:
        raise BadParameter(f"cannot choose {count} of {size} items without replacement")
    if 2 * count > size:
        return np.delete(np.arange(size, dtype=np.int64), subset(size, size - count, stream))
    drawn = integers(size, count, stream) if count else integers(max(size, 1), 0, stream)
    while True:
        values, first_seen = np.unique(drawn, return_index=True)
        if values.size >= count:
            earliest = np.argsort(first_seen, kind="stable")[:count]
            return np.sort(values[earliest])
        drawn = np.concatenate([drawn, integers(size, 2 * (count - values.size) + 8, stream)])


def rising(values: NDArray[np.int64], stream: Stream) -> NDArray[np.int64]:
    """Indices that put the values in rising order, equal ones in an order that is uniformly random."""
    order, words = np.arange(values.size), np.empty((0, values.size), np.uint64)
    if not values.size:
        return order
    low, high = int(values.min()), int(values.max())
    spare = 64 - (high - low).bit_length()
    drawn = np.empty(values.size, np.uint64)
    stream.fill(drawn)
    if spare >= 24:  # one key of value and random bits, which sorts fastest
        keys = drawn >> np.uint64(64 - spare) if spare < 64 else drawn
        if spare < 64:
            keys |= (values - low).view(np.uint64) << np.uint64(spare)
        order = np.argsort(keys, kind="quicksort")
    else:
        keys = drawn
        order = np.lexsort((drawn, values))
    while True:  # those that tie in all bits so far get more
        ahead = np.flatnonzero((keys[order[1:]] == keys[order[:-1]]) & (values[order[1:]] == values[order[:-1]]))
        if words.size and ahead.size:
            same = np.all(words[:, order[ahead + 1]] == words[:, order[ahead]], axis=0)
            ahead = ahead[same]
        if not ahead.size:
            return order
        tied = np.unique(np.concatenate([ahead, ahead + 1]))
        more = np.zeros((1, values.size), np.uint64)
        fresh = np.empty(tied.size, np.uint64)
        stream.fill(fresh)
        more[0, order[tied]] = fresh
        words = np.concatenate([words, more])
        rows = order[tied]
        order[tied] = rows[np.lexsort((*words[::-1][:, rows], keys[rows], values[rows]))]
