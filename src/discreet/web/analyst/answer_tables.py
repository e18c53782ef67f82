"""A table of answers for a page, one page of rows at a time, and as a file to take away."""

from __future__ import annotations

import io
import math
from dataclasses import dataclass
from typing import Any

import numpy as np
from markupsafe import Markup

from discreet.charts.small_bars import small_bar
from discreet.release.frame import Frame
from discreet.release.top_items import TELLS
from discreet.release.workbook import workbook
from discreet.web.shell.limits import ROWS_OF_A_PAGE

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
#: columns that hold answers, not labels
_ANSWERS = {*HEADINGS, "share", "quantile"}
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
    places = _places(frame)
    bars = {"count", "low", "high"} <= {*names}
    most = _most(frame) if bars else 0.0
    made = []
    for row in rows:
        values = dict(zip(names, row, strict=True))
        cells = [_cell(name, value, places.get(name)) for name, value in values.items()]
        bar = small_bar(values["count"], values["low"], values["high"], most) if bars else ""
        made.append((cells, Markup(bar)))
    head = [Cell(HEADINGS.get(name, name), name in places) for name in names]
    return Shown(head, made, len(frame), page, pages, bars)


def _most(frame: Frame) -> float:
    numbers = (float(value) for name in ("count", "high") for value in frame[name])
    return max((value for value in numbers if math.isfinite(value)), default=0.0)


def _places(frame: Frame) -> dict[str, int]:
    """By column of numbers: how many decimals, the same in all rows and for an answer and its ends. Labels have none.

    Labels come first; a statement may call its answers whatever it likes.
    """
    families: dict[str, list[str]] = {}
    family = ""
    for name in frame.columns:
        if not families and not (name in _ANSWERS or isinstance(frame[name], np.ndarray)):
            continue
        if name not in ("low", "high"):  # those of the answer before them
            family = name.removesuffix("_low").removesuffix("_high")
        families.setdefault("count" if name in ("low", "high") and family == "stderr" else family, []).append(name)
    found: dict[str, int] = {}
    for names in families.values():
        found |= dict.fromkeys(names, _fewest(np.concatenate([_numbers(frame[name]) for name in names])))
    return found


def _numbers(column: Any) -> np.ndarray[Any, np.dtype[np.float64]]:
    known = column if isinstance(column, np.ndarray) else [one for one in column if isinstance(one, int | float)]
    numbers = np.asarray(known, np.float64)
    return numbers[np.isfinite(numbers)]


def _fewest(numbers: np.ndarray[Any, np.dtype[np.float64]]) -> int:
    """Decimals that tell these numbers well enough: none beside thousands, and no zeros that all of them end in."""
    largest = float(np.abs(numbers).max(initial=0.0))
    places = next(places for least, places in ((1000, 0), (10, 1), (1, 2), (0, 4)) if largest >= least)
    while places and (np.round(numbers, places) == np.round(numbers, places - 1)).all():
        places -= 1
    return places


def _cell(name: str, value: Any, places: int | None) -> Cell:
    if places is None or not isinstance(value, int | float | np.number):
        return Cell(str(value), places is not None)
    if name == "certainty":
        return Cell(f"{value:.0%}" if value >= TELLS else "cannot tell", True)
    if not math.isfinite(value):
        return Cell("none", True)
    return Cell(f"{round(float(value), places) + 0.0:,.{places}f}", True)


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
