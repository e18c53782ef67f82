"""The command line on periods, on all releases at once, and on acts of the ledger."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.unit.cli.cli_runs import Cli, cli, done, left, process, refused

__all__ = ["cli"]
SPEC = """\
[data]
source = "sales.csv"
name = "sales"
[privacy]
budget = 1
ledger = "sales.ledger"
[attributes.day]
kind = "ordinal"
low = 2026-01-01
high = 2026-12-31
period = "month"
[attributes.sex]
kind = "nominal"
values = ["f", "m"]
[releases.days]
task = "table"
by = ["day"]
epsilon = 0.4
method = "geometric"
[releases.sexes]
task = "table"
by = ["sex"]
epsilon = 0.4
[releases.total]
task = "table"
by = ["sex"]
epsilon = 0.1
period = "all"
"""


@pytest.fixture
def sales(tmp_path: Path) -> Path:
    rows = "".join(f"2026-{month:02}-{day:02},f\n" for month in (9, 10) for day in range(1, 29))
    (tmp_path / "sales.csv").write_text("day,sex\n" + rows * 5)
    (tmp_path / "sales.toml").write_text(SPEC)
    return tmp_path


def test_a_release_of_a_period(sales: Path) -> None:
    said = done(process(sales, "publish", "sales.toml", "days", "--period", "2026-10"))
    assert said.startswith("Published days@2026-10\n")
    assert "counts by: day (31)" in said
    assert "budget: 0.4 spent, 0.6 left for 2026-10" in said


def test_all_releases_of_a_period_and_then_those_of_all_rows(sales: Path, cli: Cli) -> None:
    done(cli(sales, "publish", "sales.toml", "days", "--period", "2026-10", "-o", "out/days@2026-10"))
    said = done(cli(sales, "publish", "sales.toml", "--all", "--period", "2026-10", "-o", "out"))
    assert "out/days@2026-10 was published before; nothing was charged" in said
    assert "Published out/sexes@2026-10, epsilon 0.4" in said
    assert "Not asked for: total." in said
    told = json.loads(done(cli(sales, "publish", "sales.toml", "--all", "-o", "out", "--json")))
    assert [(one["release"], one["state"]) for one in told["releases"]] == [("total", "published")]
    assert (told["not asked for"], told["spent"], told["left"]) == (["days", "sexes"], "0.9", "0.1")
    again = json.loads(done(cli(sales, "publish", "sales.toml", "--all", "-o", "elsewhere", "--json")))
    assert [(one["folder"], one["state"]) for one in again["releases"]] == [(None, "elsewhere")]
    assert left(sales / "out") == ["days@2026-10", "sexes@2026-10", "total"]
    checked = json.loads(
        done(cli(sales, "ledger", "sales.ledger", "--against", *(f"out/{n}" for n in left(sales / "out")), "--json"))
    )
    assert [one["fault"] for one in checked["releases"]] == [None] * 3
    done(cli(sales, "audit", "--release", "out/days@2026-10", "--ledger", "sales.ledger", "--quiet"))


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["days"], ["published by month", "--period 2026-01", 'period = "all"']),
        (["days", "--period", "October"], ["'October' is not a month", "2026-01"]),
        (["days", "--period", "2027-01"], ["outside of day", "2026-12-31"]),
        (["total", "--period", "2026-10"], ["about all rows"]),
        (["days", "--all"], ["either"]),
    ],
)
def test_what_is_no_period_of_a_release_is_refused(
    sales: Path, cli: Cli, arguments: list[str], words: list[str]
) -> None:
    refused(cli(sales, "publish", "sales.toml", *arguments), *words)
    assert not (sales / "sales.ledger").exists()


def test_too_small_a_budget_for_all_is_said_before_any_charge(sales: Path, cli: Cli) -> None:
    (sales / "sales.toml").write_text(SPEC.replace("budget = 1", "budget = 0.7"))
    refused(
        cli(sales, "publish", "sales.toml", "--all", "--period", "2026-10"), "cost 0.8", "Nothing was charged", code=3
    )
    assert "0 spent" in done(cli(sales, "ledger", "sales.ledger"))


def test_periods_where_there_are_none(sales: Path, cli: Cli) -> None:
    (sales / "sales.toml").write_text(SPEC.replace('period = "month"\n', "").replace('period = "all"\n', ""))
    for command in (["publish", "--all"], ["publish", "days"], ["plan"], ["audit"], ["check", "--data"]):
        refused(cli(sales, command[0], "sales.toml", *command[1:], "--period", "2026-10"), "no attribute has one")


def test_the_ledger_says_which_promise_holds(sales: Path, cli: Cli) -> None:
    for period in ("2026-09", "2026-10"):
        done(cli(sales, "publish", "sales.toml", "--all", "--period", period, "-o", "out"))
    said = done(cli(sales, "ledger", "sales.ledger"))
    assert "Promise for rows (add-remove): each is in one period only, by the month of day" in said
    assert "a row loses at most 0.8" in said
    told = json.loads(done(cli(sales, "ledger", "sales.ledger", "--json")))
    assert [(one["period"], one["spent"], one["left"]) for one in told["periods"]] == [
        ("2026-09", "0.8", "0.2"),
        ("2026-10", "0.8", "0.2"),
    ]
    users = SPEC.replace("budget = 1", 'budget = 1\nunit = "sex"\nmax_rows = 5').replace("sales.ledger", "users.ledger")
    (sales / "users.toml").write_text(
        users.replace("[attributes.sex]", "[attributes.kind]\ncolumn = 'sex'").replace('["sex"]', '["kind"]')
    )
    done(cli(sales, "publish", "users.toml", "days", "--period", "2026-10", "-o", "u"))
    assert "Promise for users, by month of day: one may be in every period, so periods add up" in done(
        cli(sales, "ledger", "users.ledger")
    )
    assert "the budget is for all periods together" in done(cli(sales, "check", "users.toml"))


def test_check_plan_evaluate_and_audit_know_periods(sales: Path, cli: Cli) -> None:
    assert "Each row is in one of them only, so each has the budget for itself" in done(
        cli(sales, "check", "sales.toml")
    )
    said = cli(sales, "check", "sales.toml", "--data", "--period", "2026-10", "--json")
    told = json.loads(said.stdout)
    assert told["rows"] == 140
    assert [one["name"] for one in told["releases"]] == ["days", "sexes"]
    assert "Not looked at: days, sexes" in cli(sales, "check", "sales.toml", "--data").stdout
    refused(cli(sales, "check", "sales.toml", "--period", "2026-10"), "--data")
    planned = json.loads(done(cli(sales, "plan", "sales.toml", "days", "--json")))
    assert planned[0]["release"] == "days@2026-01"
    planned = json.loads(done(cli(sales, "plan", "sales.toml", "days", "--period", "2026-02", "--json")))
    assert planned[0]["release"] == "days@2026-02"
    refused(cli(sales, "evaluate", "sales.toml", "days"), "published by month")
    done(
        cli(
            sales,
            "evaluate",
            "sales.toml",
            "days",
            "--period",
            "2026-10",
            "--trials",
            "1",
            "--methods",
            "geometric",
            "--json",
        )
    )
    assert (sales / "days@2026-10-evaluation-private").is_dir()
    assert not (sales / "sales.ledger").exists()
    assert "sexes@2026-01: table by geometric, epsilon 0.4: HOLDS" in done(cli(sales, "audit", "sales.toml", "sexes"))


def test_acts_of_the_ledger(sales: Path, cli: Cli) -> None:
    done(cli(sales, "publish", "sales.toml", "total", "-q"))
    for act in (["--raise", "5"], ["--close"], ["--raise", "5", "--reason", " "]):
        refused(cli(sales, "ledger", "sales.ledger", *act), "needs a reason")
    refused(cli(sales, "ledger", "sales.ledger", "--reason", "x"), "--raise")
    refused(cli(sales, "ledger", "sales.ledger", "--close", "--reopen", "--reason", "x"), "one of")
    refused(cli(sales, "ledger", "sales.ledger", "--close", "--reason", "x", "--against", "total"), "one of")
    refused(cli(sales, "ledger", "sales.ledger", "--raise", "much", "--reason", "x"), "--raise")
    refused(cli(sales, "ledger", "none.ledger", "--close", "--reason", "x"), "none.ledger")
    assert not (sales / "none.ledger").exists()
    said = done(process(sales, "ledger", "sales.ledger", "--raise", "2", "--reason", "a second year"))
    assert said.startswith("sales.ledger: cap raised to 2 by ")
    refused(cli(sales, "publish", "sales.toml", "total"), "a budget of 2, raised", "(a second year)")
    (sales / "sales.toml").write_text(SPEC.replace("budget = 1", "budget = 2"))
    done(cli(sales, "publish", "sales.toml", "total"))
    done(cli(sales, "ledger", "sales.ledger", "--close", "--reason", "the study is over"))
    refused(
        cli(sales, "publish", "sales.toml", "days", "--period", "2026-10"), "(the study is over)", "--reopen", code=3
    )
    shown = done(cli(sales, "ledger", "sales.ledger"))
    for words in ("cap raised to 2", "a second year", "closed", "the study is over"):
        assert words in shown
    done(cli(sales, "ledger", "sales.ledger", "--reopen", "--reason", "one more"))
    done(cli(sales, "ledger", "sales.ledger", "--add-dataset", "returns", "--reason", "the same people"))
    (sales / "returns.toml").write_text(
        SPEC.replace('name = "sales"', 'name = "returns"').replace("budget = 1", "budget = 2")
    )
    refused(cli(sales, "publish", "returns.toml", "total"), "holds another release")
    told = json.loads(done(cli(sales, "ledger", "sales.ledger", "--json")))
    assert (told["datasets"], told["closed"], told["budget"]) == (["sales", "returns"], False, "2")
    assert told["entries"][-1]["what"] == "the same people"
