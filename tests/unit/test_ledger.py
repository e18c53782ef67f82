"""The ledger under colleagues, crashes, full disks and tampering."""

from __future__ import annotations

import os
import shutil
import sqlite3
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Iterator
from contextlib import closing
from dataclasses import astuple, replace
from datetime import UTC, datetime, timedelta
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest

from discreet import ledger as module
from discreet.errors import BadParameter, BudgetExceeded, LedgerError
from discreet.ledger import Ledger

REST = "digest, hash FROM entries WHERE seq = 2"
PRELUDE = """
import os, random, signal, sqlite3, sys, time
from fractions import Fraction
from pathlib import Path
from discreet.errors import BudgetExceeded, LedgerError
from discreet.ledger import Ledger
path = sys.argv[1]
"""


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


def tamper(path: Path, *statements: str) -> None:
    """Change the file as someone would who knows about the triggers: take them off, then put them back."""
    with closing(sqlite3.connect(path, isolation_level=None)) as connection:
        connection.execute("PRAGMA synchronous = OFF")
        for trigger in ("no_update", "no_delete", "no_replace"):
            connection.execute(f"DROP TRIGGER {trigger}")
        for statement in (*statements, *module.LAYOUT[1:]):
            connection.execute(statement)


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "adult.ledger"


@pytest.fixture(params=["file", "memory"])
def ledger(request: pytest.FixtureRequest, path: Path) -> Ledger:
    return Ledger.open(path if request.param == "file" else None, "adult", Fraction(1))


@pytest.fixture(scope="module")
def three_charges(tmp_path_factory: pytest.TempPathFactory) -> bytes:
    path = tmp_path_factory.mktemp("ledger") / "adult.ledger"
    ledger = Ledger.open(path, "adult", Fraction(1))
    for release_id in "abc":
        charge(ledger, release_id)
    return path.read_bytes()


def charge(ledger: Ledger, release_id: str, epsilon: str = "0.25", request: str = "ab12") -> module.Charge:
    return ledger.charge(release_id, request, Fraction(epsilon), "ana", f"table {release_id}")


def test_account_of_charges_and_releases(ledger: Ledger) -> None:
    before = datetime.now(UTC)
    paid = charge(ledger, "by-age")
    assert (paid.release_id, paid.request, paid.epsilon, paid.repeated) == (
        "by-age",
        "ab12",
        Fraction(1, 4),
        False,
    )
    assert paid.head == ledger.head()
    assert ledger.recorded("by-age") is None
    ledger.record("by-age", "cd34")
    assert ledger.recorded("by-age") == "cd34"
    opened, charged, recorded = ledger.entries()
    assert (opened.kind, opened.what, opened.epsilon) == ("opened", "adult", Fraction(1))
    assert (charged.kind, charged.who, charged.what) == ("charge", "ana", "table by-age")
    assert (charged.id, charged.digest, charged.epsilon) == ("by-age", "ab12", Fraction(1, 4))
    assert (recorded.kind, recorded.id, recorded.digest, recorded.epsilon) == (
        "release-recorded",
        "by-age",
        "cd34",
        0,
    )
    times = [datetime.fromisoformat(entry.time) for entry in (opened, charged, recorded)]
    assert times == sorted(times)
    assert timedelta(0) <= times[1] - before < timedelta(minutes=1)
    assert [charged.hash, recorded.hash] == [paid.head, ledger.head()]
    assert (ledger.spent, ledger.budget, ledger.left) == (Fraction(1, 4), Fraction(1), Fraction(3, 4))
    assert ledger.dataset == "adult"
    ledger.verify()


@pytest.mark.parametrize(
    ("epsilon", "nano"),
    [("1/3", 333_333_334), ("1e-12", 1), ("0.1", 100_000_000), ("0.0000000011", 2), ("1", 10**9)],
)
def test_costs_are_rounded_up_to_nano_epsilon(ledger: Ledger, epsilon: str, nano: int) -> None:
    assert charge(ledger, "a", epsilon).epsilon == Fraction(nano, 10**9) == ledger.spent
    assert charge(ledger, "a", epsilon).repeated


def test_thirds_of_a_budget_never_add_up_to_more_than_it(ledger: Ledger) -> None:
    charge(ledger, "a", "1/3")
    charge(ledger, "b", "1/3")
    with pytest.raises(BudgetExceeded, match=r"spent 0\.666666668, asked 0\.333333334, left 0\.333333332\."):
        charge(ledger, "c", "1/3")
    charge(ledger, "c", "0.333333332")
    assert ledger.left == 0


@pytest.mark.parametrize("budget", ["1/3", "1e-10", "1e10", "0", "-1"])
def test_a_budget_that_cannot_be_kept_exactly_is_refused(path: Path, budget: str) -> None:
    with pytest.raises(BadParameter, match="budget"):
        Ledger.open(path, "adult", Fraction(budget))
    assert not path.exists()


@pytest.mark.parametrize("epsilon", ["0", "-1"])
def test_epsilon_must_be_positive(ledger: Ledger, epsilon: str) -> None:
    with pytest.raises(BadParameter, match="epsilon"):
        charge(ledger, "a", epsilon)
    assert len(ledger.entries()) == 1


def test_cap_is_reached_but_not_passed(ledger: Ledger) -> None:
    charge(ledger, "a", "0.999999999")
    with pytest.raises(BudgetExceeded, match=r"spent 0\.999999999, asked 0\.000000002, left 0\.000000001"):
        charge(ledger, "b", "0.000000002")
    charge(ledger, "c", "0.000000001")
    with pytest.raises(BudgetExceeded, match="no more releases"):
        charge(ledger, "d", "1e-30")
    assert [entry.id for entry in ledger.entries()[1:]] == ["a", "c"]


def test_a_ledger_without_a_cap_counts_until_integers_end() -> None:
    ledger = Ledger.open(None, "adult", None)
    charge(ledger, "a", "1e9")
    assert (ledger.spent, ledger.budget, ledger.left, ledger.durable) == (10**9, None, None, False)
    with pytest.raises(BudgetExceeded, match="no budget"):
        charge(ledger, "b", "1e10")


def test_same_request_is_paid_once_and_a_changed_one_is_refused(ledger: Ledger) -> None:
    first = charge(ledger, "a")
    charge(ledger, "b", "0.75")
    again = charge(ledger, "a")  # with nothing left
    assert again.repeated
    assert (again.head, again.time, again.epsilon) == (first.head, first.time, first.epsilon)
    with pytest.raises(LedgerError, match=r"'a' was charged for another request by ana on 20.*new release id"):
        charge(ledger, "a", request="ff")
    with pytest.raises(LedgerError, match="another request"):
        charge(ledger, "a", "0.2")
    assert ledger.spent == 1


def test_bytes_of_a_release_are_fixed_once(ledger: Ledger) -> None:
    with pytest.raises(LedgerError, match="never charged"):
        ledger.record("a", "cd")
    charge(ledger, "a")
    ledger.record("a", "cd")
    ledger.record("a", "cd")
    with pytest.raises(LedgerError, match=r"other bytes.*Discard"):
        ledger.record("a", "ef")
    assert ledger.recorded("a") == "cd"
    assert len(ledger.entries()) == 3


def test_texts_that_are_odd_or_empty(ledger: Ledger) -> None:
    ledger.charge("=a,'\n\"ü", "ab", Fraction(1, 2), "b\udce9a", "tábla")
    assert [(entry.id, entry.who, entry.what) for entry in ledger.entries()[1:]] == [
        ("=a,'\n\"ü", "b\\udce9a", "tábla")
    ]
    ledger.verify()
    for wrong in ("", "a\0b"):
        with pytest.raises(BadParameter, match="release id"):
            charge(ledger, wrong)


@pytest.mark.parametrize(
    "statement",
    [
        "UPDATE entries SET nano = 0 WHERE seq = 2",
        "DELETE FROM entries WHERE seq = 2",
        f"INSERT OR REPLACE INTO entries SELECT 2, kind, time, who, what, 0, id, {REST}",
        f"INSERT OR REPLACE INTO entries SELECT 5, kind, time, who, what, 0, id, {REST}",
        f"INSERT INTO entries SELECT -1, kind, time, who, what, 0, 'new', {REST}",
    ],
)
def test_entries_are_only_ever_appended(path: Path, three_charges: bytes, statement: str) -> None:
    path.write_bytes(three_charges)
    with closing(sqlite3.connect(path)) as connection:
        with pytest.raises(sqlite3.IntegrityError, match="append-only"):
            connection.execute(statement)
        connection.commit()
    assert Ledger.open(path, "adult", None).spent == Fraction(3, 4)


@pytest.mark.parametrize(
    "statement",
    [
        *(f"UPDATE entries SET {column} = {column} || 'x' WHERE seq = 3" for column in ("time", "who", "what", "id")),
        *(f"UPDATE entries SET {column} = 'aa' WHERE seq = 3" for column in ("digest", "hash")),
        "UPDATE entries SET who = x'00ff' WHERE seq = 3",
        "UPDATE entries SET nano = nano - 1 WHERE seq = 3",
        "UPDATE entries SET kind = 'release-recorded' WHERE seq = 3",
        "UPDATE entries SET nano = 9000000000 WHERE seq = 1",
        "UPDATE entries SET nano = NULL WHERE seq = 1",
        "DELETE FROM entries WHERE seq = 3",
        "DELETE FROM entries WHERE seq = 1",
        "DELETE FROM entries",
    ],
)
def test_tampering_is_detected(path: Path, three_charges: bytes, statement: str) -> None:
    path.write_bytes(three_charges)
    tamper(path, statement)
    with pytest.raises(LedgerError, match=r"adult\.ledger.*(changed by hand|damaged).*backup"):
        Ledger.read(path).verify()
    with pytest.raises(LedgerError):
        Ledger.open(path, "adult", None)


def test_an_entry_with_a_hash_that_fits_still_breaks_the_chain(path: Path, three_charges: bytes) -> None:
    path.write_bytes(three_charges)
    entries = Ledger.read(path).entries()
    cheaper = replace(entries[2], nano=1).chained(entries[1].hash)
    tamper(path, f"UPDATE entries SET nano = 1, hash = '{cheaper.hash}' WHERE seq = 3")
    with pytest.raises(LedgerError, match="entry 4"):
        Ledger.open(path, "adult", None)


def test_a_second_opening_cannot_raise_the_budget(path: Path, three_charges: bytes) -> None:
    path.write_bytes(three_charges)
    entries = Ledger.read(path).entries()
    again = replace(entries[0], seq=5, nano=9 * 10**9, id="another").chained(entries[3].hash)
    with closing(sqlite3.connect(path)) as connection:
        connection.execute("INSERT INTO entries VALUES (?,?,?,?,?,?,?,?,?)", astuple(again))
        connection.commit()
    with pytest.raises(LedgerError, match="entry 5"):
        Ledger.open(path, "adult", None)


def test_a_damaged_index_cannot_hide_a_charge(path: Path, three_charges: bytes) -> None:
    assert three_charges.count(b"chargeb") == 1  # the table keeps other words between the two
    path.write_bytes(three_charges.replace(b"chargeb", b"chargex"))
    with pytest.raises(LedgerError, match=r"damaged.*index"):
        Ledger.open(path, "adult", None)


def test_tampering_under_a_running_program_buys_nothing(path: Path) -> None:
    live = Ledger.open(path, "adult", Fraction(1))
    charge(live, "a")
    tamper(path, "UPDATE entries SET nano = 9000000000 WHERE seq = 1")
    with pytest.raises(BudgetExceeded, match="a budget of 1;"):
        charge(live, "b", "2")
    charge(live, "c")
    tamper(path, "UPDATE entries SET nano = 0 WHERE seq = 3")
    with pytest.raises(LedgerError, match="entry 3"):
        charge(live, "d")


def test_missing_trigger_is_detected(path: Path, three_charges: bytes) -> None:
    path.write_bytes(three_charges)
    tamper(path)
    assert Ledger.open(path, "adult", Fraction(1)).spent == Fraction(3, 4)  # triggers off and on again
    with closing(sqlite3.connect(path)) as connection:
        connection.execute("DROP TRIGGER no_delete")
    with pytest.raises(LedgerError, match="triggers"):
        Ledger.open(path, "adult", Fraction(1))


def test_restored_older_copy_is_noticed(path: Path, tmp_path: Path) -> None:
    live = Ledger.open(path, "adult", Fraction(1))
    first = charge(live, "a").head
    shutil.copy(path, tmp_path / "backup")
    second = charge(live, "b").head
    assert live.contains_head(first)
    assert live.contains_head(second)
    assert live.spent == Fraction(1, 2)
    shutil.copy(tmp_path / "backup", path)
    restored = Ledger.open(path, "adult", Fraction(1))
    assert restored.contains_head(first)
    assert not restored.contains_head(second)
    with pytest.raises(LedgerError, match="older copy"):
        charge(live, "c")


def test_a_ledger_begun_again_with_the_same_words_has_another_chain(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "_time", lambda: "2026-01-01T00:00:00+00:00")
    head = Ledger.open(path, "adult", Fraction(1)).head()
    path.unlink()
    assert not Ledger.open(path, "adult", Fraction(1)).contains_head(head)


def test_a_locked_ledger_says_so_and_can_still_be_read(path: Path) -> None:
    ledger = Ledger.open(path, "adult", Fraction(1), timeout=0.1)
    with closing(sqlite3.connect(path, isolation_level=None)) as other:
        other.execute("BEGIN IMMEDIATE")
        began = time.monotonic()
        with pytest.raises(LedgerError, match=r"^ledger locked: .*adult\.ledger for more than 0\.1 s\. .*nothing"):
            charge(ledger, "a")
        assert time.monotonic() - began < 3
        assert ledger.spent == 0
    charge(ledger, "a")
    assert ledger.spent == Fraction(1, 4)


def test_file_is_kept_the_durable_way(path: Path) -> None:
    ledger = Ledger.open(path, "adult", Fraction(1))
    with ledger._transaction("BEGIN") as connection:
        assert connection.execute("PRAGMA journal_mode").fetchone() == ("wal",)
        assert connection.execute("PRAGMA synchronous").fetchone() == (2,)  # FULL
    assert ledger.durable
    assert os.listdir(path.parent) == [path.name]


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


def test_the_slower_of_two_creators_takes_the_ledger_of_the_faster(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    lay_out = module._lay_out

    def overtaken(*arguments: Any) -> None:
        monkeypatch.setattr(module, "_lay_out", lay_out)
        charge(Ledger.open(path, "adult", Fraction(1)), "a")
        lay_out(*arguments)

    monkeypatch.setattr(module, "_lay_out", overtaken)
    assert Ledger.open(path, "adult", Fraction(1)).spent == Fraction(1, 4)
    assert os.listdir(path.parent) == [path.name]


def test_threads_share_one_ledger(ledger: Ledger) -> None:
    refused: list[str] = []

    def spend(name: str) -> None:
        for number in range(10):
            try:
                charge(ledger, f"{name}{number}", "0.05")
            except BudgetExceeded:
                refused.append(name)

    threads = [threading.Thread(target=spend, args=(name,)) for name in "abc"]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert (ledger.left, len(refused)) == (0, 10)
    ledger.verify()


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


def test_full_database_charges_nothing(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    ledger = Ledger.open(path, "adult", Fraction(1))
    pages = path.stat().st_size // 4096
    with monkeypatch.context() as limited:
        limited.setattr(module, "SETTINGS", (*module.SETTINGS, f"PRAGMA max_page_count = {pages + 1}"))
        with pytest.raises(LedgerError, match=r"disk is full.*same release id"):
            ledger.charge("a", "ab", Fraction(1, 4), "ana", "long " * 4000)
        assert ledger.spent == 0
    charge(ledger, "a")
    ledger.verify()


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
    assert "same release id" in message
    ledger = Ledger.open(path, "adult", Fraction(1))
    ids = [entry.id for entry in ledger.entries()[1:]]
    promised = [f"r{index}" for index in range(int(number))]
    assert len(promised) > 5
    assert ids[: len(promised)] == promised
    assert len(ids) <= len(promised) + 1
    assert not charge(ledger, "after").repeated


@pytest.fixture
def closed_folder() -> Iterator[Path]:
    """A folder with a ledger, which nobody but root may write to."""
    folder = Path(tempfile.mkdtemp())
    charge(Ledger.open(folder / "adult.ledger", "adult", Fraction(1)), "a")
    folder.chmod(0o555)
    yield folder
    folder.chmod(0o755)
    shutil.rmtree(folder)


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
    assert "write it and its folder" in charged
    assert "cannot be made there" in created
    assert os.listdir(closed_folder) == ["adult.ledger"]


def test_places_where_no_ledger_can_be(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("words")
    for place in (tmp_path / "file" / "x.ledger", tmp_path / "absent" / "x.ledger"):
        with pytest.raises(LedgerError, match=r"x\.ledger: the ledger cannot be made there .*writable folder"):
            Ledger.open(place, "adult", Fraction(1))
    with pytest.raises(LedgerError, match="cannot be opened"):
        Ledger.open(tmp_path, "adult", Fraction(1))
    with pytest.raises(LedgerError, match=r"cannot be opened.*exists"):
        Ledger.read(tmp_path / "absent.ledger")
    with pytest.raises(BadParameter, match="path"):
        Ledger.open("a\0b", "adult", None)
    assert os.listdir(tmp_path) == ["file"]


@pytest.mark.parametrize("content", [b"", b"age,sex\n" * 200, b"SQLite format 3\0" + bytes(4080), None])
def test_a_file_that_is_no_ledger_is_left_alone(path: Path, content: bytes | None) -> None:
    if content is None:
        with closing(sqlite3.connect(path)) as other:
            other.execute("CREATE TABLE entries (seq INTEGER)")
        content = path.read_bytes()
    path.write_bytes(content)
    for attempt in (lambda: Ledger.open(path, "adult", None), lambda: Ledger.read(path)):
        with pytest.raises(LedgerError, match=r"adult\.ledger.*(is not a Discreet ledger|damaged)"):
            attempt()
    assert path.read_bytes() == content


def test_damaged_bytes_and_newer_formats_are_refused(path: Path) -> None:
    ledger = Ledger.open(path, "adult", Fraction(1))
    for number in range(30):
        charge(ledger, f"r{number}", "0.01")
    whole = path.read_bytes()
    path.write_bytes(whole[: len(whole) // 2])
    with pytest.raises(LedgerError, match=r"damaged.*backup"):
        Ledger.open(path, "adult", Fraction(1))
    path.write_bytes(whole)
    with closing(sqlite3.connect(path)) as connection:
        connection.execute("PRAGMA user_version = 2")
    for attempt in (lambda: Ledger.open(path, "adult", None), lambda: Ledger.read(path)):
        with pytest.raises(LedgerError, match=r"format 2.*newer"):
            attempt()


def test_ledger_of_another_data_set_or_budget_names_both(path: Path) -> None:
    Ledger.open(path, "adult", Fraction(3))
    with pytest.raises(LedgerError, match="data set 'adult', not of 'census'"):
        Ledger.open(path, "census", Fraction(3))
    with pytest.raises(LedgerError, match=r"a budget of 3, not a budget of 3\.5"):
        Ledger.open(path, "adult", Fraction("3.5"))
    assert Ledger.open(path, "adult", None).budget == 3
    Ledger.open(path.with_name("free"), "adult", None)
    with pytest.raises(LedgerError, match="opened with no budget, not a budget of 1"):
        Ledger.open(path.with_name("free"), "adult", Fraction(1))


def test_charges_left_in_a_log_without_its_ledger_are_not_lost(path: Path) -> None:
    log = path.with_name(path.name + "-wal")
    log.write_bytes(b"charges")
    with pytest.raises(LedgerError, match=r"missing, but adult\.ledger-wal .* Put it back"):
        Ledger.open(path, "adult", Fraction(1))
    assert log.read_bytes() == b"charges"
    assert not path.exists()


def test_reading_changes_nothing_and_cannot_charge(path: Path) -> None:
    charge(Ledger.open(path, "adult", Fraction(1)), "a")
    before = path.read_bytes()
    reader = Ledger.read(path)
    assert (reader.spent, reader.left, reader.dataset) == (Fraction(1, 4), Fraction(3, 4), "adult")
    with pytest.raises(LedgerError, match=r"read only; .*Ledger\.open"):
        charge(reader, "b")
    assert path.read_bytes() == before
    assert os.listdir(path.parent) == [path.name]


def test_a_relative_path_stays_the_same_file(path: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    ledger = Ledger.open("adult #1?.ledger", "adult", Fraction(1))
    (tmp_path / "elsewhere").mkdir()
    monkeypatch.chdir(tmp_path / "elsewhere")
    charge(ledger, "a")
    assert Ledger.read(tmp_path / "adult #1?.ledger").spent == Fraction(1, 4)
