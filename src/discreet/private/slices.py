"""A release that executors draw in slices: each slice is drawn where its counts are, and one file of each is published.

What is charged, recorded and renamed is as for any release (`publish`). Attempts write to a private folder beside the
place of the release. Those files that the executors' one action returned are moved out of it and listed, or what they
hold is merged into a release of one file; with the folder everything else is removed, so two draws of a cell are never
to be seen.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from importlib.metadata import version
from pathlib import Path
from typing import Any

from discreet.errors import BadParameter, SourceError
from discreet.mechanisms import Mechanism
from discreet.mechanisms.table.table_slices import Sliceable
from discreet.noise import Noise
from discreet.private.bounded import Origin
from discreet.private.cell_slices import CellSlices
from discreet.private.rows import Rows
from discreet.private.slice_files import SliceRehearsal, SliceWriter
from discreet.release import Release, files, placing
from discreet.summaries.informed import informed


def check(mechanism: Mechanism, origin: Origin, target: Path | None, noise: Noise) -> None:
    """Refuses slices where there is nobody to draw them. An audit, with noise of its own, draws them by itself."""
    only_tried = target is None and not noise.private
    if not isinstance(mechanism, Sliceable) or mechanism.slices is None or only_tried:
        return
    if not isinstance(origin, Rows) or not origin.source.has_executors:
        raise BadParameter("slices: only executors of Spark draw in slices; open a Spark DataFrame, or leave it out")
    if target is None:
        raise BadParameter("slices: executors write files, so say in which folder the release is to be: to=...")


def rehearse(mechanism: Mechanism, origin: Origin, target: Path | None, noise: Noise) -> None:
    """The real query over no rows, by executors who write to where slices will be written; before any charge."""
    if not isinstance(mechanism, Sliceable) or mechanism.slices is None or target is None:
        return
    assert isinstance(origin, Rows)  # checked before
    from discreet.private.engines.counting_query import count_in_slices

    schema, unit = mechanism.request.schema, mechanism.request.unit
    with placing.staging(target) as folder:
        work = SliceRehearsal(mechanism, noise, str(folder.absolute()), version("discreet"))
        single, source = CellSlices(schema.sizes, 1), origin.source.without_rows()
        try:
            done = count_in_slices(source, schema, unit, single, work, salt=b"rehearsal")
            seen = all((folder / one["file"]).is_file() for one in done)
        except SourceError:
            seen = False
        if not seen:
            raise SourceError(
                f"{origin.source.name}: Spark's executors cannot write slices to {target.absolute().parent}. They need "
                f"discreet {version('discreet')} in their Python (PYSPARK_PYTHON), and that folder, shared with this "
                "process and its user"
            )


def publish(
    mechanism: Sliceable,
    origin: Origin,
    said: dict[str, Any],
    target: Path,
    noise: Noise,
    record: Callable[[str], None],
) -> Release:
    """Counts, draws and writes in slices; `record` gets the seal before anything is to be seen."""
    assert isinstance(origin, Rows)
    from discreet.private.engines.counting_query import count_in_slices

    schema, unit, slices = mechanism.request.schema, mechanism.request.unit, mechanism.cell_slices
    salt = noise.salt()
    with placing.staging(target) as folder:
        work = SliceWriter(mechanism, noise, str(folder.absolute()))
        done = count_in_slices(origin.source, schema, unit, slices, work, salt=salt)
        one_each = one_of_each(done, slices.many, folder)
        if mechanism.merges:
            merged = mechanism.merged_slices([_read(folder, one) for one in one_each], noise)
            summary = informed(merged, mechanism.request.known)
            about = {"shape": summary.shape, **summary.facts()}
            complete, contents = files.sealed({**said, "summary": about}, summary)
            placing.place(target, complete, contents, record)
            return Release(summary, complete, {name: held for name, held in contents.items() if name != files.TABLE})
        accepted = [_named(one) for one in one_each]
        complete = files.sealed_slices(said, mechanism.slice_facts(), accepted)
        placing.place(target, complete, {one["file"]: folder / one["attempt"] for one in accepted}, record)
    summary = files.read_summary(target, complete, just_written=True)
    return Release(summary, complete, files.read_beside(target, complete))


def one_of_each(done: list[dict[str, Any]], many: int, folder: Path) -> list[dict[str, Any]]:
    """What was done of each slice, in order, if that is one file of each, and it is there."""
    ordered = sorted(done, key=lambda one: int(one["slice"]))
    if [one["slice"] for one in ordered] != list(range(many)):
        raise RuntimeError("Spark did not return exactly one result of each slice")
    for one in ordered:
        path = folder / one["file"]
        if path.parent != folder or not path.is_file() or path.stat().st_size != one["bytes"]:
            raise RuntimeError("a slice is not there as it was written; is the folder one that all executors share?")
    return ordered


def _read(folder: Path, done: Mapping[str, Any]) -> Any:
    """The table that one attempt has written of a slice."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    content = (folder / done["file"]).read_bytes()
    if files.digest_of(content)["sha256"] != done["sha256"]:
        raise RuntimeError("a slice is not there as it was written; is the folder one that all executors share?")
    return pq.read_table(pa.BufferReader(content))


def _named(done: Mapping[str, Any]) -> dict[str, Any]:
    """With the name that its file has in the release, which says nothing of attempts."""
    return {**done, "attempt": done["file"], "file": f"slice-{done['slice']:05d}.parquet"}
