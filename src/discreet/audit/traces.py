"""What publishing leaves behind, byte by byte: files, sizes, messages, temporary files, exit codes.

Invented rows with canaries are published over and over, each time in a process of its own, with the same test noise.
What is published then may depend on nothing but the counts: not on the order of rows, on files and threads, nor on rows
that no rule counts. No canary may be in any byte, and a neighbour may change nothing but noisy values.
"""

from __future__ import annotations

import json
import os
import re
import stat
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.csv
import pyarrow.parquet as pq

from discreet.audit.canaries import Baited, Mark, reordered
from discreet.audit.traced_run import FAILED, RELEASE
from discreet.kernels.cores import cores
from discreet.mechanisms import Request
from discreet.privacy import as_text
from discreet.tasks import Task

Progress = Callable[[str], None]
Files = dict[str, Path]

PROGRAM = (sys.executable, "-m", "discreet.audit.traced_run")
_INPUT, _TEMPORARY = "in", "tmp"
_MANIFEST, _TABLE = f"{RELEASE}/release.json", f"{RELEASE}/table.parquet"
#: what differs between two releases of one request in any case
_OF_THE_RUN = ("time", "ledger", "seal")
#: what noisy values decide; that they alone decide it is what record and replay shows
_NOISY = ("summary", "files")
#: shapes that keep a noisy number of rows
_SPARSE = ("sparse-cells", "sparse-nodes")
_DETAIL = re.compile(rb"discreet-private-[^.]*\.txt")


@dataclass(frozen=True)
class Traced:
    """All runs of one release: what is wrong, how much was looked at, and what was tried."""

    problems: tuple[str, ...]
    looked_at: int
    variants: tuple[str, ...]


@dataclass(frozen=True, eq=False)
class _Variant:
    """One way to publish."""

    what: str
    table: pa.Table
    write: Callable[[pa.Table, Path], list[Path]]
    threads: int = 1
    hash_seed: int = 0


@dataclass(frozen=True, eq=False)
class _Run:
    """What one process said and left."""

    what: str
    folder: Path
    code: int
    out: bytes
    err: bytes

    @property
    def files(self) -> Files:
        """All that it wrote, by name."""
        every = (path for path in sorted(self.folder.rglob("*")) if path.is_file() or path.is_symlink())
        names = {path.relative_to(self.folder).as_posix(): path for path in every}
        return {name: path for name, path in names.items() if not name.startswith(f"{_INPUT}/")}

    @property
    def said(self) -> tuple[int, bytes, bytes]:
        """Exit code and both streams, without the names that a run is given."""
        here = os.fsencode(self.folder)
        out, err = (_DETAIL.sub(b"DETAIL", text.replace(here, b".")) for text in (self.out, self.err))
        return self.code, out, err

    @property
    def manifest(self) -> dict[str, Any]:
        read: dict[str, Any] = json.loads((self.folder / _MANIFEST).read_text(encoding="utf-8"))
        return read


def traced(
    task: Task,
    request: Request,
    *,
    seed: int = 0,
    program: Sequence[str] = PROGRAM,
    progress: Progress = lambda what: None,
) -> Traced:
    """Publishes invented rows in many ways and compares what is left. Reads no data; nothing is charged."""
    mark = Mark.fresh()
    baited = Baited(request, mark, one_row_each=task.name == "items")
    variants = _variants(baited)
    job = {
        "task": task.to_dict(),
        "schema": request.schema.to_dict(),
        "unit": request.unit.to_dict(),
        "epsilon": as_text(request.epsilon),
        "seed": seed,
    }
    with tempfile.TemporaryDirectory(prefix="discreet-audit-") as folder:

        def run(place: int) -> _Run:
            progress(f"bytes: {variants[place].what}")
            return _published(variants[place], job, Path(os.path.realpath(folder)) / str(place), program)

        with ThreadPoolExecutor(min(2, cores())) as pool:
            runs = list(pool.map(run, range(len(variants))))
        seen = [
            (f"{one.what}: a canary is in {place}", len(content), mark.found_in(content))
            for one in runs
            for place, content in _contents(one)
        ]
        problems = dict.fromkeys([*(problem for problem, _, found in seen if found), *_problems(runs)])
    return Traced(tuple(problems), sum(length for _, length, _ in seen), tuple(one.what for one in runs))


# the ways to publish, the plain one first

_PLAIN, _NEIGHBOUR, _DAMAGED = "plain", "one unit less", "a damaged file"


def _variants(baited: Baited) -> list[_Variant]:
    table, longer = baited.table, baited.longer
    return [
        _Variant(_PLAIN, table, _parquet),
        _Variant("rows in another order", reordered(table), _parquet),
        _Variant("many small parts, two threads, another hash seed", table, _parts, 2, 1),
        _Variant("CSV", table, _csv),
        _Variant("CSV in another order, two threads, another hash seed", reordered(table), _csv, 2, 1),
        *([] if longer is None else [_Variant("more rows that do not count", longer, _parquet)]),
        _Variant(_NEIGHBOUR, baited.neighbour, _parquet),
        _Variant(_DAMAGED, table, _damaged),
        _Variant(f"{_DAMAGED}, of a neighbour in another order", reordered(baited.neighbour), _damaged),
    ]


def _parquet(table: pa.Table, folder: Path) -> list[Path]:
    pq.write_table(table, folder / "rows.parquet")
    return [folder / "rows.parquet"]


def _parts(table: pa.Table, folder: Path) -> list[Path]:
    paths, half = [], table.num_rows // 2
    for name, part in (("a.parquet", table.slice(half)), ("b.parquet", table.slice(0, half))):
        pq.write_table(part, folder / name, row_group_size=7)
        paths.append(folder / name)
    return paths


def _csv(table: pa.Table, folder: Path) -> list[Path]:
    pa.csv.write_csv(table, folder / "rows.csv")
    return [folder / "rows.csv"]


def _damaged(table: pa.Table, folder: Path) -> list[Path]:
    """A file that opens, and whose last rows cannot be read."""
    path = folder / "rows.parquet"
    pq.write_table(table, path, row_group_size=max(1, table.num_rows // 2), use_dictionary=False)
    last = pq.read_metadata(path).row_group(1)
    content = bytearray(path.read_bytes())
    for place in range(last.num_columns):
        column = last.column(place)
        start = column.data_page_offset
        content[start : start + column.total_compressed_size] = b"\xff" * column.total_compressed_size
    path.write_bytes(content)
    return [path]


def _published(variant: _Variant, job: dict[str, Any], folder: Path, program: Sequence[str]) -> _Run:
    for name in (_INPUT, _TEMPORARY, "account", "published"):
        (folder / name).mkdir(parents=True)
    files = [str(path.relative_to(folder)) for path in variant.write(variant.table, folder / _INPUT)]
    surroundings = {
        **dict.fromkeys(("TMPDIR", "TEMP", "TMP"), str(folder / _TEMPORARY)),
        "PYTHONHASHSEED": str(variant.hash_seed),
        "PYTHONPATH": os.pathsep.join(filter(None, sys.path)),
    }
    done = subprocess.run(
        program,
        input=repr({**job, "files": files, "threads": variant.threads}).encode(),
        cwd=folder,
        env={**os.environ, **surroundings},
        capture_output=True,
    )
    return _Run(variant.what, folder, done.returncode, done.stdout, done.stderr)


# what may be wrong


def _problems(runs: list[_Run]) -> Iterator[str]:
    plain = runs[0]
    failed = [run for run in runs if run.what.startswith(_DAMAGED)]
    good = [run for run in runs if run not in failed]
    if bad := [run for run in good if run.code != 0 or _MANIFEST not in run.files or _TABLE not in run.files]:
        yield from (f"{run.what}: could not be published, exit code {run.code}" for run in bad)
        return
    for run in good:
        yield from (f"{run.what}: leaves {name} behind" for name in run.files if name.startswith(f"{_TEMPORARY}/"))
    for run in good[1:]:
        yield from (f"{run.what}: {what}" for what in _different(plain, run, neighbour=run.what == _NEIGHBOUR))
    for run in failed:
        yield from (f"{run.what}: {what}" for what in _badly_failed(run))
    if failed[0].said != failed[1].said:
        yield f"{failed[1].what}: the message or the exit code is another one"


def _contents(run: _Run) -> Iterator[tuple[str, bytes]]:
    """Every byte that others may see, names of files included; packed tables are looked at unpacked as well."""
    yield "stdout", run.out
    yield "stderr", run.err
    for name, path in run.files.items():
        yield f"the name {name}", name.encode()
        if _is_detail(name):
            continue
        content = path.read_bytes()
        yield name, content
        if name.endswith(".parquet"):
            yield name, _unpacked(content)


def _unpacked(content: bytes) -> bytes:
    """A Parquet file with its notes and its statistics, none of it compressed."""
    file, sink = pq.ParquetFile(pa.BufferReader(content)), pa.BufferOutputStream()
    with pa.ipc.new_file(sink, file.schema_arrow) as writer:
        writer.write_table(file.read())
    notes = repr((file.metadata.metadata, file.metadata.to_dict()))
    return bytes(sink.getvalue().to_pybytes()) + notes.encode()


def _different(plain: _Run, other: _Run, *, neighbour: bool) -> Iterator[str]:
    for what, one, two in zip(("exit code", "stdout", "stderr"), plain.said, other.said, strict=True):
        if one != two:
            yield f"{what} is another one"
    if _modes(plain) != _modes(other):
        yield "other files are written, or with other permissions"
    mine, theirs = plain.files, other.files
    for name in [name for name in mine if name in theirs]:
        published = name.startswith(f"{RELEASE}/")
        if not published and mine[name].stat().st_size != theirs[name].stat().st_size:
            yield f"{name} has another size"
        if published and name != _MANIFEST and not neighbour and mine[name].read_bytes() != theirs[name].read_bytes():
            yield f"{name} has other bytes"
    said, read = plain.manifest, other.manifest
    free = (*_OF_THE_RUN, *(_NOISY if neighbour else ()))
    for key in said | read:
        if key not in free and (key not in said or key not in read or said[key] != read[key]):
            yield f"release.json says something else about {key}"
    if neighbour:
        yield from _other_form(plain, other)


def _other_form(plain: _Run, other: _Run) -> Iterator[str]:
    """What is not noisy in a release: which facts it has, the columns of its table and, mostly, its length."""
    facts = [run.manifest["summary"] for run in (plain, other)]
    if list(facts[0]) != list(facts[1]):
        yield "release.json has other facts about the summary"
    first, second = (pq.ParquetFile(run.folder / _TABLE) for run in (plain, other))
    if not first.schema_arrow.equals(second.schema_arrow, check_metadata=True):
        yield "table.parquet has other columns"
    if facts[0]["shape"] not in _SPARSE and first.metadata.num_rows != second.metadata.num_rows:
        yield "table.parquet has another number of rows"


def _modes(run: _Run) -> list[tuple[str, str]]:
    return [(name, stat.filemode(path.stat().st_mode)) for name, path in run.files.items()]


def _badly_failed(run: _Run) -> Iterator[str]:
    if run.code != FAILED:
        yield f"exit code {run.code}, not {FAILED}"
    for name, path in run.files.items():
        if name.startswith(f"{RELEASE}/") or (name.startswith(f"{_TEMPORARY}/") and not _is_detail(name)):
            yield f"leaves {name} behind"
        if _is_detail(name) and stat.S_IMODE(path.stat().st_mode) != 0o600:
            yield "others can read the private details"


def _is_detail(name: str) -> bool:
    return bool(_DETAIL.fullmatch(name.removeprefix(f"{_TEMPORARY}/").encode()))
