"""Slices by executors of a real Spark: the same function, one draw of each slice, and no count comes to us."""

from __future__ import annotations

import os
import shutil
from copy import deepcopy
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow.parquet as pq
import pytest

import discreet
from discreet.errors import SourceError
from discreet.noise import Noise, SeededSource
from discreet.private import slices
from discreet.private.counts import Counts
from discreet.private.engines.counting_query import count
from discreet.private.slice_files import SliceWriter
from tests.slices_in_process import SCHEMA, people, slices_of
from tests.spark_session import Spark
from tests.unit.private.engines.test_spark import arrived  # noqa: F401
from tests.unit.private.test_slices import left_in, made

#: pyspark leaves sockets to the garbage
pytestmark = pytest.mark.filterwarnings("ignore:unclosed <socket:ResourceWarning")
UNIT = discreet.Unit("who", max_rows=5)
BY = ["age", "sex", "day"]


@pytest.fixture
def data(spark: Spark, tmp_path: Path) -> Any:
    # days as days: Spark does not read them in text
    rows = people().to_pandas()
    rows["day"] = rows["day"].astype("datetime64[s]").dt.date
    return discreet.open(spark.classic.createDataFrame(rows), SCHEMA, unit=UNIT, ledger=tmp_path / "ledger", budget=9)


@pytest.fixture
def writer_alike(monkeypatch: pytest.MonkeyPatch) -> type[SliceWriter]:
    """Every slice has the same bits, as only noise for tests can have."""

    class Alike(SliceWriter):
        def __call__(self, place: int, counts: Counts) -> dict[str, Any]:
            return SliceWriter(self.mechanism, deepcopy(self.noise), self.folder)(place, counts)

    monkeypatch.setattr(slices, "SliceWriter", Alike)
    return Alike


@pytest.mark.parametrize("asked", [{"method": "geometric"}, {"method": "threshold", "tau": 4}], ids=["dense", "sparse"])
def test_executors_draw_what_one_process_draws(
    asked: dict[str, Any], data: Any, tmp_path: Path, writer_alike: type[SliceWriter]
) -> None:
    """Under the same bits."""
    noise, alike = Noise(SeededSource(7)), Noise(SeededSource(7))
    data.publish(discreet.Table(BY, slices=3, **asked), 1, to=tmp_path / "a", noise=noise)
    exact = count(data.origin.source, SCHEMA, UNIT, salt=alike.salt())
    mechanism = made(asked, 3, UNIT)
    for place, mine in enumerate(slices_of(exact, mechanism.cell_slices)):
        here = writer_alike(mechanism, alike, str(tmp_path))(place, mine)["file"]
        there = tmp_path / "a" / f"slice-{place:05d}.parquet"
        assert (tmp_path / here).read_bytes() == there.read_bytes()


def test_candidates_of_executors_are_merged(
    data: Any,
    tmp_path: Path,
    arrived: list[int],  # noqa: F811
    writer_alike: type[SliceWriter],
) -> None:
    """One process has the same candidates under the same bits, and finds the same sample among them."""
    noise, alike = Noise(SeededSource(7)), Noise(SeededSource(7))
    asked: dict[str, Any] = {"method": "priority", "size": 9}
    release = data.publish(discreet.Table(BY, slices=3, **asked), 1, to=tmp_path / "a", noise=noise)
    assert arrived[-2:] == [1, 3]  # of the rehearsal, and of the slices
    assert left_in(tmp_path) == []
    exact = count(data.origin.source, SCHEMA, UNIT, salt=alike.salt())
    mechanism = made(asked, 3, UNIT)
    cells = [mechanism.cell_slices.cells(place) for place in range(3)]
    parts = zip(cells, slices_of(exact, mechanism.cell_slices), strict=True)
    tables = [mechanism.slice_of(mine, *mechanism.occupied(one), deepcopy(alike)) for mine, one in parts]
    assert mechanism.merged_slices(tables, alike).stored().equals(release.summary.stored())
    assert len(discreet.load(tmp_path / "a").to_arrow()) == 9


@pytest.mark.parametrize("remote", [False, True], ids=["classic", "connect"])
def test_only_names_of_files_come_to_us(
    remote: bool,
    spark: Spark,
    arrived: list[int],  # noqa: F811
    tmp_path: Path,
) -> None:
    rows = people().drop(["day"])
    data = discreet.open(spark.rows(rows, remote=remote), SCHEMA.select(["age", "sex"]))
    release = data.publish(discreet.Table(["age", "sex"], method="filter", theta=40, slices=4), 5, to=tmp_path / "a")
    assert arrived[-2:] == [1, 4]  # of the rehearsal, and of the slices
    assert all(many <= 4 for many in arrived)
    assert left_in(tmp_path) == [f"slice-0000{place}.parquet" for place in range(4)]
    assert discreet.load(tmp_path / "a").manifest == release.manifest


def test_an_attempt_that_is_killed_shows_nothing(data: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """It dies after it wrote its file, and is tried again: another draw, which alone is published."""
    evidence = tmp_path / "evidence"
    evidence.mkdir()

    class Killed(SliceWriter):
        def __call__(self, place: int, counts: Counts) -> dict[str, Any]:
            done = SliceWriter.__call__(self, place, counts)
            kept = evidence / f"{place}.parquet"
            if place == 1 and not kept.exists():
                shutil.copy(Path(self.folder) / done["file"], kept)
                os.kill(os.getpid(), 9)
            return done

    monkeypatch.setattr(slices, "SliceWriter", Killed)
    release = data.publish(discreet.Table(BY, method="geometric", slices=3), 1, name="a", to=tmp_path / "a")
    first, shown = (pq.read_table(file) for file in (evidence / "1.parquet", tmp_path / "a" / "slice-00001.parquet"))
    assert first.drop(["count"]).equals(shown.drop(["count"]))
    assert np.mean(first["count"].to_numpy() == shown["count"].to_numpy()) < 0.9  # by chance, with less than 1e-9
    assert left_in(tmp_path) == [f"slice-0000{place}.parquet" for place in range(3)]
    assert len(release.manifest["files"]) == 3
    assert data.ledger.spent == 1


def test_executors_without_what_it_takes_cost_nothing(
    data: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(slices, "version", lambda name: "0.0.1 of another time")
    with pytest.raises(SourceError, match="cannot write slices to"):
        data.publish(discreet.Table(BY, method="geometric", slices=3), 1, name="a", to=tmp_path / "a")
    assert data.ledger.spent == 0
    assert left_in(tmp_path) == []
