"""What our own engine hands out is what ibis would have handed out."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import ibis
import pyarrow as pa
import pytest

from discreet.private.engines.session import UNLIMITED, arrow_table, kept_table, private_session, quiet, small_table

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


def test_tables_are_those_of_ibis(session: Any) -> None:
    own = session.view("rows", ROWS)
    with quiet():
        backend = ibis.duckdb.from_connection(session.backend.con)
        theirs = backend.table("rows")
    asked: list[Callable[[Any], Any]] = [
        lambda rows: rows,
        lambda rows: rows.group_by("mark").aggregate(n=rows.count(), whole=rows.whole.sum()).order_by("mark").limit(9),
        lambda rows: rows.filter(rows.whole > 5),
        lambda rows: rows.select(text=rows.text.lower(), long=rows.text.length().cast("int64")),
        lambda rows: rows.select(size=rows.real.abs(), day=rows.moment.try_cast("date"), kept=rows.mark),
    ]
    for query in asked:
        found = arrow_table(query(own))
        with quiet():
            expected = backend.to_pyarrow(query(theirs))
        assert found.schema == expected.schema
        assert repr(found.to_pylist()) == repr(expected.to_pylist())


def test_a_kept_table_has_the_types_and_rows_of_its_query(session: Any) -> None:
    rows = session.view("rows", ROWS)
    with kept_table(rows) as kept:
        assert [kept[name].type() for name in kept.columns] == [rows[name].type() for name in rows.columns]
        assert repr(arrow_table(kept).to_pylist()) == repr(arrow_table(rows).to_pylist())
        name = kept.sql.rpartition(" ")[2]
    with pytest.raises(Exception, match="does not exist"):
        session.backend.described(f"SELECT * FROM {name}")


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
