"""The page "asking a release" runs, block after block, and prints what it shows, up to the noise."""

from __future__ import annotations

import re
import shlex
import sys
from pathlib import Path

import pytest

import discreet
from discreet.__main__ import main
from discreet.cli.demo import run

PAGE = (Path(__file__).parents[2] / "docs" / "asking.md").read_text(encoding="utf-8")
BLOCK = re.compile(r"```(\w*)\n(.*?)```", re.DOTALL)


@pytest.fixture
def town(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Path:
    """The demo, a second release of it, and one of the year before, when there were fewer."""
    monkeypatch.chdir(tmp_path)
    run(Path("discreet-demo"), True)
    spec = discreet.load_spec("discreet-demo/town.toml")
    pairs = discreet.Marginals(["age", "sex", "district"], ways=2)
    source = Path("discreet-demo/people.csv")
    now = discreet.open(
        source, spec.schema, dataset=spec.dataset, ledger="discreet-demo/town.ledger", budget=spec.budget
    )
    now.publish(pairs, "0.5", name="pairs", to="discreet-demo/pairs")
    Path("last-year").mkdir()
    lines = source.read_text().splitlines(keepends=True)
    Path("last-year/people.csv").write_text(
        "".join(line for place, line in enumerate(lines) if place == 0 or place % 11)
    )
    before = discreet.open("last-year/people.csv", spec.schema, dataset=spec.dataset, ledger="last-year/town.ledger")
    before.publish(discreet.Table(["age", "sex", "district"]), 1, name="by-age", to="last-year/by-age")
    capsys.readouterr()
    return tmp_path


def test_every_example_runs(town: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    known: dict[str, object] = {}
    printed, ran = "", {"python": 0, "sh": 0, "": 0}
    for language, text in BLOCK.findall(PAGE):
        ran[language] += 1
        if language == "python":
            exec(text, known)
            printed = capsys.readouterr().out
        elif language == "sh":
            for line in text.splitlines():
                monkeypatch.setattr(sys, "argv", shlex.split(line))
                with pytest.raises(SystemExit) as end:
                    main()
                assert not end.value.code, line
                assert capsys.readouterr().out, line
        else:
            pattern = re.sub(r"-?\d[\d,]*(\\\.\d+)?", r"-?[\\d,.]+", re.escape(text.strip()))
            assert re.fullmatch(pattern, printed.strip()), printed
    assert min(ran.values()) > 2
