"""All of section 4: every figure, and what the page says of the setting.

Data are made from seeds (the number of the run); the noise is production noise and has no seed, so every run of this
program gives other numbers, within the standard errors it states.
"""

from __future__ import annotations

from fractions import Fraction

from discreet.kernels.cores import cores
from experiments.shared.records import Json
from experiments.shared.tables import Truth, data_folder
from experiments.sparse_summaries.data.made_up import CELLS
from experiments.sparse_summaries.data.real import adult, commuting
from experiments.sparse_summaries.trials import figures

TIMED_RUNS = 5


def experiment(runs: int) -> Json:
    """All numbers, as plain JSON."""
    drawn: Json = {
        "3a": figures.filters(max(2, runs // 2)),
        "3b": figures.samples(runs),
        "3c": figures.filtered_samples(max(2, runs // 2)),
        "4": figures.times(TIMED_RUNS),
        "5a": figures.accuracy(runs),
        "5b": figures.wide_accuracy(runs),
        "5c": figures.sparse_accuracy(runs),
    }
    costs: Json = {}
    parameters: Json = {"runs": runs, "cells": CELLS, "epsilon": str(figures.EPSILON)}
    absent = _commuting(runs, drawn, costs, parameters) + _adult(runs, drawn, costs, parameters)
    setting = [*_setting(runs), *parameters.pop("data", [])]
    return {"parameters": parameters, "setting": setting, "absent": absent, "figures": drawn, "costs": costs}


def _setting(runs: int) -> list[str]:
    return [
        f"Synthetic data: {CELLS:,} cells, epsilon {float(figures.EPSILON)}; a tenth (or hundredth) of the "
        "cells, anywhere, hold N(100, 20) or N(100, 40) rounded to the nearest positive integer, afresh in every run.",
        f"{runs} runs for every point of figures 3(b) and 5, {max(2, runs // 2)} elsewhere; ± is one standard error.",
        "A run asks disjoint random subsets that use up all cells. Relative error is the sum of absolute errors over "
        "the sum of true answers.",
        f"Times are the best of {TIMED_RUNS} runs, tables being filled, on {cores()} cores; in figure 4 with "
        f"{figures.OCCUPIED_FOR_TIMES:,} occupied cells and summaries of that size, geometric in proportion beyond "
        f"{figures.LARGEST_DENSE:,} cells. The paper's wavelet curve is left out: this method is not part of the task.",
        "Seeds: data and subsets come from the number of the run; the noise is the library's own, from the operating "
        "system, and has no seed.",
        "Where the paper sets a parameter from private facts (n, the total), so does this page, because it holds the "
        "truth; a release never does.",
    ]


def _commuting(runs: int, drawn: Json, costs: Json, parameters: Json) -> list[str]:
    """Figure 6: jobs by home and work place."""
    whole, groups = commuting("block"), commuting("block group")
    if whole is None or groups is None:
        return [f"figure 6, because {data_folder() / 'lodes_ri_2019'} is not there; set DISCREET_DATA"]
    size = groups.schema.cells // 5
    drawn |= _real("6", "Jobs by home and work block group", groups, size, (5, 2), runs)
    costs["6ab"] = figures.cost_of_real(whole, "6(a), 6(b) Jobs by home and work block", TIMED_RUNS)
    parameters["6c"] = {"cells": groups.schema.cells, "occupied": groups.occupied, "size": size}
    jobs = int(groups.counts.counts.sum())
    parameters.setdefault("data", []).append(
        f"Commuting (figure 6): {jobs:,} LODES jobs in Rhode Island, 2019. By block: {whole.schema.cells:,} cells, "
        f"{whole.occupied:,} occupied. By block group: {groups.schema.cells:,} cells, {groups.occupied:,} occupied, of "
        f"mean {jobs / groups.occupied:.2g}. The paper's table (47 states) has a mean of 150: hence also epsilon 1."
    )
    return []


def _adult(runs: int, drawn: Json, costs: Json, parameters: Json) -> list[str]:
    """Figure 7: Adult in place of the census of incomes."""
    coarse, fine = adult(), adult(("age", "hours-per-week"))
    if coarse is None or fine is None:
        return [f"figure 7, because {data_folder() / 'adult'} is not there; set DISCREET_DATA"]
    drawn |= _real("7", "Adult by seven attributes", coarse, coarse.occupied, (40, 5), runs)
    costs["7ab"] = figures.cost_of_real(fine, "7(a), 7(b) Adult by nine attributes", TIMED_RUNS)
    parameters["7c"] = {"cells": coarse.schema.cells, "occupied": coarse.occupied}
    people = int(coarse.counts.counts.sum())
    parameters.setdefault("data", []).append(
        f"Adult (figure 7, in place of the census of incomes): {people:,} people. By seven attributes: "
        f"{coarse.schema.cells:,} cells, {coarse.occupied:,} occupied, of mean {people / coarse.occupied:.2g}. With "
        f"age and hours a week: {fine.schema.cells:,} cells, {fine.occupied:,} occupied."
    )
    return []


def _real(figure: str, words: str, table: Truth, size: int, thetas: tuple[int, int], runs: int) -> Json:
    """6(c) or 7(c), at epsilon 0.1 and at epsilon 1, each with its theta."""
    found = {}
    for key, epsilon, theta in ((f"{figure}c", Fraction(1, 10), thetas[0]), (f"{figure}c1", Fraction(1), thetas[1])):
        title = f"{figure}(c) {words}, epsilon {float(epsilon):g}, size {size:,}, theta {theta}"
        found[key] = figures.real(table, title, max(2, runs // 2), epsilon, theta, size)
    return found
