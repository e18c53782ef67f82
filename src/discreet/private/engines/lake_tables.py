"""Folders whose Parquet files are only part of a table: a log beside them says which of their rows still hold.

Read as plain Parquet, such a folder would give rows that were removed or replaced. Delta is read by its log; Iceberg
and Hudi are refused.
"""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import Any

from discreet.errors import SourceError
from discreet.private.engines.arrow_columns import readable_stream
from discreet.private.engines.base import Source, Wanted
from discreet.private.engines.lazily import Lazily
from discreet.private.engines.table_sources import ArrowSource, ImportedSource

pc = Lazily("pyarrow.compute")

_INSTEAD = {
    "a Delta table": "open its folder as a whole",
    "an Iceberg table": "open what pyiceberg reads, catalog.load_table(NAME).scan().to_arrow(), or a Spark DataFrame",
    "a Hudi table": "open a Spark DataFrame of it, or export it to Parquet",
}


def lake_at(folder: Path) -> str | None:
    """What kind of table a folder is, if its Parquet files alone are not the table."""
    try:
        if (folder / "_delta_log").is_dir():
            return "a Delta table"
        if (folder / ".hoodie").is_dir():
            return "a Hudi table"
        return "an Iceberg table" if any((folder / "metadata").glob("*.metadata.json")) else None
    except OSError:  # such as a name that no folder can have
        return None


def refuse_parts(paths: Iterable[Path]) -> None:
    """Refuses files that belong to such a table: some of their rows may be gone from it."""
    for folder in dict.fromkeys(above for path in paths for above in path.absolute().parents):
        if (kind := lake_at(folder)) is not None:
            raise SourceError(f"{folder}: is {kind}, whose files also have rows that it dropped; {_INSTEAD[kind]}")


class DeltaSource(ImportedSource):
    """A Delta table, as its log has it when it is opened."""

    is_stream = True

    def __init__(self, folder: Path) -> None:
        try:
            from deltalake import DeltaTable
        except ImportError:
            raise SourceError(f"{folder}: Delta tables need more: pip install 'discreet[delta]'") from None
        try:
            table = DeltaTable(str(folder))
            mapped = table.metadata().configuration.get("delta.columnMapping.mode", "none") != "none"
            rows = None if mapped else table.to_pyarrow_dataset()
        except Exception:  # whatever a broken log raises
            rows = None
        if rows is None:
            raise SourceError(
                f"{folder}: this Delta table cannot be read: its log is broken, or it uses what the reader lacks, such "
                "as deletion vectors or mapped columns; open a Spark DataFrame of it, or export it to Parquet"
            )
        super().__init__(rows, str(folder), rows.schema.names)

    def without_rows(self) -> Source:
        return ArrowSource(self._table.schema.empty_table(), self.name, self.columns)

    def _arrow(self, wanted: Wanted) -> Any:
        rows = self._table.scanner(columns={alias: pc.field(name) for alias, name in wanted.items()})
        return readable_stream(rows.projected_schema, rows.to_batches(), list(wanted))
