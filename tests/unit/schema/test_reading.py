"""How an attribute's values are found: what can be declared, what is refused; old schemas stay as they were."""

from __future__ import annotations

import json
from dataclasses import replace
from datetime import date
from typing import Any

import pytest

from discreet.errors import BadSpec, OutsideDomain
from discreet.schema import Attribute, Nominal, Ordinal, Reading, Schema, attribute_from_dict
from discreet.schema.reading import PLAIN, folded

WRITTEN = "%m/%d/%Y %H:%M"


def problems(**fields: Any) -> list[str]:
    with pytest.raises(BadSpec) as caught:
        attribute_from_dict({"kind": "nominal", **fields})
    return caught.value.problems


@pytest.mark.parametrize(
    "attribute",
    [
        Ordinal(date(2010, 12, 1), date(2011, 12, 31), "month", reading=Reading("sold", format=WRITTEN)),
        Ordinal(reading=Reading("sold", format=WRITTEN, part="hour")),
        Ordinal(0, 90, reading=Reading(map={"90+": 90})),
        Nominal(reading=Reading("sold", part="weekday")),
        Nominal(["AB", "CD"], outside="other", reading=Reading("code", first=2)),
        Nominal(["Female", "Male"], reading=Reading(map={"F": "Female", 1: "Male"}, ignore_case=True)),
        Nominal(hierarchy={"Week": ["Mon", "Tue", "Wed", "Thu", "Fri"], "End": ["Sat", "Sun"]}),
        Nominal(["440010301001", "440070101002"], prefixes=[5, 11], levels=["county", "tract", "group"]),
    ],
    ids=lambda one: one.reading.part or one.reading.column or str(one.size),
)
def test_an_attribute_survives_being_written(attribute: Attribute) -> None:
    schema = Schema(x=attribute)
    back = Schema.from_dict(json.loads(json.dumps(schema.to_dict())))
    assert back == schema
    assert hash(back) == hash(schema)
    assert replace(attribute, special=None) == attribute


def test_schemas_without_readings_are_written_as_before() -> None:
    schema = Schema(age=Ordinal(0, 9), sex=Nominal(["f", "m"]))
    assert schema.to_dict() == {
        "age": {"kind": "ordinal", "low": 0, "high": 9, "width": 1, "outside": "clamp", "null": "drop"},
        "sex": {"kind": "nominal", "values": ["f", "m"], "outside": "drop", "null": "drop"},
    }


def test_several_attributes_may_be_read_from_one_column() -> None:
    schema = Schema(
        hour=Ordinal(reading=Reading("sold", part="hour")),
        weekday=Nominal(reading=Reading("sold", part="weekday")),
        age=Ordinal(0, 9),
    )
    assert schema.columns == ("sold", "sold", "age")
    assert schema.sizes == (24, 7, 10)
    plain = schema.without_readings()
    assert plain.columns == plain.names == schema.names
    assert all(attribute.reading == PLAIN for attribute in plain.values())
    assert plain.sizes == schema.sizes


def test_parts_bring_their_domain_with_them() -> None:
    assert Nominal(reading=Reading(part="weekday")).labels == ("Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun")
    assert Nominal(reading=Reading(part="month")).labels[11] == "Dec"
    assert Ordinal(reading=Reading(part="month")).labels == tuple(range(1, 13))
    assert Ordinal(reading=Reading(part="weekday")).labels == tuple(range(1, 8))
    with pytest.raises(BadSpec, match="low: missing"):
        Ordinal(reading=Reading(part="year"))
    days = {"Week": ["Mon", "Tue", "Wed", "Thu", "Fri"], "End": ["Sat", "Sun"]}
    assert Nominal(hierarchy=days, reading=Reading(part="weekday")).node("End") == (5, 6)


def test_codes_of_places_become_a_hierarchy_by_their_first_letters() -> None:
    codes = ["440010301001008", "440010301003019", "440070101002000", "010010201001000"]
    place = Nominal(codes, prefixes=[5, 11, 12], levels=["county", "tract", "group", "block"])
    assert place == Nominal(
        hierarchy={
            "44001": {"44001030100": {"440010301001": [codes[0]], "440010301003": [codes[1]]}},
            "44007": {"44007010100": {"440070101002": [codes[2]]}},
            "01001": {"01001020100": {"010010201001": [codes[3]]}},
        },
        levels=["county", "tract", "group", "block"],
    )
    assert place.labels[place.node("01001")[0]] == codes[3]
    assert [name for name, _, _ in place.level("county")] == ["44001", "44007", "01001"]


def test_questions_may_ignore_case_too() -> None:
    place = Nominal(hierarchy={"North": ["Oslo", "ÅS"]}, reading=Reading(ignore_case=True))
    assert place.code("oslo") == 0
    assert place.node("NORTH") == (0, 1)
    assert place.code("ås") == 1
    with pytest.raises(OutsideDomain, match="Did you mean 'Oslo'"):
        Nominal(["Oslo"]).code("oslo")


def test_small_letters_are_made_one_by_one() -> None:
    assert folded("ΟΔΟΣ İzmir GROẞ") == "οδοσ izmir groß"


@pytest.mark.parametrize(
    ("fields", "says"),
    [
        ({"column": ""}, "column: must be the name"),
        ({"part": "weekdays"}, "part: 'weekdays' is unknown; use one of weekday, month, hour, year. Did you mean"),
        ({"format": WRITTEN}, "format: labels are no dates; say which part"),
        ({"format": "%Y", "part": "weekday"}, "format: '%Y' does not say a date; it needs %Y, %m and %d"),
        ({"format": "%Y", "part": "hour"}, "format: '%Y' does not say the hour; it needs %H"),
        ({"format": "%I", "part": "hour"}, "does not say the hour"),
        ({"format": "%Y-%Q", "part": "year"}, "format: %Q is unknown; use %Y"),
        ({"format": "%Y-%", "part": "year"}, "format: % is unknown"),
        ({"format": "%-d/%m/%Y", "part": "year"}, "format: %- is not needed"),
        ({"format": "%Y\x00", "part": "year"}, "format: must say how dates are written"),
        ({"format": 5, "part": "year"}, "format: must say how dates are written"),
        ({"first": 0}, "first: must be a number of letters"),
        ({"first": True}, "first: must be a number of letters"),
        ({"first": 2, "part": "year"}, "first: a date has parts, not letters"),
        ({"map": {}}, "map: must go from values"),
        ({"map": ["a"]}, "map: must go from values"),
        ({"map": {"x": True}}, "map: 'x' must stand for a label"),
        ({"map": {"x": "aa"}}, "map: 'x' stands for what the domain does not have; 'aa' is not among"),
        ({"map": {"b": "a"}}, "map: 'b' is already a way to write 'b'; remove one"),
        ({"map": {str(place): "a" for place in range(1001)}}, "map: 1,001 values are more than 1,000"),
        ({"map": {"A": "b"}, "ignore_case": True}, "map: 'A' is already a way to write 'a'"),
        ({"values": ["a", "A"], "ignore_case": True}, "ignore_case: 'a' and 'A' would be one label"),
        ({"ignore_case": 1}, "ignore_case: must be true or false"),
        ({"part": "weekday"}, "values: no weekday is read as 'a'; use Mon, Tue"),
        ({"prefixes": [2, 1]}, "prefixes: must be ascending numbers"),
        ({"prefixes": []}, "prefixes: must be ascending numbers"),
        ({"prefixes": "5"}, "prefixes: must be ascending numbers"),
        ({"prefixes": [1]}, "prefixes: 'a' has no more than 1 letters"),
        ({"values": None, "hierarchy": {"x": ["a"]}, "prefixes": [1]}, "prefixes: make a hierarchy of values"),
    ],
)
def test_what_cannot_be_read_is_refused_with_its_fix(fields: dict[str, Any], says: str) -> None:
    found = problems(**{"values": ["a", "b"], **fields})
    assert any(problem.startswith(says) or says in problem for problem in found), found


@pytest.mark.parametrize(
    ("fields", "says"),
    [
        ({"format": "%Y%m%d"}, "format: is for dates; give low and high as dates"),
        ({"ignore_case": True}, "ignore_case: numbers and dates have no case"),
        ({"map": {"lots": 100}}, "map: 'lots' stands for what the domain does not have; 100 is outside"),
        ({"low": "2024-01-01", "high": "2024-01-31", "part": "hour"}, "part: the hour of a date is a number"),
        ({"low": "2024-01-01", "high": "2024-01-31", "format": "%H:%M"}, "does not say a date"),
        ({"prefixes": [1]}, "prefixes: unknown key"),
    ],
)
def test_numbers_and_dates_are_refused_what_they_cannot_be(fields: dict[str, Any], says: str) -> None:
    found = problems(**{"kind": "ordinal", "low": 0, "high": 9, **fields})
    assert any(says in problem for problem in found), found


def test_every_mistake_of_an_attribute_is_told_at_once() -> None:
    found = problems(values=["a", "a"], part="days", first=0, valeus=1, null="keep")
    for words in (
        "valeus: unknown key",
        "part: 'days'",
        "first: must",
        "null: 'keep'",
        "values[1]: 'a' is listed twice",
    ):
        assert any(words in problem for problem in found), (words, found)


def test_a_reading_must_be_one() -> None:
    with pytest.raises(BadSpec, match="must be a Reading"):
        Nominal(["a"], reading="sold")  # type: ignore[arg-type]
    with pytest.raises(BadSpec, match="must be a Reading"):
        Ordinal(0, 1, reading={"column": "x"})  # type: ignore[arg-type]
