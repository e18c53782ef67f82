"""A release on disk: the same when loaded, plain files that open without us, and nothing overwritten."""

from __future__ import annotations

import os
import shutil
from pathlib import Path

import pytest

from discreet.errors import DiscreetError
from discreet.release import Release, load
from tests.unit.release import release_cases
from tests.unit.release.release_cases import BY, ODD, RELEASED, WHERES

noisy, saved = release_cases.noisy, release_cases.saved  # fixtures


def test_save_and_load_give_the_same_release(noisy: Release, saved: Path) -> None:
    loaded = load(saved)
    assert sorted(path.name for path in saved.iterdir()) == ["release.json", "table.parquet"]
    assert loaded.schema == noisy.schema == RELEASED
    assert loaded.manifest == noisy.manifest
    assert loaded.to_arrow().equals(noisy.to_arrow())
    for where, _ in WHERES:
        assert loaded.count(where) == noisy.count(where)
    assert loaded.table(["place.part", "age"], "age > 3").rows() == noisy.table(["place.part", "age"], "age > 3").rows()


def test_saving_again_writes_the_same_bytes(saved: Path, tmp_path: Path) -> None:
    again = load(saved).save(tmp_path / "new" / "folder")
    for name in ("release.json", "table.parquet"):
        assert (again / name).read_bytes() == (saved / name).read_bytes()


def test_saving_never_overwrites(noisy: Release, tmp_path: Path) -> None:
    (tmp_path / "folder").mkdir()
    (tmp_path / "file").write_text("mine")
    for name in ("folder", "file"):
        with pytest.raises(DiscreetError, match=f"{name}: exists already; choose another"):
            noisy.save(tmp_path / name)
    assert (tmp_path / "file").read_text() == "mine"
    assert sorted(path.name for path in tmp_path.iterdir()) == ["file", "folder"]


def test_saving_where_nothing_can_be_made_says_so(noisy: Release, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("mine")
    with pytest.raises(DiscreetError, match="file"):
        noisy.save(tmp_path / "file" / "by-age")
    assert sorted(path.name for path in tmp_path.iterdir()) == ["file"]


def test_a_failed_save_leaves_nothing(noisy: Release, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(handle: int) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises((OSError, DiscreetError)):
        noisy.save(tmp_path / "by-age")
    assert list(tmp_path.iterdir()) == []


def test_the_table_opens_in_pandas_and_duckdb_without_us(noisy: Release, saved: Path) -> None:
    import duckdb
    import pandas as pd

    frame = pd.read_parquet(saved / "table.parquet")
    assert list(frame.columns) == [*BY, "count"]
    assert int(frame["count"].sum()) == noisy.count().value
    assert set(frame["note"]) == {*ODD, "other"}
    query = "SELECT sum(count) FROM read_parquet(?) WHERE place IN ('a', 'b') AND day = DATE '2024-01-02' AND age = '3'"
    with duckdb.connect() as connection:
        found = connection.execute(query, [str(saved / "table.parquet")]).fetchone()
    assert found is not None
    assert found[0] == noisy.count({"place": "north", "day": "2024-01-02", "age": 3}).value


def test_the_table_carries_no_notes_of_the_libraries_that_wrote_it(saved: Path) -> None:
    import pyarrow.parquet as pq

    assert pq.ParquetFile(saved / "table.parquet").metadata.metadata is None
    assert pq.read_schema(saved / "table.parquet").metadata is None


def test_a_place_without_a_release_is_named(tmp_path: Path, saved: Path) -> None:
    (tmp_path / "file").write_text("x")
    (tmp_path / "empty").mkdir()
    shutil.copytree(saved, tmp_path / "several" / "by-age")
    for name, words in (
        ("none", "no such folder"),
        ("file", "is a file; a release is a folder"),
        ("empty", "has no release.json"),
        ("several", r"a folder of releases \(by-age\); name one, such as .*by-age"),
    ):
        with pytest.raises(DiscreetError, match=words) as caught:
            load(tmp_path / name)
        assert str(tmp_path / name) in str(caught.value)
