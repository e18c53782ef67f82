"""Users who have each item at most once, in memory, with the true counts.

The bound on a user's items is the true maximum, as in grouping-smoothing, where it is public. So all is kept of every
user, and only a sample has to be drawn anew in every run.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray

from discreet.privacy import Unit
from discreet.private.kept import Ints, Kept
from discreet.schema import Ordinal, Schema
from experiments.shared.chance import Dice, Floats
from experiments.shared.item_histories import ItemHistories
from experiments.shared.records import short

#: the paper's sanity bound is this part of the rows
SANITY = Fraction(1, 1000)


@dataclass(frozen=True, eq=False)
class UserItems:
    """Users who have each item at most once: those of user u are items[starts[u]:starts[u + 1]]."""

    name: str
    starts: Ints
    items: NDArray[np.int32]
    counts: Ints
    synthetic: bool

    @classmethod
    def of(cls, found: ItemHistories) -> UserItems:
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
    def mean(self) -> str:
        """Items per user, as one would give it: three digits."""
        return f"{max(short(self.counts.sum() / self.users, 3), 1.0):g}"

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
        return AllKept(self, salt)

    def errors(self, values: NDArray[Any]) -> tuple[float, float]:
        """Mean absolute and mean relative error."""
        off = np.abs(values - self.counts)
        return float(off.mean()), float((off / np.maximum(self.counts, float(self.users * SANITY))).mean())


class AllKept(Kept):
    """Everything is kept; which item of a user comes first is chance, from the salt."""

    def __init__(self, case: UserItems, salt: bytes) -> None:
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
            places = case.starts[:-1] + Dice(int.from_bytes(self._salt, "little")).below(numbers)
            return self._counted(case.items[places[numbers > 0]])
        if first >= case.bound and chosen is not None:
            mine = [case.items[case.starts[user] : case.starts[user + 1]] for user in np.flatnonzero(chosen)]
            return self._counted(np.concatenate([np.empty(0, np.int32), *mine]))
        raise ValueError("either one item of a user counts, or all")

    def bins(self, count: int) -> Ints:
        raise ValueError("the paper has no histogram of users")

    def shares(self, bound: int, whole: int, places: Ints) -> Ints:
        raise ValueError("the paper has no weights of records")

    def pairs(self, first: int, *, directed: bool) -> Ints:
        raise ValueError("the paper has no pairs of items")

    def _counted(self, items: NDArray[np.int32]) -> Ints:
        return np.bincount(items, minlength=self.sizes[0])
