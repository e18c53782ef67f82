"""Tables of people, for all their pairs of attributes: adult, the American Community Survey, and a made-up one."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import combinations
from pathlib import Path

import numpy as np

from benchmarks.accuracy import adult
from benchmarks.accuracy.shapes import Floats, Ints, columns, dice, folder
from discreet.private.counts import Counts
from discreet.schema import Ordinal, Schema

ACS = "acs_income_2018"
ACS_COLUMNS = (
    "State",
    "Age",
    "Workclass",
    "Education",
    "Marital Status",
    "Gender",
    "Race",
    "Citizenship status",
    "Ability to speak English",
    "Means of transportation to work",
    "Military service",
    "Income",
)
INCOMES = [0, 1, 2.5, 5, 7.5, 10, 15, 20, 25, 30, 35, 40, 50, 60, 70, 80, 90, 100, 120, 150, 200, 300, 500]
MADE_UP_SIZES = (2, 2, 3, 3, 4, 5, 5, 6, 7, 8, 9, 10, 12, 14, 16, 18, 20, 24, 30, 40)
MADE_UP_ROWS = 100_000
#: kinds of people who differ in everything; and pairs of attributes of which one nearly follows from the other
KINDS = 12
COPIES = ((19, 13), (16, 10))


@dataclass(frozen=True, eq=False)
class People:
    """Codes of some attributes, one row for each person."""

    name: str
    half: str
    codes: Ints
    sizes: tuple[int, ...]

    @property
    def schema(self) -> Schema:
        return Schema({f"a{place}": Ordinal(0, size - 1) for place, size in enumerate(self.sizes)})

    @property
    def pairs(self) -> list[tuple[int, int]]:
        return list(combinations(range(len(self.sizes)), 2))

    def table(self, places: tuple[int, ...], times: int = 1) -> Counts:
        """How many people are in each cell; every person counts `times` times."""
        shape = tuple(self.sizes[place] for place in places)
        numbers = np.ravel_multi_index(tuple(self.codes[:, place] for place in places), shape)
        dense = np.bincount(numbers) * times
        occupied = np.flatnonzero(dense)
        return Counts(shape, np.stack(np.unravel_index(occupied, shape), axis=1), dense[occupied])


def peoples() -> Iterator[People]:
    """Those that there are; constants may be chosen on half A."""
    if (where := folder("adult")) is not None:
        yield _adult(where, "adult, 8 attributes", "A", adult.COLUMNS)
        sizes = json.loads((where / "adult_discretised-domain.json").read_text(encoding="utf-8"))
        yield _adult(where, "adult, 14 attributes", "B", tuple(sizes))
    if (where := folder(ACS)) is not None:
        yield survey(where)
    yield made_up()


def _adult(where: Path, name: str, half: str, names: tuple[str, ...]) -> People:
    sizes = json.loads((where / "adult_discretised-domain.json").read_text(encoding="utf-8"))
    codes = columns(where / "adult_discretised.csv", names)
    rows = np.array([codes[one] for one in names]).astype(np.int64).T
    return People(name, half, rows, tuple(sizes[one] for one in names))


def survey(where: Path) -> People:
    import pyarrow as pa
    import pyarrow.parquet as pq

    file = next(iter(sorted(where.glob("*.parquet"))))
    table = pq.read_table(file, columns=list(ACS_COLUMNS))
    found = []
    for name in ACS_COLUMNS:
        column = table[name].combine_chunks()
        if name == "Income":
            values = column.fill_null(0).to_numpy(zero_copy_only=False)
            found.append(np.searchsorted(np.array(INCOMES) * 1000.0, values))
        else:
            texts = column.cast(pa.string()).fill_null("").dictionary_encode()
            places = np.unique(np.array(texts.dictionary.to_pylist()), return_inverse=True)[1]
            found.append(places[texts.indices.to_numpy()])
    codes = np.array(found).T.astype(np.int64)
    return People("survey, 12 attributes", "B", codes, tuple((codes.max(axis=0) + 1).tolist()))


def made_up() -> People:
    rolled = dice("people", MADE_UP_SIZES)
    kind = rolled.choice(KINDS, MADE_UP_ROWS, p=rolled.dirichlet(np.ones(KINDS)))
    found = []
    for size in MADE_UP_SIZES:
        common, apart = rolled.dirichlet(np.full(size, 0.7)), rolled.beta(0.7, 1.0)
        likely: Floats = np.array(
            [(1 - apart) * common + apart * rolled.dirichlet(np.full(size, 0.4)) for _ in range(KINDS)]
        )
        above = rolled.random(MADE_UP_ROWS)[:, None] > likely.cumsum(axis=1)[kind]
        found.append(np.minimum(above.sum(axis=1), size - 1))
    for one, other in COPIES:
        copied = found[one] * MADE_UP_SIZES[other] // MADE_UP_SIZES[one]
        found[other] = np.where(rolled.random(MADE_UP_ROWS) < 0.7, copied, found[other])
    return People("made up, 20 attributes", "A", np.array(found).T.astype(np.int64), MADE_UP_SIZES)
