"""The page of the spec on how columns are read: its TOML and its Python are one schema, and read the same rows."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pandas as pd
import pytest

import discreet
from discreet.cli.describing import run_check
from discreet.spec import check_spec, load_spec
from tests.unit.spec.spec_text import dump_spec

PAGE = (Path(__file__).parents[3] / "docs" / "spec.md").read_text(encoding="utf-8")
SECTION = PAGE[PAGE.index("## How a column is read") : PAGE.index("## What `check` finds")]
BLOCKS = ["440010301001008", "440010301003019", "440070101002000"]
ROWS = [
    ("12/1/2010 8:26", "85123A", "F", "90+", BLOCKS[0]),
    ("12/4/2010 18:05", "71053", "male", "17", BLOCKS[1]),
    ("1/31/2011 0:00", "22", "M", "18", BLOCKS[2]),
    ("13/1/2010 8:26", "85123A", "F", "40", BLOCKS[0]),
]
COLUMNS = ["InvoiceDate", "StockCode", "sex", "age", "block"]


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    text = re.search(r"```toml\n(.*?)```", SECTION, re.DOTALL)
    assert text is not None
    (tmp_path / "sales.toml").write_text(text[1], encoding="utf-8")
    (tmp_path / "blocks.csv").write_text("block\n" + "\n".join(BLOCKS) + "\n", encoding="utf-8")
    pd.DataFrame(ROWS, columns=COLUMNS).to_csv("sales.csv", index=False)
    return tmp_path


def test_both_ways_to_write_it_are_one_schema(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    code = re.search(r"```python\n(.*?)```", SECTION, re.DOTALL)
    assert code is not None
    names: dict[str, Any] = {}
    exec(code[1], names)
    spec = load_spec("sales.toml")
    assert spec.schema == names["schema"]
    Path("again.toml").write_text(dump_spec(spec), encoding="utf-8")
    assert load_spec("again.toml").schema == spec.schema
    run_check(folder / "sales.toml", as_json=False)
    assert "no mistakes" in capsys.readouterr().out


def test_the_rows_are_read_alike_from_a_file_and_from_a_frame(folder: Path) -> None:
    schema = load_spec("sales.toml").schema
    frame = pd.read_csv(folder / "sales.csv", dtype={"block": str})
    for source in ("sales.csv", frame):
        data = discreet.open(source, schema)
        release = data.publish(discreet.Table(list(schema), method="filter", theta=1), 10_000)
        for where, expected in {
            "day = '2010-12-01..2010-12-31'": 2,
            "weekday = 'weekend'": 1,
            "weekday = 'Wed' and hour = 8": 1,
            "kind = '85'": 1,
            "kind = 'other'": 1,
            "sex = 'FEMALE'": 1,
            "age = 90 and age_group = '65-90'": 1,
            "age < 18": 1,
            "block = '44001'": 2,
            "block = '44007010100'": 1,
            "hour = 0": 1,
        }.items():
            assert release.count(where).measured == expected, where


def test_the_mistake_on_the_page_is_that_of_check(tmp_path: Path) -> None:
    text = re.search(r"```json\n(.*?)```", PAGE, re.DOTALL)
    assert text is not None
    (tmp_path / "x.toml").write_text("[attributes.age]\nkind = 'ordinal'\nlow = 17\nhigh = 90\nwidth = 10\n")
    (problem,) = check_spec(tmp_path / "x.toml")
    assert json.loads(text[1]) == problem.to_dict()
