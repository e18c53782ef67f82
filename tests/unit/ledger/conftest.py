"""A place for a ledger, and an account that is kept in a file and in memory."""

from __future__ import annotations

from fractions import Fraction
from pathlib import Path

import pytest

from discreet.ledger import Ledger


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "adult.ledger"


@pytest.fixture(params=["file", "memory"])
def ledger(request: pytest.FixtureRequest, path: Path) -> Ledger:
    return Ledger.open(path if request.param == "file" else None, "adult", Fraction(1))
