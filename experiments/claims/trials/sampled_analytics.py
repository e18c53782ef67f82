"""Sampled-analytics, section 6, on made-up check-ins of the sizes of Foursquare and Gowalla."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache

from experiments.claims.rules import Setting, Trial
from experiments.sampled_analytics.data.user_records import UserRecords
from experiments.sampled_analytics.trials import measures as measures
from experiments.sampled_analytics.trials.figures import measured
from experiments.sampled_analytics.trials.releases import METHODS, SAMPLING, Outcome, trial
from experiments.shared.made_up_histories import synthetic

KINDS = ("items", "edges")
DATA_SEED = 1
#: l: the paper's best for items and for edges, the least, and one far above
BOUNDS = (1, 5, 30, 300)
MANY = (1, 100)


@cache
def _records(name: str) -> UserRecords:
    return UserRecords.of(synthetic(name, DATA_SEED))


def _compared(name: str) -> Callable[[int], Trial]:
    """Every method once: the measures of section 6.3, and what else the figures show."""

    def measure(seed: int) -> Trial:
        case, found = _records(name), {}
        for method in METHODS:
            made = trial(case, method, f"claim {seed}", 0)
            for (kind, what), value in measured(case, made.items, made.edges).items():
                found[f"{method} {kind} {what}"] = value
            for many in MANY:
                found[f"{method} top {many}"] = measures.precision(made.items, case.items, many)
            if method in SAMPLING:
                found |= _of_sample(case, method, made)
        return found

    return measure


def _of_sample(case: UserRecords, method: str, made: Outcome) -> dict[str, float]:
    """What was kept, how well the popularity step finds the top, and what consistency does."""
    assert made.looks.last is not None
    assert made.agreed is not None
    found = {f"{method} kept": made.looks.last.table(case.bound).sum() / case.words.size}
    for kind, agreed, true in zip(KINDS, made.agreed, (case.items, case.edges), strict=True):
        found[f"{method} {kind} agreed"] = measures.squared_error(agreed, true)
    if made.looks.scores is not None:
        for many in (20, 100):
            found[f"popular {many}"] = measures.precision(made.looks.scores, case.items, many)
    return {name: float(value) for name, value in found.items()}


def _bounds(seed: int) -> Trial:
    case, found = _records("foursquare"), {}
    for method in SAMPLING:
        for bound in BOUNDS:
            made = trial(case, method, f"claim {seed} bound {bound}", 0, bound=bound)
            assert made.edges is not None
            found[f"{method} items {bound}"] = measures.squared_error(made.items, case.items)
            found[f"{method} edges {bound}"] = measures.squared_error(made.edges, case.edges)
    return found


FOURSQUARE = Setting(
    "sampled foursquare",
    "made-up histories of Foursquare's size (45,289 users, 17,967 items, 1.28 million records), epsilon 1, l = 10",
    _compared("foursquare"),
    20,
)
GOWALLA = Setting(
    "sampled gowalla",
    "made-up histories of Gowalla's size (12,579 users, 15,200 items, 0.74 million records), epsilon 1, l = 10",
    _compared("gowalla"),
    24,
)
BY_BOUND = Setting(
    "sampled bounds",
    f"made-up histories of Foursquare's size, epsilon 1, l = {', '.join(map(str, BOUNDS))}",
    _bounds,
    10,
)
