"""Errors before anything is spent: exact where the noise does not depend on the data, and no data read."""

from __future__ import annotations

import json
import math
from pathlib import Path
from typing import Any

import pandas as pd
import pytest
from typer.testing import CliRunner

import discreet
from discreet.cli.typer_app import typer_app as app
from discreet.errors import BadSpec
from discreet.mechanisms import Request, registry
from discreet.plan import Plan, plan
from discreet.planning.predicted import PlannedError
from discreet.private.rows import Rows
from discreet.tasks import Task

SCHEMA = discreet.Schema(age=discreet.Ordinal(0, 7), sex=discreet.Nominal(["f", "m"]))


def data(**more: Any) -> Any:
    frame = pd.DataFrame({"age": [1, 2, 2], "sex": ["f", "m", "m"], "who": [1, 1, 2]})
    return discreet.open(frame, SCHEMA, **more)


def errors(found: Plan, method: str) -> dict[str, PlannedError]:
    return next(one.errors for one in found.methods if one.method == method)


@pytest.mark.parametrize(
    "task",
    [
        discreet.Table(["age", "sex"], method="geometric"),
        discreet.Ranges(["age", "sex"], method="privelet"),
        discreet.Ranges(["age"], method="dyadic", consistency=False),
        discreet.Ranges(["age"], method="weighted"),
        discreet.Marginals([["age"], ["age", "sex"]], method="equal"),
        discreet.Items("age", context=["sex"], method="lpa"),
    ],
)
def test_planned_errors_are_those_of_the_release(task: Task) -> None:
    source = data()
    where = ["age = 3", "age between 1 and 6", "age >= 0"]
    planned = errors(source.plan(task, "0.3", questions=where), task.method)
    assert source.ledger.spent == 0
    release = source.publish(task, "0.3")
    for text in where:
        assert planned[text].exact
        assert planned[text].low == planned[text].high == pytest.approx(release.count(text).stderr)


def test_planned_errors_of_queries_are_those_of_the_release() -> None:
    queries = ["age < 3", {"age": 5, "sex": "f"}, "sex = 'm' or age = 7"]
    source, task = data(), discreet.Marginals(queries=queries, method="equal")
    planned = errors(source.plan(task, "0.3"), "equal")
    release = source.publish(task, "0.3")
    found = [release.count(where).stderr for where in queries]
    assert [error.high for error in planned.values()] == pytest.approx(found)
    assert list(planned) == ["age < 3", "age = 5 and sex = 'f'", "sex = 'm' or age = 7"]


def test_planned_errors_of_pairs_are_those_of_two_items() -> None:
    source, task = data(unit=discreet.Unit("who", max_rows=2)), discreet.Items("age", context="age", method="lpa")
    planned = errors(source.plan(task, "0.3"), "lpa")
    release = source.publish(task, "0.3")
    one, other = release.schema.names
    assert planned["any pair"].high == pytest.approx(release.count({one: 0, other: 1}).stderr)
    assert planned["any pair"].high > 0


@pytest.mark.parametrize("name", ["table", "ranges", "marginals", "items"])
def test_every_method_has_a_row_or_a_reason(name: str) -> None:
    tasks: dict[str, Task] = {
        "table": discreet.Table(["age", "sex"]),
        "ranges": discreet.Ranges(["age", "sex"]),
        "marginals": discreet.Marginals(["age", "sex"], ways=1),
        "items": discreet.Items("age", context=["sex"]),
    }
    found = data().plan(tasks[name], 1)
    assert [one.method for one in found.methods] == [method for task, method in registry() if task == name]
    for one in found.methods:
        assert bool(one.errors) != bool(one.refused)
        assert all(0 <= error.low <= error.high for error in one.errors.values())
    (picked,) = [one for one in found.methods if one.auto]
    assert picked.auto.startswith("auto takes it for ")
    assert "\n" not in "".join(one.refused for one in found.methods)
    assert str(found).startswith("epsilon 1: ")
    assert {row["method"] for row in found.table.to_dicts()} == {one.method for one in found.methods}


def test_many_small_tables_need_no_joint_table() -> None:
    schema = discreet.Schema({f"x{place}": discreet.Ordinal(0, 14) for place in range(8)})
    task = discreet.Marginals(ways=2, method="equal")
    found = plan(task, Request.of(task, schema, discreet.Unit(), 1))
    tables = errors(found, "equal")
    assert len(tables) == math.comb(8, 2) + 1
    assert tables["x0 x x1"].high == pytest.approx(math.sqrt(2) * math.comb(8, 2), rel=0.01)


def test_a_large_table_is_planned_without_writing_it_out() -> None:
    schema = discreet.Schema(a=discreet.Ordinal(0, 9999), b=discreet.Ordinal(0, 9999))
    for task in (discreet.Table(["a", "b"], method="geometric"), discreet.Ranges(["a", "b"], method="privelet")):
        found = errors(plan(task, Request.of(task, schema, discreet.Unit(), 1)), task.method)
        assert all(error.exact for error in found.values())


def test_what_would_take_minutes_is_not_rehearsed_and_says_so() -> None:
    schema = discreet.Schema(a=discreet.Ordinal(0, 999), b=discreet.Ordinal(0, 999), c=discreet.Ordinal(0, 4))
    task = discreet.Marginals(ways=2, method="ireduct")
    (found,) = plan(task, Request.of(task, schema, discreet.Unit(), 1)).methods
    assert not found.errors
    assert "1.01e+06 noisy numbers take too long to rehearse" in found.refused


def test_smoothed_items_and_filtered_tables_are_rehearsed() -> None:
    source = data(unit=discreet.Unit("who", max_rows=5))
    for method in ("gs-r", "gs-s", "gs"):
        found = errors(source.plan(discreet.Items("age", method=method, guess={"rows": 3000}), 1), method)
        assert not any(error.exact for error in found.values())
        assert found["popular items"].high > 2
    table = discreet.Table(["age", "sex"], method="filter", theta=9, guess={"rows": 3000})
    assert errors(data().plan(table, 1), "filter")["full cells"].high > 1


def test_a_guess_gives_the_best_bound() -> None:
    source = data(unit=discreet.Unit("who", max_rows=50))
    guess = {"users": 1000, "records": 60, "popularity": 0.01}
    found = source.plan(discreet.Items("age", guess=guess, method="sra"), 1)
    assert found.advice[-1].startswith("The bound of least error for the guess is ")
    assert "60,000 of them" in found.advice[0]
    without = source.plan(discreet.Items("age", method="sra"), 1)
    assert "Say guess = " in without.advice[-1]


def test_more_rows_than_are_drawn_are_said() -> None:
    found = data().plan(discreet.Table(["age", "sex"], method="filter", guess={"rows": 10**6}), 1)
    assert any("made smaller" in line for line in found.advice)


def test_nothing_of_the_data_is_read(monkeypatch: pytest.MonkeyPatch) -> None:
    """Every method of every task is planned while any look at rows fails."""

    def read(*_: object, **__: object) -> None:
        raise AssertionError("a row was read")

    source = data(unit=discreet.Unit("who", max_rows=2))
    monkeypatch.setattr(Rows, "bounded", read)
    for task in (
        discreet.Table(["age", "sex"]),
        discreet.Ranges(["age", "sex"]),
        discreet.Marginals(["age", "sex"], ways=1),
        discreet.Items("age"),
    ):
        assert all(one.errors or one.refused for one in source.plan(task, 1).methods)
    with pytest.raises(AssertionError, match="a row was read"):
        source.origin.bounded(SCHEMA, source.unit, b"")


def test_a_public_file_takes_the_place_of_inventions(tmp_path: Path) -> None:
    frame = pd.DataFrame({"age": [1] * 500 + [2] * 20, "sex": ["f", "m"] * 260, "who": range(520)})
    frame.to_csv(tmp_path / "last-year.csv", index=False)
    source = data(unit=discreet.Unit("who", max_rows=2))
    for task in (discreet.Table(["age", "sex"], method="filter"), discreet.Items("age", method="even-shares")):
        found = source.plan(task, 1, like=tmp_path / "last-year.csv")
        assert found.advice[0] == "Ranges were rehearsed on last-year.csv, public data of the same schema."


def test_the_command_reads_no_data(tmp_path: Path) -> None:
    (tmp_path / "films.csv").write_text("film,title\nf1,One\nf2,Two\nf3,Three\n")
    (tmp_path / "spec.toml").write_text(
        '[data]\nsource = "is-not-there.csv"\n[privacy]\nunit = "who"\nmax_rows = 5\n'
        '[attributes.film]\nkind = "nominal"\nvalues_csv = "films.csv"\n'
        '[releases.films]\ntask = "items"\nby = "film"\nepsilon = 1\n'
    )
    spec = discreet.load_spec(tmp_path / "spec.toml")
    assert spec.schema["film"].labels == ("f1", "f2", "f3")
    found = CliRunner().invoke(app, ["plan", str(tmp_path / "spec.toml"), "films", "--epsilon", "0.5,1", "--json"])
    assert found.exit_code == 0, found.output
    assert [plan["epsilon"] for plan in json.loads(found.stdout)] == ["0.5", "1"]
    shown = CliRunner().invoke(app, ["plan", str(tmp_path / "spec.toml")])
    assert "lpa" in shown.stdout


@pytest.mark.parametrize(
    ("text", "says"), [("film\n", "no rows"), ('film\nf1\n""\n', "is empty"), ("film\nf1\nf1\n", "twice")]
)
def test_mistakes_in_a_list_of_values(tmp_path: Path, text: str, says: str) -> None:
    (tmp_path / "films.csv").write_text(text)
    with pytest.raises(BadSpec, match=says):
        discreet.Nominal.from_values_csv(tmp_path / "films.csv")


def test_known_totals_have_no_planned_error_and_what_lies_inside_has_less() -> None:
    source, where = data(), ["sex = 'f'", "age = 3 and sex = 'f'", "sex = 'm'"]
    known = [{"where": "sex = 'f'", "count": 4000}, {"count": 10_000}]
    plain = errors(source.plan(discreet.Table(["age", "sex"], method="geometric"), "0.1", questions=where), "geometric")
    task = discreet.Table(["age", "sex"], method="geometric", known=known)
    made = source.plan(task, "0.1", questions=where)
    planned = errors(made, "geometric")
    assert planned["sex = 'f'"].high == planned["sex = 'm'"].high == 0
    assert 0 < planned["age = 3 and sex = 'f'"].low < plain["age = 3 and sex = 'f'"].low
    assert any("10,000" in line for line in made.advice)
