"""Many questions from a file: the array path against one question at a time, and every way to write a bad file."""

from __future__ import annotations

import csv
import gzip
from datetime import date
from pathlib import Path
from typing import Any

import numpy as np
import pandas
import polars
import pyarrow
import pytest

from discreet.errors import BadParameter, CannotAnswer, OutsideDomain, UnknownAttribute
from discreet.queries import Questions, Selection, bind, read_questions
from discreet.queries import questions as module
from discreet.schema import Nominal, Ordinal, Schema

SCHEMA = Schema(
    age=Ordinal(17, 90),
    decade=Ordinal(-20, 99, 10, outside="other"),
    month=Ordinal(date(2024, 1, 1), date(2024, 12, 31), "month"),
    country=Nominal(hierarchy={"Americas": ["USA", "Canada"], "Europe": {"West": ["France"], "East": ["Poland"]}}),
    odd=Nominal(["a", "b", "a|b", "1..2", "x,\ny", " padded", "=1+1", "padded"]),
)  # fmt: skip


def written(folder: Path, rows: list[list[str]], name: str = "questions.csv") -> Path:
    path = folder / name
    with path.open("w", newline="", encoding="utf-8") as file:
        csv.writer(file).writerows(rows)
    return path


def one_by_one(rows: list[list[str]], readings: dict[str, dict[str, Any]]) -> list[Selection]:
    """Each question bound alone; `readings` says what every cell text means in a mapping."""
    header, *body = rows
    return [
        bind({name: readings[name][text] for name, text in zip(header, row, strict=True) if text.strip()}, SCHEMA)
        for row in body
    ]  # fmt: skip


def assert_same(questions: Questions, selections: list[Selection], schema: Schema = SCHEMA) -> None:
    assert questions.count == len(selections)
    assert questions.owner.dtype == questions.first.dtype == questions.last.dtype == np.int64
    assert questions.first.shape == questions.last.shape == (len(questions.owner), len(schema))
    assert (np.diff(questions.owner) >= 0).all()
    counts = np.bincount(questions.owner, minlength=questions.count)
    stops = np.cumsum(counts)
    for selection, start, stop in zip(selections, stops - counts, stops, strict=True):
        boxes = selection.boxes(schema.sizes)
        found = np.hstack([questions.first[start:stop], questions.last[start:stop]]).tolist()
        assert sorted(found) == sorted(np.hstack([boxes.first, boxes.last]).tolist())


READINGS: dict[str, dict[str, Any]] = {
    "age": {
        "": None, " ": None, "30": 30, " 30 ": 30, "30..39": (30, 39), "30 .. 39": (30, 39), "30..": (30, None),
        "..39": (None, 39), "..": (None, None), "0..200": (17, 90), "20|30|31": [20, 30, 31],
        "80..|17..20 | 50": [(80, None), (17, 20), 50], "20..30|25..40": (20, 40), "30.0": 30,
    },
    "decade": {
        "": None, "20-29": "20-29", "20..39": (20, 39), "-20..-11": (-20, -11), "-10..": (-10, None),
        "other": "other", "other|0-9": ["other", (0, 9)],
    },
    "month": {
        "": None, "2024-02-01..2024-03-31": (date(2024, 2, 1), date(2024, 3, 31)),
        "2024-02-01..2024-02-29": "2024-02-01..2024-02-29", "2024-11-01..": (date(2024, 11, 1), None),
    },
    "country": {
        "": None, "USA": "USA", "Europe": "Europe", "USA|West": ["USA", "West"], " East ": "East",
        "Canada | West|USA": ["Americas", "France"],
    },
    "odd": {
        "": None, "a": "a", "a|b": "a|b", "b|a": ["a", "b"], "1..2": "1..2", "x,\ny": "x,\ny", " padded": " padded",
        "padded ": "padded", "=1+1": "=1+1", "1..2|a": ["1..2", "a"],
    },
}  # fmt: skip


@pytest.mark.parametrize("seed", range(3))
def test_the_array_path_equals_one_question_at_a_time(seed: int, tmp_path: Path) -> None:
    rng = np.random.default_rng(seed)
    names = [str(name) for name in rng.permutation(SCHEMA.names)[: rng.integers(1, 6)]]
    rows = [names] + [[str(rng.choice(list(READINGS[name]))) for name in names] for _ in range(400)]
    rows = [rows[0], *(row for row in rows[1:] if len(row) > 1 or row[0])]  # an empty line is no question
    path = written(tmp_path, rows)
    assert_same(read_questions(path, SCHEMA), one_by_one(rows, READINGS))
    assert_same(read_questions(str(path), SCHEMA), one_by_one(rows, READINGS))


def test_every_way_to_write_a_cell(tmp_path: Path) -> None:
    for name, readings in READINGS.items():
        rows = [[name, "age" if name != "age" else "odd"], *([text, ""] for text in readings)]
        assert_same(read_questions(written(tmp_path, rows), SCHEMA), one_by_one(rows, READINGS))


def test_many_questions_in_many_blocks_equal_the_direct_codes(tmp_path: Path) -> None:
    rng = np.random.default_rng(5)
    ends = np.sort(rng.integers(17, 91, size=(200_000, 2)), axis=1)
    path = tmp_path / "many.csv"
    countries = ["", "USA", "Europe", "Canada|Poland"]
    choice = rng.integers(0, 4, size=len(ends))
    lines = [f"{low}..{high},{countries[c]}\n" for (low, high), c in zip(ends.tolist(), choice, strict=True)]
    path.write_text("age,country\n" + "".join(lines))
    found = read_questions(path, SCHEMA)
    owner = np.repeat(np.arange(len(ends)), np.where(choice == 3, 2, 1))
    assert found.count == len(ends)
    assert (found.owner == owner).all()
    assert (found.first[:, 0] == ends[owner, 0] - 17).all()
    assert (found.last[:, 0] == ends[owner, 1] - 17).all()
    second = np.r_[False, owner[1:] == owner[:-1]]
    assert (found.first[:, 3] == np.where(second, 3, np.array([0, 0, 2, 1])[choice[owner]])).all()
    assert (found.last[:, 3] == np.where(second, 3, np.array([3, 0, 3, 1])[choice[owner]])).all()
    assert (found.first[:, 4] == 0).all()
    assert (found.last[:, 4] == 7).all()


def test_a_column_of_predicates(tmp_path: Path) -> None:
    texts = [
        "age between 30 and 39 and country in ('Europe', 'USA')",
        "age = 30 and age = 31",
        "odd in ('a|b', '1..2', 'a') or not month < '2024-03-01'",
        "age = 30 and age = 31",
        "odd = 'x,\ny'",
    ]
    found = read_questions(written(tmp_path, [["where"], *([text] for text in texts)]), SCHEMA)
    assert_same(found, [bind(text, SCHEMA) for text in texts])


def test_an_attribute_called_where_keeps_its_name(tmp_path: Path) -> None:
    schema = Schema(where=Nominal(["home", "away"]))
    found = read_questions(written(tmp_path, [["where"], ["away"]]), schema)
    assert_same(found, [bind({"where": "away"}, schema)], schema)


@pytest.mark.parametrize("header", ["age,country", "where", "age"])
def test_a_header_alone_asks_nothing(header: str, tmp_path: Path) -> None:
    path = tmp_path / "none.csv"
    path.write_text(header + "\n")
    assert_same(read_questions(path, SCHEMA), [])


def test_compressed_marked_and_spaced_files(tmp_path: Path) -> None:
    text = "\ufeffage, country\r\n\r\n30..39,Europe\r\n\r\n,USA\r\n"
    plain, packed = tmp_path / "q.csv", tmp_path / "q.csv.gz"
    plain.write_bytes(text.encode())
    packed.write_bytes(gzip.compress(text.encode()))
    wanted = [bind({"age": (30, 39), "country": "Europe"}, SCHEMA), bind({"country": "USA"}, SCHEMA)]
    assert_same(read_questions(plain, SCHEMA), wanted)
    assert_same(read_questions(packed, SCHEMA), wanted)


FRAME = {
    "age": [30, 31, None],
    "month": ["2024-01-01..2024-01-31", None, ""],
    "country": ["USA", "Europe", None],
}


@pytest.mark.parametrize("make", [pandas.DataFrame, polars.DataFrame, pyarrow.table])
def test_frames(make: Any) -> None:
    wanted = [
        bind({"age": 30, "month": (date(2024, 1, 1), date(2024, 1, 31)), "country": "USA"}, SCHEMA),
        bind({"age": 31, "country": "Europe"}, SCHEMA),
        bind(None, SCHEMA),
    ]
    assert_same(read_questions(make(FRAME), SCHEMA), wanted)


def test_frames_with_categories_and_dates() -> None:
    schema = Schema(day=Ordinal(date(2024, 1, 1), date(2024, 1, 31)), sex=Nominal(["m", "f"]))
    days = [date(2024, 1, 5), date(2024, 1, 6)]
    wanted = [bind({"day": day, "sex": "f"}, schema) for day in days]
    frame = pandas.DataFrame({"day": pandas.to_datetime(days), "sex": pandas.Categorical(["f", "f"])})
    assert_same(read_questions(frame, schema), wanted, schema)
    assert_same(read_questions(polars.DataFrame({"day": days, "sex": ["f", "f"]}), schema), wanted, schema)
    sliced = pyarrow.table({"day": [days[0], *days], "sex": ["m", "f", "f"]}).slice(1)
    assert_same(read_questions(sliced, schema), wanted, schema)


@pytest.mark.parametrize(
    ("frame", "message"),
    [
        (pandas.DataFrame({"age": [30, "31..32"]}), "mixes types"),
        (pandas.DataFrame({"age": [[1], [2]]}), "neither text, numbers nor dates"),
        (polars.DataFrame({"age": [30]}).lazy(), "not from LazyFrame"),
        (pandas.DataFrame(), "has no columns"),
        (7, "not from int"),
    ],
    ids=["mixed", "lists", "lazy", "empty", "number"],
)
def test_bad_frames(frame: Any, message: str) -> None:
    with pytest.raises(BadParameter, match=message):
        read_questions(frame, SCHEMA)


def test_frames_and_files_refuse_what_cuts_a_bin(tmp_path: Path) -> None:
    schema = Schema(day=Ordinal(date(2024, 1, 1), date(2024, 1, 31)), hours=Ordinal(0.0, 10.0, 0.5))
    noon = pandas.DataFrame({"day": pandas.to_datetime(["2024-01-05 00:00", "2024-01-06 12:00"])})
    with pytest.raises(CannotAnswer, match=r"question 2, column 'day': .* has a time of day"):
        read_questions(noon, schema)
    with pytest.raises(CannotAnswer, match=r"line 3, column 'hours': '2.5' is in the bin \[2.5, 3\)"):
        read_questions(written(tmp_path, [["hours"], ["2.5..10"], ["0..2.5"]]), schema)


def test_an_error_in_a_frame_names_the_question() -> None:
    with pytest.raises(OutsideDomain, match=r"questions, question 2, column 'age': .*17 to 90"):
        read_questions(pandas.DataFrame({"age": [30, 5]}), SCHEMA)


@pytest.mark.parametrize(
    ("text", "error", "message"),
    [
        ("", BadParameter, "q.csv: is empty"),
        ("age;country\n30;USA\n", UnknownAttribute, "q.csv, header, column 1: .*something other than a comma"),
        ("agee\n30\n", UnknownAttribute, "q.csv, header, column 1: .*Did you mean 'age'"),
        ("age,sex\n30,\n", UnknownAttribute, "column 2: this release does not count by 'sex'"),
        ("age,where\n30,\n", UnknownAttribute, "`where` must be the only column of questions"),
        ("age,age\n30,31\n", BadParameter, "q.csv: two columns are called 'age'"),
        ("age, age\n30,31\n", BadParameter, "q.csv: two columns are called 'age'"),
        ("age,country\n30,USA\n31\n", BadParameter, "q.csv, line 3: has 1 columns, the header 2"),
        ("age,country\n30,USA\n\n31,USA,x\n", BadParameter, "q.csv, line 4: has 3 columns, the header 2"),
        ("age\n30\nold\n", OutsideDomain, "q.csv, line 3, column 'age': 'old'"),
        ("age\n30\n\n\n5\n", OutsideDomain, "q.csv, line 5, column 'age': "),
        ('odd,age\n"x,\ny",30\na,5\n', OutsideDomain, "q.csv, line 4, column 'age': "),
        ("age\n39..30\n", OutsideDomain, "q.csv, line 2, column 'age': .*swapped"),
        ("age\n17..20\n39..30\n39..30\n", OutsideDomain, "q.csv, line 3, column 'age': .*swapped"),
        ("age\n20..20|\n", BadParameter, "q.csv, line 2, column 'age': .*empty part"),
        ("age\n1..2..3\n", OutsideDomain, "q.csv, line 2, column 'age': "),
        ("decade\n20..39\n20..34\n", CannotAnswer, "q.csv, line 3, column 'decade': '34' cuts a bin"),
        ("country\nUSA\nUSA|Frnce\n", OutsideDomain, "line 3, column 'country': 'Frnce' .*Did you mean 'France'"),
        ("country\nCanada..USA\n", OutsideDomain, "line 2, column 'country': 'Canada..USA' is not among"),
        ("where\nage = 30\nage = \n", BadParameter, "q.csv, line 3, column 'where': predicate, position"),
        ("where\nsize = 30\n", UnknownAttribute, "q.csv, line 2, column 'where': there is no attribute 'size'"),
        ("where\nsex = 'm'\n", UnknownAttribute, "q.csv, line 2, column 'where': this release does not count by"),
        ('age\n"30\n31\n', OutsideDomain, "q.csv, line 2, column 'age': "),
    ],
)  # fmt: skip
def test_bad_files(text: str, error: type[Exception], message: str, tmp_path: Path) -> None:
    path = tmp_path / "q.csv"
    path.write_text(text, encoding="utf-8", newline="")
    with pytest.raises(error, match=f"(?s){message}"):
        read_questions(path, SCHEMA, known=["sex"])


def test_files_that_are_none(tmp_path: Path) -> None:
    with pytest.raises(BadParameter, match="there is no such file"):
        read_questions(tmp_path / "absent.csv", SCHEMA)
    with pytest.raises(BadParameter, match="is a folder"):
        read_questions(tmp_path, SCHEMA)
    latin = tmp_path / "latin.csv"
    latin.write_bytes("country\nUSA\nCuraçao\n".encode("latin-1"))
    with pytest.raises(BadParameter, match=r"latin.csv: is not UTF-8"):
        read_questions(latin, SCHEMA)
    torn = tmp_path / "torn.csv.gz"
    torn.write_bytes(gzip.compress(b"age\n" + b"30\n" * 10_000)[:-20])
    with pytest.raises(BadParameter, match=r"torn.csv.gz: "):
        read_questions(torn, SCHEMA)


def test_a_question_of_too_many_boxes_is_named(tmp_path: Path) -> None:
    big = Schema(a=Ordinal(0, 999), b=Ordinal(0, 999))
    comb = "|".join(map(str, range(0, 999, 2)))
    path = written(tmp_path, [["a", "b"], ["1", comb], [comb, comb]])
    with pytest.raises(CannotAnswer, match=r"questions.csv, line 3, column 'b': .* 10,000 boxes"):
        read_questions(path, big)


def test_more_boxes_than_fit_into_memory_are_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "MOST_TOTAL_BOXES", 5)
    path = written(tmp_path, [["age"], ["20|30|40"], ["20|30|40"]])
    with pytest.raises(CannotAnswer, match="over 5 boxes together"):
        read_questions(path, SCHEMA)
