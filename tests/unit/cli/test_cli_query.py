"""The command `query`: answers as text, as JSON and as files, and questions that it cannot answer."""

from __future__ import annotations

import csv
import json
import shutil
import zipfile
from datetime import date
from pathlib import Path
from typing import Any

import pytest

from discreet.release import load
from tests.unit.cli import cli_runs
from tests.unit.cli.cli_runs import ODD, Cli, done, process, refused

cli, odd = cli_runs.cli, cli_runs.odd  # fixtures


def test_query_counts(cli: Cli, odd: Path) -> None:
    release = load(odd / "by-day")
    where = "day = '2024-01-02' and \"no[/te]\" = '=1+1'"
    answer = json.loads(done(cli(odd, "query", "by-day", where, "--json", "--level", "0.5")))
    assert answer == release.count(where, level=0.5).to_dict()
    assert done(process(odd, "query", "by-day")) == f"{release.count()}\n"


def test_query_groups_as_text(cli: Cli, odd: Path) -> None:
    """All of it: an answer that is cut off is a wrong answer."""
    said = done(cli(odd, "query", "by-day", "--by", "no[/te]", COLUMNS="60"))
    assert "…" not in said
    assert "no[/te]" in said
    for label, count in load(odd / "by-day").table("no[/te]").to_pandas()[["no[/te]", "count"]].itertuples(index=False):
        assert f"{count:,}" in said
        assert label in said or "\n" in label
    wide = done(cli(odd, "query", "by-day", "--by", "day,no[/te]", "--level", "0.9"))
    assert "…" not in wide
    assert "0.9" in wide
    assert done(cli(odd, "query", "by-day", "--by", "day", "--by", "no[/te]", "--level", "0.9")) == wide


def test_query_groups_as_json(cli: Cli, odd: Path) -> None:
    """Dates have no type of their own in JSON."""
    answers = json.loads(done(cli(odd, "query", "by-day", "--by", "day", "\"no[/te]\" != 'plain'", "--json")))
    expected = load(odd / "by-day").table("day", "\"no[/te]\" != 'plain'").to_dicts()
    assert answers == [{**row, "day": row["day"].isoformat()} for row in expected]


def test_query_gives_the_number_that_is_wanted(cli: Cli, odd: Path) -> None:
    release = load(odd / "by-day")
    whole = json.loads(done(cli(odd, "query", "by-day", "--by", "day", "--whole", "--json")))
    assert (
        sum(row["count"] for row in whole)
        == json.loads(done(cli(odd, "query", "by-day", "--whole", "--json")))["value"]
    )
    plain = json.loads(done(cli(odd, "query", "by-day", "--by", "day", "--measured", "--json")))
    assert [row["count"] for row in plain] == release.table("day", measured=True)["count"].tolist()


def test_query_answers_a_file(cli: Cli, odd: Path) -> None:
    with (odd / "questions.csv").open("w", newline="", encoding="utf-8") as file:
        csv.writer(file).writerows([["no[/te]", "day"], *([label, "2024-01-02..2024-01-03"] for label in ODD)])
    release = load(odd / "by-day")
    expected = [release.count({"no[/te]": label, "day": (date(2024, 1, 2), None)}) for label in ODD]
    assert abs(expected[4].value - 4000) < 100
    answers = json.loads(done(cli(odd, "query", "by-day", "--csv", "questions.csv", "--json")))
    assert [answer["count"] for answer in answers] == [one.value for one in expected]
    said = done(cli(odd, "query", "by-day", "--csv", "questions.csv", "-o", "answers.csv"))
    assert said == f"answers.csv: {len(ODD)} answers\n"
    with (odd / "answers.csv").open(newline="", encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    assert [(int(row["low"]), int(row["high"])) for row in rows] == [(one.low, one.high) for one in expected]


def test_query_by_ranges_curves_and_sql(cli: Cli, odd: Path) -> None:
    release = load(odd / "by-day")

    def asked(*arguments: str) -> list[dict[str, Any]]:
        found: list[dict[str, Any]] = json.loads(done(cli(odd, "query", "by-day", *arguments, "--json")))
        return found

    bins = asked("--by", "day", "--bins", "2024-01-02", "--sort", "count", "--ascending")
    assert bins == release.table("day", bins=["2024-01-02"], sort="count", ascending=True).to_dicts()
    assert asked("--by", "day,no[/te]", "--bins", "day:2") == release.table(["day", "no[/te]"], bins=2).to_dicts()
    curves = asked("--cumulative", "day", "--by", "no[/te]")
    assert [row["count"] for row in curves] == release.prefix("day", by="no[/te]")["count"].tolist()
    sql = 'select "no[/te]" as note, count(*) from release group by note order by 2 desc limit 2'
    assert asked("--sql", sql) == release.sql(sql).to_dicts()
    assert "share" in done(cli(odd, "query", "by-day", "--sql", "select share() from release"))


def test_quantiles_of_groups(cli: Cli, odd: Path) -> None:
    said = json.loads(done(cli(odd, "quantile", "by-day", "day", "0.25,0.5", "--by", "no[/te]", "--json")))
    assert [row["share"] for row in said[:3]] == [0.25, 0.5, 0.25]
    assert {row["day"] for row in said[4:]} == {"2024-01-02"}
    assert "2024-01-02" in done(cli(odd, "quantile", "by-day", "day", "0.25,0.5"))
    done(cli(odd, "quantile", "by-day", "day", "0.1,0.9", "-o", "quantiles.parquet"))
    assert (odd / "quantiles.parquet").stat().st_size > 100
    refused(cli(odd, "quantile", "by-day", "day", "half"), "'half' is not a share")
    refused(cli(odd, "quantile", "by-day", "day", "0.5", "-o", "x.csv"), "several quantiles")


def test_query_writes_what_the_ending_says(cli: Cli, odd: Path) -> None:
    import pyarrow.parquet as pq

    for ending in ("xlsx", "parquet", "svg"):
        done(cli(odd, "query", "by-day", "--by", "day", "-o", f"days.{ending}"))
    assert zipfile.is_zipfile(odd / "days.xlsx")
    assert pq.read_table(odd / "days.parquet").column_names == ["day", "count", "stderr", "low", "high"]
    assert (odd / "days.svg").read_text().startswith("<svg ")
    done(cli(odd, "query", "by-day", "--cumulative", "day", "-o", "curve.svg"))
    assert "<polyline" in (odd / "curve.svg").read_text()


def test_query_keeps_the_columns_of_the_questions(cli: Cli, odd: Path) -> None:
    (odd / "asked.csv").write_text("id,day,who\n1,2024-01-02,me\n")
    said = done(cli(odd, "query", "by-day", "--csv", "asked.csv", "--keep", "who", "--json"))
    assert list(json.loads(said)[0])[:4] == ["id", "day", "who", "count"]
    refused(cli(odd, "query", "by-day", "--csv", "asked.csv"), "'who'", "keep")


def test_query_writes_no_formula(cli: Cli, odd: Path) -> None:
    done(cli(odd, "query", "by-day", "--by", "no[/te]", "-o", "groups.csv"))
    with (odd / "groups.csv").open(newline="", encoding="utf-8") as file:
        labels = [row["no[/te]"] for row in csv.DictReader(file)]
    assert labels == [f"'{label}" if label[0] in "=@" else label for label in ODD]


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["none"], ["none", "no such folder"]),
        (["people.csv"], ["people.csv", "folder"]),
        (["."], ["is a folder of releases (by-day", "name one, such as by-day"]),
        (["by-day", "dai = '2024-01-01'"], ["'dai'", "Did you mean 'day'?"]),
        (["by-day", "day = '2025-01-01'"], ["day", "2024-01-01 to 2024-01-03"]),
        (["by-day", "day = "], ["predicate, position 7", "\n        ^"]),
        (["by-day", "__import__('os').system('echo hacked')"], ["predicate, position 11"]),
        (["by-day", "--by", "day.month"], ["day has no hierarchy"]),
        (["by-day", "--by", "dai"], ["Did you mean 'day'?"]),
        (["by-day", "--by", ""], []),
        (["by-day", "--level", "95"], ["level", "0.95 means 95 %"]),
        (["by-day", "--level", "nan"], ["level"]),
        (["by-day", "day = '2024-01-01'", "--csv", "x.csv"], ["--csv"]),
        (["by-day", "-o", "x.csv"], ["-o", "--by or --csv"]),
        (["by-day", "--whole", "--measured"], ["--whole", "--measured"]),
        (["by-day", "--bins", "2"], ["--bins", "--by"]),
        (["by-day", "--by", "day", "--bins", ":2"], ["--bins"]),
        (["by-day", "--by", "day", "--bins", "2024-01-09"], ["bins: day", "2024-01-01 to 2024-01-03"]),
        (["by-day", "--sort", "count"], ["--sort", "--by"]),
        (["by-day", "--by", "day", "--ascending"], ["--ascending", "--sort"]),
        (["by-day", "--sql", "select 1", "--by", "day"], ["--sql"]),
        (["by-day", "--sql", "select 1"], ["SQL"]),
        (["by-day", "--cumulative", "no[/te]"], ["no order"]),
        (["by-day", "--cumulative", "day", "--measured"], ["--measured"]),
        (["by-day", "--keep", "day"], ["--keep", "--csv"]),
        (["by-day", "-o", "x.svg"], [".svg", "--by"]),
        (["by-day", "--csv", "bad.csv", "--whole"], ["--whole", "--by"]),
        (["by-day", "--csv", "none.csv"], ["none.csv", "no such file"]),
        (["by-day", "--csv", "bad.csv"], ["bad.csv", "line 3", "'no[/te]'"]),
        (["by-day", "--csv", "latin.csv"], ["latin.csv", "UTF-8"]),
        (["by-day", "--csv", "empty.csv"], ["empty.csv", "empty"]),
        (["by-day", "--csv", "semicolons.csv"], ["semicolons.csv", "comma"]),
        (["by-day", "--by", "day", "-o", "none/x.csv"], ["none"]),
        (["by-day", "\"no[/te]\" = '\udcff'"], ["no[/te]"]),
    ],
)
def test_query_says_what_it_cannot_do(cli: Cli, odd: Path, arguments: list[str], words: list[str]) -> None:
    (odd / "bad.csv").write_text('no[/te]\nplain\n"no such label"\n')
    (odd / "latin.csv").write_bytes(b"no[/te]\n\xc9\n")
    (odd / "empty.csv").write_text("")
    (odd / "semicolons.csv").write_text("day;no[/te]\n2024-01-01;plain\n")
    lines = 3 if "predicate" in "".join(words) else 1  # with the place shown
    refused(cli(odd, "query", *arguments), *words, lines=lines)
    assert not (odd / "x.csv").exists()


def test_query_refuses_a_changed_release(cli: Cli, odd: Path, tmp_path: Path) -> None:
    shutil.copytree(odd / "by-day", tmp_path / "copy")
    table = bytearray((tmp_path / "copy" / "table.parquet").read_bytes())
    table[100] ^= 1
    (tmp_path / "copy" / "table.parquet").write_bytes(table)
    refused(cli(tmp_path, "query", "copy"), "copy: table.parquet was changed", "get it again")


def test_query_flags_counts_above_any_threshold(cli: Cli, odd: Path) -> None:
    release = load(odd / "by-day")
    said = done(cli(odd, "query", "by-day", "--by", "no[/te]", "--reliable", "0.001"))
    assert "unreliable: relative error above 0.1 %" in said
    rows = json.loads(done(cli(odd, "query", "by-day", "--by", "no[/te]", "--reliable", "0.001", "--json")))
    assert [row["flag"] for row in rows] == list(release.table("no[/te]", reliable=0.001)["flag"])
    one = json.loads(done(cli(odd, "query", "by-day", "--reliable", "0.000001", "--json")))
    assert one["flag"] == "unreliable"
    assert "flag" not in json.loads(done(cli(odd, "query", "by-day", "--json")))
    assert "reliable" in refused(cli(odd, "query", "by-day", "--reliable", "-1"))
