"""Real disks, full or read-only, and a clock that is set back: nothing uncharged, no cap passed, clear errors."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from fractions import Fraction
from pathlib import Path

import pytest

from discreet.errors import BudgetExceeded
from discreet.ledger import Ledger
from discreet.release import load
from tests.unit.private.publish_cases import TASK, people

PRELUDE = """
import os, subprocess, sys, tempfile
from fractions import Fraction
from pathlib import Path
from discreet.errors import DiscreetError, PublishFailed
from discreet.ledger import Ledger
from discreet.release import load
from tests.unit.private.publish_cases import TASK, hidden, people

disk = Path(sys.argv[1])
subprocess.run(["mount", "-t", "tmpfs", "-o", "size=512k", "tmpfs", disk], check=True)
tempfile.tempdir = str(disk)  # the details of a failure go to the same disk

def remount(how):
    subprocess.run(["mount", "-o", "remount," + how, disk], check=True)

def checked(here, name):
    '''What there is after a failure: at most one charge, whole, and no release.'''
    ledger = Ledger.read(here / "l.ledger")
    ledger.verify()
    charges = [entry.id for entry in ledger.entries() if entry.kind == "charge"]
    assert charges in ([], [name]) and ledger.spent == len(charges), charges
    assert not (here / name).exists()
    return charges
"""
FULL = """
seen = set()
for free in range(0, 160, 4):
    here = disk / str(free)
    here.mkdir()
    data = people(here)
    filler = here / "filler"
    with filler.open("wb") as file:
        try:
            while True:
                os.write(file.fileno(), bytes(4096))
        except OSError:
            os.ftruncate(file.fileno(), max(0, file.seek(0, 2) - 1024 * free))
    try:
        data.publish(TASK, 1, name="a", to=here / "a")
        seen.add("published")
    except DiscreetError as error:
        filler.unlink()  # reading a ledger needs some space, too
        charged = checked(here, "a")
        seen.add((type(error).__name__, bool(charged)))
        assert "space" in str(error) or "disk" in str(error), error
        people(here).publish(TASK, 1, name="a", to=here / "a")
    ledger = Ledger.open(here / "l.ledger", "people", Fraction(3))
    assert ledger.spent == 1 and ledger.fault_of(load(here / "a").manifest) is None and not hidden(here)
    subprocess.run(["rm", "-r", here], check=True)
    for leftover in disk.iterdir():
        leftover.unlink()
print(sorted(map(str, seen)))
"""
OTHER_FULL = """
out = disk / "out"
out.mkdir()
subprocess.run(["mount", "-t", "tmpfs", "-o", "size=16k", "tmpfs", out], check=True)
data = people(disk)
(out / "filler").write_bytes(bytes(12 * 1024))
try:
    data.publish(TASK, 1, name="a", to=out / "a")
except PublishFailed as error:
    print(error)
assert checked(disk, "a") == ["a"] and list(out.iterdir()) == [out / "filler"]
(out / "filler").unlink()
release = data.publish(TASK, 1, name="a", to=out / "a")
assert data.ledger.spent == 1 and data.ledger.fault_of(release.manifest) is None and not hidden(out)
"""
READ_ONLY = """
def refused(work):
    try:
        work()
    except PublishFailed as error:
        raise AssertionError("after the charge") from error
    except DiscreetError as error:
        print(error)
    else:
        raise AssertionError("not refused")

data = people(disk)
remount("ro")
refused(lambda: data.publish(TASK, 1, name="a", to=disk / "a"))
refused(lambda: data.publish(TASK, 1, name="a"))
refused(lambda: people(disk).publish(TASK, 1, name="a"))
refused(lambda: Ledger.open(disk / "new.ledger", "people", None))
remount("rw")
assert checked(disk, "a") == []
data.publish(TASK, 1, name="a", to=disk / "a")
"""


def run(script: str, disk: Path) -> list[str]:
    """The script in a namespace of its own, where it may mount a small disk."""
    disk.mkdir()
    if not sys.platform.startswith("linux") or shutil.which("unshare") is None:
        pytest.skip("disks are mounted on Linux")
    probe = ["unshare", "--map-root-user", "--mount", "mount", "-t", "tmpfs", "tmpfs", str(disk)]
    if subprocess.run(probe, capture_output=True).returncode:
        pytest.skip("no disk may be mounted here")
    done = subprocess.run(
        ["unshare", "--map-root-user", "--mount", sys.executable, "-c", PRELUDE + script, str(disk)],
        env={**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, [os.getcwd(), *sys.path]))},
        capture_output=True,
        text=True,
        timeout=300,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout.splitlines()


def test_a_disk_that_is_full_at_any_point(tmp_path: Path) -> None:
    (seen,) = run(FULL, tmp_path / "disk")
    for way in ("published", "('LedgerError', True)", "('LedgerError', False)"):
        assert way in seen


def test_another_disk_that_is_full_when_the_release_is_written(tmp_path: Path) -> None:
    (message,) = run(OTHER_FULL, tmp_path / "disk")
    assert "failed after the budget was charged; nothing was published" in message
    assert "costs nothing more" in message


def test_a_disk_that_is_read_only(tmp_path: Path) -> None:
    messages = run(READ_ONLY, tmp_path / "disk")
    assert len(messages) == 4
    assert all("nothing was charged" in message for message in messages[:3])
    assert "cannot be created there" in messages[3]


def test_a_clock_that_is_set_back(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    people(tmp_path).publish(TASK, 1, name="a", to=tmp_path / "a")
    monkeypatch.setattr("discreet.ledger.account.timestamp", lambda: "1970-01-01T00:00:00+00:00")
    data = people(tmp_path)
    first = data.publish(TASK, 1, name="b", to=tmp_path / "b")
    assert data.publish(TASK, 1, name="b", to=tmp_path / "b").manifest == first.manifest
    monkeypatch.setattr("discreet.ledger.account.timestamp", lambda: "9999-12-31T00:00:00+00:00")
    people(tmp_path).publish(TASK, 1, name="c", to=tmp_path / "c")
    with pytest.raises(BudgetExceeded):
        people(tmp_path).publish(TASK, 1, name="d", to=tmp_path / "d")
    assert not (tmp_path / "d").exists()
    ledger = Ledger.open(tmp_path / "l.ledger", "people", Fraction(3))
    assert ledger.spent == 3
    assert [ledger.fault_of(load(tmp_path / name).manifest) for name in "abc"] == [None] * 3
