"""The page about asking a release runs as it stands, after the demo, and prints what it shows, up to the noise."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import discreet
from docs_site.__main__ import DOCS
from docs_site.running import reader, run_page

PAGE = DOCS / "asking.md"


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


def test_the_page_runs(tmp_path: Path) -> None:
    with reader(tmp_path):
        run_page("```sh\ndiscreet demo --quiet\n```\n", "demo")
        publish_more()
        assert run_page(PAGE.read_text(encoding="utf-8"), PAGE.name) > 15
    written = {path.name for path in tmp_path.iterdir()}
    assert written >= {"ages.csv", "ages.xlsx", "ages.parquet", "ages.svg", "map.svg", "curves.svg", "ages-again.svg"}
