"""`discreet plan`: tables, the least epsilon, a split, charts, and what is refused. No data are there at all."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from discreet.cli.typer_app import typer_app as app
from discreet.errors import BadParameter, BadSpec
from discreet.spec import load_spec

SPEC = """
[data]
source = "is-not-there.csv"
[privacy]
budget = 2
ledger = "x.ledger"
[attributes.age]
kind = "ordinal"
low = 0
high = 9
[attributes.sex]
kind = "nominal"
values = ["f", "m"]
[releases.cells]
task = "table"
by = ["age", "sex"]
epsilon = 0.5
guess = { rows = 5000 }
within = { error = 30 }
[releases.ages]
task = "ranges"
by = ["age"]
epsilon = 0.5
method = "weighted"
within = { total = { error = 20, share = 0.9 } }
"""


@pytest.fixture
def spec(tmp_path: Path) -> Path:
    (tmp_path / "spec.toml").write_text(SPEC)
    return tmp_path / "spec.toml"


def said(spec: Path, *words: str) -> str:
    found = CliRunner().invoke(app, ["plan", str(spec), *words], env={"COLUMNS": "90"})
    assert found.exit_code == 0, found.output
    return found.stdout


def as_json(spec: Path, *words: str) -> Any:
    return json.loads(said(spec, *words, "--json"))


def test_notes_fold_and_the_choice_of_auto_is_marked(spec: Path) -> None:
    text = said(spec, "cells")
    assert "geometric *" in text
    assert "* geometric: auto takes it for tables of at most 64 cells." in text
    assert "a suspicion of 10 %" in text
    notes = text[text.index("* geometric") :].splitlines()
    assert max(map(len, notes)) <= 90
    assert " to " in text


def test_json_has_every_error(spec: Path) -> None:
    cells, ages = as_json(spec)
    assert [cells["release"], ages["release"]] == ["cells", "ages"]
    (geometric,) = [one for one in cells["methods"] if one["method"] == "geometric"]
    assert geometric["errors"]["any cell"]["basis"] == "exact"
    (filtered,) = [one for one in cells["methods"] if one["method"] == "filter"]
    assert filtered["errors"]["full cells"]["basis"] == "rehearsed"
    assert cells["questions"]["total"]["cells"] == 20


def test_the_least_epsilon(spec: Path) -> None:
    (found,) = as_json(spec, "ages", "--error", "20", "--share", "0.9")
    (weighted,) = found["methods"]
    assert float(weighted["epsilon"]) == max(map(float, weighted["by questions"].values()))
    assert "the least epsilon for 0.9 of the answers off by at most 20" in said(
        spec, "ages", "--error", "20", "--share", "0.9"
    )
    assert "above 10" in said(spec, "ages", "--error", "0.000001")


def test_the_least_epsilon_for_the_goals_of_the_spec(spec: Path) -> None:
    (found,) = as_json(spec, "ages", "--least")
    assert found["goals"] == {"total": {"error": 20.0, "share": 0.9}}
    assert list(found["methods"][0]["by questions"]) == ["total"]
    assert "off by at most 20 (total)" in said(spec, "ages", "--least")


def test_a_split_meets_every_goal(spec: Path) -> None:
    found = as_json(spec, "--split")
    assert found["budget"] == "2"
    assert [part["method"] for part in found["releases"]] == ["geometric", "weighted"]
    assert sum(float(part["suggested"]) for part in found["releases"]) == pytest.approx(2, abs=0.01)
    assert "the rest is shared in proportion" in said(spec, "--split")
    assert "times what was asked for" in said(spec, "--split", "--error", "2")


def test_own_questions_and_bars(spec: Path, tmp_path: Path) -> None:
    text = said(spec, "cells", "--questions", "sex = 'f'; age >= 5", "--chart", "-")
    assert "sex = 'f'" in text
    assert "####" in text
    (tmp_path / "asked.csv").write_text("age,sex\n3..5,f\n,m\n")
    (found,) = as_json(spec, "cells", "--questions", str(tmp_path / "asked.csv"))
    assert list(found["questions"]) == ["question 1", "question 2"]


@pytest.mark.parametrize("ending", ["svg", "html"])
def test_charts(spec: Path, tmp_path: Path, ending: str) -> None:
    said(spec, "ages", "--epsilon", "0.1,1", "--chart", str(tmp_path / f"errors.{ending}"))
    text = (tmp_path / f"errors.{ending}").read_text()
    assert f"<{ending}" in text
    for said_at in ("epsilon", "cells that a question adds up", "standard error"):
        assert f">{said_at}</text>" in text


def test_a_public_file(spec: Path, tmp_path: Path) -> None:
    (tmp_path / "last.csv").write_text("age,sex\n" + "3,f\n" * 50 + "5,m\n" * 9)
    assert "rehearsed on last.csv" in said(spec, "cells", "--like", str(tmp_path / "last.csv")).replace("\n ", "")


@pytest.mark.parametrize(
    ("words", "says"),
    [
        (["--error", "0"], "above 0"),
        (["--error", "5", "--epsilon", "1"], "not both"),
        (["--share", "2"], "between 0 and 1"),
        (["--chart", "x.gif"], "must end in .svg or .html"),
    ],
)
def test_what_is_refused(spec: Path, words: list[str], says: str) -> None:
    found = CliRunner().invoke(app, ["plan", str(spec), "ages", *words])
    assert isinstance(found.exception, BadParameter)
    assert says in str(found.exception)
    assert not found.stdout


def test_a_split_needs_goals(spec: Path) -> None:
    spec.write_text(SPEC.replace("within = { error = 30 }\n", ""))
    found = CliRunner().invoke(app, ["plan", str(spec), "--split"])
    assert "cells names no error to meet" in str(found.exception)


@pytest.mark.parametrize(
    "wrong", ["5", "{ error = -1 }", "{ error = 5, share = 1 }", "{ total = 5 }", "{ error = 5, part = 0.5 }", "{}"]
)
def test_mistakes_in_goals_are_found_by_check(spec: Path, wrong: str) -> None:
    spec.write_text(SPEC.replace("{ error = 30 }", wrong))
    with pytest.raises(BadSpec, match=r"\[releases.cells\] within: "):
        load_spec(spec)


def test_goals_and_files_are_no_part_of_the_request(spec: Path) -> None:
    """They change nothing about a release, so it is the same one with and without them."""
    loaded = load_spec(spec).releases["cells"]
    assert loaded.within == {"": (30.0, None)}
    assert "within" not in loaded.task.to_dict()
    spec.write_text(SPEC.replace("within = { error = 30 }", 'like = "last.csv"'))
    assert load_spec(spec).releases["cells"].like == "last.csv"
    assert load_spec(spec).releases["cells"].task == loaded.task
