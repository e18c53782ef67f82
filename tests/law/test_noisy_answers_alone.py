"""What is published follows from noisy answers alone: if these are the same for all data, so is everything else.

The noise here ignores what it is added to. So two sets of data that have nothing in common must lead to the same calls,
the same words of progress, the same release. A choice by exact counts, cells left out because they are empty, draws
that are repeated until they please, an exact number in the manifest: all of them show.

Sparse methods ask for noise on occupied cells and draw the others by their law; for them see `test_sparse_enumeration`.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import pyarrow as pa
import pytest

from discreet.mechanisms.items import item_sizes
from discreet.mechanisms.items.item_selection import ItemSelection
from discreet.mechanisms.table.table_sparse import Sparse
from discreet.privacy import Number, Unit
from discreet.private.open_data import from_counts, open_data
from discreet.private.publish import Data
from discreet.tasks import Items, Marginals, Ranges, Table, Task
from tests.conformance.examples import EXAMPLES, SCHEMA, made
from tests.conformance.test_answers import CODES, COUNTS
from tests.law.deaf_noise import Deaf, Ints, StreamOfItsOwn
from tests.law.item_cases import Rows
from tests.law.item_cases import made as method_of_items


def is_sparse(task: Task) -> bool:
    return isinstance(made(task), Sparse)


EVERY = [task for tasks in EXAMPLES.values() for task in tasks if not is_sparse(task)]
#: and with what the examples leave to chance, or leave out
MORE: list[Task] = [
    Table(["age", "sex", "place"]),
    Items("place", method="sra", rescale=True),
    Items("age", method="fpa"),
    Items("age", method="gs"),
    Items("age", context=["sex"], method="gs-s", sampling="rows"),
    Marginals([["age"], ["sex", "place"]], method="ireduct", start=50, step=1, sanity=5),
    Ranges(["age", "place"], method="privelet", write="cells"),
]
OF_USERS: list[Task] = [
    *(task for task in [*EVERY, *MORE] if isinstance(task, Items)),
    Items("age", method="hpa", bound=2, probe=2),
    Items("place", method="sra", bound=2, rescale=True),
    Items("age", context="age", method="sra", count="users"),
]
each_task = pytest.mark.parametrize("task", [*EVERY, *MORE], ids=lambda task: task.method)


def of_counts(counts: Any) -> Data:
    return from_counts(SCHEMA, CODES, counts)


def of_users(users: Sequence[Sequence[int]]) -> Data:
    """One list of cells for each user."""
    rows = [(who, *CODES[cell].tolist()) for who, cells in enumerate(users) for cell in cells]
    columns: dict[str, list[Any]] = {"who": [row[0] for row in rows]}
    for place, (name, attribute) in enumerate(SCHEMA.items(), start=1):
        columns[name] = [attribute.label(row[place]) for row in rows]
    return open_data(pa.table(columns), SCHEMA, unit=Unit("who", max_rows=3))


def outcome(data: Data, task: Task, epsilon: str = "0.3") -> dict[str, Any]:
    """All that anyone may see, and all that noise was asked for."""
    noise, said = Deaf(), list[str]()
    release = data.publish(task, epsilon, name="one", noise=noise, progress=said.append)
    manifest = {key: value for key, value in release.manifest.items() if key not in ("time", "ledger", "seal")}
    return {
        "asked": noise.asked,
        "streams": noise.source.opened if isinstance(noise.source, StreamOfItsOwn) else 0,
        "said": said,
        "manifest": manifest,
        "table": release.summary.stored().to_pydict(),
    }


@each_task
def test_all_counts_lead_to_the_same_release(task: Task) -> None:
    none = np.zeros_like(COUNTS)
    few, last = none.copy(), none.copy()
    few[0], last[-1] = 1, 10**6
    first = outcome(of_counts(COUNTS), task)
    for counts in (none, few, last):
        assert outcome(of_counts(counts), task) == first


@pytest.mark.parametrize("task", OF_USERS, ids=lambda task: task.method)
def test_all_users_lead_to_the_same_release(task: Task) -> None:
    many = [[cell, (cell * 5 + 1) % len(CODES), 0, 7, 7, 7][: 1 + cell % 6] for cell in range(len(CODES))]
    found = [outcome(of_users(users), task) for users in (many, [[3]] * len(many), [[9, 9, 9, 9]])]
    assert found[0] == found[1] == found[2]


def test_whether_items_are_selected_follows_from_noisy_numbers() -> None:
    """Of users with three different items each two would be selected, of those with one all would be counted."""
    apart = np.unique(CODES[:, 0], return_index=True)[1][:3].tolist()
    found = [outcome(of_users([cells] * 40), Items("age", top=2), "30") for cells in (apart, apart[:1])]
    assert found[0] == found[1]


@pytest.mark.parametrize("count", ["records", "users"])
def test_all_bounds_of_even_shares_follow_from_noisy_numbers(count: str) -> None:
    """Also at an epsilon at which exact numbers would choose others: for few records or many, alike or of all items."""
    unit, found = Unit("who", max_rows=20), []
    for users in ([[0]] * 60, [[0] * 20] * 60, [[(who + i) % 40 for i in range(20)] for who in range(60)], []):
        noise = Deaf()
        summary = method_of_items("even-shares", (40,), 30, unit, count=count).measure(Rows((40,), users), noise)
        found.append((noise.asked, summary.facts(), summary.to_arrow().to_pydict()))
    assert all(one == found[0] for one in found)


@pytest.mark.parametrize("asked", [{}, {"top": 4}], ids=["all", "top"])
def test_which_items_are_looked_at_twice_follows_from_noisy_numbers(
    asked: dict[str, int], monkeypatch: pytest.MonkeyPatch
) -> None:
    for name, value in {"_HIDDEN": -1, "_HIDDEN_TOP": -1, "_SELECTED": 0}.items():
        monkeypatch.setattr(item_sizes, name, value)
    unit, found = Unit("who", max_rows=20), []
    for users in (
        [[0]] * 60,
        [[who % 160] * 20 for who in range(160)],
        [[(who + i) % 40 for i in range(20)] for who in range(60)],
        [],
    ):
        noise = Deaf()
        summary = method_of_items("even-shares", (160,), 30, unit, **asked).measure(Rows((160,), users), noise)
        assert "listed" in summary.facts()
        found.append((noise.asked, summary.facts(), summary.to_arrow().to_pydict()))
    assert all(one == found[0] for one in found)


def test_the_order_of_selected_items_follows_from_noisy_numbers(monkeypatch: pytest.MonkeyPatch) -> None:
    """Each item has one user more than the one before it, or one fewer, or none."""
    monkeypatch.setattr(ItemSelection, "selecting_is_better", lambda *_: True)
    unit, found = Unit("who", max_rows=20), []
    for users in ([range(who, 12) for who in range(12)], [range(12 - who) for who in range(12)], []):
        summary = method_of_items("even-shares", (12,), 30, unit, top=4).measure(Rows((12,), users), Deaf())
        assert summary.shape == "selected-counts"
        found.append(summary.to_arrow().to_pydict())
    assert found[0] == found[1] == found[2]


@pytest.mark.parametrize("task", [task for task in EVERY if made(task).rehearsal == "exact"], ids=lambda t: t.method)
def test_nothing_is_drawn_again_because_of_what_came_out(task: Task) -> None:
    """Where noise does not depend on the data, what is asked for does not depend on noise."""
    asked = []
    for seed in range(5):
        noise = Deaf(seed)
        of_counts(COUNTS).publish(task, "0.3", noise=noise)
        asked.append(noise.asked)
    assert all(mine == asked[0] for mine in asked)


def test_what_the_noise_is_deaf_to_shows_without_it() -> None:
    """The same test fails if a method looks at exact counts."""

    class Leaky(Deaf):
        def add_into(self, table: Ints, scale: Number) -> None:
            empty = table == 0
            super().add_into(table, scale)
            table[empty] = 0

    task = Table(["age"], method="geometric")
    tables = [of_counts(counts).publish(task, 1, noise=Leaky()).summary.stored() for counts in (COUNTS, 0 * COUNTS)]
    assert not tables[0].equals(tables[1])
