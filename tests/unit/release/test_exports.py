"""Answers as files, questions that come back with their own columns, and releases that open as labelled rows."""

from __future__ import annotations

import builtins
import csv
import json
import re
import zipfile
from datetime import date
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import numpy as np
import pytest

import discreet
from discreet.errors import BadParameter, CannotAnswer, MissingExtra
from discreet.release import Release, cells_file, load, workbook
from discreet.release.frame import Frame
from tests.unit.release import release_cases
from tests.unit.release.release_cases import ODD

noisy, saved = release_cases.noisy, release_cases.saved  # fixtures
MAIN = "{http://schemas.openxmlformats.org/spreadsheetml/2006/main}"
TEXTS = [*ODD, "=cmd|' /C calc'!A0", "@sum", "-1", "_x0041_", "nul\x00l", " spaces ", "É", "😀"]


def cells_of(path: Path, sheet: int = 1) -> list[list[Any]]:
    """The sheet as a spreadsheet reads it, from the XML alone."""
    with zipfile.ZipFile(path) as file:
        assert file.testzip() is None
        root = ElementTree.fromstring(file.read(f"xl/worksheets/sheet{sheet}.xml"))
    assert root.find(f".//{MAIN}f") is None  # no formula anywhere
    found = []
    for row in root.iter(f"{MAIN}row"):
        line: dict[str, Any] = {}
        for cell in row.iter(f"{MAIN}c"):
            text, value = cell.find(f".//{MAIN}t"), cell.find(f"{MAIN}v")
            column = re.sub(r"\d", "", cell.attrib["r"])
            if text is not None:
                line[column] = re.sub("_x([0-9A-F]{4})_", lambda m: chr(int(m[1], 16)), text.text or "")
            elif value is not None:
                line[column] = float(value.text or "nan")
        found.append(list(line.values()))
    return found


def test_excel_holds_what_the_table_holds(tmp_path: Path) -> None:
    columns: dict[str, Any] = {"text": TEXTS, "count": list(range(len(TEXTS))), "high": [0.5] * len(TEXTS)}
    columns["day"] = [date(2024, 1, 31)] * len(TEXTS)
    path = Frame(columns, ["kept: a note"]).to_excel(tmp_path / "answers.xlsx")
    head, *rows = cells_of(path)
    assert head == ["text", "count", "high", "day"]
    assert [row[0] for row in rows] == TEXTS
    assert [row[1:] for row in rows] == [[float(i), 0.5, 45322.0] for i in range(len(TEXTS))]
    assert cells_of(path, 2) == [["notes"], ["kept: a note"]]
    with zipfile.ZipFile(path) as file:
        sheet = file.read("xl/worksheets/sheet1.xml").decode()
        styles = ElementTree.fromstring(file.read("xl/styles.xml")).findall(f".//{MAIN}cellXfs/{MAIN}xf")
    style = re.search(r'<c r="A6" s="(\d)" t="inlineStr"><is><t xml:space="preserve">=1\+1<', sheet)
    assert style is not None
    assert styles[int(style[1])].attrib["quotePrefix"] == "1"  # stays a text when it is edited


def test_excel_leaves_out_ends_that_are_not_there_and_odd_dates(tmp_path: Path) -> None:
    frame = Frame({"day": [date(1800, 1, 1)], "high": [np.inf], "large": [2**60], "sure": [True]})
    assert cells_of(frame.to_excel(tmp_path / "a.xlsx"))[1] == ["1800-01-01", str(2**60), 1.0]


def test_excel_has_an_end(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(workbook, "MOST_ROWS", 3)
    assert Frame({"a": [1, 2]}).to_excel(tmp_path / "a.xlsx").exists()
    with pytest.raises(CannotAnswer, match=r"write \.csv or \.parquet"):
        Frame({"a": [1, 2, 3]}).to_excel(tmp_path / "b.xlsx")
    with pytest.raises(CannotAnswer, match="too long"):
        Frame({"a": ["x" * 40_000]}).to_excel(tmp_path / "b.xlsx")
    assert not (tmp_path / "b.xlsx").exists()
    assert [workbook._letters(place) for place in (0, 25, 26, 701, 702)] == ["A", "Z", "AA", "ZZ", "AAA"]


def test_files_by_their_ending(noisy: Release, tmp_path: Path) -> None:
    import pyarrow.parquet as pq

    frame = noisy.table(["place", "note"])
    frame.write(tmp_path / "a.parquet")
    assert pq.read_table(tmp_path / "a.parquet").equals(frame.to_arrow())
    frame.write(tmp_path / "a.csv")
    assert (tmp_path / "a.csv").read_bytes().decode() == frame.to_csv()
    assert cells_of(frame.write(tmp_path / "a.XLSX"))[0] == list(frame.columns)
    with pytest.raises(BadParameter, match="a file of answers"):
        frame.write("a\0b")


@pytest.mark.parametrize("library", ["pandas", "polars"])
def test_a_library_that_is_missing_is_named_with_its_extra(
    noisy: Release, monkeypatch: pytest.MonkeyPatch, library: str
) -> None:
    import importlib

    def missing(name: str, *rest: Any) -> Any:
        if name == library:
            raise ImportError(name)
        return builtins.__import__(name)

    monkeypatch.setattr(importlib, "import_module", missing)
    for thing in (noisy, noisy.table("age")):
        with pytest.raises(MissingExtra, match=r"pip install 'discreet\[frames\]'"):
            getattr(thing, f"to_{library}")()


def test_questions_come_back_with_their_own_columns(noisy: Release, tmp_path: Path) -> None:
    import pandas as pd

    path = tmp_path / "q.csv"
    path.write_text('id,age,place,remark\n007,3..5,north,"=1"\n008,,a|b,\n', encoding="utf-8")
    frame = noisy.ask(path, keep=["remark"])
    assert list(frame.columns) == ["id", "age", "place", "remark", "count", "stderr", "low", "high"]
    assert [row[:4] for row in frame.rows()] == [("007", "3..5", "north", "=1"), ("008", "", "a|b", "")]
    assert (
        frame["count"].tolist()
        == noisy.ask(pd.DataFrame({"age": ["3..5", ""], "place": ["north", "a|b"]}))["count"].tolist()
    )
    given = noisy.ask(pd.DataFrame({"id": [7, 8], "where": ["age = 3", "place = 'a'"], "low": [1.5, 2.5]}), keep="low")
    assert (given["id"], given["question_low"]) == ([7, 8], [1.5, 2.5])
    assert given["count"].tolist() == [noisy.count("age = 3").value, noisy.count("place = 'a'").value]
    assert next(csv.DictReader(frame.to_csv().splitlines()))["remark"] == "'=1"


@pytest.mark.parametrize(
    ("text", "keep", "words"),
    [
        ("agee,id\n3,1\n", (), "keep 'agee'"),
        ("id\n1\n", (), "no column is about an attribute"),
        ("age,id\n1,2\n", ["age"], "is what the questions are about"),
        ("age,id\n1,2\n", ["x"], "is not there"),
    ],
)
def test_a_misspelt_attribute_is_no_column_to_keep(
    noisy: Release, tmp_path: Path, text: str, keep: Any, words: str
) -> None:
    (tmp_path / "q.csv").write_text(text)
    with pytest.raises(discreet.DiscreetError, match=words):
        noisy.ask(tmp_path / "q.csv", keep=keep)


@pytest.mark.parametrize("method", ["privelet", "dyadic", "weighted", "privelet*", "adaptive"])
def test_ranges_open_with_labelled_cells(tmp_path: Path, method: str) -> None:
    import duckdb
    import pandas as pd

    schema = discreet.Schema(age=discreet.Ordinal(0, 6), sex=discreet.Nominal(["f", "m"]))
    codes = np.array(list(np.ndindex(7, 2)))
    data = discreet.from_counts(schema, codes, np.arange(14) * 10)
    release = data.publish(discreet.Ranges(["age", "sex"], method=method), 1, to=tmp_path / "out")
    said = json.loads((tmp_path / "out" / "release.json").read_text())
    assert said["cells"]["file"] == "cells.parquet"
    assert set(said["files"]) == {"table.parquet", "cells.parquet"}
    table = release.table(["age", "sex"])
    with duckdb.connect() as connection:
        rows = connection.execute("FROM read_parquet(?)", [str(tmp_path / "out" / "cells.parquet")]).fetchall()
    assert rows == [(row[0], row[1], row[2], row[4], row[5]) for row in table.rows()]
    assert list(pd.read_parquet(tmp_path / "out" / "cells.parquet").columns) == ["age", "sex", "count", "low", "high"]
    again = load(tmp_path / "out").save(tmp_path / "again")
    for path in (tmp_path / "out").iterdir():
        assert (again / path.name).read_bytes() == path.read_bytes()
    (again / "cells.parquet").write_bytes(b"other")
    with pytest.raises(discreet.DiscreetError, match=r"cells\.parquet was changed"):
        load(again)


def test_too_many_cells_are_not_listed_and_the_release_says_so(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(cells_file, "MOST_CELLS", 3)
    data = discreet.from_counts(discreet.Schema(age=discreet.Ordinal(0, 6)), np.array([[1]]), np.array([5]))
    release = data.publish(discreet.Ranges("age", method="privelet"), 1, to=tmp_path / "out")
    assert not (tmp_path / "out" / "cells.parquet").exists()
    assert release.manifest["cells"] == {
        "file": None,
        "why": "7 cells are more than 3: load the release with discreet, and ask it for tables",
    }
    plain = data.publish(discreet.Table("age", method="geometric"), 1, to=tmp_path / "plain")
    assert "cells" not in plain.manifest  # its table has labels


def test_files_that_cannot_be_written_say_so(noisy: Release, tmp_path: Path) -> None:
    table = noisy.table(next(iter(noisy.schema)))
    with pytest.raises(discreet.DiscreetError, match=r"x\.pdf: answers are written as \.csv, \.xlsx or \.parquet"):
        table.write(tmp_path / "x.pdf")
    for write in (table.to_csv, table.to_excel, table.to_parquet):
        with pytest.raises(discreet.DiscreetError, match=r"there is no folder .*missing"):
            write(tmp_path / "missing" / "x.csv")
        with pytest.raises(discreet.DiscreetError, match="is a folder"):
            write(tmp_path)
    assert not list(tmp_path.iterdir())
