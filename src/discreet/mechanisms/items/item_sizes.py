"""What follows from a noisy histogram of records per user: how many records of a user count, and in what units.

Bin 0 has the users of one record, bin j those of 2**(j - 1) + 1 to 2**j. Noisy numbers in, nothing else.
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

Ints = NDArray[np.int64]
Floats = NDArray[np.float64]

#: users above a bin are believed if they are more than so many standard deviations of their noise
_STANDS_OUT = 3
#: the chance that any empty bin looks as if it had users
_BY_CHANCE = 1e-3
#: where noise is more than so many times the average weight of an item, some items are looked at twice: one in so many,
#: and no more than so many
_HIDDEN, _ONE_IN, _MOST_LISTED = 2, 8, 4096
#: the same where only the largest are wanted, who must stand out of all others; then also so many for each that is
#: wanted, unless these are more than one in so many
_HIDDEN_TOP, _FOR_EACH, _MOST_OF = 0.5, 3, 3
#: up to which part of the users' average number of items selecting is better than ranking those that are listed
_SELECTED = 0.4
#: units for each record of the largest users
_LEAST_UNITS = 16
#: so that sums over 2**38 records fit 64 bits
_MOST_UNIT_BITS = 24


def number_of_bins(most: int) -> int:
    """For users of up to so many records."""
    return (most - 1).bit_length() + 1


def clear_bins(histogram: Ints, scale: float) -> Floats:
    """The histogram up to the first bin above which all others may be noise; nothing above, none negative.

    From the bottom up and on sums: an empty far bin that looks full by chance must not make users of very many records
    appear. A bin that stands out by itself is believed, however many empty ones there are beside it.
    """
    above = _above(histogram)
    noise = _STANDS_OUT * scale * np.sqrt(2.0 * np.arange(histogram.size - 1, -1, -1))
    full = np.flatnonzero(histogram > scale * math.log(histogram.size / (2 * _BY_CHANCE)))
    last = max(int(np.flatnonzero(above <= noise)[0]), int(full[-1]) if full.size else 0)
    return np.where(np.arange(histogram.size) <= last, np.maximum(histogram, 0), 0).astype(np.float64)


def weight_of_users(clear: Floats, most: int) -> int:
    """How many records' weight a user may have in all: half of the median of records per user, at least 1."""
    running = np.cumsum(clear)
    half = float(running[-1]) / 2
    place = int(np.searchsorted(running, half)) if half > 0 else 0
    if place == 0:
        return 1
    low = 1 << (place - 1)  # the bin has as many numbers, taken to be equally common
    median = low + low * float((half - running[place - 1]) / clear[place])
    return min(max(math.ceil(median / 2), 1), most)


def units_for(bound: int, most: int) -> int:
    """Into how many units a record's weight is divided, a power of two.

    So many that a user of `most` records still gives 16 of them to each: rounding down takes less than a 16th.
    """
    wanted = -(-_LEAST_UNITS * most // bound)
    return 1 << min(max((wanted - 1).bit_length(), _LEAST_UNITS.bit_length() - 1), _MOST_UNIT_BITS)


def most_change(most: int) -> int:
    """The largest product of a bound and its units."""
    return 2 * _LEAST_UNITS * most


def bound_of_total(clear: Floats, scale: float, most: int) -> int:
    """A power of two above which there are so few users that doubling it would add more noise than records.

    `scale` is that of the noise of a total in which a user counts once.
    """
    place = int(np.flatnonzero(_above(clear) <= math.sqrt(2) * scale)[0])
    return min(1 << place, most)


def bound_of_head(share: float, total_bound: int) -> int:
    """Twice what a user of as many records as count in the total has in the head, of this share of all; at least 2."""
    return min(max(math.ceil(2 * share * total_bound), 2), total_bound)


def items_of_users(clear: Floats) -> float:
    """How many records users have on average."""
    return float((clear * _usual_records(clear.size)).sum() / clear.sum())


def listed_items(clear: Floats, weight: int, scale: float, items: int, fewest: int) -> int:
    """How many items deserve half of what items have, for noise of this scale hides most of them; 0 if it does not.

    A user's weight is then shared by the records in these alone, and there is less to hide. `scale` is that of a count
    to which a user adds up to 1, and `fewest` the least number that is worth it.
    """
    listed = min(items // _ONE_IN, _MOST_LISTED)
    return listed if listed >= fewest and _noise(clear, weight, scale, items) > _HIDDEN else 0


def listed_for_top(clear: Floats, weight: int, scale: float, items: int, fewest: int, wanted: int) -> int:
    """The same where so many of the largest are wanted, and nothing else."""
    listed = max(min(items // _ONE_IN, _MOST_LISTED), _FOR_EACH * wanted, fewest)
    return listed if listed * _MOST_OF <= items and _noise(clear, weight, scale, items) > _HIDDEN_TOP else 0


def _noise(clear: Floats, weight: int, scale: float, items: int) -> float:
    """The scale of the noise of items, in average weights of one."""
    kept = float((clear * np.minimum(_usual_records(clear.size), weight)).sum())
    return weight * scale * items / max(kept, 1e-9)


def selecting_is_better(clear: Floats, wanted: int, *, listed: bool) -> bool:
    """Selecting k has noise of k / epsilon, ranking that of the users' average number of items, or about.

    Ranking has less where some items are listed, for users have fewer of these.
    """
    return wanted <= (_SELECTED if listed else 1) * items_of_users(clear)


def weight_in_list(weight: int, listed: int, items: int) -> int:
    """How many records' weight a user may have among those listed, as many as among others."""
    return -(-weight * listed // items)


def _usual_records(bins: int) -> Floats:
    """Of users in each bin: about three quarters of the most."""
    ends = np.ldexp(1.0, np.arange(bins))
    ends[2:] *= 0.75
    return ends


def stands_out(clear: Floats, scale: float) -> bool:
    """Whether there are clearly any users at all."""
    return float(clear.sum()) > _STANDS_OUT * math.sqrt(2) * scale


def _above(histogram: NDArray[np.float64] | Ints) -> NDArray[np.float64]:
    """Of each bin the users of all higher ones."""
    return np.append(np.cumsum(histogram[::-1])[::-1][1:], 0).astype(np.float64)
