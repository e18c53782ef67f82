"""Beyond the paper's figures: how well stated intervals fit, what consistency does, the worst cells, and the time."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from discreet.noise import Noise
from discreet.privacy import scale_of
from discreet.queries import Questions
from discreet.summaries.agreeing_tables import AgreeingTables
from discreet.summaries.marginal_tables import MarginalTables
from experiments.ireduct.data.marginals import KnownMarginals
from experiments.ireduct.trials.errors import METHODS, UNIT, noisy, overall, relative, timed, values_of
from experiments.ireduct.trials.figures import epsilons, runs_of
from experiments.ireduct.trials.rivals import proportional
from experiments.shared.chance import shuffled
from experiments.shared.range_errors import LEVEL, missed
from experiments.shared.records import Json, Runs, short

#: of one set of marginals so many cells, at random, are asked for
SAMPLED = 20_000
#: the paper's methods, and ours that aim at the largest error
WORST = (*((method, "average") for method in METHODS), ("ireduct", "maximum"), ("two-phase", "maximum"))


def stated(kind: str, case: KnownMarginals, runs: int) -> list[Json]:
    """For each method, with and without consistency: share of cells in their interval, and the overall error."""
    epsilon = epsilons(kind, case.records)[-1]
    questions, true = sampled_cells(case)
    rows = []
    for method in METHODS:
        few = runs_of(case, method, runs)
        held: dict[bool, Runs] = {False: Runs(), True: Runs()}
        wrong: dict[bool, Runs] = {False: Runs(), True: Runs()}
        times = []
        for _ in range(few):
            made, seconds = timed(case, method, epsilon)
            times.append(seconds)
            agreed = MarginalTables(made.schema, case.sets, made.parts, consistent=True)
            for consistent, one in ((False, made), (True, agreed)):
                held[consistent].values.append(missed(one, questions, true).covered)
            wrong[False].values.append(overall(case, values_of(made)))
            wrong[True].values.append(overall(case, AgreeingTables(made).tables))
        gain = Runs([after / before for before, after in zip(wrong[False].values, wrong[True].values, strict=True)])
        rows.append(
            {
                "method": method,
                "runs": few,
                "level": LEVEL,
                "covered": held[False].pair(4, 2),
                "covered consistent": held[True].pair(4, 2),
                "error": wrong[False].pair(4, 2),
                "error consistent": wrong[True].pair(4, 2),
                "gain": gain.pair(4, 2),
                "seconds": short(min(times), 3),
            }
        )
    return rows


def sampled_cells(case: KnownMarginals) -> tuple[Questions, NDArray[np.int64]]:
    """Questions for single cells of the tables, and their true counts."""
    ends = np.cumsum([table.size for table in case.tables])
    chosen = np.sort(shuffled(int(ends[-1]), 2)[:SAMPLED])
    first = np.zeros((chosen.size, len(case.schema)), np.int64)
    last = np.broadcast_to(np.array(case.schema.sizes, np.int64) - 1, first.shape).copy()
    table = np.searchsorted(ends, chosen, side="right")
    for number, names in enumerate(case.sets):
        mine = np.flatnonzero(table == number)
        places = [case.schema.names.index(name) for name in names]
        cell = chosen[mine] - (ends[number] - case.tables[number].size)
        codes = np.unravel_index(cell, [case.schema[name].size for name in names])
        for place, code in zip(places, codes, strict=True):
            first[mine, place] = last[mine, place] = code
    true = np.concatenate(case.tables)[chosen]
    return Questions(first, last, chosen.size, np.arange(chosen.size)), true


def worst(kind: str, case: KnownMarginals, runs: int) -> list[Json]:
    """The largest relative error of any cell beside the overall one; who aims at which."""
    epsilon = epsilons(kind, case.records)[-1]
    rows = []
    for method, objective in WORST:
        aims: dict[str, Any] = {} if objective == "average" else {"objective": objective}
        found = [relative(case, values_of(noisy(case, method, epsilon, **aims))) for _ in range(runs)]
        rows.append(_worst_row(f"{method}, {objective}" if aims else method, found))
    budget = 1 / scale_of(epsilon, UNIT.sensitivity)
    made = [proportional(case.tables, float(case.sanity), budget, Noise()) for _ in range(runs)]
    return [*rows, _worst_row("proportional", [relative(case, values) for values in made])]


def _worst_row(name: str, found: list[list[NDArray[np.float64]]]) -> Json:
    mean = Runs([float(np.mean([errors.mean() for errors in one])) for one in found])
    largest = Runs([float(max(errors.max() for errors in one)) for one in found])
    return {"method": name, "error": mean.pair(4, 2), "largest": largest.pair(4, 2)}
