"""What is kept of each user: the bounded private records, and the few counts that may be taken of them.

Private, so it never shows itself, and like `Counts` it names no value in a message.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from discreet.kernels.counting import Cells, add_bins, add_kept, add_pairs, add_shares
from discreet.private.counts import Counts, NeverShown

Ints = NDArray[np.int64]

_ALL = np.empty(0, np.bool_)


class Kept(NeverShown, ABC):
    """Records of users over cells of sizes (items, contexts, ...), each user's in random order or by a score.

    Adding or taking away one user changes `table(first)` by at most `first` in all, `bins` by one, `shares` by at most
    whole * bound in all, and the undirected `pairs(first)` by at most first * (first - 1) / 2, directed ones by twice
    that.
    """

    sizes: tuple[int, ...]

    @property
    @abstractmethod
    def users(self) -> int:
        """How many users there are."""

    @abstractmethod
    def table(self, first: int, chosen: NDArray[np.bool_] | None = None) -> Ints:
        """The counts of all cells, flat, of the first records of every user, or of every chosen one."""

    @abstractmethod
    def bins(self, count: int) -> Ints:
        """How many users have 1, 2, 3 to 4, 5 to 8, ... records; those beyond the last of `count` bins count in it."""

    @abstractmethod
    def shares(self, bound: int, whole: int, places: Ints) -> Ints:
        """Counts where a record adds `whole` to the count at its cell's place; -1 for cells that are left out.

        A user with more than `bound` such records adds an equal share of whole * bound for each, rounded down.
        """

    @abstractmethod
    def pairs(self, first: int, *, directed: bool) -> Ints:
        """items x items: users who have both (above the diagonal), or records of the second by users of the first."""


class Histories(Protocol):
    """Users' histories, as a mechanism sees them: each call of `kept` reads the data once."""

    def kept(self, most: int, *, distinct: bool, scores: NDArray[np.float64] | None, salt: bytes) -> Kept:
        """At most `most` records of each user: those of the highest scores, equal ones (or all) at random.

        With `distinct` a user counts once for an item, with one of the records of it, chosen at random.
        """


class KeptRecords(Kept):
    """words[starts[u]:starts[u + 1]] are the cells of user u's records."""

    def __init__(self, sizes: tuple[int, ...], starts: Ints, words: Cells) -> None:
        self.sizes, self._starts, self._words = sizes, starts, words

    @property
    def users(self) -> int:
        return self._starts.size - 1

    def table(self, first: int, chosen: NDArray[np.bool_] | None = None) -> Ints:
        table = np.zeros(int(np.prod(self.sizes)), np.int64)
        add_kept(self._starts, self._words, min(first, self._words.size), _ALL if chosen is None else chosen, table)
        return table

    def bins(self, count: int) -> Ints:
        table = np.zeros(count, np.int64)
        add_bins(self._starts, table)
        return table

    def shares(self, bound: int, whole: int, places: Ints) -> Ints:
        table = np.zeros(int(places.max()) + 1, np.int64)
        add_shares(self._starts, self._words, places, bound, whole, table)
        return table

    def pairs(self, first: int, *, directed: bool) -> Ints:
        items, contexts = self.sizes[0], int(np.prod(self.sizes[1:]))
        table = np.zeros((items, items), np.int64)
        add_pairs(self._starts, self._words // contexts, min(first, self._words.size), directed, table)
        return table


class CountedHistories(Kept):
    """Ready counts, where each record is a user of its own, or the bounds were kept by whoever counted."""

    def __init__(self, counts: Counts) -> None:
        self.sizes, self._counts = counts.sizes, counts

    def kept(self, most: int, *, distinct: bool, scores: NDArray[np.float64] | None, salt: bytes) -> Kept:
        """Whatever is asked for, these counts are all there is."""
        return self

    @property
    def users(self) -> int:
        return int(self._counts.counts.sum())

    def table(self, first: int, chosen: NDArray[np.bool_] | None = None) -> Ints:
        table = self._counts.dense().reshape(-1)
        if chosen is not None:
            owner = np.repeat(np.arange(table.size), table)
            table = np.bincount(owner[chosen], minlength=table.size).astype(np.int64)
        return table

    def bins(self, count: int) -> Ints:
        table = np.zeros(count, np.int64)
        table[0] = self.users
        return table

    def shares(self, bound: int, whole: int, places: Ints) -> Ints:
        table, some = np.zeros(int(places.max()) + 1, np.int64), places >= 0
        np.add.at(table, places[some], whole * self.table(1)[some])
        return table

    def pairs(self, first: int, *, directed: bool) -> Ints:
        return np.zeros((self.sizes[0], self.sizes[0]), np.int64)
