"""Beyond the paper's figures: where errors come from, rescaled counts, equation 22, and fpa with a well-chosen size."""

from __future__ import annotations

import math
from collections import defaultdict
from dataclasses import replace

import numpy as np

from discreet.mechanisms.items.item_bounds import best_bound
from discreet.privacy import Unit
from experiments.sampled_analytics.data.user_records import UserRecords
from experiments.sampled_analytics.trials import measures as measures
from experiments.sampled_analytics.trials.figures import measured
from experiments.sampled_analytics.trials.releases import SAMPLING, Outcome, trial
from experiments.shared.records import Json, short

FREQUENCIES = (1, 2, 5, 10, 20, 50, 100, 200, 500, 1000)
FEW_RUNS = 5


def causes(case: UserRecords, runs: int) -> Json:
    """What sra and hpa would tell without noise, with the exact factor, and hpa with the true popularity.

    From the releases of the comparison. None of it is private.
    """
    found: Json = {}
    for method in SAMPLING:
        seen: dict[str, list[float]] = defaultdict(list)
        for number in range(runs):
            made = trial(case, method, "compared", number)
            assert made.looks.last is not None
            kept = made.looks.last.table(case.bound).reshape(case.edges.shape)
            for (kind, measure), value in measured(case, kept.sum(axis=1), kept if case.has_edges else None).items():
                seen[f"{kind}, {measure}"].append(value)
            exact = replace(made, factor=case.words.size / kept.sum())
            for kind, error in _errors(case, exact).items():
                seen[f"{kind}, rescaled"].append(error)
        found[method] = {name: measures.summed_up(values) for name, values in seen.items()}
    found["hpa"] |= _known(case, runs)
    return found


def _known(case: UserRecords, runs: int) -> Json:
    """hpa where the true popularity is public."""
    scores = {str(place): int(count) for place, count in enumerate(case.items) if count}
    seen: dict[str, list[float]] = defaultdict(list)
    for number in range(runs):
        made = trial(case, "hpa", "known", number, probe=None, scores=scores)
        seen["known, first"].append(measures.precision(made.items, case.items, 1))
        for (kind, measure), value in measured(case, made.items, made.edges).items():
            if measure == "top":
                seen[f"known, {kind}, top"].append(value)
    return {name: measures.summed_up(values) for name, values in seen.items()}


def rescaled(case: UserRecords, runs: int) -> Json:
    """The error of what a release says, plain and rescaled, each from its own releases."""
    found: Json = {}
    for method in SAMPLING:
        rows: dict[str, dict[str, list[float]]] = {kind: {"plain": [], "rescaled": []} for kind in case.kinds}
        factors = []
        for number in range(runs):
            for how in ("plain", "rescaled"):
                made = trial(case, method, how, number, rescale=how == "rescaled")
                factors += [made.factor] if how == "rescaled" else []
                for kind, error in _errors(case, made).items():
                    rows[kind][how].append(error)
        found[method] = {kind: {how: measures.summed_up(row[how]) for how in row} for kind, row in rows.items()}
        found[method]["factor"] = measures.summed_up(factors)
    return found


def _errors(case: UserRecords, made: Outcome) -> dict[str, float]:
    items, edges = (made.items, made.edges) if made.agreed is None else made.agreed
    found = {"items": measures.squared_error(made.factor * items, case.items)}
    if edges is not None:
        found["edges"] = measures.squared_error(made.factor * edges, case.edges)
    return found


def guessed(case: UserRecords, runs: int) -> list[Json]:
    """Equation 22 for three popularities, its users and records being right, and the error of sra's items with it.

    The equation has one item's popularity; over all items eq. 21 adds up squares, so the one to put in is their root
    mean square.
    """
    shares = case.items / case.items.sum()
    popularities = {
        "mean": 1 / shares.size,
        "root mean square": math.sqrt(float(np.mean(shares**2))),
        "most popular": float(shares.max()),
    }
    users = case.per_user.size
    epsilon = case.epsilon / (2 if case.has_edges else 1)
    found = []
    for name, popularity in popularities.items():
        guess = {"users": users, "records": float(case.words.size / users), "popularity": popularity}
        bound = best_bound(guess, epsilon, Unit("user", max_rows=case.most))
        errors = [
            measures.squared_error(trial(case, "sra", f"guess {bound}", number, bound=bound).items, case.items)
            for number in range(runs)
        ]
        row = {"popularity": name, "value": short(popularity), "bound": bound}
        found.append({**row, "mse": measures.summed_up(errors)})
    return found


def frequencies(case: UserRecords, runs: int) -> Json:
    """The error of fpa with a number of frequencies that is given: the best one of a few, picked by the true counts."""
    found: dict[str, list[tuple[float, int, list[float]]]] = {kind: [] for kind in case.kinds}
    for count in FREQUENCIES:
        if count > case.items.size // 2:
            break
        errors: dict[str, list[float]] = {kind: [] for kind in found}
        for number in range(min(runs, FEW_RUNS)):
            made = trial(case, "fpa", f"frequencies {count}", number, coefficients=count)
            for kind, error in _errors(case, made).items():
                errors[kind].append(error)
        for kind, values in errors.items():
            found[kind].append((float(np.mean(values)), count, values))
    best = {kind: min(rows) for kind, rows in found.items()}
    return {
        kind: {"frequencies": count, "mse": measures.summed_up(values), "runs": len(values)}
        for kind, (_, count, values) in best.items()
    }
