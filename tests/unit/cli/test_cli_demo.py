"""The command `demo`: the story it tells, the folder it leaves, and the commands it suggests."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from discreet.release import load
from tests.unit.cli import cli_runs
from tests.unit.cli.cli_runs import Cli, done, left, process, refused

cli = cli_runs.cli  # a fixture


@pytest.fixture(scope="module")
def town(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, str]:
    here = tmp_path_factory.mktemp("town")
    return here, done(process(here, "demo"))


def test_demo_tells_the_story_and_leaves_a_folder_to_play_with(town: tuple[Path, str]) -> None:
    here, said = town
    for words in ("20,000 people", "noisy counts for epsilon 1", "95 % interval", "█", "░", "at no cost", "truth"):
        assert words in said
    folder = here / "discreet-demo"
    assert left(here) == ["discreet-demo"]
    names = ["by-age", "people.csv", "town.ledger", "town.ledger.heads", "town.toml"]
    assert sorted(path.name for path in folder.iterdir()) == names
    release = load(folder / "by-age")
    assert release.publishable
    assert abs(release.count().value - 20_000) < 500
    assert [path.name for path in (here / ".tmp").iterdir()] == []


def test_the_commands_that_demo_suggests_work(cli: Cli, town: tuple[Path, str]) -> None:
    here, said = town
    suggested = [line.strip() for line in said.splitlines() if line.startswith("  discreet ")]
    assert len(suggested) == 4
    before = (here / "discreet-demo" / "by-age" / "release.json").read_bytes()
    said = done(cli(here, "query", "discreet-demo/by-age", "--by", "sex,district.side", "age < 18"))
    assert 'discreet query discreet-demo/by-age --by sex,district.side "age < 18"' in suggested
    assert all(word in said for word in ("Female", "Male", "North", "South"))
    account = json.loads(done(cli(here, "ledger", "discreet-demo/town.ledger", "--json")))
    assert (account["dataset"], account["budget"], account["spent"], account["left"]) == ("town", "2", "1", "1")
    again = done(cli(here, "publish", "discreet-demo/town.toml", "by-age", "-o", "discreet-demo/by-age"))
    assert "budget: 1 spent, 1 left" in again
    assert (here / "discreet-demo" / "by-age" / "release.json").read_bytes() == before
    report = next(line for line in suggested if line.startswith("discreet report ")).partition("   ")[0].split()[1:]
    assert done(cli(here, *report)) == "discreet-demo/report.html: all checks passed\n"


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
