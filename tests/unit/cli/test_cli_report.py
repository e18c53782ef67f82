"""`discreet report`: the page, its verdict as an exit code, and an entry for the registry."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

import discreet
from discreet.__main__ import main
from discreet.report import rendered

SCHEMA = discreet.Schema(age=discreet.Ordinal(0, 4))


@pytest.fixture
def made(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    data = discreet.from_counts(SCHEMA, [[1]], [5], ledger=tmp_path / "l", budget=1)
    data.publish(discreet.Table("age"), "0.5", name="r", to=tmp_path / "r")
    return tmp_path


def run(*arguments: str) -> int:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("sys.argv", ["discreet", "report", *arguments])
        try:
            main()
        except SystemExit as ended:
            return int(ended.code or 0)
    return 0


def test_it_writes_the_page_and_the_entry(made: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run("r", "--ledger", "l", "--registry", "entry.yaml") == 0
    assert capsys.readouterr().out == "report.html: all checks passed\n"
    assert (made / "report.html").read_text(encoding="utf-8") == rendered("r", ledger="l")
    assert "Pure DP" in (made / "entry.yaml").read_text(encoding="utf-8")
    assert run("r", "-o", "other.html") == 0
    assert "not checked: it was charged to a ledger that remembers" in capsys.readouterr().out


def test_something_wrong_is_code_1_and_a_page_all_the_same(made: Path, capsys: pytest.CaptureFixture[str]) -> None:
    table = made / "r" / "table.parquet"
    table.write_bytes(table.read_bytes() + b"x")
    assert run("r", "--ledger", "l", "--json", "--registry", "entry.yaml") == 1
    assert json.loads(capsys.readouterr().out)["verdict"] == "failed"
    assert "Do not sign" in (made / "report.html").read_text(encoding="utf-8")
    assert not (made / "entry.yaml").exists()


@pytest.mark.parametrize(
    "wrong", [["nothing"], ["r", "--ledger", "no"], ["r", "--audit", "no"], ["r", "-o", "x/y.html"]]
)
def test_what_is_not_there_is_code_2(made: Path, capsys: pytest.CaptureFixture[str], wrong: list[str]) -> None:
    assert run(*wrong) == 2
    assert capsys.readouterr().err.startswith("discreet: ")
