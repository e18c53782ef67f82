"""Releases of one table of counts, without noise, with noise and saved, and its cells for brute force."""

from __future__ import annotations

from collections.abc import Callable
from datetime import date
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import discreet
from discreet.noise import ZeroNoise
from discreet.private.open_data import from_counts
from discreet.private.publish import Data
from discreet.release import Release

ODD = ["plain", "a,b", 'q"uote', "two\nlines", "=1+1", "c\rr", "<b>&amp;"]
SCHEMA = discreet.Schema(
    age=discreet.Ordinal(0, 9, outside="other"),
    day=discreet.Ordinal(date(2024, 1, 1), date(2024, 1, 3)),
    place=discreet.Nominal(
        hierarchy={"north": ["a", "b"], "south": {"west": ["c"], "east": ["d", "e"]}, "sea": ["f"]},
        levels=["side", "part", "place"],
    ),
    note=discreet.Nominal(ODD, null="other"),
    income=discreet.Ordinal(0, 99, 10),
)
BY = ["age", "day", "place", "note"]
TASK = discreet.Table(BY, method="geometric")
RELEASED = SCHEMA.select(BY)
CODES = np.array(list(product(*map(range, RELEASED.sizes))))
COUNTS = (np.arange(len(CODES)) * 7919) % 101
NORTH, EAST = {"a", "b"}, {"d", "e"}


def data(**options: Any) -> Data:
    """Counts of all four released attributes; every income is in the first bin."""
    return from_counts(SCHEMA, np.column_stack([CODES, np.zeros(len(CODES), np.int64)]), COUNTS, **options)


@pytest.fixture(scope="module")
def exact_release() -> Release:
    return data().publish(TASK, 1, noise=ZeroNoise())


@pytest.fixture(scope="module")
def noisy() -> Release:
    return data().publish(TASK, "0.7")


@pytest.fixture(scope="module")
def saved(noisy: Release, tmp_path_factory: pytest.TempPathFactory) -> Path:
    return noisy.save(tmp_path_factory.mktemp("saved") / "by-age")


def cells() -> list[tuple[dict[str, Any], int]]:
    """Every cell as its labels and its true count."""
    labels = [RELEASED[name].labels for name in BY]
    return [
        ({name: labels[i][code] for i, (name, code) in enumerate(zip(BY, row, strict=True))}, int(count))
        for row, count in zip(CODES, COUNTS, strict=True)
    ]


CELLS = cells()
Holds = Callable[[dict[str, Any]], bool]

WHERES: list[tuple[Any, Holds]] = [
    (None, lambda c: True),
    ({"age": 3}, lambda c: c["age"] == 3),
    ({"age": (3, 5), "place": "north"}, lambda c: c["age"] in (3, 4, 5) and c["place"] in NORTH),
    ({"age": (8, None)}, lambda c: c["age"] in (8, 9)),
    ({"age": "other"}, lambda c: c["age"] == "other"),
    (
        {"place": ["east", "f"], "day": (date(2024, 1, 2), None)},
        lambda c: c["place"] in EAST | {"f"} and c["day"].day > 1,
    ),
    ({"note": ["a,b", 'q"uote', "=1+1"]}, lambda c: c["note"] in ("a,b", 'q"uote', "=1+1")),
    ("note = 'two\nlines' or note = 'c\rr'", lambda c: c["note"] in ("two\nlines", "c\rr")),
    ("not (place in ('north', 'sea') or age < 8)", lambda c: c["place"] in "cde" and c["age"] in (8, 9, "other")),
    ("age = 1 and place = 'a' or age = 2 and day = '2024-01-03'", lambda c: _two_boxes(c)),
    ("age != 4", lambda c: c["age"] != 4),
    ("age = 1 and age = 2", lambda c: False),
]


def _two_boxes(c: dict[str, Any]) -> bool:
    return (c["age"], c["place"]) == (1, "a") or (c["age"], c["day"]) == (2, date(2024, 1, 3))
