"""Six processes publish until the budget is gone and beyond, and are killed (kill -9) at any moment, again and again.

    python -m tests.kills          # 1,000 kills; prints what was found

No release may be there that was not charged, no cap may be passed, the ledger must be whole, its witness never ahead of
it, and whatever was charged can be had for no further charge.
"""

from __future__ import annotations

import os
import random
import signal
import sys
import tempfile
import time
from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from functools import partial
from pathlib import Path

import discreet
from discreet.errors import BudgetExceeded, DiscreetError
from discreet.ledger import Ledger
from discreet.ledger.heads import Witness
from discreet.private.open_data import from_counts
from discreet.private.publish import Data
from discreet.release import load
from discreet.release.files import MANIFEST

PROCESSES = 6
#: releases that a budget pays for, round by round: soon gone, so that all six are at the cap, or hardly ever
PAID = (4, 60)
KILLS_IN_A_ROUND = 25
EPSILON = Fraction(1, 4)
SCHEMA = discreet.Schema(age=discreet.Ordinal(0, 4), sex=discreet.Nominal(["f", "m"]))
TASK = discreet.Table(["age", "sex"], method="geometric")


@dataclass
class Found:
    """What was seen over all rounds."""

    kills: int = 0
    rounds: int = 0
    charges: int = 0
    releases: int = 0
    #: folders not yet renamed into place, left by the killed
    hidden: int = 0
    #: charges without a release, which were then published for nothing
    repeated: int = 0
    refused: int = 0


def people(folder: Path, paid: int) -> Data:
    ledger, budget = folder / "l.ledger", paid * EPSILON
    return from_counts(SCHEMA, [[0, 0], [2, 1], [4, 0]], [5, 7, 900], ledger=ledger, budget=budget, dataset="people")


def publish_for_ever(folder: Path, slot: int, paid: int) -> None:
    """Names are tried again after a kill, some of them by several processes; beyond the cap, all are refused."""
    data, choose = people(folder, paid), random.Random(os.urandom(8))
    while True:
        name = f"shared-{choose.randrange(6)}" if choose.random() < 0.3 else f"own-{slot}-{choose.randrange(20)}"
        try:
            data.publish(TASK, EPSILON, name=name, to=folder / name)
        except BudgetExceeded:
            os.close(os.open(folder / f"refused-{slot}", os.O_CREAT))
        except DiscreetError:  # a rival was first, or is being killed
            pass


def forked(work: Callable[[], None]) -> int:
    child = os.fork()
    if child == 0:
        try:
            work()
        finally:
            os._exit(1)
    return child


def one_round(folder: Path, kills: int, found: Found) -> None:
    paid = PAID[found.rounds % len(PAID)]
    work = [partial(publish_for_ever, folder, slot, paid) for slot in range(PROCESSES)]
    children = list(map(forked, work))
    for number in range(kills):
        if number:  # the first dies while the ledger is made
            time.sleep(random.random() * 0.1)
        slot = random.randrange(PROCESSES)
        killed(children[slot])
        found.kills += 1
        children[slot] = forked(work[slot])
    for child in children:
        killed(child)
    found.rounds += 1
    check(folder, paid, found)


def killed(child: int) -> None:
    os.kill(child, signal.SIGKILL)
    _, status = os.waitpid(child, 0)
    assert os.waitstatus_to_exitcode(status) == -signal.SIGKILL, "a process ended on its own"


def check(folder: Path, paid: int, found: Found) -> None:
    ledger = Ledger.read(folder / "l.ledger")
    chain = {(entry.seq, entry.hash) for entry in ledger.entries()}
    assert Witness(folder / "l.ledger", "ledger").news().lines <= chain, "the witness knows what never happened"
    ledger.verify()
    charged = {entry.id for entry in ledger.entries() if entry.kind == "charge"}
    assert ledger.spent == len(charged) * EPSILON <= paid * EPSILON, "the cap was passed"
    for path in (path for path in folder.iterdir() if path.is_dir()):
        # an empty one only tried whether a folder can be made here
        if path.name.startswith(".") and any(path.iterdir()):
            found.hidden += 1
            assert path.name[1:].split(".")[0] in charged, "an uncharged draft"
        elif (path / MANIFEST).exists():
            assert ledger.fault_of(load(path).manifest) is None, "an uncharged release"
            found.releases += 1
    found.charges += len(charged)
    found.refused += sum(path.name.startswith("refused-") for path in folder.iterdir())
    data = people(folder, paid)
    for name in charged:
        found.repeated += not (folder / name).exists()
        release = data.publish(TASK, EPSILON, name=name, to=folder / name)
        assert ledger.fault_of(release.manifest) is None
        assert load(folder / name).manifest == release.manifest
    assert Ledger.open(folder / "l.ledger", "people", paid * EPSILON).spent == len(charged) * EPSILON
    assert not list(folder.glob(".*.unpublished/*")), "a second draw was left behind"


def run(kills: int) -> Found:
    found = Found()
    from_counts(SCHEMA, [[0, 0]], [5]).publish(TASK, 1)  # compiles what the forked would each compile
    while found.kills < kills:
        with tempfile.TemporaryDirectory() as folder:
            one_round(Path(folder), min(KILLS_IN_A_ROUND, kills - found.kills), found)
    return found


if __name__ == "__main__":
    began = time.monotonic()
    print(run(int(sys.argv[1]) if len(sys.argv) > 1 else 1000))
    print(f"nothing uncharged, no cap passed, every ledger whole; {time.monotonic() - began:.0f} s")
