"""The experiments of sampled-analytics, section 6, on one data set: figures 5 to 11, table 5, and a few beyond them."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from typing import Any

import numpy as np

from experiments.sampled_analytics.data.user_records import UserRecords
from experiments.sampled_analytics.trials import measures as measures
from experiments.sampled_analytics.trials.releases import METHODS, SAMPLING, Numbers, Outcome, trial
from experiments.shared.records import Json, Runs, figure, line, short

MEASURES = ("mse", "kl", "kl back", "top")
TOP = 10
POPULAR = (1, 5, 10, 20, 50, 100)
BOUNDS = (1, 2, 3, 5, 7, 10, 15, 20, 30, 50, 70, 100, 150, 200, 300, 500, 1000, 2000)
MANY = (1, 2, 5, 10, 20, 50, 100, 200, 500, 1000)
CONSISTENT = ("mse", "agreed mse", "gain", "top", "agreed top")
#: the context of table 5: the first value of each attribute
FIRST = 0

Gathered = defaultdict[tuple[str, ...], list[Any]]


def measured(case: UserRecords, items: Numbers, edges: Numbers | None) -> dict[tuple[str, str], float]:
    """All measures of the items and, if there are contexts, of the edges."""
    found = {("items", "top"): measures.precision(items, case.items, TOP)}
    tables = [("items", items, case.items)]
    if edges is not None:
        found["edges", "top"] = measures.precision_by_column(edges, case.edges, TOP)
        tables.append(("edges", edges, case.edges))
    for kind, noisy, true in tables:
        found[kind, "mse"] = measures.squared_error(noisy, true)
        found[kind, "kl"] = measures.divergence(noisy, true)
        found[kind, "kl back"] = measures.divergence(true, noisy)
    return found


def comparison(case: UserRecords, runs: int) -> Json:
    """Figures 5 and 7 to 11, table 5, and what consistency does, all from the same releases."""
    seen: Gathered = defaultdict(list)
    lists: dict[str, list[int]] = {"raw": measures.largest(case.edges[:, FIRST], TOP)}
    for method in METHODS:
        for number in range(runs):
            made = trial(case, method, "compared", number)
            for (kind, measure), value in measured(case, made.items, made.edges).items():
                seen[method, kind, measure].append(value)
            for many in _below(MANY, case.items.size):
                seen[method, "many", str(many)].append(measures.precision(made.items, case.items, many))
            if made.agreed is not None:
                _agreement(case, method, made, seen)
            if method in SAMPLING:
                _kept(case, method, made, seen)
            if method in SAMPLING and made.edges is not None:
                seen[method, "agree", "list"].append(
                    TOP * measures.precision(made.edges[:, FIRST], case.edges[:, FIRST], TOP)
                )
                if number == 0:
                    lists[method] = measures.largest(made.edges[:, FIRST], TOP)
    found: Json = {
        "methods": {
            kind: {
                method: {measure: measures.summed_up(seen[method, kind, measure]) for measure in MEASURES}
                for method in METHODS
            }
            for kind in case.kinds
        },
        "figures": {"5": _popularity(seen), "9": _by_many(case, seen)},
        "kept": {method: measures.summed_up(seen[method, "kept", "share"]) for method in SAMPLING},
    }
    if case.has_edges:
        found["consistent"] = _consistency(seen)
        found["contexts"] = _contexts(case, seen)
        found["lists"] = {
            "ranks": {str(place): _rank(case, place) for places in lists.values() for place in places},
            "top": lists,
            "agree": {method: measures.summed_up(seen[method, "agree", "list"]) for method in SAMPLING},
        }
    return found


def _agreement(case: UserRecords, method: str, made: Outcome, seen: Gathered) -> None:
    assert made.agreed is not None
    found = measured(case, *made.agreed)
    for kind in ("items", "edges"):
        seen[method, kind, "agreed mse"].append(found[kind, "mse"])
        seen[method, kind, "agreed top"].append(found[kind, "top"])
        seen[method, kind, "gain"].append(found[kind, "mse"] / seen[method, kind, "mse"][-1])


def _kept(case: UserRecords, method: str, made: Outcome, seen: Gathered) -> None:
    """What share of the records was kept, how they are spread over contexts, and what the popularity says."""
    assert made.looks.last is not None
    table = made.looks.last.table(case.bound).reshape(case.edges.shape)
    seen[method, "kept", "share"].append(table.sum() / case.words.size)
    seen[method, "kept", "contexts"].append(table.sum(axis=0) / table.sum())
    if made.looks.scores is not None:
        for many in _below(POPULAR, case.items.size):
            seen["popularity", str(many)].append(measures.precision(made.looks.scores, case.items, many))


def _popularity(seen: Gathered) -> Json:
    points = [int(key[1]) for key in seen if key[0] == "popularity"]
    title = "Figure 5: the popularity step's share of the true top K"
    found = _line("hpa", points, [seen["popularity", str(point)] for point in points])
    return figure(title, "K", "precision", [found], log_x=False, log_y=False)


def _by_many(case: UserRecords, seen: Gathered) -> Json:
    points = _below(MANY, case.items.size)
    lines = [_line(method, points, [seen[method, "many", str(many)] for many in points]) for method in METHODS]
    return figure("Figure 9: precision of the top K items", "K", "precision", lines, log_y=False)


def _consistency(seen: Gathered) -> Json:
    return {
        kind: {
            method: {key: measures.summed_up(seen[method, kind, key]) for key in CONSISTENT}
            for method in ("lpa", "sra", "hpa")
        }
        for kind in ("items", "edges")
    }


def _contexts(case: UserRecords, seen: Gathered) -> Json:
    """Figure 11: the share of each context among all records and among the kept ones."""
    shares = {"raw": case.edges.sum(axis=0) / case.words.size}
    shares |= {method: np.mean(seen[method, "kept", "contexts"], axis=0) for method in SAMPLING}
    return {name: [short(float(share), 5) for share in found] for name, found in shares.items()}


def _rank(case: UserRecords, place: int) -> int:
    """Which rank an item has in the first context, the best of equal ones."""
    column = case.edges[:, FIRST]
    return int(1 + np.count_nonzero(column > column[place]))


def by_bound(case: UserRecords, runs: int) -> Json:
    """Figure 6: the error of items and edges against the records kept of each user."""
    bounds = _below(BOUNDS, case.most)
    found: Gathered = defaultdict(list)
    for method in SAMPLING:
        for bound in bounds:
            for number in range(runs):
                made = trial(case, method, f"bound {bound}", number, bound=bound)
                for kind, noisy, true in (("items", made.items, case.items), ("edges", made.edges, case.edges)):
                    if noisy is not None:
                        found[method, kind, str(bound)].append(measures.squared_error(noisy, true))
    figures = {}
    for kind in case.kinds:
        lines = [_line(method, bounds, [found[method, kind, str(bound)] for bound in bounds]) for method in SAMPLING]
        title = f"Figure 6: error of {kind} by records kept of a user"
        figures[f"6-{kind}"] = figure(title, "l", "mean squared error", lines)
    return figures


def _below(values: tuple[int, ...], most: int) -> list[int]:
    return [value for value in values if value <= most]


def _line(name: str, points: Sequence[int], values: list[list[float]]) -> Json:
    return line(name, list(points), [Runs(found) for found in values], (5, 3))
