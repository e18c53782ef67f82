"""Figures 7 to 10 of grouping-smoothing on one data set. Plain JSON comes out, the same for the same number of runs."""

from __future__ import annotations

from collections.abc import Iterable
from fractions import Fraction
from typing import Any

import numpy as np

from discreet.mechanisms.items.gs_s import GsS
from discreet.noise import Noise
from discreet.privacy import scale_of
from experiments.grouping_smoothing.data.user_items import UserItems
from experiments.grouping_smoothing.trials.runs import EPSILONS, GroupingRun, mechanism, noise_for, run
from experiments.shared.chance import Ints
from experiments.shared.records import Json, Runs, figure, line, short

#: the epsilon of figure 8, ln 2
MIDDLE = EPSILONS[1]
SAMPLING = ("columns", "rows", "none")
BEST_RHO = "fpa, best rho"
FOUND, GIVEN, PAPER = "gs", "gs, mean given", "gs, paper's scale"
METHODS = ("lpa", "fpa", BEST_RHO, "gs-r", "gs-s", FOUND, PAPER)
TUNED = (FOUND, GIVEN, PAPER)
#: how many group sizes, and numbers of frequencies, are tried, and how often one of those: over many items once will do
SIZES, ALMOST, RHOS = 24, 1.1, 16
RHO_RUNS, MANY_ITEMS = 3, 10**6
#: over many items so many runs will do for the error by group size
SIZE_RUNS = 5

ByEpsilon = dict[Fraction, list[GroupingRun]]


def all_figures(case: UserItems, runs: int) -> Json:
    """All figures, and how well group sizes were tuned."""
    found = {label: {epsilon: _runs(case, label, epsilon, runs) for epsilon in EPSILONS} for label in (*METHODS, GIVEN)}
    sampled = {SAMPLING[0]: found["gs-s"]}
    for kind in SAMPLING[1:]:
        sampled[kind] = {epsilon: _many(case, "gs-s", epsilon, runs, sampling=kind) for epsilon in EPSILONS}
    curves, size_runs = {}, min(runs, SIZE_RUNS) if case.counts.size > MANY_ITEMS else runs
    for epsilon in EPSILONS:
        tuned = [_middle(one.facts["group"] for one in found[label][epsilon]) for label in TUNED]
        curves[epsilon] = by_size(case, epsilon, size_runs, tuned)
    by_method = {label: found[label] for label in METHODS}
    return {
        "7": _by_epsilon("7 Sampling in gs-s", "mean absolute error", sampled, "absolute"),
        "8": {
            **figure("8 Group sizes at epsilon 0.693", "items in a group", "sum of absolute errors", curves[MIDDLE]),
            **({"runs": size_runs} if size_runs != runs else {}),
        },
        "9": _by_epsilon("9 Absolute errors", "mean absolute error", by_method, "absolute"),
        "10": _by_epsilon("10 Relative errors", "mean relative error", by_method, "relative"),
        "tuning": [_tuned(label, e, found[label][e], curves[e][0]) for e in EPSILONS for label in TUNED],
        "rho": {f"{float(e):g}": found[BEST_RHO][e][0].facts["coefficients"] // 2 + 1 for e in EPSILONS},
    }


def _runs(case: UserItems, label: str, epsilon: Fraction, runs: int) -> list[GroupingRun]:
    if label == BEST_RHO:
        return _many(case, "fpa", epsilon, runs, coefficients=best_rho(case, epsilon))
    if label == GIVEN:
        return _many(case, "gs", epsilon, runs, mean=case.mean)
    if label == PAPER:
        return _many(case, "gs", epsilon, runs, scale="paper")
    return _many(case, label, epsilon, runs)


def best_rho(case: UserItems, epsilon: Fraction) -> int:
    """Of some numbers of frequencies the one with the least absolute error. It looks at the truth: not private."""
    most = case.counts.size // 2 + 1
    rhos: list[int] = np.unique(np.rint(np.geomspace(1, most, RHOS)).astype(int)).tolist()
    runs = 1 if case.counts.size > MANY_ITEMS else RHO_RUNS
    errors = {rho: sum(one.absolute for one in _many(case, "fpa", epsilon, runs, coefficients=rho)) for rho in rhos}
    return min(rhos, key=lambda rho: errors[rho])


def _many(case: UserItems, method: str, epsilon: Fraction, runs: int, **parameters: Any) -> list[GroupingRun]:
    what = (case.name, method, epsilon, sorted(parameters.items()))
    return [run(case, method, epsilon, noise_for(*what, number), **parameters) for number in range(runs)]


def sizes_of(case: UserItems, more: Iterable[int] = ()) -> list[int]:
    """Group sizes from 1 to all items, the bound and `more` among them; above half of all items there is one group.

    The last group takes what is left, and those are the most popular items. So of sizes that are almost the same, the
    one that leaves least is taken.
    """
    count = case.counts.size
    half = count // 2
    sizes = {min(case.bound, half), count, *(size if size <= half else count for size in more)}
    for step in np.geomspace(1, half, SIZES):
        near = np.arange(round(step), min(int(step * ALMOST), half) + 1)
        sizes.add(int(near[np.argmin(count % near / near)]) if near.size else half)
    return sorted(sizes)


def by_size(case: UserItems, epsilon: Fraction, runs: int, more: Iterable[int] = ()) -> list[Json]:
    """For each group size the real error, and those that the noisy sample makes one expect, on the same samples."""
    sizes = sizes_of(case, more)
    stand_for = {"expected, mean": float(case.mean), "expected, paper's scale": float(case.bound)}
    errors: dict[str, list[list[float]]] = {name: [[] for _ in sizes] for name in ("real", *stand_for)}
    for number in range(runs):
        noise = noise_for(case.name, "sizes", epsilon, number)
        sample, truth, scale = by_noisy_sample(case, epsilon, noise)
        for place, size in enumerate(sizes):
            errors["real"][place].append(smoothing_error(truth, size, scale, noise))
            for name, times in stand_for.items():
                # noise on counts that are `times` as large is 1 / times the noise on these
                small = scale / Fraction(times)
                errors[name][place].append(times * smoothing_error(sample, size, small, noise))
    return [line(name, sizes, [Runs(some) for some in values], (6, 6)) for name, values in errors.items()]


def by_noisy_sample(case: UserItems, epsilon: Fraction, noise: Noise) -> tuple[Ints, Ints, Fraction]:
    """A noisy sample in its rising order, the true counts in the same order, and the scale of the noise of groups."""
    method = mechanism(case, "gs-s", epsilon, {})
    assert isinstance(method, GsS)
    kept = case.kept(case.bound, distinct=True, scores=None, salt=noise.salt())
    seen, _, _ = method.noisy_sample(kept, "items", case.bound, noise)
    order = noise.shuffled(seen)
    return seen[order], case.counts[order], scale_of(method.epsilon_of("items"), case.unit.sensitivity)


def smoothing_error(values: Any, size: int, scale: Fraction, noise: Noise) -> float:
    """The sum of absolute errors when neighbours share their mean, with noise in every group's sum."""
    groups = values.size // size
    starts = np.arange(groups) * size
    sums, members = np.add.reduceat(values, starts), np.full(groups, size)
    members[-1] = values.size - starts[-1]
    # in 1/1000ths, for a scale far below one
    noisy = sums + noise.laplace(scale * 1000, groups) / 1000
    return float(np.abs(values - np.repeat(noisy / members, members)).sum())


def _tuned(label: str, epsilon: Fraction, runs: list[GroupingRun], real: Json) -> Json:
    """What groups gs made, and its error beside that of the best size; sums of absolute errors."""
    count = real["x"][-1]
    groups = [one.facts["group"] for one in runs]
    best = min(range(len(real["y"])), key=lambda place: real["y"][place])
    error = Runs([one.absolute * count for one in runs]).pair(6, 6)
    return {
        "method": label,
        "epsilon": float(epsilon),
        "groups": [_middle(groups), min(groups), max(groups)],
        "stands for": short(float(np.median([one.facts["sample stands for"] for one in runs]))),
        "error": error,
        "best group": real["x"][best],
        "best error": [real["y"][best], real["se"][best]],
    }


def _middle(sizes: Iterable[int]) -> int:
    """The median, one of them."""
    rising = sorted(sizes)
    return rising[len(rising) // 2]


def _by_epsilon(title: str, y: str, found: dict[str, ByEpsilon], what: str) -> Json:
    x = [float(epsilon) for epsilon in EPSILONS]
    lines = [
        line(label, x, [Runs([getattr(one, what) for one in runs[epsilon]]) for epsilon in EPSILONS], (6, 6))
        for label, runs in found.items()
    ]
    return figure(title, "epsilon", y, lines, log_x=False)
