"""`Data.check`: what is said of the rows is what counting by hand finds, whatever they are kept in."""

from __future__ import annotations

import math
from collections.abc import Callable
from datetime import date
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pytest

import discreet
from discreet.errors import BadParameter
from discreet.private.data_fit import without_day
from discreet.private.date_formats import fitting_formats
from discreet.private.fit_report import PRIVATE, DataFit, share
from discreet.private.near_labels import same_but_for_writing, shortened
from discreet.private.rows import Rows

SCHEMA = discreet.Schema(
    age=discreet.Ordinal(20, 60),
    day=discreet.Ordinal(date(2010, 1, 1), date(2011, 12, 31), "month"),
    sex=discreet.Nominal(["Female", "Male"]),
    home=discreet.Nominal(hierarchy={"North": ["Old Town", "Harbour"], "South": ["Hills"]}, null="other"),
    weight=discreet.Ordinal(0.0, 100.0, 10.0, outside="drop", special=[0.0]),
)
ROWS = pd.DataFrame(
    {
        "age": ["30", "19", "70", "many", None, "41", "42", "43", "44", "45"],
        "day": ["12/1/2010 8:26", "12/31/2010 9:01"] * 5,
        "sex": ["F", "M"] * 5,
        "home": ["Old Town", "old  town", "Hills", "Hills", None, "Mars", "Hills", "Hills", "Hills", "Hills"],
        "weight": ["1", "2", "3", "101", "-1", "nan", "5", "6", "7", "8"],
        "who": ["a", "a", "a", "a", "b", "b", "c", None, "", " c "],
        "note": ["x"] * 10,
    }
)


def as_csv(here: Path) -> Path:
    ROWS.to_csv(here / "rows.csv", index=False)
    return here / "rows.csv"


def as_parquet(here: Path) -> list[Path]:
    for name, part in (("one", ROWS[:4]), ("two", ROWS[4:])):
        part.to_parquet(here / f"{name}.parquet")
    return [here / "one.parquet", here / "two.parquet"]


@pytest.mark.parametrize("kept_in", [as_csv, as_parquet, lambda _: ROWS, lambda _: pl.from_pandas(ROWS).lazy()])
def test_counts_are_those_by_hand(tmp_path: Path, kept_in: Callable[[Path], Any]) -> None:
    data = discreet.open(kept_in(tmp_path), SCHEMA, unit=discreet.Unit("who", max_rows=2))
    found = data.check()
    numbers = {one.name: (one.inside, one.beyond, one.unread, one.missing, one.lost) for one in found.attributes}
    assert found.rows == 10
    assert numbers == {
        "age": (6, 2, 1, 1, 2),  # 19 and 70 count in the first and last bin, 'many' in none
        "day": (0, 0, 10, 0, 10),
        "sex": (0, 0, 10, 0, 10),
        "home": (7, 0, 2, 1, 2),  # a missing home is counted
        "weight": (7, 2, 0, 1, 3),
    }
    assert found.users is not None
    assert (found.users.users, found.users.nobody) == (3, 2)
    assert found.users.lost == {1: 5 / 8, 2: 2 / 8, 4: 0.0}
    assert found.unused == ("note",)
    assert dict(next(one for one in found.attributes if one.name == "weight").examples) == {"101": 1, "-1": 1}


def said(found: DataFit, place: str) -> list[str]:
    return [str(one) for one in found.warnings if one.place == place]


def test_warnings_say_what_to_write() -> None:
    found = discreet.open(ROWS, SCHEMA, unit=discreet.Unit("who", max_rows=2)).check()
    assert said(found, "attributes.day") == [
        '[attributes.day] 100 % of the rows have dates in another form; write format = "%m/%d/%Y %H:%M"'
    ]
    (sex,) = said(found, "attributes.sex")
    assert 'map = { "F" = "Female", "M" = "Male" }' in sex
    home, other = said(found, "attributes.home")
    assert 'map = { "old  town" = "Old Town" }' in home
    assert "10.0 % of the rows are outside the domain" in other
    assert any("beyond its ends" in one for one in said(found, "attributes.age"))
    nobody, bound = said(found, "privacy")
    assert "20.0 % of the rows have no who" in nobody
    assert "max_rows = 2 leaves out 25 % of the rows" in bound


def test_a_cell_for_others_that_holds_a_fifth_is_said() -> None:
    schema = discreet.Schema(sex=discreet.Nominal(["x", "y"], outside="other"))
    (warning,) = discreet.open(pd.DataFrame({"sex": ["x"] * 7 + ["z"] * 3}), schema).check().warnings
    assert "30.0 % of the rows" in str(warning)
    assert not discreet.open(pd.DataFrame({"sex": ["x"] * 9 + ["z"]}), schema).check().warnings


def test_a_cell_for_others_that_holds_most_is_said() -> None:
    schema = discreet.Schema(sex=discreet.Nominal(["x", "y"], outside="other"))
    (warning,) = discreet.open(ROWS, schema).check().warnings
    assert str(warning).startswith("[attributes.sex] 100 % of the rows are outside the domain and count as 'other'")


def test_releases_that_would_be_noise() -> None:
    frame = pd.DataFrame({"age": [30] * 500 + list(range(20, 61)), "sex": "Female", "day": "nothing"})
    data = discreet.open(frame, SCHEMA.select(["age", "sex", "day"]))
    found = data.check(
        {
            "good": (discreet.Table(["age", "sex"]), 1),
            "noise": (discreet.Table(["age", "sex"]), "0.001"),
            "none": (discreet.Table(["age", "day"]), 1),
            "ranges": (discreet.Ranges(["age"]), 1),
            "narrow": (discreet.Ranges(["age"]), "0.01"),
            "tables": (discreet.Marginals([["age"], ["sex"]]), "0.005"),
            "queries": (discreet.Marginals(queries=["age = 30", "age = 31"]), 1),
            "items": (discreet.Items("age"), 1),
        }
    )
    by_name = {one.name: one for one in found.releases}
    assert (by_name["good"].rows, by_name["good"].kept, by_name["good"].occupied) == (541, 541, 41)
    assert by_name["none"].kept == 0
    assert by_name["queries"].kept == 502
    assert {one.place for one in found.warnings if one.place.startswith("releases")} == {
        f"releases.{name}" for name in ("noise", "none", "narrow", "tables")
    }
    assert "no row counts" in said(found, "releases.none")[0]
    assert "2 of its tables" in said(found, "releases.tables")[0]
    assert data.ledger.spent == 0


def test_a_release_of_items_is_bounded_by_its_own_rule() -> None:
    frame = pd.DataFrame({"age": [30] * 50 + [31] * 50, "who": ["a"] * 50 + ["b"] * 50})
    data = discreet.open(frame, SCHEMA.select(["age"]), unit=discreet.Unit("who", max_rows=40))
    found = data.check({"items": (discreet.Items("age", method="sra", bound=10), 1)})
    assert (found.releases[0].rows, found.releases[0].kept) == (100, 20)


def test_a_release_of_items_is_judged_by_what_its_method_counts() -> None:
    """600 users of 40 items each, ten of which all have: sharing out 20 weighs these down by half."""
    items = [age for user in range(600) for age in [*range(20, 30), *(30 + (user * 7 + i) % 71 for i in range(30))]]
    frame = pd.DataFrame({"age": items, "who": np.repeat(np.arange(600), 40)})
    schema = discreet.Schema(age=discreet.Ordinal(20, 100))
    data = discreet.open(frame, schema, unit=discreet.Unit("who", max_rows=50))
    found = data.check(
        {
            "all": (discreet.Items("age"), 1),
            "few": (discreet.Items("age", top=5), "0.2"),
            "noise": (discreet.Items("age", top=50), "0.02"),
            "row": (discreet.Items("age", method="even-shares", count="users"), "0.1"),
        }
    )
    every, few, noise, _ = found.releases
    assert (every.kept, every.occupied, every.cells) == (24_000, 81, 81)
    bound = every.noise * 0.8 / math.sqrt(2)
    assert 16 <= bound <= 24  # half of the median, as far as bins of powers of two tell
    assert (few.kept, few.cells, few.in_small_cells) == (3000, 5, 0.0)
    assert few.noise == pytest.approx(math.sqrt(2) * 5 / (0.25 * 0.2))
    assert noise.in_small_cells == 1.0
    assert [one.place for one in found.warnings] == ["releases.noise", "releases.row"]
    assert "wider bins" not in str(found.warnings[0])


def test_rows_that_fit_have_no_warnings() -> None:
    frame = pd.DataFrame({"sex": ["Female", "Male"] * 100})
    found = discreet.open(frame, SCHEMA.select(["sex"])).check({"r": (discreet.Table("sex"), 1)})
    assert found.warnings == ()
    assert str(found).startswith(PRIVATE)
    assert "No warnings" in str(found)
    assert "private" in repr(found)
    assert "Female" not in repr(found)
    assert found.to_dict()["private"] == PRIVATE


def test_no_rows_at_all_and_ready_counts() -> None:
    schema = SCHEMA.select(["sex"])
    found = discreet.open(pd.DataFrame({"sex": pd.Series([], dtype=str)}), schema).check(
        {"r": (discreet.Table("sex"), 1)}
    )
    assert found.rows == 0
    assert len(found.warnings) == 1
    with pytest.raises(BadParameter, match="no rows to compare"):
        discreet.from_counts(schema, [[0]], [4]).check()


@pytest.mark.parametrize(
    ("texts", "formats"),
    [
        (["12/1/2010 8:26", "12/31/2010 17:00"], ["%m/%d/%Y %H:%M"]),
        (["31.12.2010"], ["%d.%m.%Y"]),
        (["1/2/2010"], ["%m/%d/%Y", "%d/%m/%Y"]),
        (["Jan 5, 2020", "Dec 31, 2021"], ["%b %d, %Y"]),
        (["20101231"], ["%Y%m%d"]),
        (["2010-12-31 5:00 PM"], ["%Y-%m-%d %I:%M %p"]),
        (["12/1/2010", "soon"], []),
        ([], []),
    ],
)
def test_formats_that_fit(texts: list[str], formats: list[str]) -> None:
    assert fitting_formats(texts) == formats


def test_labels_that_are_written_otherwise() -> None:
    labels = ["United States", "france", "007", "a", "A"]
    values = ["united-states", "FRANCE ", "7", "Mars", "ａ"]
    assert same_but_for_writing(values, labels) == {"united-states": "United States", "FRANCE ": "france", "7": "007"}
    assert shortened(["F", "M"], ["Female", "Male"]) == {"F": "Female", "M": "Male"}
    assert shortened([">50K."], ["<=50K", ">50K"]) == {">50K.": ">50K"}
    assert shortened(["M"], ["Male", "Married"]) == {}  # either
    assert shortened(["1"], ["12"]) == {}
    assert shortened(["F", "Fem"], ["Female"]) == {}


@pytest.mark.parametrize(
    ("part", "whole", "text"),
    [
        (0, 0, "0 %"),
        (0, 5, "0 %"),
        (5, 5, "100 %"),
        (1, 10**6, "0.01 %"),
        (10**6 - 1, 10**6, "99.99 %"),
        (1, 3, "33.3 %"),
    ],
)
def test_shares_never_hide_a_row(part: int, whole: int, text: str) -> None:
    assert share(part, whole) == text


def test_known_totals_that_the_rows_do_not_have_are_told_roughly() -> None:
    frame = pd.DataFrame({"age": [30] * 100 + [40] * 900 + [99] * 5})
    schema = discreet.Schema(age=discreet.Ordinal(20, 60, outside="drop"))
    known = [{"where": "age = 30", "count": 100}, {"where": "age = 40", "count": 600}, {"count": 1005}]
    found = discreet.open(frame, schema).check({"one": (discreet.Table("age", known=known), 5)})
    said = [str(warning) for warning in found.warnings if "known" in warning.message]
    assert [line.split(";")[0] for line in said] == [
        "[releases.one] known: age = 40 is not 600: the rows that count are over 10 % more",
        "[releases.one] known: everything is not 1,005: the rows that count are under 1 % fewer",
    ]
    assert all("never put in what the rows have" in line for line in said)


def test_rows_that_are_in_no_period_are_said(tmp_path: Path) -> None:
    """And a format is not advised that would lose what is read now."""
    schema = discreet.Schema(day=discreet.Ordinal("2024-01-01", "2024-12-31"))
    (tmp_path / "mixed.csv").write_text("day\n" + "2024-03-05\n" * 60 + "3/5/2024\n" * 40)
    (tmp_path / "plain.csv").write_text("day\n" + "2024-03-05\n" * 60)
    mixed, plain = (discreet.open(tmp_path / name, schema).origin for name in ("mixed.csv", "plain.csv"))
    assert isinstance(mixed, Rows)
    assert isinstance(plain, Rows)
    said = [str(one) for one in without_day(mixed, "day", schema)]
    assert "40.0 % of all rows have no day that can be read" in said[0]
    assert any("in one way in the data" in one for one in said)
    assert not any("write format =" in one for one in said)
    assert without_day(plain, "day", schema) == []
