"""Data of three cells to publish, counting that fails on demand, and what its ledger and folders hold afterwards."""

from __future__ import annotations

import tempfile
from collections.abc import Callable
from dataclasses import dataclass, replace
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest

import discreet
from discreet.ledger import Ledger
from discreet.private.bounded import Bounded, Origin
from discreet.private.open_data import from_counts
from discreet.private.publish import Data
from discreet.schema import Schema

SCHEMA = discreet.Schema(age=discreet.Ordinal(0, 4), sex=discreet.Nominal(["f", "m"]))
CODES = [[0, 0], [2, 1], [4, 0]]
TASK = discreet.Table(["age", "sex"], method="geometric")
CANARY = "canary-7f3a91"


def people(here: Path, **options: Any) -> Data:
    given = {"ledger": here / "l.ledger", "budget": 3, "dataset": "people", **options}
    return from_counts(SCHEMA, CODES, [5, 7, 900], **given)


@dataclass(frozen=True)
class Watched:
    """The same origin, but whenever its data is asked for, `how` is called first."""

    origin: Origin
    how: Callable[[], object]

    @property
    def has_rows(self) -> bool:
        return self.origin.has_rows

    def check(self, schema: Schema, unit: discreet.Unit, task: str = "table") -> None:
        self.origin.check(schema, unit, task)

    def bounded(self, schema: Schema, unit: discreet.Unit, salt: bytes, *, repeatable: bool = False) -> Bounded:
        self.how()
        return self.origin.bounded(schema, unit, salt, repeatable=repeatable)


def failing(data: Data, how: Callable[[], object]) -> Data:
    return replace(data, origin=Watched(data.origin, how))


def no_more() -> None:
    raise AssertionError("the data was looked at again")


def boom() -> None:
    raise ValueError(f"Could not convert string '{CANARY}' to INT32 in row 17")


@pytest.fixture
def scratch(tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Where temporary files go during the test."""
    place = tmp_path_factory.mktemp("scratch")
    monkeypatch.setattr(tempfile, "tempdir", str(place))
    return place


def charges(here: Path) -> list[str]:
    return [entry.id for entry in Ledger.read(here / "l.ledger").entries() if entry.kind == "charge"]


def spent(here: Path) -> Fraction:
    return Ledger.read(here / "l.ledger").spent


def contents(place: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in sorted(place.iterdir())}


def hidden(here: Path) -> list[str]:
    return [path.name for path in here.iterdir() if path.name.startswith(".")]
