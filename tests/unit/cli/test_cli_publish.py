"""The command `publish`: one charge for one release, and bad input of every kind refused before it costs."""

from __future__ import annotations

import json
import shutil
import sqlite3
import stat
from contextlib import closing
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from discreet.ledger import Ledger
from discreet.release import load
from tests.unit.cli import cli_runs
from tests.unit.cli.cli_runs import DENSE, SMALL, Cli, done, left, process, refused

cli, odd, small = cli_runs.cli, cli_runs.odd, cli_runs.small  # fixtures

#: root may write anywhere, so a process that shall meet a read-only folder gives that up first
WITHOUT_PRIVILEGES = """
import ctypes, os
if os.getuid() == 0:
    assert ctypes.CDLL(None).capset((ctypes.c_uint32 * 2)(0x20080522, 0), (ctypes.c_uint32 * 6)()) == 0
"""


def spent(ledger: Path) -> str:
    return str(Ledger.read(ledger).spent)


def test_publish_again_is_the_same_and_costs_nothing(odd: Path) -> None:
    before = {path.name: path.read_bytes() for path in (odd / "by-day").iterdir()}
    account = json.loads(done(process(odd, "publish", "people.toml", "by-day", "--json")))
    assert account == {
        "release": "by-day",
        "folder": "by-day",
        "seal": load(odd / "by-day").manifest["seal"],
        "spent": "1",
        "left": "2",
    }
    assert {path.name: path.read_bytes() for path in (odd / "by-day").iterdir()} == before


def test_publish_says_whether_it_was_published_before(cli: Cli, small: Path) -> None:
    for spec in (SMALL, SMALL.replace('budget = 3\nledger = "small.ledger"', "").replace("releases.a", "releases.b")):
        (small / "small.toml").write_text(spec)
        first, second = (done(cli(small, "publish", "small.toml")).splitlines() for _ in range(2))
        name = first[0].removeprefix("Published ")
        assert second[0] == f"{name} was published before; nothing was charged"
        assert second[1:-2] == first[1:-2]


def test_publish_over_budget(cli: Cli, odd: Path) -> None:
    before = left(odd)
    message = refused(process(odd, "publish", "people.toml", "dear"), code=3)
    assert "people.ledger" in message
    assert "spent 1, asked 2.5, left 2" in message
    refused(cli(odd, "publish", "people.toml", "dear", "--json"), "left 2", code=3)
    assert left(odd) == before
    assert spent(odd / "people.ledger") == "1"


def test_publish_asks_which_release(cli: Cli, odd: Path) -> None:
    refused(cli(odd, "publish", "people.toml"), "people.toml", "name the release", "by-day, dear, days")
    refused(cli(odd, "publish", "people.toml", "by-dai"), "'by-dai'", "Did you mean 'by-day'?")
    refused(cli(odd, "plan", "people.toml", "nope"), "people.toml", "'nope'", "The spec has: by-day, dear, days")


def test_publish_is_quiet_on_demand(cli: Cli, odd: Path, tmp_path: Path) -> None:
    """And rows that hold bytes that are no text follow the declared rule; they stop nothing."""
    for name in ("people.toml", "people.csv"):
        shutil.copy(odd / name, tmp_path)
    with (tmp_path / "people.csv").open("ab") as file:
        file.write(b"plain;2024-01-01;x\r\n" * 1000 + b"\xc9\xff;2024-01-01;x\r\n" * 1000)
    assert done(cli(tmp_path, "publish", "people.toml", "by-day", "-q", "-o", "deep/er")) == ""
    release = load(tmp_path / "deep" / "er")
    assert abs(release.count("day = '2024-01-01'").value - 1000) < 200
    assert abs(release.count("day = '2024-01-02'").value - 36_000) < 200


def bad_source(text: str) -> str:
    return SMALL.replace('"people.csv"', f'"{text}"')


@pytest.mark.parametrize(
    ("spec", "words"),
    [
        (bad_source("none.csv"), ["none.csv", "no such file"]),
        (bad_source("none*.csv"), ["none*.csv", "no file matches"]),
        (bad_source("empty.csv"), ["empty.csv", "is empty"]),
        (bad_source("folder.csv"), ["folder.csv", "is a folder"]),
        (bad_source("people.xlsx"), ["people.xlsx", "complete Excel file"]),
        (bad_source("people.ods"), ["people.ods", ".parquet"]),
        (bad_source("semicolons.csv"), ["semicolons.csv", "delimiter"]),
        (bad_source("twice.csv"), ["twice.csv", "same name"]),
        (bad_source("other.csv"), ["other.csv", "no column 'sex'", "Did you mean 'sexe'?"]),
        (bad_source("broken.parquet"), ["broken.parquet", "Parquet"]),
        (SMALL.replace('source = "people.csv"', ""), ["[data] source", "missing"]),
        (SMALL.replace('"age", "sex"]', '"age", "sexx"]'), ["[releases.a] by", "'sexx'", "Did you mean 'sex'?"]),
        (SMALL.replace("epsilon = 1", "epsilon = 0"), ["[releases.a] epsilon", "above zero"]),
        (SMALL.replace("epsilon = 1", "epsilon = -0.5"), ["[releases.a] epsilon", "above zero"]),
        (SMALL.replace("epsilon = 1", "epsilon = nan"), ["[releases.a] epsilon"]),
        (SMALL.replace("epsilon = 1", "epsilon = 0,5"), ["small.toml", "line 16", "point: epsilon = 0.5"]),
        (SMALL.replace('"ordinal"', "ordinal"), ["small.toml", "line 7", 'quotes: kind = "ordinal"']),
        (SMALL.replace("high = 4", "high = 4\nspecial = True"), ["small.toml", "write special = true"]),
        (SMALL.replace("epsilon = 1", "epsilon = 1e9").replace("budget = 3", ""), ["[releases.a] epsilon", "protects"]),
        (SMALL.replace("epsilon = 1", "epsilon = 1e-40"), ["scale", "raise epsilon"]),
        (DENSE.replace("high = 4", "high = 499_999_999_999"), ["1,000,000,000,000 cells", "adaptive"]),
        (SMALL.replace("sex", "count"), ["small.toml", "count", "rename"]),
        (SMALL.replace('ledger = "small.ledger"', 'ledger = "no/where.ledger"'), ["where.ledger", "folder"]),
        (SMALL.replace('ledger = "small.ledger"', 'ledger = "people.csv"'), ["people.csv", "not a Discreet ledger"]),
        (
            SMALL.replace("epsilon = 1", 'epsilon = 1\nmethod = "sketchy"'),
            ["small.toml: [releases.a]", "'sketchy'", "geometric"],
        ),
        (SMALL.replace("epsilon = 1", 'epsilon = 1\nmethod = "filter"\ntheta = 0'), ["small.toml: [releases.a] theta"]),
    ],
)
def test_publish_refuses_bad_input_before_it_costs(cli: Cli, small: Path, spec: str, words: list[str]) -> None:
    (small / "empty.csv").write_text("")
    (small / "folder.csv").mkdir()
    for odd in ("people.xlsx", "people.ods"):
        (small / odd).write_bytes(b"PK")
    (small / "semicolons.csv").write_text("age;sex\n1;f\n")
    (small / "twice.csv").write_text("age,sex,sex\n1,f,f\n")
    (small / "other.csv").write_text("age,sexe\n1,f\n")
    (small / "broken.parquet").write_bytes(b"PAR1 and no more")
    (small / "small.toml").write_text(spec)
    before = left(small)
    refused(cli(small, "publish", "small.toml", "a"), *words)
    assert [name for name in left(small) if name not in before] in ([], ["small.ledger", "small.ledger.heads"])
    if (small / "small.ledger").exists():
        assert spent(small / "small.ledger") == "0"
    assert list((small / ".tmp").iterdir()) == []


def test_publish_into_a_folder_that_cannot_be_written(cli: Cli, small: Path) -> None:
    (small / "locked").mkdir(mode=0o555)
    said = process(small, "publish", "small.toml", "a", "-o", "locked/a", prelude=WITHOUT_PRIVILEGES)
    refused(said, "locked")
    said = cli(small, "publish", "small.toml", "a", "-o", "people.csv/a")
    refused(said, "people.csv")
    said = cli(small, "publish", "small.toml", "a", "-o", "locked")
    refused(said, "locked", "choose another folder")
    assert spent(small / "small.ledger") == "0"
    assert list((small / ".tmp").iterdir()) == []


def test_a_failure_after_the_charge_has_its_own_code(cli: Cli, small: Path) -> None:
    """A Parquet file whose names can be read, but not its rows."""
    table = pa.table({"age": [i % 5 for i in range(5000)], "sex": ["f", "m"] * 2500})
    pq.write_table(table, small / "people.parquet", compression="none", use_dictionary=False)
    whole = (small / "people.parquet").read_bytes()
    (small / "people.parquet").write_bytes(whole[:4] + b"\xff" * 20_000 + whole[20_004:])
    (small / "small.toml").write_text(bad_source("people.parquet"))
    message = refused(cli(small, "publish", "small.toml"), "after the budget was charged", code=4)
    (details,) = (small / ".tmp").iterdir()
    assert str(details) in message
    assert stat.S_IMODE(details.stat().st_mode) == 0o600
    assert spent(small / "small.ledger") == "1"
    assert not (small / "a").exists()
    (small / "people.parquet").write_bytes(whole)
    assert json.loads(done(cli(small, "publish", "small.toml", "--json")))["spent"] == "1"
    assert abs(load(small / "a").count("sex = 'f'").value - 2500) < 200


def test_publish_with_the_ledger_of_another_data_set(cli: Cli, odd: Path, small: Path) -> None:
    shutil.copy(odd / "people.ledger", small / "small.ledger")
    refused(cli(small, "publish", "small.toml"), "small.ledger", "'peo[/ple]'", "'small'")
    assert spent(small / "small.ledger") == "1"


def test_publish_with_a_locked_ledger(cli: Cli, small: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    patient = Ledger.open.__func__  # type: ignore[attr-defined]
    impatient = classmethod(lambda cls, *given: patient(cls, *given, timeout=0.2))
    monkeypatch.setattr(Ledger, "open", impatient)
    Ledger.open(small / "small.ledger", "small", None).spent  # noqa: B018
    with closing(sqlite3.connect(small / "small.ledger", isolation_level=None)) as connection:
        connection.execute("BEGIN IMMEDIATE")
        (small / "small.toml").write_text(SMALL.replace("budget = 3", ""))
        said = cli(small, "publish", "small.toml")
        connection.execute("ROLLBACK")
    refused(said, "small.ledger", "locked", "try again", "nothing was charged")
    assert not (small / "a").exists()
    assert spent(small / "small.ledger") == "0"


def test_publish_without_a_ledger_says_that_nobody_remembers(cli: Cli, small: Path) -> None:
    (small / "small.toml").write_text(SMALL.replace('budget = 3\nledger = "small.ledger"', ""))
    assert "kept in memory only: name a ledger in the spec" in done(cli(small, "publish", "small.toml"))
    assert left(small) == ["a", "people.csv", "small.toml"]


def test_a_budget_without_a_ledger_would_cap_nothing(cli: Cli, small: Path) -> None:
    (small / "small.toml").write_text(SMALL.replace('ledger = "small.ledger"', ""))
    fix = 'small.toml: [privacy] budget: nothing keeps it from one run to the next; add ledger = "NAME.ledger"'
    refused(cli(small, "publish", "small.toml"), fix)
    said = cli(small, "check", "small.toml")
    assert (said.returncode, said.stdout.startswith(fix)) == (1, True)
    assert left(small) == ["people.csv", "small.toml"]


def test_publish_reads_the_encoding_that_the_spec_names(cli: Cli, tmp_path: Path) -> None:
    (tmp_path / "towns.csv").write_bytes(("town\n" + "Orléans\n" * 40 + "Paris\n" * 7).encode("latin-1"))
    (tmp_path / "towns.toml").write_text(
        '[data]\nsource = "towns.csv"\nencoding = "latin-1"\n[privacy]\nunit = "row"\n'
        '[attributes.town]\nkind = "nominal"\nvalues = ["Orléans", "Paris"]\n'
        '[releases.a]\ntask = "table"\nby = ["town"]\nepsilon = 1000\n',
        encoding="utf-8",
    )
    done(cli(tmp_path, "publish", "towns.toml"))
    assert load(tmp_path / "a").count("town = 'Orléans'").value == 40


def test_known_totals_and_thresholds_of_a_spec_reach_the_release_and_its_audit(cli: Cli, small: Path) -> None:
    (small / "totals.csv").write_text("sex,age,count\nf,,3\n,,9\n")
    (small / "small.toml").write_text(DENSE + 'known_csv = "totals.csv"\nreliable = 0.25\n')
    assert "known totals: made to agree with 2 publicly known totals" in done(cli(small, "publish", "small.toml"))
    assert "6 (publicly known)" in done(cli(small, "query", "a", "sex = 'm'"))
    assert load(small / "a").manifest["reliable"] == {"unreliable": 0.25}
    assert done(cli(small, "audit", "--release", "a", "--ledger", "small.ledger")).startswith("a: HOLDS")
    (small / "totals.csv").write_text("sex,age,count\nf,,30\n,,9\n")
    refused(cli(small, "publish", "small.toml", "-o", "b"), "known: the totals inside of everything")
    assert spent(small / "small.ledger") == "1"
