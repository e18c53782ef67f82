"""No value of any type can stop the counting, and every engine gives it the same cell (`value_cases`)."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import duckdb
import pytest

from discreet.private.engines.counting_query import count
from discreet.schema import Schema
from tests.postgres_server import Server
from tests.spark_session import Spark
from tests.unit.private.engines.plain_counting import ROW, SALT, shown
from tests.unit.private.engines.value_cases import CASES, Case

#: Spark in its two ways, each with settings that must not matter; compiling such wide queries would take a minute
_INTERPRETED = {"codegen.wholeStage": "false", "codegen.factoryMode": "NO_CODEGEN"}
SPARK = {
    "spark": {"ansi.enabled": "true", "session.timeZone": "America/Sao_Paulo", **_INTERPRETED},
    "spark connect": {"ansi.enabled": "false", "session.timeZone": "Asia/Tokyo", **_INTERPRETED},
}
#: so many in one query, which planning takes long for if it is wide
TOGETHER = 20
ENGINES = ("duckdb", "postgres", *SPARK)


def of_engine(engine: str) -> list[tuple[str, Case]]:
    """Cases that the engine can write, each with the name of its column."""
    own = engine.partition(" ")[0]
    return [(f"x{place}", case) for place, case in enumerate(CASES) if getattr(case, own) is not None]


@pytest.fixture(scope="module", params=ENGINES)
def values(request: pytest.FixtureRequest) -> Iterator[tuple[str, Any]]:
    """An engine, and one row that has a column for each of its cases."""
    own = request.param.partition(" ")[0]
    columns = ", ".join(f"{getattr(case, own)} AS {name}" for name, case in of_engine(own))
    if own == "duckdb":
        yield "duckdb", duckdb.connect().sql(f"SELECT {columns}")
        return
    if own == "spark":
        spark: Spark = request.getfixturevalue("spark")
        with spark.set_to(SPARK[request.param]):
            session = spark.remote if "connect" in request.param else spark.classic
            # of values that are only written in the query, all would be settled by its planning
            yield request.param, session.sql(f"SELECT {columns}").localCheckpoint()
        return
    server: Server = request.getfixturevalue("postgres")
    server.run(
        "DROP TABLE IF EXISTS odd_values",
        "DROP TYPE IF EXISTS mood, pair",
        "CREATE TYPE pair AS (a integer, b integer)", "CREATE TYPE mood AS ENUM ('b', 'a')",
        "DROP DOMAIN IF EXISTS score", "CREATE DOMAIN score AS integer CHECK (VALUE < 1000)",
        f"CREATE TABLE odd_values AS SELECT {columns}", "GRANT SELECT ON odd_values TO reader",
        # what a session might be set to, and must not matter
        "ALTER ROLE reader SET TimeZone = 'Asia/Tokyo'", "ALTER ROLE reader SET DateStyle = 'German'",
        "ALTER ROLE reader SET extra_float_digits = -5",
    )  # fmt: skip
    yield "postgres", f"{server.address()}::odd_values"


def test_there_are_many_cases() -> None:
    assert len({case.name for case in CASES if case.duckdb and case.postgres}) >= 50
    assert len({case.name for case in CASES if case.spark and case.duckdb}) >= 50


def test_every_value_has_its_cell(values: tuple[str, Any]) -> None:
    engine, rows = values
    cases = [(name, case) for name, case in of_engine(engine) if case.expected is not None]
    for first in range(0, len(cases), TOGETHER):
        some = cases[first : first + TOGETHER]
        schema = Schema({name: case.attribute for name, case in some})
        ((cell, number),) = shown(count(rows, schema, ROW, salt=SALT)).items()
        found = {case.name: code for (_, case), code in zip(some, cell, strict=True)}
        assert found == {case.name: case.expected for _, case in some}
        assert number == 1


def test_values_that_count_nowhere(values: tuple[str, Any]) -> None:
    engine, rows = values
    for name, case in of_engine(engine):
        if case.expected is None:
            assert shown(count(rows, Schema({name: case.attribute}), ROW, salt=SALT)) == {}, case.name
