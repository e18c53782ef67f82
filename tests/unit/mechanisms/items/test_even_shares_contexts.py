"""`even-shares` for items in contexts: what one user can change, whatever users do, and releases."""

from __future__ import annotations

import itertools
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from numpy.typing import NDArray

import discreet
from discreet.errors import BadParameter
from discreet.noise import Noise, ZeroNoise
from discreet.privacy import Unit
from discreet.private.kept import KeptRecords
from discreet.queries import Questions
from discreet.schema import Nominal, Ordinal, Schema
from discreet.tasks import Items
from tests.law.item_cases import Rows, made
from tests.statistics import at_least

Ints = NDArray[np.int64]


class Exact(ZeroNoise):
    """No noise; remembers what it was asked to add."""

    def __init__(self) -> None:
        super().__init__()
        self.asked: list[tuple[Ints, Fraction]] = []

    def add(self, table: Any, scale: Any) -> Any:
        self.asked.append((np.array(table), Fraction(scale)))
        return super().add(table, scale)


@pytest.mark.parametrize("count", ["records", "users"])
@pytest.mark.parametrize("others", [[], [[0, 1, 3], [5]], [list(range(6))] * 9])
def test_one_user_changes_each_table_by_no_more_than_its_noise_is_for(count: str, others: list[list[int]]) -> None:
    """All histories of up to four records over three items in two contexts."""
    unit = Unit("who", max_rows=4)
    method = made("even-shares", (3, 2), 1, unit, count=count)
    fixed = 1, 64

    def tables(rows: list[list[int]]) -> dict[str, Ints]:
        kept = Rows((3, 2), rows).kept(4, distinct=method.distinct, scores=None, salt=b"s" * 16)
        found = method._weights(kept, *fixed, ZeroNoise())
        assert {weighed.scale * method.epsilon_of(step) for step, weighed in found.items()} == {64}
        return {step: weighed.values for step, weighed in found.items()}

    before, most = tables(others), dict.fromkeys(("items", "contexts", "edges"), 0)
    for size in range(1, 5):
        for mine in itertools.combinations_with_replacement(range(6), size):
            after = tables([*others, list(mine)])
            for step in most:
                most[step] = max(most[step], int(np.abs(after[step] - before[step]).sum()))
            assert np.array_equal(after["items"], after["edges"].reshape(3, 2).sum(axis=1))
            assert np.array_equal(after["contexts"], after["edges"].reshape(3, 2).sum(axis=0))
    assert set(most.values()) == {64}


def test_steps_cost_their_shares() -> None:
    method = made("even-shares", (5, 3), 2, Unit("who", max_rows=4))
    noise = Exact()
    method.measure(Rows((5, 3), [[0, 1, 2], [1], [14, 3]]), noise)
    sizes = [table.size for table, _ in noise.asked]
    assert sizes == [3, 5, 3, 15, 1, 5]
    parts = [Fraction(part, 100) for part in (8, 56, 4, 20, 4, 8)]
    assert sum(method.shares.values()) == 1
    for (_, scale), part, bound in zip(noise.asked[:4], parts, (1, 64, 64, 64), strict=False):
        assert scale == bound / (2 * part)


def test_one_record_of_a_user_needs_no_bounds() -> None:
    for unit in (Unit(), Unit("who", max_rows=1)):
        method = made("even-shares", (5, 2), 1, unit)
        assert method.shares == {"items": Fraction(7, 20), "contexts": Fraction(1, 20), "edges": Fraction(3, 5)}
        summary = method.measure(Rows((5, 2), [[cell] for cell in range(10)]), Noise())
        assert summary.alone.corrections is None
        assert summary.edges.scale == Fraction(5, 3)


# --- hostile users, and all others ------------------------------------------------------------------------------------


class Given:
    """What is kept is given; for users with no more records than count."""

    def __init__(self, users: list[Ints], sizes: tuple[int, int]) -> None:
        starts = np.concatenate([[0], np.cumsum([mine.size for mine in users])]).astype(np.int64)
        self.sizes, self.held = sizes, KeptRecords(sizes, starts, np.concatenate([*users, np.empty(0, np.int64)]))

    def histories(self, looks: int) -> Given:
        return self

    def kept(self, most: int, **asked: Any) -> KeptRecords:
        return self.held


def hostile() -> dict[str, tuple[str, int, Given]]:
    """Of each kind what is counted, how many records may count, and the users."""
    dice, items, days = np.random.default_rng(20_261_118), 60, 4

    def once(mine: Any, day: Any) -> Ints:
        return np.asarray(np.asarray(mine) * days + day, np.int64)

    few = [once(dice.choice(items, 3, replace=False), dice.integers(0, days, 3)) for _ in range(300)]
    return {
        "heavy users alone have a context": (
            "users",
            60,
            Given([*few, *[once(np.arange(items), 3)] * 20], (items, days)),
        ),
        "powers of two": (
            "users",
            10**4,
            Given([once(np.arange(2 ** (user % 6)), user % days) for user in range(300)], (items, days)),
        ),
        "many records of one edge": ("records", 4096, Given([*few, *[np.full(4096, 7)] * 10], (items, days))),
        "nobody": ("users", 50, Given([], (items, days))),
    }


@pytest.mark.parametrize("kind", hostile())
@pytest.mark.parametrize("epsilon", ["1", "0.1"])
def test_intervals_hold_whatever_users_do(kind: str, epsilon: str) -> None:
    count, most, given = hostile()[kind]
    items, days = given.sizes
    method = made("even-shares", given.sizes, epsilon, Unit("who", max_rows=most), count=count)
    true = given.held.table(10**6).reshape(items, days)
    cells = np.indices((items, days)).reshape(2, -1).T
    contexts = np.column_stack([np.zeros(days, np.int64), np.arange(days)])
    corner = np.array([[0, 1]])
    first = np.concatenate([cells, contexts, corner])
    last = np.concatenate([cells, contexts + np.array([items - 1, 0]), [[9, 2]]])
    asked = Questions(first, last, len(first), np.arange(len(first)))
    truth = np.concatenate([true.reshape(-1), true.sum(axis=0), [true[:10, 1:3].sum()]])
    level, trials = 0.9, 40
    below, above = np.zeros((2, 4))
    largest = np.argsort(-true.reshape(-1), kind="stable")[:10]
    for _ in range(trials):
        found = method.measure(given, Noise()).answer(asked, level).of_counts()
        for side, holds in ((below, found.low <= truth), (above, truth <= found.high)):
            side += [holds[: cells.shape[0]].mean(), holds[largest].mean(), holds[-5:-1].mean(), holds[-1]]
    for hits in (*below, *above):
        assert at_least(hits, trials, (1 + level) / 2)


# --- releases ---------------------------------------------------------------------------------------------------------

SCHEMA = Schema(item=Ordinal(0, 29), day=Nominal(["Mon", "Tue", "Wed"]), late=Ordinal(0, 1))
UNIT = Unit("who", max_rows=20)


def frame(users: int = 600) -> pd.DataFrame:
    dice = np.random.default_rng(6)
    rows = [
        (user, int(item), "Mon" if item % 2 else dice.choice(["Tue", "Wed"]), int(dice.integers(0, 2)))
        for user in range(users)
        for item in dice.zipf(1.6, 1 + user % 20) % 30
    ]
    return pd.DataFrame(rows, columns=["who", "item", "day", "late"])


def test_without_noise_numbers_are_near_the_truth() -> None:
    rows = frame()
    task = Items("item", context=["day", "late"])
    release = discreet.open(rows, SCHEMA, unit=UNIT).publish(task, 50, noise=ZeroNoise())
    assert release.manifest["method"] == "even-shares"
    wheres: list[dict[str, Any]] = [
        {"item": 1}, {"item": 1, "day": "Mon"}, {"item": 2, "day": "Tue", "late": 1}, {"day": "Mon"}, {"late": 0},
        {"item": (2, 9), "day": "Tue"}, {"day": "Wed", "late": 1}, {},
    ]  # fmt: skip
    for where in wheres:
        chosen = rows
        for name, value in where.items():
            inside = chosen[name].between(*value) if isinstance(value, tuple) else chosen[name] == value
            chosen = chosen[inside]
        found = release.count(where)
        assert found.low <= len(chosen) <= found.high
        assert abs(found.value - len(chosen)) < 0.25 * len(chosen) + 5
        assert found.besides is not None
        assert "shared out evenly" in found.besides.name
    parts = [release.count({"item": 2, "day": day}).value for day in ("Mon", "Tue", "Wed")]
    assert sum(parts) == pytest.approx(release.count({"item": 2}).value)


@pytest.mark.parametrize("count", ["records", "users"])
def test_a_release_survives_saving(count: str, tmp_path: Path) -> None:
    task = Items("item", context="day", count=count)
    release = discreet.open(frame(), SCHEMA, unit=UNIT).publish(task, 1)
    again = discreet.load(release.save(tmp_path / "r"))
    for where in (None, {"item": 3}, {"day": "Mon"}, {"item": (4, 20), "day": "Tue"}, "item = 1 or day = 'Wed'"):
        assert again.count(where) == release.count(where)
    assert again.top(5, {"day": "Tue"}).to_dicts() == release.top(5, {"day": "Tue"}).to_dicts()
    assert again.to_arrow().column_names == ["marginal", "item", "day", "count", "shared_count"]


def test_the_top_of_a_context_is_another_than_that_of_all() -> None:
    release = discreet.open(frame(3000), SCHEMA, unit=UNIT).publish(Items("item", context="day"), 20, noise=ZeroNoise())
    assert release.top(1)["item"] == [1]
    found = release.top(2, per="day")
    best = dict(zip(found["day"][::2], found["item"][::2], strict=True))
    assert best == {"Mon": 1, "Tue": 2, "Wed": 2}
    assert min(found["certainty"][::2]) > 0.9
    two = release.top(1, "day = 'Tue' or day = 'Wed'")
    assert two["item"] == [2]


def test_the_largest_are_selected_among_items_alone() -> None:
    source = discreet.open(frame(3), SCHEMA, unit=UNIT)
    with pytest.raises(BadParameter, match="leave out the context"):
        source.publish(Items("item", context="day", top=3), 1)
    assert source.ledger.spent == 0
