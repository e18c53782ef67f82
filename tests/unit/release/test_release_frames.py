"""A release and its answers as frames and as CSV: every cell once, and no formula for a spreadsheet."""

from __future__ import annotations

import csv
import sys
from pathlib import Path

import numpy as np
import pytest

import discreet
from discreet.noise import ZeroNoise
from discreet.private.open_data import from_counts
from discreet.release import Release
from discreet.release.frame import Frame, safe_text
from tests.unit.release import release_cases
from tests.unit.release.release_cases import CELLS, ODD

exact_release = release_cases.exact_release  # a fixture


def test_frames_hold_every_cell_once(exact_release: Release) -> None:
    expected = [(str(c["age"]), c["day"], c["place"], c["note"], n) for c, n in CELLS]
    arrow = exact_release.to_arrow()
    assert [tuple(row.values()) for row in arrow.to_pylist()] == expected
    assert {name: str(arrow.schema.field(name).type) for name in arrow.column_names} == {
        "age": "string",  # numbers and the label "other"
        "day": "date32[day]",
        "place": "string",
        "note": "string",
        "count": "int64",
    }
    assert [tuple(row) for row in exact_release.to_polars().iter_rows()] == expected
    assert list(exact_release.to_pandas().itertuples(index=False, name=None)) == expected


def test_numbers_stay_numbers_where_every_label_is_one() -> None:
    schema = discreet.Schema(age=discreet.Ordinal(5, 7), width=discreet.Ordinal(0, 9, 5))
    release = from_counts(schema, [[0, 1], [2, 0]], [3, 4]).publish(
        discreet.Table(["age", "width"], method="geometric"), 1, noise=ZeroNoise()
    )
    assert release.to_arrow().to_pydict() == {
        "age": [5, 5, 6, 6, 7, 7],
        "width": ["0-4", "5-9"] * 3,
        "count": [0, 3, 0, 0, 4, 0],
    }


def test_answers_turn_into_any_frame(exact_release: Release) -> None:
    for by in ("age", ["day", "place.side"], "note"):
        frame = exact_release.table(by)
        rows = frame.rows()
        pandas, polars, arrow = frame.to_pandas(), frame.to_polars(), frame.to_arrow()
        assert list(pandas.columns) == polars.columns == arrow.column_names == list(frame.columns)
        for found in (
            pandas.itertuples(index=False, name=None),
            polars.iter_rows(),
            zip(*arrow.to_pydict().values(), strict=True),
        ):
            # "other" among numbers makes the column one of text in frames that know types
            assert [tuple(map(str, row)) for row in found] == [tuple(map(str, row)) for row in rows]
        assert frame.to_dicts()[1] == dict(zip(frame.columns, rows[1], strict=True))


def test_csv_is_read_back_and_runs_nothing(exact_release: Release, tmp_path: Path) -> None:
    text = exact_release.table("note").to_csv(tmp_path / "answers.csv")
    with (tmp_path / "answers.csv").open(newline="", encoding="utf-8") as file:
        assert file.read() == text
        file.seek(0)
        header, *rows = csv.reader(file)
    assert header == ["note", "count", "stderr", "low", "high"]
    assert [row[0] for row in rows] == ["'=1+1" if label == "=1+1" else label for label in (*ODD, "other")]
    assert [int(row[1]) for row in rows] == list(exact_release.table("note")["count"])


@pytest.mark.parametrize("start", ["=", "+", "-", "@", "\t", "\r", "\n"])
def test_a_text_that_a_spreadsheet_would_run_is_quoted(start: str) -> None:
    text = Frame({f"{start}head": [f"{start}cmd|' /C calc'!A0", "1-1", -5]}).to_csv()
    header, first, second, third = [row[0] for row in csv.reader(text.splitlines(keepends=True))]
    assert header == f"'{start}head"
    assert first == f"'{start}cmd|' /C calc'!A0"
    assert (second, third) == ("1-1", "-5")


def test_showing_a_frame_shows_its_beginning_and_says_so() -> None:
    frame = Frame({"<i>name</i>": [f"<row {i}>" for i in range(30)], "count": np.arange(30)})
    assert len(repr(frame).splitlines()) == 22
    assert "... 10 more rows" in repr(frame)
    html = frame._repr_html_()
    assert "<i>" not in html
    assert "&lt;i&gt;name" in html
    assert "&lt;row 19&gt;" in html
    assert "row 20" not in html


def test_bins_below_zero_are_no_formulas_and_can_be_asked_again(tmp_path: Path) -> None:
    schema = discreet.Schema(frost=discreet.Ordinal(edges=[-20, -15, -9, -8, 0, 10]), code=discreet.Nominal(["-1.5"]))
    codes = [[code, 0] for code in range(5)]
    task = discreet.Table(["frost", "code"], method="geometric")
    release = from_counts(schema, codes, [1, 2, 3, 4, 5]).publish(task, 1, noise=ZeroNoise())
    labels = ["-20..-16", "-15..-10", "-9", "-8..-1", "0-9"]
    answers = release.table(["frost", "code"])
    assert [row.split(",")[:2] for row in answers.to_csv().split()[1:]] == [[label, "-1.5"] for label in labels]
    Frame({name: answers[name] for name in schema}).to_csv(tmp_path / "questions.csv")
    assert list(release.ask(tmp_path / "questions.csv")["count"]) == [1, 2, 3, 4, 5]


@pytest.mark.parametrize("text", ["-1+1", "-20..A1", "-20..-16..", "-1..2\n", "-", "-A1", "+5", "-5 %", "=-1", "\t-1"])
def test_what_only_starts_like_a_number_gets_a_quote(text: str) -> None:
    assert safe_text(text) == "'" + text


def test_frames_are_shown_as_people_read_them() -> None:
    frame = Frame({"method": ["geometric", "x"], "error": [69.95194611461044, -16.000000000000053], "n": [3, 12345]})
    assert repr(frame).splitlines() == ["method     error      n", "geometric  69.95      3", "x            -16  12345"]
    assert ">69.95</td>" in frame._repr_html_()
    assert frame["error"][0] == 69.95194611461044


def test_a_library_that_is_not_there_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "polars", None)
    with pytest.raises(ImportError, match=r"discreet\[frames\]"):
        Frame({"n": [1]}).to_polars()
