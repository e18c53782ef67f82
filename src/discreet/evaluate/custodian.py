"""An evaluation as files for the custodian: a table, and a page with charts. All of it is private."""

from __future__ import annotations

import csv
import html
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from discreet.evaluate.error_charts import svg_charts
from discreet.evaluate.error_measures import CLASSES, Json

MARK = "PRIVATE. Errors against the true counts: as confidential as the data. Never publish, never put into a release."
MEASURES = (
    *("absolute", "relative", "squared", "covered", "covered of all", "width", "bounds", "divergence"),
    *("top", *(f"absolute, {name}" for name in CLASSES), *(f"covered, {name}" for name in CLASSES)),
)
#: what its terms mean
TERMS = (
    "covered: how often the 95 % interval holds the count that the declared rules give; of all: the count of all rows, "
    "also those that a bound per user leaves out. heavy: the largest counts, which hold half of all records; rare: "
    "others that are not empty; roll-up: sums of several counts of the release."
)


def summarised(lines: Sequence[Json]) -> list[Json]:
    """Mean and standard error over trials, for each workload, method and epsilon."""
    groups: dict[tuple[str, str, str], list[Json]] = {}
    for line in lines:
        if "workload" in line and "absolute" in line:
            groups.setdefault((line["workload"], line["method"], line["epsilon"]), []).append(_flat(line))
    table = []
    for (workload, method, epsilon), mine in groups.items():
        row: Json = {"workload": workload, "method": method, "epsilon": epsilon, "trials": len(mine)}
        for measure in MEASURES:
            values = [line[measure] for line in mine if measure in line]
            if values:
                row[measure] = float(np.mean(values))
                row[f"{measure} se"] = float(np.std(values, ddof=1) / len(values) ** 0.5) if len(values) > 1 else 0.0
        table.append(row)
    return table


def _flat(line: Json) -> Json:
    """With the measures of each class beside the others."""
    by_class = line.get("by class", {})
    return {**line, **{f"{key}, {name}": value for name, mine in by_class.items() for key, value in mine.items()}}


def columns_of(table: Sequence[Json]) -> list[str]:
    """The columns to show: the measures only where one was taken."""
    taken = [name for name in MEASURES if any(name in row for row in table)]
    return ["workload", "method", "epsilon", "trials", *taken]


def write(folder: Path, title: str, lines: Sequence[Json]) -> list[Path]:
    """The table as CSV and the page; returns what was written."""
    table = summarised(lines)
    rows, page = folder / "errors.csv", folder / "errors.html"
    with rows.open("w", encoding="utf-8", newline="") as file:
        writer = csv.DictWriter(file, columns_of(table), extrasaction="ignore")
        writer.writeheader()
        writer.writerows(table)
    (folder / "PRIVATE.txt").write_text(MARK + "\n", encoding="utf-8")
    page.write_text("\n".join(_page(title, table)), encoding="utf-8")
    return [rows, page]


def _page(title: str, table: Sequence[Json]) -> Iterator[str]:
    """One file that opens without a network."""
    yield f'<!doctype html><html lang="en"><meta charset="utf-8"><title>{html.escape(title)}</title>'
    yield "<style>body{font-family:sans-serif;margin:2em}th,td{padding:2px 8px;text-align:right}"
    yield "td:nth-child(-n+2),th:nth-child(-n+2){text-align:left}.private{color:#b00020;font-weight:bold}</style>"
    yield f'<h1>{html.escape(title)}</h1><p class="private">{MARK}</p>'
    for workload, chart in svg_charts(table):
        yield f"<h2>{html.escape(workload)}: mean absolute error</h2>{chart}"
    columns = columns_of(table)
    yield f"<h2>All measures</h2><p>{TERMS}</p>"
    yield f"<table><tr>{_cells('th', columns)}</tr>"
    yield from (f"<tr>{_cells('td', [row.get(name, '') for name in columns])}</tr>" for row in table)
    yield "</table></html>"


def _cells(tag: str, values: Sequence[Any]) -> str:
    texts = [f"{value:,.4g}" if isinstance(value, float) else str(value) for value in values]
    return "".join(f"<{tag}>{html.escape(text)}</{tag}>" for text in texts)
