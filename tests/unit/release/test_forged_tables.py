"""Tables that nobody published, sealed anew: too large to add up, no numbers, or far too many rows."""

from __future__ import annotations

import json
import math
import shutil
import subprocess
import sys
from contextlib import suppress
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from discreet.errors import CannotAnswer, TamperedRelease
from discreet.release import files as folder
from discreet.release import load
from discreet.summaries import sliced_cells, sparse_cells

FOLDERS = Path(__file__).parents[2] / "fixtures" / "releases"
#: those in slices have no such table: `test_what_no_slice_holds_is_refused`
RELEASES = sorted(place.name for place in FOLDERS.iterdir() if (place / "table.parquet").exists())
SLICED = sorted(place.name for place in FOLDERS.iterdir() if place.is_dir() and place.name not in RELEASES)


def noisy_columns(name: str) -> dict[str, type]:
    """What a release of this kind is read from, apart from labels; each with the type of its values."""
    schema = pq.read_schema(FOLDERS / name / "table.parquet")
    for columns in (
        ["coefficient"],
        ["group_count"],
        ["look", "second_look"],
        ["noisy"],
        ["shared_count"],
        ["count", "count_before"],
        ["node_count"],
    ):
        if found := [column for column in columns if column in schema.names]:
            break
    return {column: float if pa.types.is_floating(schema.field(column).type) else int for column in found}


def forged(name: str, tmp_path: Path, number: float) -> Path:
    """A release of which every noisy value is this number; what was not measured stays so."""
    place = Path(shutil.copytree(FOLDERS / name, tmp_path / "r"))
    table = pq.read_table(place / "table.parquet")
    for column, kind in noisy_columns(name).items():
        values, gaps = np.full(table.num_rows, kind(number)), table[column].is_null().to_numpy() & (column == "noisy")
        table = table.set_column(table.schema.get_field_index(column), column, pa.array(values, mask=gaps))
    pq.write_table(table, place / "table.parquet")
    return sealed(place)


def sealed(place: Path) -> Path:
    manifest = json.loads((place / "release.json").read_text(encoding="utf-8"))
    manifest["files"] = {"table.parquet": folder._digest(place / "table.parquet")}
    manifest["seal"] = folder.seal_of(manifest)
    (place / "release.json").write_text(json.dumps(manifest), encoding="utf-8")
    return place


@pytest.mark.parametrize("name", RELEASES)
def test_sums_of_huge_counts_do_not_wrap(name: str, tmp_path: Path) -> None:
    # weights that add up to 2**62 are refused
    release = load(forged(name, tmp_path, 2**55 if "shared_count" in noisy_columns(name) else 2**62))
    schema = release.schema
    for where in (None, {schema.names[0]: schema[schema.names[0]].label(0)}):
        with suppress(CannotAnswer):
            found = release.count(where)
            assert math.isfinite(found.value)
            assert found.low <= found.value <= found.high
            if name in ("table-geometric", "table-filter", "marginals-ireduct", "items-lpa", "items-gs"):
                assert found.value >= 2**61, "sums of positive counts"


@pytest.mark.parametrize("number", [2**62 + 2**20, -(2**63), float("nan"), float("inf")])
@pytest.mark.parametrize("name", RELEASES)
def test_what_no_release_holds_is_refused(name: str, number: float, tmp_path: Path) -> None:
    if isinstance(number, float) and int in noisy_columns(name).values():
        pytest.skip("whole numbers are all finite")
    with pytest.raises(TamperedRelease, match="holds counts"):
        load(forged(name, tmp_path, number))


def forged_slice(name: str, tmp_path: Path, number: int) -> Path:
    """A release in slices of which the last has this number in every cell."""
    place = Path(shutil.copytree(FOLDERS / name, tmp_path / "r"))
    manifest = json.loads((place / "release.json").read_text(encoding="utf-8"))
    last = sorted(manifest["files"])[-1]
    table = pq.read_table(place / last)
    counts = pa.array(np.full(table.num_rows, number))
    pq.write_table(table.set_column(table.schema.get_field_index("count"), "count", counts), place / last)
    manifest["files"][last] = folder._digest(place / last)
    manifest["seal"] = folder.seal_of(manifest)
    (place / "release.json").write_text(json.dumps(manifest), encoding="utf-8")
    return place


@pytest.mark.parametrize("loaded", [True, False])
@pytest.mark.parametrize("number", [2**62 + 2**20, -(2**63)])
@pytest.mark.parametrize("name", SLICED)
def test_what_no_slice_holds_is_refused(
    name: str, number: int, loaded: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """When it is read or, where it is too large for that, when it is asked."""
    if not loaded:
        monkeypatch.setattr(sliced_cells, "MOST_LOADED", 1)
    with pytest.raises(TamperedRelease, match="counts"):
        load(forged_slice(name, tmp_path, number)).count()


ROWS = 12_000_000
MEASURED = """
import resource, sys
from discreet.errors import TamperedRelease
from discreet.release import load
load(sys.argv[2])
before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
try:
    load(sys.argv[1])
except TamperedRelease as error:
    print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before, error)
"""


@pytest.mark.parametrize(
    "name", ["table-geometric", "table-filter", "ranges-wavelet-filter", "items-lpa", "table-sketch"]
)
def test_a_few_bytes_that_become_millions_of_rows_are_refused_in_little_memory(name: str, tmp_path: Path) -> None:
    place = Path(shutil.copytree(FOLDERS / name, tmp_path / "r"))
    table = pq.read_table(place / "table.parquet")
    row = table.take([0] * 100_000).combine_chunks()
    with pq.ParquetWriter(place / "table.parquet", table.schema, compression="zstd") as writer:
        for _ in range(ROWS // row.num_rows):
            writer.write_table(row)
    assert (place / "table.parquet").stat().st_size < 400_000
    sealed(place)
    command = [sys.executable, "-c", MEASURED, str(place), str(FOLDERS / name)]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    kilobytes, _, message = done.stdout.partition(" ")
    assert "do not fit together" in message
    assert int(kilobytes) < 64_000, done.stdout


def rearranged(place: Path, rows: list[int]) -> Path:
    table = pq.read_table(place / "table.parquet")
    pq.write_table(table.take([row % table.num_rows for row in rows]), place / "table.parquet")
    return sealed(place)


@pytest.mark.parametrize("rows", [[1, 0], [0, 0], [0, 1, 2, 1], [-1, 0, 1]], ids=["swapped", "twice", "again", "last"])
@pytest.mark.parametrize("name", ["table-filter", "table-filter-priority"])
@pytest.mark.parametrize("together", [1, 1 << 16])
def test_cells_out_of_order_are_refused(
    name: str, rows: list[int], together: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Questions look for cells by halving, which would miss some of these. So many rows are read together."""
    monkeypatch.setattr(sparse_cells, "_PIECE", together)
    monkeypatch.setattr(sparse_cells, "_OFTEN", 0)
    place = Path(shutil.copytree(FOLDERS / name, tmp_path / "r"))
    with pytest.raises(TamperedRelease, match="a cell twice, or its cells are not in order"):
        load(rearranged(place, rows))
    load(FOLDERS / name)
