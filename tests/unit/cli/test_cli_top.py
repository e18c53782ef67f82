"""`discreet top`: what is printed where too little is known."""

from __future__ import annotations

from pathlib import Path

import pandas as pd
import pytest

import discreet
from discreet.cli.asking import run_top
from discreet.noise import ZeroNoise


def test_a_certainty_that_says_little_is_not_printed(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    rows = pd.DataFrame([(user, item) for user in range(400) for item in range(10)], columns=["who", "item"])
    source = discreet.open(rows, discreet.Schema(item=discreet.Ordinal(0, 49)), unit=discreet.Unit("who", max_rows=10))
    for task in (discreet.Items("item", top=3), discreet.Items("item")):
        folder = tmp_path / str(len(list(tmp_path.iterdir())))
        source.publish(task, 1, noise=ZeroNoise()).save(folder)
        run_top(folder, 3, None, None, 0.95, None, as_json=False)
        shown = capsys.readouterr().out
        # three of ten that are alike
        assert shown.count("│ cannot tell │") == 3
        run_top(folder, 3, None, None, 0.95, None, as_json=True)
        assert "NaN" not in capsys.readouterr().out
