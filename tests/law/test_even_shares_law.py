"""Every noisy number of `even-shares` is the exact one of its card's formula with the noise that it is paid for.

Scales and bounds follow from noisy numbers of earlier steps; the formulas here are worked out user by user, in plain
Python. Rejected are noise of half the scale in any step, and exact numbers of another formula.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from fractions import Fraction
from typing import Any

import numpy as np
import pytest

from discreet.mechanisms.items import item_sizes
from discreet.mechanisms.items.even_shares import EvenShares
from discreet.noise import Noise
from discreet.privacy import Unit
from discreet.private.kept import KeptRecords
from discreet.summaries import Summary
from discreet.summaries.shared_counts import SharedCounts
from discreet.summaries.shared_edges import SharedEdges
from tests.laplace_law import follows_laplace
from tests.law.item_cases import Rows, made

ITEMS, MOST, EPSILON = 12, 20, Fraction(2)
SHARES = {
    "histogram": Fraction(8, 100),
    "items": Fraction(80, 100),
    "total": Fraction(4, 100),
    "head": Fraction(8, 100),
}
#: what items have where the largest are wanted
TOP_ITEMS = Fraction(83, 100)
#: the same users' records as cells: four items in three contexts
SIZES = (4, 3)
IN_CONTEXTS = {**SHARES, "items": Fraction(56, 100), "contexts": Fraction(4, 100), "edges": Fraction(20, 100)}
DRAWS = 5000
#: from one record to as many as count; some of one item, some of all
USERS = [
    [0], [1], [0, 1], [2] * 4, [0, 1, 2, 3, 4], [5] * 8, list(range(9)), [0] * 16, list(range(12)), [7] * MOST,
    *([item % 12, (item * 5) % 12, 3, 3] for item in range(60)),
]  # fmt: skip


def of_users(count: str) -> list[list[int]]:
    return [sorted(set(mine)) for mine in USERS] if count == "users" else USERS


def weights(users: Sequence[Sequence[int]], bound: int, units: int, items: Sequence[int]) -> list[int]:
    found = Counter[int]()
    for mine in users:
        asked = [item for item in mine if item in items]
        share = units if len(asked) <= bound else units * bound // len(asked)
        for item in asked:
            found[item] += share
    return [found[item] for item in items]


def bins(users: Sequence[Sequence[int]], most: int) -> list[int]:
    found = Counter((len(mine) - 1).bit_length() for mine in users if mine)
    return [found[place] for place in range((most - 1).bit_length() + 1)]


class Remembered(Rows):
    """Nobody has more records than count, so that what is kept is the same each time."""

    once: KeptRecords | None = None

    def kept(self, most: int, **asked: Any) -> KeptRecords:
        self.once = self.once or super().kept(most, **asked)
        return self.once


def drawn(count: str, neighbours: str = "add-remove", draws: int = DRAWS) -> list[SharedCounts]:
    unit = Unit("who", max_rows=MOST, neighbours=neighbours)
    method, noise = made("even-shares", (ITEMS,), EPSILON, unit, count=count), Noise()
    rows = Remembered((ITEMS,), USERS)
    return [method.measure(rows, noise) for _ in range(draws)]


def offsets(summaries: list[SharedCounts], count: str) -> dict[str, list[tuple[Fraction, Any]]]:
    """Of each step the scale that is paid for, and noisy less exact numbers."""
    users = of_users(count)
    found: dict[str, list[tuple[Fraction, Any]]] = {step: [] for step in SHARES}
    for summary in summaries:
        steps = summary.corrections
        assert steps is not None
        items, heads = summary.items, steps.heads.tolist()
        every = {
            "histogram": (steps.bins, bins(users, min(ITEMS, MOST) if count == "users" else MOST)),
            "items": (items, weights(users, items.bound, items.units, range(ITEMS))),
            "total": (steps.total, [sum(min(len(mine), steps.total.bound) for mine in users)]),
            "head": (steps.head, weights(users, steps.head.bound, steps.head.units, heads)),
        }
        for step, (weighed, exact) in every.items():
            paid = weighed.bound * weighed.units / (EPSILON * SHARES[step])
            found[step].append((paid, weighed.values - np.array(exact)))
    return found


def disagreeing(found: dict[str, list[tuple[Fraction, Any]]]) -> list[str]:
    """Steps whose noise is not that of the scale they have most often."""
    wrong = []
    for step, pairs in found.items():
        scale = Counter(scale for scale, _ in pairs).most_common(1)[0][0]
        sample = np.concatenate([offset for mine, offset in pairs if mine == scale])
        if not follows_laplace(sample, scale).holds:
            wrong.append(step)
    return wrong


def offsets_in_contexts(draws: int) -> dict[str, list[tuple[Fraction, Any]]]:
    method, noise = made("even-shares", SIZES, EPSILON, Unit("who", max_rows=MOST)), Noise()
    rows, found = Remembered(SIZES, USERS), {step: list[tuple[Fraction, Any]]() for step in IN_CONTEXTS}
    of_items = [[cell // SIZES[1] for cell in mine] for mine in USERS]
    of_contexts = [[cell % SIZES[1] for cell in mine] for mine in USERS]
    for _ in range(draws):
        summary = method.measure(rows, noise)
        assert isinstance(summary, SharedEdges)
        items, steps = summary.alone.items, summary.alone.corrections
        assert steps is not None
        bound, units = items.bound, items.units
        every = {
            "histogram": (steps.bins, bins(USERS, MOST)),
            "items": (items, weights(of_items, bound, units, range(SIZES[0]))),
            "contexts": (summary.contexts, weights(of_contexts, bound, units, range(SIZES[1]))),
            "edges": (summary.edges, weights(USERS, bound, units, range(ITEMS))),
            "total": (steps.total, [sum(min(len(mine), steps.total.bound) for mine in USERS)]),
            "head": (steps.head, weights(of_items, steps.head.bound, steps.head.units, steps.heads.tolist())),
        }
        for step, (weighed, exact) in every.items():
            paid = weighed.bound * weighed.units / (EPSILON * IN_CONTEXTS[step])
            found[step].append((paid, weighed.values - np.array(exact)))
    return found


def test_every_step_with_contexts_has_its_exact_numbers_and_its_noise() -> None:
    found = offsets_in_contexts(DRAWS)
    assert disagreeing(found) == []
    for step in ("contexts", "edges"):
        halved = {step: [(scale, np.asarray(offset) // 2) for scale, offset in found[step]]}
        assert disagreeing(halved) == [step], "noise of half the scale is found"


@pytest.mark.parametrize("step", ["contexts", "edges"])
def test_noise_that_is_missing_in_a_context_is_found(step: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(EvenShares, "_weighed", without_noise(step))
    assert disagreeing(offsets_in_contexts(DRAWS // 10)) == [step]


@pytest.mark.law("even-shares")
@pytest.mark.parametrize("count", ["records", "users"])
def test_every_step_has_its_exact_numbers_and_its_noise(count: str) -> None:
    found = offsets(drawn(count), count)
    assert disagreeing(found) == []
    for step in SHARES:
        halved = {step: [(scale, np.asarray(offset) // 2) for scale, offset in found[step]]}
        assert disagreeing(halved) == [step], "noise of half the scale is found"


def looks_disagreeing(
    summaries: Iterable[Summary], users: list[list[int]], share: Fraction
) -> tuple[list[str], list[str]]:
    """Which of both looks at all twelve items disagree with half of this share; and as if noise were half as large."""
    found: dict[str, list[tuple[Fraction, Any]]] = {"items": [], "listed": []}
    for summary in summaries:
        assert isinstance(summary, SharedCounts)
        assert summary.corrections is not None
        again = summary.corrections.listed
        assert again is not None
        for step, weighed, codes in (
            ("items", summary.items, list(range(ITEMS))),
            ("listed", again.weights, again.codes.tolist()),
        ):
            exact = weights(users, weighed.bound, weighed.units, codes)
            paid = weighed.bound * weighed.units / (EPSILON * share / 2)
            found[step].append((paid, weighed.values - np.array(exact)))
    halved = {step: [(scale, np.asarray(offset) // 2) for scale, offset in pairs] for step, pairs in found.items()}
    return disagreeing(found), disagreeing(halved)


def test_items_that_are_looked_at_twice_share_what_items_have(monkeypatch: pytest.MonkeyPatch) -> None:
    """All twelve are, each look with half of it."""
    monkeypatch.setattr(item_sizes, "_HIDDEN", -1)
    monkeypatch.setattr(item_sizes, "_ONE_IN", 1)
    found = looks_disagreeing(drawn("records", draws=DRAWS // 2), USERS, SHARES["items"])
    assert found == ([], ["items", "listed"])


def test_the_list_for_the_largest_shares_what_items_have(monkeypatch: pytest.MonkeyPatch) -> None:
    """Of users, where two of twelve items are wanted; all twelve are on it."""
    monkeypatch.setattr(item_sizes, "_HIDDEN_TOP", -1)
    monkeypatch.setattr(item_sizes, "_FOR_EACH", ITEMS // 2)
    monkeypatch.setattr(item_sizes, "_MOST_OF", 1)
    monkeypatch.setattr(EvenShares, "selecting_is_better", lambda *_: False)
    method, noise = made("even-shares", (ITEMS,), EPSILON, Unit("who", max_rows=MOST), top=2), Noise()
    rows = Remembered((ITEMS,), USERS)
    found = looks_disagreeing((method.measure(rows, noise) for _ in range(DRAWS // 2)), of_users("users"), TOP_ITEMS)
    assert found == ([], ["items", "listed"])


def test_replaced_users_cost_twice() -> None:
    found = offsets(drawn("records", "replace", DRAWS // 2), "records")
    assert sorted(disagreeing(found)) == sorted(SHARES)
    doubled = {step: [(2 * scale, offset) for scale, offset in pairs] for step, pairs in found.items()}
    assert disagreeing(doubled) == []


FAULTS: dict[str, Callable[[pytest.MonkeyPatch], None]] = {
    "items": lambda patch: patch.setattr(
        KeptRecords, "shares", lambda self, bound, units, places: self.table(99)[places >= 0] * units
    ),
    "histogram": lambda patch: patch.setattr(KeptRecords, "bins", lambda self, count: np.full(count, self.users)),
    "total": lambda patch: patch.setattr(EvenShares, "_weighed", without_noise("total")),
}


def without_noise(fault: str) -> Any:
    plain = EvenShares._weighed

    def weighed(self: EvenShares, step: str, exact: Any, bound: int, units: int, noise: Noise, *part: Any) -> Any:
        found = plain(self, step, exact, bound, units, noise, *part)
        if step == fault:
            found.values[:] = exact
        return found

    return weighed


@pytest.mark.parametrize("step", FAULTS)
def test_planted_faults_are_found(step: str, monkeypatch: pytest.MonkeyPatch) -> None:
    FAULTS[step](monkeypatch)
    assert step in disagreeing(offsets(drawn("records", draws=DRAWS // 10), "records"))
