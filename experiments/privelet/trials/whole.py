"""The four experiments as parts of the program, each given the folder of data and the number of runs."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from experiments.privelet.data.census import census
from experiments.privelet.data.vectors import vectors
from experiments.privelet.trials.census import census_experiment
from experiments.privelet.trials.computing import computing_experiment
from experiments.privelet.trials.dyadic import dyadic_experiment
from experiments.privelet.trials.vectors import setting, vectors_experiment
from experiments.shared.records import Json


def _census(data: Path, _: int) -> Json | None:
    truth = census(data)
    return None if truth is None else census_experiment(truth)


def _vectors(data: Path, runs: int) -> Json | None:
    tables = {dimensions: vectors(data, dimensions) for dimensions in (1, 2)}
    if not all(tables.values()):
        return None
    trials = 2 * runs
    found = {f"{dimensions}d": vectors_experiment(some, trials) for dimensions, some in tables.items()}
    return {"setting": setting(trials), **found}


def _dyadic(_: Path, runs: int) -> Json:
    return dyadic_experiment(runs)


def _computing(_: Path, __: int) -> Json:
    return computing_experiment()


PARTS: dict[str, Callable[[Path, int], Json | None]] = {
    "census": _census,
    "computing": _computing,
    "vectors": _vectors,
    "dyadic": _dyadic,
}
