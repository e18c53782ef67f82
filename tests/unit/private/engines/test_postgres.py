"""PostgreSQL: the same counts as everywhere, by a role that may only read, of which no more than cells comes to us."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import ibis
import numpy as np
import pyarrow as pa
import pytest

import discreet
from discreet.errors import BadSpec, PublishFailed, SourceError
from discreet.ledger import Ledger
from discreet.privacy import Unit
from discreet.private.engines.counting_query import count, count_sets
from discreet.private.engines.opening import open_source
from discreet.private.engines.row_histories import histories
from discreet.private.kept import Kept
from discreet.schema import Nominal, Ordinal, Schema
from tests.law.item_cases import records_of_users
from tests.postgres_server import Server
from tests.statistics import compare
from tests.unit.private.engines.plain_counting import ROW, SALT, SCHEMA, frame, made_rows, reference

UNITS = [Unit("user", 4), Unit("user", 9, 2), Unit("user", 3, 1)]
dice = np.random.default_rng()


@pytest.fixture(scope="module")
def people(postgres: Server) -> str:
    return postgres.make("people", frame(made_rows(900, users=40)))


@pytest.fixture
def arrived(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """How many rows each reading from the server gave."""
    import psycopg

    seen: list[int] = []

    def counting(honest: Any) -> Any:
        def counted(cursor: Any, *given: Any) -> Any:
            rows = honest(cursor, *given)
            seen.append(len(rows))
            return rows

        return counted

    for kind in (psycopg.Cursor, psycopg.ServerCursor):
        for name in ("fetchmany", "fetchall"):
            monkeypatch.setattr(kind, name, counting(getattr(kind, name)))
    return seen


def test_counts_are_those_of_plain_python(people: str) -> None:
    assert count(people, SCHEMA, ROW, salt=SALT) == reference(SCHEMA, made_rows(900, users=40))


@pytest.mark.parametrize("unit", UNITS, ids=["plain", "per cell", "distinct"])
def test_the_same_rows_of_users_count_as_on_duckdb(people: str, unit: Unit) -> None:
    schema = SCHEMA.select(["age", "sex", "day"])
    assert count(people, schema, unit, salt=SALT) == count(frame(made_rows(900, users=40)), schema, unit, salt=SALT)


@pytest.mark.parametrize("kind", ["text", "varchar(40)", "numeric", "float8"])
def test_one_rule_for_users(postgres: Server, kind: str) -> None:
    """Names that are one user are one here, too; and others are not, whatever the collation says."""
    if kind in ("numeric", "float8"):
        names = ["1", "1.0", "1e0", "NaN", "-0.0", "0", "Infinity", "12345678.5", None]
    else:
        names = [
            "1", " 01", "1.0", "1e0", "true", "+1_0", "10", "A", "a", "a ", "\u00e9", "e\u0301", "", " ", "nan", None,
            "inf", "Infinity", "1e400", "1e-400", "-0", "1e99999", "0e99999", "2024-05-31 00:00:00", "2024-05-31",
            "6F9619FF-8B86-D011-B42D-00CF4FC964FF", "6f9619ff-8b86-d011-b42d-00cf4fc964ff",
        ]  # fmt: skip
    rows = pa.table({"u": pa.array(names, pa.string()), "x": list(range(len(names)))})
    there = postgres.make("named", rows, u=kind, x="int")
    schema = Schema(x=Ordinal(0, len(names)))
    for unit in (Unit("u", 1), Unit("u", 2, 1)):
        assert count(there, schema, unit, salt=SALT) == count(rows, schema, unit, salt=SALT)


def test_marginals_are_aggregates(people: str, arrived: list[int]) -> None:
    schema = SCHEMA.select(["age", "sex", "flag"])
    sets = [["age"], ["sex", "age"], ["flag", "sex"]]
    cells = sum(schema.select(names).cells for names in sets)
    for unit in (ROW, *UNITS):
        arrived.clear()
        tables = count_sets(people, schema, sets, unit, salt=SALT)
        assert max(arrived) <= cells
        assert len({int(table.counts.sum()) for table in tables}) == 1
        if unit.is_row:
            assert tables == count_sets(frame(made_rows(900, users=40)), schema, sets, unit, salt=SALT)


ITEMS = Schema(item=Nominal(["a", "b", "c"]), day=Ordinal(0, 3, outside="drop"))


def kept_of(there: Any, most: int, distinct: bool = False, scores: Any = None, salt: bytes = SALT) -> Kept:
    return histories(there, ITEMS, Unit("who", 100)).kept(most, distinct=distinct, scores=scores, salt=salt)


@pytest.fixture(scope="module")
def records(postgres: Server) -> str:
    users = np.repeat(np.arange(2000), 4)
    rows = {"who": users, "item": np.tile(list("abca"), 2000), "day": np.tile([0, 1, 2, 3], 2000)}
    return postgres.make("records", pa.table(rows))


@pytest.mark.parametrize("distinct", [False, True])
def test_records_of_items_are_chosen_at_random(records: str, distinct: bool) -> None:
    """Of four records every one is as likely to be the first; of three items, with one of two records, likewise."""
    first = kept_of(records, 2, distinct, salt=dice.bytes(16)).table(1)
    cells = {0: 1 / 6, 3: 1 / 6, 5: 1 / 3, 10: 1 / 3} if distinct else dict.fromkeys((0, 3, 5, 10), 1 / 4)
    assert first.sum() == first[list(cells)].sum() == 2000
    assert compare(first[list(cells)], 2000, np.array(list(cells.values()))).holds


def test_what_is_counted_of_items_is_what_is_kept(records: str, arrived: list[int]) -> None:
    """All records of a user, so nothing is left to chance: the same numbers as beside our own DuckDB."""
    own = pa.table({
        "who": np.repeat(np.arange(2000), 4), "item": np.tile(list("abca"), 2000), "day": np.tile([0, 1, 2, 3], 2000)
    })  # fmt: skip
    places = np.array([0, -1, 1, 1, 0, 0, -1, 2, 2, 2, 0, 1])
    for scores in (None, np.array([1.0, 5.0, 1.0])):
        here, there = (kept_of(source, 4, scores=scores) for source in (own, records))
        assert there.users == here.users == 2000
        asked: list[Callable[[Kept], Any]] = [
            lambda kept: kept.table(4),
            lambda kept: kept.bins(4),
            lambda kept: kept.bins(1),
            lambda kept: kept.shares(3, 1000, np.arange(12)),
            lambda kept: kept.shares(1, 7, places),
            lambda kept: kept.pairs(4, directed=True),
            lambda kept: kept.pairs(4, directed=False),
        ]
        for ask in asked:
            assert np.array_equal(ask(there), ask(here))
    ranked = kept_of(records, 1, scores=np.array([1.0, 5.0, 1.0]))
    assert ranked.table(1).reshape(3, 4).sum(axis=1).tolist() == [0, 2000, 0]
    some = there.table(4, np.arange(2000) % 4 == 0)
    assert some.sum() == 2000
    assert max(arrived) <= 12
    assert records_of_users(kept_of(own, 3), 4).tolist() == [0, 0, 0, 2000, 0]
    assert there.bins(3).tolist() == [0, 0, 2000]


@pytest.mark.parametrize(
    "task",
    [
        discreet.Table("age"),
        discreet.Ranges(["age", "sex"]),
        discreet.Marginals(ways=2),
        discreet.Items("sex", method="even-shares"),
        discreet.Items("sex", method="gs-s"),
        discreet.Items("sex", method="hpa", bound=2, probe=1),
        discreet.Items("sex", context="sex", method="sra"),
    ],
    ids=lambda task: f"{task.name} {task.method}",
)
def test_a_role_that_may_only_select_can_publish(people: str, arrived: list[int], task: Any) -> None:
    schema = Schema(age=Ordinal(0, 99, 10), sex=Nominal(["M", "F", "X"], outside="other"))
    data = discreet.open(people, schema, unit=discreet.Unit("user", max_rows=5))
    data.publish(task, 1)
    assert max(arrived) <= schema.cells + 30


def test_an_ibis_table_keeps_its_connection_and_its_settings(postgres: Server, people: str) -> None:
    backend = ibis.postgres.connect(
        host="127.0.0.1", port=postgres.port, user="master", password="master-password", database="postgres"
    )
    backend.raw_sql("SET DateStyle = 'German'").close()
    table = backend.table("people")
    grown = table.filter(table.sex.notnull()).mutate(sex=table.sex.upper())
    unit, schema = Unit("user", 4), SCHEMA.select(["age", "sex", "day"])
    rows = [{**row, "sex": row["sex"].upper()} for row in made_rows(900, users=40) if row["sex"] is not None]
    assert count(grown, schema, unit, salt=SALT) == count(frame(rows), schema, unit, salt=SALT)
    assert backend.raw_sql("SHOW DateStyle").fetchone()[0].startswith("German")
    backend.disconnect()


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        ({"password": "wr0ng-secret"}, "password or the role is wrong"),
        ({"database": "nowhere"}, "no such database"),
        ({"role": "nobody"}, "password or the role is wrong"),
    ],
)
def test_a_server_that_lets_nobody_in(postgres: Server, change: dict[str, str], reason: str) -> None:
    with pytest.raises(SourceError, match=reason) as failure:
        open_source(f"{postgres.address(**change)}::people")
    assert "wr0ng" not in str(failure.value)
    assert "p@ss" not in str(failure.value)


def test_what_cannot_be_opened(postgres: Server) -> None:
    postgres.run("CREATE TABLE IF NOT EXISTS secret (x int)")
    for ending, reason in {
        "": "says no table", "::nothing": "no such table", "::secret": "GRANT SELECT",
        "::a.b.c.d": "no name of a table",
        '::people"; DROP TABLE secret; --': "no name of a table", "::nowhere.people": "no such",
    }.items():  # fmt: skip
        with pytest.raises(SourceError, match=reason):
            open_source(postgres.address() + ending)
    with pytest.raises(SourceError, match="no connection"):
        open_source("postgresql://reader:hidden@127.0.0.1:1/postgres::people")
    with pytest.raises(SourceError, match="together with others"):
        open_source([f"{postgres.address()}::people", "people.csv"])


def _opened(address: str, tmp_path: Path) -> discreet.Data:
    return discreet.open(address, Schema(x=Ordinal(0, 9)), ledger=tmp_path / "x.ledger", budget=3)


def test_what_fails_for_public_reasons_fails_before_the_charge(postgres: Server, tmp_path: Path) -> None:
    data = _opened(postgres.make("short", pa.table({"x": [1, 2]})), tmp_path)
    postgres.run("REVOKE SELECT ON short FROM reader")
    with pytest.raises(SourceError):
        data.publish(discreet.Table("x"), 1, name="r")
    postgres.run("DROP TABLE short")
    with pytest.raises(SourceError):
        data.publish(discreet.Table("x"), 1, name="r")
    assert Ledger.open(tmp_path / "x.ledger", "data", None).spent == 0


@pytest.mark.parametrize(
    ("task", "function"),
    [
        (discreet.Table("x"), "md5(text)"),
        (discreet.Ranges("x"), "md5(text)"),
        (discreet.Marginals(ways=1), "unnest(anyarray)"),
        (discreet.Items("x", method="even-shares"), "div(numeric, numeric)"),
        (discreet.Items("x", method="gs-s"), "get_bit(bytea, bigint)"),
    ],
    ids=lambda given: given if isinstance(given, str) else f"{given.name} {given.method}",
)
def test_every_task_is_rehearsed_with_its_own_query(postgres: Server, tmp_path: Path, task: Any, function: str) -> None:
    """A role that may not call what only this task needs learns it for free."""
    there = postgres.make("owned", pa.table({"u": [1, 1, 2], "x": [1, 2, 3]}))
    unit = discreet.Unit("u", max_rows=2)
    data = discreet.open(there, Schema(x=Ordinal(0, 9)), unit=unit, ledger=tmp_path / "x.ledger", budget=3)
    postgres.run(f"REVOKE EXECUTE ON FUNCTION {function} FROM PUBLIC")
    try:
        with pytest.raises(SourceError, match="not call a function"):
            data.publish(task, 1, name="r")
    finally:
        postgres.run(f"GRANT EXECUTE ON FUNCTION {function} TO PUBLIC")
    assert data.ledger.spent == 0
    data.publish(task, 1, name="r")
    assert data.ledger.spent == 1


def test_a_table_that_vanishes_after_the_charge(postgres: Server, tmp_path: Path) -> None:
    data = _opened(postgres.make("short", pa.table({"x": [1, 2]})), tmp_path)

    def vanish(stage: str) -> None:
        if stage.startswith("counting"):
            postgres.run("DROP TABLE short")

    with pytest.raises(PublishFailed) as failure:
        data.publish(discreet.Table("x"), 1, name="r", progress=vanish)
    assert "p@ss" not in str(failure.value)
    assert data.ledger.spent == 1
    postgres.make("short", pa.table({"x": [1, 2]}))
    data.publish(discreet.Table("x"), 1, name="r")
    assert data.ledger.spent == 1


def test_a_connection_that_is_cut(postgres: Server, tmp_path: Path) -> None:
    postgres.make("short", pa.table({"x": [1, 2]}))
    postgres.run(
        "CREATE OR REPLACE VIEW slow AS SELECT x + 0 * length(pg_sleep(5)::text) AS x FROM short",
        "GRANT SELECT ON slow TO reader",
    )
    data = _opened(f"{postgres.address()}::slow", tmp_path)

    def cut() -> None:
        theirs = "pg_stat_activity WHERE usename = 'reader' AND state = 'active'"
        end = f"SELECT count(pg_terminate_backend(pid)) FROM {theirs}"
        for _ in range(400):
            if postgres.admin.execute(end).fetchone()[0]:
                return
            time.sleep(0.02)

    cutter = threading.Thread(target=cut)
    with pytest.raises(PublishFailed) as failure:
        data.publish(
            discreet.Table("x"), 1, name="r", progress=lambda stage: cutter.start() if "count" in stage else None
        )
    cutter.join()
    postgres.run("DROP VIEW slow")
    assert "terminat" not in str(failure.value)
    assert data.ledger.spent == 1


def test_long_lists_of_labels_need_no_table(postgres: Server) -> None:
    labels = [f"it's \"{k}\\,{{}}" for k in range(3000)]
    rows = pa.table({"x": [*labels[:50], "other", *labels[2990:]], "y": list(range(61))})
    there = postgres.make("labelled", rows)
    schema = Schema(x=Nominal(labels), y=Nominal(list(range(3, 3000))))
    assert count(there, schema, ROW, salt=SALT) == count(rows, schema, ROW, salt=SALT)


def test_a_column_of_bytes_cannot_name_users(postgres: Server) -> None:
    there = postgres.make("bytes", pa.table({"u": ["a"], "x": [1]}), u="bytea")
    with pytest.raises(SourceError, match="turn its bytes into text"):
        discreet.open(there, Schema(x=Ordinal(0, 9)), unit=discreet.Unit("u", 1)).publish(discreet.Table("x"), 1)


def test_equal_rows_are_numbered_one_by_one(postgres: Server) -> None:
    rows = pa.table({"u": [7] * 5000, "x": [0] * 4000 + [1] * 1000})
    there, schema = postgres.make("busy", rows), Schema(x=Ordinal(0, 1))
    for most in (1, 1500):
        counts = count(there, schema, Unit("u", most), salt=SALT)
        assert counts.counts.sum() == most
        assert counts == count(rows, schema, Unit("u", most), salt=SALT)


def test_a_spec_names_the_table_beside_the_address(postgres: Server, tmp_path: Path) -> None:
    there = postgres.make("visits", pa.table({"age": [30, 31, 32]}))
    spec = tmp_path / "visits.toml"
    spec.write_text(
        f'[data]\nsource = "{there.partition("::")[0]}"\ntable = "public.visits"\n'
        '[attributes.age]\nkind = "ordinal"\nlow = 0\nhigh = 99\n'
        '[releases.by-age]\ntask = "table"\nby = "age"\nepsilon = 1000\n'
    )
    loaded = discreet.load_spec(spec)
    assert loaded.source == there
    assert "p%40ss" not in repr(loaded)
    spec.write_text(spec.read_text().replace('source = "', 'source = ["x.csv", "').replace('"\ntable', '"]\ntable'))
    with pytest.raises(BadSpec, match="table: belongs to one database"):
        discreet.load_spec(spec)
