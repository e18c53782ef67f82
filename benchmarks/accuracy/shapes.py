"""Data sets: a name, the half that it belongs to, and how likely each cell is. All of it is repeatable."""

from __future__ import annotations

import zlib
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from experiments.shared.tables import data_folder

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]

#: constants may be chosen on these; whatever is not named here, and so all that is new, is in half B
HALF_A = frozenset({"HEPTH", "INCOME", "MEDCOST", "Stroke_2D", "checkin", "uniform", "clusters"})
FOLDERS = {1: "dpbench/1D", 2: "dpbench/2D"}
OTHERS = ("lodes_ri_2019", "adult", "acs_income_2018")
ZIPF = 1.1
CLUSTERS = 12
SPIKES = 20
#: of records that are anywhere, among spikes
REST = 0.05


@dataclass(frozen=True, eq=False)
class Shape:
    """How likely each cell of a grid is."""

    name: str
    likely: Floats

    @property
    def half(self) -> str:
        return half(self.name)

    def records(self, count: int) -> Ints:
        """So many records, dealt by chance: how many fall into each cell."""
        flat = dice(self.name, count).multinomial(count, self.likely.reshape(-1) / self.likely.sum())
        return flat.reshape(self.likely.shape).astype(np.int64)


def half(name: str) -> str:
    return "A" if name in HALF_A else "B"


def dice(*of: object) -> np.random.Generator:
    """The same for the same words in every run."""
    return np.random.default_rng(zlib.crc32(repr(of).encode()))


def folder(name: str) -> Path | None:
    found = data_folder() / name
    return found if found.is_dir() else None


def absent() -> list[str]:
    """Folders of real data that are not there."""
    return [name for name in (*FOLDERS.values(), *OTHERS) if folder(name) is None]


def columns(path: Path, names: Sequence[str]) -> dict[str, list[str]]:
    """Some columns of a CSV file, as text."""
    import pyarrow as pa
    from pyarrow import csv

    types: Any = {name: pa.string() for name in names}
    table = csv.read_csv(path, convert_options=csv.ConvertOptions(include_columns=list(types), column_types=types))
    return {name: table[name].to_pylist() for name in names}


def shapes(sizes: Sequence[int]) -> list[Shape]:
    """Real ones of this many dimensions, and made-up ones."""
    return [*_real(sizes), *(Shape(name, made(tuple(sizes))) for name, made in MADE_UP.items())]


def _real(sizes: Sequence[int]) -> Iterator[Shape]:
    where = folder(FOLDERS[len(sizes)])
    for file in sorted(where.glob("*.npy")) if where else ():
        table = np.load(file).astype(np.float64)
        if table.shape == tuple(sizes):
            yield Shape(file.stem.partition(".")[0].removesuffix("_256_256"), table)


def _uniform(sizes: tuple[int, ...]) -> Floats:
    return np.ones(sizes)


def _zipf(sizes: tuple[int, ...]) -> Floats:
    ranks = dice("zipf", sizes).permutation(int(np.prod(sizes))) + 1.0
    return np.asarray(ranks**-ZIPF, np.float64).reshape(sizes)


def _clusters(sizes: tuple[int, ...]) -> Floats:
    rolled, likely = dice("clusters", sizes), np.zeros(sizes)
    for weight in rolled.dirichlet(np.ones(CLUSTERS)):
        bump = np.ones(())
        for size in sizes:
            middle, spread = rolled.uniform(0, size), size * rolled.uniform(0.002, 0.04)
            bump = np.multiply.outer(bump, np.exp(-(((np.arange(size) - middle) / spread) ** 2) / 2))
        likely += weight * bump / max(bump.sum(), 1e-9)
    return likely


def _spikes(sizes: tuple[int, ...]) -> Floats:
    rolled, cells = dice("spikes", sizes), int(np.prod(sizes))
    likely = np.full(cells, REST / cells)
    spikes = min(SPIKES, cells)
    likely[rolled.choice(cells, spikes, replace=False)] += (1 - REST) * rolled.dirichlet(np.ones(spikes))
    return likely.reshape(sizes)


MADE_UP: dict[str, Callable[[tuple[int, ...]], Floats]] = {
    "uniform": _uniform,
    "zipf, shuffled": _zipf,
    "clusters": _clusters,
    "spikes": _spikes,
}
