"""The exact law of published items on tiny domains: draws agree with it, and neighbours' laws stay within epsilon.

Rejected are grouping by true counts, popularity without noise, bounds per row, the noise
of another group size, ties by the order of items.
"""

from __future__ import annotations

import itertools
import math
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any

import numpy as np
import pytest

from discreet.mechanisms.items.gs_s import GsS
from discreet.mechanisms.items.hpa import Hpa
from discreet.mechanisms.items.item_groups import GroupedItems
from discreet.noise import Noise, SystemSource
from discreet.privacy import Unit
from discreet.summaries.smoothed_items import GroupedCounts, Groups
from tests.law import item_laws
from tests.law.item_cases import Rows, made
from tests.law.item_laws import (
    Law,
    Users,
    by_chance,
    by_sample,
    cells_law,
    grouped_law,
    popular_law,
)
from tests.statistics import Agreement, compare, divergence, share

DRAWS = 900


@dataclass(frozen=True)
class Case:
    """A method for users of some records, with its law."""

    method: str
    sizes: tuple[int, ...]
    most: int
    epsilon: Any
    users: Users
    law: Callable[[Users], Law]
    low: int = -1
    high: int = 4
    parameters: dict[str, Any] = field(default_factory=dict)
    neighbours: str = "add-remove"

    def drawn(self, draws: int, users: Users | None = None) -> Counter[Any]:
        """How often each outcome comes: a key, and where in the law's table."""
        unit = Unit("who", max_rows=self.most, neighbours=self.neighbours)
        method = made(self.method, self.sizes, self.epsilon, unit, **self.parameters)
        noise, rows, found = Noise(), Rows(self.sizes, users or self.users), Counter[Any]()
        for _ in range(draws):
            found[self.outcome(method.measure(rows, noise))] += 1
        return found

    def outcome(self, summary: Any) -> Any:
        key: Any = None
        if isinstance(summary, GroupedCounts):
            part = summary.parts[0]
            assert isinstance(part, Groups)
            key, values = tuple(part.groups.tolist()), part.sums
        else:
            values = np.concatenate([part.values for part in summary.parts])
        return key, tuple((np.clip(values, self.low, self.high) - self.low).tolist())


ONE, HALF = Fraction(1), Fraction(1, 2)
SOME: Users = [[0, 0, 1], [1], [0, 2, 2]]
FOUR: Users = [[0, 1], [0, 3], [0]]
FEW: Users = [[0, 1], [0, 2], [0]]
EACH = {"columns": 2, "rows": 2, "none": 4}
SAMPLES: dict[str, Callable[[Any], Any]] = {
    way: by_sample(4, 2, Fraction(epsilon), 2, way) for way, epsilon in EACH.items()
}
SAMPLES["best"] = by_sample(3, None, Fraction(4), 2, noise=0.5 / 2)
SAMPLES["replaced"] = by_sample(3, 1, Fraction(4), 2, "rows", record=2)
CASES = {
    "lpa": Case("lpa", (3,), 2, 2, SOME, lambda users: {None: cells_law(users, 3, 1, 2, [ONE], (-1, 4))}),
    "sra": Case(
        "sra", (3,), 3, 2, SOME, lambda users: {None: cells_law(users, 3, 1, 1, [HALF], (-1, 4))},
        parameters={"bound": 1},
    ),
    "sra-users": Case(
        "sra", (2, 2), 4, 4, [[0, 1, 2], [3, 2, 2], [1, 1, 0]],
        lambda users: {None: cells_law(users, 2, 2, 1, [HALF, HALF], (-1, 3), True)}, high=3,
        parameters={"bound": 1, "count": "users"},
    ),
    "hpa": Case(
        "hpa", (3,), 3, Fraction(5, 2), [[0], [0], [0, 1, 1], [0, 2, 2]],
        lambda users: popular_law(users, 3, 1, [HALF, Fraction(2)], (-1, 4)),
        parameters={"bound": 1, "shares": {"popularity": "1/5", "items": "4/5"}},
    ),
    "gs-r": Case(
        "gs-r", (4,), 2, 2, FOUR, lambda users: grouped_law(users, 4, 2, Fraction(2), (-1, 5), by_chance(4, 2)),
        high=5, parameters={"group": 2},
    ),
    **{
        f"gs-s-{way}": Case(
            "gs-s", (4,), 2, 2 * epsilon, FOUR,
            lambda users, way=way, epsilon=epsilon: grouped_law(  # type: ignore[misc]
                users, 4, 2, Fraction(epsilon), (-1, 5), SAMPLES[way]
            ),
            high=5, parameters={"group": 2, "sampling": way},
        )
        for way, epsilon in EACH.items()
    },
    "gs": Case(
        "gs", (3,), 2, 8, [[0, 1], [0, 0], [0], [0, 2]],
        lambda users: grouped_law(users, 3, 2, Fraction(4), (-1, 6), SAMPLES["best"]), high=6,
        parameters={"scale": "paper"},
    ),
    "sra-replace": Case(
        "sra", (3,), 3, 4, SOME, lambda users: {None: cells_law(users, 3, 1, 1, [HALF], (-1, 4))},
        parameters={"bound": 1}, neighbours="replace",
    ),
    "gs-s-rows-replace": Case(
        "gs-s", (3,), 2, 8, FEW, lambda users: grouped_law(users, 3, 2, Fraction(2), (-1, 5), SAMPLES["replaced"]),
        high=5, parameters={"group": 1, "sampling": "rows"}, neighbours="replace",
    ),
}  # fmt: skip
each_case = pytest.mark.parametrize("name", CASES)


def agreement(found: Counter[Any], law: Law) -> Agreement:
    """Every outcome, every key, half-lines of every count with and without the key, and all that the law leaves out."""
    counted = {key: np.zeros(chances.shape, np.int64) for key, chances in law.items()}
    beyond = 0
    for (key, place), times in found.items():
        if key in law:
            counted[key][place] += times
        else:
            beyond += times
    pairs = [(counted[key], chances) for key, chances in law.items()]
    for shape in {chances.shape for chances in law.values()}:
        same = [pair for pair in pairs if pair[1].shape == shape]
        pairs.append((np.sum([times for times, _ in same], axis=0), np.sum([chances for _, chances in same], axis=0)))
    hits, expected = [beyond], [max(0.0, 1 - sum(float(chances.sum()) for chances in law.values()))]
    for seen, chances in pairs:
        hits += seen.reshape(-1).tolist()
        expected += chances.reshape(-1).tolist()
        for axis in range(chances.ndim):
            rest = tuple(other for other in range(chances.ndim) if other != axis)
            hits += np.cumsum(seen.sum(axis=rest)).tolist()
            expected += np.cumsum(chances.sum(axis=rest)).tolist()
    return compare(np.array(hits), sum(found.values()), np.minimum(np.array(expected), 1))


@each_case
def test_draws_have_the_law(name: str) -> None:
    case = CASES[name]
    law = case.law(case.users)
    assert sum(float(chances.sum()) for chances in law.values()) == pytest.approx(1, abs=1e-5)
    found = agreement(case.drawn(DRAWS if name != "gs" else DRAWS // 2), law)
    assert found.holds, found


def furthest(one: Law, other: Law) -> float:
    """The largest log ratio of the chances of an outcome."""
    assert set(one) == set(other)
    return max(float(np.abs(np.log(one[key]) - np.log(other[key])).max()) for key in one)


def most_apart(case: Case) -> float:
    """Between neighbours: one user gone, one more with up to three records of few items, or one replaced."""
    items, users, law = case.sizes[0], list(case.users), case.law(case.users)
    cells = sorted({0, items - 1, int(np.prod(case.sizes)) - 1})
    more = [list(mine) for size in (1, 2, 3) for mine in itertools.combinations_with_replacement(cells, size)]
    others: list[Users] = [users[:i] + users[i + 1 :] for i in range(len(users))]
    if case.neighbours == "replace":
        others = [[*users[:i], mine, *users[i + 1 :]] for i in range(len(users)) for mine in more]
    else:
        others += [[*users, mine] for mine in more[:: 1 if case.method != "hpa" else 3]]
    return max(furthest(law, case.law(other)) for other in others)


@pytest.mark.law("gs")
@each_case
def test_neighbours_are_within_epsilon(name: str) -> None:
    """Exactly; and not by far, so that the test looks where something changes."""
    assert CASES[name].epsilon / 2 < most_apart(CASES[name]) <= CASES[name].epsilon * (1 + 1e-9)


# --- planted faults ---------------------------------------------------------------------------------------------------


def rejected(name: str, users: Users | None = None, draws: int = DRAWS) -> bool:
    case = CASES[name]
    return not agreement(case.drawn(draws, users), case.law(case.users)).holds


def test_grouping_on_true_counts_is_rejected(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(
        GsS, "noisy_sample", lambda self, kept, step, bound, noise: (self.sample_table(kept, step, bound), ONE, ONE)
    )
    assert rejected("gs-s-columns", draws=1500)
    assert rejected("gs-s-rows")


def test_popularity_without_noise_is_rejected(monkeypatch: pytest.MonkeyPatch) -> None:
    def exact(self: Hpa, histories: Any, noise: Noise) -> Any:
        return self.kept(histories, self.probe, noise).table(self.probe).astype(np.float64)

    monkeypatch.setattr(Hpa, "_popularity", exact)
    assert rejected("hpa")


def each_row_a_user(name: str) -> Users:
    return [[word] for mine in CASES[name].users for word in mine]


def test_bounding_per_row_is_rejected() -> None:
    assert rejected("sra", each_row_a_user("sra"))
    assert rejected("lpa", each_row_a_user("lpa"))
    assert rejected("hpa", each_row_a_user("hpa"))


@pytest.mark.parametrize("name", ["gs-r", "gs-s-columns", "gs"])
def test_the_noise_of_another_group_size_is_rejected(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Sums noised as if they were means of groups of two."""
    scale = GroupedItems.scale
    monkeypatch.setattr(
        GroupedItems,
        "scale",
        lambda self, step, unit: scale(self, step, unit) / (2 if step == "items" else 1),
    )
    assert rejected(name, draws={"gs-r": 2500, "gs-s-columns": 1500, "gs": 500}[name])


def test_sampling_all_users_costs_more(monkeypatch: pytest.MonkeyPatch) -> None:
    """With the noise of a sample, but everyone in it."""
    monkeypatch.setattr(item_laws, "sampling_rate", lambda epsilon, bound: Fraction(1))
    case = CASES["gs-s-rows-replace"]
    assert most_apart(case) > case.epsilon


def test_ties_in_the_order_of_items_are_rejected(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Noise, "shuffled", lambda self, values: np.argsort(values, kind="stable"))
    assert rejected("gs-r", draws=DRAWS // 2)
    assert rejected("gs", draws=2000)


class Coarse(SystemSource):
    """Words that tie all the time: one bit of each is random, the others are zero."""

    def fill(self, out: Any) -> None:
        super().fill(out)
        out &= np.uint64(1 << 63)


@pytest.mark.parametrize("source", [SystemSource(), Coarse()])
@pytest.mark.parametrize("far", [3, 2**20, 2**45, 2**60])
def test_ties_are_broken_at_random(source: SystemSource, far: int) -> None:
    """Values near and far apart, and random words that tie themselves: any order of equals, the others in order."""
    noise, found = Noise(source), Counter[Any]()
    for _ in range(500):
        order = noise.shuffled(np.array([far, 0, -far, 0, 1, 0]))
        assert (order[0], order[4], order[5]) == (2, 4, 0)
        found[tuple(order[1:4].tolist())] += 1
    ways = list(itertools.permutations([1, 3, 5]))
    assert compare(np.array([found[way] for way in ways]), 500, np.full(6, 1 / 6)).holds


# --- epsilon from draws alone -----------------------------------------------------------------------------------------


def ends(hits: int, draws: int, limit: float) -> tuple[float, float]:
    """Below and above what a chance can be, by Chernoff's bound, but for exp(-limit)."""
    share, found = hits / draws, []
    for end in (0.0, 1.0):
        inside, outside = share, end
        for _ in range(60):
            middle = (inside + outside) / 2
            far = draws * float(divergence(np.array(share), np.array(middle))) > limit
            inside, outside = (inside, middle) if far else (middle, outside)
        found.append(outside)
    return found[0], found[1]


def least_epsilon(case: Case, users: Users, other: Users, faulty: bool = False) -> float:
    """A lower bound that holds but for a share of the suite's false alarm, over all events "count i is at least v"."""
    samples = []
    for rows in (users, other):
        found = case.drawn(700, [[word] for mine in rows for word in mine] if faulty else rows)
        values = np.array([place for (_, place), times in found.items() for _ in range(times)])
        events = [(values[:, i] >= v).sum() for i in range(values.shape[1]) for v in range(case.high - case.low + 1)]
        samples.append(events)
    limit = math.log(4 * len(samples[0]) / share())
    best = 0.0
    for hits, others in zip(*samples, strict=True):
        one, two = ends(int(hits), 700, limit), ends(int(others), 700, limit)
        best = max(best, math.log(max(one[0], 1e-300) / two[1]), math.log(max(two[0], 1e-300) / one[1]))
    return best


def test_a_user_with_many_records_is_hidden_and_is_not_if_rows_are_bounded() -> None:
    case = Case("sra", (2,), 9, 1, [], lambda users: {}, low=-9, high=12, parameters={"bound": 1})
    without, with_one = [[1]], [[1], [0] * 9]
    assert least_epsilon(case, with_one, without) <= 1
    assert least_epsilon(case, with_one, without, faulty=True) > 1
