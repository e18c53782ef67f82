"""CSV files as text: their header line, and a repaired copy of a file that no strict reader takes."""

from __future__ import annotations

import codecs
import csv
import gzip
import io
import re
import uuid
import zlib
from dataclasses import dataclass
from pathlib import Path
from typing import IO, cast

from discreet.errors import SourceError
from discreet.private.engines.lazily import Lazily

pa = Lazily("pyarrow")

_LONE_RETURN = re.compile("\r(?!\n)")
_CHUNK = 1 << 22


@dataclass(frozen=True)
class CsvLayout:
    """What one must know of a CSV file to read it."""

    delimiter: str
    packed: str
    names: tuple[str, ...]

    @classmethod
    def of(cls, path: Path, delimiter: str | None, encoding: str) -> CsvLayout:
        """From the first line, which names the columns; blanks around the names are not part of them."""
        mark = delimiter or ("\t" if ".tsv" in path.name.lower() else ",")
        try:
            packed = _packing(path)
            with unpacked(path) as file, io.TextIOWrapper(file, encoding, errors="replace", newline="") as text:
                cells = next(csv.reader(text, delimiter=mark), None)
        except (OSError, EOFError, csv.Error, UnicodeError, pa.ArrowException, zlib.error):
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
    with unpacked(path) as source, copy.open("w", encoding="utf-8", newline="") as target:
        held = ""
        while chunk := source.read(_CHUNK):
            text = held + decoder.decode(chunk)
            held = "\r" if text.endswith("\r") else ""  # its line feed may come with the next chunk
            target.write(_LONE_RETURN.sub("\n", text.removesuffix(held)))
        target.write(_LONE_RETURN.sub("\n", held + decoder.decode(b"", final=True)))
    return copy


def unpacked(path: Path) -> IO[bytes]:
    """The file's bytes, unpacked if it is packed, whatever its name."""
    packing = _packing(path)
    if packing == "zstd":
        return cast("IO[bytes]", io.BufferedReader(pa.input_stream(str(path), compression="zstd")))
    return cast("IO[bytes]", gzip.open(path)) if packing == "gzip" else path.open("rb")


def _packing(path: Path) -> str:
    """By its first bytes: gzip, zstd or none."""
    with path.open("rb") as file:
        first = file.read(4)
    return "gzip" if first.startswith(b"\x1f\x8b") else "zstd" if first == b"\x28\xb5\x2f\xfd" else "none"
