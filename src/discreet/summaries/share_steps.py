"""What `even-shares` measures: noisy sums to which each user adds a bounded weight."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray

from discreet.numbers import written
from discreet.privacy import as_text

Ints = NDArray[np.int64]

_MOST_UNITS = 1 << 24
_MOST_BINS = 64
#: so that sums of bins fit 64 bits
_MOST_COUNT = 1 << 55


@dataclass(frozen=True, eq=False)
class Weighed:
    """Noisy sums of weights: a record weighs `units`, and all records of a user at most bound * units."""

    values: Ints
    scale: Fraction
    bound: int = 1
    units: int = 1

    @property
    def spread(self) -> float:
        """The scale of the noise, in records."""
        return float(self.scale / self.units)

    def facts(self) -> dict[str, Any]:
        return {"scale": as_text(self.scale), "bound": self.bound, "units": self.units}

    @classmethod
    def read(cls, facts: Mapping[str, Any], values: Any, most: int) -> Weighed:
        bound, units = written.whole(facts, "bound", 1, most), written.whole(facts, "units", 1, _MOST_UNITS)
        return cls(values, written.scale(facts["scale"]), bound, units)


@dataclass(frozen=True, eq=False)
class Corrections:
    """What was measured to make up for weights that were bounded.

    `bins`: users by the number of their records (see `item_sizes`); `total`: one number, of all records; `head`: a
    second look at the items `heads`.
    """

    bins: Weighed
    total: Weighed
    heads: Ints
    head: Weighed

    def facts(self) -> dict[str, Any]:
        return {
            "users by records": {**self.bins.facts(), "counts": self.bins.values.tolist()},
            "total": {**self.total.facts(), "count": int(self.total.values[0])},
            "head": {**self.head.facts(), "items": self.heads.tolist(), "counts": self.head.values.tolist()},
        }

    @classmethod
    def read(cls, facts: Mapping[str, Any], items: int, most: int) -> Corrections:
        said = [facts[name] for name in ("users by records", "total", "head")]
        counts = [_counts(said[0]["counts"]), _counts([said[1]["count"]]), _counts(said[2]["counts"])]
        bins, total, head = (Weighed.read(one, column, most) for one, column in zip(said, counts, strict=True))
        heads = _counts(said[2]["items"])
        if bins.values.size != (most - 1).bit_length() + 1 or bins.values.size > _MOST_BINS:
            raise ValueError("users by records has another number of bins than there are")
        if heads.size != head.values.size or not 0 < heads.size == np.unique(heads).size:
            raise ValueError("the head needs one count for each of its items")
        if heads.min() < 0 or heads.max() >= items:
            raise ValueError("the head has an item that the schema lacks")
        return cls(bins, total, heads, head)


def _counts(found: Any) -> Ints:
    if not isinstance(found, list):
        raise ValueError("counts must be a list of whole numbers")
    numbers = [written.whole({"count": one}, "count", -_MOST_COUNT, _MOST_COUNT) for one in found]
    return np.array(numbers, np.int64)
