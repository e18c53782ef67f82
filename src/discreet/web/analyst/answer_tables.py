"""A table of answers for a page, one page of rows at a time, and as a file to take away."""

from __future__ import annotations

import io
import math
from dataclasses import dataclass
from typing import Any

from markupsafe import Markup

from discreet.charts.small_bars import small_bar
from discreet.release.frame import Frame
from discreet.release.top_items import TELLS
from discreet.release.workbook import workbook
from discreet.web.shell.limits import ROWS_OF_A_PAGE
from discreet.web.shell.pages import shown

HEADINGS = {
    "count": "count",
    "stderr": "typical error",
    "low": "low",
    "high": "high",
    "kept": "kept",
    "kept_low": "kept, low",
    "kept_high": "kept, high",
    "certainty": "certainty",
}
TYPES = {
    "csv": "text/csv; charset=utf-8",
    "parquet": "application/vnd.apache.parquet",
    "xlsx": "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet",
}


@dataclass(frozen=True)
class Cell:
    text: str
    is_number: bool


@dataclass(frozen=True)
class Shown:
    """One page of a table."""

    columns: list[Cell]
    rows: list[tuple[list[Cell], Markup]]
    total: int
    page: int
    pages: int
    bars: bool


def shown_page(frame: Frame, page: int) -> Shown:
    pages = max(1, -(-len(frame) // ROWS_OF_A_PAGE))
    page = min(page, pages)
    names = list(frame.columns)
    first = (page - 1) * ROWS_OF_A_PAGE
    rows = frame.rows(first + ROWS_OF_A_PAGE)[first:]
    labels = [name for name in names if name not in HEADINGS and name not in ("share", "share_low", "share_high")]
    bars = {"count", "low", "high"} <= {*names}
    most = _most(frame) if bars else 0.0
    made = []
    for row in rows:
        values = dict(zip(names, row, strict=True))
        cells = [_cell(name, value, name in labels) for name, value in values.items()]
        bar = small_bar(values["count"], values["low"], values["high"], most) if bars else ""
        made.append((cells, Markup(bar)))
    head = [Cell(HEADINGS.get(name, name), name not in labels) for name in names]
    return Shown(head, made, len(frame), page, pages, bars)


def _most(frame: Frame) -> float:
    numbers = (float(value) for name in ("count", "high") for value in frame[name])
    return max((value for value in numbers if math.isfinite(value)), default=0.0)


def _cell(name: str, value: Any, is_label: bool) -> Cell:
    if is_label:
        return Cell(str(value), False)
    if name == "certainty":
        return Cell(f"{value:.0%}" if value >= TELLS else "cannot tell", True)
    return Cell(shown(value), True)


def as_file(frame: Frame, ending: str) -> bytes:
    """CSV and Excel with formulas defused, or Parquet."""
    if ending == "xlsx":
        return workbook(list(frame.columns), frame.rows(), frame.notes)
    if ending == "csv":
        return frame.to_csv().encode("utf-8")
    import pyarrow.parquet as pq

    sink = io.BytesIO()
    pq.write_table(frame.to_arrow(), sink, compression="zstd")
    return sink.getvalue()
