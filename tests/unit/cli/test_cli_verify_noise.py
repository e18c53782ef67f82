"""The command `verify-noise`: its verdict, and values of epsilon that have no noise."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.unit.cli import cli_runs
from tests.unit.cli.cli_runs import Cli, done, process, refused

cli = cli_runs.cli  # a fixture


def test_verify_noise(cli: Cli, tmp_path: Path) -> None:
    said = done(process(tmp_path, "verify-noise", "--epsilon", "0.37"))
    assert "EXACT" in said
    assert "epsilon 0.37, sensitivity 1" in said
    verdict = json.loads(done(cli(tmp_path, "verify-noise", "--epsilon", "1/3", "--sensitivity", "2", "--json")))
    assert (verdict["epsilon"], verdict["sensitivity"], verdict["passed"]) == ("1/3", "2", True)
    assert verdict["true_epsilon"] <= 1 / 3
    assert all(check["wrong"] == 0 < check["looked_at"] for check in verdict["checks"])


@pytest.mark.parametrize("epsilon", ["0", "-1", "nan", "1e-30", "much"])
def test_verify_noise_of_no_epsilon(cli: Cli, tmp_path: Path, epsilon: str) -> None:
    refused(cli(tmp_path, "verify-noise", f"--epsilon={epsilon}"))
