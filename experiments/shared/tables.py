"""Count tables to experiment on: made up from a seed as in the papers, or read from the folder of real data.

The folder is DISCREET_DATA, or ../shared/data. Everything here is repeatable; only the noise of a mechanism is not.
"""

from __future__ import annotations

import json
import os
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from statistics import NormalDist
from typing import Any

import numpy as np
from numpy.typing import NDArray

from discreet.noise import Noise, SeededSource
from discreet.private.counts import Counts
from discreet.schema import Ordinal, Schema

ADULT_KEYS = ("workclass", "education-num", "marital-status", "occupation", "relationship", "race", "sex")
LEVELS = {"block": "tabblk2010", "block group": "bgrp", "tract": "trct"}


@dataclass(frozen=True, eq=False)
class Truth:
    """A table whose true counts are known to the experimenter."""

    schema: Schema
    counts: Counts

    @property
    def occupied(self) -> int:
        return len(self.counts.counts)

    @cached_property
    def cells(self) -> NDArray[np.int64]:
        """Every cell's count."""
        return self.counts.dense().reshape(-1)


def domain(*sizes: int) -> Schema:
    return Schema({f"a{place}": Ordinal(0, size - 1) for place, size in enumerate(sizes)})


def bell(schema: Schema, occupied: int, mean: float, deviation: float, seed: int) -> Truth:
    """`occupied` cells anywhere, with counts from a normal law rounded to the nearest positive integer."""
    dice = Noise(SeededSource(seed))
    codes = np.stack(np.unravel_index(dice.subset(schema.cells, occupied), schema.sizes), axis=1)
    law = NormalDist(mean, deviation)
    tails = np.array([law.cdf(value + 0.5) for value in range(1, int(mean + 9 * deviation))])
    uniform = dice.integers(1 << 53, occupied) * 2.0**-53
    return Truth(schema, Counts(schema.sizes, codes, 1 + np.searchsorted(tails, uniform, side="right")))


def shuffled(count: int, seed: int) -> NDArray[np.int64]:
    """0 to count - 1 in random order; any r in a row are a random subset."""
    words = np.empty(count, np.uint64)
    SeededSource(seed).stream().fill(words)
    return np.argsort(words, kind="stable")


def data_folder() -> Path:
    return Path(os.environ.get("DISCREET_DATA", "../shared/data"))


def adult(extra: tuple[str, ...] = ()) -> Truth | None:
    """Adult over its categorical columns and `extra` ones; None where the data are absent."""
    folder = data_folder() / "adult"
    if not (folder / "adult_discretised.csv").exists():
        return None
    sizes = json.loads((folder / "adult_discretised-domain.json").read_text(encoding="utf-8"))
    names = [*ADULT_KEYS, *extra]
    columns = _columns(folder / "adult_discretised.csv", names)
    codes = np.stack([columns[name] for name in names], axis=1)
    schema = domain(*(sizes[name] for name in names))
    return Truth(schema, Counts.from_arrays(schema.sizes, codes, np.ones(len(codes), np.int64)))


def commuting(level: str) -> Truth | None:
    """Jobs by home and work place, at a level of the public list of blocks; None where the data are absent."""
    folder = data_folder() / "lodes_ri_2019"
    if not (folder / "ri_xwalk.csv.gz").exists():
        return None
    places = _columns(folder / "ri_xwalk.csv.gz", ["tabblk2010", LEVELS[level]])
    jobs = _columns(folder / "ri_od_main_JT00_2019.csv.gz", ["h_geocode", "w_geocode", "S000"])
    labels, codes = np.unique(places[LEVELS[level]], return_inverse=True)
    order = np.argsort(places["tabblk2010"])
    blocks = places["tabblk2010"][order]
    ends = [codes[order][np.searchsorted(blocks, jobs[name])] for name in ("h_geocode", "w_geocode")]
    schema = domain(labels.size, labels.size)
    return Truth(schema, Counts.from_arrays(schema.sizes, np.stack(ends, axis=1), jobs["S000"]))


def _columns(path: Path, names: list[str]) -> dict[str, NDArray[np.int64]]:
    import pyarrow as pa
    from pyarrow import csv

    types: Any = {name: pa.int64() for name in names}
    table = csv.read_csv(path, convert_options=csv.ConvertOptions(include_columns=list(types), column_types=types))
    return {name: table[name].to_numpy() for name in types}
