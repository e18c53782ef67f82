"""Tests draw what production draws, and all their comparisons with laws share one false alarm."""

from __future__ import annotations

import os
import random
import subprocess
import sys
from pathlib import Path

import pytest

from discreet.noise import KeystreamSource, Noise, source
from tests.statistics import COMPARISONS

PROJECT = Path(__file__).parents[2]


def test_nothing_replaces_the_systems_randomness() -> None:
    assert vars(source)["os"] is os
    assert vars(random)["_urandom"] is os.urandom
    assert type(Noise().source) is KeystreamSource
    assert not (Noise().laplace(1000, 20) == Noise().laplace(1000, 20)).all()


@pytest.mark.parametrize("again", range(2))
@pytest.mark.usefixtures("seeded")
def test_who_asks_for_a_seed_gets_one(again: int) -> None:
    """The same bits within a process and in the next; others for another test."""
    drawn = Noise().laplace(1000, 3).tolist()
    assert drawn == {0: [-1422, -275, 2697], 1: [258, -585, 411]}[again]


@pytest.mark.parametrize(("made", "passes"), [(COMPARISONS, True), (COMPARISONS + 2, False)])
def test_too_many_comparisons_fail_the_run(made: int, passes: bool, tmp_path: Path) -> None:
    """Counted over two processes."""
    test = "import pytest\nfrom tests.statistics import share\n\n\n@pytest.mark.parametrize('_', range(2))\n"
    test += f"def test_it(_):\n    for _ in range({made // 2}):\n        share()\n"
    (tmp_path / "test_it.py").write_text(test)
    command = [sys.executable, "-m", "pytest", "-n", "2", "-p", "tests.conftest", "--rootdir", PROJECT, tmp_path]
    done = subprocess.run([*map(str, command)], cwd=PROJECT, capture_output=True, text=True)
    assert (done.returncode == 0) == passes, done.stdout + done.stderr
    assert "2 passed" in done.stdout
    assert f"{made} comparisons with laws" in done.stdout
    assert ("too many" in done.stdout) != passes
