"""What is kept of each user: the bounded private records, and the few counts that may be taken of them.

Private, so it never shows itself, and like `Counts` it names no value in a message.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import NoReturn, Protocol

import numpy as np
from numpy.typing import NDArray

from discreet.private.counts import Counts

Ints = NDArray[np.int64]

_ALL = np.empty(0, np.bool_)


class Kept(ABC):
    """Records of users over cells of sizes (items, contexts, ...), each user's in random order or by a score.

    Adding or taking away one user changes `table(first)` by at most `first` in all, `numbers` by one, and the
    undirected `pairs(first)` by at most first * (first - 1) / 2, directed ones by twice that.
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
    def numbers(self, most: int) -> Ints:
        """How many users have 0, 1, ..., `most` or more records."""

    @abstractmethod
    def pairs(self, first: int, *, directed: bool) -> Ints:
        """items x items: users who have both (above the diagonal), or records of the second by users of the first."""

    def __repr__(self) -> str:
        return f"{type(self).__name__}(private)"

    def __reduce_ex__(self, _: object) -> NoReturn:
        raise TypeError(f"{type(self).__name__} is private: it cannot be pickled or copied")


class KeptRecords(Kept):
    """words[starts[u]:starts[u + 1]] are the cells of user u's records."""

    def __init__(self, sizes: tuple[int, ...], starts: Ints, words: Ints) -> None:
        self.sizes, self._starts, self._words = sizes, starts, words

    @property
    def users(self) -> int:
        return self._starts.size - 1

    def table(self, first: int, chosen: NDArray[np.bool_] | None = None) -> Ints:
        from discreet.kernels.counting import add_kept

        table = np.zeros(int(np.prod(self.sizes)), np.int64)
        add_kept(self._starts, self._words, min(first, self._words.size), _ALL if chosen is None else chosen, table)
        return table

    def numbers(self, most: int) -> Ints:
        from discreet.kernels.counting import add_numbers

        table = np.zeros(most + 1, np.int64)
        add_numbers(self._starts, most, table)
        return table

    def pairs(self, first: int, *, directed: bool) -> Ints:
        from discreet.kernels.counting import add_pairs

        items, contexts = self.sizes[0], int(np.prod(self.sizes[1:]))
        table = np.zeros((items, items), np.int64)
        add_pairs(self._starts, self._words // contexts, min(first, self._words.size), directed, table)
        return table


class KeptCounts(Kept):
    """Counts of which nothing else is known: each record is a user of its own, or bounds were kept by their maker."""

    def __init__(self, counts: Counts) -> None:
        self.sizes, self._counts = counts.sizes, counts

    @property
    def users(self) -> int:
        return int(self._counts.counts.sum())

    def table(self, first: int, chosen: NDArray[np.bool_] | None = None) -> Ints:
        table = self._counts.dense().reshape(-1)
        if chosen is not None:
            owner = np.repeat(np.arange(table.size), table)
            table = np.bincount(owner[chosen], minlength=table.size).astype(np.int64)
        return table

    def numbers(self, most: int) -> Ints:
        table = np.zeros(most + 1, np.int64)
        table[1] = self.users
        return table

    def pairs(self, first: int, *, directed: bool) -> Ints:
        return np.zeros((self.sizes[0], self.sizes[0]), np.int64)


class Histories(Protocol):
    """Where a mechanism that looks at users takes its looks; each one reads the data once."""

    def kept(self, most: int, *, distinct: bool, scores: NDArray[np.float64] | None, salt: bytes) -> Kept:
        """At most `most` records of each user: those of the highest scores, equal ones (or all) at random.

        With `distinct` a user counts once for an item, with one of the records of it, chosen at random.
        """


class CountedHistories:
    """Counts in place of histories: whatever is asked to be kept, it is these."""

    def __init__(self, counts: Counts) -> None:
        self._kept = KeptCounts(counts)

    def kept(self, most: int, *, distinct: bool, scores: NDArray[np.float64] | None, salt: bytes) -> Kept:
        return self._kept
