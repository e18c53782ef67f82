"""Sheets of Excel files, whose first line that is not empty names the columns."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice
from pathlib import Path
from typing import Any

from discreet.errors import SourceError
from discreet.private.engines.arrow_columns import from_values
from discreet.private.engines.base import Source, Wanted, columns_changed
from discreet.private.engines.lazily import Lazily
from discreet.private.engines.table_sources import ImportedSource, text_without_rows

pa = Lazily("pyarrow")

EXCEL_SUFFIXES = (".xlsx", ".xlsm")
_TOGETHER = 1 << 16


class ExcelSource(ImportedSource):
    """A sheet, the first one if none is named, read cell by cell, as text. Lines without any value are no rows."""

    is_stream = True

    def __init__(self, path: Path, sheet: str) -> None:
        self._path = path
        try:
            import python_calamine  # noqa: F401
        except ImportError:
            raise SourceError(f"{path}: Excel files need more: pip install 'discreet[excel]'") from None
        if not path.is_file():
            raise SourceError(f"{path}: there is no such file; correct the path")
        try:
            names = self._sheets()
        except Exception:  # the reader's own words may quote cells
            raise SourceError(f"{path}: cannot be read; is this a complete Excel file, without a password?") from None
        if sheet and sheet not in names:
            raise SourceError(f"{path}: there is no sheet {sheet!r}; it has: {', '.join(names)}")
        if not names:
            raise SourceError(f"{path}: has no sheet")
        sheet = sheet or names[0]
        super().__init__(sheet, f"{path}::{sheet}", self._header(sheet))

    def without_rows(self) -> Source:
        return text_without_rows(self.name, self.columns)

    def _sheets(self) -> list[str]:
        return list(self._opened().sheet_names)

    def _header(self, sheet: str) -> list[str]:
        try:
            first = next(self._rows(sheet), None)
        except Exception:
            raise SourceError(f"{self._path}: its sheet {sheet!r} cannot be read; is the file complete?") from None
        if first is None:
            raise SourceError(f"{self._path}: its sheet {sheet!r} is empty; its first line must name the columns")
        return _names(first)

    def _opened(self) -> Any:
        from python_calamine import CalamineWorkbook

        return CalamineWorkbook.from_path(str(self._path))

    def _rows(self, sheet: str) -> Iterator[list[Any]]:
        found = self._opened().get_sheet_by_name(sheet)
        rows = found.iter_rows() if found.height else ()  # of an empty sheet, readers before 0.9 end the program
        return (row for row in rows if any(cell != "" for cell in row))

    def _arrow(self, wanted: Wanted) -> Any:
        fields = pa.schema([(alias, pa.large_string()) for alias in wanted])
        places = [self.columns.index(name) for name in wanted.values()]

        def batches() -> Iterator[Any]:
            rows = self._rows(self._table)
            if _names(next(rows)) != self.columns:
                raise columns_changed(self.name)
            while some := list(islice(rows, _TOGETHER)):
                columns = [from_values(None if row[place] == "" else row[place] for row in some) for place in places]
                yield pa.record_batch(columns, fields)

        return pa.RecordBatchReader.from_batches(fields, batches())


def _names(first: list[Any]) -> list[str]:
    """Of columns, by the first line."""
    return [(name or "").strip() for name in from_values(first).to_pylist()]
