"""`progress`, logging, warnings, stdout, stderr and the names of files are outputs: none of them depends on data.

Every registered mechanism publishes a table, its neighbours and quite different tables with the same bits, and says and
writes the same on the way. Rejected are counts sent through each of these ways.
"""

from __future__ import annotations

import json
import logging
import os
import sys
import tempfile
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

import discreet
from discreet.errors import DiscreetError
from discreet.mechanisms.table.geometric import Geometric
from discreet.noise import Noise, SeededSource, ZeroNoise
from discreet.private.publish import Data
from discreet.tasks import Task
from tests.conformance.examples import EXAMPLES, SCHEMA
from tests.conformance.test_answers import CODES, COUNTS

FIRST = {key: tasks[0] for key, tasks in EXAMPLES.items()}
each_mechanism = pytest.mark.parametrize("key", FIRST, ids="-".join)


def tables() -> list[np.ndarray[Any, np.dtype[np.int64]]]:
    """A table; one record more, and one less; nothing, one full cell, and many records everywhere."""
    one = np.eye(1, len(COUNTS), 5, dtype=np.int64)[0]
    return [COUNTS, COUNTS + one, COUNTS - one, 0 * COUNTS, 10**6 * one, 1000 * COUNTS + 7]


@dataclass
class Outputs:
    """All that was said and written on the way to a release, apart from the noisy values themselves."""

    progress: list[Any] = field(default_factory=list)
    log: list[tuple[str, int, str]] = field(default_factory=list)
    warned: list[str] = field(default_factory=list)
    printed: tuple[str, str] = ("", "")
    files: list[str] = field(default_factory=list)
    manifest: dict[str, Any] = field(default_factory=dict)
    error: str = ""


@contextmanager
def every_log_record(found: list[tuple[str, int, str]]) -> Iterator[None]:
    """Of all loggers and levels, whether they are handled or not."""
    make, root, level = logging.getLogRecordFactory(), logging.getLogger(), logging.getLogger().level

    def noticed(*arguments: Any, **more: Any) -> logging.LogRecord:
        record = make(*arguments, **more)
        found.append((record.name, record.levelno, record.getMessage()))
        return record

    logging.setLogRecordFactory(noticed)
    root.setLevel(1)
    try:
        yield
    finally:
        logging.setLogRecordFactory(make)
        root.setLevel(level)


@pytest.fixture
def outputs(
    tmp_path: Path, capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> Callable[[Data, Task, Noise], Outputs]:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))

    def published(data: Data, task: Task, noise: Noise) -> Outputs:
        found, place = Outputs(), tmp_path / "r"
        capfd.readouterr()
        with every_log_record(found.log), warnings.catch_warnings(record=True) as warned:
            warnings.simplefilter("always")
            try:
                data.publish(task, "1/2", name="r", to=place, noise=noise, progress=found.progress.append)
            except DiscreetError as error:
                found.error = f"{type(error).__name__}: {error}"
        found.warned = [str(one.message) for one in warned]
        found.printed = capfd.readouterr()
        found.files = sorted(str(path.relative_to(tmp_path)) for path in tmp_path.rglob("*"))
        if place.exists():
            found.manifest = public_part(json.loads((place / "release.json").read_text(encoding="utf-8")))
        for path in sorted(tmp_path.rglob("*"), reverse=True):
            path.rmdir() if path.is_dir() else path.unlink()
        return found

    return published


def public_part(manifest: dict[str, Any]) -> dict[str, Any]:
    """Without the noisy values and what follows from them, and without when it was charged."""
    noisy = ("summary", "files", "seal", "time", "ledger")
    return {key: value for key, value in manifest.items() if key not in noisy} | {"shape": manifest["summary"]["shape"]}


def from_rows(counts: np.ndarray[Any, np.dtype[np.int64]]) -> Data:
    codes = np.repeat(CODES, np.minimum(counts, 300), axis=0)
    names = list(SCHEMA)
    labels = {name: [SCHEMA[name].label(int(code)) for code in codes[:, i]] for i, name in enumerate(names)}
    return discreet.open(pd.DataFrame(labels, columns=names).astype({"age": "int64"}), SCHEMA)


def differing(outputs: Callable[[Data, Task, Noise], Outputs], task: Task, *, rows: bool = False) -> list[Outputs]:
    """What was said and written that is not as for the first table."""

    def tried(noise: type[Noise]) -> list[Outputs]:
        said = []
        for counts in tables():
            data = from_rows(counts) if rows else discreet.from_counts(SCHEMA, CODES, counts)
            said.append(outputs(data, task, noise(SeededSource(3))))
        assert said[0].progress, "something was said"
        assert said[0].files
        return [one for one in said if one != said[0]]

    tried(Noise)  # the first time kernels are compiled, which is logged
    return tried(Noise) + ([] if rows else tried(ZeroNoise))


@each_mechanism
def test_what_is_said_on_the_way_does_not_depend_on_data(
    key: tuple[str, str], outputs: Callable[[Data, Task, Noise], Outputs]
) -> None:
    assert differing(outputs, FIRST[key]) == []


@pytest.mark.parametrize("key", [("table", "filter"), ("items", "hpa"), ("marginals", "ireduct")], ids="-".join)
def test_nor_does_it_where_rows_are_read(key: tuple[str, str], outputs: Callable[[Data, Task, Noise], Outputs]) -> None:
    assert differing(outputs, FIRST[key], rows=True) == []


# --- planted


def to_own_logger(total: int) -> None:
    """Which hands nothing on, and has no handler."""
    logger = logging.getLogger("discreet.planted.quiet")
    logger.propagate = False
    logger.log(3, "counted %d", total)


PLANTED: dict[str, Callable[[int], object]] = {
    "logging": lambda total: logging.getLogger("discreet").debug("counted %d", total),
    "a quiet logger": to_own_logger,
    "warnings": lambda total: warnings.warn(f"counted {total}", stacklevel=2),
    "stdout": lambda total: print(total),
    "stderr": lambda total: os.write(2, str(total).encode()),
    "a file": lambda total: Path(f"counted-{total}").touch(),
    "a temporary file": lambda total: tempfile.mkstemp(prefix=f"{total}."),
    "only large tables": lambda total: total > 10**5 and print("many", file=sys.stderr),
    "an error": lambda total: 1 // total,
}


@pytest.mark.parametrize("way", PLANTED)
def test_a_mechanism_that_tells_its_count_is_caught(
    way: str, outputs: Callable[[Data, Task, Noise], Outputs], monkeypatch: pytest.MonkeyPatch
) -> None:
    measure = Geometric.measure

    def telling(self: Geometric, data: Any, noise: Noise) -> Any:
        PLANTED[way](int(data.table().counts.sum()))
        return measure(self, data, noise)

    monkeypatch.setattr(Geometric, "measure", telling)
    assert differing(outputs, discreet.Table(["age", "sex"], method="geometric"))


@pytest.mark.parametrize("often", [False, True])
def test_a_count_through_progress_is_caught(
    often: bool, outputs: Callable[[Data, Task, Noise], Outputs], monkeypatch: pytest.MonkeyPatch
) -> None:
    """As a number in what is said, or as how often it is said."""
    made = Data._made

    def telling(self: Data, mechanism: Any, said: Any, target: Any, noise: Noise, progress: Any) -> Any:
        total = int(self.origin.bounded(mechanism.request.schema, self.unit, bytes(16)).table().counts.sum())
        for _ in range(min(total, 100) if often else 1):
            progress("counting" if often else f"counting {total} rows")
        return made(self, mechanism, said, target, noise, progress)

    monkeypatch.setattr(Data, "_made", telling)
    assert differing(outputs, discreet.Table(["age", "sex"], method="geometric"))
