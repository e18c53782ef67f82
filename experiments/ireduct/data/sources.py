"""People with nine attributes, as in the experiments of ireduct: made up from a seed, or read from the folder of data.

Education has five levels everywhere, as in the paper: below high school, high school, some college, bachelor, more.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import numpy as np

from discreet.noise import SeededSource
from discreet.schema import Ordinal, Schema
from experiments.ireduct.data.people import TARGET, People

PIECE = 10**6
SYNTHETIC_RECORDS = 10**7

#: name: size, skew (a value of rank r has weight r ** -skew), what it depends on, and in how many of 256 records
SYNTHETIC = {
    "age": (101, 0.4, "social", 100),
    "gender": (2, 0.05, "social", 20),
    "marital status": (4, 0.8, "social", 110),
    "state": (26, 1.0, "place", 256),
    "birth place": (29, 1.2, "place", 200),
    "race": (5, 1.8, "place", 110),
    TARGET: (5, 0.9, "social", 220),
    "occupation": (512, 1.5, "social", 160),
    "class of worker": (4, 1.5, "social", 130),
}
ACS = {
    "age": "Age",
    "gender": "Gender",
    "marital status": "Marital Status",
    "state": "State",
    "birth place": "Place of birth",
    "race": "Race",
    TARGET: "Education",
    "occupation": "Occupation",
    "class of worker": "Workclass",
}
ADULT = {
    "age": "age",
    "gender": "sex",
    "marital status": "marital-status",
    "hours a week": "hours-per-week",
    "country": "native-country",
    "race": "race",
    TARGET: "education-num",
    "occupation": "occupation",
    "class of worker": "workclass",
}
HIGH_SCHOOL = ("Regular high school diploma", "GED or alternative credential")
COLLEGE = ("Some college, but less than 1 year", "1 or more years of college credit, no degree", "Associate's degree")
BACHELOR = ("Bachelor's degree",)
MORE = ("Master's degree", "Doctorate degree", "Professional degree beyond a bachelor's degree")
#: from which code of Adult's education on a level begins
ADULT_LEVELS = (8, 9, 12, 13)


def synthetic(rows: int, seed: int = 1) -> People:
    """Attributes of the sizes of the paper's Brazil, skewed, and correlated through where and how a person lives."""
    columns = {name: np.empty(rows, np.uint16) for name in SYNTHETIC}
    words = np.empty((len(SYNTHETIC) + 2, PIECE), np.uint64)
    source = SeededSource(seed).stream()
    for start in range(0, rows, PIECE):
        source.fill(words)
        shared = {"place": words[-1], "social": words[-2]}
        for number, (name, (size, skew, kind, often)) in enumerate(SYNTHETIC.items()):
            own = words[number]
            depends = (own & np.uint64(255)) < often
            place = (np.where(depends, shared[kind], own) >> np.uint64(11)) * 2.0**-53
            weights = np.arange(1, size + 1) ** -skew
            ends = np.cumsum(weights[:-1]) / weights.sum()
            part = columns[name][start : start + PIECE]
            part[:] = np.searchsorted(ends, place[: part.size], side="right")
    return People(_schema({name: size for name, (size, *_) in SYNTHETIC.items()}), columns)


def acs(folder: Path) -> People | None:
    """The census extract; None where the file is absent."""
    path = folder / "acs_income_2018" / "acs-income-2018-holdout.parquet"
    if not path.exists():
        return None
    import pyarrow as pa
    import pyarrow.parquet as pq

    table = pq.read_table(path, columns=list(ACS.values()))
    columns, sizes = {}, {}
    for name, column in ACS.items():
        values = table[column].combine_chunks()
        labels = values if isinstance(values, pa.DictionaryArray) else values.dictionary_encode()
        known = labels.dictionary.to_pylist()
        order = np.array([_level(label) for label in known] if name == TARGET else np.argsort(np.argsort(known)))
        codes = order[labels.indices.to_numpy()]
        sizes[name] = int(codes.max()) + 1 if name == TARGET else len(np.unique(codes))
        columns[name] = np.searchsorted(np.unique(codes), codes).astype(np.uint16)
    return People(_schema(sizes), columns)


def _level(label: str) -> int:
    levels = (HIGH_SCHOOL, COLLEGE, BACHELOR, MORE)
    return next((number for number, labels in enumerate(levels, start=1) if label in labels), 0)


def adult(folder: Path) -> People | None:
    """Adult, nine of its attributes; None where the file is absent."""
    path = folder / "adult" / "adult_discretised.csv"
    if not path.exists():
        return None
    from pyarrow import csv

    sizes = json.loads((folder / "adult" / "adult_discretised-domain.json").read_text(encoding="utf-8"))
    table = csv.read_csv(path)
    columns = {name: table[column].to_numpy().astype(np.uint16) for name, column in ADULT.items()}
    columns[TARGET] = np.searchsorted(ADULT_LEVELS, columns[TARGET], side="right").astype(np.uint16)
    found = {name: sizes[column] for name, column in ADULT.items()}
    return People(_schema({**found, TARGET: len(ADULT_LEVELS) + 1}), columns)


def _schema(sizes: dict[str, int]) -> Schema:
    return Schema({name: Ordinal(0, size - 1) for name, size in sizes.items()})


TABLES: dict[str, Callable[[Path], People | None]] = {
    "synthetic": lambda _: synthetic(SYNTHETIC_RECORDS),
    "acs": acs,
    "adult": adult,
}
