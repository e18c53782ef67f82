"""No value of any type can stop the counting, and every engine gives it the same cell (`value_cases`)."""

from __future__ import annotations

from typing import Any

import duckdb
import pytest

from discreet.private.engines.counting_query import count
from discreet.schema import Schema
from tests.postgres_server import Server
from tests.unit.private.engines.plain_counting import ROW, SALT, shown
from tests.unit.private.engines.value_cases import CASES, Case

ENGINES = ("duckdb", "postgres")


def of_engine(engine: str) -> list[tuple[str, Case]]:
    """Cases that the engine can write, each with the name of its column."""
    return [(f"x{place}", case) for place, case in enumerate(CASES) if getattr(case, engine) is not None]


@pytest.fixture(scope="module", params=ENGINES)
def values(request: pytest.FixtureRequest) -> tuple[str, Any]:
    """An engine, and one row that has a column for each of its cases."""
    columns = ", ".join(f"{getattr(case, request.param)} AS {name}" for name, case in of_engine(request.param))
    if request.param == "duckdb":
        return "duckdb", duckdb.connect().sql(f"SELECT {columns}")
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
    return "postgres", f"{server.address()}::odd_values"


def test_there_are_many_cases() -> None:
    assert len({case.name for case in CASES if case.duckdb and case.postgres}) >= 50


def test_every_value_has_its_cell(values: tuple[str, Any]) -> None:
    engine, rows = values
    cases = [(name, case) for name, case in of_engine(engine) if case.expected is not None]
    schema = Schema({name: case.attribute for name, case in cases})
    ((cell, number),) = shown(count(rows, schema, ROW, salt=SALT)).items()
    found = {case.name: code for (_, case), code in zip(cases, cell, strict=True)}
    assert found == {case.name: case.expected for _, case in cases}
    assert number == 1


def test_values_that_count_nowhere(values: tuple[str, Any]) -> None:
    engine, rows = values
    for name, case in of_engine(engine):
        if case.expected is None:
            assert shown(count(rows, Schema({name: case.attribute}), ROW, salt=SALT)) == {}, case.name
