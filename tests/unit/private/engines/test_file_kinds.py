"""JSON lines, Excel and tables with a log: what each line, cell and file becomes, and what is refused."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

import deltalake
import openpyxl
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from pyarrow.feather import write_feather

from discreet.errors import SourceError
from discreet.privacy import Unit
from discreet.private.draft import draft_spec
from discreet.private.engines.counting_query import count
from discreet.private.engines.opening import open_source
from discreet.schema import Nominal, Ordinal, Schema
from tests.unit.private.engines.plain_counting import ROW, SALT, shown

CANARY = "canary7531902468"
#: cells 0 to 9, 10 for a value outside, and no cell for a null
DIGIT = Schema(x=Ordinal(0, 9, outside="other", null="drop"))


def in_cells(source: Any, schema: Schema = DIGIT) -> dict[Any, int]:
    return {cell: number for (cell,), number in shown(count(source, schema, ROW, salt=SALT)).items()}


def refused(source: Any, match: str) -> None:
    with pytest.raises(SourceError, match=match) as caught:
        open_source(source)
    assert CANARY not in str(caught.value)


def lines(folder: Path, *more: str | bytes) -> Path:
    raw = [line if isinstance(line, bytes) else line.encode() for line in ('{"x": null}', *more)]
    (folder / "rows.jsonl").write_bytes(b"\n".join(raw))
    return folder / "rows.jsonl"


# --- JSON lines -----------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("line", "cells"),
    [
        ('{"x": 5}', {5: 1}),
        ('{"x": 5.0}', {5: 1}),
        ('{"x": 5e0}', {5: 1}),
        ('{"x": "5"}', {5: 1}),
        ('  {"y": [1], "x": -0.0} \r', {0: 1}),
        ('{"x": 1e400}', {10: 1}),
        ('{"x": 123456789012345678901234567890}', {10: 1}),
        ('{"x": "many"}', {10: 1}),
        ('{"x": [5]}', {10: 1}),
        ('{"x": {"x": 5}}', {10: 1}),
        ('{"x": true}', {10: 1}),
        (b'{"x": "5\xff"}', {10: 1}),
        ('{"x": "\\u0000"}', {10: 1}),
        ('{"x": NaN}', {}),
        ('{"x": ""}', {}),
        ('{"X": 5}', {}),
        ("{}", {}),
        ("null", {}),
        ("5", {}),
        ("[5]", {}),
        ('"x"', {}),
        ('{"x": 5', {}),
        ('{"x": "\\ud800"}', {}),
        ('{"x": 5} {"x": 6}', {}),
        ("[" * 100_000, {}),
        ("\u00a0", {}),
    ],
)
def test_a_line_counts_by_itself(line: str | bytes, cells: dict[int, int], tmp_path: Path) -> None:
    """Whatever it holds, the lines around it are read as they were."""
    around = '{"x": 7}'
    assert in_cells(lines(tmp_path, around, line, around)) == {7: 2, **cells}


def test_fields_with_hard_names_and_long_lines(tmp_path: Path) -> None:
    names = ["a/b", "m~n", 'say "hi"', "O'Brien", "$.x", "0", "sélect"]
    row = {name: place for place, name in enumerate(names)}
    text = "\n".join([json.dumps(row), json.dumps({**row, "long": "z" * 9_000_000}), "[0, 1, 2]"])
    (tmp_path / "rows.ndjson").write_text("\ufeff" + text, encoding="utf-8")
    schema = Schema({name: Ordinal(0, 9) for name in names})
    assert shown(count(tmp_path / "rows.ndjson", schema, ROW, salt=SALT)) == {tuple(range(len(names))): 2}


def test_numbers_in_json_are_the_same_labels_and_users_as_elsewhere(tmp_path: Path) -> None:
    rows = ['{"x": 1.0, "u": 1}', '{"x": "1", "u": "1.0"}', '{"x": true, "u": null}', '{"x": 1.5, "u": 2}']
    (tmp_path / "rows.jsonl").write_text("\n".join(rows))
    schema = Schema(x=Nominal(["1", "true", "1.5"]))
    assert in_cells(tmp_path / "rows.jsonl", schema) == {0: 2, 1: 1, 2: 1}
    assert shown(count(tmp_path / "rows.jsonl", schema, Unit("u", 1), salt=SALT)) == {(0,): 1, (2,): 1}


def test_json_that_is_not_in_lines(tmp_path: Path) -> None:
    for text in ("[", f'["{CANARY}"]', f'{{"{CANARY}": ', "{}", CANARY, "[" * 100_000):
        (tmp_path / "rows.jsonl").write_text(text + "\n")
        refused(tmp_path / "rows.jsonl", "first line is no JSON object")
    for text in ("", "\n \r\n"):
        (tmp_path / "rows.jsonl").write_text(text)
        refused(tmp_path / "rows.jsonl", "is empty")
    (tmp_path / "rows.jsonl.gz").write_bytes(b"\x1f\x8b\x08 but then nothing")
    refused(tmp_path / "rows.jsonl.gz", "complete file of JSON lines")
    refused([lines(tmp_path), tmp_path / "rows.jsonl.gz"], "complete file of JSON lines")


def test_drafts_of_rows_that_come_as_a_stream(tmp_path: Path) -> None:
    values = [place % 7 for place in range(99)]
    write_feather(pa.table({"x": values, "y": values}), str(tmp_path / "rows.feather"))
    files = (
        lines(tmp_path, *(f'{{"x": {value}}}' for value in values)),
        book(tmp_path, ["x", "y"], *([value, value] for value in values)),
        tmp_path / "rows.feather",
    )
    for file in files:
        assert '[attributes.x]\nkind = "ordinal"\nlow = 0\nhigh = 6' in draft_spec(file)


# --- Excel ----------------------------------------------------------------------------------------------------


def book(folder: Path, *rows: list[Any]) -> Path:
    made = openpyxl.Workbook()
    for row in rows:
        made.active.append(row)
    made.save(folder / "rows.xlsx")
    return folder / "rows.xlsx"


def test_cells_of_excel(tmp_path: Path) -> None:
    path = book(tmp_path, [" x ", None, "u"], [5, "no name", 1], [5.0], [], ["5"], ["#N/A"], ["=1+1"], ["many"], [True])
    assert open_source(path).columns == ["x", "", "u"]
    assert in_cells(path) == {5: 3, 10: 2}


def test_excel_that_cannot_be_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    refused(tmp_path / "none.xlsx", "there is no such file")
    (tmp_path / "half.xlsx").write_bytes(book(tmp_path, ["x"], [CANARY]).read_bytes()[:999])
    refused(tmp_path / "half.xlsx", "complete Excel file")
    refused(f"{tmp_path}/rows.xlsx::visits", "no sheet 'visits'; it has: Sheet")
    refused([tmp_path / "rows.xlsx"] * 2, "together with others")
    refused(book(tmp_path), "is empty")
    monkeypatch.setitem(sys.modules, "python_calamine", None)
    refused(tmp_path / "rows.xlsx", r"discreet\[excel\]")


# --- tables with a log ------------------------------------------------------------------------------------------


def test_rows_that_a_log_removed_do_not_count(tmp_path: Path) -> None:
    folder = tmp_path / "rows"
    deltalake.write_deltalake(folder, pa.table({"x": [1, 2, 2]}))
    deltalake.DeltaTable(folder).delete("x = 2")
    assert in_cells(folder) == {1: 1}
    assert in_cells(str(folder) + "/") == {1: 1}
    refused(str(folder / "*.parquet"), "is a Delta table.*its folder as a whole")
    refused([folder, folder], "is a Delta table")
    refused(next(folder.glob("*.parquet")), "is a Delta table")


@pytest.mark.parametrize("feature", ["deletionVectors", "columnMapping", "from the future"])
def test_delta_beyond_its_reader(feature: str, tmp_path: Path) -> None:
    deltalake.write_deltalake(tmp_path / "rows", pa.table({"x": [1]}))
    needs = {"minReaderVersion": 3, "minWriterVersion": 7, "readerFeatures": [feature], "writerFeatures": [feature]}
    (tmp_path / "rows/_delta_log/00000000000000000001.json").write_text(json.dumps({"protocol": needs}))
    refused(tmp_path / "rows", "this Delta table cannot be read")


def test_delta_without_its_reader_or_its_log(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "rows/_delta_log").mkdir(parents=True)
    pq.write_table(pa.table({"x": [1]}), tmp_path / "rows/1.parquet")
    refused(tmp_path / "rows", "this Delta table cannot be read")
    monkeypatch.setitem(sys.modules, "deltalake", None)
    refused(tmp_path / "rows", r"discreet\[delta\]")


@pytest.mark.parametrize(("mark", "kind"), [("metadata/v1.metadata.json", "Iceberg"), (".hoodie/x", "Hudi")])
def test_other_tables_with_a_log_are_refused(mark: str, kind: str, tmp_path: Path) -> None:
    folder = tmp_path / "rows"
    for path in (folder / "data", (folder / mark).parent):
        path.mkdir(parents=True)
    pq.write_table(pa.table({"x": [1]}), folder / "data/1.parquet")
    (folder / mark).write_text("{}")
    for source in (folder, folder / "data", folder / "data/1.parquet", str(folder / "*/*.parquet")):
        refused(source, f"{kind} table, whose files also have rows that it dropped")
