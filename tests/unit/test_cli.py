"""The command line as people meet it: every command in a process of its own, and bad input of every kind.

A process takes a second or two to start, so each command is started once or more, and its many ways to go wrong
are then tried through the same entry point in this process.
"""

from __future__ import annotations

import csv
import json
import os
import shutil
import sqlite3
import stat
import subprocess
import sys
import tempfile
from collections.abc import Callable
from contextlib import closing
from datetime import date
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from discreet.cli import main
from discreet.ledger import Ledger
from discreet.release import load

#: root may write anywhere, so a process that shall meet a read-only folder gives that up first
WITHOUT_PRIVILEGES = """
import ctypes, os
if os.getuid() == 0:
    assert ctypes.CDLL(None).capset((ctypes.c_uint32 * 2)(0x20080522, 0), (ctypes.c_uint32 * 6)()) == 0
"""

ODD = ["plain", "a,b", 'q"uote', "two\nlines", "=1+1", "@sum", "[/bold]", "y" * 150, "É"]
SPEC = """\
[data]
source = "people.csv"
name = "peo[/ple]"
delimiter = ";"

[privacy]
budget = 3
ledger = "people.ledger"

[attributes.day]
kind = "ordinal"
low = 2024-01-01
high = 2024-01-03

[attributes."no[/te]"]
kind = "nominal"
values = LABELS

[releases.by-day]
task = "table"
by = ["day", "no[/te]"]
epsilon = 1

[releases.dear]
task = "table"
by = ["day"]
epsilon = 2.5

[releases.days]
task = "table"
by = ["day"]
epsilon = 0.1
""".replace("LABELS", json.dumps(ODD, ensure_ascii=False))
SMALL = """\
[data]
source = "people.csv"
[privacy]
budget = 3
ledger = "small.ledger"
[attributes.age]
kind = "ordinal"
low = 0
high = 4
[attributes.sex]
kind = "nominal"
values = ["f", "m"]
[releases.a]
task = "table"
by = ["age", "sex"]
epsilon = 1
"""


Done = subprocess.CompletedProcess[str]
Cli = Callable[..., Done]


def process(here: Path, *arguments: Any, prelude: str = "", **env: str) -> Done:
    """One run of `discreet` in the folder `here`, as from a shell; temporary files go to here/.tmp."""
    scratch = here / ".tmp"
    scratch.mkdir(exist_ok=True)
    path = os.pathsep.join(filter(None, sys.path))
    return subprocess.run(
        [sys.executable, "-c", f"{prelude}\nfrom discreet.cli import main\nmain()", *arguments],
        cwd=here,
        env={**os.environ, "PYTHONPATH": path, "TMPDIR": str(scratch), "PYTHONUTF8": "1", **env},
        capture_output=True,
        encoding="utf-8",
        errors="surrogateescape",
        timeout=120,
    )


@pytest.fixture
def cli(monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]) -> Cli:
    """The same without a new process: an exception that `main` lets through fails the test."""

    def run(here: Path, *arguments: str, **env: str) -> Done:
        (here / ".tmp").mkdir(exist_ok=True)
        with monkeypatch.context() as patch:
            patch.chdir(here)
            patch.setattr(tempfile, "tempdir", str(here / ".tmp"))
            patch.setattr(sys, "argv", ["discreet", *arguments])
            for name, value in env.items():
                patch.setenv(name, value)
            capfd.readouterr()
            code: Any = 0
            try:
                main()
            except SystemExit as end:
                code = end.code
        out, err = capfd.readouterr()
        return subprocess.CompletedProcess(arguments, code or 0, out, err)

    return run


def done(said: Done) -> str:
    assert (said.returncode, said.stderr) == (0, "")
    return said.stdout


def refused(said: Done, *words: str, code: int = 2, lines: int = 1) -> str:
    """One clear message on stderr, nothing on stdout, the right code, and no traceback."""
    assert "Traceback" not in said.stderr, said.stderr
    assert said.returncode == code, said.stderr
    assert said.stderr.startswith("discreet: ")
    assert len(said.stderr.strip().splitlines()) == lines
    assert said.stdout == ""
    for word in words:
        assert word in said.stderr
    return said.stderr


def left(here: Path) -> list[str]:
    return sorted(path.name for path in here.iterdir() if path.name != ".tmp")


def spent(ledger: Path) -> str:
    return str(Ledger.read(ledger).spent)


@pytest.fixture(scope="module")
def town(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, str]:
    here = tmp_path_factory.mktemp("town")
    return here, done(process(here, "demo"))


@pytest.fixture(scope="module")
def odd(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with private data, its spec, and the release `by-day`; labels are as odd as labels get."""
    here = tmp_path_factory.mktemp("odd")
    (here / "people.toml").write_text(SPEC, encoding="utf-8")
    with (here / "people.csv").open("w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file, delimiter=";")
        writer.writerow(["no[/te]", "day", "more"])
        for number, label in enumerate(ODD):
            writer.writerows([[label, "2024-01-02", "x"]] * (1000 * number))
    said = done(process(here, "publish", "people.toml", "by-day"))
    assert said.startswith("Published by-day\n")
    assert "budget: 1 spent, 2 left" in said
    assert "Ask it: discreet query by-day" in said
    return here


@pytest.fixture
def small(tmp_path: Path) -> Path:
    (tmp_path / "people.csv").write_text("age,sex\n" + "1,f\n2,m\n" * 50)
    (tmp_path / "small.toml").write_text(SMALL)
    return tmp_path


# --- help


COMMANDS = ("demo", "check", "schema", "publish", "query", "ledger", "verify-noise")


def test_help_names_every_command_and_each_shows_an_example(tmp_path: Path) -> None:
    said = done(process(tmp_path, "--help"))
    assert [command for command in COMMANDS if f"\n  {command} " not in said] == []
    examples = """
import io, sys
from contextlib import redirect_stdout, suppress
from discreet.cli import main
for words in (["demo"], ["check"], ["schema", "draft"], ["publish"], ["query"], ["ledger"], ["verify-noise"]):
    sys.argv = ["discreet", *words, "--help"]
    with suppress(SystemExit), redirect_stdout(io.StringIO()) as out:
        main()
    print("Example" in out.getvalue() and f"discreet {' '.join(words)}" in out.getvalue().split("Example")[1])
sys.argv = ["discreet", "--help"]
"""
    assert process(tmp_path, prelude=examples).stdout.splitlines()[:7] == ["True"] * 7


@pytest.mark.parametrize(
    "arguments", [["publsh"], ["query"], ["query", "x", "--levl", "1"], ["query", "x", "--level", "no"]]
)
def test_a_wrong_call_says_what_is_wrong(cli: Cli, tmp_path: Path, arguments: list[str]) -> None:
    said = cli(tmp_path, *arguments)
    assert said.returncode == 2
    assert "Traceback" not in said.stderr
    assert "Error: " in said.stderr
    assert "help" in said.stderr


# --- demo


def test_demo_tells_the_story_and_leaves_a_folder_to_play_with(town: tuple[Path, str]) -> None:
    here, said = town
    for words in ("20,000 people", "noisy counts for epsilon 1", "95 % interval", "█", "░", "at no cost", "truth"):
        assert words in said
    folder = here / "discreet-demo"
    assert left(here) == ["discreet-demo"]
    assert sorted(path.name for path in folder.iterdir()) == ["by-age", "people.csv", "town.ledger", "town.toml"]
    release = load(folder / "by-age")
    assert release.publishable
    assert abs(release.count().value - 20_000) < 500
    assert [path.name for path in (here / ".tmp").iterdir()] == []


def test_the_commands_that_demo_suggests_work(cli: Cli, town: tuple[Path, str]) -> None:
    here, said = town
    suggested = [line.strip() for line in said.splitlines() if line.startswith("  discreet ")]
    assert len(suggested) == 3
    before = (here / "discreet-demo" / "by-age" / "release.json").read_bytes()
    said = done(cli(here, "query", "discreet-demo/by-age", "--by", "sex,district.side", "age < 18"))
    assert 'discreet query discreet-demo/by-age --by sex,district.side "age < 18"' in suggested
    assert all(word in said for word in ("Female", "Male", "North", "South"))
    account = json.loads(done(cli(here, "ledger", "discreet-demo/town.ledger", "--json")))
    assert (account["dataset"], account["budget"], account["spent"], account["left"]) == ("town", "2", "1", "1")
    again = done(cli(here, "publish", "discreet-demo/town.toml", "by-age", "-o", "discreet-demo/by-age"))
    assert "budget: 1 spent, 1 left" in again
    assert (here / "discreet-demo" / "by-age" / "release.json").read_bytes() == before


def test_demo_never_overwrites(cli: Cli, town: tuple[Path, str], tmp_path: Path) -> None:
    refused(cli(town[0], "demo"), "discreet-demo", "exists already", "--folder")
    (tmp_path / "file").write_text("mine")
    refused(cli(tmp_path, "demo", "--folder", "file/below"), "file")
    assert left(tmp_path) == ["file"]


def test_demo_is_quiet_on_demand_and_copes_with_a_plain_terminal(cli: Cli, tmp_path: Path) -> None:
    assert done(cli(tmp_path, "demo", "--quiet", "-f", "quiet")) == "quiet/by-age\n"
    plain = process(tmp_path, "demo", "-f", "plain", PYTHONUTF8="0", PYTHONIOENCODING="ascii")
    assert "Traceback" not in plain.stderr
    assert plain.returncode == 0
    assert "People by age" in plain.stdout


# --- check


def test_check_of_a_good_spec(cli: Cli, odd: Path) -> None:
    said = done(process(odd, "check", "people.toml"))
    assert "no mistakes" in said
    assert "by-day, dear, days" in said
    assert json.loads(done(cli(odd, "check", "people.toml", "--json"))) == {"spec": "people.toml", "problems": []}


MISTAKES = """\
[data]
source = "people.csv"
delimiter = ";;"
[privacy]
unit = "person"
bugdet = 3
[attributes.age]
kind = "ordinal"
low = 9
high = 0
[attributes.count]
kind = "ordinal"
low = 0
high = 4
[attributes.place]
kind = "nominal"
hierarchy = { north = ["a", "b"], south = ["b"] }
[attributes.edge]
kind = "ordinal"
edges = [0, 5, 5, 9]
[releases.a]
task = "tabel"
by = ["agee"]
epsilon = 0
[releases.b]
task = "table"
by = ["age"]
epsilon = -1
method = "geometrik"
[releases.c]
task = "table"
by = ["age"]
epsilon = nan
[releases.d]
task = "table"
by = ["age"]
epsilon = 1e9
[releases.e]
task = "table"
by = ["age", "count"]
"""


def test_check_names_every_mistake_at_once(cli: Cli, tmp_path: Path) -> None:
    (tmp_path / "bad.toml").write_text(MISTAKES)
    said = cli(tmp_path, "check", "bad.toml", "--json")
    assert said.returncode == 1
    problems = json.loads(said.stdout)["problems"]
    assert [problem for problem in problems if not problem.startswith("bad.toml: [")] == []
    for place, words in (
        ("[data]", "delimiter"),
        ("[privacy]", "max_rows"),
        ("[privacy]", "Did you mean 'budget'?"),
        ("[attributes.age]", "high"),
        ("count", "rename"),
        ("[attributes.place]", "'b'"),
        ("[attributes.edge]", "edges"),
        ("[releases.a]", "Did you mean 'table'?"),
        ("[releases.a]", "Did you mean 'age'?"),
        ("[releases.a]", "epsilon"),
        ("[releases.b]", "epsilon"),
        ("[releases.b]", "Did you mean 'geometric'?"),
        ("[releases.c]", "epsilon"),
        ("[releases.d]", "protects nobody"),
        ("[releases.e]", "epsilon: missing"),
    ):
        assert any(place in problem and words in problem for problem in problems), (place, words, problems)
    text = process(tmp_path, "check", "bad.toml")
    assert text.returncode == 1
    assert text.stdout.splitlines() == problems
    assert text.stderr == f"{len(problems)} mistakes found\n"


def test_check_finds_what_only_the_method_knows(cli: Cli, small: Path) -> None:
    big = DENSE.replace("high = 4", "high = 999_999_999_999").replace("epsilon = 1", "epsilon = 1\nthtea = 2")
    (small / "big.toml").write_text(big)
    said = cli(small, "check", "big.toml")
    assert said.returncode == 1
    assert said.stdout.startswith("big.toml: [releases.a] ")
    (small / "big.toml").write_text(DENSE.replace("high = 4", "high = 999_999_999_999"))
    said = cli(small, "check", "big.toml")
    assert said.returncode == 1
    assert all(word in said.stdout for word in ("2,000,000,000,000 cells", "filter", "threshold", "priority"))


def test_check_of_what_is_no_spec(cli: Cli, tmp_path: Path) -> None:
    (tmp_path / "empty.toml").write_text("")
    (tmp_path / "latin.toml").write_bytes(SMALL.replace('"m"', '"É"').encode("latin-1"))
    (tmp_path / "folder.toml").mkdir()
    for name, words in (
        ("none.toml", "no such file"),
        ("empty.toml", "none declared"),
        ("latin.toml", "line 12 is not UTF-8"),
        ("folder.toml", "cannot be read"),
    ):
        said = cli(tmp_path, "check", name)
        assert said.returncode == 1
        assert said.stdout.startswith(f"{name}: ")
        assert words in said.stdout
        assert "Traceback" not in said.stderr


# --- schema draft


def test_a_draft_is_refused_until_its_mark_is_removed(cli: Cli, small: Path) -> None:
    printed = done(cli(small, "schema", "draft", "people.csv"))
    said = done(process(small, "schema", "draft", "people.csv", "-o", "draft.toml"))
    path = small / "draft.toml"
    assert path.read_text(encoding="utf-8") == printed
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert "Review every domain" in said
    assert "drafted from private data" in done(cli(small, "check", "draft.toml"))

    refused(process(small, "publish", "draft.toml"), "draft.toml", "is a draft", "drafted_from_private_data = true")
    assert left(small) == ["draft.toml", "people.csv", "small.toml"]

    refused(cli(small, "schema", "draft", "people.csv", "-o", "draft.toml"), "draft.toml", "-o")
    path.write_text(printed.replace("drafted_from_private_data = true\n", ""), encoding="utf-8")
    said = done(cli(small, "publish", "draft.toml", "--json"))
    assert json.loads(said)["spent"] == "0.5"
    assert load(small / "example").schema["age"].labels == (1, 2)


@pytest.mark.parametrize(
    ("name", "content", "words"),
    [
        ("none.csv", None, "no such file"),
        ("empty.csv", b"", "is empty"),
        ("broken.parquet", b"PAR1 no more", "cannot be read"),
        ("blank.csv", b"a,b\n,\n", "no column has values"),
    ],
)
def test_what_no_draft_can_be_made_from(cli: Cli, tmp_path: Path, name: str, content: bytes | None, words: str) -> None:
    if content is not None:
        (tmp_path / name).write_bytes(content)
    refused(cli(tmp_path, "schema", "draft", name, "-o", "out.toml"), name, words)
    assert not (tmp_path / "out.toml").exists()


# --- publish


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


DENSE = SMALL.replace("epsilon = 1", 'epsilon = 1\nmethod = "geometric"')


def bad_source(text: str) -> str:
    return SMALL.replace('"people.csv"', f'"{text}"')


@pytest.mark.parametrize(
    ("spec", "words"),
    [
        (bad_source("none.csv"), ["none.csv", "no such file"]),
        (bad_source("none*.csv"), ["none*.csv", "no file matches"]),
        (bad_source("empty.csv"), ["empty.csv", "is empty"]),
        (bad_source("folder.csv"), ["folder.csv", "is a folder"]),
        (bad_source("people.xlsx"), ["people.xlsx", ".parquet"]),
        (bad_source("semicolons.csv"), ["semicolons.csv", "delimiter"]),
        (bad_source("twice.csv"), ["twice.csv", "same name"]),
        (bad_source("other.csv"), ["other.csv", "no column 'sex'", "Did you mean 'sexe'?"]),
        (bad_source("broken.parquet"), ["broken.parquet", "Parquet"]),
        (SMALL.replace('source = "people.csv"', ""), ["[data] source", "missing"]),
        (SMALL.replace('"age", "sex"]', '"age", "sexx"]'), ["[releases.a] by", "'sexx'", "Did you mean 'sex'?"]),
        (SMALL.replace("epsilon = 1", "epsilon = 0"), ["[releases.a] epsilon", "above zero"]),
        (SMALL.replace("epsilon = 1", "epsilon = -0.5"), ["[releases.a] epsilon", "above zero"]),
        (SMALL.replace("epsilon = 1", "epsilon = nan"), ["[releases.a] epsilon"]),
        (SMALL.replace("epsilon = 1", "epsilon = 1e9").replace("budget = 3", ""), ["[releases.a] epsilon", "protects"]),
        (SMALL.replace("epsilon = 1", "epsilon = 1e-40"), ["scale", "raise epsilon"]),
        (DENSE.replace("high = 4", "high = 499_999_999_999"), ["1,000,000,000,000 cells", "filter", "priority"]),
        (SMALL.replace("sex", "count"), ["small.toml", "count", "rename"]),
        (SMALL.replace('ledger = "small.ledger"', 'ledger = "no/where.ledger"'), ["where.ledger", "folder"]),
        (SMALL.replace('ledger = "small.ledger"', 'ledger = "people.csv"'), ["people.csv", "not a Discreet ledger"]),
        (SMALL.replace("epsilon = 1", 'epsilon = 1\nmethod = "sketchy"'), ["'sketchy'", "geometric"]),
    ],
)
def test_publish_refuses_bad_input_before_it_costs(cli: Cli, small: Path, spec: str, words: list[str]) -> None:
    (small / "empty.csv").write_text("")
    (small / "folder.csv").mkdir()
    (small / "people.xlsx").write_bytes(b"PK")
    (small / "semicolons.csv").write_text("age;sex\n1;f\n")
    (small / "twice.csv").write_text("age,sex,sex\n1,f,f\n")
    (small / "other.csv").write_text("age,sexe\n1,f\n")
    (small / "broken.parquet").write_bytes(b"PAR1 and no more")
    (small / "small.toml").write_text(spec)
    before = left(small)
    refused(cli(small, "publish", "small.toml", "a"), *words)
    assert [name for name in left(small) if name not in before] in ([], ["small.ledger"])
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
    (small / "small.toml").write_text(SMALL.replace('ledger = "small.ledger"', ""))
    assert "kept in memory only: name a ledger in the spec" in done(cli(small, "publish", "small.toml"))
    assert left(small) == ["a", "people.csv", "small.toml"]


# --- query


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


def test_query_groups_as_json(cli: Cli, odd: Path) -> None:
    """Dates have no type of their own in JSON."""
    answers = json.loads(done(cli(odd, "query", "by-day", "--by", "day", "\"no[/te]\" != 'plain'", "--json")))
    expected = load(odd / "by-day").table("day", "\"no[/te]\" != 'plain'").to_dicts()
    assert answers == [{**row, "day": row["day"].isoformat()} for row in expected]


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
        (["."], ["release.json"]),
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


# --- ledger


def test_ledger_shows_the_account(cli: Cli, odd: Path) -> None:
    said = done(process(odd, "ledger", "people.ledger"))
    for words in ("peo[/ple]: 1 spent, of 3, 2 left", "charge", "release-recorded", "by-day", "opened, cap 3"):
        assert words in said
    account = json.loads(done(cli(odd, "ledger", "people.ledger", "--json")))
    ledger = Ledger.read(odd / "people.ledger")
    assert account["head"] == ledger.head()
    assert [entry["kind"] for entry in account["entries"]] == ["opened", "charge", "release-recorded"]
    assert account["entries"][1]["epsilon"] == "1"
    assert account["entries"][1]["release"] == "by-day"
    assert account["entries"][1]["what"].startswith("Table(['day'")
    assert account["entries"][1]["who"] == ledger.entries()[1].who


@pytest.mark.parametrize("as_json", [False, True])
def test_ledger_refuses_what_is_none(cli: Cli, odd: Path, tmp_path: Path, as_json: bool) -> None:
    flags = ["--json"] if as_json else []
    (tmp_path / "text").write_text("no ledger\n" * 100)
    refused(cli(tmp_path, "ledger", "none", *flags), "none")
    refused(cli(tmp_path, "ledger", "text", *flags), "text is not a Discreet ledger")
    assert (tmp_path / "text").read_text() == "no ledger\n" * 100
    shutil.copy(odd / "people.ledger", tmp_path / "changed")
    with closing(sqlite3.connect(tmp_path / "changed", isolation_level=None)) as connection:
        connection.execute("DROP TRIGGER no_update")
        connection.execute("UPDATE entries SET nano = 1 WHERE kind = 'charge'")
    said = cli(tmp_path, "ledger", "changed", *flags)
    assert said.returncode == 2
    assert "Traceback" not in said.stderr
    assert "changed by hand or damaged" in said.stderr


# --- verify-noise


def test_verify_noise(cli: Cli, tmp_path: Path) -> None:
    said = done(process(tmp_path, "verify-noise", "--epsilon", "0.37"))
    assert "EXACT" in said
    assert "epsilon 0.37, sensitivity 1" in said
    verdict = json.loads(done(cli(tmp_path, "verify-noise", "--epsilon", "1/3", "--sensitivity", "2", "--json")))
    assert (verdict["epsilon"], verdict["sensitivity"], verdict["passed"]) == ("1/3", "2", True)
    assert verdict["true_epsilon"] <= 1 / 3
    assert all(check["wrong"] == 0 < check["looked_at"] for check in verdict["checks"])


@pytest.mark.parametrize("epsilon", ["0", "-1", "nan", "1e-30", "much"])
def test_verify_noise_of_no_epsilon(cli: Cli, tmp_path: Path, epsilon: str) -> None:
    refused(cli(tmp_path, "verify-noise", f"--epsilon={epsilon}"))
