"""A small table of answers that turns into any data frame. Public values only."""

from __future__ import annotations

import csv
import importlib
import io
import math
import re
from collections.abc import Collection, Mapping, Sequence
from pathlib import Path
from typing import Any

from discreet.charts.small_bars import html_table, small_bar
from discreet.errors import BadParameter, MissingExtra
from discreet.naming import usable_path

SHOWN = 20
ENDINGS = (".csv", ".xlsx", ".parquet")
#: a number below zero, or a bin that starts there, such as -20..-16
_BELOW_ZERO = re.compile(r"-[0-9]+(\.[0-9]+)?(\.\.-?[0-9]+)?")


class Frame:
    """Columns of equal length, each a sequence of plain values or a numpy array; notes stand below them."""

    def __init__(self, columns: Mapping[str, Sequence[Any] | Any], notes: Sequence[str] = ()) -> None:
        self.columns, self.notes = dict(columns), list(notes)

    def __len__(self) -> int:
        return len(next(iter(self.columns.values()), ()))

    def __getitem__(self, name: str) -> Any:
        return self.columns[name]

    def rows(self, most: int | None = None) -> list[tuple[Any, ...]]:
        """Plain Python rows, the first `most` of them."""
        return list(zip(*(_plain(column[:most]) for column in self.columns.values()), strict=True))

    def chosen(self, rows: Any) -> Frame:
        """Some rows, by their numbers, in that order."""
        places = _plain(rows)
        taken = {
            name: column[rows] if hasattr(column, "dtype") else [column[place] for place in places]
            for name, column in self.columns.items()
        }
        return Frame(taken, self.notes)

    def to_dicts(self) -> list[dict[str, Any]]:
        """Ready for JSON: None for an end that is not there."""
        return [{name: _finite(value) for name, value in zip(self.columns, row, strict=True)} for row in self.rows()]

    def to_arrow(self) -> Any:
        """The same as an Arrow table."""
        import pyarrow as pa

        return pa.table({name: pa.array(_one_type(column)) for name, column in self.columns.items()})

    def to_pandas(self) -> Any:
        """The same as a pandas frame; needs the extra `frames`."""
        pd = extra("pandas", "to_pandas")
        return pd.DataFrame({name: _one_type(column) for name, column in self.columns.items()})

    def to_polars(self) -> Any:
        """The same as a polars frame; needs the extra `frames`."""
        pl = extra("polars", "to_polars")
        return pl.DataFrame({name: _plain(_one_type(column)) for name, column in self.columns.items()})

    def to_csv(self, path: str | Path | None = None) -> str:
        """CSV text, also written to `path` if one is given. A text that a spreadsheet would run gets a quote first."""
        text = io.StringIO()
        writer = csv.writer(text, lineterminator="\r\n")  # so that either of the two in a field makes it quoted
        writer.writerow([safe_text(name) for name in self.columns])
        writer.writerows(
            [safe_text(value) if isinstance(value, str) else _finite(value) for value in row] for row in self.rows()
        )
        if path is not None:
            _file(path).write_text(text.getvalue(), encoding="utf-8", newline="")
        return text.getvalue()

    def to_excel(self, path: str | Path) -> Path:
        """An .xlsx file: texts that look like formulas stay texts, and notes have a sheet of their own."""
        from discreet.release.workbook import workbook  # which loads what XML needs

        target, content = _file(path), workbook(list(self.columns), self.rows(), self.notes)
        target.write_bytes(content)
        return target

    def to_parquet(self, path: str | Path) -> Path:
        """A Parquet file with a column for each of ours; an upper end that is not there is infinite."""
        import pyarrow.parquet as pq

        target = _file(path)
        with target.open("wb") as file:
            pq.write_table(self.to_arrow(), file, compression="zstd")
        return target

    def write(self, path: str | Path) -> Path:
        """A file by its ending: .csv, .xlsx or .parquet."""
        target = checked_ending(path)
        if target.suffix.lower() == ".xlsx":
            return self.to_excel(target)
        if target.suffix.lower() == ".parquet":
            return self.to_parquet(target)
        self.to_csv(target)
        return target

    def __repr__(self) -> str:
        rows = self.rows(SHOWN)
        head = [list(self.columns), *([_shown(value) for value in row] for row in rows)]
        sides = [str.ljust if any(isinstance(row[i], str) for row in rows) else str.rjust for i in range(len(head[0]))]
        widths = [max(len(row[i]) for row in head) for i in range(len(head[0]))]
        placed = ((side(cell, width) for side, cell, width in zip(sides, row, widths, strict=True)) for row in head)
        lines = ["  ".join(row).rstrip() for row in placed]
        return "\n".join([*lines, *self._rest()])

    def _repr_html_(self) -> str:
        rows, names = self.rows(SHOWN), list(self.columns)
        cells = [[_shown(value) for value in row] for row in rows]
        numbers = {i for i in range(len(names)) if not any(isinstance(row[i], str) for row in rows)}
        if {"count", "low", "high"} <= {*names}:  # a small bar behind each answer
            value, low, high = (names.index(name) for name in ("count", "low", "high"))
            most = max((row[i] for row in rows for i in (value, low, high) if math.isfinite(row[i])), default=0)
            bars = [small_bar(row[value], row[low], row[high], most) for row in rows]
            cells = [[*row, bar] for row, bar in zip(cells, bars, strict=True)]
        return html_table(names, cells, numbers, self._rest())

    def _rest(self) -> list[str]:
        return [*([f"... {len(self) - SHOWN:,} more rows"] if len(self) > SHOWN else []), *self.notes]


def extra(library: str, method: str) -> Any:
    """A library that is not always there; the error says how to get it."""
    try:
        return importlib.import_module(library)
    except ImportError:
        raise MissingExtra(f"{method} needs {library}: pip install 'discreet[frames]'") from None


def _file(path: str | Path) -> Path:
    target = usable_path(path, "a file of answers")
    if not target.parent.is_dir():
        raise BadParameter(f"{target}: there is no folder {target.parent}; make it first, or write elsewhere")
    if target.is_dir():
        raise BadParameter(f"{target} is a folder; name a file in it, such as {target / 'answers.csv'}")
    return target


def checked_ending(path: str | Path) -> Path:
    target = _file(path)
    if target.suffix.lower() not in ENDINGS:
        raise BadParameter(f"{target}: answers are written as {', '.join(ENDINGS[:-1])} or {ENDINGS[-1]}; end it so")
    return target


def free_name(name: str, taken: Collection[str]) -> str:
    """The name, with a number behind it if another column has it."""
    found, number = name, 1
    while found in taken:
        number += 1
        found = f"{name}_{number}"
    return found


def _shown(value: Any) -> str:
    """As people read it; all digits are in the columns."""
    if not isinstance(value, float):
        return str(value)
    if not math.isfinite(value):
        return "none"
    return f"{value:.1f}" if abs(value) >= 100 else f"{value:.4g}"


def _finite(value: Any) -> Any:
    return None if isinstance(value, float) and not math.isfinite(value) else value


def _one_type(column: Any) -> Any:
    """A column as it is, or all text where "other" stands among numbers or dates."""
    if isinstance(column, list) and len({type(value) for value in column}) > 1:
        return [str(value) for value in column]
    return column


def _plain(column: Any) -> list[Any]:
    return list(column.tolist() if hasattr(column, "tolist") else column)


def safe_text(text: str) -> str:
    """The text with a quote in front if a spreadsheet would take it for a formula; a bin of numbers is none."""
    if _BELOW_ZERO.fullmatch(text):
        return text
    return "'" + text if text.startswith(("=", "+", "-", "@", "\t", "\r", "\n")) else text
