"""Exact laws of what the item methods publish, for a handful of users: choices enumerated, noise added up.

A law is a table of probabilities for each key (the groups, the bound), over published values that are clipped to a
window; clipping is post-processing, so the laws of neighbours are as close as those of the values themselves.
"""

from __future__ import annotations

import itertools
from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from fractions import Fraction
from functools import lru_cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from discreet.mechanisms.items.gs import best_size
from discreet.privacy import sampling_rate
from tests.laplace_law import LaplaceLaw

Floats = NDArray[np.float64]
Users = Sequence[Sequence[int]]
Table = tuple[int, ...]
Law = dict[Any, Floats]

#: noisy samples are summed over this window, the same one for neighbours
SAMPLED = np.arange(-7, 10)


def choices(
    mine: Sequence[int], most: int, contexts: int = 1, distinct: bool = False, scores: Sequence[float] | None = None
) -> dict[Table, float]:
    """The chances of what is kept of a user, in order."""
    entries = [(word // contexts, [word]) for word in mine]
    if distinct:
        items = dict.fromkeys(word // contexts for word in mine)
        entries = [(item, [word for word in mine if word // contexts == item]) for item in items]
    found: dict[Table, float] = defaultdict(float)
    orders = [
        order
        for order in itertools.permutations(entries)
        if scores is None or all(scores[a[0]] >= scores[b[0]] for a, b in itertools.pairwise(order))
    ]
    for order in orders:
        kept = [words for _, words in order[:most]]
        ways = list(itertools.product(*kept))
        for way in ways:
            found[way] += 1 / len(orders) / len(ways)
    return found


def kept_by_all(users: Users, most: int, *rules: Any) -> Iterator[tuple[tuple[Table, ...], float]]:
    for combined in itertools.product(*(choices(mine, most, *rules).items() for mine in users)):
        yield tuple(kept for kept, _ in combined), float(np.prod([chance for _, chance in combined]))


def table(kept: Sequence[Table], cells: int, first: int = 99) -> Table:
    words = np.array([word for mine in kept for word in mine[:first]], np.int64)
    return tuple(np.bincount(words, minlength=cells).tolist())


def products(parts: Sequence[Floats]) -> Floats:
    out = np.ones(())
    for part in parts:
        out = np.multiply.outer(out, part)
    return out


@lru_cache(maxsize=4096)
def chances(scale: Fraction, exact: int, low: int, high: int) -> Floats:
    """Of exact + noise at low, ..., high; what lies beyond counts at the ends."""
    law = LaplaceLaw.of(scale)
    inner = [float(law.exact_pmf(value - exact)) for value in range(low + 1, high)]
    return np.array([float(law.exact_tail(exact - low)), *inner, float(law.exact_tail(high - exact))])


def noisy(exact: Sequence[int], scales: Sequence[Fraction], low: int, high: int) -> Floats:
    return products([chances(scale, int(value), low, high) for value, scale in zip(exact, scales, strict=True)])


def sampled(exact: Table, scale: Fraction) -> Floats:
    """The chances of exact + noise, for all vectors in the window of samples, flat."""
    law = LaplaceLaw.of(scale)
    return products([law.pmf(SAMPLED - value) for value in exact]).reshape(-1)


@lru_cache(maxsize=8)
def windows(cells: int) -> NDArray[np.int64]:
    return np.stack(np.meshgrid(*[SAMPLED] * cells, indexing="ij"), axis=-1).reshape(-1, cells)


@lru_cache(maxsize=8)
def orders(cells: int) -> dict[Table, Floats]:
    """For every order of the cells, its chance given each vector of the window: equal values at random."""
    vectors, found = windows(cells), {}
    for order in itertools.permutations(range(cells)):
        steps = np.diff(vectors[:, order], axis=1)
        ways, run = np.ones(len(vectors)), np.ones(len(vectors))
        for step in steps.T:
            run = np.where(step == 0, run + 1, 1)
            ways *= run
        found[order] = np.all(steps >= 0, axis=1) / ways
    return found


def groups_of(order: Table, size: int) -> Table:
    groups = np.empty(len(order), np.int64)
    groups[list(order)] = np.minimum(np.arange(len(order)) // size, len(order) // size - 1)
    return tuple(groups.tolist())


# --- the methods ------------------------------------------------------------------------------------------------------


def cells_law(users: Users, items: int, contexts: int, bound: int, scales: Any, ends: Any, *rules: Any) -> Floats:
    """Items, and edges if there are contexts, of the kept records."""
    tables: dict[Table, float] = defaultdict(float)
    for kept, chance in kept_by_all(users, bound, contexts, *rules):
        edges = table(kept, items * contexts)
        sums = tuple(np.reshape(edges, (items, contexts)).sum(axis=1).tolist())
        tables[sums + edges if contexts > 1 else sums] += chance
    widths = [scales[0]] * items + [scales[-1]] * (items * contexts)
    laws = [p * noisy(exact, widths[: len(exact)], *ends) for exact, p in tables.items()]
    return np.asarray(np.sum(laws, axis=0))


def popular_law(users: Users, items: int, bound: int, epsilons: Any, ends: Any) -> Law:
    """One record of each user is probed; who is popular is the order of the noisy counts, cut at zero (and at 20)."""
    weights = np.zeros([21] * items)
    for kept, chance in kept_by_all(users, 1):
        weights += chance * noisy(table(kept, items), [1 / epsilons[0]] * items, 0, 20)
    kinds: dict[Table, float] = defaultdict(float)
    for scores, weight in np.ndenumerate(weights):
        kinds[tuple(sorted(set(scores)).index(score) for score in scores)] += float(weight)
    scales = [bound / epsilons[1]]
    laws = (p * cells_law(users, items, 1, bound, scales, ends, False, rank) for rank, p in kinds.items())
    return {None: np.sum(list(laws), axis=0)}


def grouped_law(
    users: Users, items: int, bound: int, epsilon: Fraction, ends: Any, groups: Callable[[Any], dict[Table, float]]
) -> Law:
    """Group sums of the kept records; `groups` gives the chances of groups, from what is kept of whom."""
    law: Law = {}
    for kept, chance in kept_by_all(users, bound):
        exact = np.array(table(kept, items))
        for grouping, likely in groups(kept).items():
            sums = np.bincount(grouping, exact).astype(np.int64)
            part = chance * likely * noisy(sums.tolist(), [bound / epsilon] * sums.size, *ends)
            law[grouping] = law.get(grouping, 0) + part
    return law


def by_chance(items: int, size: int) -> Callable[[Any], dict[Table, float]]:
    found: dict[Table, float] = defaultdict(float)
    every = list(itertools.permutations(range(items)))
    for order in every:
        found[groups_of(order, size)] += 1 / len(every)
    return lambda kept: found


def by_sample(
    items: int,
    size: int | None,
    epsilon: Fraction,
    bound: int,
    sampling: str = "columns",
    noise: float = 0.0,
    record: int = 1,
) -> Callable[[Any], dict[Table, float]]:
    """Groups by a noisy sample; if no size is given, that which is best for the sample and noise of this scale.

    A user changes the sample by `record` for each record of hers: 2 if users are replaced.
    """
    first = 1 if sampling == "columns" else bound
    scale = record * (bound if sampling == "none" else 1) / epsilon

    @lru_cache(maxsize=4096)
    def best(gaps: Table) -> int:
        return best_size(np.concatenate([[0], np.cumsum(gaps)]).astype(np.int64), noise)

    if size is None:
        sizes = np.array([best(tuple(gaps)) for gaps in np.diff(np.sort(windows(items)), axis=1).tolist()])
    else:
        sizes = np.full(len(windows(items)), size)

    @lru_cache(maxsize=4096)
    def given(sample: Table) -> dict[Table, float]:
        found: dict[Table, float] = defaultdict(float)
        weights = sampled(sample, scale)
        for order, likely in orders(items).items():
            for one in set(sizes.tolist()):
                found[groups_of(order, one)] += float((likely * weights)[sizes == one].sum())
        return found

    def groups(kept: Any) -> dict[Table, float]:
        if sampling != "rows":
            return given(table(kept, items, first))
        rate = float(sampling_rate(epsilon, bound))
        found: dict[Table, float] = defaultdict(float)
        for taken in itertools.product([True, False], repeat=len(kept)):
            chance = np.prod([rate if one else 1 - rate for one in taken])
            for grouping, likely in given(table(list(itertools.compress(kept, taken)), items)).items():
                found[grouping] += float(chance) * likely
        return found

    return groups
