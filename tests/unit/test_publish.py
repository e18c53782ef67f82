"""THE path under crashes, rivals, foreign folders and failing sources: one charge, one release, not a word of data."""

from __future__ import annotations

import getpass
import json
import os
import re
import shutil
import signal
import stat
import subprocess
import sys
import tempfile
import traceback
from collections.abc import Callable
from dataclasses import replace
from fractions import Fraction
from importlib.metadata import version
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import discreet
from discreet import folder
from discreet.cli.publishing import data_of
from discreet.counts import Counts
from discreet.errors import (
    BadParameter,
    BadSpec,
    BudgetExceeded,
    DiscreetError,
    LedgerError,
    PublishFailed,
    SourceError,
    UnknownAttribute,
)
from discreet.ledger import Ledger
from discreet.mechanisms import registry
from discreet.noise import Noise, SeededSource, ZeroNoise
from discreet.publish import Data, from_counts
from discreet.release import load
from discreet.schema import Schema
from discreet.spec import load_spec

SCHEMA = discreet.Schema(age=discreet.Ordinal(0, 4), sex=discreet.Nominal(["f", "m"]))
CODES = [[0, 0], [2, 1], [4, 0]]
TASK = discreet.Table(["age", "sex"], method="geometric")
CANARY = "canary-7f3a91"

#: what a process does that tries to publish; `@` is replaced by what goes wrong in it
SCRIPT = """
import os, signal, sys, time
from dataclasses import replace
from pathlib import Path
import discreet
from discreet.errors import DiscreetError
from discreet.ledger import Ledger
from discreet.publish import from_counts
def end(*given, **named):
    os.kill(os.getpid(), signal.SIGKILL)
here, name = Path(sys.argv[1]), sys.argv[2]
schema = discreet.Schema(age=discreet.Ordinal(0, 4), sex=discreet.Nominal(["f", "m"]))
data = from_counts(schema, [[0, 0], [2, 1], [4, 0]], [5, 7, 900], ledger=here / "l.ledger", budget=3, dataset="people")
@
try:
    release = data.publish(discreet.Table(["age", "sex"], method="geometric"), 1, name=name, to=here / name)
    print(release.manifest["seal"])
except DiscreetError as error:
    print(type(error).__name__, error)
"""


def start(here: Path, name: str, trouble: str) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [sys.executable, "-c", SCRIPT.replace("@", trouble), str(here), name],
        env={**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, sys.path)), "TMPDIR": str(here)},
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )


def people(here: Path, **options: Any) -> Data:
    given = {"ledger": here / "l.ledger", "budget": 3, "dataset": "people", **options}
    return from_counts(SCHEMA, CODES, [5, 7, 900], **given)


def failing(data: Data, how: Callable[[], object]) -> Data:
    """The same data, but whenever it is counted, `how` is called first."""

    def count(wanted: Schema, unit: discreet.Unit, salt: bytes) -> Counts:
        how()
        return data.count(wanted, unit, salt)

    return replace(data, count=count)


def no_more() -> None:
    raise AssertionError("the data was looked at again")


def charges(here: Path) -> list[str]:
    return [entry.id for entry in Ledger.read(here / "l.ledger").entries() if entry.kind == "charge"]


def spent(here: Path) -> Fraction:
    return Ledger.read(here / "l.ledger").spent


def contents(place: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in sorted(place.iterdir())}


def hidden(here: Path) -> list[str]:
    return [path.name for path in here.iterdir() if path.name.startswith(".")]


# --- the order of the path


def test_the_charge_is_on_disk_before_anything_is_counted(tmp_path: Path) -> None:
    seen: list[Fraction] = []
    data = failing(people(tmp_path), lambda: seen.append(spent(tmp_path)))
    data.publish(TASK, "0.75", name="a", to=tmp_path / "a")
    assert seen == [Fraction(3, 4)]


def test_the_record_is_on_disk_before_the_folder_can_be_seen(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    rename, seen = Path.rename, []

    def renamed(self: Path, target: Path) -> Path:
        seen.append((Ledger.read(tmp_path / "l.ledger").recorded("a"), target.exists(), self.stat().st_mode & 0o077))
        return rename(self, target)

    monkeypatch.setattr(Path, "rename", renamed)
    release = people(tmp_path).publish(TASK, 1, name="a", to=tmp_path / "a")
    assert [(seal, there) for seal, there, _ in seen] == [(release.manifest["seal"], False)]


def test_until_it_is_complete_nobody_else_can_read_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    fsync, modes = os.fsync, []
    data = people(tmp_path)

    def watched(handle: int) -> None:
        modes.extend(stat.S_IMODE((tmp_path / name).stat().st_mode) for name in hidden(tmp_path))
        fsync(handle)

    monkeypatch.setattr(os, "fsync", watched)
    data.publish(TASK, 1, name="a", to=tmp_path / "a")
    assert len(modes) >= 2, "both files are forced to the disk before the folder is renamed"
    assert set(modes) == {0o700}


@pytest.mark.parametrize(
    ("change", "error"),
    [
        ({"epsilon": 0}, BadParameter),
        ({"epsilon": -1}, BadParameter),
        ({"epsilon": float("nan")}, BadParameter),
        ({"epsilon": float("inf")}, BadParameter),
        ({"epsilon": 10**9}, BadParameter),
        ({"epsilon": "1e-40"}, BadParameter),
        ({"epsilon": "much"}, BadParameter),
        ({"epsilon": True}, BadParameter),
        ({"task": discreet.Table(["age", "sexx"])}, UnknownAttribute),
        ({"task": discreet.Table("age", method="geometrik")}, BadParameter),
        ({"task": discreet.Table("age", method="geometric", theta=3)}, BadParameter),
        ({"epsilon": "3.000000001"}, BudgetExceeded),
    ],
)
def test_what_is_refused_costs_nothing_and_leaves_nothing(
    tmp_path: Path, change: dict[str, Any], error: type[Exception]
) -> None:
    data = failing(people(tmp_path), no_more)
    request = {"task": TASK, "epsilon": 1, "name": "a", "to": tmp_path / "deep" / "a", **change}
    with pytest.raises(error):
        data.publish(**request)
    assert spent(tmp_path) == 0
    assert charges(tmp_path) == []
    assert [path.name for path in tmp_path.iterdir()] == ["l.ledger"]


def test_a_missing_column_costs_nothing(tmp_path: Path) -> None:
    import pyarrow as pa

    table = pa.table({"age": [1, 2], "sex": ["f", "m"]})
    unit = discreet.Unit("person", max_rows=2)
    data = discreet.open(table, SCHEMA, unit=unit, ledger=tmp_path / "l.ledger")
    with pytest.raises(SourceError, match="no column 'person'"):
        data.publish(TASK, 1)
    assert charges(tmp_path) == []


@pytest.mark.parametrize("name", ["count", "Stderr", "LOW", "high"])
def test_an_attribute_with_the_name_of_our_columns_costs_nothing(tmp_path: Path, name: str) -> None:
    schema = discreet.Schema({name: discreet.Ordinal(0, 4)})
    data = from_counts(schema, [[0]], [1], ledger=tmp_path / "l.ledger")
    with pytest.raises(BadParameter, match=f"'{name}'.*rename"):
        data.publish(discreet.Table(name), 1)
    assert charges(tmp_path) == []


def test_a_table_of_a_million_million_cells_names_the_sparse_methods(tmp_path: Path) -> None:
    schema = discreet.Schema(a=discreet.Ordinal(1, 10**6), b=discreet.Ordinal(1, 10**6))
    data = from_counts(schema, [[0, 0]], [1], ledger=tmp_path / "l.ledger")
    with pytest.raises(BadParameter, match=r"1,000,000,000,000 cells.*filter.*threshold.*priority"):
        data.publish(discreet.Table(["a", "b"], method="geometric"), 1)
    assert charges(tmp_path) == []


def test_over_budget_says_what_is_spent_asked_and_left(tmp_path: Path) -> None:
    data = people(tmp_path)
    data.publish(TASK, "2.5", name="a", to=tmp_path / "a")
    with pytest.raises(BudgetExceeded, match=r"spent 2\.5, asked 1, left 0\.5"):
        failing(data, no_more).publish(TASK, 1, name="b", to=tmp_path / "b")
    assert spent(tmp_path) == Fraction(5, 2)
    assert not (tmp_path / "b").exists()
    assert hidden(tmp_path) == []
    data.publish(TASK, "0.5", name="b", to=tmp_path / "b")
    assert charges(tmp_path) == ["a", "b"]


def test_a_third_is_charged_rounded_up(tmp_path: Path) -> None:
    release = people(tmp_path).publish(TASK, Fraction(1, 3), name="a", to=tmp_path / "a")
    assert spent(tmp_path) == Fraction(333_333_334, 10**9)
    assert release.manifest["epsilon"] == "1/3"


# --- failures after the charge


def boom() -> None:
    raise ValueError(f"Could not convert string '{CANARY}' to INT32 in row 17")


@pytest.fixture
def scratch(tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Where temporary files go during the test."""
    place = tmp_path_factory.mktemp("scratch")
    monkeypatch.setattr(tempfile, "tempdir", str(place))
    return place


@pytest.mark.parametrize("saved", [True, False], ids=["to a folder", "in memory"])
def test_a_failed_count_is_paid_for_says_nothing_and_can_be_repeated(
    tmp_path: Path, scratch: Path, saved: bool
) -> None:
    data = people(tmp_path)
    to = tmp_path / "a" if saved else None
    with pytest.raises(PublishFailed) as caught:
        failing(data, boom).publish(TASK, 1, name="a", to=to)
    message = str(caught.value)
    assert CANARY not in "".join(traceback.format_exception(caught.value)), "as an interpreter or notebook shows it"
    assert "row 17" not in message
    assert "after the budget was charged" in message
    assert "costs nothing more" in message
    assert (spent(tmp_path), charges(tmp_path)) == (1, ["a"])
    assert sorted(path.name for path in tmp_path.iterdir()) == ["l.ledger"]

    (details,) = scratch.iterdir()
    assert stat.S_IMODE(details.stat().st_mode) == 0o600
    assert str(details) in message
    assert CANARY in details.read_text(encoding="utf-8")

    release = data.publish(TASK, 1, name="a", to=to)
    assert release.count("age = 4").value > 800
    assert (spent(tmp_path), charges(tmp_path)) == (1, ["a"])


def test_a_failed_release_without_a_name_can_be_repeated_by_the_name_it_was_given(
    tmp_path: Path, scratch: Path
) -> None:
    data = people(tmp_path)
    with pytest.raises(PublishFailed) as caught:
        failing(data, boom).publish(TASK, 1, to=tmp_path / "a")
    (charged,) = charges(tmp_path)
    assert charged in str(caught.value)
    data.publish(TASK, 1, name=charged, to=tmp_path / "a")
    assert (spent(tmp_path), charges(tmp_path)) == (1, [charged])


def test_the_same_failure_reads_the_same_whatever_the_data(tmp_path: Path, scratch: Path) -> None:
    messages = set()
    for error in (ValueError(CANARY), MemoryError(), SourceError(CANARY), BadParameter(CANARY), KeyError(CANARY)):

        def raised(error: Exception = error) -> None:
            raise error

        with pytest.raises(PublishFailed) as caught:
            failing(people(tmp_path), raised).publish(TASK, 1, name="a", to=tmp_path / "a")
        messages.add(re.sub(r"\S*discreet-private-\S*", "FILE", str(caught.value)))
    assert len(messages) == 1


def test_a_failure_leads_back_to_no_count(tmp_path: Path, scratch: Path) -> None:
    huge = from_counts(SCHEMA, CODES, [5, 7, 2**61 + 5], ledger=tmp_path / "l.ledger")
    for data in (huge, failing(people(tmp_path, ledger=None), boom)):
        with pytest.raises(PublishFailed) as caught:  # a count that overflows is a fact about the data
            data.publish(TASK, 1)
        error: BaseException = caught.value
        assert error.__cause__ is None
        assert error.__context__ is None
        trace = error.__traceback__
        while trace is not None:
            if trace.tb_frame.f_code.co_filename != __file__:
                held = [
                    name for name, value in trace.tb_frame.f_locals.items() if isinstance(value, Counts | np.ndarray)
                ]
                assert held == [], trace.tb_frame.f_code.co_name
            trace = trace.tb_next


def test_a_full_disk_leaves_no_folder_and_can_be_repeated(
    tmp_path: Path, scratch: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(handle: int) -> None:
        raise OSError(28, "No space left on device")

    data = people(tmp_path)
    with monkeypatch.context() as patch:
        patch.setattr(os, "fsync", full)
        with pytest.raises(PublishFailed):
            data.publish(TASK, 1, name="a", to=tmp_path / "a")
    assert sorted(path.name for path in tmp_path.iterdir()) == ["l.ledger"]
    data.publish(TASK, 1, name="a", to=tmp_path / "a")
    assert (spent(tmp_path), charges(tmp_path)) == (1, ["a"])
    assert load(tmp_path / "a").manifest["seal"] == data.ledger.recorded("a")


def test_when_not_even_the_details_can_be_kept_it_says_so(
    tmp_path: Path, scratch: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path / "no-such-folder"))
    with pytest.raises(PublishFailed, match="could not be written") as caught:
        failing(people(tmp_path), boom).publish(TASK, 1, name="a", to=tmp_path / "a")
    assert CANARY not in str(caught.value)


def test_a_place_that_cannot_be_written_is_found_before_the_charge(tmp_path: Path, scratch: Path) -> None:
    (tmp_path / "file").write_text("mine")
    with pytest.raises(DiscreetError) as caught:
        failing(people(tmp_path), no_more).publish(TASK, 1, name="a", to=tmp_path / "file" / "a")
    assert not isinstance(caught.value, PublishFailed)
    assert str(tmp_path / "file") in str(caught.value)
    assert charges(tmp_path) == []
    assert list(scratch.iterdir()) == []


def test_a_user_without_a_name_can_publish(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def nobody() -> str:
        raise OSError("No username set in the environment")  # a KeyError before Python 3.13

    monkeypatch.setattr(getpass, "getuser", nobody)
    people(tmp_path).publish(TASK, 1, name="a", to=tmp_path / "a")
    assert {entry.who for entry in Ledger.read(tmp_path / "l.ledger").entries()} == {"unknown"}


# --- the same name again


def test_the_same_request_again_gives_the_same_bytes_and_one_charge(tmp_path: Path) -> None:
    data = people(tmp_path)
    first = data.publish(TASK, 1, name="a", to=tmp_path / "a")
    published = contents(tmp_path / "a")
    again = failing(people(tmp_path), no_more).publish(
        discreet.Table(("age", "sex"), method="geometric"), "1.0", name="a", to=tmp_path / "a"
    )
    assert contents(tmp_path / "a") == published
    assert again.manifest == first.manifest
    assert again.to_arrow().equals(first.to_arrow())
    assert (spent(tmp_path), charges(tmp_path)) == (1, ["a"])


def test_releases_without_a_name_are_charged_one_by_one(tmp_path: Path) -> None:
    data = people(tmp_path)
    first, second = (data.publish(TASK, 1) for _ in range(2))
    assert spent(tmp_path) == 2
    assert first.manifest["id"] != second.manifest["id"]


CHANGES: list[dict[str, Any]] = [
    {"epsilon": "1.000000001"},
    {"task": discreet.Table(["sex", "age"], method="geometric")},
    {"task": discreet.Table("age", method="geometric")},
    {"task": discreet.Table(["age", "sex"])},
    {"noise": ZeroNoise()},
    {"noise": Noise(SeededSource(1))},
]


@pytest.mark.parametrize("change", CHANGES, ids=range(len(CHANGES)))
@pytest.mark.parametrize("to", ["a", "elsewhere"])
def test_a_changed_request_under_the_same_name_is_refused(tmp_path: Path, change: dict[str, Any], to: str) -> None:
    people(tmp_path).publish(TASK, 1, name="a", to=tmp_path / "a")
    published = contents(tmp_path / "a")
    with pytest.raises(DiscreetError, match="another"):
        failing(people(tmp_path), no_more).publish(**{"task": TASK, "epsilon": 1, **change}, name="a", to=tmp_path / to)
    assert contents(tmp_path / "a") == published
    assert (spent(tmp_path), charges(tmp_path)) == (1, ["a"])
    assert sorted(path.name for path in tmp_path.iterdir()) == ["a", "l.ledger"]


def test_another_unit_or_schema_is_another_request(tmp_path: Path, scratch: Path) -> None:
    with pytest.raises(PublishFailed):
        failing(people(tmp_path), boom).publish(TASK, 1, name="a", to=tmp_path / "a")
    wider = discreet.Schema(age=discreet.Ordinal(0, 5), sex=discreet.Nominal(["f", "m"]))
    ruled = discreet.Schema(age=discreet.Ordinal(0, 4, outside="drop"), sex=discreet.Nominal(["f", "m"]))
    replaced = discreet.Unit("row", neighbours="replace")
    for changed in (
        people(tmp_path, unit=replaced),
        from_counts(wider, CODES, [1, 2, 3], ledger=tmp_path / "l.ledger", dataset="people"),
        from_counts(ruled, CODES, [1, 2, 3], ledger=tmp_path / "l.ledger", dataset="people"),
    ):
        with pytest.raises(LedgerError, match="'a' was charged for another request"):
            failing(changed, no_more).publish(TASK, 1, name="a", to=tmp_path / "a")
    assert (spent(tmp_path), charges(tmp_path)) == (1, ["a"])


def test_a_published_release_is_not_drawn_again_for_another_folder(tmp_path: Path) -> None:
    data = people(tmp_path)
    data.publish(TASK, 1, name="a", to=tmp_path / "a")
    for to in (tmp_path / "b", None):
        with pytest.raises(LedgerError, match="published before; its noise cannot be drawn again"):
            failing(data, no_more).publish(TASK, 1, name="a", to=to)
    shutil.rmtree(tmp_path / "a")
    with pytest.raises(LedgerError, match="restore its folder"):
        failing(data, no_more).publish(TASK, 1, name="a", to=tmp_path / "a")
    assert sorted(path.name for path in tmp_path.iterdir()) == ["l.ledger"]


@pytest.mark.parametrize("kind", ["empty folder", "foreign folder", "file", "other release", "dangling link"])
def test_what_is_there_already_is_never_overwritten(tmp_path: Path, kind: str) -> None:
    target = tmp_path / "there"
    if kind == "other release":
        people(tmp_path, ledger=None).publish(discreet.Table("age"), 1, name="b", to=target)
    elif kind == "file":
        target.write_text("mine")
    elif kind == "dangling link":
        target.symlink_to(tmp_path / "nowhere")
    else:
        target.mkdir()
        if kind == "foreign folder":
            (target / "thesis.txt").write_text("mine")
    before = contents(target) if target.is_dir() else None
    with pytest.raises(DiscreetError, match="choose another folder") as caught:
        failing(people(tmp_path), no_more).publish(TASK, 1, name="a", to=target)
    assert str(target) in str(caught.value)
    assert charges(tmp_path) == []
    assert (contents(target) if target.is_dir() else None) == before
    assert target.is_symlink() or target.exists()
    assert sorted(path.name for path in tmp_path.iterdir()) == ["l.ledger", "there"]


def test_a_forged_folder_is_not_taken_for_the_published_one(tmp_path: Path) -> None:
    """Its seal may be made anew by anyone, but the ledger knows the one that was published."""
    people(tmp_path).publish(TASK, 1, name="a", to=tmp_path / "a")
    manifest = json.loads((tmp_path / "a" / "release.json").read_text(encoding="utf-8"))
    manifest["leaves_out"] = []
    manifest["seal"] = folder.seal_of(manifest)
    (tmp_path / "a" / "release.json").write_text(json.dumps(manifest), encoding="utf-8")
    with pytest.raises(DiscreetError, match="ledger"):
        people(tmp_path).publish(TASK, 1, name="a", to=tmp_path / "a")


def test_an_older_copy_of_the_ledger_is_noticed(tmp_path: Path) -> None:
    people(tmp_path)
    shutil.copy(tmp_path / "l.ledger", tmp_path / "backup")
    people(tmp_path).publish(TASK, 1, name="a", to=tmp_path / "a")
    shutil.copy(tmp_path / "backup", tmp_path / "l.ledger")
    with pytest.raises(LedgerError, match="ledger"):
        people(tmp_path).publish(TASK, 1, name="a", to=tmp_path / "a")


def test_what_is_recorded_is_what_is_saved_later(tmp_path: Path) -> None:
    data = people(tmp_path)
    releases = [data.publish(TASK, 1, name=name) for name in ("a", "b")]
    for release in releases:
        saved = load(release.save(tmp_path / release.manifest["id"]))
        assert data.ledger.recorded(saved.manifest["id"]) == saved.manifest["seal"]


# --- kill -9


AFTER_RECORD = """
record = Ledger.record
def recorded(self, *given):
    record(self, *given)
    end()
Ledger.record = recorded
"""
KILLS = {
    "after the charge": "data = replace(data, count=end)",
    "while writing": "os.fsync = end",
    "after writing": "Ledger.record = end",
    "after the record": AFTER_RECORD,
    "at the rename": "Path.rename = end",
    "after the rename": "rename = Path.rename\nPath.rename = lambda *given: end(rename(*given))",
}


@pytest.mark.parametrize("point", KILLS)
def test_a_kill_at_any_point_leaves_one_charge_and_one_release(tmp_path: Path, point: str) -> None:
    process = start(tmp_path, "by-age", KILLS[point])
    output, _ = process.communicate(timeout=60)
    assert process.returncode == -signal.SIGKILL, output
    assert (spent(tmp_path), charges(tmp_path)) == (1, ["by-age"])
    target = tmp_path / "by-age"
    assert target.exists() == (point == "after the rename")
    recorded = Ledger.read(tmp_path / "l.ledger").recorded("by-age")
    data = people(tmp_path)
    if recorded is not None:
        data = failing(data, no_more)

    release = data.publish(TASK, 1, name="by-age", to=target)
    assert (spent(tmp_path), charges(tmp_path)) == (1, ["by-age"])
    assert load(target).manifest == release.manifest
    assert data.ledger.recorded("by-age") == release.manifest["seal"] == recorded or recorded is None
    assert release.count("age = 4").value > 800
    # another draw of the same data, left in the parent folder, would be one more look for whoever copies that
    assert hidden(tmp_path) == []
    mask = os.umask(0)
    os.umask(mask)
    assert stat.S_IMODE(target.stat().st_mode) == 0o755 & ~mask


def test_a_folder_whose_name_is_a_pattern_is_recovered_too(tmp_path: Path) -> None:
    name = "by-[age]*"
    process = start(tmp_path, name, AFTER_RECORD)
    process.communicate(timeout=60)
    assert process.returncode == -signal.SIGKILL
    release = failing(people(tmp_path), no_more).publish(TASK, 1, name=name, to=tmp_path / name)
    assert load(tmp_path / name).manifest == release.manifest
    assert hidden(tmp_path) == []


def test_recovery_takes_no_other_release_that_waits_beside(tmp_path: Path) -> None:
    """Only the folder with the recorded seal; one with other bytes, or none, is no release."""
    process = start(tmp_path, "by-age", AFTER_RECORD)
    process.communicate(timeout=60)
    (waiting,) = [tmp_path / name for name in hidden(tmp_path)]
    for number, text in enumerate((b"", b"[]", b'{"seal": "00"}', b'"x"')):
        rubbish = tmp_path / f".by-age.{number}.unpublished"
        rubbish.mkdir()
        (rubbish / "release.json").write_bytes(text)
    table = waiting / "table.parquet"
    whole = table.read_bytes()
    table.write_bytes(whole[:-1])
    with pytest.raises(DiscreetError):
        failing(people(tmp_path), no_more).publish(TASK, 1, name="by-age", to=tmp_path / "by-age")
    place = tmp_path / "by-age" if (tmp_path / "by-age").exists() else waiting
    (place / "table.parquet").write_bytes(whole)
    failing(people(tmp_path), no_more).publish(TASK, 1, name="by-age", to=tmp_path / "by-age")
    load(tmp_path / "by-age")


@pytest.mark.parametrize("waiting", ["by-age", "by-age.2024"])
def test_a_release_that_waits_is_not_swept_away_by_another(tmp_path: Path, waiting: str) -> None:
    """It is paid for and recorded, and its noise cannot be drawn again."""
    process = start(tmp_path, waiting, AFTER_RECORD)
    process.communicate(timeout=60)
    people(tmp_path).publish(TASK, 1, name="other", to=tmp_path / "by-age")
    (tmp_path / "by-age").rename(tmp_path / "elsewhere")
    release = failing(people(tmp_path), no_more).publish(TASK, 1, name=waiting, to=tmp_path / waiting)
    assert release.manifest["seal"] == Ledger.read(tmp_path / "l.ledger").recorded(waiting)
    assert charges(tmp_path) == [waiting, "other"]


# --- rivals


def test_three_processes_with_the_same_name_make_one_release(tmp_path: Path) -> None:
    # all three have found nothing finished before the first of them writes
    wait = """
count = data.count
def counted(*given):
    print("counting", flush=True)
    sys.stdin.readline()
    return count(*given)
data = replace(data, count=counted)
"""
    rivals = [start(tmp_path, "by-age", wait) for _ in range(3)]
    for rival in rivals:
        assert rival.stdout is not None
        assert rival.stdout.readline() == "counting\n"
    for rival in rivals:
        assert rival.stdin is not None
        rival.stdin.write("go\n")
        rival.stdin.flush()
    outputs = [rival.communicate(timeout=60)[0].strip() for rival in rivals]
    assert [rival.returncode for rival in rivals] == [0, 0, 0]
    seal = load(tmp_path / "by-age").manifest["seal"]
    assert seal in outputs
    for output in outputs:  # a loser may be told to use the recorded one, and nothing worse
        assert output == seal or output.startswith("LedgerError"), output
    assert (spent(tmp_path), charges(tmp_path)) == (1, ["by-age"])
    assert hidden(tmp_path) == []
    assert Ledger.read(tmp_path / "l.ledger").recorded("by-age") == seal


def test_a_rival_that_finishes_our_release_for_us_is_no_failure(
    tmp_path: Path, scratch: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Between our record and our rename, another process may take us for crashed and do the rename."""
    record, rival = Ledger.record, failing(people(tmp_path), no_more)
    finished = []

    def recorded(self: Ledger, *given: str) -> None:
        record(self, *given)
        finished.append(rival.publish(TASK, 1, name="a", to=tmp_path / "a"))

    monkeypatch.setattr(Ledger, "record", recorded)
    release = people(tmp_path).publish(TASK, 1, name="a", to=tmp_path / "a")
    assert [one.manifest for one in finished] == [release.manifest]
    assert load(tmp_path / "a").manifest == release.manifest


def test_a_folder_that_appears_meanwhile_costs_no_second_draw(tmp_path: Path, scratch: Path) -> None:
    def appear() -> None:
        (tmp_path / "a").mkdir()
        (tmp_path / "a" / "thesis.txt").write_text("mine")

    with pytest.raises(DiscreetError):
        failing(people(tmp_path), appear).publish(TASK, 1, name="a", to=tmp_path / "a")
    assert contents(tmp_path / "a") == {"thesis.txt": b"mine"}
    shutil.rmtree(tmp_path / "a")
    release = failing(people(tmp_path), no_more).publish(TASK, 1, name="a", to=tmp_path / "a")
    assert load(tmp_path / "a").manifest == release.manifest
    assert (spent(tmp_path), charges(tmp_path)) == (1, ["a"])


# --- what is said


def test_the_manifest_says_everything_a_reviewer_asks(tmp_path: Path) -> None:
    import pyarrow as pa

    table = pa.table({"person": ["x", "x", "y", "z"], "age": [1, 2, 3, 4], "sex": ["f", "f", "m", None]})
    unit = discreet.Unit("person", max_rows=2, max_rows_per_cell=1, neighbours="replace")
    data = discreet.open(table, SCHEMA, unit=unit, ledger=tmp_path / "l.ledger", dataset="people")
    data.publish(TASK, "0.5", name="by-age", to=tmp_path / "by-age")
    said = json.loads((tmp_path / "by-age" / "release.json").read_text(encoding="utf-8"))

    assert (said["id"], said["dataset"]) == ("by-age", "people")
    assert said["task"] == {"task": "table", "by": ["age", "sex"], "method": "geometric"}
    assert said["method"] == "geometric"
    assert isinstance(said["parameters"], list)
    assert said["epsilon"] == "0.5"
    assert said["unit"] == {"unit": "person", "max_rows": 2, "max_rows_per_cell": 1, "neighbours": "replace"}
    assert said["sensitivity"] == 4
    assert Schema.from_dict(said["schema"]) == SCHEMA
    assert said["noise"]["law"].startswith("discrete Laplace")
    assert said["noise"]["scale"] == "8"
    assert re.fullmatch(r"\d+/2\*\*64", said["noise"]["alpha"])
    assert "AES-256-CTR" in said["noise"]["bits"]
    assert said["noise"]["publishable"] is True
    assert any("at most 2 rows of one person" in sentence for sentence in said["leaves_out"])
    assert said["software"] == f"discreet {version('discreet')}"
    assert said["ledger"]["durable"] is True
    assert data.ledger.contains_head(said["ledger"]["head"])
    assert said["format"] == 1
    assert set(said["files"]) == {"table.parquet"}
    assert said["seal"] == data.ledger.recorded("by-age")
    (charge,) = [entry for entry in data.ledger.entries() if entry.kind == "charge"]
    assert (said["time"], said["request"], said["ledger"]["head"]) == (charge.time, charge.digest, charge.hash)
    assert charge.what == "Table(['age', 'sex'], method='geometric')"


def test_the_manifest_says_what_was_asked_and_what_was_chosen(tmp_path: Path) -> None:
    said = people(tmp_path).publish(discreet.Table(["age", "sex"]), 1).manifest
    assert said["task"]["method"] == "auto"
    assert ("table", said["method"]) in registry()
    for parameter in said["parameters"]:
        assert set(parameter) == {"name", "value", "origin"}


def test_an_account_in_memory_is_said_to_be_one(tmp_path: Path) -> None:
    data = people(tmp_path, ledger=None)
    release = data.publish(TASK, 1, name="a", to=tmp_path / "a")
    assert load(tmp_path / "a").manifest["ledger"] == {"durable": False, "head": release.manifest["ledger"]["head"]}
    with pytest.raises(BudgetExceeded):
        data.publish(TASK, "2.5")
    # nobody remembers the account, but the folder is still the answer to the same request
    again = failing(people(tmp_path, ledger=None), no_more).publish(TASK, 1, name="a", to=tmp_path / "a")
    assert again.manifest == release.manifest


@pytest.mark.parametrize("noise", [ZeroNoise(), Noise(SeededSource(3))], ids=["zero", "seeded"])
def test_test_noise_is_stamped(tmp_path: Path, noise: Noise) -> None:
    release = people(tmp_path).publish(TASK, 1, name="a", to=tmp_path / "a", noise=noise)
    assert load(tmp_path / "a").manifest["noise"]["publishable"] is False
    assert "NOT PRIVATE" in repr(release)


def test_real_noise_is_not_zero_and_not_repeated(tmp_path: Path) -> None:
    schema = discreet.Schema(cell=discreet.Ordinal(0, 999))
    data = from_counts(schema, [[0]], [1000])
    first, second = (
        data.publish(discreet.Table("cell", method="geometric"), "0.1").to_arrow()["count"].to_numpy() for _ in range(2)
    )
    for values in (first, second, first - second):
        assert 9 < np.std(values[1:]) < 40
    assert abs(first[0] - 1000) < 400


def test_a_draft_is_refused_before_anything_is_opened(tmp_path: Path) -> None:
    spec = """\
drafted_from_private_data = true
[data]
source = "people.csv"
[privacy]
ledger = "l.ledger"
[attributes.age]
kind = "ordinal"
low = 0
high = 4
[releases.a]
task = "table"
by = ["age"]
epsilon = 1
"""
    path = tmp_path / "people.toml"
    (tmp_path / "people.csv").write_text("age\n1\n2\n")
    path.write_text(spec)
    with pytest.raises(BadSpec, match=r"people\.toml: is a draft.*remove the line `drafted_from_private_data = true`"):
        data_of(path, load_spec(path))
    assert sorted(one.name for one in tmp_path.iterdir()) == ["people.csv", "people.toml"]
    path.write_text(spec.replace("drafted_from_private_data = true\n", ""))
    release = data_of(path, load_spec(path)).publish(
        discreet.Table("age", method="geometric"), 1, name="a", noise=ZeroNoise()
    )
    assert list(release.table()["count"]) == [0, 1, 1, 0, 0]


def test_progress_names_public_stages_only(tmp_path: Path) -> None:
    stages: list[str] = []
    people(tmp_path).publish(TASK, 1, name="a", to=tmp_path / "a", progress=stages.append)
    assert stages == ["counting", "drawing noise", "writing"]
