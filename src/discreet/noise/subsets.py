"""Uniform integers and uniform subsets without replacement, exact, for ranges of any size."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from discreet.errors import BadParameter
from discreet.kernels.jit import Ints, Words
from discreet.noise.source import Stream, words
from discreet.noise.wide import to_integers

#: with fewer, too many would tie
_LEAST_RANDOM_BITS = 20


def integers(size: int, count: int, stream: Stream) -> NDArray[Any]:
    """`count` independent uniform draws from range(size): int64, or Python integers where 63 bits end.

    Takes as many bits as size - 1 has, and draws again whatever is not below `size`: at most half is lost.
    """
    if size < 1 or count < 0:
        raise BadParameter(f"cannot draw {count} numbers from a range of {size} items")
    bits = (size - 1).bit_length()
    kept: list[NDArray[Any]] = [np.empty(0, np.int64 if bits < 64 else object)]
    missing = count
    while missing > 0:
        drawn = _bits(bits, 2 * missing if size & (size - 1) else missing, stream)
        drawn = drawn[drawn < size][:missing]
        kept.append(drawn)
        missing -= drawn.size
    return np.concatenate(kept)


def _bits(bits: int, count: int, stream: Stream) -> NDArray[Any]:
    drawn = words((count, max(1, -(-bits // 64))), stream)
    if bits < 64:
        return (drawn[:, 0] >> np.uint64(64 - bits)).astype(np.int64) if bits else np.zeros(count, np.int64)
    drawn[:, -1] >>= np.uint64(64 * drawn.shape[1] - bits)
    return to_integers(drawn.view(np.uint32))


def subset(size: int, count: int, stream: Stream) -> NDArray[Any]:
    """A uniformly random `count` of range(size), rising.

    The first `count` *different* values of a sequence of uniform draws are such a subset; more than half of
    the range is the complement of one.
    """
    if not 0 <= count <= size:
        raise BadParameter(f"cannot choose {count} of {size} items without replacement")
    if 2 * count > size:
        return np.delete(np.arange(size, dtype=np.int64), subset(size, size - count, stream))
    drawn = integers(max(size, 1), count, stream)
    while True:
        values, first_seen = np.unique(drawn, return_index=True)
        if values.size >= count:
            earliest = np.argsort(first_seen, kind="stable")[:count]
            return np.sort(values[earliest])
        drawn = np.concatenate([drawn, integers(size, 2 * (count - values.size) + 8, stream)])


def rising(values: Ints, stream: Stream) -> Ints:
    """Indices that put the values in rising order, equal ones in an order that is uniformly random."""
    size = values.size
    if not size:
        return np.empty(0, np.int64)
    low, place_bits = int(values.min()), (size - 1).bit_length()
    random_bits = 64 - (int(values.max()) - low).bit_length() - place_bits
    keys = words(size, stream)
    if random_bits < _LEAST_RANDOM_BITS:
        order = np.lexsort((keys, values))
        return _settled(order, [values.view(np.uint64)[order], keys[order]], stream)
    # value, random bits and place in one number: sorting numbers is far faster than sorting places by them
    keys >>= np.uint64(64 - random_bits)
    keys <<= np.uint64(place_bits)
    if random_bits + place_bits < 64:
        keys |= (values - low).view(np.uint64) << np.uint64(random_bits + place_bits)
    keys |= np.arange(size, dtype=np.uint64)
    keys.sort()
    order = (keys & np.uint64((1 << place_bits) - 1)).view(np.int64)
    keys >>= np.uint64(place_bits)
    return _settled(order, [keys], stream)


def _settled(order: Ints, keys: list[Words], stream: Stream) -> Ints:
    """The order with runs of equal keys, which are few, put in random order. `keys` stand in that order, too."""
    tied = np.ones(order.size - 1, np.bool_)
    for key in keys:
        tied &= key[1:] == key[:-1]
    while np.any(tied):
        ahead = np.flatnonzero(tied)
        places = np.unique(np.concatenate([ahead, ahead + 1]))
        run = np.cumsum(np.concatenate([[0], (~tied[places[1:] - 1] | (np.diff(places) > 1)).astype(np.int64)]))
        fresh = words(places.size, stream)
        by = np.lexsort((fresh, run))
        order[places] = order[places[by]]
        again = np.zeros_like(tied)  # still tied: the same run and the same fresh word
        same = (fresh[by][1:] == fresh[by][:-1]) & (run[1:] == run[:-1])
        again[places[1:][same] - 1] = True
        tied = again
    return order
