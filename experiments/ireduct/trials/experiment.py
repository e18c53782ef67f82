"""`python -m experiments.marginals --data FOLDER`: the experiments of ireduct, section 6, and their page.

Made-up data come from a seed; the noise is production noise and has no seed, so every run of this program gives other
numbers. A table that is not run again keeps its recorded numbers.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from pathlib import Path

from experiments.ireduct.data import people as data
from experiments.ireduct.data.people import People
from experiments.ireduct.page.whole import STEM, render
from experiments.ireduct.trials.classifier import classifier
from experiments.ireduct.trials.errors import Case
from experiments.ireduct.trials.figures import by_epsilon_and_bound, cases, epsilons, runs_of, sweet_spot
from experiments.ireduct.trials.stated import stated, worst
from experiments.shared.program import Json, arguments, run_parts

SYNTHETIC_RECORDS = 10**7
#: 1-way marginals have few cells, so they are run so many times more often
OFTEN = 4

TABLES: dict[str, Callable[[Path], People | None]] = {
    "synthetic": lambda _: data.synthetic(SYNTHETIC_RECORDS),
    "acs": data.acs,
    "adult": data.adult,
}


def experiments(people: People, runs: int) -> Json:
    """All figures for one table."""
    start = time.process_time()
    found = cases(people)
    figures: Json = {"5": sweet_spot(found, OFTEN * runs)}
    figures |= by_epsilon_and_bound("1-way", found["1-way"], ("6", "7"), OFTEN * runs)
    figures |= by_epsilon_and_bound("2-way", found["2-way"], ("8", "9"), runs)
    figures |= classifier(people)
    fits = {kind: stated(kind, case, runs if kind == "2-way" else OFTEN * runs) for kind, case in found.items()}
    return {
        "facts": {
            "records": people.rows,
            "attributes": {name: people.schema[name].size for name in people.schema},
            "cases": {kind: _facts(kind, case) for kind, case in found.items()},
        },
        "figures": figures,
        "stated": fits,
        "worst": worst("1-way", found["1-way"], OFTEN * runs),
        "runs": {"1-way": OFTEN * runs, "2-way": runs, "2-way ireduct": runs_of(found["2-way"], "ireduct", runs)},
        "seconds": round(time.process_time() - start),
    }


def _facts(kind: str, case: Case) -> Json:
    return {
        "tables": len(case.sets),
        "cells": case.cells,
        "below": case.below,
        "epsilon": float(epsilons(kind, case.records)[-1]),
        "share": float(case.share),
    }


def _part(name: str) -> Callable[[Path, int], Json | None]:
    def run(folder: Path, runs: int) -> Json | None:
        people = TABLES[name](folder)
        return None if people is None else experiments(people, runs)

    return run


def main() -> None:
    runs_help = "runs per point of 2-way marginals (default 10)"
    parser = arguments("The experiments of ireduct, section 6, and their page.", 10, runs_help)
    run_parts(parser, STEM, render, {name: _part(name) for name in TABLES})


if __name__ == "__main__":
    main()
