"""All of section 4: every figure, and what the page says of the setting.

Data are made from seeds (the number of the run); the noise is production noise and has no seed, so every run of this
program gives other numbers, within the standard errors it states. A part that is not run again keeps its numbers.
"""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction

from discreet.kernels.cores import cores
from experiments.shared.records import Json
from experiments.shared.tables import Truth, data_folder
from experiments.sparse_summaries.data.made_up import CELLS
from experiments.sparse_summaries.data.real import adult, commuting
from experiments.sparse_summaries.trials import figures
from experiments.sparse_summaries.trials.absent_cells import absent_cells
from experiments.sparse_summaries.trials.guessed_records import guessed_records

TIMED_RUNS = 5


def _fewer(runs: int) -> int:
    """Where a run has many methods, or errors vary less."""
    return max(2, runs // 2)


def _alone(key: str, drawn: Callable[[int], Json], often: Callable[[int], int]) -> Callable[[int], Json]:
    """A part that is one figure."""
    return lambda runs: {"figures": {key: drawn(often(runs))}}


def _all_runs(runs: int) -> int:
    return runs


def _timed(_: int) -> int:
    return TIMED_RUNS


def _commuting(runs: int) -> Json:
    """Figure 6: jobs by home and work place."""
    whole, groups = commuting("block"), commuting("block group")
    if whole is None or groups is None:
        return {"absent": f"figure 6, because {data_folder() / 'lodes_ri_2019'} is not there; set DISCREET_DATA"}
    size, jobs = groups.schema.cells // 5, int(groups.counts.counts.sum())
    return {
        "figures": _real("6", "Jobs by home and work block group", groups, size, (5, 2), runs),
        "costs": {"6ab": figures.cost_of_real(whole, "6(a), 6(b) Jobs by home and work block", TIMED_RUNS)},
        "parameters": {"6c": {"cells": groups.schema.cells, "occupied": groups.occupied, "size": size}},
        "data": f"Commuting (figure 6): {jobs:,} LODES jobs in Rhode Island, 2019. By block: {whole.schema.cells:,} "
        f"cells, {whole.occupied:,} occupied. By block group: {groups.schema.cells:,} cells, {groups.occupied:,} "
        f"occupied, of mean {jobs / groups.occupied:.2g}. The paper's table (47 states) has a mean of 150: hence also "
        "epsilon 1.",
    }


def _adult(runs: int) -> Json:
    """Figure 7: Adult in place of the census of incomes."""
    coarse, fine = adult(), adult(("age", "hours-per-week"))
    if coarse is None or fine is None:
        return {"absent": f"figure 7, because {data_folder() / 'adult'} is not there; set DISCREET_DATA"}
    people = int(coarse.counts.counts.sum())
    return {
        "figures": _real("7", "Adult by seven attributes", coarse, coarse.occupied, (40, 5), runs),
        "costs": {"7ab": figures.cost_of_real(fine, "7(a), 7(b) Adult by nine attributes", TIMED_RUNS)},
        "parameters": {"7c": {"cells": coarse.schema.cells, "occupied": coarse.occupied}},
        "data": f"Adult (figure 7, in place of the census of incomes): {people:,} people. By seven attributes: "
        f"{coarse.schema.cells:,} cells, {coarse.occupied:,} occupied, of mean {people / coarse.occupied:.2g}. With "
        f"age and hours a week: {fine.schema.cells:,} cells, {fine.occupied:,} occupied.",
    }


def _real(figure: str, words: str, table: Truth, size: int, thetas: tuple[int, int], runs: int) -> Json:
    """6(c) or 7(c), at epsilon 0.1 and at epsilon 1, each with its theta."""
    found = {}
    for key, epsilon, theta in ((f"{figure}c", Fraction(1, 10), thetas[0]), (f"{figure}c1", Fraction(1), thetas[1])):
        title = f"{figure}(c) {words}, epsilon {float(epsilon):g}, size {size:,}, theta {theta}"
        found[key] = figures.real(table, title, _fewer(runs), epsilon, theta, size)
    return found


PARTS: dict[str, Callable[[int], Json]] = {
    "3a": _alone("3a", figures.filters, _fewer),
    "absent": _alone("3.2", absent_cells, _fewer),
    "3b": _alone("3b", figures.samples, _all_runs),
    "guess": lambda runs: {"figures": guessed_records(_fewer(runs))},
    "3c": _alone("3c", figures.filtered_samples, _fewer),
    "4": _alone("4", figures.times, _timed),
    "5a": _alone("5a", figures.accuracy, _all_runs),
    "5b": _alone("5b", figures.wide_accuracy, _all_runs),
    "5c": _alone("5c", figures.sparse_accuracy, _all_runs),
    "6": _commuting,
    "7": _adult,
}


def experiment(runs: int, parts: list[str], before: Json) -> Json:
    """All numbers, as plain JSON: those of `parts` anew, the others as they were before."""
    found: Json = {name: dict(before.get(name, {})) for name in ("parameters", "data", "absent", "figures", "costs")}
    for part in parts:
        made = PARTS[part](runs)
        for name in ("data", "absent"):
            found[name].pop(part, None)
            if name in made:
                found[name][part] = made[name]
        for name in ("parameters", "figures", "costs"):
            found[name] |= made.get(name, {})
        print(part, flush=True)
    found["parameters"] |= {"runs": runs, "cells": CELLS, "epsilon": str(figures.EPSILON)}
    return {"setting": _setting(runs), **found}


def _setting(runs: int) -> list[str]:
    return [
        f"Synthetic data: {CELLS:,} cells, epsilon {float(figures.EPSILON)}; a tenth (or hundredth) of the "
        "cells, anywhere, hold N(100, 20) or N(100, 40) rounded to the nearest positive integer, afresh in every run.",
        f"{runs} runs for every point of figures 3(b) and 5, {_fewer(runs)} elsewhere; ± is one standard error.",
        "A run asks disjoint random subsets that use up all cells. Relative error is the sum of absolute errors over "
        "the sum of true answers.",
        f"Times are processor time, the least of {TIMED_RUNS} runs, tables being filled, on {cores()} cores that "
        f"others used as well; in figure 4 with {figures.OCCUPIED_FOR_TIMES:,} occupied cells and summaries of that "
        f"size (the paper: a million), geometric in proportion beyond {figures.LARGEST_DENSE:,} cells. The wavelet is "
        f"`privelet` over the cells in a row, in proportion beyond {figures.LARGEST_WAVELET:,}.",
        "Seeds: data and subsets come from the number of the run; the noise is the library's own, from the operating "
        "system, and has no seed.",
        "Where the paper sets a parameter from private facts (n, the total), so does this page, because it holds the "
        "truth; a release never does. What a public guess in place of the total does is in the figures of 3.3.",
    ]
