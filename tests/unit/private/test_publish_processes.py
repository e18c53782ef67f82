"""Publishing processes that are killed at any point or race each other: one charge, one release."""

from __future__ import annotations

import os
import shutil
import signal
import stat
import subprocess
import sys
from fractions import Fraction
from pathlib import Path

import pytest

from discreet.errors import DiscreetError
from discreet.ledger import Ledger
from discreet.release import load
from tests.unit.private import publish_cases
from tests.unit.private.publish_cases import TASK, charges, contents, failing, hidden, no_more, people, spent

scratch = publish_cases.scratch  # a fixture

#: what a process does that tries to publish; `@` is replaced by what goes wrong in it
SCRIPT = """
import os, signal, sys, time
from pathlib import Path
import discreet
from discreet.errors import DiscreetError
from discreet.ledger import Ledger
from discreet.private.open_data import from_counts
from discreet.private.bounded import ReadyCounts
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


# --- kill -9


AFTER_RECORD = """
record = Ledger.record
def recorded(self, *given):
    record(self, *given)
    end()
Ledger.record = recorded
"""
WHILE_WRITING = """
bounded = ReadyCounts.bounded
def counted(*given, **more):
    os.fsync = end
    return bounded(*given, **more)
ReadyCounts.bounded = counted
"""
KILLS = {
    "before the witness of the charge": "os.write = end",
    "at the witness of the charge": "os.fsync = end",
    "after the charge": "ReadyCounts.bounded = end",
    "while writing": WHILE_WRITING,
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
    assert (spent(tmp_path), charges(tmp_path)) == (Fraction(1), ["by-age"])
    target = tmp_path / "by-age"
    assert target.exists() == (point == "after the rename")
    recorded = Ledger.read(tmp_path / "l.ledger").recorded("by-age")
    data = people(tmp_path)
    if recorded is not None:
        data = failing(data, no_more)

    release = data.publish(TASK, 1, name="by-age", to=target)
    assert (spent(tmp_path), charges(tmp_path)) == (Fraction(1), ["by-age"])
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
bounded = ReadyCounts.bounded
def counted(*given, **more):
    print("counting", flush=True)
    sys.stdin.readline()
    return bounded(*given, **more)
ReadyCounts.bounded = counted
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
    assert (spent(tmp_path), charges(tmp_path)) == (Fraction(1), ["by-age"])
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
    assert (spent(tmp_path), charges(tmp_path)) == (Fraction(1), ["a"])
