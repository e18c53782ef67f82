"""Ireduct, section 6: overall relative errors of marginals, and a classifier made from them."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from functools import cache
from itertools import combinations
from typing import Any

from discreet.noise import Noise
from experiments.claims.rules import Setting, Trial, noise_of
from experiments.ireduct.data.marginals import PAPER_SHARES, KnownMarginals, without_folds
from experiments.ireduct.data.people import People
from experiments.ireduct.data.sources import synthetic
from experiments.ireduct.trials.classifier import accuracy
from experiments.ireduct.trials.errors import METHODS, noisy, overall, values_of
from experiments.ireduct.trials.figures import epsilons

RECORDS = 10**5
#: of the nine attributes those whose pairs have few enough cells
PAIRED = ("age", "marital status", "state", "birth place", "race", "education")
SHARE, LEAST_SHARE, MOST_SHARE = PAPER_SHARES["1-way"], "0.005", "0.5"
FOLDS = 5
TOLD = 1000


@cache
def _people() -> People:
    return synthetic(RECORDS)


@cache
def _marginals(kind: str) -> KnownMarginals:
    people = _people()
    if kind == "2-way":
        return KnownMarginals.of(people, list(combinations(PAIRED, 2)), PAPER_SHARES["2-way"])
    return KnownMarginals.of(people, list(combinations(people.schema, 1)), SHARE)


def _error(case: KnownMarginals, method: str, epsilon: Fraction, sanity: Fraction, noise: Noise, **more: Any) -> float:
    return overall(case, values_of(noisy(case, method, epsilon, sanity, noise, **more)), sanity)


def _by_method(kind: str, place: int) -> Callable[[int], Trial]:
    """The overall error of every method, at one of the epsilons of the full experiments."""

    def measure(seed: int) -> Trial:
        case = _marginals(kind)
        epsilon = epsilons(kind, case.records)[place]
        return {method: _error(case, method, epsilon, case.sanity, noise_of(seed, method)) for method in METHODS}

    return measure


def _bounds_and_shares(seed: int) -> Trial:
    """Every method at a quarter and at four times the sanity bound, and two-phase by the share of its first phase."""
    case = _marginals("1-way")
    epsilon = epsilons("1-way", case.records)[-1]
    found = {}
    for times in (Fraction(1, 4), Fraction(4)):
        for method in METHODS:
            noise = noise_of(seed, method, times)
            found[f"{method} {times}"] = _error(case, method, epsilon, times * case.sanity, noise)
    for share in (LEAST_SHARE, SHARE, MOST_SHARE):
        noise = noise_of(seed, "share", share)
        found[f"share {share}"] = _error(case, "two-phase", epsilon, case.sanity, noise, share=share)
    return found


def _classifier(seed: int) -> Trial:
    """The mean error of the tables of some folds, and the share of the people left out that are told rightly."""
    people = _people()
    found = {f"{method} {what}": 0.0 for method in METHODS for what in ("error", "right")}
    for fold, (case, left_out) in enumerate(without_folds(people, FOLDS)):
        epsilon = epsilons("classifier", case.records)[1]
        for method in METHODS:
            made = noisy(case, method, epsilon, noise=noise_of(seed, fold, method))
            found[f"{method} error"] += overall(case, values_of(made)) / FOLDS
            found[f"{method} right"] += accuracy(made, people, left_out[:TOLD]) / FOLDS
    return found


_BASE = f"{RECORDS:,} made-up people of nine attributes, epsilon times records as in the paper, sanity bound 10"
LARGEST = Setting("ireduct 1-way", f"{_BASE}, all 1-way marginals, epsilon 1 (0.01)", _by_method("1-way", -1), 30)
SMALLEST = Setting("ireduct small", f"{_BASE}, all 1-way marginals, epsilon 0.2 (0.002)", _by_method("1-way", 1), 30)
PAIRS = Setting("ireduct 2-way", f"{_BASE}, the pairs of six of them, epsilon 10 (0.1)", _by_method("2-way", -1), 40)
VARIED = Setting(
    "ireduct varied", f"{_BASE}, all 1-way marginals, epsilon 1; sanity bounds 2.5 and 40", _bounds_and_shares, 20
)
CLASSES = Setting(
    "ireduct classifier",
    f"{_BASE}, the 9 marginals of a classifier, epsilon 0.22 (0.002), {FOLDS} folds of {TOLD:,} people told",
    _classifier,
    12,
)
