"""A release: every answer against brute force, plain files that open without us, and no changed byte accepted."""

from __future__ import annotations

import csv
import json
import os
import shutil
from collections.abc import Callable
from datetime import date
from fractions import Fraction
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import discreet
from discreet import folder
from discreet.errors import BadParameter, CannotAnswer, DiscreetError, OutsideDomain, TamperedRelease, UnknownAttribute
from discreet.frame import Frame
from discreet.laws import DiscreteLaplace
from discreet.noise import Noise, ZeroNoise
from discreet.privacy import Alpha, scale_of
from discreet.publish import Data, from_counts
from discreet.release import Release, load

ODD = ["plain", "a,b", 'q"uote', "two\nlines", "=1+1", "c\rr", "<b>&amp;"]
SCHEMA = discreet.Schema(
    age=discreet.Ordinal(0, 9, outside="other"),
    day=discreet.Ordinal(date(2024, 1, 1), date(2024, 1, 3)),
    place=discreet.Nominal(
        hierarchy={"north": ["a", "b"], "south": {"west": ["c"], "east": ["d", "e"]}, "sea": ["f"]},
        levels=["side", "part", "place"],
    ),
    note=discreet.Nominal(ODD, null="other"),
    income=discreet.Ordinal(0, 99, 10),
)
BY = ["age", "day", "place", "note"]
TASK = discreet.Table(BY, method="geometric")
RELEASED = SCHEMA.select(BY)
CODES = np.array(list(product(*map(range, RELEASED.sizes))))
COUNTS = (np.arange(len(CODES)) * 7919) % 101
NORTH, EAST = {"a", "b"}, {"d", "e"}


def data(**options: Any) -> Data:
    """Counts of all four released attributes; every income is in the first bin."""
    return from_counts(SCHEMA, np.column_stack([CODES, np.zeros(len(CODES), np.int64)]), COUNTS, **options)


@pytest.fixture(scope="module")
def exact_release() -> Release:
    return data().publish(TASK, 1, noise=ZeroNoise())


@pytest.fixture(scope="module")
def noisy() -> Release:
    return data().publish(TASK, "0.7")


@pytest.fixture(scope="module")
def saved(noisy: Release, tmp_path_factory: pytest.TempPathFactory) -> Path:
    return noisy.save(tmp_path_factory.mktemp("saved") / "by-age")


def cells() -> list[tuple[dict[str, Any], int]]:
    """Every cell as its labels and its true count."""
    labels = [RELEASED[name].labels for name in BY]
    return [
        ({name: labels[i][code] for i, (name, code) in enumerate(zip(BY, row, strict=True))}, int(count))
        for row, count in zip(CODES, COUNTS, strict=True)
    ]


CELLS = cells()
Holds = Callable[[dict[str, Any]], bool]


def brute(holds: Holds) -> int:
    return sum(count for cell, count in CELLS if holds(cell))


WHERES: list[tuple[Any, Holds]] = [
    (None, lambda c: True),
    ({"age": 3}, lambda c: c["age"] == 3),
    ({"age": (3, 5), "place": "north"}, lambda c: c["age"] in (3, 4, 5) and c["place"] in NORTH),
    ({"age": (8, None)}, lambda c: c["age"] in (8, 9)),
    ({"age": "other"}, lambda c: c["age"] == "other"),
    (
        {"place": ["east", "f"], "day": (date(2024, 1, 2), None)},
        lambda c: c["place"] in EAST | {"f"} and c["day"].day > 1,
    ),
    ({"note": ["a,b", 'q"uote', "=1+1"]}, lambda c: c["note"] in ("a,b", 'q"uote', "=1+1")),
    ("note = 'two\nlines' or note = 'c\rr'", lambda c: c["note"] in ("two\nlines", "c\rr")),
    ("not (place in ('north', 'sea') or age < 8)", lambda c: c["place"] in "cde" and c["age"] in (8, 9, "other")),
    ("age = 1 and place = 'a' or age = 2 and day = '2024-01-03'", lambda c: _two_boxes(c)),
    ("age != 4", lambda c: c["age"] != 4),
    ("age = 1 and age = 2", lambda c: False),
]
each_where = pytest.mark.parametrize(("where", "holds"), WHERES, ids=range(len(WHERES)))


def _two_boxes(c: dict[str, Any]) -> bool:
    return (c["age"] == 1 and c["place"] == "a") or (c["age"] == 2 and c["day"] == date(2024, 1, 3))


@each_where
def test_count_is_what_brute_force_counts(exact_release: Release, where: Any, holds: Holds) -> None:
    assert exact_release.count(where).value == brute(holds)


SIDES = {"a": "north", "b": "north", "c": "south", "d": "south", "e": "south", "f": "sea"}
PARTS = {"a": "a", "b": "b", "c": "west", "d": "east", "e": "east", "f": "f"}
GROUPINGS: list[tuple[Any, list[Callable[[dict[str, Any]], Any]]]] = [
    ("age", [lambda c: c["age"]]),
    (["note", "age"], [lambda c: c["note"], lambda c: c["age"]]),
    ("place.side", [lambda c: SIDES[c["place"]]]),
    (("place", 0), [lambda c: SIDES[c["place"]]]),
    (["place.0", "day"], [lambda c: SIDES[c["place"]], lambda c: c["day"]]),
    (["day", ("place", "part")], [lambda c: c["day"], lambda c: PARTS[c["place"]]]),
    ([("place", 2)], [lambda c: c["place"]]),
    ("place.1", [lambda c: PARTS[c["place"]]]),
    (None, [lambda c: c["age"], lambda c: c["day"], lambda c: c["place"], lambda c: c["note"]]),
]


@pytest.mark.parametrize(("by", "keys"), GROUPINGS, ids=range(len(GROUPINGS)))
@each_where
def test_table_by_and_where_is_what_brute_force_counts(
    exact_release: Release, by: Any, keys: list[Callable[[dict[str, Any]], Any]], where: Any, holds: Holds
) -> None:
    expected: dict[tuple[Any, ...], int] = {}
    for cell, count in CELLS:
        # where "other" stands among numbers, the column is one of text
        key = tuple(str(part(cell)) for part in keys)
        expected[key] = expected.get(key, 0) + (count if holds(cell) else 0)
    frame = exact_release.table(by, where)
    found = {tuple(map(str, row[:-4])): row[-4] for row in frame.rows()}
    assert len(frame) == len(expected), "a group for every label of the domain, none for others"
    assert found == expected
    assert all(type(row[-4]) is int for row in frame.rows(3))


def test_table_columns_keep_their_names_and_order(exact_release: Release) -> None:
    assert list(exact_release.table(["place.side", "age"]).columns) == [
        "place",
        "age",
        "count",
        "stderr",
        "low",
        "high",
    ]
    assert list(exact_release.table().columns)[:4] == BY


def test_a_group_has_the_estimate_of_the_question_it_stands_for(noisy: Release) -> None:
    frame = noisy.table(["place.side", "age"], "age < 3 or age = 7", level=0.8)
    for place, age, *numbers in frame.rows():
        if str(age) in "0127":
            one = noisy.count({"place": place, "age": age}, level=0.8)
            assert numbers == [one.value, one.stderr, one.low, one.high]
        else:
            assert numbers == [0, 0, 0, 0], "a group outside the where is empty for sure"


def test_an_estimate_knows_its_error(noisy: Release) -> None:
    alpha = Alpha.of(scale_of("0.7", 1))
    one = noisy.count({"age": 1, "day": "2024-01-01", "place": "a", "note": "plain"})
    assert one.stderr == pytest.approx(DiscreteLaplace(alpha).variance ** 0.5, rel=1e-9)
    everybody = noisy.count()
    assert everybody.stderr == pytest.approx(one.stderr * len(CODES) ** 0.5, rel=1e-9)
    assert one.low <= one.value <= one.high
    assert one.level == 0.95
    assert abs(everybody.value - int(COUNTS.sum())) < 8 * everybody.stderr


def test_a_higher_level_has_a_wider_interval(noisy: Release) -> None:
    widths = [noisy.count("age > 2", level=level) for level in (0.5, 0.8, 0.95, 0.999, 1 - 1e-12)]
    assert [e.high - e.low for e in widths] == sorted({e.high - e.low for e in widths})
    assert widths[2] == noisy.count("age > 2")


@pytest.mark.parametrize("level", [0, 1, -0.1, 95, float("nan"), float("inf"), True, "0.9", None])
def test_levels_that_are_no_probability_are_refused(noisy: Release, level: Any) -> None:
    for ask in (noisy.count, noisy.table, lambda level: noisy.ask(_frame({"age": ["1"]}), level=level)):
        with pytest.raises(BadParameter, match="level must lie strictly between 0 and 1"):
            ask(level=level)


def _frame(columns: dict[str, list[Any]]) -> Any:
    import pandas as pd

    return pd.DataFrame(columns)


def test_many_questions_are_the_same_as_one_at_a_time(noisy: Release, tmp_path: Path) -> None:
    rows = [("", "north"), ("3..5", ""), ("1|7", "east|f"), ("other", ""), ("", "")]
    path = tmp_path / "questions.csv"
    path.write_text("age,place\n" + "\n".join(f"{age},{place}" for age, place in rows) + "\n")
    single = [
        noisy.count(where, level=0.9)
        for where in (
            {"place": "north"},
            {"age": (3, 5)},
            {"age": [1, 7], "place": ["east", "f"]},
            {"age": "other"},
            None,
        )
    ]
    expected = [(one.value, one.stderr, one.low, one.high) for one in single]
    assert noisy.ask(path, level=0.9).rows() == expected
    ages, places = zip(*rows, strict=True)
    assert noisy.ask(_frame({"place": places, "age": ages}), level=0.9).rows() == expected


def test_predicates_in_a_file_of_questions(exact_release: Release, tmp_path: Path) -> None:
    path = tmp_path / "questions.csv"
    texts = [where for where, _ in WHERES if isinstance(where, str)]
    with path.open("w", newline="") as file:
        csv.writer(file).writerows([["where"], *([text] for text in texts)])
    answers = [brute(holds) for where, holds in WHERES if isinstance(where, str)]
    assert list(exact_release.ask(path)["count"]) == answers


@pytest.mark.parametrize(
    ("ask", "error", "words"),
    [
        (lambda r: r.count("income > 20"), UnknownAttribute, ["not made by 'income'", "age, day, place, note"]),
        (lambda r: r.count({"income": 5}), UnknownAttribute, ["not made by 'income'"]),
        (lambda r: r.table("income"), UnknownAttribute, ["not made by 'income'", "age, day, place, note"]),
        (lambda r: r.table(["age", ("income", 0)]), UnknownAttribute, ["not made by 'income'"]),
        (lambda r: r.ask(_frame({"income": ["5"]})), UnknownAttribute, ["not made by 'income'"]),
        (lambda r: r.table("agee"), UnknownAttribute, ["'agee'", "Did you mean 'age'?"]),
        (lambda r: r.table("Place.side"), UnknownAttribute, ["'Place'", "Did you mean 'place'?"]),
        (lambda r: r.count("agee = 1"), UnknownAttribute, ["Did you mean 'age'?"]),
        (lambda r: r.table("age.0"), CannotAnswer, ["age has no hierarchy", "group by age itself"]),
        (lambda r: r.table("place.country"), CannotAnswer, ["no level 'country'", "side, part, place"]),
        (lambda r: r.table("place.3"), CannotAnswer, ["no level 3", "0 (outermost) to 2"]),
        (lambda r: r.table(("place", -1)), CannotAnswer, ["no level -1"]),
        (lambda r: r.table("place.²"), CannotAnswer, ["no level '²'"]),
        (lambda r: r.table(["age", "age"]), BadParameter, ["once"]),
        (lambda r: r.table(["place.side", "place"]), BadParameter, ["once"]),
        (lambda r: r.table([]), BadParameter, ["attribute"]),
        (lambda r: r.table(["age", 3]), BadParameter, ["3"]),
        (lambda r: r.table([["age", "day"]]), BadParameter, ["age"]),
        (lambda r: r.table(("place",)), BadParameter, ["place"]),
        (lambda r: r.table(("place", 0, 1)), BadParameter, ["place"]),
        (lambda r: r.count("note < 'plain'"), BadParameter, ["note: labels have no order"]),
        (lambda r: r.count({"place": "northern"}), OutsideDomain, ["place: 'northern'", "Did you mean 'north'?"]),
        (lambda r: r.count({"age": 12}), OutsideDomain, ["age:", "0 to 9"]),
        (lambda r: r.count("age = "), DiscreetError, ["age"]),
    ],
)
def test_what_a_release_cannot_answer_says_why(
    exact_release: Release, ask: Callable[[Release], object], error: type[Exception], words: list[str]
) -> None:
    with pytest.raises(error) as caught:
        ask(exact_release)
    for word in words:
        assert word in str(caught.value)


def test_a_range_that_cuts_a_bin_is_not_guessed() -> None:
    release = data().publish(discreet.Table("income", method="geometric"), 1, noise=ZeroNoise())
    assert release.count("income between 0 and 19").value == int(COUNTS.sum())
    with pytest.raises(CannotAnswer, match="cuts a bin; the bins around it are 0-9, 10-19"):
        release.count("income >= 5")


def test_a_table_that_would_fill_the_memory_is_refused(monkeypatch: pytest.MonkeyPatch, exact_release: Release) -> None:
    monkeypatch.setattr("discreet.release.MOST_TOTAL_BOXES", 65)
    monkeypatch.setattr("discreet.queries.questions.MOST_TOTAL_BOXES", 65)
    with pytest.raises(CannotAnswer, match="table of 66 rows; group by less"):
        exact_release.table(["age", "place"])
    assert len(exact_release.table(["age", "place.side"])) == 33
    with pytest.raises(CannotAnswer, match="too many parts"):
        exact_release.table(["age", "place.side"], "age = 1 or age = 3 or age = 5")


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


def test_a_release_shows_what_it_is_and_escapes_what_it_shows(noisy: Release, exact_release: Release) -> None:
    html = noisy._repr_html_()
    for words in ("age (11)", "geometric", "epsilon 0.7", "one row (add-remove)", "discrete Laplace"):
        assert words in html
    assert "NOT PRIVATE" not in html + repr(noisy)
    assert "NOT PRIVATE" in exact_release._repr_html_()
    assert "NOT PRIVATE" in repr(exact_release)
    assert (noisy.publishable, exact_release.publishable) == (True, False)
    evil = discreet.Schema({"<script>alert(1)</script>": discreet.Nominal(["x"])})
    shown = from_counts(evil, [[0]], [1]).publish(discreet.Table(list(evil), method="geometric"), 1)._repr_html_()
    assert "<script>" not in shown
    assert "&lt;script&gt;" in shown


# --- on disk


def test_save_and_load_give_the_same_release(noisy: Release, saved: Path) -> None:
    loaded = load(saved)
    assert sorted(path.name for path in saved.iterdir()) == ["release.json", "table.parquet"]
    assert loaded.schema == noisy.schema == RELEASED
    assert loaded.manifest == noisy.manifest
    assert loaded.to_arrow().equals(noisy.to_arrow())
    for where, _ in WHERES:
        assert loaded.count(where) == noisy.count(where)
    assert loaded.table(["place.part", "age"], "age > 3").rows() == noisy.table(["place.part", "age"], "age > 3").rows()


def test_saving_again_writes_the_same_bytes(saved: Path, tmp_path: Path) -> None:
    again = load(saved).save(tmp_path / "new" / "folder")
    for name in ("release.json", "table.parquet"):
        assert (again / name).read_bytes() == (saved / name).read_bytes()


def test_saving_never_overwrites(noisy: Release, tmp_path: Path) -> None:
    (tmp_path / "folder").mkdir()
    (tmp_path / "file").write_text("mine")
    for name in ("folder", "file"):
        with pytest.raises(DiscreetError, match=f"{name}: exists already; choose another"):
            noisy.save(tmp_path / name)
    assert (tmp_path / "file").read_text() == "mine"
    assert sorted(path.name for path in tmp_path.iterdir()) == ["file", "folder"]


def test_saving_where_nothing_can_be_made_says_so(noisy: Release, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("mine")
    with pytest.raises(DiscreetError, match="file"):
        noisy.save(tmp_path / "file" / "by-age")
    assert sorted(path.name for path in tmp_path.iterdir()) == ["file"]


def test_a_failed_save_leaves_nothing(noisy: Release, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(handle: int) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises((OSError, DiscreetError)):
        noisy.save(tmp_path / "by-age")
    assert list(tmp_path.iterdir()) == []


def test_the_table_opens_in_pandas_and_duckdb_without_us(noisy: Release, saved: Path) -> None:
    import duckdb
    import pandas as pd

    frame = pd.read_parquet(saved / "table.parquet")
    assert list(frame.columns) == [*BY, "count"]
    assert int(frame["count"].sum()) == noisy.count().value
    assert set(frame["note"]) == {*ODD, "other"}
    query = "SELECT sum(count) FROM read_parquet(?) WHERE place IN ('a', 'b') AND day = DATE '2024-01-02' AND age = '3'"
    with duckdb.connect() as connection:
        found = connection.execute(query, [str(saved / "table.parquet")]).fetchone()
    assert found is not None
    assert found[0] == noisy.count({"place": "north", "day": "2024-01-02", "age": 3}).value


def test_the_table_carries_no_notes_of_the_libraries_that_wrote_it(saved: Path) -> None:
    import pyarrow.parquet as pq

    assert pq.ParquetFile(saved / "table.parquet").metadata.metadata is None
    assert pq.read_schema(saved / "table.parquet").metadata is None


def copied(saved: Path, tmp_path: Path) -> Path:
    return Path(shutil.copytree(saved, tmp_path / "copy"))


def reseal(place: Path, change: Callable[[dict[str, Any]], object]) -> None:
    """Change release.json as someone would who knows how its seal is made."""
    manifest = json.loads((place / "release.json").read_text(encoding="utf-8"))
    change(manifest)
    manifest["seal"] = folder.seal_of(manifest)
    (place / "release.json").write_text(json.dumps(manifest), encoding="utf-8")


def refused(place: Path, *words: str) -> None:
    with pytest.raises(TamperedRelease) as caught:
        load(place)
    for word in (str(place), *words):
        assert word in str(caught.value)


def test_one_flipped_byte_of_the_table_is_refused(saved: Path, tmp_path: Path) -> None:
    place = copied(saved, tmp_path)
    whole = (place / "table.parquet").read_bytes()
    for position in {0, len(whole) // 2, len(whole) - 1, *range(7, len(whole), len(whole) // 20)}:
        broken = bytearray(whole)
        broken[position] ^= 1
        (place / "table.parquet").write_bytes(broken)
        refused(place, "table.parquet was changed or cut off")
    (place / "table.parquet").write_bytes(whole)
    load(place)


@pytest.mark.parametrize("keep", [0.0, 0.5, 0.999])
@pytest.mark.parametrize("name", ["table.parquet", "release.json"])
def test_a_truncated_file_is_refused(saved: Path, tmp_path: Path, name: str, keep: float) -> None:
    place = copied(saved, tmp_path)
    whole = (place / name).read_bytes()
    (place / name).write_bytes(whole[: int(len(whole) * keep)])
    refused(place, name, "cut off")


@pytest.mark.parametrize("name", ["table.parquet", "release.json"])
def test_a_missing_file_is_refused(saved: Path, tmp_path: Path, name: str) -> None:
    place = copied(saved, tmp_path)
    (place / name).unlink()
    refused(place, name, "copy the whole release folder again")


def test_every_edit_of_the_manifest_is_refused(saved: Path, tmp_path: Path) -> None:
    place = copied(saved, tmp_path)
    published = json.loads((saved / "release.json").read_text(encoding="utf-8"))
    for key in published.keys() - {"format"}:
        changed = {**published, key: published[key] + "0" if isinstance(published[key], str) else ["changed"]}
        (place / "release.json").write_text(json.dumps(changed), encoding="utf-8")
        refused(place, "release.json was changed")
        (place / "release.json").write_text(
            json.dumps({k: v for k, v in published.items() if k != key}), encoding="utf-8"
        )
        refused(place, "release.json")
    (place / "release.json").write_text(json.dumps({**published, "extra": 1}), encoding="utf-8")
    refused(place, "release.json was changed")
    # but another layout of the same JSON is no other release
    (place / "release.json").write_text(json.dumps(published), encoding="utf-8")
    assert load(place).manifest == published


@pytest.mark.parametrize("number", [0, 2, 1.5, "1", None])
def test_another_format_is_refused(saved: Path, tmp_path: Path, number: Any) -> None:
    place = copied(saved, tmp_path)
    reseal(place, lambda manifest: manifest.update(format=number))
    with pytest.raises(DiscreetError, match="format") as caught:
        load(place)
    assert str(place) in str(caught.value)
    assert repr(number) in str(caught.value)


@pytest.mark.parametrize("text", [b"", b"{", b"[]", b"7", b"null", b'"release"', b"\xff\xfe", b"[" * 100_000, b"{}"])
def test_a_manifest_that_is_none_is_refused(saved: Path, tmp_path: Path, text: bytes) -> None:
    place = copied(saved, tmp_path)
    (place / "release.json").write_bytes(text)
    refused(place, "release.json")


def test_a_manifest_without_one_of_its_fields_is_refused_even_if_sealed_anew(saved: Path, tmp_path: Path) -> None:
    place = copied(saved, tmp_path)
    published = json.loads((saved / "release.json").read_text(encoding="utf-8"))
    for key in published.keys() - {"seal"}:
        shutil.copy(saved / "release.json", place)
        reseal(place, lambda manifest, key=key: manifest.pop(key))
        with pytest.raises(DiscreetError) as caught:
            load(place)
        assert str(place) in str(caught.value), key


@pytest.mark.parametrize(
    "change",
    [
        lambda m: m["summary"].update(shape="no-such-shape"),
        lambda m: m["summary"].update(alpha="0"),
        lambda m: m["summary"].update(alpha="x"),
        lambda m: m["summary"].pop("alpha"),
        lambda m: m["schema"]["age"].update(high=10),
        lambda m: m["schema"]["age"].update(high=-1),
        lambda m: m["schema"]["age"].update(kind="pickle"),
        lambda m: m.update(schema=[]),
        lambda m: m.update(schema={}),
        lambda m: m.update(summary=None),
        lambda m: m.update(files={}),
        lambda m: m.update(files=["table.parquet"]),
        lambda m: m["files"].update({"../outside": m["files"]["table.parquet"]}),
        lambda m: m["files"].update({"more.parquet": m["files"]["table.parquet"]}),
        lambda m: m.update(unit={}),
        lambda m: m.update(noise=None),
        lambda m: m.update(leaves_out=None),
    ],
)
def test_parts_that_do_not_fit_together_are_refused_even_if_sealed_anew(
    saved: Path, tmp_path: Path, change: Callable[[dict[str, Any]], object]
) -> None:
    place = copied(saved, tmp_path)
    shutil.copy(saved / "table.parquet", tmp_path / "outside")
    reseal(place, change)
    with pytest.raises(DiscreetError) as caught:
        load(place)
    assert str(place) in str(caught.value)


def test_another_table_with_its_own_hash_is_refused_if_it_does_not_fit(saved: Path, tmp_path: Path) -> None:
    import pyarrow as pa
    import pyarrow.parquet as pq

    place = copied(saved, tmp_path)
    size = len(CODES)
    for columns in (
        {"count": pa.array(range(size - 1))},
        {"count": pa.array([float(i) for i in range(size)])},
        {"count": pa.array([None, *range(size - 1)], pa.int64())},
        {"count": pa.array(["1"] * size)},
        {"counts": pa.array(range(size))},
    ):
        pq.write_table(pa.table(columns), place / "table.parquet")
        reseal(
            place, lambda manifest: manifest["files"].update({"table.parquet": folder._digest(place / "table.parquet")})
        )
        refused(place, "do not fit together")
    (place / "table.parquet").write_bytes(b"no parquet at all")
    reseal(place, lambda manifest: manifest["files"].update({"table.parquet": folder._digest(place / "table.parquet")}))
    refused(place)


def test_a_place_without_a_release_is_named(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("x")
    (tmp_path / "empty").mkdir()
    for name, words in (("none", "no such folder"), ("file", "folder"), ("empty", "has no release.json")):
        with pytest.raises(DiscreetError, match=words) as caught:
            load(tmp_path / name)
        assert str(tmp_path / name) in str(caught.value)


def test_what_the_rules_leave_out_is_said_without_looking() -> None:
    unit = discreet.Unit("person", max_rows=3, max_rows_per_cell=2, neighbours="replace")
    release = data(unit=unit).publish(TASK, Fraction(1, 3))
    assert release.leaves_out == [
        "rows with a value outside the declared domain of place, note are not counted",
        "rows with no value of age, day, place are not counted",
        "values beyond the declared ends of day count in the first or last bin",
        "at most 3 rows of one person are counted, and 2 in one cell, chosen at random",
        "rows without a person are not counted",
    ]
    assert release.count().note == "rows that the declared rules drop are not counted"
    assert "one person, of at most 3 rows (replace), epsilon 1/3" in release.describe()["protects"]
    everything = discreet.Schema(sex=discreet.Nominal(["f", "m"], outside="other", null="other"))
    complete = from_counts(everything, [[0]], [1]).publish(discreet.Table("sex", method="geometric"), 1, noise=Noise())
    assert complete.leaves_out == []
    assert complete.count().note == ""
    assert complete.describe()["leaves out"] == "nothing"
