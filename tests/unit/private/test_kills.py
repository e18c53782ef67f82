"""A few of the kills of `tests.kills`; its 1,000 take some minutes, so they are run by hand."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest


@pytest.mark.skipif(not hasattr(os, "fork"), reason="no fork and no kill -9 on this system")
def test_six_processes_at_the_cap_that_are_killed_again_and_again() -> None:
    run = subprocess.run(
        [sys.executable, "-W", "ignore", "-m", "tests.kills", "30"],
        env={**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, [os.getcwd(), *sys.path]))},
        capture_output=True,
        text=True,
        timeout=300,
    )
    assert run.returncode == 0, run.stderr
    assert "kills=30" in run.stdout
    assert "nothing uncharged, no cap passed" in run.stdout
