"""`discreet share`, `discreet compare` and `discreet mean`, and several releases asked together."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

import discreet
from tests.unit.cli import cli_runs
from tests.unit.cli.cli_runs import DENSE, Cli, done, process, refused

cli = cli_runs.cli  # a fixture
MORE = """
[releases.b]
task = "table"
by = ["sex", "age"]
method = "geometric"
epsilon = 1
[releases.ages]
task = "table"
by = ["age"]
method = "geometric"
epsilon = 0.5
"""


@pytest.fixture(scope="module")
def here(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("relations")
    (folder / "people.csv").write_text("age,sex\n" + "1,f\n2,m\n3,m\n" * 300)
    (folder / "small.toml").write_text(DENSE + MORE)
    for name in ("a", "b", "ages"):
        done(process(folder, "publish", "small.toml", name))
    other = folder / "later"
    other.mkdir()
    (other / "people.csv").write_text("age,sex\n" + "1,f\n2,m\n3,m\n" * 330)
    (other / "small.toml").write_text(DENSE)
    done(process(other, "publish", "small.toml"))
    return folder


def test_share_compare_and_mean(cli: Cli, here: Path) -> None:
    release = discreet.load(here / "a")
    share, mean = release.share("sex = 'f'", of="age < 3"), release.mean("age", "sex = 'm'")
    assert done(process(here, "share", "a", "sex = 'f'", "--of", "age < 3")) == f"{share}\n"
    assert done(cli(here, "compare", "a", "age = 1", "age = 2")) == f"{release.compare('age = 1', 'age = 2')}\n"
    assert done(cli(here, "mean", "a", "age", "--where", "sex = 'm'")) == f"{mean}\n"
    assert json.loads(done(cli(here, "mean", "a", "age", "--sum", "--json"))) == release.sum("age").to_dict()
    found = json.loads(done(cli(here, "mean", "a", "age", "--variance", "--level", "0.8", "--json")))
    assert found == release.variance("age", level=0.8).to_dict()
    said = json.loads(done(cli(here, "compare", "a", "sex = 'm'", "sex = 'f'", "--json")))
    assert said == release.compare("sex = 'm'", "sex = 'f'").to_dict()
    assert said["larger"] == "a"


def test_another_release_of_the_same_data(cli: Cli, here: Path) -> None:
    both = discreet.combine([discreet.load(here / name) for name in ("a", "b")])
    assert done(cli(here, "query", "a", "age < 3", "--with", "b")) == f"{both.count('age < 3')}\n"
    assert done(cli(here, "share", "a", "age < 3", "--with", "b")) == f"{both.share('age < 3')}\n"
    assert done(cli(here, "mean", "a", "age", "--with", "b")) == f"{both.mean('age')}\n"
    refused(cli(here, "query", "a", "--with", "ages"), "same_records=True", lines=1)
    assert "from a (" in done(cli(here, "query", "a", "age < 3", "--with", "ages", "--same-records"))
    refused(cli(here, "query", "a", "--same-records"), "use it with --with")


def test_another_year(cli: Cli, here: Path) -> None:
    later = here / "later" / "a"
    refused(cli(here, "compare", str(later), "sex = 'm'", "--since", "a"), "different ledgers", "across=True")
    said = done(cli(here, "compare", str(later), "sex = 'm'", "--since", "a", "--across"))
    assert said.startswith("a is larger with probability")
    assert "\nchange in percent: 1" in said or "\nchange in percent: 9" in said
    refused(cli(here, "compare", "a", "sex = 'm'"), "give two predicates, or --since")


def test_tables_with_shares(cli: Cli, here: Path) -> None:
    rows = json.loads(done(cli(here, "query", "a", "--by", "sex", "--shares", "--simultaneous", "--json")))
    assert rows == discreet.load(here / "a").table("sex", shares=True, simultaneous=True).to_dicts()
    said = done(cli(here, "query", "a", "--by", "sex", "--shares", "--simultaneous"))
    assert "share_low" in said
    assert "hold together" in said
    refused(cli(here, "query", "a", "--shares"), "use them with --by")


def test_what_cannot_be_asked(cli: Cli, here: Path) -> None:
    refused(cli(here, "mean", "a", "sex"), "sex has labels")
    refused(cli(here, "mean", "a", "age", "--sum", "--variance"), "either")
    refused(cli(here, "share", "a", "agee < 3"), "Did you mean 'age'?")
