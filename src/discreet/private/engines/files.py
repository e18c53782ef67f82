"""CSV and Parquet files as sources."""

from __future__ import annotations

import glob
import os
from abc import abstractmethod
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Generic, TypeVar

from discreet.errors import SourceError
from discreet.private.engines.arrow_columns import parquet_batches
from discreet.private.engines.base import Source
from discreet.private.engines.csv_text import CsvLayout, write_repaired
from discreet.private.engines.frames import ArrowSource
from discreet.private.engines.session import Limits, Session, literal, picked, private_session, quoted

CSV_SUFFIXES = (".csv", ".tsv", ".txt", ".csv.gz", ".tsv.gz", ".txt.gz")
PARQUET_SUFFIXES = (".parquet", ".pq")

Layout = TypeVar("Layout")
ParquetLayout = tuple[tuple[str, str], ...]


def found_paths(given: str | Path | Iterable[str | Path]) -> list[Path]:
    """The files that a path, a pattern or a list of them names, in a fixed order, each once."""
    several = [given] if isinstance(given, str | Path) else list(given)
    if not several:
        raise SourceError("the list of files is empty; name at least one")
    return list(dict.fromkeys(path for one in several for path in _expanded(one)))


def _expanded(given: str | Path) -> list[Path]:
    text = os.path.expanduser(given)
    if "://" in text:
        raise SourceError(f"{text}: is a URL; download the file first, or open it as an ibis table")
    path = Path(text)
    if path.is_dir():
        raise SourceError(f"{text}: is a folder; name its files, such as {path / '*.parquet'}")
    if path.exists():
        return [path]
    if not glob.has_magic(text):
        raise SourceError(f"{text}: there is no such file")
    matches = [Path(match) for match in sorted(glob.glob(text, recursive=True)) if not Path(match).is_dir()]
    if not matches:
        raise SourceError(f"{text}: no file matches this pattern")
    return matches


class FileSource(Source, Generic[Layout]):
    """Files with the same columns. Those that also share their layout are read together."""

    def __init__(self, names: Mapping[Path, Sequence[str]], layouts: Mapping[Path, Layout]) -> None:
        first, *more = names
        super().__init__(str(first) + (f" and {len(more)} more" if more else ""), names[first])
        for path in more:
            if set(names[path]) != set(names[first]):
                raise SourceError(f"{path}: its columns differ from those of {first}; read such files apart")
        self._groups: dict[Layout, list[Path]] = {}
        for path in names:
            self._groups.setdefault(layouts[path], []).append(path)

    def has_careful_reading(self) -> bool:
        return True

    @contextmanager
    def tables(self, wanted: Mapping[str, str], limits: Limits, careful: bool) -> Iterator[list[Any]]:
        with private_session(limits) as session:
            read = self._careful_query if careful else self._query
            yield [
                session.view(f"part{index}", read(session, layout, paths, wanted))
                for index, (layout, paths) in enumerate(self._groups.items())
            ]

    @abstractmethod
    def _query(self, session: Session, layout: Layout, paths: list[Path], wanted: Mapping[str, str]) -> str:
        """SQL that reads files of one layout."""

    @abstractmethod
    def _careful_query(self, session: Session, layout: Layout, paths: list[Path], wanted: Mapping[str, str]) -> str:
        """SQL that reads what `_query` fails on, and gives the same for every sound row."""


class CsvSource(FileSource[CsvLayout]):
    """CSV, read as text throughout, so that no value can fail to fit a type. Blanks around a field are layout.

    Read strictly first, which is fast and fails on any flaw: stray quotes, broken UTF-8, too many fields, also on a
    line end inside quotes. Such a file is read once more, from a repaired copy, tolerantly and on one thread. Missing
    fields are nulls, surplus ones are ignored; a line that is still no row (above 2 MB) is left out.
    """

    def __init__(self, paths: list[Path], delimiter: str | None, encoding: str) -> None:
        layouts = {path: CsvLayout.of(path, delimiter, encoding) for path in paths}
        super().__init__({path: layout.names for path, layout in layouts.items()}, layouts)
        self._encoding = encoding

    def require(self, names: Iterable[str]) -> None:
        needed = list(names)
        used = {layout.delimiter for layout in self._groups}
        others = [mark for mark in ",;\t|" if mark in self.columns()[0] and mark not in used]
        if len(self.columns()) == 1 and (others or len(needed) > 1):
            fix = f"delimiter={others[0]!r}" if others else "delimiter="
            raise SourceError(f"{self.name}: has one column only; say what separates its columns with {fix}")
        super().require(needed)

    def without_rows(self) -> Source:
        import pyarrow as pa

        return ArrowSource(pa.schema([(name, pa.string()) for name in self.columns()]).empty_table())

    def _query(self, session: Session, layout: CsvLayout, paths: list[Path], wanted: Mapping[str, str]) -> str:
        packed = layout.packed
        if self._encoding != "utf-8-sig":
            paths, packed = [self._repaired(session, path) for path in paths], False
        return _read_csv(layout, paths, wanted, f"compression = '{'gzip' if packed else 'none'}'")

    def _careful_query(self, session: Session, layout: CsvLayout, paths: list[Path], wanted: Mapping[str, str]) -> str:
        copies = [self._repaired(session, path) for path in paths]
        return _read_csv(layout, copies, wanted, "strict_mode = false, ignore_errors = true, parallel = false")

    def _repaired(self, session: Session, path: Path) -> Path:
        copy = session.new_file(".csv")
        write_repaired(path, copy, self._encoding)
        return copy


def _read_csv(layout: CsvLayout, paths: list[Path], wanted: Mapping[str, str], options: str) -> str:
    columns = ", ".join(f"c{index}: 'VARCHAR'" for index in range(len(layout.names)))
    fields = ", ".join(
        f"NULLIF(TRIM(c{layout.names.index(name)}), '') AS {quoted(alias)}" for alias, name in wanted.items()
    )
    return (
        f"SELECT {fields} FROM read_csv({_path_list(paths)}, columns = {{{columns}}}, auto_detect = false, "
        f"header = true, delim = {literal(layout.delimiter)}, quote = '\"', escape = '\"', null_padding = true, "
        f"{options})"
    )


class ParquetSource(FileSource[ParquetLayout]):
    """Parquet. What DuckDB fails on, such as text that is not UTF-8, is read once more through Arrow."""

    def __init__(self, paths: list[Path]) -> None:
        import pyarrow as pa
        import pyarrow.parquet as pq

        layouts: dict[Path, ParquetLayout] = {}
        for path in paths:
            try:
                layouts[path] = tuple((field.name, str(field.type)) for field in pq.read_schema(path))
            except (OSError, pa.ArrowException):
                raise SourceError(f"{path}: cannot be read, or is no complete Parquet file") from None
        super().__init__({path: [name for name, _ in layout] for path, layout in layouts.items()}, layouts)

    def without_rows(self) -> Source:
        return self  # a view on it needs the names and types that the files begin or end with

    def _query(self, session: Session, layout: ParquetLayout, paths: list[Path], wanted: Mapping[str, str]) -> str:
        # the statistics in a file leave NaN out, and DuckDB would take their word that there is none
        options = "hive_partitioning = false, can_have_nan = true"
        return f"SELECT {picked(wanted)} FROM read_parquet({_path_list(paths)}, {options})"

    def _careful_query(
        self, session: Session, layout: ParquetLayout, paths: list[Path], wanted: Mapping[str, str]
    ) -> str:
        stream = session.register(parquet_batches(paths, list(dict.fromkeys(wanted.values()))))
        return f"SELECT {picked(wanted)} FROM {stream}"


def _path_list(paths: list[Path]) -> str:
    # DuckDB expands patterns by itself, and these are names
    return "[" + ", ".join(literal(glob.escape(str(path.absolute()))) for path in paths) + "]"
