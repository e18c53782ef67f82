"""The text of many questions: a CSV file or a data frame as dictionary-encoded columns of text."""

from __future__ import annotations

import csv
import gzip
from collections.abc import Collection, Iterator
from contextlib import suppress
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, NoReturn

import numpy as np
from numpy.typing import NDArray

from discreet.arrow import array_of
from discreet.errors import BadParameter


@dataclass(frozen=True, eq=False)
class TextColumn:
    """The distinct texts of a column, and for each question the number of its text."""

    name: str
    texts: list[str]
    index: NDArray[np.int32]


@dataclass(frozen=True, eq=False)
class QuestionTable:
    """Columns of text, and how to tell people where a question stands."""

    path: Path | None
    count: int
    columns: tuple[TextColumn, ...]
    #: as they were given, in types of their own, if they came as a frame
    frame: Any = None

    def without(self, names: Collection[str]) -> QuestionTable:
        return replace(self, columns=tuple(column for column in self.columns if column.name not in names))

    def given(self, place: int) -> Any:
        """The values of a column, as they were given."""
        if self.frame is not None:
            return self.frame.column(place).to_pylist()
        column = self.columns[place]
        return np.array([*column.texts, ""], dtype=object)[column.index]

    @property
    def name(self) -> str:
        return "questions" if self.path is None else str(self.path)

    @property
    def names(self) -> tuple[str, ...]:
        return tuple(column.name for column in self.columns)

    def place(self, row: int, column: str) -> str:
        """File, line and column of a question; of a data frame the number of the question, from 1."""
        line = None if self.path is None else _line_of(self.path, row)
        return f"{self.name}, {f'question {row + 1}' if line is None else f'line {line}'}, column {column!r}"


def read_table(source: Any) -> QuestionTable:
    """A path is read as CSV, anything else as a data frame (pandas, polars, Arrow)."""
    return _read_csv(Path(source)) if isinstance(source, str | Path) else _read_frame(source)


def _read_csv(path: Path) -> QuestionTable:
    import pyarrow
    from pyarrow import csv as arrow_csv

    # a label may contain a line break
    parse = arrow_csv.ParseOptions(newlines_in_values=True)
    text = pyarrow.dictionary(pyarrow.int32(), pyarrow.string())
    try:
        if not path.exists():
            raise BadParameter(f"{path}: there is no such file; give the path of a CSV file of questions")
        if path.is_dir():
            raise BadParameter(f"{path}: is a folder, not a CSV file of questions")
        with arrow_csv.open_csv(path, parse_options=parse) as reader:
            header = reader.schema.names
        _check_names(header, str(path))
        convert = arrow_csv.ConvertOptions(column_types=dict.fromkeys(header, text))
        table = arrow_csv.read_csv(path, parse_options=parse, convert_options=convert)
    except pyarrow.ArrowInvalid as error:
        _explain(path, error)
    except OSError as error:
        raise BadParameter(f"{path}: cannot be read ({error.strerror or error}); check the path") from None
    return _encoded(path, table)


def _read_frame(frame: Any) -> QuestionTable:
    import narwhals
    import pyarrow

    try:
        table = narwhals.from_native(frame, eager_only=True).to_arrow()
    except TypeError:
        raise BadParameter(
            "questions come from the path of a CSV file or from a pandas, polars or Arrow table, "
            f"not from {type(frame).__name__}"
        ) from None
    except pyarrow.ArrowException:
        raise BadParameter("questions: a column mixes types; make it a column of text") from None
    _check_names(table.column_names, "questions")
    try:
        columns = [_as_text(column) for column in table.columns]
    except pyarrow.ArrowException:
        raise BadParameter("questions: a column holds neither text, numbers nor dates; make it text") from None
    return replace(_encoded(None, pyarrow.table(columns, names=table.column_names)), frame=table)


def _as_text(column: Any) -> Any:
    """A column of a frame as dictionary-encoded text; missing values are blank."""
    import pyarrow

    if pyarrow.types.is_dictionary(column.type):
        column = column.cast(column.type.value_type)
    if pyarrow.types.is_timestamp(column.type):
        days = column.cast(pyarrow.date32())
        # a time of day stays, so that it is refused and not cut off
        column = days if days.cast(column.type).equals(column) else column
    return column.cast(pyarrow.string()).fill_null("").dictionary_encode()


def _check_names(names: list[str], where: str) -> None:
    if not names:
        raise BadParameter(f"{where}: has no columns; give one per attribute, or a single column `where`")
    bare = [name.strip() for name in names]
    for number, name in enumerate(bare):
        if name in bare[:number]:
            raise BadParameter(f"{where}: two columns are called {name!r}; keep one")


def _encoded(path: Path | None, table: Any) -> QuestionTable:
    columns = []
    for title, chunked in zip(table.column_names, table.unify_dictionaries().columns, strict=True):
        texts = chunked.chunk(0).dictionary.to_pylist() if chunked.num_chunks else []
        parts = [array_of(chunk.indices) for chunk in chunked.chunks]
        index = np.concatenate([np.empty(0, dtype=np.int32), *parts])
        columns.append(TextColumn(title.strip(), texts, index))
    return QuestionTable(path, table.num_rows, tuple(columns))


def _explain(path: Path, error: Exception) -> NoReturn:
    """What pyarrow did not like, with the line where it is."""
    if "mpty CSV" in str(error):
        raise BadParameter(f"{path}: is empty; give a header with the names of attributes") from None
    try:
        width = 0
        for line, record in _records(path):
            width = width or len(record)
            if len(record) != width:
                raise BadParameter(f"{path}, line {line}: has {len(record)} columns, the header {width}") from None
    except UnicodeDecodeError:
        raise BadParameter(f"{path}: is not UTF-8 text; save it with that encoding") from None
    except (OSError, csv.Error):
        pass
    raise BadParameter(f"{path}: is not valid CSV: {str(error).splitlines()[0]}") from None


def _line_of(path: Path, row: int) -> int | None:
    """The line on which a question starts: labels may hold line breaks and blank lines are skipped."""
    with suppress(OSError, UnicodeDecodeError, csv.Error):
        for number, (line, _) in enumerate(_records(path)):
            if number == row + 1:
                return line
    return None


def _records(path: Path) -> Iterator[tuple[int, list[str]]]:
    """The line on which each record starts, and its cells, header first."""
    opener: Any = gzip.open if path.suffix == ".gz" else open
    with opener(path, "rt", encoding="utf-8-sig", newline="") as file:
        reader = csv.reader(file)
        before = 0
        for record in reader:
            if record:
                yield before + 1, record
            before = reader.line_num
