"""Small item histories for tests: rows in memory that go through the real reservoirs, and methods made without data."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray

from discreet.mechanisms import Request, registry
from discreet.privacy import Unit
from discreet.private.engines.reservoirs import Reservoirs, ShardedRows
from discreet.private.kept import KeptRecords
from discreet.schema import Ordinal, Schema

Ints = NDArray[np.int64]

METHODS = ("fpa", "gs", "gs-r", "gs-s", "hpa", "lpa", "sra")


def reservoirs(
    most: int, contexts: int, distinct: bool = False, scores: NDArray[np.float64] | None = None, salt: bytes = b"s" * 16
) -> Reservoirs:
    """As `RowHistories` makes them."""
    items = 10**6 if scores is None else scores.size
    return Reservoirs(most, (items, contexts), salt, distinct=distinct, scores=scores)


def offer(made: Reservoirs, users: Ints, words: Ints) -> None:
    made.offer(ShardedRows.of([(users, users, words)], made.place))


class Rows:
    """The records of a few users: `of[u]` are the cells of user u. What mechanisms for items look at."""

    def __init__(self, sizes: tuple[int, ...], of: Sequence[Sequence[int]]) -> None:
        self.sizes = sizes
        self.users = np.repeat(np.arange(len(of)), [len(mine) for mine in of])
        self.words = np.array([word for mine in of for word in mine], np.int64)

    def histories(self, looks: int) -> Rows:
        """As a mechanism takes them from `Bounded`."""
        return self

    def kept(self, most: int, *, distinct: bool, scores: NDArray[np.float64] | None, salt: bytes) -> KeptRecords:
        chosen = reservoirs(most, int(np.prod(self.sizes[1:])), distinct, scores, salt)
        offer(chosen, self.users, self.words)
        return KeptRecords(self.sizes, *chosen.settled())


def kept(users: Any, items: int) -> KeptRecords:
    """All records of users, in their order."""
    lengths = [len(mine) for mine in users]
    words = np.concatenate([np.asarray(mine, np.int64) for mine in [*users, []]])
    return KeptRecords((items,), np.concatenate([[0], np.cumsum(lengths)]).astype(np.int64), words)


class Given:
    """What is kept is given; for users with no more records than count."""

    def __init__(self, users: Any, items: int) -> None:
        self._kept, self.items = kept(users, items), items

    @property
    def true(self) -> Ints:
        return self._kept.table(10**6)

    def histories(self, looks: int) -> Given:
        return self

    def kept(self, most: int, **asked: Any) -> KeptRecords:
        return self._kept


def records_of_users(kept: Any, most: int) -> Ints:
    """How many users have 0, 1, ..., `most` or more records that were kept."""
    return np.bincount(np.minimum(np.diff(kept._starts), most), minlength=most + 1)


def made(method: str, sizes: Sequence[int], epsilon: Any, unit: Unit | None = None, **parameters: Any) -> Any:
    """A method for items (the first size) in contexts (the others)."""
    names = ["item", *(f"c{i}" for i in range(1, len(sizes)))]
    schema = Schema({name: Ordinal(0, size - 1) for name, size in zip(names, sizes, strict=True)})
    return registry()["items", method](Request(schema, unit or Unit(), Fraction(epsilon), parameters))
