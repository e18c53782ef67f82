"""Users and the items of their records: six made-up kinds, and real ones if they are there.

Constants of methods may be chosen on half A; the made-up kinds here are all of half B.
"""

from __future__ import annotations

import gzip
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np

from benchmarks.accuracy.shapes import Floats, Ints, folder
from discreet.private.kept import KeptRecords

#: as somebody would declare it, knowing about how many records there may be
DECLARED = (10, 20, 50, 100, 200, 500, 1000, 2000, 5000, 10_000, 20_000, 10**6)


@dataclass(frozen=True, eq=False)
class ItemSet:
    """The item of every record, whose it is and in which of `contexts`; what mechanisms for items look at."""

    name: str
    half: str
    owner: Ints
    item: Ints
    items: int
    contexts: int = 1
    context: Ints | None = None

    @cached_property
    def words(self) -> Ints:
        return self.item if self.context is None else self.item * self.contexts + self.context

    @property
    def sizes(self) -> tuple[int, ...]:
        return (self.items,) if self.context is None else (self.items, self.contexts)

    @cached_property
    def _kept(self) -> KeptRecords:
        order = np.argsort(self.owner, kind="stable")
        starts = np.flatnonzero(np.append(True, np.diff(self.owner[order]) > 0)) if order.size else np.empty(0, int)
        return KeptRecords(self.sizes, np.append(starts, order.size), self.words[order])

    @property
    def most(self) -> int:
        largest = int(np.unique(self.owner, return_counts=True)[1].max())
        return next(declared for declared in DECLARED if declared >= largest)

    @property
    def true(self) -> Ints:
        return np.bincount(self.words, minlength=self.items * self.contexts)

    def once(self) -> ItemSet:
        """Each item of a user once."""
        pairs = np.unique(self.owner * self.items + self.item)
        return ItemSet(f"{self.name}, users", self.half, pairs // self.items, pairs % self.items, self.items)

    def kept(self, most: int, *, distinct: bool, scores: Floats | None, salt: bytes) -> KeptRecords:
        """All, or some at random; the highest scores first if there are any."""
        if scores is None and most >= self.most:
            return self._kept
        dice = np.random.default_rng(np.frombuffer(salt, np.uint64))
        first = np.zeros(self.item.size) if scores is None else -scores[self.item]
        order = np.lexsort((dice.random(self.item.size), first, self.owner))
        owner = self.owner[order]
        starts = np.flatnonzero(np.append(True, np.diff(owner) > 0))
        place = np.arange(owner.size) - np.repeat(starts, np.diff(np.append(starts, owner.size)))
        taken = order[place < most]
        sizes = np.unique(self.owner[taken], return_counts=True)[1]
        return KeptRecords(self.sizes, np.concatenate([[0], np.cumsum(sizes)]), self.words[taken])


def _zipf(items: int, skew: float, shift: float = 0.0) -> Floats:
    weights = (np.arange(1, items + 1) + shift) ** -skew
    return np.asarray(np.cumsum(weights) / weights.sum())


def _drawn(dice: Any, law: Floats, count: int) -> Ints:
    return np.asarray(np.minimum(np.searchsorted(law, dice.random(count)), law.size - 1), np.int64)


def _baskets(dice: Any, part: int) -> tuple[Ints, Ints, int]:
    owner = np.repeat(np.arange(100_000 // part), 1 + dice.poisson(4.5, 100_000 // part))
    return owner, _drawn(dice, _zipf(8000, 1.1, 3), owner.size), 8000


def _films(dice: Any, part: int) -> tuple[Ints, Ints, int]:
    """A film at most once for a user, nearly; those who see many see more rare ones."""
    sizes = np.clip(np.exp(3.3 + 1.3 * dice.standard_normal(8000 // part)), 1, 800).astype(np.int64)
    owner = np.repeat(np.arange(sizes.size), sizes)
    rare = dice.random(owner.size) < np.minimum(sizes[owner] / 1000, 0.6)
    film = np.where(rare, dice.integers(0, 1700, owner.size), _drawn(dice, _zipf(1700, 1.5, 50), owner.size))
    pairs = np.unique(owner * 1700 + film)
    return pairs // 1700, pairs % 1700, 1700


def _checkins(dice: Any, part: int) -> tuple[Ints, Ints, int]:
    """Few places of a user's own, again and again."""
    sizes = np.minimum(8 * (1 + dice.pareto(1.4, 20_000 // part)), 2000).astype(np.int64)
    places = _drawn(dice, _zipf(15_000, 1.0, 5), 12 * sizes.size).reshape(-1, 12)
    owner = np.repeat(np.arange(sizes.size), sizes)
    return owner, places[owner, (12 * dice.random(owner.size) ** 2).astype(np.int64)], 15_000


def _clicks(dice: Any, part: int) -> tuple[Ints, Ints, int]:
    sizes = np.minimum(3 * (1 + dice.pareto(1.1, 30_000 // part)), 5000).astype(np.int64)
    owner = np.repeat(np.arange(sizes.size), sizes)
    return owner, _drawn(dice, _zipf(20_000, 2.0), owner.size), 20_000


def _words(dice: Any, part: int) -> tuple[Ints, Ints, int]:
    sizes = np.clip(np.exp(4.7 + 0.7 * dice.standard_normal(4000 // part)), 1, 3000).astype(np.int64)
    owner = np.repeat(np.arange(sizes.size), sizes)
    word, topic = _drawn(dice, _zipf(9000, 1.05, 8), owner.size), owner % 20
    return owner, np.where(dice.random(owner.size) < 0.5, word, (word * 7919 + topic * 457) % 9000), 9000


def _popular(dice: Any, part: int) -> tuple[Ints, Ints, int]:
    """One item that nearly everybody has, and all others alike."""
    sizes = 1 + dice.geometric(0.1, 30_000 // part)
    owner = np.repeat(np.arange(sizes.size), sizes)
    item = dice.integers(1, 2000, owner.size)
    item[np.cumsum(sizes)[dice.random(sizes.size) < 0.8] - 1] = 0
    return owner, item, 2000


MADE_UP: dict[str, Callable[[Any, int], tuple[Ints, Ints, int]]] = {
    "baskets": _baskets,
    "films": _films,
    "check-ins": _checkins,
    "clicks": _clicks,
    "words": _words,
    "one popular item": _popular,
}


def item_sets(quick: bool) -> Iterator[ItemSet]:
    """Every set by records, and by users; a tenth of the users in a quick run."""
    for seed, (name, made) in enumerate(MADE_UP.items()):
        dice = np.random.default_rng(100 + seed)
        owner, item, items = made(dice, 10 if quick else 1)
        one = ItemSet(name, "B", owner, dice.permutation(items)[item], items)  # the order of items says nothing
        yield one
        yield one.once()
    for real in (_retail(), _documents()):
        if real is not None and not quick:
            yield real
            yield real.once()


#: how many contexts a set has, and whether these are an item's own, a user's own, or nobody's
IN_CONTEXTS = {
    "baskets": (7, "nobody"),
    "films": (5, "item"),
    "check-ins": (24, "user"),
    "clicks": (7, "item"),
    "words": (6, "item"),
}


def sets_in_contexts(quick: bool) -> Iterator[ItemSet]:
    """Made-up contexts of made-up sets, by records; and days of the week, if real records are there."""
    for one in item_sets(quick):
        if one.name in IN_CONTEXTS:
            contexts, whose = IN_CONTEXTS[one.name]
            dice = np.random.default_rng(200 + contexts)
            of = {"nobody": np.zeros_like(one.owner), "item": one.item, "user": one.owner}[whose]
            runs = np.cumsum(dice.dirichlet(np.ones(contexts), int(of.max()) + 1), axis=1)
            context = (dice.random(of.size)[:, None] > runs[of]).sum(axis=1).clip(0, contexts - 1)
            name = f"{one.name} in {contexts} contexts of {whose if whose == 'nobody' else 'each ' + whose}"
            yield replace(one, name=name, contexts=contexts, context=context)
    if not quick and (real := _retail(by_day=True)) is not None:
        yield real


def _retail(*, by_day: bool = False) -> ItemSet | None:
    if (where := folder("online_retail")) is None:
        return None
    import pyarrow.parquet as pq

    names = ["CustomerID", "StockCode", *(["InvoiceDate"] if by_day else [])]
    rows = pq.read_table(where / "online_retail.parquet", columns=names).to_pandas().dropna()
    owner, item = (np.unique(rows[name].astype(str), return_inverse=True)[1] for name in names[:2])
    one = ItemSet("online retail", "A", owner, item, int(item.max()) + 1)
    if not by_day:
        return one
    days = rows["InvoiceDate"].astype("datetime64[ns]").dt.weekday.to_numpy(np.int64)
    return replace(one, name="online retail by weekday", contexts=7, context=days)


def _documents() -> ItemSet | None:
    if (where := folder("docword_kos")) is None:
        return None
    with gzip.open(where / "docword.kos.txt.gz", "rt") as file:
        _, items, _ = (int(file.readline()) for _ in range(3))
        owner, item, times = np.loadtxt(file, dtype=np.int64).T
    return ItemSet("documents", "B", np.repeat(owner, times), np.repeat(item - 1, times), items)
