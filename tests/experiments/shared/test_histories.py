"""Histories that are made up have the published sizes, repeat, and are skewed; real ones may be absent."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from experiments.shared.item_histories import documents, retail
from experiments.shared.made_up_histories import PUBLISHED, records_per_user, synthetic

#: name: how many times fewer users
SMALL = {"checkin": 100, "trajectory": 20, "movielens": 5, "foursquare": 20, "gowalla": 1, "document": 8000}


@pytest.mark.parametrize("name", SMALL)
def test_made_up_histories_have_the_published_sizes(name: str) -> None:
    spec, found = PUBLISHED[name], synthetic(name, 1, SMALL[name])
    numbers = np.bincount(found.users)
    assert numbers.size == round(spec.users / SMALL[name])
    assert numbers.sum() == found.items.size == round(spec.records / SMALL[name])
    items = round(spec.items / SMALL[name]) if spec.items_too else spec.items
    assert (numbers.max(), found.item_count) == (spec.most, items)
    assert numbers.min() >= spec.least
    assert 0 <= found.items.min() <= found.items.max() < items
    assert np.all(np.diff(found.users) >= 0)
    words = found.users * items + found.items
    assert (np.unique(words).size == words.size) == (not spec.repeats)


def test_they_are_repeatable_and_skewed() -> None:
    one, same, other = (synthetic("movielens", seed, 5) for seed in (1, 1, 2))
    assert np.array_equal(one.items, same.items)
    assert not np.array_equal(one.items, other.items)
    counts = np.bincount(one.items, minlength=one.item_count)
    assert counts.max() > 5 * np.median(counts)


def test_items_depend_on_contexts_mildly() -> None:
    found = synthetic("movielens", 1)
    assert found.context_sizes == {"gender": 2, "age": 3, "day": 7}
    for name, size in found.context_sizes.items():
        table = np.bincount(found.items * size + found.contexts[name], minlength=found.item_count * size)
        table = table.reshape(-1, size)
        chance = np.sqrt(table.sum(axis=1)[:, None] * np.ones(size) / size)
        apart = np.abs(table - table.sum(axis=1)[:, None] * table.sum(axis=0) / table.sum())
        assert 1.5 * chance.sum() < apart.sum() < 0.5 * table.sum()
    # a user has one gender and one age
    for name in ("gender", "age"):
        assert np.all(np.diff(found.contexts[name])[np.diff(found.users) == 0] == 0)


def test_sizes_that_cannot_be_are_refused() -> None:
    with pytest.raises(ValueError, match="cannot have"):
        records_per_user(10, 5, 3, 1)


def test_real_data_may_be_absent(tmp_path: Path) -> None:
    assert retail(tmp_path) is None
    assert documents(tmp_path) is None
