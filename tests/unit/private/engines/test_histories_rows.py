"""Users' histories from rows of any source: who is who, what is kept of whom, and that others make no difference."""

from __future__ import annotations

import gc
import importlib
import itertools
import sqlite3
from collections import Counter
from contextlib import closing
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

from discreet.errors import BadParameter, SourceError
from discreet.privacy import Unit
from discreet.private.engines.row_histories import RowHistories, histories
from discreet.private.engines.session import Limits
from discreet.private.kept import Kept, KeptRecords
from discreet.schema import Nominal, Ordinal, Schema
from tests.law.item_cases import records_of_users
from tests.statistics import compare

dice = np.random.default_rng()

SCHEMA = Schema(item=Nominal(["a", "b", "c"]), day=Ordinal(0, 3, outside="drop"))


def kept_of(
    frame: Any,
    most: int,
    distinct: bool = False,
    scores: Any = None,
    salt: bytes = b"t" * 16,
    schema: Schema = SCHEMA,
    **more: Any,
) -> KeptRecords:
    made = histories(frame, schema, Unit("who", max_rows=100), **more)
    found = made.kept(most, distinct=distinct, scores=scores, salt=salt)
    assert isinstance(found, KeptRecords)
    return found


def of_users(*who: Any, kind: Any = None) -> pa.Table:
    return pa.table({"who": pa.array(who, kind), "item": ["a"] * len(who), "day": [0] * len(who)})


@pytest.mark.parametrize(
    ("who", "kind", "numbers"),
    [
        ([1, 1, 2, -3, -3, -3, 2**62, -(2**63), 2**63 - 1], pa.int64(), [0, 4, 1, 1]),
        ([1, 1, 2**64 - 1, 2**63, 2**63, 0], pa.uint64(), [0, 2, 2, 0]),
        ([-1, 255 - 256, 3], pa.int16(), [0, 1, 1, 0]),
        (["x", "x ", "X", "x", "", None, "1", "1.0"], pa.string(), [0, 1, 1, 1]),
        ([1.0, 1.5, 1.5, float("nan"), -0.0, 0.0, None], pa.float64(), [0, 1, 2, 0]),
        ([None, None, 4], pa.int64(), [0, 1, 0, 0]),
        ([], pa.int64(), [0, 0, 0, 0]),
        ([], pa.string(), [0, 0, 0, 0]),
    ],
)
def test_users_of_any_type(who: list[Any], kind: Any, numbers: list[int]) -> None:
    """Different ids are different users, however far apart; rows of nobody are left out."""
    kept = kept_of(of_users(*who, kind=kind), 50)
    assert records_of_users(kept, 3).tolist() == numbers
    assert kept.users == sum(numbers)
    assert kept_of(of_users(*who, kind=kind), 1).table(1).sum() == sum(numbers)


def test_parts_that_disagree_on_the_type_of_users(tmp_path: Any) -> None:
    for name, who in (("a", ["1", "1.0", "x"]), ("b", [1, 2, 2]), ("c", [1.0, 2.0, 2.5])):
        pd.DataFrame({"who": who, "item": "b", "day": 3}).to_parquet(tmp_path / f"{name}.parquet")
    kept = kept_of(sorted(tmp_path.glob("*.parquet")), 50)
    assert sorted(np.repeat(np.arange(6), records_of_users(kept, 5)).tolist()) == [1, 1, 3, 4]


def test_records_outside_the_domain_leave_no_trace() -> None:
    """Not even as records that could have been kept: what is kept of a user is that of the other rows alone."""
    good: Any = {"who": [1] * 40 + [2], "item": ["a", "b", "c", "c"] * 10 + ["b"], "day": [0, 1, 2, 3] * 10 + [1]}
    plain = kept_of(pd.DataFrame(good), 7)
    bad: Any = {"who": [1, 3, 3], "item": ["z", None, "a"], "day": [0, 2, 99]}
    mixed_up = pd.DataFrame({name: [*bad[name], *good[name], *bad[name]] for name in good})
    with_bad = kept_of(mixed_up, 7)
    assert with_bad.users == plain.users == 2
    assert records_of_users(with_bad, 8).tolist() == records_of_users(plain, 8).tolist()
    assert np.array_equal(with_bad.table(7), plain.table(7))


def test_rows_are_bounded_whatever_the_source_holds() -> None:
    """Text and number users give the same counts without a bound; with one, no user has more."""
    who, item, day = dice.integers(0, 300, 20_000), dice.choice(["a", "b", "c"], 20_000), dice.integers(0, 4, 20_000)
    rows = pd.DataFrame({"who": who, "item": item, "day": day})
    named = rows.assign(who="u" + rows.who.astype(str))
    everything = np.bincount(rows.item.map(ord) * 4 - 4 * ord("a") + rows.day, minlength=12)
    for frame in (rows, named):
        assert np.array_equal(kept_of(frame, 10**6).table(10**6), everything)
        assert records_of_users(kept_of(frame, 5), 9).tolist() == [0, 0, 0, 0, 0, 300, 0, 0, 0, 0]
        once = kept_of(frame, 9, distinct=True)
        assert records_of_users(once, 9).tolist() == [0, 0, 0, 300, 0, 0, 0, 0, 0, 0]
        assert once.table(9).reshape(3, 4).sum(axis=1).tolist() == [300, 300, 300]


def test_a_user_is_bounded_over_all_groups_of_rows(monkeypatch: pytest.MonkeyPatch) -> None:
    """Millions of rows are offered at a time; here one batch of a few, so that every user is in several groups."""
    monkeypatch.setattr("discreet.private.engines.row_histories._TOGETHER", 1)
    monkeypatch.setattr("discreet.private.engines.session.BATCH_ROWS", 2048)
    rows = pd.DataFrame({"who": np.arange(30_000) % 10, "item": "a", "day": 0})
    for frame in (rows, rows.assign(who="u" + rows.who.astype(str))):
        kept = kept_of(frame, 5)
        assert kept.users == 10
        assert kept.table(5).sum() == kept.table(10**6).sum() == 50


def words_of(kept: Kept) -> list[list[int]]:
    assert isinstance(kept, KeptRecords)
    return [kept._words[a:b].tolist() for a, b in itertools.pairwise(kept._starts.tolist())]


@pytest.mark.parametrize("kind", ["int64", "str", "uint64"])
@pytest.mark.parametrize("distinct", [False, True])
def test_rows_are_chosen_at_random(kind: str, distinct: bool) -> None:
    """Whatever names the users: of four records each, every two of them in every order are equally likely."""
    rows = pd.DataFrame({"who": np.repeat(np.arange(4000), 4).astype(kind), "item": list("abca") * 4000, "day": 0})
    if not distinct:
        rows["day"] = np.tile(np.arange(4), 4000)
    found = Counter(map(tuple, words_of(kept_of(rows, 2, distinct, salt=dice.bytes(16)))))
    ways = list(itertools.permutations([0, 4, 8] if distinct else [0, 5, 10, 3], 2))
    assert set(found) <= set(ways)
    hits = np.array([found[way] for way in ways])
    assert compare(hits, 4000, np.full(len(ways), 1 / len(ways))).holds


@pytest.mark.parametrize("labels", [3, 500])
@pytest.mark.parametrize("kind", ["int64", "str"])
def test_one_more_user_changes_nothing_for_others(kind: str, labels: int) -> None:
    """What is counted changes by what is kept of the new user, at most the bound; also if labels outnumber rows."""
    items, size = [f"i{code}" for code in range(labels)], 30_000 // labels
    schema = Schema(item=Nominal(items), day=Ordinal(0, 3))
    who, item = dice.integers(0, size // 10, size), dice.choice(items[:3], size)
    rows = pd.DataFrame({"who": who, "item": item, "day": np.arange(size) % 4}).astype({"who": kind})
    more = pd.DataFrame({"who": [999_999] * 40, "item": items[:2] * 20, "day": 0}).astype({"who": kind})
    for salt in (dice.bytes(16), dice.bytes(16)):
        for distinct in (False, True):
            before = kept_of(rows, 2, distinct, salt=salt, schema=schema, limits=Limits(1))
            after = kept_of(pd.concat([more, rows, more]), 2, distinct, salt=salt, schema=schema, limits=Limits(1))
            change = after.table(2) - before.table(2)
            assert change.min() >= 0
            assert change.sum() == 2
            assert after.users == before.users + 1
            assert np.abs(after.pairs(2, directed=True) - before.pairs(2, directed=True)).sum() <= 2


def test_the_highest_scores_of_the_rows() -> None:
    rows = pd.DataFrame({"who": ["x"] * 6 + ["y"], "item": list("aabbcca"), "day": [0, 1, 2, 3, 0, 1, 2]})
    for frame in (rows, pl.from_pandas(rows), pl.from_pandas(rows).lazy(), pa.Table.from_pandas(rows)):
        kept = kept_of(frame, 3, scores=np.array([0.0, 9.0, 5.0]))
        assert sorted(sorted(word // 4 for word in mine) for mine in words_of(kept)) == [[0], [1, 1, 2]]
        once = kept_of(frame, 2, True, scores=np.array([0.0, 9.0, 5.0]))
        assert sorted([word // 4 for word in mine] for mine in words_of(once)) == [[0], [1, 2]]


def test_what_is_kept_never_shows_itself() -> None:
    import copy
    import pickle

    kept = kept_of(of_users(4, 4, 7), 5)
    assert repr(kept) == "KeptRecords(private)"
    for copied in (copy.copy, copy.deepcopy, pickle.dumps):
        with pytest.raises(TypeError, match="private"):
            copied(kept)


# --- several looks ----------------------------------------------------------------------------------------------------


def of_many(named: bool) -> pd.DataFrame:
    who: Any = dice.integers(-40, 40, 3000)
    return pd.DataFrame(
        {"who": [f"n{one}" for one in who] if named else who, "item": dice.choice(["a", "b", "c"], 3000), "day": 1}
    )


@pytest.mark.parametrize("named", [False, True])
@pytest.mark.parametrize("room", [None, 1, 20_000])
def test_later_looks_see_what_was_read_or_read_it_again(
    named: bool, room: int | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The same is kept of everybody either way; rows stay in memory if there is room, until the last look."""
    module, readings = importlib.import_module("discreet.private.engines.row_histories"), 0
    batches = module._batches

    def counted(*given: Any) -> Any:
        nonlocal readings
        readings += 1
        return batches(*given)

    frame = of_many(named)
    monkeypatch.setattr(module, "_batches", counted)
    monkeypatch.setattr(module, "_TOGETHER", 700)
    monkeypatch.setattr("discreet.private.engines.session.BATCH_ROWS", 512)
    if room is not None:
        monkeypatch.setattr(module, "remembered_bytes", lambda table: room)
    made = histories(frame, SCHEMA, Unit("who", max_rows=100), looks=3, limits=Limits(1))
    assert isinstance(made, RowHistories)
    for look in range(3):
        salt, scores = dice.bytes(16), np.arange(3.0) if look == 1 else None
        kept = made.kept(4, distinct=look == 2, scores=scores, salt=salt)
        assert bool(made._remembered) == (room is None and look < 2)
        alone = kept_of(frame, 4, look == 2, scores, salt, limits=Limits(1))
        assert np.array_equal(kept.table(4), alone.table(4))
        assert np.array_equal(kept.table(1), alone.table(1))
        assert np.array_equal(kept.pairs(4, directed=True), alone.pairs(4, directed=True))
    assert readings == 3 + (1 if room is None else 3)


def test_where_users_come_does_not_depend_on_what_is_remembered(monkeypatch: pytest.MonkeyPatch) -> None:
    """A sample of users is one of places, so with noise from a seed the release would."""
    frame, salts = of_many(False), [dice.bytes(16) for _ in range(3)]
    module = importlib.import_module("discreet.private.engines.row_histories")
    found = []
    for room in (0, 10**9):
        monkeypatch.setattr(module, "remembered_bytes", lambda table, room=room: room)
        made = histories(frame, SCHEMA, Unit("who", max_rows=100), looks=3, limits=Limits(1))
        found.append([words_of(made.kept(4, distinct=False, scores=None, salt=salt)) for salt in salts])
    assert found[0] == found[1]


def test_engines_that_serve_one_thread_only(tmp_path: Path) -> None:
    import ibis

    with closing(sqlite3.connect(tmp_path / "rows.db")) as file:
        file.execute("CREATE TABLE rows (who INTEGER, item TEXT, day INTEGER)")
        file.executemany("INSERT INTO rows VALUES (?, ?, ?)", [(1, "a", 0), (1, "b", 1), (2, "c", 2)])
        file.commit()
    backend = ibis.sqlite.connect(tmp_path / "rows.db")
    assert records_of_users(kept_of(backend.table("rows"), 2), 2).tolist() == [0, 1, 1]
    backend.disconnect()


@pytest.mark.parametrize("named", [False, True])
def test_a_failure_on_the_way_says_nothing_of_the_data(named: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    """Nor does it leave anything behind: what is left open is told as a warning, and those are errors here."""

    def failing(*_: Any) -> None:
        raise MemoryError("n17")

    monkeypatch.setattr("discreet.private.engines.reservoirs.Reservoirs.offer", failing)
    with pytest.raises(SourceError, match="not shown") as caught:
        kept_of(of_many(named), 2)
    assert "n17" not in str(caught.value)
    gc.collect()


def test_rows_in_memory_are_never_shown() -> None:
    made = histories(of_many(False), SCHEMA, Unit("who", max_rows=100), looks=2)
    assert isinstance(made, RowHistories)
    made.kept(4, distinct=False, scores=None, salt=b"t" * 16)
    assert made._remembered
    assert "array" not in repr(made) + repr(made._remembered)


@pytest.mark.parametrize("distinct", [False, True])
def test_threads_do_not_matter(distinct: bool) -> None:
    count = 200_000
    frame = pa.table(
        {
            "who": dice.integers(0, 9000, count),
            "item": dice.choice(["a", "b"], count),
            "day": dice.integers(0, 4, count),
        }
    )
    one, two = (kept_of(frame, 3, distinct, limits=Limits(threads)) for threads in (1, 4))
    assert one.users == two.users
    if distinct:  # nothing but the order of a user's rows can differ, and with it which day stands for an item
        assert np.array_equal(one.table(3).reshape(3, 4).sum(axis=1), two.table(3).reshape(3, 4).sum(axis=1))
    assert np.array_equal(records_of_users(one, 4), records_of_users(two, 4))


def test_too_many_cells_for_a_key() -> None:
    schema = Schema(item=Ordinal(0, 2**16 - 1), day=Ordinal(0, 2**15 - 1))
    with pytest.raises(BadParameter, match=r"item x day makes 2,147,483,648 cells, too many for items; use fewer"):
        histories(of_many(False), schema, Unit("who", max_rows=3))
