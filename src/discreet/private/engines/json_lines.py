"""JSON lines: an object on each line, packed or not. Its first line names the columns.

Every line is parsed by itself, so what one says changes nothing for the others. A field that a line lacks is a null, as
are all fields of a line that is no object; whole numbers may be written as 5.0; objects and lists inside are outside.
"""

from __future__ import annotations

import json
import zlib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from discreet.errors import SourceError
from discreet.private.engines.base import Source, Wanted
from discreet.private.engines.csv_text import unpacked
from discreet.private.engines.file_sources import FileSource
from discreet.private.engines.lazily import Lazily
from discreet.private.engines.session import Session
from discreet.private.engines.sql.writing import quoted
from discreet.private.engines.table_sources import text_without_rows

pa = Lazily("pyarrow")
pc = Lazily("pyarrow.compute")

JSON_SUFFIXES = tuple(kind + packing for packing in ("", ".gz", ".zst") for kind in (".jsonl", ".ndjson"))
_LONGEST_FIRST = 1 << 24
_CHUNK = 1 << 22
#: the text of a value; a number as the same number has it in a column of numbers
_TEXT = """CASE json_type({0})
    WHEN 'DOUBLE' THEN CASE WHEN abs(TRY_CAST({0} AS DOUBLE)) < 9007199254740992
        AND TRY_CAST({0} AS DOUBLE) = trunc(TRY_CAST({0} AS DOUBLE))
        THEN CAST(CAST(TRY_CAST({0} AS DOUBLE) AS BIGINT) AS VARCHAR) ELSE {0} ->> '$' END
    WHEN 'OBJECT' THEN chr(0) WHEN 'ARRAY' THEN chr(0)
    ELSE {0} ->> '$' END"""


class JsonLinesSource(FileSource[tuple[str, ...]]):
    """Files of JSON lines, whose columns are all that their first lines name."""

    has_careful_reading = False
    is_stream = True

    def __init__(self, paths: list[Path]) -> None:
        names = tuple(dict.fromkeys(name for path in paths for name in _first_names(path)))
        super().__init__(dict.fromkeys(paths, names), lambda layout: layout)

    def without_rows(self) -> Source:
        return text_without_rows(self.name, self.columns)

    def _query(
        self, session: Session, layout: tuple[str, ...], paths: list[Path], wanted: Wanted, careful: bool
    ) -> str:
        lines = session.register(pa.RecordBatchReader.from_batches(_one_column(), _batches(paths)))
        fields = ", ".join(
            f"{_TEXT.format(f'fields[{place}]')} AS {quoted(alias)}" for place, alias in enumerate(wanted, start=1)
        )
        pointers = ", ".join(quoted(_pointer(name), "'") for name in wanted.values())
        objects = (
            f"SELECT CASE json_type(parsed) WHEN 'OBJECT' THEN json_extract(parsed, [{pointers}]) END AS fields "
            f"FROM (SELECT TRY_CAST(line AS JSON) AS parsed FROM {lines} WHERE trim(line, ' \t\r') <> '')"
        )
        return f"SELECT {fields} FROM ({objects})"


def _first_names(path: Path) -> list[str]:
    """The names in the first line that is not blank."""
    flaw = SourceError(
        f"{path}: its first line is no JSON object; in JSON lines each line is one, and the first has every field, "
        "with null where there is no value"
    )
    try:
        with unpacked(path) as file:
            while (line := file.readline(_LONGEST_FIRST)) and not line.strip(b"\xef\xbb\xbf \t\r\n"):
                pass
    except (OSError, EOFError, pa.ArrowException, zlib.error):
        raise SourceError(f"{path}: its first line cannot be read; is this a complete file of JSON lines?") from None
    if not line:
        raise SourceError(f"{path}: is empty; the first line of JSON lines names all fields")
    try:
        first = json.loads(line.decode("utf-8-sig"))
    except (ValueError, RecursionError):
        raise flaw from None
    if not isinstance(first, dict) or not any(first):
        raise flaw
    return list(first)


def _pointer(name: str) -> str:
    """A field as JSON pointers name it."""
    return "/" + name.replace("~", "~0").replace("/", "~1")


def _batches(paths: list[Path]) -> Iterator[Any]:
    for path in paths:
        with unpacked(path) as file:
            held = [file.read(3).removeprefix(b"\xef\xbb\xbf")]
            while chunk := file.read(_CHUNK):
                whole, end, rest = chunk.rpartition(b"\n")
                if end:
                    yield _lines(b"".join([*held, whole]))
                    held = []
                held.append(rest)
            yield _lines(b"".join(held))


def _one_column() -> Any:
    return pa.schema([("line", pa.large_string())])


def _lines(block: bytes) -> Any:
    # bytes that are no text become U+FFFD; they cannot reach beyond their line
    text = pa.array([block.decode("utf-8", "replace")], pa.large_string())
    return pa.record_batch([pc.split_pattern(text, "\n").values], schema=_one_column())
