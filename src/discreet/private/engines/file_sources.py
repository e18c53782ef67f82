"""CSV, Parquet and Arrow files as sources."""

from __future__ import annotations

import glob
import os
from abc import abstractmethod
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Generic, TypeVar
from urllib.parse import unquote

from discreet.errors import SourceError, is_address
from discreet.naming import usable_path
from discreet.private.engines.arrow_columns import parquet_batches, readable_stream
from discreet.private.engines.base import Source, Wanted, columns_changed
from discreet.private.engines.csv_text import CsvLayout, repaired_copy
from discreet.private.engines.lazily import Lazily
from discreet.private.engines.session import Limits, Session, picked, private_session
from discreet.private.engines.sql.writing import quoted
from discreet.private.engines.table_sources import text_without_rows

pa = Lazily("pyarrow")
pq = Lazily("pyarrow.parquet")

CSV_SUFFIXES = tuple(kind + packing for packing in ("", ".gz", ".zst") for kind in (".csv", ".tsv", ".txt"))
ARROW_SUFFIXES = (".arrow", ".feather", ".ipc")
PARQUET_SUFFIXES = (".parquet", ".pq")
#: how hive writes a missing value, and what stands for the type of such a column
_NO_VALUE, _PARTITION = "__HIVE_DEFAULT_PARTITION__", "folder"

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
    address = SourceError("the source is a URL or an address; download the file first, or open it as an ibis table")
    if "://" in text:  # not shown: it may hold a password
        raise address
    path = usable_path(text, "a file of rows")
    if is_address(text) and not path.exists():
        raise address
    if path.is_dir():
        if not (found := sorted(one for one in path.rglob("*.parquet") if not _is_hidden(one.relative_to(path)))):
            raise SourceError(f"{text}: is a folder without Parquet files; name the files themselves")
        return found
    if path.exists():
        return [path]
    if not glob.has_magic(text):
        raise SourceError(f"{text}: there is no such file; correct the path")
    matches = [Path(match) for match in sorted(glob.glob(text, recursive=True)) if not Path(match).is_dir()]
    if not matches:
        raise SourceError(f"{text}: no file matches this pattern; correct it")
    return matches


def _is_hidden(path: Path) -> bool:
    """What other programs leave in such folders beside the data."""
    return any(part.startswith((".", "_")) for part in path.parts)


def partition_of(path: Path) -> dict[str, str | None]:
    """What the folders above a file say of all its rows, such as .../country=NL/year=2024/part.parquet."""
    pairs = [folder.partition("=") for folder in path.parts[:-1] if "=" in folder.strip("=")]
    return {name: None if value == _NO_VALUE else unquote(value) for name, _, value in pairs}


class FileSource(Source, Generic[Layout]):
    """Files with the same columns. Those that also share their layout are read together."""

    has_careful_reading = True

    def __init__(self, layouts: Mapping[Path, Layout], names_of: Callable[[Layout], Sequence[str]]) -> None:
        first, *more = layouts
        names = names_of(layouts[first])
        super().__init__(str(first) + (f" and {len(more)} more" if more else ""), names)
        self._groups: dict[Layout, list[Path]] = {}
        for path, layout in layouts.items():
            if set(names_of(layout)) != set(names):
                raise SourceError(f"{path}: its columns differ from those of {first}; open such files separately")
            self._groups.setdefault(layout, []).append(path)

    @contextmanager
    def tables(self, wanted: Wanted, limits: Limits, careful: bool) -> Iterator[list[Any]]:
        with private_session(limits) as session:
            yield [
                session.view(f"part{index}", self._query(session, layout, paths, wanted, careful))
                for index, (layout, paths) in enumerate(self._groups.items())
            ]

    @abstractmethod
    def _query(self, session: Session, layout: Layout, paths: list[Path], wanted: Wanted, careful: bool) -> str:
        """SQL that reads files of one layout; read with care, a sound row gives the same and a flawed one no error."""


class CsvSource(FileSource[CsvLayout]):
    """CSV, read as text throughout, so that no value can fail to fit a type. Blanks around a field are ignored.

    Read strictly first, which is fast and fails on any flaw: stray quotes, broken UTF-8, too many fields, also on a
    line end inside quotes. Such a file is read once more, from a repaired copy, tolerantly and on one thread. Missing
    fields are nulls, surplus ones are ignored; a line that is still no row (above 2 MB) is left out.
    """

    def __init__(self, paths: list[Path], delimiter: str | None, encoding: str) -> None:
        layouts = {path: CsvLayout.of(path, delimiter, encoding) for path in paths}
        super().__init__(layouts, lambda layout: layout.names)
        self._encoding = encoding

    def lacking(self, names: Iterable[str]) -> dict[str, str]:
        needed = list(dict.fromkeys(names))
        used = {layout.delimiter for layout in self._groups}
        others = [mark for mark in ",;\t|" if mark in self.columns[0] and mark not in used]
        if len(self.columns) == 1 and (others or len(needed) > 1):
            fix = f"delimiter={others[0]!r}" if others else "delimiter="
            raise SourceError(f"{self.name}: has one column only; say what separates its columns with {fix}")
        return super().lacking(needed)

    def without_rows(self) -> Source:
        for layout, paths in self._groups.items():
            self._check_unchanged(layout, paths)
        return text_without_rows(self.name, self.columns)

    def _check_unchanged(self, layout: CsvLayout, paths: list[Path]) -> None:
        """Columns are found by their places: in a file that was replaced, another one would be taken for the users."""
        for path in paths:
            if CsvLayout.of(path, layout.delimiter, self._encoding) != layout:
                raise columns_changed(str(path))

    def _query(self, session: Session, layout: CsvLayout, paths: list[Path], wanted: Wanted, careful: bool) -> str:
        self._check_unchanged(layout, paths)
        packed = layout.packed
        if careful or self._encoding != "utf-8-sig":
            paths, packed = [repaired_copy(path, session.folder, self._encoding) for path in paths], "none"
        delimiter = quoted(layout.delimiter, "'")
        columns = ", ".join(f"c{index}: 'VARCHAR'" for index in range(len(layout.names)))
        fields = ", ".join(
            f"NULLIF(TRIM(c{layout.names.index(name)}), '') AS {quoted(alias)}" for alias, name in wanted.items()
        )
        tolerance = ", strict_mode = false, ignore_errors = true, parallel = false" if careful else ""
        return (
            f"SELECT {fields} FROM read_csv({_path_list(paths)}, columns = {{{columns}}}, auto_detect = false, "
            f"header = true, delim = {delimiter}, quote = '\"', escape = '\"', null_padding = true, "
            f"hive_partitioning = false, compression = '{packed}'{tolerance})"
        )


class ParquetSource(FileSource[ParquetLayout]):
    """Parquet. What DuckDB fails on, such as text that is not UTF-8, is read once more through Arrow."""

    def __init__(self, paths: list[Path]) -> None:
        layouts: dict[Path, ParquetLayout] = {}
        above = [name for name in partition_of(paths[0]) if all(name in partition_of(path) for path in paths)]
        for path in paths:
            try:
                inside = tuple((field.name, str(field.type)) for field in pq.read_schema(path))
            except (OSError, pa.ArrowException):
                raise SourceError(f"{path}: cannot be read; is this a complete Parquet file?") from None
            names = {name for name, _ in inside}
            layouts[path] = inside + tuple((name, _PARTITION) for name in above if name not in names)
        super().__init__(layouts, lambda layout: [name for name, _ in layout])

    def _query(self, session: Session, layout: ParquetLayout, paths: list[Path], wanted: Wanted, careful: bool) -> str:
        above = [name for name, kind in layout if kind == _PARTITION and name in wanted.values()]
        if careful or above:
            names = [name for name in dict.fromkeys(wanted.values()) if name not in above]
            rows = session.register(parquet_batches(paths, names, above, partition_of))
        else:  # the statistics in a file ignore NaN, and DuckDB would conclude that there is none
            rows = f"read_parquet({_path_list(paths)}, hive_partitioning = false, can_have_nan = true)"
        return f"SELECT {picked(wanted)} FROM {rows}"


class ArrowFileSource(FileSource[ParquetLayout]):
    """Arrow's own files, also called Feather."""

    has_careful_reading = False
    is_stream = True

    def __init__(self, paths: list[Path]) -> None:
        layouts: dict[Path, ParquetLayout] = {}
        for path in paths:
            try:
                with pa.ipc.open_file(str(path)) as file:
                    layouts[path] = tuple((field.name, str(field.type)) for field in file.schema)
            except (OSError, pa.ArrowException):
                raise SourceError(
                    f"{path}: cannot be read; is this a complete Arrow file (Feather, version 2)?"
                ) from None
        super().__init__(layouts, lambda layout: [name for name, _ in layout])

    def _query(self, session: Session, layout: ParquetLayout, paths: list[Path], wanted: Wanted, careful: bool) -> str:
        names = list(dict.fromkeys(wanted.values()))

        def batches() -> Iterator[Any]:
            for path in paths:
                with pa.ipc.open_file(str(path)) as file:
                    yield from (file.get_batch(place).select(names) for place in range(file.num_record_batches))

        with pa.ipc.open_file(str(paths[0])) as file:
            fields = pa.schema([file.schema.field(name) for name in names])
        return f"SELECT {picked(wanted)} FROM {session.register(readable_stream(fields, batches(), names))}"


def _path_list(paths: list[Path]) -> str:
    # DuckDB would take these names for patterns
    return "[" + ", ".join(quoted(glob.escape(str(path.absolute())), "'") for path in paths) + "]"
