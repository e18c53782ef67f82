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


def bins_facts(bins: Weighed) -> dict[str, Any]:
    return {**bins.facts(), "counts": bins.values.tolist()}


def read_bins(facts: Mapping[str, Any], most: int) -> Weighed:
    """Users by the number of their records, of up to `most` (see `item_sizes`)."""
    bins = Weighed.read(facts, _counts(facts["counts"]), most)
    if bins.values.size != (most - 1).bit_length() + 1 or bins.values.size > _MOST_BINS:
        raise ValueError("users by records has another number of bins than there are")
    return bins


@dataclass(frozen=True, eq=False)
class Again:
    """A second look at some items, by their codes; users share their weight among these alone."""

    codes: Ints
    weights: Weighed

    def facts(self) -> dict[str, Any]:
        return {**self.weights.facts(), "items": self.codes.tolist(), "counts": self.weights.values.tolist()}

    @classmethod
    def read(cls, facts: Mapping[str, Any], what: str, items: int, most: int) -> Again:
        codes, counts = _counts(facts["items"]), _counts(facts["counts"])
        if codes.size != counts.size or not 0 < codes.size == np.unique(codes).size:
            raise ValueError(f"the {what} needs one count for each of its items")
        if codes.min() < 0 or codes.max() >= items:
            raise ValueError(f"the {what} has an item that the schema lacks")
        return cls(codes, Weighed.read(facts, counts, most))


@dataclass(frozen=True, eq=False)
class Corrections:
    """What was measured to make up for weights that were bounded.

    `bins`: users by the number of their records (see `item_sizes`); `total`: one number, of all records; `head`: a
    second look at the items `heads`; `listed`: one at many items, where noise hides most of them.
    """

    bins: Weighed
    total: Weighed
    heads: Ints
    head: Weighed
    listed: Again | None = None

    def facts(self) -> dict[str, Any]:
        found = {
            "users by records": bins_facts(self.bins),
            "total": {**self.total.facts(), "count": int(self.total.values[0])},
            "head": Again(self.heads, self.head).facts(),
        }
        return found if self.listed is None else {**found, "listed": self.listed.facts()}

    @classmethod
    def read(cls, facts: Mapping[str, Any], items: int, most: int) -> Corrections:
        bins, whole = read_bins(facts["users by records"], most), facts["total"]
        total = Weighed.read(whole, _counts([whole["count"]]), most)
        head = Again.read(facts["head"], "head", items, most)
        listed = Again.read(facts["listed"], "list", items, most) if "listed" in facts else None
        return cls(bins, total, head.codes, head.weights, listed)


def _counts(found: Any) -> Ints:
    if not isinstance(found, list):
        raise ValueError("counts must be a list of whole numbers")
    numbers = [written.whole({"count": one}, "count", -_MOST_COUNT, _MOST_COUNT) for one in found]
    return np.array(numbers, np.int64)
