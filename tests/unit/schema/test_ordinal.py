"""Ordinal domains: bins, codes and ranges of integers, reals and dates, and every wrong declaration."""

from __future__ import annotations

import json
from dataclasses import replace
from datetime import date, datetime, timedelta
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from discreet.errors import BadSpec, CannotAnswer, OutsideDomain
from discreet.schema import Ordinal, Schema, attribute_from_dict
from discreet.schema.special import MOST_SPECIAL

rules = st.sampled_from(["drop", "other"])
ordinal_rules: dict[str, st.SearchStrategy[Any]] = {
    "outside": st.sampled_from(["clamp", "drop", "other"]),
    "null": rules,
}


@st.composite
def integer_ordinals(draw: st.DrawFn) -> Ordinal:
    low, width, bins = draw(st.integers(-200, 200)), draw(st.integers(1, 9)), draw(st.integers(1, 30))
    return Ordinal(low, low + width * bins - 1, width, **{key: draw(rule) for key, rule in ordinal_rules.items()})


@st.composite
def real_ordinals(draw: st.DrawFn) -> Ordinal:
    width = Fraction(draw(st.integers(1, 50)), draw(st.sampled_from([1, 10, 100, 1000])))
    low = draw(st.integers(-50, 50)) * Fraction(1, 100)
    high = low + draw(st.integers(1, 30)) * width
    chosen = {key: draw(rule) for key, rule in ordinal_rules.items()}
    return Ordinal(float(low), float(high), float(width), **chosen)


@st.composite
def date_ordinals(draw: st.DrawFn) -> Ordinal:
    low = draw(st.dates(date(1900, 1, 1), date(2100, 1, 1)))
    width, bins = draw(st.integers(1, 9)), draw(st.integers(1, 30))
    chosen = {key: draw(rule) for key, rule in ordinal_rules.items()}
    return Ordinal(low, low + timedelta(days=width * bins - 1), width, **chosen)


@st.composite
def edge_ordinals(draw: st.DrawFn) -> Ordinal:
    of = draw(st.sampled_from([st.integers(-500, 500), st.floats(-1e6, 1e6), st.dates()]))
    edges: Any = sorted(draw(st.sets(of, min_size=2, max_size=12)))
    return Ordinal(edges=edges, outside=draw(ordinal_rules["outside"]))


@st.composite
def special_ordinals(draw: st.DrawFn) -> Ordinal:
    plain = draw(st.one_of(integer_ordinals(), real_ordinals(), date_ordinals(), edge_ordinals()))
    codes = draw(st.lists(st.integers(0, plain.size - 1), max_size=MOST_SPECIAL, unique=True))
    return replace(plain, special=[plain.label(code) for code in codes])


ordinals = special_ordinals()


@given(ordinals)
def test_codes_and_labels_are_bijective(ordinal: Ordinal) -> None:
    assert len(ordinal.labels) == len(set(ordinal.labels)) == ordinal.size
    assert [ordinal.code(label) for label in ordinal.labels] == list(range(ordinal.size))
    assert [ordinal.label(code) for code in range(ordinal.size)] == list(ordinal.labels)


@given(ordinals)
def test_dictionary_round_trip_even_through_sorted_json(ordinal: Ordinal) -> None:
    plain = json.loads(json.dumps(ordinal.to_dict(), sort_keys=True))
    again = attribute_from_dict(plain)
    assert again == ordinal
    assert hash(again) == hash(ordinal)
    assert again.labels == ordinal.labels
    assert again.special_codes == ordinal.special_codes


@given(ordinals)
def test_special_values_are_labels_in_the_order_of_their_codes(ordinal: Ordinal) -> None:
    assert ordinal.special == tuple(ordinal.label(code) for code in ordinal.special_codes)
    assert list(ordinal.special_codes) == sorted(set(ordinal.special_codes))
    assert ordinal == replace(ordinal, special=ordinal.special[::-1])
    plain = replace(ordinal, special=None)
    assert (plain == ordinal) == (not ordinal.special_codes)
    assert {key: value for key, value in ordinal.to_dict().items() if key != "special"} == plain.to_dict()


@given(ordinals, st.data())
def test_every_value_of_a_bin_has_its_code(ordinal: Ordinal, data: st.DataObject) -> None:
    edges = ordinal.edges_array()
    assert len(edges) == ordinal.bins + 1
    assert (np.diff(edges) > 0).all()
    code = data.draw(st.integers(0, ordinal.bins - 1))
    lower, upper = edges[code].item(), edges[code + 1].item()
    if ordinal.kind == "real":
        value: Any = data.draw(st.floats(lower, upper, exclude_max=code < ordinal.bins - 1))
    else:
        value = data.draw(st.integers(lower, upper - 1))
        value = value if ordinal.kind == "integer" else date(1970, 1, 1) + timedelta(days=value)
    assert ordinal.code(value) == code


@given(ordinals, st.data())
def test_ranges_from_edge_to_edge_are_the_bins_between(ordinal: Ordinal, data: st.DataObject) -> None:
    first = data.draw(st.integers(0, ordinal.bins - 1))
    last = data.draw(st.integers(first, ordinal.bins - 1))
    low, high = ordinal.edges_array()[[first, last + 1]].tolist()
    if ordinal.kind != "real":
        high -= 1
    if ordinal.kind == "date":
        low, high = (date(1970, 1, 1) + timedelta(days=day) for day in (low, high))
    if ordinal.kind == "real" and last < ordinal.bins - 1:
        assert ordinal.between(None, high, strict=True) == (0, last)
        with pytest.raises(CannotAnswer, match="which this range cuts"):
            ordinal.between(low, high)
    else:
        assert ordinal.between(low, high) == (first, last)
        assert ordinal.between(None, high) == (0, last)
    assert ordinal.between(low, None) == (first, ordinal.bins - 1)


def test_integers_are_inclusive() -> None:
    age = Ordinal(17, 90)
    assert (age.kind, age.size, age.labels[0], age.labels[-1]) == ("integer", 74, 17, 90)
    assert age.between(30, 39) == (13, 22)
    assert age.between(-5, 20) == (0, 3)
    assert age.between(29.5, 39.9) == (13, 22)
    assert age.between(80, float("inf")) == age.between(80, 10**400) == (63, 73)
    assert age.code("30") == age.code(30.0) == age.code(np.int64(30)) == 13


def test_special_values_are_named_as_questions_name_them() -> None:
    income = Ordinal(0, 100_000, null="other", special=["other", "7", 0])
    assert (income.special, income.special_codes) == ((0, 7, "other"), (0, 7, 100_001))
    assert income.to_dict()["special"] == [0, 7, "other"]
    assert income != Ordinal(0, 100_000, null="other")
    assert Ordinal(0, 99, 10, special=[25]) == Ordinal(0, 99, 10, special=["20-29"])
    assert Ordinal(0.0, 2.0, 0.5, special=[2]).special == ("[1.5, 2]",)
    days = Ordinal("2024-01-01", "2024-01-31", special=["2024-01-02"])
    assert (days.special, days.to_dict()["special"]) == ((date(2024, 1, 2),), ["2024-01-02"])
    assert Ordinal(0, 9, special=[]) == Ordinal(0, 9)


def test_without_special_values_an_ordinal_is_written_as_before() -> None:
    plain = {"kind": "ordinal", "low": 0, "high": 9, "width": 1, "outside": "clamp", "null": "drop"}
    assert Ordinal(0, 9).to_dict() == plain
    assert list(Ordinal(0, 9).to_dict()) == list(plain)


def test_labels_show_the_bins() -> None:
    assert Ordinal(20, 39, 10, outside="other").labels == ("20-29", "30-39", "other")
    assert Ordinal(-10, 9, 10).labels == ("-10..-1", "0-9")
    assert Ordinal(0.5, 1.5, 0.5).labels == ("[0.5, 1)", "[1, 1.5]")
    assert Ordinal(edges=[0, 1, 5]).labels == ("0", "1-4")
    assert Ordinal(date(2024, 1, 1), date(2024, 1, 14), "week").labels[1] == "2024-01-08..2024-01-14"
    assert Ordinal("2024-01-01", "2024-01-02").labels == (date(2024, 1, 1), date(2024, 1, 2))


def test_decimal_edges_do_not_drift() -> None:
    tenths = Ordinal(0, 1000, 0.1)
    assert tenths.edges_array().tolist() == [float(f"{tick // 10}.{tick % 10}") for tick in range(10_001)]
    assert tenths.code(0.3) == 3
    assert tenths.between(0.3, None) == (3, 9999)
    assert tenths.between(None, 0.7, strict=True) == (0, 6)


@pytest.mark.parametrize(("low", "width"), [(1e6, 1e-9), (-1e15, 0.5), (0.0, 1e-310), (1e-300, 1e-305), (5e307, 1e300)])
def test_extreme_reals_keep_their_bins(low: float, width: float) -> None:
    high = float(Fraction(repr(low)) + 1000 * Fraction(repr(width)))
    extreme = Ordinal(low, high, width)
    edges = extreme.edges_array().tolist()
    assert extreme.bins == 1000
    assert [extreme.code(edge) for edge in edges] == [*range(1000), 999]
    assert extreme.between(edges[3], None) == (3, 999)
    assert extreme.between(None, edges[998], strict=True) == (0, 997)


def test_whole_numbers_beyond_floats_are_exact() -> None:
    ids = Ordinal(10**17, 10**18)
    assert ids.code(10**17 + 1) == ids.code(str(10**17 + 1)) == 1


def test_the_last_bin_of_reals_is_closed() -> None:
    hours = Ordinal(0.0, 10.0, 0.5)
    assert hours.code(10) == hours.code("[9.5, 10]") == 19
    with pytest.raises(OutsideDomain, match="0 to 10"):
        hours.code(10.000001)


@pytest.mark.parametrize(("width", "bins"), [("month", 24), ("quarter", 8), ("year", 2), (731, 1)])
def test_dates_follow_the_calendar(width: str | int, bins: int) -> None:
    days = Ordinal(date(2023, 1, 1), date(2024, 12, 31), width)
    assert days.bins == bins
    assert days.code(datetime(2024, 12, 31, 23, 59)) == days.code("2024-12-31") == bins - 1
    assert days.code(np.datetime64("2023-01-01T05:00")) == 0
    assert days.edges_array()[[0, -1]].tolist() == [19358, 20089]


def test_the_last_day_of_the_calendar_can_end_a_domain() -> None:
    assert Ordinal(date(9999, 1, 1), date.max, "month").bins == 12
    assert Ordinal(date(9999, 12, 27), date.max).bins == 5


def test_huge_domains_cost_nothing_until_listed() -> None:
    huge = Ordinal(0, 10**12 - 1)
    assert huge.size == 10**12
    assert huge.code(987_654_321_098) == huge.between(987_654_321_098, None)[0] == 987_654_321_098
    assert Schema({str(i): huge for i in range(5)}).cells == 10**60


def test_integer_and_real_domains_with_equal_ends_differ() -> None:
    assert Ordinal(0, 1) != Ordinal(0.0, 1.0)
    assert Ordinal(-0.0, 1.0).labels == ("[0, 1]",)


@pytest.mark.parametrize("value", [16, 91, "x", None, True, float("nan"), 30.5, date(2020, 1, 1), "20-29", "other", []])
def test_a_question_outside_the_domain_is_told(value: object) -> None:
    with pytest.raises(OutsideDomain):
        Ordinal(17, 90).code(value)


def test_a_range_that_cuts_a_bin_names_the_bins_around() -> None:
    with pytest.raises(CannotAnswer, match=r"25 cuts a bin; .* 10-19, 20-29, 30-39"):
        Ordinal(0, 99, 10).between(25, 49)
    with pytest.raises(CannotAnswer, match=r"0\.7 cuts a bin"):
        Ordinal(0.0, 2.0, 0.5).between(0.5, 0.7)
    with pytest.raises(CannotAnswer, match="no whole bin"):
        Ordinal(0.0, 2.0, 0.5).between(0.5, 0.5)


@pytest.mark.parametrize(
    ("low", "high", "strict", "fix"),
    [
        (None, 1.0, False, r"1\.0 is in the bin \[1, 1\.5\), .* < 1 to leave it, or < 1\.5 to take it whole"),
        (0.5, 1.5, False, r"1\.5 is in the bin \[1\.5, 2\], .* < 1\.5 to leave it, or <= 2 to take it whole"),
        (1.0, None, True, r"1\.0 is in the bin \[1, 1\.5\), .* >= 1 to take it whole"),
        (0.0, None, True, r"0\.0 is in the bin \[0, 0\.5\), .* >= 0 to take it whole"),
        (None, 2.0, True, r"2\.0 is in the bin \[1\.5, 2\], .* <= 2 to take it whole, or < 1\.5 to leave it"),
    ],
)
def test_an_end_that_cuts_the_bin_that_holds_it_is_refused(low: Any, high: Any, strict: bool, fix: str) -> None:
    with pytest.raises(CannotAnswer, match=fix):
        Ordinal(0.0, 2.0, 0.5).between(low, high, strict=strict)


def test_ends_beyond_the_domain_cut_no_bin() -> None:
    hours = Ordinal(0.0, 2.0, 0.5)
    assert hours.between(None, 2.0) == hours.between(None, 3.0) == hours.between(None, 3.0, strict=True) == (0, 3)
    assert hours.between(-1.0, None, strict=True) == (0, 3)


@pytest.mark.parametrize("moment", ["2024-04-01 12:00", datetime(2024, 4, 1, 12), np.datetime64("2024-04-01T12:00")])
def test_a_time_of_day_cuts_a_day(moment: object) -> None:
    days = Ordinal(date(2024, 3, 1), date(2024, 5, 31))
    for low, high in ((moment, None), (None, moment), (moment, moment)):
        with pytest.raises(CannotAnswer, match=r"has a time of day, .* write the day, '2024-04-01'"):
            days.between(low, high)
    assert days.between(datetime(2024, 4, 1), None) == days.between("2024-04-01 00:00", None) == (31, 91)


@pytest.mark.parametrize(("low", "high"), [(91, 99), (0, 16), (40, 30), (91, None), (None, 16), ("a", 20)])
def test_empty_ranges_are_outside(low: object, high: object) -> None:
    with pytest.raises(OutsideDomain):
        Ordinal(17, 90).between(low, high)


DAY = date(2024, 1, 1)


@pytest.mark.parametrize(
    ("declared", "says"),
    [
        ({}, ["low: missing", "high: missing"]),
        ({"low": 17, "high": 90, "width": 10}, ["high: 17 to 90 is 74 values", "use high = 86 or 96"]),
        ({"low": 0, "high": 3, "width": 10}, ["use high = 9"]),
        ({"low": 9, "high": 0}, ["high: 0 is not above low = 9"]),
        ({"low": 0.0, "high": 1.0, "width": 0.3}, ["use high = 0.9 or 1.2"]),
        ({"low": 1.0, "high": 1.0}, ["high:"]),
        ({"low": 1e15, "high": 1e15 + 1, "width": 0.001}, ["width: 0.001 is too fine"]),
        ({"low": 0, "high": float("inf")}, ["high: inf"]),
        ({"low": float("nan"), "high": 1}, ["low: nan"]),
        ({"low": "17", "high": True}, ["low: '17' is not a number or a date", "high: true and false"]),
        ({"low": 0, "high": 2**62}, ["high:", "64-bit"]),
        ({"low": 0, "high": 9, "width": 0}, ["width: 0 must be a finite number above 0"]),
        ({"low": 0, "high": 9, "width": "month"}, ["width: 'month' is for dates"]),
        ({"low": DAY, "high": DAY, "width": "moon"}, ["width: 'moon' is unknown", "quarter"]),
        ({"low": DAY, "high": 5}, ["mix dates and numbers"]),
        ({"low": datetime(2024, 1, 1), "high": DAY}, ["low: 2024-01-01 00:00:00 has a time of day"]),
        ({"low": "2024-02-30", "high": DAY}, ["low: '2024-02-30' is not a day of the calendar"]),
        (
            {"low": date(2024, 1, 2), "high": date(2024, 12, 30), "width": "month"},
            ["low: 2024-01-02 is not the first day of a month; use 2024-01-01", "use 2024-12-31"],
        ),
        ({"low": DAY, "high": date(2024, 1, 10), "width": 7}, ["use high = 2024-01-07 or 2024-01-14"]),
        ({"edges": [0, 20, 10]}, ["edges: 10 follows 20", "overlap"]),
        ({"edges": [0, 0]}, ["edges: 0 follows 0"]),
        ({"edges": [1]}, ["edges: needs two or more"]),
        ({"edges": 7}, ["edges: must be a list"]),
        ({"edges": [0, "x", None]}, ["edges[1]: 'x'", "edges[2]: None"]),
        ({"edges": [0, 1], "low": 0}, ["edges: give either"]),
        (
            {"low": 0, "high": 1, "outside": "keep", "null": "clamp"},
            ["outside: 'keep' is not a rule", "null: 'clamp'"],
        ),
        ({"low": 0, "high": 9, "special": 0}, ["special: must be a list of values of the domain, such as [0]"]),
        ({"low": 0, "high": 9, "special": "0"}, ["special: must be a list"]),
        ({"low": 0, "high": 9, "special": {0: 1}}, ["special: must be a list"]),
        (
            {"low": 0, "high": 9, "special": [0, 10, "x", None, True, 0.5, "other", 16**6000]},
            [
                "special[1]: must be one value of the domain; 10 is outside the declared domain 0 to 9",
                "special[2]: must be one value of the domain; 'x' is not a whole number",
                "special[3]:",
                "special[4]: must be one value of the domain; True is not a whole number",
                "special[5]:",
                "special[6]:",
                "special[7]: must be one value of the domain; it has too many digits",
            ],
        ),
        ({"low": 0, "high": 9, "special": [1, 3, 1]}, ["special[2]: is the cell 1, as special[0] is; keep one"]),
        (
            {"low": 0, "high": 99, "width": 10, "special": [3, 21, 29]},
            ["special[2]: is the cell '20-29', as special[1] is; keep one"],
        ),
        ({"low": 0, "high": 99, "special": range(17)}, ["special: 17 values are more than 16; keep those"]),
    ],
)
def test_every_mistake_of_an_ordinal_is_named(declared: dict[str, Any], says: list[str]) -> None:
    with pytest.raises(BadSpec) as caught:
        Ordinal(**declared)
    for words in says:
        assert words in str(caught.value)
