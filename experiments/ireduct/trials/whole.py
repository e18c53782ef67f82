"""All figures for one table, and the tables as parts of the program."""

from __future__ import annotations

import time
from collections.abc import Callable
from functools import partial
from pathlib import Path

from experiments.ireduct.data.marginals import KnownMarginals, cases
from experiments.ireduct.data.people import People
from experiments.ireduct.data.sources import TABLES
from experiments.ireduct.trials.classifier import classifier
from experiments.ireduct.trials.figures import by_epsilon_and_bound, epsilons, runs_of, sweet_spot
from experiments.ireduct.trials.stated import stated, worst
from experiments.shared.records import Json

#: 1-way marginals have few cells, so they are run so many times more often
OFTEN = 4


def experiment(people: People, runs: int) -> Json:
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


def _facts(kind: str, case: KnownMarginals) -> Json:
    return {
        "tables": len(case.sets),
        "cells": case.cells,
        "below": case.below,
        "epsilon": float(epsilons(kind, case.records)[-1]),
        "share": float(case.share),
    }


def _part(name: str, folder: Path, runs: int) -> Json | None:
    people = TABLES[name](folder)
    return None if people is None else experiment(people, runs)


PARTS: dict[str, Callable[[Path, int], Json | None]] = {name: partial(_part, name) for name in TABLES}
