"""`python -m experiments.ranges --data FOLDER`: the papers' experiments on ranges, and their page.

Data and questions are made from seeds; the noise is production noise and has no seed, so every run of this program
gives other numbers. A part that is not run again keeps its recorded numbers.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from experiments.privelet.data.census import census, vectors
from experiments.privelet.page.whole import STEM, render
from experiments.privelet.trials.census import census_experiment
from experiments.privelet.trials.dyadic import dyadic_experiment
from experiments.privelet.trials.vectors import setting, vectors_experiment
from experiments.shared.program import Json, arguments, run_parts


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


PARTS: dict[str, Callable[[Path, int], Json | None]] = {"census": _census, "vectors": _vectors, "dyadic": _dyadic}


def main() -> None:
    runs_help = "runs per point (default 20; the census has one)"
    run_parts(arguments("The papers' experiments on ranges, and their page.", 20, runs_help), STEM, render, PARTS)


if __name__ == "__main__":
    main()
