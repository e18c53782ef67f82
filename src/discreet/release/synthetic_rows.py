"""Synthetic rows: columns as data have them, with a mark that says what they are and which release they follow."""

from __future__ import annotations

import io
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

from discreet.errors import BadParameter, DiscreetError
from discreet.naming import usable_path
from discreet.release.frame import SHOWN, Frame, extra, safe_text

#: the key of the mark, in Arrow and in Parquet files
MARK = "discreet.synthetic"
#: beside a CSV file, which has no place for a mark, a file of this ending has it
BESIDE = ".json"
_BATCH = 1 << 16


class SyntheticRows:
    """Rows drawn to fit a release: no row is a record. `facts` says which release, how many and by which seed."""

    def __init__(self, table: Any, facts: dict[str, Any]) -> None:
        self.facts = facts
        self._table = table.replace_schema_metadata({MARK: json.dumps(facts, ensure_ascii=False)})

    def __len__(self) -> int:
        return int(self._table.num_rows)

    def __getitem__(self, name: str) -> Any:
        """One column, as an Arrow array."""
        return self._table[name]

    @property
    def notes(self) -> list[str]:
        """What the rows are good for; and, if so, that they must not be published."""
        return [self.facts[key] for key in ("not_private", "note") if key in self.facts]

    def to_arrow(self) -> Any:
        """An Arrow table; the mark is in its metadata."""
        return self._table

    def to_pandas(self) -> Any:
        """Labels are categories; the mark is in `attrs`. Needs the extra `frames`."""
        extra("pandas", "to_pandas")
        frame = self._table.to_pandas()
        frame.attrs[MARK] = self.facts
        return frame

    def to_polars(self) -> Any:
        try:
            import polars as pl
        except ImportError:
            raise ImportError("to_polars needs polars: pip install 'discreet[frames]'") from None
        return pl.from_arrow(self._table)

    def to_csv(self, path: str | Path) -> Path:
        """A CSV file, and the mark beside it in NAME.csv.json. Never over files that exist.

        A text that a spreadsheet would run gets a quote first, as in all our CSV files.
        """
        target = usable_path(path, "the file of rows")
        beside = _beside(target)
        _fresh(beside)
        _written(target, self._write_csv)
        text = json.dumps(self.facts, indent=2, ensure_ascii=False) + "\n"
        _written(beside, lambda file: file.write(text.encode()))
        return target

    def to_parquet(self, path: str | Path) -> Path:
        """A Parquet file, with the mark in its metadata. Never over a file that exists."""
        import pyarrow.parquet as pq

        target = usable_path(path, "the file of rows")
        _written(target, lambda file: pq.write_table(self._table, file, compression="zstd"))
        return target

    def save(self, path: str | Path) -> Path:
        """A CSV or a Parquet file, by its ending."""
        target = writable(path)
        return self.to_csv(target) if target.suffix.lower() == ".csv" else self.to_parquet(target)

    def _write_csv(self, file: Any) -> None:
        import csv as plain_csv

        import pyarrow as pa
        from pyarrow import csv

        head = io.StringIO()
        plain_csv.writer(head, lineterminator="\n").writerow([safe_text(name) for name in self._table.column_names])
        file.write(head.getvalue().encode())
        options = csv.WriteOptions(include_header=False)
        for batch in self._table.to_batches(_BATCH):
            columns = [_safe(column) for column in batch.columns]
            csv.write_csv(pa.table(columns, names=self._table.column_names), file, options)

    def __repr__(self) -> str:
        return repr(self._shown())

    def _repr_html_(self) -> str:
        return self._shown()._repr_html_()

    def _shown(self) -> Frame:
        some = self._table.slice(0, SHOWN)
        hidden = [f"... {len(self) - SHOWN:,} more rows"] if len(self) > SHOWN else []
        columns = {name: some[name].to_pylist() for name in some.column_names}
        return Frame(columns, [*hidden, *self.notes])


def _safe(column: Any) -> Any:
    """Texts of a dictionary as plain ones, none of which a spreadsheet would run."""
    import pyarrow as pa

    if not pa.types.is_dictionary(column.type):
        return column
    texts = pa.array([safe_text(text) for text in column.dictionary.to_pylist()], pa.string())
    return texts.take(column.indices)


def writable(path: str | Path) -> Path:
    """A path at which rows can be written, or a refusal: the ending says how, and nothing is there yet."""
    target = usable_path(path, "the file of rows")
    if target.suffix.lower() not in (".csv", ".parquet"):
        raise BadParameter(f"{target}: rows are written as .csv or .parquet; choose a name that ends so")
    for file in (target, _beside(target)) if target.suffix.lower() == ".csv" else (target,):
        _fresh(file)
    return target


def _beside(target: Path) -> Path:
    return target.with_name(target.name + BESIDE)


def _fresh(path: Path) -> None:
    if path.exists() or path.is_symlink():
        raise DiscreetError(f"{path}: exists already; choose another name, or remove it first")


def _written(path: Path, write: Callable[[Any], Any]) -> None:
    """A file that is not there if writing it failed."""
    _fresh(path)
    with path.open("xb") as file:
        try:
            write(file)
        except BaseException:
            path.unlink(missing_ok=True)
            raise
