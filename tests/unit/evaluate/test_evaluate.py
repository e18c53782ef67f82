"""`discreet evaluate`: true errors over trials, resumable, reproducible, private."""

from __future__ import annotations

import json
from fractions import Fraction
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from typer.testing import CliRunner

import discreet
from discreet.cli import evaluating
from discreet.cli.typer_app import typer_app as app
from discreet.errors import BadParameter
from discreet.evaluate import custodian, named_workloads, trials
from discreet.evaluate.error_measures import errors
from discreet.evaluate.remembered import RememberedRows
from discreet.evaluate.trials import Evaluation
from discreet.evaluate.truth import true_answers
from discreet.mechanisms import Request, mechanism_for, registry
from discreet.noise import Noise, SeededSource, ZeroNoise
from discreet.private.publish import Data
from discreet.tasks import Task

SCHEMA = discreet.Schema(age=discreet.Ordinal(0, 7), sex=discreet.Nominal(["f", "m"]))


def people(seed: int = 1, count: int = 400) -> pd.DataFrame:
    dice = np.random.default_rng(seed)
    ages = dice.binomial(7, 0.4, count)
    return pd.DataFrame(
        {"age": ages, "sex": np.where(dice.random(count) < 0.4, "f", "m"), "who": dice.integers(0, 60, count)}
    )


def plan(
    task: Task, words: tuple[str, ...] = ("cells", "ranges"), *, data: Data | None = None, **more: object
) -> Evaluation:
    held = data or discreet.open(people(), SCHEMA)
    schema = SCHEMA.select(task.attributes(SCHEMA))
    asked = [one for word in words for one in named_workloads.build(word, schema)]
    fields = {"epsilons": [Fraction(1)], "trials": 2, "digest": "d", **more}
    return Evaluation(held, task, asked, **fields)  # type: ignore[arg-type]


def test_without_noise_there_is_no_error() -> None:
    task = discreet.Table(["age", "sex"], method="geometric")
    made = plan(task, ("cells", "ranges", "prefixes", "subsets", "marginals-1", "dpbench"))
    request = Request(SCHEMA, discreet.Unit(), Fraction(1), {})
    summary = mechanism_for(task, request).measure(made.data.origin.bounded(SCHEMA, discreet.Unit(), b"x"), ZeroNoise())
    for workload in made.workloads:
        (truth,) = true_answers(made.data.origin.bounded(SCHEMA, discreet.Unit(), b"x"), [workload])
        line = errors(summary, workload, truth, None)
        assert (line["absolute"], line["squared"], line["covered"]) == (0, 0, 1), workload.name
        if workload.tabular:
            assert line["top"] == 1
            assert line["divergence"] == pytest.approx(0, abs=1e-9)
        assert errors(summary, workload, truth + 3, None)["absolute"] == 3


@pytest.mark.parametrize("count", ["records", "users"])
def test_the_truth_of_items_counts_what_the_task_counts(count: str) -> None:
    frame = people()
    data = discreet.open(frame, SCHEMA, unit=discreet.Unit("who", max_rows=2))
    made = plan(discreet.Items("age", count=count), ("cells",), data=data)
    pairs = frame if count == "records" else frame[["who", "age"]].drop_duplicates()
    by_hand = [int((pairs.age == age).sum()) for age in range(8)]
    rows = RememberedRows(data.origin, SCHEMA.select(["age"]), data.unit)
    (truth,) = trials._truths(made, rows)
    assert truth.tolist() == by_hand


def test_a_killed_run_continues_and_gives_the_same(tmp_path: Path) -> None:
    task = discreet.Ranges(["age", "sex"])
    whole = trials.run(plan(task, trials=3, methods=["geometric", "privelet"]), tmp_path / "whole")
    record = tmp_path / "cut"
    lines = (tmp_path / "whole").read_text().splitlines()
    record.write_text("\n".join(lines[:5]) + "\n" + lines[5][:30])  # killed in the middle of a line
    seen: list[tuple[int, int]] = []
    again = trials.run(
        plan(task, trials=3, methods=["geometric", "privelet"]), record, lambda done, every: seen.append((done, every))
    )
    key = trials._key
    assert sorted(whole, key=key) == sorted(again, key=key)
    assert seen[-1] == (6, 6)
    before = record.stat().st_mtime_ns
    assert sorted(trials.run(plan(task, trials=3, methods=["geometric", "privelet"]), record), key=key) == sorted(
        whole, key=key
    )
    assert record.stat().st_mtime_ns == before  # nothing was computed twice


def test_other_data_and_seeds_do_not_mix(tmp_path: Path) -> None:
    task = discreet.Table(["age"], method="geometric")
    first = trials.run(plan(task, methods=["geometric"]), tmp_path / "r")
    other = trials.run(plan(task, methods=["geometric"], digest="other"), tmp_path / "r")
    assert {line["data"] for line in first} == {"d"}
    assert {line["data"] for line in other} == {"other"}
    seeded = trials.run(plan(task, methods=["geometric"], seed=9), tmp_path / "s")
    assert {line["seed"] for line in seeded}.isdisjoint({line["seed"] for line in first})


def test_what_cannot_be_asked_or_made_is_said(tmp_path: Path) -> None:
    task = discreet.Marginals(queries=["age = 1"])
    lines = trials.run(plan(task, ("cells",), methods=["equal"], trials=1), tmp_path / "q")
    assert "not among" in lines[0]["unanswered"]
    task = discreet.Marginals([["age"], ["sex"]])
    lines = trials.run(plan(task, ("cells",), methods=["equal"], trials=1), tmp_path / "r")
    assert lines[0]["bounds"] == 1  # the share of answers that have bounds and no interval
    with pytest.raises(BadParameter, match="no method"):
        trials.run(plan(task, methods=["nothing"]), tmp_path / "r")
    with pytest.raises(BadParameter, match="Did you mean 'ranges'"):
        named_workloads.build("rangs", SCHEMA)
    with pytest.raises(BadParameter, match="no such file"):
        named_workloads.build("missing.csv", SCHEMA)


def test_errors_shrink_with_epsilon_and_intervals_cover(tmp_path: Path) -> None:
    task = discreet.Table(["age", "sex"], method="geometric")
    made = plan(task, ("cells",), methods=["geometric"], epsilons=[Fraction(1, 10), Fraction(2)], trials=40)
    table = {row["epsilon"]: row for row in custodian.summarised(trials.run(made, tmp_path / "r"))}
    assert table["0.1"]["absolute"] > 10 * table["2"]["absolute"]
    assert 7 < table["0.1"]["absolute"] < 10.5  # E|noise| of scale 10, but no count is below zero
    assert all(row["covered"] > 0.93 for row in table.values())


def test_workloads_are_repeatable_and_complete() -> None:
    for word in named_workloads.BUILDERS:
        one, two = named_workloads.build(word, SCHEMA), named_workloads.build(word, SCHEMA)
        for a, b in zip(one, two, strict=True):
            assert np.array_equal(a.questions.first, b.questions.first)
    cells = named_workloads.build("cells", SCHEMA)[0]
    assert cells.questions.count == 16
    assert cells.coverage == pytest.approx(1 / 16)
    (prefix,) = named_workloads.build("prefixes", SCHEMA)
    assert prefix.coverage.tolist() == [(i + 1) / 8 for i in range(8)]
    names = [one.name for one in named_workloads.build("marginals-2", SCHEMA)]
    assert names == ["marginal age x sex"]
    wide = discreet.Schema({f"a{i}": discreet.Ordinal(0, 10**6) for i in range(5)})
    subset = named_workloads.build("subsets", wide)[0]  # 10^30 cells
    assert subset.questions.count >= 20


def test_questions_of_a_file(tmp_path: Path) -> None:
    (tmp_path / "mine.csv").write_text("age,sex\n2..4,f\n,m\n")
    (mine,) = named_workloads.build(str(tmp_path / "mine.csv"), SCHEMA)
    assert (mine.name, mine.questions.count) == ("mine", 2)


def written_command(here: Path) -> list[str]:
    """A call of `evaluate`, with the data and the spec that it needs."""
    people().to_csv(here / "people.csv", index=False)
    (here / "spec.toml").write_text(
        '[data]\nsource = "people.csv"\n[privacy]\nbudget = 1\nledger = "l.ledger"\n'
        '[attributes.age]\nkind = "ordinal"\nlow = 0\nhigh = 7\n'
        '[releases.r]\ntask = "table"\nby = ["age"]\nepsilon = 1\n'
    )
    return ["evaluate", str(here / "spec.toml"), "--methods", "geometric", "--trials", "2"]


def test_the_command_writes_private_results(tmp_path: Path) -> None:
    arguments = [*written_command(tmp_path), "--json"]
    found = CliRunner().invoke(app, [*arguments, "-o", str(tmp_path / "out")])
    assert found.exit_code == 0, found.output
    said = json.loads(found.stdout)
    assert said["private"].startswith("PRIVATE")
    assert {path.name for path in (tmp_path / "out").iterdir()} == {
        "PRIVATE.txt", "errors.csv", "errors.html", "trials.jsonl",
    }  # fmt: skip
    page = (tmp_path / "out" / "errors.html").read_text()
    assert custodian.MARK in page
    assert "<svg" in page
    assert "src=" not in page  # it opens without a network
    assert "<script" not in page
    again = CliRunner().invoke(app, [*arguments, "-o", str(tmp_path / "out2")])
    assert json.loads(again.stdout)["errors"] == said["errors"]  # the recorded seed decides everything


def test_results_have_a_folder_of_their_own_that_says_private(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """True errors beside what is published would be published with it."""
    monkeypatch.chdir(tmp_path)
    command = written_command(tmp_path)
    assert CliRunner().invoke(app, ["publish", str(tmp_path / "spec.toml"), "r"]).exit_code == 0
    published = sorted(path.name for path in (tmp_path / "r").iterdir())
    assert CliRunner().invoke(app, command).exit_code == 0
    assert (tmp_path / "r-evaluation-private" / "trials.jsonl").is_file()
    assert sorted(path.name for path in (tmp_path / "r").iterdir()) == published == ["release.json", "table.parquet"]


def test_the_command_prints_a_chart_and_errors_by_class(tmp_path: Path) -> None:
    arguments = [*written_command(tmp_path), "-o", str(tmp_path / "out")]
    found = CliRunner().invoke(app, arguments)
    assert found.exit_code == 0, found.output
    assert found.stdout.startswith(custodian.MARK)
    for words in ("heavy", "rare", "cells, epsilon 1: mean absolute error\n  geometric  █", "errors.html"):
        assert words in found.stdout
    assert found.stderr == ""  # so short a run has no progress to tell
    assert not (tmp_path / "l.ledger").exists()  # nothing is charged


def test_progress_is_told_without_a_terminal(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(evaluating, "_SECONDS", 0.0)
    arguments = [*written_command(tmp_path), "-o", str(tmp_path / "out")]
    assert CliRunner().invoke(app, arguments).stderr == "discreet: 1 of 2 trials\n"
    assert CliRunner().invoke(app, [*arguments, "--quiet"]).stderr == ""


def test_a_release_of_queries_is_asked_its_queries(tmp_path: Path) -> None:
    written_command(tmp_path)
    spec = tmp_path / "spec.toml"
    planned = '[releases.q]\ntask = "marginals"\nqueries = ["age < 3", "age = 7"]\nepsilon = 1\n'
    spec.write_text(spec.read_text() + planned)
    arguments = ["evaluate", str(spec), "q", "--trials", "2", "--json", "-o", str(tmp_path / "out")]
    found = CliRunner().invoke(app, arguments)
    assert found.exit_code == 0, found.output
    errors = json.loads(found.stdout)["errors"]
    assert {row["workload"] for row in errors} == {"queries"}
    assert all("absolute, roll-up" not in row for row in errors)  # the release counts each of them itself
    assert {row["method"] for row in errors} == {method for task, method in registry() if task == "marginals"}


def test_a_seed_decides_which_records_count(tmp_path: Path) -> None:
    """Also when the file is read by several threads otherwise."""
    dice = np.random.default_rng(3)
    rows = 400_000
    frame = pd.DataFrame({"who": dice.integers(0, 2000, rows), "age": dice.integers(0, 8, rows), "sex": "f"})
    frame.to_parquet(tmp_path / "rows.parquet", row_group_size=20_000)
    data = discreet.open(tmp_path / "rows.parquet", SCHEMA, unit=discreet.Unit("who", max_rows=5))
    task = discreet.Items("age", context=["sex"], method="sra", bound=3)
    one, two = (data.publish(task, 1, noise=Noise(SeededSource(5))).to_arrow() for _ in range(2))
    assert one.equals(two)


def test_known_totals_are_known_to_what_is_evaluated(tmp_path: Path) -> None:
    rows = people()
    known = [{"where": {"sex": sex}, "count": int((rows["sex"] == sex).sum())} for sex in ("f", "m")]
    off = {}
    for name, given in (("plain", None), ("known", known)):
        task = discreet.Table(["age", "sex"], method="geometric", known=given)
        lines = trials.run(plan(task, ("marginals-1",), methods=["geometric"]), tmp_path / name)
        off[name] = [line["absolute"] for line in lines if "sex" in line["workload"]]
    assert off["known"]
    assert max(off["known"]) == 0 < max(off["plain"])
