"""The counting expression against plain Python: numbers, dates and tables of any size, and numbers as text."""

from __future__ import annotations

from datetime import date, datetime
from decimal import Decimal

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from discreet.errors import BadParameter
from discreet.privacy import Unit
from discreet.private.engines.counting_query import count
from discreet.schema import Nominal, Ordinal, Schema
from tests.unit.private.engines.plain_counting import ROW, SALT, one_column, reference, shown

NUMBERS = [
    "42", " 42 ", "42.0", "42.5", "4.2e1", "-42", "+42", "inf", "-inf", "nan", "", "   ", "many", "4 2", "0x1F",
    "1e999", "99999999999999999999", "12,5", "é", "=1+1", None,
]  # fmt: skip
TEXTS = st.sampled_from(NUMBERS) | st.text(alphabet="0123456789.-+ eM\t'", max_size=6).filter(
    lambda text: "e" not in text and text.strip("\t") == text and "+-" not in text
)
RULES = st.sampled_from(["clamp", "drop", "other"]), st.sampled_from(["drop", "other"])


@settings(max_examples=8, suppress_health_check=[HealthCheck.too_slow])
@given(st.lists(TEXTS, max_size=30), *RULES)
def test_text_where_numbers_are_declared(values: list[str | None], outside: str, null: str) -> None:
    schema = Schema(
        a=Ordinal(-50, 49, 10, outside=outside, null=null),
        b=Ordinal(0.0, 50.0, 2.5, outside=outside, null=null),
        c=Nominal(["42", "42.0", "M"], outside="drop" if outside == "clamp" else outside, null=null),
        d=Ordinal(edges=[-50, -42, 0, 42, 43, 60], outside=outside, null=null),
    )
    rows = [dict.fromkeys("abcd", value) for value in values]
    assert count(pa.table({name: pa.array(values, pa.string()) for name in "abcd"}), schema, ROW, salt=SALT) == (
        reference(schema, rows)
    )


@settings(max_examples=8, suppress_health_check=[HealthCheck.too_slow])
@given(
    st.lists(
        st.floats() | st.integers(-60, 60).map(float) | st.integers(-500, 500).map(lambda k: k / 10),
        max_size=40,
    ),
    st.lists(st.integers(-(2**63), 2**63 - 1) | st.integers(-60, 60), max_size=40),
    *RULES,
)
def test_floats_and_integers(floats: list[float], integers: list[int], outside: str, null: str) -> None:
    schema = Schema(
        a=Ordinal(-50, 49, 10, outside=outside, null=null),
        b=Ordinal(-5.0, 5.0, 0.1, outside=outside, null=null),
        c=Nominal([str(k) for k in range(-5, 6)], outside="drop" if outside == "clamp" else outside, null=null),
        d=Ordinal(edges=[-5.0, -0.3, 0.0, 0.1, 0.30000000000000004, 7.0], outside=outside, null=null),
    )
    for values in (floats, integers):
        rows = [dict.fromkeys("abcd", value) for value in values]
        made = pa.table({name: pa.array(values, pa.float64() if values is floats else pa.int64()) for name in "abcd"})
        assert count(made, schema, ROW, salt=SALT) == reference(schema, rows)


@pytest.mark.parametrize("width", [0.1, 0.05, 0.003, 0.7, 1e-9, 0.3333])
def test_every_real_edge_begins_its_bin(width: float) -> None:
    attribute = Ordinal(0.0, float(Decimal(repr(width)) * 900), width, outside="drop")
    edges = attribute.edges_array()
    values = np.concatenate([edges, np.nextafter(edges, -np.inf), np.nextafter(edges, np.inf)])
    rows = [{"x": value} for value in values.tolist()]
    assert one_column(values, attribute) == shown(reference(Schema(x=attribute), rows))
    text = [repr(value) for value in values.tolist()]
    assert one_column(text, attribute) == shown(reference(Schema(x=attribute), rows))


def test_floats_of_32_bits_meet_their_decimals() -> None:
    attribute = Ordinal(0.0, 1.0, 0.1)
    values = np.array([k / 10 for k in range(11)], dtype=np.float32)
    assert one_column(values, attribute) == {(code,): 1 + (code == 9) for code in range(10)}
    edges = Ordinal(edges=[0.0, 0.1, 0.7, 1.0])
    assert one_column(np.array([0.1, 0.7], dtype=np.float32), edges) == {(1,): 1, (2,): 1}


@pytest.mark.parametrize("kind", [pa.int64(), pa.string(), pa.decimal128(38, 0), pa.uint64()])
def test_large_integers_are_exact(kind: pa.DataType) -> None:
    low, width = 2**60, 2**51 + 1
    attribute = Ordinal(low, low + 100 * width - 1, width, outside="drop")
    edges = [low + k * width for k in range(101)]
    values = [edge + step for edge in edges for step in (-1, 0, 1)]
    rows = [{"x": value} for value in values]
    given_values = [str(value) for value in values] if kind == pa.string() else values
    made = pa.array([Decimal(value) for value in values] if kind == pa.decimal128(38, 0) else given_values, kind)
    assert one_column(made, attribute) == shown(reference(Schema(x=attribute), rows))
    single = Ordinal(2**53, 2**53 + 9, outside="drop")
    rows = [{"x": 2**53 + step} for step in range(-1, 11)]
    made = [row["x"] for row in rows]
    made = [str(value) for value in made] if kind == pa.string() else made
    assert one_column(made, single, None if kind == pa.string() else pa.int64()) == {(k,): 1 for k in range(10)}


def test_many_uneven_bins() -> None:
    edges = sorted({0, *(k * k for k in range(1, 200))})
    attribute = Ordinal(edges=edges, outside="other", null="other")
    values = [*range(-3, 200 * 200, 7), None]
    assert one_column(values, attribute) == shown(reference(Schema(x=attribute), [{"x": v} for v in values]))


MOMENTS = [
    date(2024, 2, 29), datetime(2024, 2, 29, 23, 59, 59, 999999), date(1, 1, 1), date(9999, 12, 31), None,
    date(2023, 12, 31), date(2024, 1, 1), date(2025, 12, 31), date(2026, 1, 1), datetime(2024, 12, 30),
]  # fmt: skip


@pytest.mark.parametrize("width", [1, 17 * 43, "week", "month", "quarter", "year"])
@pytest.mark.parametrize("outside", ["clamp", "other"])
def test_dates(width: int | str, outside: str) -> None:
    low, high = (date(2024, 1, 1), date(2025, 12, 28)) if width == "week" else (date(2024, 1, 1), date(2025, 12, 31))
    attribute = Ordinal(low, high, width, outside=outside, null="other")
    wanted = shown(reference(Schema(x=attribute), [{"x": value} for value in MOMENTS]))
    days = [value.date() if isinstance(value, datetime) else value for value in MOMENTS]
    assert one_column(days, attribute, pa.date32()) == wanted
    texts = [None if value is None else value.isoformat() for value in MOMENTS]
    assert one_column(texts, attribute) == wanted
    moments = [datetime(*day.timetuple()[:3], 23, 59, 59) if day else None for day in days]
    unit, zone = ("ms", None) if outside == "clamp" else ("us", "UTC")
    assert one_column(moments, attribute, pa.timestamp(unit, zone)) == wanted


@pytest.mark.parametrize(
    "kind", [pa.timestamp(unit, zone) for unit in ("s", "ms", "us", "ns") for zone in (None, "UTC")]
)
def test_moments_beyond_any_calendar(kind: pa.DataType) -> None:
    values = [2**63 - 2, -(2**63), 2**62, -(2**62), 0, -1, None]
    attribute = Ordinal(date(1969, 12, 31), date(1970, 1, 1), outside="other", null="drop")
    assert one_column(values, attribute, kind) == {(0,): 1, (1,): 1, (2,): 4}
    nominal = Nominal(["1970-01-01"], outside="other", null="drop")
    assert one_column(values, nominal, kind) == {(0,): 1, (1,): 5}


def test_tables_with_more_cells_than_64_bits_hold() -> None:
    schema = Schema({f"x{k}": Ordinal(0, 2**30 - 1) for k in range(5)})
    values = [[k, 2**30 - 1 - k, 5, 2**29, k % 3] for k in range(50)] * 2
    made = pa.table({f"x{k}": pa.array([row[k] for row in values]) for k in range(5)})
    assert shown(count(made, schema, ROW, salt=SALT)) == {tuple(row): 2 for row in values}
    bounded = count(made.append_column("u", pa.array([1] * 100)), schema, Unit("u", 10), salt=SALT)
    assert bounded.counts.sum() == 10


def test_too_many_bins_to_compute() -> None:
    with pytest.raises(BadParameter, match="wider"):
        one_column([1], Ordinal(0, 2**60 - 1, 2))
    with pytest.raises(BadParameter, match="fewer"):
        one_column([1], Ordinal(edges=np.cumsum(np.linspace(1, 2, 10_100)).tolist()))
