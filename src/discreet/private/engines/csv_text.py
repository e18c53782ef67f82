"""CSV files as text: their header line, and a repaired copy of a file that no strict reader takes."""

from __future__ import annotations

import codecs
import csv
import gzip
import io
import re
import uuid
from dataclasses import dataclass
from pathlib import Path
from typing import IO, cast

from discreet.errors import SourceError

_LONE_RETURN = re.compile("\r(?!\n)")
_CHUNK = 1 << 22


@dataclass(frozen=True)
class CsvLayout:
    """What one must know of a CSV file to read it."""

    delimiter: str
    packed: bool
    names: tuple[str, ...]

    @classmethod
    def of(cls, path: Path, delimiter: str | None, encoding: str) -> CsvLayout:
        """From the first line, which names the columns; blanks around the names are not part of them."""
        mark = delimiter or ("\t" if ".tsv" in path.name.lower() else ",")
        try:
            with _opened(path) as file, io.TextIOWrapper(file, encoding, errors="replace", newline="") as text:
                cells = next(csv.reader(text, delimiter=mark), None)
                packed = isinstance(file, gzip.GzipFile)
        except (OSError, EOFError, csv.Error, UnicodeError):
            raise SourceError(f"{path}: its first line cannot be read; is this a complete CSV file?") from None
        if cells is None:
            raise SourceError(f"{path}: is empty; a CSV file starts with a line that names its columns")
        names = tuple(name.strip() for name in cells)
        if not any(names):
            raise SourceError(f"{path}: its first line is blank; it must name the columns")
        return cls(mark, packed, names)


def repaired_copy(path: Path, folder: Path, encoding: str) -> Path:
    """A copy in plain UTF-8: bytes that are no text become U+FFFD, and a lone carriage return ends a line.

    No label holds U+FFFD, so a value that could not be read follows the schema's rule for values outside.
    """
    copy = folder / f"{uuid.uuid4().hex}.csv"
    decoder = codecs.getincrementaldecoder(encoding)(errors="replace")
    with _opened(path) as source, copy.open("w", encoding="utf-8", newline="") as target:
        held = ""
        while chunk := source.read(_CHUNK):
            text = held + decoder.decode(chunk)
            held = "\r" if text.endswith("\r") else ""  # its line feed may come with the next chunk
            target.write(_LONE_RETURN.sub("\n", text.removesuffix(held)))
        target.write(_LONE_RETURN.sub("\n", held + decoder.decode(b"", final=True)))
    return copy


def _opened(path: Path) -> IO[bytes]:
    """The file's bytes, unpacked if it is a gzip file whatever its name."""
    with path.open("rb") as file:
        is_packed = file.read(2) == b"\x1f\x8b"
    return cast("IO[bytes]", gzip.open(path)) if is_packed else path.open("rb")
