"""The page about asking a release runs as it stands, after the demo, and prints what it shows, up to the noise."""

from __future__ import annotations

import contextlib
import io
import re
import shlex
import sys
from pathlib import Path
from typing import Any

import pytest

import discreet
from discreet.__main__ import main

PAGE = Path(__file__).parents[2] / "docs" / "asking.md"


def masked(text: str) -> list[list[str]]:
    """Its words, numbers and widths of columns aside, and places that older parsers of SQL do not keep."""
    text = re.sub(r", line \d+, position \d+", "", text)
    return [re.sub(r"[0-9][0-9,]*(\.[0-9]+)?", "#", line).split() for line in text.strip().splitlines()]


def blocks(text: str) -> list[tuple[str, str, str | None]]:
    """Every block that is run: its language, its text, and what it prints, if the page shows that."""
    found = re.findall(r"^```(python|sh)\n(.*?)^```\n(?:\n```\n(.*?)^```\n)?", text, re.DOTALL | re.MULTILINE)
    return [(language, code, shown or None) for language, code, shown in found]


def printed(language: str, code: str, names: dict[str, object], monkeypatch: pytest.MonkeyPatch) -> str:
    out = io.StringIO()
    with contextlib.redirect_stdout(out):
        if language == "python":
            exec(compile(code, str(PAGE), "exec"), names)
        else:
            for line in code.splitlines():
                monkeypatch.setattr(sys, "argv", shlex.split(line))
                with pytest.raises(SystemExit) as left:
                    main()
                assert not left.value.code, line
    return out.getvalue()


def publish_more() -> None:
    """A second release of the demo, and one of the year before, when there were fewer people."""
    spec, source = discreet.load_spec("discreet-demo/town.toml"), Path("discreet-demo/people.csv")
    about: Any = {"dataset": spec.dataset, "ledger": "discreet-demo/town.ledger", "budget": spec.budget}
    pairs = discreet.Marginals(["age", "sex", "district"], ways=2)
    discreet.open(source, spec.schema, **about).publish(pairs, "0.5", name="pairs", to="discreet-demo/pairs")
    Path("last-year").mkdir()
    lines = source.read_text().splitlines(keepends=True)
    fewer = "".join(line for place, line in enumerate(lines) if place == 0 or place % 11)
    Path("last-year/people.csv").write_text(fewer)
    before = discreet.open("last-year/people.csv", spec.schema, dataset=spec.dataset, ledger="last-year/town.ledger")
    before.publish(discreet.Table(["age", "sex", "district"]), 1, name="by-age", to="last-year/by-age")


def test_the_page_runs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    names: dict[str, object] = {}
    printed("sh", "discreet demo --quiet", names, monkeypatch)
    publish_more()
    run = blocks(PAGE.read_text(encoding="utf-8"))
    assert len(run) > 15
    for language, code, shown in run:
        said = printed(language, code, names, monkeypatch)
        if "-o " not in code and "save(" not in code:
            assert said.strip(), code
        assert shown is None or masked(said) == masked(shown), code
    written = {path.name for path in tmp_path.iterdir()}
    assert written >= {"ages.csv", "ages.xlsx", "ages.parquet", "ages.svg", "map.svg", "curves.svg", "ages-again.svg"}
