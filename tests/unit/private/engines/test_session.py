"""What our own engine hands out is what ibis would have handed out."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import ibis
import pyarrow as pa
import pytest

from discreet.private.engines.session import UNLIMITED, arrow_table, private_session, quiet, small_table

ROWS = """
SELECT * FROM (VALUES
    (1, 'a', 1.5::DOUBLE, 2.50::DECIMAL(9, 2), DATE '2024-05-31', TIMESTAMP '2024-05-31 10:00:00', true, 'x'::BLOB),
    (2, NULL, 'nan'::DOUBLE, NULL, NULL, NULL, NULL, NULL),
    (NULL, 'é', NULL, 0.00, DATE '0001-01-01', TIMESTAMP '1969-12-31 23:59:59', false, ''::BLOB)
) AS rows(whole, text, real, exact, day, moment, mark, bytes)
"""


@pytest.fixture
def session() -> Iterator[Any]:
    with private_session(UNLIMITED) as opened:
        yield opened


def _by_ibis(backend: Any, expression: Any) -> Any:
    with quiet():
        return backend.to_pyarrow(expression)


def test_tables_are_those_of_ibis(session: Any) -> None:
    rows = session.view("rows", ROWS)
    sums = rows.group_by("mark").aggregate(n=rows.count(), whole=rows.whole.sum(), exact=rows.exact.sum())
    for expression in (rows, sums.order_by("mark"), rows.filter(rows.whole > 5), rows.select(text=rows.text.upper())):
        found = arrow_table(expression)
        assert found.schema == _by_ibis(session.backend, expression).schema
        assert repr(found.to_pylist()) == repr(_by_ibis(session.backend, expression).to_pylist())


def test_a_table_without_a_backend_of_its_own_is_asked_there(session: Any) -> None:
    table = ibis.memtable(pa.table({"n": [1, 2, 3]}))
    assert arrow_table(table.select(m=table.n * 2), session.backend).to_pydict() == {"m": [2, 4, 6]}


def test_labels_are_found_alike_in_our_engine_and_in_others(session: Any) -> None:
    labels = pa.table({"label": ["a", "é", "nobody"], "code": pa.array([0, 1, 2], pa.int64())})
    with quiet():
        theirs = ibis.duckdb.connect()
    try:
        theirs.raw_sql(f"CREATE VIEW rows AS {ROWS}")
        found = []
        with quiet():
            for backend, rows in ((session.backend, session.view("rows", ROWS)), (theirs, theirs.table("rows"))):
                lookup = small_table(backend, labels)
                joined = rows.left_join(lookup, rows.text == lookup.label).select("text", "code").order_by("code")
                found.append(arrow_table(joined))
        assert found[0].equals(found[1])
    finally:
        theirs.disconnect()
