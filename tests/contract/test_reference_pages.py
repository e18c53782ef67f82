"""Blocks of reference pages run where a reader has what the page is about: a spec, rows, a release, a database."""

from __future__ import annotations

import os
import shlex
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import discreet
from docs_site.__main__ import DOCS, PROJECT
from docs_site.running import lines_of, reader, run_page
from tests.contract.test_pages import PAGES, TUTORIALS

AGES = discreet.Schema(age=discreet.Ordinal(0, 99), ward=discreet.Nominal(["A", "B", "C"]))
WARDS = """
[data]
source = "{rows}"

[privacy]
unit = "row"
budget = 3.0
ledger = "wards.ledger"

[attributes.age]
kind = "ordinal"
low = 0
high = 99

[attributes.ward]
kind = "nominal"
values = ["A", "B", "C"]

[releases.by-age]
task = "table"
by = ["age", "ward"]
epsilon = 0.5
guess = {{ rows = 50000 }}
within = {{ error = 50, share = 0.95 }}
"""


def answers() -> dict[str, Any]:
    """The demo's release, all pairs of its attributes, and a table that agrees with the sizes of two districts."""
    report()
    town = discreet.load_spec("discreet-demo/town.toml")
    data = discreet.open("discreet-demo/people.csv", town.schema)
    totals = [{"where": f"district = '{name}'", "count": count} for name, count in (("Mill", 4631), ("Hills", 6455))]
    return {
        "release": discreet.load("discreet-demo/by-age"),
        "pairs": data.publish(discreet.Marginals(ways=2), 1),
        "known": data.publish(discreet.Table(["district", "age"], method="geometric", known=totals), "0.1"),
    }


def audit() -> dict[str, Any]:
    report()
    held = discreet.from_counts(AGES, np.argwhere(np.ones((100, 3), np.int64)), np.full(300, 40), ledger="town.ledger")
    held.publish(discreet.Table(["age"]), 1, name="by-age", to="out/by-age")
    return {"discreet": discreet, "schema": AGES}


def periods() -> dict[str, Any]:
    days = [f"2026-{month:02}-{day:02}" for month in (10, 11) for day in range(1, 29)]
    rows = [f"{day},{country}" for day in days for country in ("DE", "FR", "NL")]
    Path("sales.csv").write_text("\n".join(["day,country", *rows, ""]), encoding="utf-8")
    schema = discreet.Schema(
        day=discreet.Ordinal("2026-01-01", "2027-12-31"), country=discreet.Nominal(["DE", "FR", "NL"])
    )
    return {"discreet": discreet, "schema": schema}


def plan() -> dict[str, Any]:
    Path("adult.toml").write_text(WARDS.format(rows="nowhere.csv"), encoding="utf-8")
    Path("questions.csv").write_text("age,ward\n18..65,A\n0..17,\n", encoding="utf-8")
    return {}


def report() -> dict[str, Any]:
    from discreet.cli.demo import run

    run(Path("discreet-demo"), quiet=True)
    return {}


def rows() -> dict[str, Any]:
    codes = np.argwhere(np.ones((100, 3), np.int64))
    data = discreet.from_counts(AGES, codes, np.full(300, 40))
    release = data.publish(discreet.Marginals(ways=2), 1, to="out/pairs")
    return {"release": release}


def spec() -> dict[str, Any]:
    Path("blocks.csv").write_text(
        "block,tract,county\n440010301001000,44001030100,44001\n440030301001000,44003030100,44003\n", encoding="utf-8"
    )
    films = [f"film {number}" for number in range(30)]
    Path("films.csv").write_text("\n".join(["film", *films, ""]), encoding="utf-8")
    dice = np.random.default_rng(1)
    made = {
        "patient": dice.integers(0, 200, 600),
        "age": dice.integers(0, 100, 600),
        "weight": dice.uniform(40, 140, 600),
        "day": np.datetime64("2024-01-01") + dice.integers(0, 366, 600),
        "income": dice.uniform(0, 1e6, 600),
        "hours": dice.integers(0, 100, 600),
        "ward": dice.choice(["A", "B", "C"], 600),
        "home": dice.choice(["Harbour", "Old Town", "Hills"], 600),
        "block": dice.choice(["440010301001000", "440030301001000"], 600),
        "film": dice.choice(films, 600),
    }
    pq.write_table(pa.table(made), "visits-1.parquet")
    return {}


PREPARED: dict[str, Callable[[], dict[str, Any]]] = {
    "answers": answers,
    "audit": audit,
    "periods": periods,
    "plan": plan,
    "report": report,
    "rows": rows,
    "spec": spec,
}

CARDS = sorted(path.stem for path in (DOCS / "mechanisms").glob("*.md"))


@pytest.mark.parametrize("page", PREPARED)
def test_the_page_runs(page: str, tmp_path: Path) -> None:
    with reader(tmp_path):
        assert run_page((DOCS / f"{page}.md").read_text(encoding="utf-8"), page, PREPARED[page]()) > 1


def test_the_page_of_benchmarks_runs(tmp_path: Path) -> None:
    def shell(code: str) -> None:
        for line in lines_of(code):
            words = shlex.split(line, comments=True)
            assert words[:3] == ["python", "-m", "benchmarks"]
            command = [sys.executable, *words[1:]]
            done = subprocess.run(command, cwd=PROJECT, env={**os.environ, "PYTHONPATH": str(PROJECT / "src")})
            assert done.returncode == 0

    page = (DOCS / "benchmarks.md").read_text(encoding="utf-8")
    assert run_page(page, "benchmarks", ways={"sh": shell}) == 1


@pytest.mark.parametrize("card", CARDS)
def test_examples_of_the_card_are_tasks(card: str) -> None:
    page = (DOCS / "mechanisms" / f"{card}.md").read_text(encoding="utf-8")
    assert run_page(page, card, {"discreet": discreet}) == 1


def test_every_page_with_blocks_is_run() -> None:
    """Here, or in `test_sources_page.py`, `test_web_page.py`, `test_pages.py` and `test_asking.py`.

    Of `index` the one block is compared with the README's, since it installs.
    """
    here = {*PREPARED, "index", "sources", "web", "benchmarks", *(f"mechanisms/{card}" for card in CARDS)}
    elsewhere = {path.relative_to(DOCS).with_suffix("").as_posix() for path in [*PAGES, *TUTORIALS]} | {"asking"}
    pages = {path.relative_to(DOCS).with_suffix("").as_posix(): path for path in DOCS.rglob("*.md")}
    fenced = {name for name, path in pages.items() if "```" in path.read_text(encoding="utf-8")}
    assert here | elsewhere == fenced
