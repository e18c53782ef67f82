"""Rows against tables: how near they come, and tables that are as odd as tables get."""

from __future__ import annotations

from itertools import combinations
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

import discreet
from discreet.noise import SeededSource
from discreet.noise.noise import Noise
from discreet.release.synthetic_tables import rows_of_tables
from discreet.transforms.effects import Placed

Codes = NDArray[Any]


def generator(seed: int = 1) -> Any:
    return np.random.Generator(np.random.PCG64(seed))


def tables_of(codes: Codes, sizes: list[int], sets: list[tuple[int, ...]]) -> list[Placed]:
    found: list[Placed] = []
    for places in sets:
        table = np.zeros([sizes[place] for place in places])
        np.add.at(table, tuple(codes[:, place] for place in places), 1.0)
        found.append((places, table))
    return found


def people(rows: int, sizes: list[int], seed: int = 3) -> Codes:
    """A chain: each attribute is near the one before it, and the last one also near the first."""
    random = generator(seed)
    shares = [random.random(rows) ** 2]
    for _ in sizes[1:]:
        shares.append((0.7 * shares[-1] + 0.3 * random.random(rows)) ** 1.1)
    shares[-1] = 0.5 * (shares[-1] + shares[0])
    return np.stack([(share * size).astype(np.int64) for share, size in zip(shares, sizes, strict=True)], axis=1)


def off(codes: Codes, sizes: list[int], tables: list[Placed]) -> list[float]:
    """The total variation between rows and each table."""
    mine = tables_of(codes, sizes, [places for places, _ in tables])
    return [0.5 * float(np.abs(a / a.sum() - b / b.sum()).sum()) for (_, a), (_, b) in zip(mine, tables, strict=True)]


@pytest.mark.parametrize("ways", [1, 2, 3])
def test_rows_fit_tables_of_real_records(ways: int) -> None:
    sizes = [30, 2, 7, 5, 12]
    tables = tables_of(people(20_000, sizes), sizes, list(combinations(range(5), ways)))
    rows = rows_of_tables(sizes, tables, 10_000, generator())
    assert max(off(rows, sizes, tables)) < [0.001, 0.02, 0.06][ways - 1]
    assert np.mean(off(rows, sizes, tables)) < [0.001, 0.004, 0.03][ways - 1]


def test_counts_of_single_attributes_come_out_within_a_row() -> None:
    sizes = [30, 2, 7, 5, 12]
    tables = tables_of(people(20_000, sizes), sizes, list(combinations(range(5), 2)))
    rows = rows_of_tables(sizes, tables, 3_000, generator())
    for place, (_, wanted) in enumerate(tables_of(people(20_000, sizes), sizes, [(place,) for place in range(5)])):
        counts = np.bincount(rows[:, place], minlength=sizes[place])
        assert np.abs(counts - wanted * 3_000 / 20_000).max() <= 1


def test_updating_brings_rows_nearer_than_the_forest_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    """A ring of pairs: a forest has to leave one of them out."""
    sizes = [8, 8, 8]
    tables = tables_of(people(20_000, sizes), sizes, [(0, 1), (1, 2), (0, 2)])
    fitted = rows_of_tables(sizes, tables, 5_000, generator())
    monkeypatch.setattr("discreet.release.synthetic_tables._Fit.improve", lambda *_: None)
    drawn = rows_of_tables(sizes, tables, 5_000, generator())
    assert min(off(drawn, sizes, tables)) < 0.01 < max(off(drawn, sizes, tables))
    assert max(off(fitted, sizes, tables)) < 0.3 * max(off(drawn, sizes, tables))


def test_attributes_without_a_pair_are_independent() -> None:
    sizes = [4, 4]
    tables = tables_of(people(20_000, sizes), sizes, [(0,), (1,)])
    rows = rows_of_tables(sizes, tables, 20_000, generator())
    joint = tables_of(rows, sizes, [(0, 1)])[0][1] / 20_000
    assert np.abs(joint - joint.sum(axis=1, keepdims=True) * joint.sum(axis=0)).max() < 0.02


def test_an_attribute_of_no_table_is_spread_evenly() -> None:
    rows = rows_of_tables([2, 4], [((0,), np.array([1.0, 2.0]))], 400, generator())
    assert np.bincount(rows[:, 1]).tolist() == [100, 100, 100, 100]


def test_an_attribute_longer_than_what_is_looked_at_at_once() -> None:
    sizes = [1000, 3]
    tables = tables_of(people(50_000, sizes), sizes, [(0, 1)])
    assert max(off(rows_of_tables(sizes, tables, 50_000, generator()), sizes, tables)) < 1e-9


@pytest.mark.parametrize("n", [1, 2, 7, 1000])
@pytest.mark.parametrize(
    "tables",
    [
        pytest.param([((0,), np.array([3.0]))], id="one attribute of one value"),
        pytest.param([((0, 1), np.array([[5.0]]))], id="values that are the only ones"),
        pytest.param([((0, 1), np.array([[0.0, 0.0], [0.0, 7.0]]))], id="all in one cell"),
        pytest.param([((0, 1), np.full((3, 2), 1e-300))], id="next to nothing"),
        pytest.param([((0, 1), np.full((3, 2), 1e300))], id="more than anything"),
        pytest.param([((1, 0), np.array([[1.0, 2.0, 0.0]]))], id="in another order"),
        pytest.param([((0, 1, 2), np.eye(4).reshape(2, 2, 4)), ((2,), np.arange(4.0))], id="tables that disagree"),
        pytest.param([((0, 1), np.eye(3)), ((1, 2), np.eye(3)[::-1]), ((0, 2), np.eye(3))], id="a contradiction"),
    ],
)
def test_odd_tables_have_rows(tables: list[Placed], n: int) -> None:
    count = 1 + max(place for places, _ in tables for place in places)
    sizes = [0] * count
    for places, table in tables:
        for place, size in zip(places, table.shape, strict=True):
            sizes[place] = size
    rows = rows_of_tables(sizes, tables, n, generator())
    assert rows.shape == (n, count)
    assert (rows >= 0).all()
    assert (rows < np.array(sizes)).all()
    if len(tables) == 1:
        places, table = tables[0]
        assert (table[tuple(rows[:, place] for place in places)] > 0).all()


METHODS: list[dict[str, Any]] = [
    {"method": "equal"},
    {"method": "equal", "consistency": True},
    {"method": "two-phase"},
    {"method": "iresamp"},
    {"method": "ireduct"},
    {"method": "ireduct", "ways": 3},
    {"method": "equal", "ways": 1},
]


@pytest.mark.parametrize("asked", METHODS, ids=lambda asked: "-".join(map(str, asked.values())))
def test_rows_of_any_method_follow_the_records(asked: dict[str, Any]) -> None:
    """With little noise, and the same noise each time."""
    sizes = [9, 2, 5, 4]
    schema = discreet.Schema({f"a{place}": discreet.Ordinal(0, size - 1) for place, size in enumerate(sizes)})
    codes = people(20_000, sizes)
    data = discreet.from_counts(schema, codes, np.ones(len(codes), np.int64))
    release = data.publish(discreet.Marginals(**{"ways": 2, **asked}), 5, noise=Noise(SeededSource(5)))
    table = release.rows(10_000, seed=1).to_arrow()
    rows = np.stack([table[name].to_numpy() for name in schema], axis=1)
    sets = list(combinations(range(4), asked.get("ways", 2)))
    assert max(off(rows, sizes, tables_of(codes, sizes, sets))) < 0.03
