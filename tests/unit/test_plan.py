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
from discreet.cli.app import app
from discreet.errors import BadSpec
from discreet.mechanisms import registry
from discreet.tasks import Task

SCHEMA = discreet.Schema(age=discreet.Ordinal(0, 7), sex=discreet.Nominal(["f", "m"]))


def data(**more: Any) -> Any:
    frame = pd.DataFrame({"age": [1, 2, 2], "sex": ["f", "m", "m"], "who": [1, 1, 2]})
    return discreet.open(frame, SCHEMA, **more)


@pytest.mark.parametrize(
    "task",
    [
        discreet.Table(["age", "sex"], method="geometric"),
        discreet.Ranges(["age", "sex"], method="privelet"),
        discreet.Ranges(["age"], method="dyadic"),
        discreet.Marginals([["age"], ["age", "sex"]], method="equal"),
        discreet.Items("age", context=["sex"], method="lpa"),
    ],
)
def test_planned_errors_are_those_of_the_release(task: Task) -> None:
    source = data()
    planned = source.plan(task, "0.3").table
    assert source.ledger.spent == 0
    release = source.publish(task, "0.3")
    held = getattr(task, "sets", None) or [release.schema.names]  # of several tables, the first
    first = {name: release.schema[name].label(0) for name in held[0]}
    assert planned["one cell"][0] == pytest.approx(release.count(first).stderr)
    assert planned["all cells"][0] == pytest.approx(release.count().stderr)


def test_planned_errors_of_queries_are_those_of_the_release() -> None:
    queries = ["age < 3", {"age": 5, "sex": "f"}, "sex = 'm' or age = 7"]
    source, task = data(), discreet.Marginals(queries=queries, method="equal")
    planned = source.plan(task, "0.3").table
    release = source.publish(task, "0.3")
    errors = [release.count(where).stderr for where in queries]
    assert [planned["surest query"][0], planned["least sure query"][0]] == pytest.approx([min(errors), max(errors)])


def test_planned_errors_of_pairs_are_those_of_two_items() -> None:
    source, task = data(unit=discreet.Unit("who", max_rows=2)), discreet.Items("age", context="age", method="lpa")
    planned = source.plan(task, "0.3").table
    release = source.publish(task, "0.3")
    one, other = release.schema.names
    assert planned["one cell"][0] == pytest.approx(release.count({one: 0, other: 1}).stderr)
    assert planned["one cell"][0] > 0


@pytest.mark.parametrize("name", ["table", "ranges", "marginals", "items"])
def test_every_method_has_a_row_or_a_reason(name: str) -> None:
    tasks: dict[str, Task] = {
        "table": discreet.Table(["age", "sex"]),
        "ranges": discreet.Ranges(["age", "sex"]),
        "marginals": discreet.Marginals(["age", "sex"], ways=1),
        "items": discreet.Items("age", context=["sex"]),
    }
    table = data().plan(tasks[name], 1).table
    assert table["method"] == [method for task, method in registry() if task == name]
    for error, note in zip(table["one cell"], table["note"], strict=True):
        assert error > 0 or (math.isnan(error) and note)


def test_a_guess_gives_the_best_bound() -> None:
    source = data(unit=discreet.Unit("who", max_rows=50))
    guess = {"users": 1000, "records": 60, "popularity": 0.01}
    found = source.plan(discreet.Items("age", guess=guess), 1)
    sra = found.table["method"].index("sra")
    mine = found.table["guessed item"][sra]
    assert "50 records" in found.advice[0] or "records of a user" in found.advice[0]
    for bound in (1, 3, 10, 30, 50):
        task = discreet.Items("age", guess=guess, method="sra")
        assert mine <= _guessed(source, task, bound) * (1 + 1e-9)


def _guessed(source: Any, task: Task, bound: int) -> float:
    from discreet.mechanisms.items.item_bounds import squared_error

    guess = {name: float(value) for name, value in task.parameters["guess"].items()}
    return math.sqrt(squared_error(guess, bound, source._request(task, 1).epsilon, source.unit))


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
