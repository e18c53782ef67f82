"""Releases in slices: one file of each is published, whatever was tried, and what breaks off shows nothing."""

from __future__ import annotations

import json
import pickle
from fractions import Fraction
from itertools import pairwise
from pathlib import Path
from typing import Any
from unittest.mock import patch

import numpy as np
import pyarrow.parquet as pq
import pytest

import discreet
from discreet.audit.published import published
from discreet.audit.replay import replay
from discreet.audit.verdicts import HOLDS
from discreet.errors import BadParameter, LedgerError, PublishFailed, SourceError, TamperedRelease
from discreet.ledger import Ledger
from discreet.mechanisms import Request, mechanism_for
from discreet.mechanisms.table.table_slices import Sliceable
from discreet.noise import Noise, SeededSource
from discreet.privacy import Unit
from discreet.private.cell_slices import CellSlices
from discreet.private.counts import Counts
from discreet.private.slice_files import SliceWriter, written
from discreet.private.slices import one_of_each
from discreet.release import placing
from tests.conformance.examples import SCHEMA as SMALL
from tests.laplace_law import follows_laplace
from tests.rows_in_memory import opened as in_memory
from tests.slices_in_process import SCHEMA, executors, opened, people, slices_of
from tests.unit.release.test_release_tampering import reseal

METHODS: list[dict[str, Any]] = [
    {"method": "geometric"},
    {"method": "filter", "theta": 2},
    {"method": "filter", "theta": 1, "sided": "one"},
    {"method": "threshold", "tau": 4},
    {"method": "filter-threshold", "theta": 2, "tau": "5.5"},
]
CONTESTS: list[dict[str, Any]] = [
    {"method": "priority", "size": 7},
    {"method": "filter-priority", "size": 5, "theta": 2},
]
each_method = pytest.mark.parametrize("asked", METHODS, ids=lambda one: "-".join(map(str, one.values())))
TASK = discreet.Table(["age", "sex", "day"], method="geometric", slices=4)


def made(asked: dict[str, Any], slices: int, unit: Unit | None = None) -> Sliceable:
    task = discreet.Table(["age", "sex", "day"], slices=slices, **asked)
    mechanism = mechanism_for(task, Request.of(task, SCHEMA, unit or Unit(), 1))
    assert isinstance(mechanism, Sliceable)
    return mechanism


def rows_in(folder: Path) -> list[Any]:
    """The rows of the listed files, in order."""
    names = json.loads((folder / "release.json").read_text(encoding="utf-8"))["files"]
    return [row for name in names for row in pq.read_table(folder / name).to_pylist()]


def left_in(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.rglob("*") if path.name.startswith((".", "slice-")))


@pytest.mark.parametrize("sizes", [(7,), (3, 5, 4), (2**40, 2**30, 3), (2**20,) * 5])
@pytest.mark.parametrize("wanted", [1, 2, 5, 16])
def test_slices_are_even_and_hold_every_cell_once(sizes: tuple[int, ...], wanted: int) -> None:
    slices = CellSlices(sizes, wanted)
    cells = [slices.cells(place) for place in range(slices.many)]
    lengths = [one.stop - one.start for one in cells]
    each = int(np.prod([1, *sizes], dtype=object)) // slices.words
    assert slices.many == min(wanted, slices.words)
    assert cells[0].start == 0
    assert cells[-1].stop == slices.words * each
    assert all(one.stop == other.start for one, other in pairwise(cells))
    assert max(lengths) == slices.longest <= min(lengths) + each


@each_method
def test_slices_are_drawn_as_one_process_draws_them(asked: dict[str, Any], tmp_path: Path) -> None:
    """With the same bits, what an executor writes is what `measure` has, slice by slice."""
    mechanism, counts = made(asked, 3), Counts.from_arrays(SCHEMA.sizes, [[1, 0, 2], [5, 1, 4], [9, 1, 3]], [9, 3, 7])
    noise, alike = Noise(SeededSource(5)), Noise(SeededSource(5))
    files = [
        SliceWriter(mechanism, noise, str(tmp_path))(place, mine)["file"]
        for place, mine in enumerate(slices_of(counts, mechanism.cell_slices))
    ]
    found = [row for name in files for row in pq.read_table(tmp_path / name).to_pylist()]
    assert found == mechanism.measure(counts, alike).to_arrow().to_pylist()
    assert len(found) > 3


@pytest.mark.parametrize("asked", [*METHODS, *CONTESTS], ids=lambda one: "-".join(map(str, one.values())))
@pytest.mark.parametrize("unit", [Unit(), Unit("who", max_rows=3)], ids=["row", "user"])
def test_the_recorded_loss_of_slices_is_the_declared_cost(asked: dict[str, Any], unit: Unit) -> None:
    task = discreet.Table(["age", "sex", "place"], slices=4, **asked)
    found = replay(task, Request.of(task, SMALL, unit, "0.3"), opened=in_memory)
    assert found.problems == []
    assert found.worst.epsilon == found.declared == Fraction(3, 10)


def test_noise_of_slices_has_its_law() -> None:
    """Sparse methods are tried in slices by tests/law/test_sparse_draws.py."""
    task = discreet.Table(["a", "b"], method="geometric", slices=7)
    schema = discreet.Schema(a=discreet.Ordinal(1, 500), b=discreet.Ordinal(1, 100))
    mechanism = mechanism_for(task, Request.of(task, schema, Unit(), "0.5"))
    empty = Counts(schema.sizes, np.empty((0, 2), np.int64), np.empty(0, np.int64))
    drawn = mechanism.measure(empty, Noise()).values  # type: ignore[attr-defined]
    assert follows_laplace(drawn, Fraction(2)).holds
    assert not follows_laplace(drawn, Fraction(5, 2)).holds


def test_a_second_attempt_is_another_draw(tmp_path: Path) -> None:
    """Bits follow neither from the slice nor from what travels to an executor."""
    sent = pickle.dumps(SliceWriter(made({"method": "geometric"}, 2), Noise(), str(tmp_path)))
    nothing = Counts(SCHEMA.sizes, np.empty((0, 3), np.int64), np.empty(0, np.int64))
    done = [pickle.loads(sent)(place, nothing) for place in (0, 0, 1)]
    drawn = {tuple(pq.read_table(tmp_path / one["file"])["count"].to_pylist()) for one in done}
    assert len(drawn) == len({one["file"] for one in done}) == 3


@each_method
def test_a_release_in_slices_answers_and_is_checked(asked: dict[str, Any], tmp_path: Path) -> None:
    data = opened(people(), unit=Unit("who", max_rows=9), ledger=tmp_path / "ledger")
    with executors(attempts=3):
        release = data.publish(discreet.Table(["age", "sex", "day"], slices=4, **asked), 2, name="a", to=tmp_path / "a")
    assert left_in(tmp_path) == [f"slice-0000{place}.parquet" for place in range(4)]
    loaded = discreet.load(tmp_path / "a")
    for where in ({"sex": "f"}, {"age": (2, 5), "day": "2024-01-04"}, None):
        assert str(loaded.count(where)) == str(release.count(where))
    assert loaded.to_arrow().to_pylist() == rows_in(tmp_path / "a")
    assert published(tmp_path / "a", tmp_path / "ledger").verdict == HOLDS
    again = discreet.load(loaded.save(tmp_path / "b"))
    assert again.manifest == loaded.manifest
    assert rows_in(tmp_path / "b") == rows_in(tmp_path / "a")
    again.save(tmp_path / "b", overwrite=True)
    assert discreet.load(tmp_path / "b").manifest == loaded.manifest
    assert "epsilon" in release.report()
    same = data.publish(discreet.Table(["age", "sex", "day"], slices=4, **asked), 2, name="a", to=tmp_path / "a")
    assert same.manifest["seal"] == release.manifest["seal"]


@pytest.mark.parametrize("asked", CONTESTS, ids=lambda one: one["method"])
def test_candidates_of_slices_become_one_sample(asked: dict[str, Any], tmp_path: Path) -> None:
    """Of each slice the candidates of one attempt alone; what is published is as if one process had drawn it."""
    data = opened(people(), unit=Unit("who", max_rows=9), ledger=tmp_path / "ledger")
    task = discreet.Table(["age", "sex", "day"], slices=4, **asked)
    seen: list[Any] = []

    class Noted(SliceWriter):
        def __call__(self, place: int, counts: Counts) -> dict[str, Any]:
            done = SliceWriter.__call__(self, place, counts)
            seen.append((place, pq.read_table(Path(self.folder) / done["file"])))
            return done

    with executors(attempts=3), patch("discreet.private.slices.SliceWriter", Noted):
        release = data.publish(task, 2, name="a", to=tmp_path / "a")
    assert left_in(tmp_path) == []
    assert sorted(path.name for path in (tmp_path / "a").iterdir()) == ["release.json", "table.parquet"]
    loaded = discreet.load(tmp_path / "a")
    assert loaded.manifest == release.manifest
    assert loaded.to_arrow().num_rows == asked["size"]
    assert published(tmp_path / "a", tmp_path / "ledger").verdict == HOLDS
    last = {place: {tuple(row.values())[:2] for row in table.to_pylist()} for place, table in seen}
    cells = {(number, value) for kept in last.values() for number, value in kept}
    summary: Any = release.summary
    codes: Any = np.ravel_multi_index(tuple(summary.codes.T), SCHEMA.sizes)
    assert set(zip(codes.tolist(), summary.values.tolist(), strict=True)) <= cells
    assert len(seen) == 12


def test_a_slice_of_candidates_that_was_changed_is_not_merged(tmp_path: Path) -> None:
    data = opened(people(), ledger=tmp_path / "ledger")

    def spoilt(done: Any) -> Any:
        return [{**one, "sha256": "0" * 64} for one in done] if len(done) == 4 else done

    task = discreet.Table(["age", "sex", "day"], method="priority", size=7, slices=4)
    with executors(spoilt), pytest.raises(PublishFailed, match="costs nothing more"):
        data.publish(task, 1, name="a", to=tmp_path / "a")
    assert left_in(tmp_path) == []
    assert not (tmp_path / "a").exists()


def test_candidates_in_a_domain_beyond_64_bits() -> None:
    """Cells are several numbers there; the largest counts are surely kept, with their cells."""
    schema = discreet.Schema({f"a{place}": discreet.Ordinal(0, 2**20 - 1) for place in range(4)})
    task = discreet.Table(list(schema), method="filter-priority", size=3, theta=100, slices=2)
    mechanism = mechanism_for(task, Request.of(task, schema, Unit(), 1))
    assert isinstance(mechanism, Sliceable)
    codes = np.array([[1, 2, 3, 4], [5, 6, 7, 2**20 - 1], [2**20 - 1, 0, 9, 8]], np.int64)
    counts = Counts(schema.sizes, codes, np.full(3, 10**17))
    parts = mechanism.cell_slices.parts(*mechanism.occupied(counts))
    found: Any = mechanism.merged_slices([mechanism.slice_of(*part, Noise()) for part in parts], Noise())
    assert found.codes.tolist() == codes.tolist()
    assert np.all(np.abs(found.values - 10**17) < 10**6)


@pytest.mark.parametrize(
    "change",
    [
        lambda done: done[1:],
        lambda done: [*done, done[0]],
        lambda done: [{**done[0], "slice": 1}, *done[1:]],
        lambda done: [{**done[0], "bytes": 5}, *done[1:]],
        lambda done: [{**done[0], "file": "../" + done[0]["file"]}, *done[1:]],
        lambda done: [{**done[0], "file": "slice-00000-none.parquet"}, *done[1:]],
    ],
    ids=["one lacks", "one twice", "two of one", "cut off", "elsewhere", "not there"],
)
def test_nothing_but_one_whole_file_of_each_slice_is_published(change: Any, tmp_path: Path) -> None:
    data = opened(people(), ledger=tmp_path / "ledger")
    once = [True]

    def changed(done: Any) -> Any:
        return change(done) if len(done) == 4 and once and once.pop() else done

    with executors(changed, attempts=2), pytest.raises(PublishFailed, match="costs nothing more"):
        data.publish(TASK, 1, name="a", to=tmp_path / "a")
    assert not (tmp_path / "a").exists()
    assert left_in(tmp_path) == []
    with executors():
        data.publish(TASK, 1, name="a", to=tmp_path / "a")
    assert data.ledger.spent == 1


def test_a_file_outside_of_the_private_folder_is_no_slice(tmp_path: Path) -> None:
    (tmp_path / "within").mkdir()
    for place in (tmp_path, tmp_path / "within"):
        (place / "slice").write_bytes(b"drawn")
    done = {"slice": 0, "file": "slice", "bytes": 5}
    assert one_of_each([done], 1, tmp_path / "within") == [done]
    for elsewhere in ("../slice", str(tmp_path / "slice")):
        with pytest.raises(RuntimeError, match="not there as it was written"):
            one_of_each([{**done, "file": elsewhere}], 1, tmp_path / "within")


@pytest.mark.parametrize("when", ["drawn", "sealed", "recorded", "renamed"])
def test_a_publisher_that_dies_shows_one_draw_or_none(
    when: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Whatever it leaves is private, and gone after the release was published."""

    class Death(BaseException):
        pass

    def dies(*_: Any, **__: Any) -> None:
        raise Death

    data = opened(people(), ledger=tmp_path / "ledger")
    monkeypatch.setattr(placing, "_removed", lambda folder: None)  # nothing is tidied up by who is dead
    record = Ledger.record

    def recorded(ledger: Ledger, name: str, seal: str) -> None:
        record(ledger, name, seal)
        raise Death

    place = {
        "drawn": ("discreet.private.slices.one_of_each", dies),
        "sealed": ("discreet.ledger.Ledger.record", dies),
        "recorded": ("discreet.ledger.Ledger.record", recorded),
        "renamed": ("discreet.release.placing.sweep", dies),
    }[when]
    monkeypatch.setattr(*place)
    with executors(attempts=2), pytest.raises(Death):
        data.publish(TASK, 1, name="a", to=tmp_path / "a")
    monkeypatch.undo()
    assert (tmp_path / "a").exists() == (when == "renamed")
    staged = [path for path in tmp_path.iterdir() if path.name.endswith(".slices")]
    assert staged
    assert all(path.stat().st_mode & 0o077 == 0 for path in staged)
    seal = data.ledger.recorded("a")
    with executors():
        release = data.publish(TASK, 1, name="a", to=tmp_path / "a")
    assert seal in (None, release.manifest["seal"])
    assert left_in(tmp_path) == [f"slice-0000{place}.parquet" for place in range(4)]
    assert data.ledger.spent == 1


def test_who_writes_late_finds_no_folder(tmp_path: Path) -> None:
    with placing.staging(tmp_path / "a") as folder:
        written(str(folder), 0, b"in time")
    with pytest.raises(FileNotFoundError):
        written(str(folder), 0, b"late")
    assert list(tmp_path.iterdir()) == []


def test_a_folder_with_other_files_than_listed_is_refused(tmp_path: Path) -> None:
    data = opened(people(), ledger=tmp_path / "ledger")
    with executors():
        data.publish(TASK, 1, name="a", to=tmp_path / "a")
    place, one = tmp_path / "a", tmp_path / "a" / "slice-00002.parquet"
    whole = one.read_bytes()
    broken = bytearray(whole)
    broken[len(whole) // 2] ^= 1
    for change, word in (
        (lambda: one.write_bytes(broken), "was changed"),
        (lambda: one.write_bytes(whole[:-1]), "was changed"),
        (one.unlink, "is missing"),
        (lambda: (place / "slice-00002-more.parquet").write_bytes(whole), "no part of the release"),
        (lambda: reseal(place, lambda said: said["summary"]["slices"].pop()), "its slices"),
        (lambda: reseal(place, lambda said: said["summary"]["slices"].reverse()), "its slices"),
        (lambda: reseal(place, lambda said: said["summary"]["slices"][0].update(rows=3)), "fit together"),
        (lambda: reseal(place, lambda said: said["summary"].pop("slices")), "its slices"),
        (
            lambda: reseal(place, lambda said: said["files"].update({"x.txt": said["files"]["slice-00000.parquet"]})),
            "its slices",
        ),
    ):
        manifest = (place / "release.json").read_bytes()
        change()
        with pytest.raises(TamperedRelease, match=word):
            discreet.load(place)
        one.write_bytes(whole)
        (place / "slice-00002-more.parquet").unlink(missing_ok=True)
        (place / "release.json").write_bytes(manifest)
        discreet.load(place)


def test_what_cannot_be_sliced_costs_nothing(tmp_path: Path) -> None:
    data = opened(people(), ledger=tmp_path / "ledger")
    by = ["age", "sex"]
    for task, word in (
        (discreet.Table(by, method="filter", size=5, slices=2), "largest cells of all"),
        (discreet.Table(by, method="filter", total="0.1", slices=2), "total"),
        (discreet.Table(by, method="geometric", slices=0), "slices must be"),
        (discreet.Table(by, method="priority", size=10**8, slices=3), "300,000,000|candidates each"),
    ):
        with pytest.raises(BadParameter, match=word):
            data.publish(task, 1, to=tmp_path / "a")
    with pytest.raises(BadParameter, match="no parameter 'slices'"):
        discreet.Table(by, method="sketch", slices=2)
    with pytest.raises(BadParameter, match="in which folder"):
        data.publish(TASK, 1)
    with pytest.raises(BadParameter, match="only executors of Spark"):
        discreet.open(people(), SCHEMA).publish(TASK, 1, to=tmp_path / "a")
    with pytest.raises(BadParameter, match="only executors of Spark"):
        discreet.from_counts(SCHEMA, [[0, 0, 0]], [5]).publish(TASK, 1, to=tmp_path / "a")
    huge = discreet.Schema(a=discreet.Ordinal(1, 10**5), b=discreet.Ordinal(1, 10**5))
    task = discreet.Table(["a", "b"], method="geometric", slices=2)
    with pytest.raises(BadParameter, match="each of 2 slices has 5,000,000,000 cells"):
        mechanism_for(task, Request.of(task, huge, Unit(), 1))
    enough = discreet.Table(["a", "b"], method="geometric", slices=100)
    mechanism_for(enough, Request.of(enough, huge, Unit(), 1))
    assert data.ledger.spent == 0


def test_what_executors_cannot_do_is_found_before_the_charge(tmp_path: Path) -> None:
    data = opened(people(), ledger=tmp_path / "ledger")

    def elsewhere(done: Any) -> Any:
        return [{**one, "file": "on-another-disk.parquet"} for one in done]

    with executors(elsewhere), pytest.raises(SourceError, match="cannot write slices to"):
        data.publish(TASK, 1, name="a", to=tmp_path / "a")
    assert data.ledger.spent == 0
    assert left_in(tmp_path) == []


def test_a_release_in_slices_is_not_drawn_twice(tmp_path: Path) -> None:
    data = opened(people(), ledger=tmp_path / "ledger")
    with executors():
        made = data.publish_all({"a": (TASK, 1), "b": (TASK, 2)}, to=tmp_path / "all")
        assert made["a"].manifest["summary"]["slices"][3]["rows"] == 25
        with pytest.raises(LedgerError, match="cannot be drawn again"):
            data.publish(TASK, 1, name="a", to=tmp_path / "elsewhere")
