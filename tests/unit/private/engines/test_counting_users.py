"""The rows that are kept of each user: never above the bounds, chosen uniformly, within the limits of memory."""

from __future__ import annotations

import math
import random
from collections import Counter
from decimal import Decimal
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from scipy.stats import chi2

from discreet.errors import BadParameter, SourceError
from discreet.privacy import Unit
from discreet.private.engines.counting_query import count
from discreet.private.engines.session import Limits
from discreet.schema import Ordinal, Schema
from tests.unit.private.engines.plain_counting import ROW, SALT, SCHEMA, csv, frame, made_rows, reference, shown


def test_users_within_the_bound_keep_every_row() -> None:
    rows = made_rows(300, users=40)
    busiest = max(Counter(row["user"] for row in rows if row["user"] is not None).values())
    with_user = [row for row in rows if row["user"] is not None]
    assert count(frame(rows), SCHEMA, Unit("user", busiest), salt=SALT) == reference(SCHEMA, with_user)


@settings(max_examples=8, suppress_health_check=[HealthCheck.too_slow])
@given(
    st.lists(st.tuples(st.integers(0, 3), st.integers(0, 2)), max_size=40),
    st.integers(1, 6),
    st.none() | st.integers(1, 4),
    st.binary(min_size=1),
)
def test_bounds_hold_for_every_user(rows: list[tuple[int, int]], most: int, per_cell: int | None, salt: bytes) -> None:
    # the user is also an attribute, so that the counts show what was kept of each
    table = pa.table({"u": pa.array([u for u, _ in rows], pa.int64()), "x": pa.array([x for _, x in rows], pa.int64())})
    schema = Schema(u=Ordinal(0, 3), x=Ordinal(0, 2))
    kept = shown(count(table, schema, Unit("u", most, per_cell), salt=salt))
    for person in range(4):
        have = Counter(x for u, x in rows if u == person)
        capped = {x: min(n, per_cell or n) for x, n in have.items()}
        mine = {cell[1]: n for cell, n in kept.items() if cell[0] == person}
        assert sum(mine.values()) == min(most, sum(capped.values()))
        assert all(n <= capped[x] for x, n in mine.items())


@pytest.mark.parametrize("most", [1, 2, 5])
@pytest.mark.parametrize("per_cell", [None, 1, 2])
def test_users_just_below_at_and_above_the_bound(most: int, per_cell: int | None) -> None:
    """One row above the bound is one too many."""
    people = [(u, x % 3) for u in range(most + 3) for x in range(u)]  # user u has u rows
    table = pa.table({"u": [u for u, _ in people], "x": [x for _, x in people]})
    kept = shown(count(table, Schema(u=Ordinal(0, most + 2), x=Ordinal(0, 2)), Unit("u", most, per_cell), salt=SALT))
    for person in range(most + 3):
        have = Counter(x for u, x in people if u == person)
        capped = sum(min(n, per_cell or n) for n in have.values())
        assert sum(n for cell, n in kept.items() if cell[0] == person) == min(most, capped)


def test_what_is_kept_of_a_user_does_not_depend_on_others() -> None:
    schema = Schema(u=Ordinal(0, 9), x=Ordinal(0, 99))
    choose = random.Random(3)
    rows = [(u, choose.randrange(100)) for u in range(10) for _ in range(50)]

    def kept(some: list[tuple[int, int]], user: int) -> dict[Any, int]:
        table = pa.table({"u": [u for u, _ in some], "x": [x for _, x in some]})
        return {cell: n for cell, n in shown(count(table, schema, Unit("u", 5), salt=SALT)).items() if cell[0] == user}

    assert kept(rows, 4) == kept([row for row in rows if row[0] in (4, 7)], 4)


@pytest.mark.parametrize("unit", [Unit("user", 4), Unit("user", 5, 2)])
def test_order_chunks_and_threads_do_not_matter(unit: Unit, tmp_path: Path) -> None:
    rows = made_rows(5000, users=300)
    schema = SCHEMA.select(["age", "sex", "day"])
    wanted = count(frame(rows), schema, unit, salt=SALT, limits=Limits(1))
    random.Random(5).shuffle(rows)
    assert count(frame(rows), schema, unit, salt=SALT, limits=Limits(4)) == wanted
    pq.write_table(frame(rows[::-1]), tmp_path / "rows.parquet", row_group_size=100)
    assert count(tmp_path / "rows.parquet", schema, unit, salt=SALT, limits=Limits(2)) == wanted
    assert count(csv(rows, tmp_path), schema, unit, salt=SALT, limits=Limits(3)) == wanted
    assert count(frame(rows), schema, unit, salt=b"another") != wanted


def _chi_square(observed: Counter[Any], law: dict[Any, float]) -> float:
    total = sum(observed.values())
    assert set(observed) <= set(law)
    statistic = sum((observed[key] - total * share) ** 2 / (total * share) for key, share in law.items())
    return float(chi2.sf(statistic, len(law) - 1))


@pytest.mark.parametrize("text", [False, True], ids=["numbered", "named"])
def test_the_choice_is_uniform(text: bool) -> None:
    """Rows 0, 1, 2, 2, 2, 3 of each of many users, of which two are kept: every pair of rows is as likely."""
    users, cells = 6000, [0, 1, 2, 2, 2, 3]
    pairs = [(cells[i], cells[j]) for i in range(6) for j in range(i + 1, 6)]
    law = {pair: share / len(pairs) for pair, share in Counter(pairs).items()}
    people = np.repeat(np.arange(users), len(cells))
    names = pa.array([f"person {k}" for k in people]) if text else pa.array(people)
    table = pa.table({"name": names, "u": people, "x": np.tile(cells, users)})
    counts = count(table, Schema(u=Ordinal(0, users - 1), x=Ordinal(0, 3)), Unit("name", 2), salt=b"fresh")
    kept: dict[int, list[int]] = {}
    for (person, cell), n in shown(counts).items():
        kept.setdefault(person, []).extend([cell] * n)
    assert _chi_square(Counter(tuple(sorted(pair)) for pair in kept.values()), law) > 1e-9
    # and neighbours in the numbering of users are independent
    both = Counter((kept[k][0], kept[k + 1][0]) for k in range(0, users, 2))
    single = Counter(pair[0] for pair in pairs)
    joint = {(a, b): single[a] * single[b] / 225 for a in single for b in single}
    assert _chi_square(both, joint) > 1e-9


def test_the_choice_is_uniform_over_salts() -> None:
    table = pa.table({"u": [1] * 8, "x": [0, 0, 0, 0, 0, 1, 1, 2]})
    schema, unit = Schema(x=Ordinal(0, 2)), Unit("u", 1)
    seen = Counter(next(iter(shown(count(table, schema, unit, salt=bytes([k]))))) for k in range(30))
    assert _chi_square(seen, {(0,): 5 / 8, (1,): 2 / 8, (2,): 1 / 8}) > 1e-9


def test_one_user_with_a_million_rows() -> None:
    cells = np.zeros(1_000_000, dtype=np.int64)
    cells[:250_000] = 1
    people = np.full(1_000_000, 77)
    table = pa.table({"u": np.append(people, [1, 2, 3]), "x": np.append(cells, [2, 2, 2])})
    counts = shown(count(table, Schema(x=Ordinal(0, 2)), Unit("u", 1000), salt=SALT))
    assert counts[(0,)] + counts[(1,)] == 1000
    assert abs(counts[(1,)] - 250) < 7 * math.sqrt(1000 * 0.25 * 0.75)
    assert counts[(2,)] == 3
    capped = shown(count(table, Schema(x=Ordinal(0, 2)), Unit("u", 1000, 400), salt=SALT))
    assert capped == {(0,): 400, (1,): 400, (2,): 3}


@pytest.mark.parametrize(
    "users",
    [
        pa.array([1.0, 1.0, float("nan"), -0.0, 0.0, None]),
        pa.array(["1", "1.0", "", "0.0", "0", None]),
        pa.array([Decimal("1.0"), Decimal("1.0"), None, Decimal("0.0"), Decimal("0.0"), None]),
        pa.array([True, True, None, False, False, None]),
        pa.array(["1", "1", None, "0", "0", None]).dictionary_encode(),
    ],
    ids=["float", "text", "decimal", "boolean", "dictionary"],
)
def test_one_user_is_one_user(users: pa.Array) -> None:
    table = pa.table({"u": users, "x": [0] * 6})
    assert shown(count(table, Schema(x=Ordinal(0, 2)), Unit("u", 1), salt=SALT)) == {(0,): 2}


def test_a_column_that_cannot_name_users() -> None:
    table = pa.table({"u": [[1], [2]], "x": [0, 0]})
    with pytest.raises(SourceError, match="'u' cannot name users"):
        count(table, Schema(x=Ordinal(0, 2)), Unit("u", 1), salt=SALT)


def test_the_unit_may_be_an_attribute_too() -> None:
    table = pa.table({"x": [0, 0, 1, 2]})
    assert shown(count(table, Schema(x=Ordinal(0, 2)), Unit("x", 1), salt=SALT)) == {
        (0,): 1,
        (1,): 1,
        (2,): 1,
    }


@pytest.mark.parametrize("salt", [b"", "text", None])
def test_a_salt_is_needed(salt: Any) -> None:
    with pytest.raises(BadParameter, match="salt"):
        count(pa.table({"x": [0]}), Schema(x=Ordinal(0, 2)), ROW, salt=salt)


@pytest.mark.parametrize("limits", [{"threads": 0}, {"memory": "lots"}])
def test_wrong_limits(limits: dict[str, Any]) -> None:
    with pytest.raises(BadParameter):
        count(pa.table({"x": [0]}), Schema(x=Ordinal(0, 2)), ROW, salt=SALT, limits=Limits(**limits))


def test_a_table_larger_than_memory(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    users = np.arange(1_500_000) % 1_000_003
    table = pa.table({"u": users, "x": users % 5})
    counts = shown(count(table, Schema(x=Ordinal(0, 4)), Unit("u", 2, 1), salt=SALT, limits=Limits(memory="40MB")))
    assert counts == dict(sorted(Counter((int(k),) for k in (np.arange(1_000_003) % 5)).items()))
    assert list(tmp_path.iterdir()) == []
