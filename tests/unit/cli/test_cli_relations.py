"""`discreet share`, `discreet compare` and `discreet mean`, and several releases asked together."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

import discreet
from tests.unit.cli import cli_runs
from tests.unit.cli.cli_runs import Cli, done, process, refused

cli = cli_runs.cli  # a fixture
SCHEMA = discreet.Schema(age=discreet.Ordinal(0, 4), sex=discreet.Nominal(["f", "m"]))


@pytest.fixture(scope="module")
def here(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Three releases of one year, and one of a later year, in a folder of its own."""
    folder = tmp_path_factory.mktemp("relations")
    for place, times in ((folder, 300), (folder / "later", 330)):
        place.mkdir(exist_ok=True)
        (place / "people.csv").write_text("age,sex\n" + "1,f\n2,m\n3,m\n" * times)
        data = discreet.open(place / "people.csv", SCHEMA, ledger=place / "people.ledger")
        for name, by in (("a", ["age", "sex"]), ("b", ["sex", "age"]), ("ages", ["age"])):
            data.publish(discreet.Table(by, method="geometric"), 1, name=name, to=place / name)
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
    refused(cli(here, "query", "a", "--with", "ages"), "--same-records", lines=1)
    assert "from a (" in done(cli(here, "query", "a", "age < 3", "--with", "ages", "--same-records"))
    refused(cli(here, "query", "a", "--same-records"), "use it with --with")


def test_another_year(cli: Cli, here: Path) -> None:
    later = here / "later" / "a"
    refused(cli(here, "compare", str(later), "sex = 'm'", "--since", "a"), "different ledgers", "across=True")
    said = done(cli(here, "compare", str(later), "sex = 'm'", "--since", "a", "--across"))
    assert re.search(r"is larger with probability|cannot tell", said)
    assert re.search(r"\nchange in percent: -?[0-9,.]+ ", said)
    told = json.loads(done(cli(here, "compare", str(later), "sex = 'm'", "--since", "a", "--across", "--json")))
    change = discreet.load(later).change("sex = 'm'", since=discreet.load(here / "a"), across=True)
    assert told["change"] == change.to_dict()
    assert said.endswith(f"change in percent: {change}\n")
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
