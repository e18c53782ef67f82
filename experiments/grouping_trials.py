"""Runs of the methods for items on histories that are in memory, and how far their counts are off.

The bound on a user's items is the true maximum, as in grouping-smoothing, where it is public. So all is kept of every
user, and only a sample has to be drawn anew in every run.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from hashlib import sha256
from typing import Any

import numpy as np
from numpy.typing import NDArray

from discreet.mechanisms import Request, mechanism_for
from discreet.mechanisms.items.item_method import ItemMethod
from discreet.noise import Noise, SeededSource
from discreet.privacy import Unit
from discreet.private.kept import Ints, Kept
from discreet.schema import Ordinal, Schema
from discreet.tasks import Items
from experiments.item_data import Histories

#: the paper's epsilons: 0.1, ln 2 and ln 3
EPSILONS = (Fraction("0.1"), Fraction("0.693"), Fraction("1.099"))
#: the paper's sanity bound is this part of the rows
SANITY = Fraction(1, 1000)
SEED = 20_121

Floats = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Case:
    """Users who have each item at most once: those of user u are items[starts[u]:starts[u + 1]]."""

    name: str
    starts: Ints
    items: NDArray[np.int32]
    counts: Ints
    synthetic: bool

    @classmethod
    def of(cls, found: Histories) -> Case:
        starts, items = found.starts, found.items
        if not found.synthetic:  # made-up users have no item twice here
            words = np.unique(found.users * found.item_count + items)
            starts = np.concatenate([[0], np.cumsum(np.bincount(words // found.item_count))])
            items = words % found.item_count
        counts = np.bincount(items, minlength=found.item_count)
        return cls(found.name, starts, items.astype(np.int32), counts, found.synthetic)

    @property
    def users(self) -> int:
        return self.starts.size - 1

    @property
    def bound(self) -> int:
        return int(np.diff(self.starts).max())

    @property
    def unit(self) -> Unit:
        return Unit("user", max_rows=self.bound)

    @property
    def schema(self) -> Schema:
        return Schema({"item": Ordinal(0, self.counts.size - 1)})

    def kept(self, most: int, *, distinct: bool, scores: Floats | None, salt: bytes) -> Kept:
        """As `Histories` of the mechanisms asks for it."""
        if most < self.bound or not distinct or scores is not None:
            raise ValueError("these histories are for counting users, with nothing left out")
        return Whole(self, salt)

    def errors(self, values: NDArray[Any]) -> tuple[float, float]:
        """Mean absolute and mean relative error."""
        off = np.abs(values - self.counts)
        return float(off.mean()), float((off / np.maximum(self.counts, float(self.users * SANITY))).mean())


class Whole(Kept):
    """Everything is kept; which item of a user comes first is chance, from the salt."""

    def __init__(self, case: Case, salt: bytes) -> None:
        self.sizes, self._case, self._salt = (case.counts.size,), case, salt

    @property
    def users(self) -> int:
        return self._case.users

    def table(self, first: int, chosen: NDArray[np.bool_] | None = None) -> Ints:
        case = self._case
        if chosen is None and first >= case.bound:
            return case.counts
        numbers = np.diff(case.starts)
        if first == 1 and chosen is None:
            words = np.empty(case.users, np.uint64)
            SeededSource(int.from_bytes(self._salt, "little")).stream().fill(words)
            places = case.starts[:-1] + ((words >> np.uint64(11)) * 2.0**-53 * numbers).astype(np.int64)
            return self._counted(case.items[places[numbers > 0]])
        if first >= case.bound and chosen is not None:
            mine = [case.items[case.starts[user] : case.starts[user + 1]] for user in np.flatnonzero(chosen)]
            return self._counted(np.concatenate([np.empty(0, np.int32), *mine]))
        raise ValueError("either one item of a user counts, or all")

    def numbers(self, most: int) -> Ints:
        return np.bincount(np.minimum(np.diff(self._case.starts), most), minlength=most + 1)

    def pairs(self, first: int, *, directed: bool) -> Ints:
        raise ValueError("the paper has no pairs of items")

    def _counted(self, items: NDArray[np.int32]) -> Ints:
        return np.bincount(items, minlength=self.sizes[0])


@dataclass(frozen=True)
class Run:
    """What one run of a method gave: errors by both measures, and what it says of its groups."""

    absolute: float
    relative: float
    facts: dict[str, Any]


def mechanism(case: Case, method: str, epsilon: Fraction, parameters: dict[str, Any]) -> ItemMethod:
    task = Items("item", method=method, count="users", **parameters)
    made = mechanism_for(task, Request(case.schema, case.unit, epsilon, task.asked()))
    assert isinstance(made, ItemMethod)
    return made


def run(case: Case, method: str, epsilon: Fraction, noise: Noise, **parameters: Any) -> Run:
    summary: Any = mechanism(case, method, epsilon, parameters).measure(case, noise)
    if method == "lpa":
        return Run(*case.errors(summary.parts[0].values), {})
    part = summary.parts[0]
    return Run(*case.errors(part.values), part.facts())


def noise_for(*what: object) -> Noise:
    """Noise that is the same whenever the same is asked for."""
    text = "|".join(str(one) for one in (SEED, *what))
    return Noise(SeededSource(int.from_bytes(sha256(text.encode()).digest()[:8], "little")))


def mean_and_error(values: list[float]) -> list[float]:
    """The mean and its standard error, to six digits."""
    spread = float(np.std(values, ddof=1)) / len(values) ** 0.5 if len(values) > 1 else 0.0
    return [float(f"{number:.6g}") for number in (float(np.mean(values)), spread)]
