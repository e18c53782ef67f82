"""True answers are those of counting by hand, however large the table; rows that are remembered are the same rows."""

from __future__ import annotations

from fractions import Fraction
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

import discreet
from discreet.evaluate import named_workloads, trials
from discreet.evaluate.error_measures import question_classes
from discreet.evaluate.named_workloads import Workload, natural_workloads
from discreet.evaluate.remembered import RememberedRows
from discreet.evaluate.truth import true_answers
from discreet.queries import questions_of
from discreet.tasks import Task

SCHEMA = discreet.Schema(
    age=discreet.Ordinal(0, 9),
    sex=discreet.Nominal(["f", "m"]),
    wide=discreet.Ordinal(0, 10**6 - 1),
    wider=discreet.Ordinal(0, 10**12 - 1),
)
QUESTIONS = [
    "age < 4",
    "age = 3 and wide < 500000",
    "sex = 'f' and wide >= 100 and wider < 10",
    "wider >= 5 or age = 1",
]


def frame(rows: int = 500) -> pd.DataFrame:
    dice = np.random.default_rng(8)
    return pd.DataFrame(
        {
            "age": dice.integers(0, 10, rows),
            "sex": dice.choice(["f", "m"], rows),
            "wide": dice.integers(0, 10**6, rows),
            "wider": dice.integers(0, 20, rows),
            "who": dice.choice([*"abcdefgh", None], rows),
        }
    )


def test_answers_are_those_of_pandas() -> None:
    """Also where attributes have 10^19 cells together, which no method could write out."""
    data = frame()
    asked = [Workload(text, SCHEMA, questions_of([text], SCHEMA)) for text in QUESTIONS]
    asked.append(Workload("everything", SCHEMA, questions_of(["age >= 0"], SCHEMA)))
    origin = discreet.open(data, SCHEMA).origin
    found = true_answers(origin.bounded(SCHEMA, discreet.Unit(), b"x"), asked)
    by_hand = [
        (data.age < 4).sum(),
        ((data.age == 3) & (data.wide < 500_000)).sum(),
        ((data.sex == "f") & (data.wide >= 100) & (data.wider < 10)).sum(),
        ((data.wider >= 5) | (data.age == 1)).sum(),
        len(data),
    ]
    assert [answer.tolist() for answer in found] == [[int(number)] for number in by_hand]


def test_remembered_rows_of_users_are_bounded_as_rows_are() -> None:
    """The same salt leaves the same rows, whether they are read again or remembered."""
    schema, unit = SCHEMA.select(["age", "sex"]), discreet.Unit("who", max_rows=20, max_rows_per_cell=2)
    origin = discreet.open(frame(), schema, unit=unit).origin
    rows = RememberedRows(origin, schema, unit)
    for salt in (b"0123456789abcdef", b"fedcba9876543210"):
        assert rows.bounded(salt).table() == origin.bounded(schema, unit, salt).table()
    sets = [[0], [0, 1]]
    assert rows.bounded(salt).tables(sets) == origin.bounded(schema, unit, salt).tables(sets)
    named = frame().dropna(subset="who")
    assert rows.all_rows().table().counts.sum() == len(named)
    assert rows.some_are_left_out
    assert not RememberedRows(origin, schema, discreet.Unit("who", max_rows=500)).some_are_left_out


def test_a_unit_may_be_an_attribute_too() -> None:
    schema, unit = discreet.Schema(who=discreet.Nominal([*"abc"])), discreet.Unit("who", max_rows=3)
    rows = RememberedRows(discreet.open(frame(), schema, unit=unit).origin, schema, unit)
    assert rows.bounded(b"0123456789abcdef").table().counts.tolist() == [3, 3, 3]


def test_rows_are_read_once_for_all_trials(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    task = discreet.Table(["age", "sex"])
    data = discreet.open(frame(), SCHEMA)
    read = 0
    source = type(data.origin.source)  # type: ignore[attr-defined]
    reading = source.tables

    def counted(*arguments: object) -> object:
        nonlocal read
        read += 1
        return reading(*arguments)

    monkeypatch.setattr(source, "tables", counted)
    asked = natural_workloads(task, SCHEMA.select(["age", "sex"]))
    trials.run(trials.Evaluation(data, task, asked, [Fraction(1)], 5), tmp_path / "record")
    assert read <= 2  # for the truth, and for the methods


@pytest.mark.parametrize(
    ("task", "names"),
    [
        (discreet.Table(["age", "sex"]), ["cells", "ranges", "subsets of 10", "single attributes"]),
        (discreet.Ranges(["age", "sex"]), ["cells", "ranges", "prefixes of age", "single attributes"]),
        (discreet.Ranges(["wide", "wider"]), ["ranges", "prefixes of wide", "single attributes (the 1 smallest)"]),
        (discreet.Marginals(["age", "sex"], ways=2), ["tables", "single attributes"]),
        (discreet.Marginals([["age", "sex"], ["age"]]), ["tables", "single attributes"]),
        (discreet.Marginals(queries=["age = 1"]), ["queries"]),
        (discreet.Items("age", context=["sex"]), ["cells", "single attributes"]),
    ],
)
def test_every_task_is_asked_its_own_questions(task: Task, names: list[str]) -> None:
    schema = SCHEMA.select(task.attributes(SCHEMA)) if task.name != "marginals" else SCHEMA.select(["age", "sex"])
    if "wide" in schema:
        schema = discreet.Schema(wide=discreet.Ordinal(0, 10**5), wider=discreet.Ordinal(0, 10**5 + 9))
        names = [*names[:2], "prefixes of wider", names[2]]
    assert [one.name for one in natural_workloads(task, schema)] == names


def test_marginals_of_many_attributes_are_evaluated(tmp_path: Path) -> None:
    """Twenty attributes have 10^20 cells together, which nothing needs to write out."""
    dice = np.random.default_rng(2)
    schema = discreet.Schema({f"a{place}": discreet.Ordinal(0, 9) for place in range(20)})
    data = discreet.open(pd.DataFrame({name: dice.integers(0, 10, 300) for name in schema}), schema)
    task = discreet.Marginals(ways=2)
    asked = natural_workloads(task, schema)
    lines = trials.run(trials.Evaluation(data, task, asked, [Fraction(1)], 1, methods=["equal"]), tmp_path / "record")
    assert [line["workload"] for line in lines] == ["tables", "single attributes"]
    assert set(lines[0]["by class"]) == {"heavy", "rare", "empty"}
    assert set(lines[1]["by class"]) == {"roll-up"}


def test_classes_of_questions() -> None:
    schema = SCHEMA.select(["age"])
    cells = named_workloads.build("cells", schema)[0]
    truth = np.array([50.0, 30, 10, 5, 5, 0, 0, 0, 0, 0])
    assert {name: mask.nonzero()[0].tolist() for name, mask in question_classes(cells, truth)} == {
        "heavy": [0],
        "rare": [1, 2, 3, 4],
        "empty": [5, 6, 7, 8, 9],
    }
    (prefixes,) = named_workloads.build("prefixes", schema)
    found = dict(question_classes(prefixes, np.arange(10.0)))
    assert found["empty"].nonzero()[0].tolist() == [0]  # one cell is no sum
    assert found["roll-up"].sum() == 9


def test_coverage_is_of_what_the_rules_count(tmp_path: Path) -> None:
    """A bound that leaves out most rows does not make intervals wrong; that they miss all rows is told beside it."""
    schema = SCHEMA.select(["age", "sex"])
    data = discreet.open(frame(2000), schema, unit=discreet.Unit("who", max_rows=5))
    asked = named_workloads.build("cells", schema)
    plan = trials.Evaluation(
        data, discreet.Table(["age", "sex"]), asked, [Fraction(100)], 2, digest="d", methods=["geometric"]
    )
    line = trials.run(plan, tmp_path / "record")[0]
    assert line["covered"] > 0.8
    assert line["covered of all"] < 0.2
    plan = trials.Evaluation(data, discreet.Items("age"), named_workloads.build("cells", SCHEMA.select(["age"])),
                             [Fraction(100)], 1, digest="i", methods=["lpa"])  # fmt: skip
    line = trials.run(plan, tmp_path / "record")[0]
    assert "covered" not in line
    assert "covered of all" in line
