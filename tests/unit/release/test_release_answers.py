"""The answers of a release: every one against brute force, with its error, and what it cannot answer."""

from __future__ import annotations

import csv
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import discreet
from discreet.errors import BadParameter, CannotAnswer, DiscreetError, OutsideDomain, UnknownAttribute
from discreet.noise import ZeroNoise
from discreet.numbers.laws import DiscreteLaplace
from discreet.privacy import Alpha, scale_of
from discreet.release import Release
from tests.unit.release import release_cases
from tests.unit.release.release_cases import BY, CELLS, CODES, COUNTS, WHERES, Holds, data

exact_release, noisy = release_cases.exact_release, release_cases.noisy  # fixtures


def brute(holds: Holds) -> int:
    return sum(count for cell, count in CELLS if holds(cell))


each_where = pytest.mark.parametrize(("where", "holds"), WHERES, ids=range(len(WHERES)))


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
    expected = [(*row, one.value, one.stderr, one.low, one.high) for row, one in zip(rows, single, strict=True)]
    assert noisy.ask(path, level=0.9).rows() == expected
    ages, places = zip(*rows, strict=True)
    assert noisy.ask(_frame({"age": list(ages), "place": list(places)}), level=0.9).rows() == expected


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
        (lambda r: r.count("income > 20"), UnknownAttribute, ["does not count by 'income'", "age, day, place, note"]),
        (lambda r: r.count({"income": 5}), UnknownAttribute, ["does not count by 'income'"]),
        (lambda r: r.table("income"), UnknownAttribute, ["does not count by 'income'", "age, day, place, note"]),
        (lambda r: r.table(["age", ("income", 0)]), UnknownAttribute, ["does not count by 'income'"]),
        (lambda r: r.ask(_frame({"income": ["5"]})), UnknownAttribute, ["does not count by 'income'"]),
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
    monkeypatch.setattr("discreet.release.groups.MOST_TOTAL_BOXES", 65)
    monkeypatch.setattr("discreet.queries.questions.MOST_TOTAL_BOXES", 65)
    with pytest.raises(CannotAnswer, match="table of 66 rows; group by less"):
        exact_release.table(["age", "place"])
    assert len(exact_release.table(["age", "place.side"])) == 33
    with pytest.raises(CannotAnswer, match="too many parts"):
        exact_release.table(["age", "place.side"], "age = 1 or age = 3 or age = 5")
