"""Real tables in place of the paper's: Adult, and jobs by home and work place."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from discreet.private.counts import Counts
from experiments.shared.tables import Truth, data_folder, domain

ADULT_KEYS = ("workclass", "education-num", "marital-status", "occupation", "relationship", "race", "sex")
LEVELS = {"block": "tabblk2010", "block group": "bgrp", "tract": "trct"}


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
