"""Other programs: many at once, forked, killed, on a disk that fills up, without the right to write."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from fractions import Fraction
from pathlib import Path

import pytest

from discreet.ledger import Charge, Ledger

PRELUDE = """
import os, random, signal, sqlite3, sys, time
from fractions import Fraction
from pathlib import Path
from discreet.errors import BudgetExceeded, LedgerError
from discreet.ledger import Ledger
path = sys.argv[1]
"""


def charge(ledger: Ledger, release_id: str, epsilon: str = "0.25", request: str = "ab12") -> Charge:
    return ledger.charge(release_id, request, Fraction(epsilon), "ana", f"table {release_id}")


def start(script: str, *arguments: object) -> subprocess.Popen[str]:
    """A fresh interpreter, as another program of a colleague would be."""
    return subprocess.Popen(
        [sys.executable, "-c", PRELUDE + script, *map(str, arguments)],
        env={**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, sys.path))},
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )


def run(script: str, *arguments: object) -> str:
    process = start(script, *arguments)
    output, _ = process.communicate(timeout=60)
    assert process.returncode == 0
    return output


@pytest.fixture
def closed_folder() -> Iterator[Path]:
    """A folder with a ledger, which nobody but root may write to."""
    folder = Path(tempfile.mkdtemp())
    charge(Ledger.open(folder / "adult.ledger", "adult", Fraction(1)), "a")
    (folder / "adult.ledger").chmod(0o644)  # its owner lets others read it
    folder.chmod(0o555)
    yield folder
    folder.chmod(0o755)
    shutil.rmtree(folder)


def test_many_processes_at_once_never_pass_the_cap(path: Path) -> None:
    script = """
ready = sys.stdin.readline()
ledger = Ledger.open(path, "adult", Fraction(1))  # all of them create it at once
shared = ledger.charge("shared", "ab", Fraction(1, 50), "ana", "table")
paid = 0
for number in range(30):
    try:
        ledger.charge(f"{sys.argv[2]}-{number}", "ab", Fraction(1, 50), "ana", "table")
        paid += 1
    except BudgetExceeded:
        pass
print(int(shared.repeated), paid)
"""
    processes = [start(script, path, name) for name in range(5)]
    for process in processes:
        assert process.stdin is not None
        process.stdin.write("go\n")
        process.stdin.flush()
    results = [tuple(map(int, process.communicate(timeout=60)[0].split())) for process in processes]
    ledger = Ledger.open(path, "adult", Fraction(1))
    assert sum(repeated for repeated, _ in results) == 4
    assert sum(paid for _, paid in results) == 49
    assert ledger.spent == 1
    assert [entry.kind for entry in ledger.entries()] == ["opened"] + ["charge"] * 50


@pytest.mark.skipif(not hasattr(os, "fork"), reason="no fork on this system")
def test_a_fork_shares_the_file_but_never_the_account_in_memory(path: Path) -> None:
    script = """
import threading
file, memory = Ledger.open(path, "adult", Fraction(1)), Ledger.open(None, "adult", Fraction(1))
stop = threading.Event()
def busy():
    while not stop.is_set():
        file.verify()
worker = threading.Thread(target=busy)
worker.start()  # so that forks fall into the middle of operations
for number in range(12):
    if os.fork() == 0:
        file.charge(f"child {number}", "ab", Fraction(1, 100), "ana", "table")
        try:
            memory.charge("child", "ab", Fraction(1, 100), "ana", "table")
        except LedgerError as error:
            os._exit(7 if "ledger file" in str(error) else 8)
        os._exit(9)
    file.charge(f"parent {number}", "ab", Fraction(1, 100), "ana", "table")
    print(os.waitstatus_to_exitcode(os.wait()[1]))
stop.set()
worker.join()
memory.charge("parent", "ab", Fraction(1, 100), "ana", "table")
"""
    assert run("import warnings; warnings.simplefilter('ignore')" + script, path).split() == ["7"] * 12
    assert Ledger.open(path, "adult", Fraction(1)).spent == Fraction(24, 100)


@pytest.mark.skipif(not hasattr(os, "fork"), reason="no fork and no kill -9 on this system")
def test_kill_9_anywhere_leaves_whole_entries_and_every_acknowledged_charge(path: Path) -> None:
    script = """
acknowledged = os.open(path + ".acknowledged", os.O_CREAT | os.O_APPEND | os.O_WRONLY)
connect, steps = sqlite3.connect, 0

def die_after(count):
    def step():
        global steps
        steps += 1
        if steps == count:
            os.kill(os.getpid(), signal.SIGKILL)
    def watched(*arguments, **options):
        connection = connect(*arguments, **options)
        connection.set_progress_handler(step, 1)
        return connection
    sqlite3.connect = watched

def spend(ledger_path, name):
    if name % 4 == 3:  # while it is made, or soon after
        die_after(random.randrange(1, 1500))
    ledger = Ledger.open(ledger_path, "adult", Fraction(1))
    if name % 4 == 1:
        die_after(random.randrange(1, 1500))
    for number in range(1000):
        ledger.charge(f"{name}-{number}", "ab", Fraction(1, 10**6), "ana", "table")
        os.write(acknowledged, f"{ledger_path} {name}-{number}\\n".encode())

for round in range(48):
    # in turn: at a moment from outside, at a step inside SQLite; an old ledger, one in the making
    ledger_path = path if round % 4 < 2 else f"{path}-{round}"
    child = os.fork()
    if child == 0:
        spend(ledger_path, round)
    if round % 2 == 0:
        time.sleep(random.random() * 0.06)
        os.kill(child, signal.SIGKILL)
    assert os.waitstatus_to_exitcode(os.wait()[1]) == -signal.SIGKILL
    if os.path.exists(ledger_path):
        Ledger.open(ledger_path, "adult", Fraction(1))  # checks the whole chain
    print(ledger_path)
"""
    killed = run(script, path).splitlines()
    lines = [line.rsplit(" ", 1) for line in Path(f"{path}.acknowledged").read_text().splitlines()]
    assert len(killed) == 48
    assert len(lines) > 10  # else nothing was in full swing
    for place in set(killed):
        promised = {release_id for ledger_path, release_id in lines if ledger_path == place}
        entries = Ledger.open(place, "adult", Fraction(1)).entries()[1:]
        assert promised <= {entry.id for entry in entries}
        assert len(entries) - len(promised) <= killed.count(place)  # at most the one in hand at each kill
        assert Ledger.read(place).spent == Fraction(len(entries), 10**6)


def test_disk_that_fills_up_keeps_what_was_acknowledged(path: Path) -> None:
    pytest.importorskip("resource", reason="no file size limit on this system")
    script = """
import resource
ledger = Ledger.open(path, "adult", Fraction(1))
resource.setrlimit(resource.RLIMIT_FSIZE, (70_000, 70_000))
for number in range(200):
    try:
        ledger.charge(f"r{number}", "ab", Fraction(1, 1000), "ana", "table " * 400)
    except LedgerError as error:
        print(number, error)
        break
"""
    number, message = run(script, path).split(maxsplit=1)
    assert "quota is used up" in message
    assert "same name" in message
    ledger = Ledger.open(path, "adult", Fraction(1))
    ids = [entry.id for entry in ledger.entries()[1:]]
    promised = [f"r{index}" for index in range(int(number))]
    assert len(promised) > 5
    assert ids[: len(promised)] == promised
    assert len(ids) <= len(promised) + 1
    assert not charge(ledger, "after").repeated


def test_read_only_folder_can_be_read_and_not_charged(closed_folder: Path) -> None:
    script = """
if os.getuid() == 0:
    try:
        os.setuid(65534)
    except OSError:
        sys.exit("cannot give up root")
for work in (
    lambda: print(Ledger.read(path).spent),
    lambda: Ledger.open(path, "adult", Fraction(1)).charge("b", "ab", Fraction(1, 4), "ana", "table"),
    lambda: Ledger.open(path + ".new", "adult", Fraction(1)),
):
    try:
        work()
    except LedgerError as error:
        print(error)
"""
    process = start(script, closed_folder / "adult.ledger")
    lines = process.communicate(timeout=60)[0].splitlines()
    if process.returncode:
        pytest.skip("root cannot be given up here")
    spent, charged, created = lines
    assert spent == "1/4"
    assert "adult.ledger cannot be opened" in charged
    assert "write to it and its folder" in charged
    assert "cannot be created there" in created
    assert sorted(os.listdir(closed_folder)) == ["adult.ledger", "adult.ledger.heads"]
