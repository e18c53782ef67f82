"""SQL of our own: types are those that DuckDB finds, nothing can end a literal, and no column means another one."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from datetime import date
from typing import Any

import pyarrow as pa
import pytest

from discreet.private.engines.counting_query import count
from discreet.private.engines.session import UNLIMITED, arrow_table, private_session
from discreet.private.engines.sql import language
from discreet.private.engines.sql.connection import OwnDuckdb
from discreet.schema import Nominal, Ordinal, Schema
from discreet.schema.reading import Reading
from tests.unit.private.engines.plain_counting import ROW, SALT, shown

#: what ends names, texts or queries somewhere, and what stands for columns or values in SQL that is put together
ODD = [
    "'", '"', "''", "\\", "\\'", "'); DROP TABLE rows; --", '" FROM rows; --', "a\nb", "a\r", "\x00", "a\x00'b",
    "/* */", "--", "{}", "{0}", "%s", "$1", "?", ":x", 't0."text"', "$$", "E'\\x41'", "\u2019", "\U0001f600", "NULL",
    "", " ",
]  # fmt: skip
ROWS = (
    "SELECT * FROM (VALUES (1, 'a', 1.5::DOUBLE, 0.5::FLOAT, DATE '2024-05-31', TIMESTAMP '2024-05-31 10:00:00', true, "
    "7::TINYINT), (NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL)) "
    "AS rows(whole, text, real, short, day, moment, mark, tiny)"
)


@pytest.fixture
def backend() -> Iterator[OwnDuckdb]:
    with private_session(UNLIMITED) as session:
        session.view("rows", ROWS)
        yield session.backend


@pytest.mark.parametrize("text", ODD)
def test_any_text_is_itself(backend: OwnDuckdb, text: str) -> None:
    assert arrow_table(backend.table("rows").select(x=language.literal(text)))["x"].to_pylist() == [text, text]


@pytest.mark.parametrize("name", [name for name in ODD if name and "\x00" not in name])
def test_any_name_is_itself(backend: OwnDuckdb, name: str) -> None:
    rows = backend.table("rows").select(**{name: language.literal(5)})
    rows = rows.filter(rows[name] == 5).group_by(name).aggregate(n=rows.count())
    assert arrow_table(rows).to_pydict() == {name: [5], "n": [2]}


@pytest.mark.parametrize("value", [0.1, -0.1, 0.1 + 0.2, 1e300, -5e-324, math.inf, -math.inf, 2**53 + 2.0, 1e22, -0.0])
def test_any_float_is_itself(backend: OwnDuckdb, value: float) -> None:
    for column in (language.literal(value), language.literal(value, "float64"), language.ifelse(True, value, 1.0)):
        found = arrow_table(backend.table("rows").select(x=column))["x"].to_pylist()
        assert repr(found) == repr([value, value])


@pytest.mark.parametrize("value", [0, -1, 2**63 - 1, -(2**63), True, date(1, 1, 1), date(9999, 12, 31)])
def test_any_other_value_is_itself(backend: OwnDuckdb, value: Any) -> None:
    assert arrow_table(backend.table("rows").select(x=language.literal(value)))["x"].to_pylist() == [value, value]


def test_odd_labels_names_and_maps_are_counted() -> None:
    """Every label finds its row, in a column of any name; by a map, too, which is written into the query."""
    labels = [text for text in ODD if text.strip()]
    rows = {name: pa.array(labels) for name in ('a"b', "it's", "x; --", "{0}")}
    for name in rows:
        found = shown(count(pa.table(rows), Schema({name: Nominal(labels)}), ROW, salt=SALT))
        assert found == {(place,): 1 for place in range(len(labels))}
    mapped = Ordinal(0, len(labels) - 1, reading=Reading(map={text: place for place, text in enumerate(labels)}))
    assert shown(count(pa.table({"x": labels}), Schema(x=mapped), ROW, salt=SALT)) == {
        (place,): 1 for place in range(len(labels))
    }


COLUMNS: dict[str, Callable[[Any], Any]] = {
    "sum": lambda rows: rows.whole.cast("int64") + 1,
    "sum of reals": lambda rows: rows.real * 2,
    "half": lambda rows: rows.whole / 2,
    "whole part": lambda rows: rows.whole // 2,
    "rest": lambda rows: rows.whole.cast("int64") % 2,
    "floor": lambda rows: rows.real.floor(),
    "size": lambda rows: rows.real.abs(),
    "short": lambda rows: rows.short.abs(),
    "texts": lambda rows: rows.text + "/" + rows.text,
    "text": lambda rows: rows.real.cast("string"),
    "length": lambda rows: rows.text.length(),
    "fits": lambda rows: rows.text.re_search("a") & ~rows.mark | (rows.real > 1),
    "nothing": lambda rows: rows.text.isnull(),
    "day": lambda rows: rows.moment.try_cast("date"),
    "days": lambda rows: rows.day.delta(date(2024, 1, 1), unit="day"),
    "hour": lambda rows: rows.moment.hour(),
    "weekday": lambda rows: rows.moment.day_of_week.index() + 1,
    "either": lambda rows: language.ifelse(rows.mark, 1, 0),
    "either real": lambda rows: language.ifelse(rows.mark, rows.real, language.null("float64")),
    "short or not": lambda rows: language.ifelse(rows.mark, rows.short, language.null("float32")),
    "cases": lambda rows: rows.text.cases(("a", 1), else_=language.null("int64")),
    "least": lambda rows: language.least(rows.whole.cast("int64"), language.literal(3, "int64")),
    "filled": lambda rows: rows.mark.fill_null(False),
    "number": lambda rows: language.row_number().over(group_by=rows.mark, order_by=[rows.text, rows.real.desc()]),
    "place": lambda rows: language.row_number(),
    "total": lambda rows: rows.whole.sum().over(group_by=rows.mark),
    "many": lambda rows: rows.count().over(group_by=[rows.mark]),
    "hash": lambda rows: rows.text.hash(),
    "each": lambda rows: language.range(language.literal(0, "int64"), rows.whole.cast("int64"), 2).unnest(),
}


@pytest.mark.parametrize("name", COLUMNS)
def test_types_are_those_that_duckdb_finds(backend: OwnDuckdb, name: str) -> None:
    rows = backend.table("rows")
    made = rows.select(x=COLUMNS[name](rows))
    (found,) = backend.described(made.sql).values()
    assert found == made.x.type()


def test_sums_of_all_rows_have_their_types(backend: OwnDuckdb) -> None:
    rows = backend.table("rows")
    whole = rows.aggregate(
        n=rows.count(), marks=rows.mark.sum(), sum=rows.tiny.sum(), real=rows.real.sum(), usual=rows.real.quantile(0.5),
        low=rows.day.min(where=rows.mark), high=rows.moment.max(), known=rows.mark.sum().fill_null(0),
    )  # fmt: skip
    assert backend.described(whole.sql) == {name: whole[name].type() for name in whole.columns}
    assert arrow_table(whole)["n"].to_pylist() == [2]


def test_a_column_of_an_older_table_is_found_while_it_is_unchanged(backend: OwnDuckdb) -> None:
    rows = backend.table("rows")
    later = rows.mutate(more=rows.whole.cast("int64") + 1).select("more", one=rows.whole).filter(rows.whole == 1)
    assert arrow_table(later.select(x=rows.whole))["x"].to_pylist() == [1]
    other = backend.table("rows")
    joined = rows.select(key=rows.text).left_join(other.select(label=other.text), language.literal(True))
    alike = joined.select(x=rows.text, y=other.text).filter(rows.text == other.text)
    assert arrow_table(alike)["x"].to_pylist() == ["a"]


def test_a_column_that_was_replaced_is_not_taken_for_the_old_one(backend: OwnDuckdb) -> None:
    rows = backend.table("rows")
    replaced = rows.mutate(whole=rows.tiny)
    other = backend.table("rows")
    for wrong in (rows.whole, other.whole):
        with pytest.raises(KeyError):
            replaced.select(x=wrong)
    with pytest.raises(ValueError, match="made from it"):
        rows.select(a=rows.text).left_join(rows.select(b=rows.text), language.literal(True))
    with pytest.raises(ValueError, match="both tables have day, mark"):
        rows.left_join(other, rows.text == other.text)
    with pytest.raises(ValueError, match="other columns"):
        language.union(rows.select("text"), rows.select(text=rows.whole))


def test_a_column_is_no_truth_value(backend: OwnDuckdb) -> None:
    rows = backend.table("rows")
    with pytest.raises(TypeError):
        assert rows.whole == 1
    with pytest.raises(TypeError):
        rows.text.sum() + rows.day
    with pytest.raises(TypeError):
        language.literal(object())
    with pytest.raises(AttributeError):
        rows.nothing_of_this_name  # noqa: B018
