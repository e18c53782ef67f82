"""What a release looks like on disk: plain Parquet and release.json, whose seal covers every byte of both."""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from discreet.about import about_problems
from discreet.errors import DiscreetError, TamperedRelease
from discreet.left_out import LeftOut
from discreet.privacy import Unit
from discreet.queries.known_entries import read_entries
from discreet.queries.known_totals import KnownTotals
from discreet.queries.reliability import read_thresholds
from discreet.release.cells_file import CELLS, about_cells, cells_table, has_labels
from discreet.schema import Schema
from discreet.summaries import Summary, summary_of
from discreet.summaries.dense_cells import MOST_LABELLED
from discreet.summaries.informed import informed

#: bytes of a file, or the path of one that has them
Content = bytes | Path
MANIFEST = "release.json"
TABLE = "table.parquet"
FORMAT = 2
#: the table comes in slices, each a file
SLICED = 3
#: format 1 has sentences where format 2 has kinds of what is left out
READABLE = (1, 2, SLICED)
_FIELDS: dict[str, type] = {
    **dict.fromkeys(("id", "request", "dataset", "time", "method", "epsilon", "software"), str),
    **dict.fromkeys(("task", "unit", "schema", "noise", "ledger", "summary", "files"), dict),
    **dict.fromkeys(("parameters", "data_attributes", "leaves_out"), list),
    **dict.fromkeys(("task.task", "unit.unit", "unit.neighbours", "noise.law", "noise.bits", "ledger.head"), str),
    **dict.fromkeys(("noise.publishable", "ledger.durable"), bool),
    "sensitivity": int,
}
_SPENDING = ("cap", "spent_before", "spent_after")
_DECIMAL = re.compile(r"\d{1,12}(\.\d{1,9})?")


def seal_of(manifest: dict[str, Any]) -> str:
    """The hash of everything in a manifest but the seal itself; the manifest holds the hashes of the other files."""
    content = {key: value for key, value in manifest.items() if key != "seal"}
    return hashlib.sha256(json.dumps(content, ensure_ascii=True, separators=(",", ":")).encode()).hexdigest()


def sealed(
    manifest: dict[str, Any], summary: Summary, beside: Mapping[str, Content] | None = None
) -> tuple[dict[str, Any], dict[str, Content]]:
    """The manifest with file hashes and seal, and the bytes of its files, or where these are, by name.

    A release that was loaded keeps its format, and what lay `beside` its table, so that a copy has the seal that the
    ledger knows. Beside a new one whose rows are no cells lie its cells, unless they are too many.
    """
    if manifest.get("format") == SLICED:  # as it was loaded, under the seal that it has
        return dict(manifest), dict(beside or {})
    table = summary.stored()
    contents: dict[str, Content] = {TABLE: packed(table)}
    said: dict[str, Any] = {}
    if beside is not None:
        contents |= beside
    elif not has_labels(table.column_names, summary.schema):
        said = {"cells": about_cells(summary.schema)}
        if said["cells"]["file"] is not None:
            contents[CELLS] = packed(cells_table(summary))
    files = {name: digest_of(held) for name, held in contents.items() if isinstance(held, bytes)}
    complete = {**manifest, "format": manifest.get("format", FORMAT), **said, "files": files}
    return {**complete, "seal": seal_of(complete)}, contents


def sealed_slices(manifest: dict[str, Any], facts: dict[str, Any], slices: Sequence[Mapping[str, Any]]) -> Any:
    """The manifest, complete, of a table in slices: `file`, `sha256`, `bytes` and `rows` of each, in order."""
    schema = Schema.from_dict(manifest["schema"])
    complete = {
        **manifest,
        "summary": {**facts, "slices": [{"file": one["file"], "rows": one["rows"]} for one in slices]},
        "format": SLICED,
        **({"cells": about_cells(schema)} if facts["shape"] == "dense-cells" and schema.cells > MOST_LABELLED else {}),
        "files": {one["file"]: {"sha256": one["sha256"], "bytes": one["bytes"]} for one in slices},
    }
    return {**complete, "seal": seal_of(complete)}


def digest_of(held: bytes) -> dict[str, Any]:
    return {"sha256": hashlib.sha256(held).hexdigest(), "bytes": len(held)}


def packed(table: Any) -> bytes:
    """The bytes of a Parquet file with this table."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    sink = pa.BufferOutputStream()
    # without Arrow's or pandas' own notes: the columns say it all
    table = table.replace_schema_metadata(None)
    pq.write_table(table, sink, compression="zstd", store_schema=False)
    return bytes(sink.getvalue())


def read_beside(folder: Path, manifest: dict[str, Any]) -> dict[str, Content]:
    """The files besides the table, of a release whose bytes were checked; slices stay where they are."""
    if manifest["format"] == SLICED:
        return {name: folder / name for name in manifest["files"]}
    return {name: (folder / name).read_bytes() for name in manifest["files"] if name != TABLE}


def check_place(folder: Path) -> None:
    """Refuses what is no release for certain: nothing at all, a file, and a folder of releases."""
    if not folder.is_dir():
        what = "is a file" if folder.exists() else "no such folder"
        raise DiscreetError(f"{folder}: {what}; a release is a folder with {MANIFEST} in it")
    inside = sorted(path.parent.name for path in folder.glob(f"*/{MANIFEST}"))
    if inside and not (folder / MANIFEST).exists():
        some = ", ".join(inside[:5]) + (", ..." if len(inside) > 5 else "")
        raise DiscreetError(f"{folder}: is a folder of releases ({some}); name one, such as {folder / inside[0]}")


def read_manifest(folder: Path) -> dict[str, Any]:
    """release.json, complete and untouched, or TamperedRelease."""
    check_place(folder)
    try:
        manifest = json.loads((folder / MANIFEST).read_text(encoding="utf-8"))
    except FileNotFoundError:
        raise TamperedRelease(f"{folder}: has no {MANIFEST}; copy the whole release folder again") from None
    except (OSError, ValueError, RecursionError):
        raise TamperedRelease(f"{folder}: {MANIFEST} is cut off or not JSON; copy the release again") from None
    if not isinstance(manifest, dict) or "seal" not in manifest:
        raise TamperedRelease(f"{folder}: {MANIFEST} does not belong to a release; get the release again")
    if manifest.get("format") not in READABLE or isinstance(manifest["format"], bool):
        shown = _short(repr(manifest.get("format")))
        raise DiscreetError(f"{folder}: was written in format {shown}; upgrade discreet to read it")
    try:
        seal = seal_of(manifest)
    except (ValueError, RecursionError):
        raise TamperedRelease(f"{folder}: {MANIFEST} holds what no release does; get the release again") from None
    if manifest["seal"] != seal:
        raise TamperedRelease(f"{folder}: {MANIFEST} was changed after it was published; get the release again")
    if wrong := _wrong_part(manifest):
        raise TamperedRelease(f"{folder}: {MANIFEST} lacks {wrong}, as every release has it; get the release again")
    return manifest


def _wrong_part(manifest: dict[str, Any]) -> str:
    """The first part that is not there, or not of the kind that readers rely on."""
    for path, kind in _FIELDS.items():
        outer, _, inner = path.partition(".")
        found = manifest.get(outer)
        found = found.get(inner) if inner and isinstance(found, dict) else found
        if not isinstance(found, kind) or (kind is int and isinstance(found, bool)):
            return f"`{path}`"
    if not all(isinstance(name, str) for name in manifest["data_attributes"]):
        return "names of `data_attributes`"
    try:
        Unit.from_dict(manifest["unit"])
    except DiscreetError as error:
        return f"a `unit` ({_short(error)})"
    try:
        read_thresholds(manifest.get("reliable"))
    except DiscreetError as error:
        return f"thresholds ({_short(error)})"
    if wrong := _wrong_words(manifest):
        return f"words in `{wrong}`"
    if manifest["format"] == SLICED:
        return "" if _lists_slices(manifest) else "a list of its slices"
    return "" if TABLE in manifest["files"] else f"{TABLE} among its `files`"


def _lists_slices(manifest: dict[str, Any]) -> bool:
    """Whether every file is a slice, and every slice a file."""
    slices = manifest["summary"].get("slices")
    if not isinstance(slices, list) or not all(isinstance(one, dict) for one in slices) or not slices:
        return False
    whole = all(type(one.get("rows")) is int and one["rows"] >= 0 for one in slices)
    return whole and [one.get("file") for one in slices] == list(manifest["files"])


def _wrong_words(manifest: dict[str, Any]) -> str:
    """The first part, of those that earlier versions did not write, which is there but is not as it is written."""
    if "about" in manifest and about_problems(manifest["about"]):
        return "about"
    spending = {key: manifest["ledger"].get(key) for key in _SPENDING}
    if not all(one is None or (isinstance(one, str) and _DECIMAL.fullmatch(one)) for one in spending.values()):
        return "ledger"
    guarantee, versions = manifest.get("guarantee", {}), manifest.get("versions", {})
    if not isinstance(guarantee, dict) or not all(
        isinstance(guarantee.get(key, ""), str) for key in ("definition", "delta_in_words", "cost")
    ):
        return "guarantee"
    plain = isinstance(versions, dict) and all(isinstance(one, str) for one in versions.values())
    return "" if plain else "versions"


def _check_files(folder: Path, manifest: dict[str, Any]) -> None:
    """Every file has the bytes that were published."""
    for name, published in manifest["files"].items():
        if Path(name).name != name or not (folder / name).is_file():
            raise TamperedRelease(f"{folder}: {name} is missing; copy the whole release folder again")
        if _digest(folder / name) != published:
            raise TamperedRelease(f"{folder}: {name} was changed or cut off after it was published; get it again")
    if manifest["format"] == SLICED:
        others = {path.name for path in folder.glob("*.parquet")} - manifest["files"].keys()
        if others:  # nobody is to take it for a part of the release
            raise TamperedRelease(f"{folder}: {min(others)} is no part of the release; get it again")


def read_summary(folder: Path, manifest: dict[str, Any], *, just_written: bool = False) -> Summary:
    """The summary, after every file was found to have the bytes that were published, unless we wrote them just now."""
    try:
        if not just_written:
            _check_files(folder, manifest)
        for said in manifest["leaves_out"]:
            LeftOut.from_dict(said)
        facts = {**_unsaid(manifest), **manifest["summary"]}
        schema, entries = Schema.from_dict(manifest["schema"]), manifest["task"].get("known")
        if manifest["format"] == SLICED:
            from discreet.summaries.sliced_cells import read_slices

            summary = read_slices(schema, facts, folder)
        else:
            summary = summary_of(facts["shape"]).read(schema, facts, folder / TABLE)
        return informed(summary, None if entries is None else KnownTotals.of(read_entries(entries), schema))
    except TamperedRelease:
        raise
    except (ArithmeticError, AttributeError, LookupError, MemoryError, RuntimeError, TypeError, ValueError) as error:
        # a damaged or forged file can be wrong in any of these ways, and what is wrong is the file
        raise TamperedRelease(
            f"{folder}: its files do not fit together ({_short(error)}); get the release again"
        ) from None


def _unsaid(manifest: dict[str, Any]) -> dict[str, Any]:
    """What earlier versions did not write into the summary, as it follows from the rest."""
    if manifest["method"] in ("ireduct", "iresamp"):
        return {"looks": 4.0}  # how often a table was looked at is not known
    if manifest["task"].get("task") != "items":
        return {}
    unit = Unit.from_dict(manifest["unit"])
    counts_users = manifest["task"].get("count") == "users" or unit.in_cell == 1
    return {
        "most": unit.most,
        "chosen": "popular" if manifest["method"] == "hpa" else "random",
        "what": "different items" if counts_users else "records",
    }


def _short(said: object) -> str:
    """For a message of which values in a file may be a part: printable, and not longer than a line or two."""
    text = str(said).encode("ascii", "backslashreplace").decode()
    return text if len(text) <= 200 else f"{text[:199]}…"


def _digest(path: Path) -> dict[str, Any]:
    with path.open("rb") as file:
        return {"sha256": hashlib.file_digest(file, "sha256").hexdigest(), "bytes": path.stat().st_size}
