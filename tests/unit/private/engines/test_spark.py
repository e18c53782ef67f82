"""Spark: the same counts as everywhere, by the session that the rows belong to, and no more than cells comes to us."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from dataclasses import replace
from datetime import date
from pathlib import Path
from typing import Any

import ibis
import numpy as np
import pyarrow as pa
import pytest

import discreet
from discreet.errors import PublishFailed, SourceError
from discreet.ledger import Ledger
from discreet.privacy import Unit
from discreet.private.engines.counting_query import count, count_sets
from discreet.private.engines.opening import open_source
from discreet.private.engines.row_histories import histories
from discreet.private.engines.session import UNLIMITED
from discreet.private.kept import Kept
from discreet.schema import Nominal, Ordinal, Periods, Schema
from discreet.schema.reading import Reading
from tests.spark_session import Spark
from tests.statistics import compare
from tests.unit.private.engines.plain_counting import ROW, SALT, SCHEMA, frame, made_rows, reference
from tests.unit.private.engines.value_cases import CASES

#: pyspark leaves sockets to the garbage
pytestmark = pytest.mark.filterwarnings("ignore:unclosed <socket:ResourceWarning")
UNITS = [Unit("user", 4), Unit("user", 9, 2), Unit("user", 3, 1)]
SMALL = SCHEMA.select(["age", "sex", "day"])
WAYS = pytest.mark.parametrize("remote", [False, True], ids=["classic", "connect"])
dice = np.random.default_rng()


@pytest.fixture(scope="module")
def own() -> pa.Table:
    return frame(made_rows(900, users=40))


@pytest.fixture
def arrived(spark: Spark, monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """How many rows each reading from Spark gave; every other way to get rows fails."""
    seen: list[int] = []
    refused = ("collect", "toPandas", "toLocalIterator", "head", "take", "first", "tail", "foreach", "show", "count")

    def forbidden(*_: Any, **__: Any) -> None:
        raise AssertionError("rows were asked for in another way")

    for session in (spark.classic, spark.remote):
        kind = type(session.range(1))
        honest = kind.toArrow

        def counted(frame: Any, honest: Any = honest) -> Any:
            table = honest(frame)
            seen.append(table.num_rows)
            return table

        monkeypatch.setattr(kind, "toArrow", counted)
        for name in refused:
            monkeypatch.setattr(kind, name, forbidden)
    return seen


def test_counts_of_every_type_are_rehearsed_over_no_rows(spark: Spark) -> None:
    """Of each type that a case has, a column; the query over it is planned with another one of the same type."""
    columns = ", ".join(f"{case.spark} AS `x {place}`" for place, case in enumerate(CASES) if case.spark)
    every = spark.classic.sql(f"SELECT {columns}")
    names = {field.dataType.simpleString(): field.name for field in every.schema.fields}
    assert len(names) > 20
    there = open_source(every.select(*names.values()))
    wanted = {f"a{place}": name for place, name in enumerate(names.values())}

    def seen(parts: list[Any]) -> tuple[Any, int]:
        return parts[0].schema(), parts[0].get_backend().to_pyarrow(parts[0].count()).as_py()

    types, rows = there.read(wanted, UNLIMITED, seen)
    assert rows == 1
    assert there.without_rows().read(wanted, UNLIMITED, seen) == (types, 0)


@WAYS
def test_counts_are_those_of_plain_python(spark: Spark, own: pa.Table, remote: bool) -> None:
    there = spark.rows(own, remote=remote)
    assert count(there, SCHEMA, ROW, salt=SALT) == reference(SCHEMA, made_rows(900, users=40))


@WAYS
def test_the_same_rows_of_users_count_as_on_duckdb(spark: Spark, own: pa.Table, remote: bool) -> None:
    there = spark.rows(own, remote=remote).repartition(3)  # in no order
    for unit in UNITS[:1] if remote else UNITS:
        assert count(there, SMALL, unit, salt=SALT) == count(own, SMALL, unit, salt=SALT)


def test_one_rule_for_users(spark: Spark) -> None:
    """Names that are one user are one here, too; and others are not."""
    texts = [
        "1", " 01", "1.0", "1e0", "true", "+1_0", "10", "A", "a", "a ", "a\n", "\u00e9", "e\u0301", "", " ", "nan",
        None, "inf", "Infinity", "1e400",
        "1e-400", "-0", "1e99999", "0e99999", "2024-05-31 00:00:00", "2024-05-31", "1__0",
        "6F9619FF-8B86-D011-B42D-00CF4FC964FF", "6f9619ff-8b86-d011-b42d-00cf4fc964ff", "\u3000b", "b", "2e23", "0x1",
        "1.5", "1.50", "0.00001", "1e-5", "12345678.5", "1d", "{x}", "it's", "9007199254740993",
    ]  # fmt: skip
    floats = [1.0, 0.1, -0.0, 0.0, float("nan"), float("inf"), 12345678.5, 2e23, 1e-5, 1.5e300, 0.00012345678901234567]
    columns = {
        "text": pa.array(texts, pa.string()),
        "float": pa.array([*floats, None]),
        "decimal": pa.array(["1.00", "0.10", "12345678.50", None]).cast(pa.decimal128(20, 2)),
    }
    for names in columns.values():
        rows = pa.table({"u": names, "x": list(range(len(names)))})
        twice = pa.concat_tables([rows, rows])
        schema = Schema(x=Ordinal(0, len(names)))
        there = spark.rows(twice)
        assert count(there, schema, Unit("u", 1), salt=SALT) == count(twice, schema, Unit("u", 1), salt=SALT)


@WAYS
def test_marginals_are_aggregates(spark: Spark, own: pa.Table, arrived: list[int], remote: bool) -> None:
    schema = SCHEMA.select(["age", "sex", "flag"])
    sets = [["age"], ["sex", "age"], ["flag", "sex"]]
    cells = sum(schema.select(names).cells for names in sets)
    for unit in (ROW, UNITS[1]):
        tables = count_sets(spark.rows(own, remote=remote), schema, sets, unit, salt=SALT)
        assert max(arrived) <= cells
        assert len({int(table.counts.sum()) for table in tables}) == 1
        if unit.is_row:
            assert tables == count_sets(own, schema, sets, unit, salt=SALT)


ITEMS = Schema(item=Nominal(["a", "b", "c"]), day=Ordinal(0, 3, outside="drop"))
RECORDS = pa.table({
    "who": np.repeat(np.arange(2000), 4), "item": np.tile(list("abca"), 2000), "day": np.tile([0, 1, 2, 3], 2000)
})  # fmt: skip


def kept_of(there: Any, most: int, distinct: bool = False, scores: Any = None, salt: bytes = SALT) -> Kept:
    return histories(there, ITEMS, Unit("who", 100)).kept(most, distinct=distinct, scores=scores, salt=salt)


@pytest.mark.parametrize("distinct", [False, True])
def test_records_of_items_are_chosen_at_random(spark: Spark, distinct: bool) -> None:
    """Of four records every one is as likely to be the first; of three items, with one of two records, likewise."""
    first = kept_of(spark.rows(RECORDS), 2, distinct, salt=dice.bytes(16)).table(1)
    cells = {0: 1 / 6, 3: 1 / 6, 5: 1 / 3, 10: 1 / 3} if distinct else dict.fromkeys((0, 3, 5, 10), 1 / 4)
    assert first.sum() == first[list(cells)].sum() == 2000
    assert compare(first[list(cells)], 2000, np.array(list(cells.values()))).holds


def test_what_is_counted_of_items_is_what_is_kept(spark: Spark, arrived: list[int]) -> None:
    """All records of a user, so nothing is left to chance: the same numbers as beside our own DuckDB."""
    places = np.array([0, -1, 1, 1, 0, 0, -1, 2, 2, 2, 0, 1])
    here, there = (kept_of(source, 4, scores=np.array([1.0, 5.0, 1.0])) for source in (RECORDS, spark.rows(RECORDS)))
    assert there.users == here.users == 2000
    asked: list[Callable[[Kept], Any]] = [
        lambda kept: kept.table(4),
        lambda kept: kept.bins(4),
        lambda kept: kept.shares(3, 2**40 + 1, np.arange(12)),
        lambda kept: kept.shares(1, 7, places),
        lambda kept: kept.pairs(4, directed=True),
        lambda kept: kept.pairs(4, directed=False),
    ]
    for ask in asked:
        assert np.array_equal(ask(there), ask(here))
    some = np.arange(2000) % 7 == 0
    assert there.table(4, some).sum() == 4 * some.sum()
    assert there.table(4, ~some).tolist() == (there.table(4) - there.table(4, some)).tolist()
    assert max(arrived) <= 12


@pytest.mark.parametrize(
    "task",
    [
        discreet.Table("age"),
        discreet.Ranges(["age", "sex"]),
        discreet.Marginals(ways=2),
        discreet.Items("sex", method="even-shares"),
        discreet.Items("sex", method="hpa", bound=2, probe=1),
    ],
    ids=lambda task: f"{task.name} {task.method}",
)
def test_no_more_than_cells_comes_to_us(spark: Spark, own: pa.Table, arrived: list[int], task: Any) -> None:
    schema = Schema(age=Ordinal(0, 99, 10), sex=Nominal(["M", "F", "X"], outside="other"))
    data = discreet.open(spark.rows(own), schema, unit=discreet.Unit("user", max_rows=5))
    data.publish(task, 1)
    assert 0 < max(arrived) <= schema.cells + 30


@WAYS
def test_nothing_is_left_in_the_session(spark: Spark, own: pa.Table, remote: bool) -> None:
    session = spark.remote if remote else spark.classic
    watched = ("spark.sql.ansi.enabled", "spark.sql.session.timeZone", "spark.sql.mapKeyDedupPolicy")
    with spark.set_to({"session.timeZone": "Asia/Tokyo"}):
        before = [session.conf.get(name) for name in watched]
        labels = [f"label {k} {{}} '\"\\" for k in range(300)]
        schema = Schema(sex=Nominal(["M", *labels]))
        assert count(spark.rows(own, remote=remote), schema, ROW, salt=SALT) == count(own, schema, ROW, salt=SALT)
        assert [session.conf.get(name) for name in watched] == before
    assert session.catalog.listTables() == []


def test_an_ibis_table_in_spark(spark: Spark, own: pa.Table, arrived: list[int]) -> None:
    spark.rows(own).createOrReplaceTempView("people")
    backend = ibis.pyspark.connect(spark.classic)
    try:
        table = backend.table("people")
        grown = table.filter(table.sex.notnull()).mutate(sex=table.sex.upper())
        rows = [{**row, "sex": row["sex"].upper()} for row in made_rows(900, users=40) if row["sex"] is not None]
        assert count(grown, SMALL, UNITS[0], salt=SALT) == count(frame(rows), SMALL, UNITS[0], salt=SALT)
        assert max(arrived) <= SMALL.cells
        data = discreet.open(grown, SMALL)
    finally:
        spark.classic.catalog.dropTempView("people")
    with pytest.raises(SourceError, match="TABLE_OR_VIEW_NOT_FOUND"):
        data.publish(discreet.Table("sex"), 1)
    assert data.ledger.spent == 0


def test_what_cannot_be_counted_is_refused_before_the_charge(spark: Spark, tmp_path: Path) -> None:
    odd = spark.classic.sql(
        "SELECT 1 AS x, '2024-05-31' AS day, X'61' AS bytes, array(1) AS list, timestamp'2024-01-01' AS moment"
    )
    days = Schema(day=Ordinal(date(2024, 1, 1), date(2024, 12, 31), "month"))
    with pytest.raises(SourceError, match="cannot read dates from text"):
        discreet.open(odd, days, ledger=tmp_path / "l", budget=3).publish(discreet.Table("day"), 1)
    for user in ("bytes", "list", "moment"):
        data = discreet.open(odd, Schema(x=Ordinal(0, 9)), unit=Unit(user, 1), ledger=tmp_path / "l")
        with pytest.raises(SourceError, match=f"'{user}' cannot name users"):
            data.publish(discreet.Table("x"), 1)
    with (
        spark.set_to({"parser.escapedStringLiterals": "true"}),
        pytest.raises(SourceError, match="escapedStringLiterals"),
    ):
        discreet.open(odd, Schema(x=Ordinal(0, 9)), ledger=tmp_path / "l").publish(discreet.Table("x"), 1)
    assert Ledger.open(tmp_path / "l", "data", None).spent == 0
    stream = spark.classic.readStream.format("rate").load()
    with pytest.raises(SourceError, match="is a stream"):
        open_source(stream)


NUMBERS = Schema(x=Ordinal(0, 9))


def opened(there: Any, folder: Path) -> discreet.Data:
    return discreet.open(there, NUMBERS, ledger=folder / "x.ledger", budget=3)


@WAYS
def test_no_row_is_read_before_the_charge_and_none_is_shown_after_it(
    spark: Spark, tmp_path: Path, remote: bool
) -> None:
    """A frame that fails on one of its rows, as those of others may."""
    with spark.set_to({"ansi.enabled": "true"}):
        session = spark.remote if remote else spark.classic
        bad = session.createDataFrame(pa.table({"t": ["1", "the-secret"]})).selectExpr("CAST(t AS INT) AS x")
        data = opened(bad, tmp_path)
        data.plan(discreet.Table("x"), 1)
        assert data.ledger.spent == 0
        with pytest.raises(PublishFailed) as failure:
            data.publish(discreet.Table("x"), 1, name="r")
    chain = [failure.value, failure.value.__cause__, failure.value.__context__]
    assert not any("the-secret" in repr(error) for error in chain)
    assert data.ledger.spent == 1


@WAYS
def test_a_table_that_vanishes(spark: Spark, tmp_path: Path, remote: bool) -> None:
    session = spark.remote if remote else spark.classic

    def make() -> None:
        spark.rows(pa.table({"x": [1, 2]})).write.mode("overwrite").saveAsTable("short")

    make()
    data = opened(session.table("short"), tmp_path)

    def vanish(stage: str) -> None:
        if stage.startswith("counting"):
            session.sql("DROP TABLE short")

    with pytest.raises(PublishFailed):
        data.publish(discreet.Table("x"), 1, name="r", progress=vanish)
    with pytest.raises(SourceError, match="TABLE_OR_VIEW_NOT_FOUND" if remote else "short is gone; make"):
        data.publish(discreet.Table("x"), 1, name="another")
    assert data.ledger.spent == 1
    make()
    opened(session.table("short"), tmp_path).publish(discreet.Table("x"), 1, name="r")
    assert Ledger.open(tmp_path / "x.ledger", "data", None).spent == 1
    session.sql("DROP TABLE short")


def test_a_session_that_is_cut(spark: Spark, tmp_path: Path) -> None:
    session = spark.another()
    rows = session.range(5).selectExpr("id AS x")
    data = opened(rows, tmp_path)
    with pytest.raises(PublishFailed):
        data.publish(
            discreet.Table("x"), 1, name="r", progress=lambda stage: session.stop() if "count" in stage else None
        )
    assert data.ledger.spent == 1
    with pytest.raises(SourceError, match="does not answer"):
        open_source(rows.select("x"))


def test_a_job_that_is_cancelled(spark: Spark, tmp_path: Path) -> None:
    waiting = "id + 0 * length(coalesce(reflect('java.lang.Thread', 'sleep', 60000L), '')) AS x"
    data = opened(spark.classic.range(5).selectExpr(waiting), tmp_path)
    context = spark.classic.sparkContext

    def cut() -> None:
        while not context.statusTracker().getActiveJobsIds():
            time.sleep(0.02)
        context.cancelAllJobs()

    cutter = threading.Thread(target=cut)
    with pytest.raises(PublishFailed) as failure:
        data.publish(discreet.Table("x"), 1, progress=lambda stage: cutter.start() if "count" in stage else None)
    cutter.join()
    assert "cancel" not in str(failure.value)
    assert data.ledger.spent == 1


def test_equal_rows_are_numbered_in_blocks(spark: Spark) -> None:
    rows = pa.table({"u": [7] * 5000, "x": [0] * 4000 + [1] * 1000})
    for most in (1, 1500):
        counts = count(spark.rows(rows), Schema(x=Ordinal(0, 1)), Unit("u", most), salt=SALT)
        assert counts.counts.sum() == most
        assert counts == count(rows, Schema(x=Ordinal(0, 1)), Unit("u", most), salt=SALT)


def test_letters_of_any_case_and_padded_ones(spark: Spark) -> None:
    names = ["STRASSE", "\u0130X", "\u03a3A\u03a3", "\u212a", "\u00c9"]
    rows = pa.table({"x": names})
    schema = Schema(x=Nominal(["strasse", "ix", "\u03c3a\u03c3", "k", "\u00e9"], reading=Reading(ignore_case=True)))
    assert count(spark.rows(rows), schema, ROW, salt=SALT) == count(rows, schema, ROW, salt=SALT)
    spark.classic.sql("CREATE TABLE padded (x CHAR(5)) USING parquet")
    try:
        spark.classic.sql("INSERT INTO padded VALUES ('a')")
        assert count(spark.classic.table("padded"), Schema(x=Nominal(["a"])), ROW, salt=SALT).counts.tolist() == [1]
    finally:
        spark.classic.sql("DROP TABLE padded")


def test_users_named_by_floats_of_32_bits(spark: Spark) -> None:
    """Of which some are written in other ways by Spark, by DuckDB, or by both than is shortest."""
    users = [378544.875, 1236798.25, 0.1, 1e-40, 9396850498994176.0, float("inf"), -0.0, float("nan")]
    own = pa.table({"u": pa.array(users * 50, pa.float32()), "x": [place % 37 for place in range(400)]})
    schema = Schema(x=Ordinal(0, 36))
    counts = count(own, schema, Unit("u", 3), salt=SALT)
    assert counts == count(spark.rows(own), schema, Unit("u", 3), salt=SALT)
    assert counts.counts.sum() == 3 * 7


def test_rows_of_one_period_and_how_rows_fit(spark: Spark, own: pa.Table) -> None:
    periods, schema = Periods("day", "month"), SCHEMA.select(["sex", "day"])
    both = [
        discreet.open(source, schema, unit=UNITS[0], periods=periods).during("2024-03")
        for source in (own, spark.rows(own))
    ]
    here, there = (data.origin.bounded(data.schema, data.unit, SALT).table() for data in both)
    assert here == there
    assert here.counts.sum() > 0
    fits = [discreet.open(source, schema, unit=UNITS[0]).check() for source in (own, spark.rows(own))]
    assert replace(fits[0], source="") == replace(fits[1], source="")


def test_the_example_of_the_page_runs(spark: Spark) -> None:
    page = (Path(__file__).parents[4] / "docs" / "sources.md").read_text(encoding="utf-8")
    example = page.partition("## Spark")[2].partition("```python\n")[2].partition("```")[0]
    visits = pa.table({"patient": [1, 1, 2], "age": [30, 31, 32], "ward": ["A", "B", "C"]})
    spark.classic.sql("CREATE DATABASE clinic")
    try:
        spark.rows(visits).write.saveAsTable("clinic.visits")
        assert "getOrCreate()" in example
        exec(example, {})
    finally:
        spark.classic.sql("DROP DATABASE clinic CASCADE")
