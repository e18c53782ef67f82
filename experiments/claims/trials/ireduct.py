"""Claims of ireduct, section 6: overall relative errors of marginals, and a classifier made from them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from fractions import Fraction
from functools import cache
from itertools import combinations
from typing import Any

import numpy as np

from discreet.mechanisms import Request, registry
from discreet.noise import Noise
from discreet.privacy import scale_of
from discreet.summaries.marginal_tables import MarginalTables
from experiments.claims.rules import Claim, Setting, Trial, noise_of, ratio
from experiments.ireduct.data.people import People, synthetic
from experiments.ireduct.trials.classifier import accuracy
from experiments.ireduct.trials.errors import METHODS, UNIT, Case, overall, values_of
from experiments.ireduct.trials.figures import epsilons, pairs_with_target
from experiments.ireduct.trials.rivals import oracle

PAPER = "ireduct"
RECORDS = 10**5
#: of the nine attributes those whose pairs have few enough cells
PAIRED = ("age", "marital status", "state", "birth place", "race", "education")
SHARE, LEAST_SHARE, MOST_SHARE = "0.07", "0.005", "0.5"
#: "almost equal" and "comparable", as on the page of the full experiments
ALMOST, COMPARABLE = 1.1, (0.8, 1.25)
FOLDS = 5
TOLD = 1000


@cache
def _people() -> People:
    return synthetic(RECORDS)


@cache
def _case(kind: str) -> Case:
    people = _people()
    if kind == "2-way":
        return Case.of(people, list(combinations(PAIRED, 2)), "0.025")
    if kind == "classifier":
        return Case.of(people, pairs_with_target(people), "0.03")
    return Case.of(people, list(combinations(people.schema, 1)), SHARE)


def _noisy(case: Case, method: str, epsilon: Fraction, sanity: Fraction, noise: Noise, **more: Any) -> MarginalTables:
    """As in the full experiments, with noise from a seed."""
    if method == "oracle":
        budget = 1 / scale_of(epsilon, UNIT.sensitivity)
        return MarginalTables(case.schema, case.sets, oracle(case.tables, float(sanity), budget, noise))
    asked: dict[str, Any] = {"sets": case.sets, **more}
    if method != "equal":
        asked |= {"records": case.records, "sanity": sanity}
    if method == "two-phase":
        asked.setdefault("share", case.share)
    made = registry()["marginals", method](Request(case.schema, UNIT, epsilon, asked)).measure(case.counts, noise)
    assert isinstance(made, MarginalTables)
    return made


def _error(case: Case, method: str, epsilon: Fraction, sanity: Fraction, noise: Noise, **more: Any) -> float:
    return overall(case, values_of(_noisy(case, method, epsilon, sanity, noise, **more)), sanity)


def _by_method(kind: str, place: int) -> Callable[[int], Trial]:
    """The overall error of every method, at one of the epsilons of the full experiments."""

    def measure(seed: int) -> Trial:
        case = _case(kind)
        epsilon = epsilons(kind, case.records)[place]
        return {method: _error(case, method, epsilon, case.sanity, noise_of(seed, method)) for method in METHODS}

    return measure


def _bounds_and_shares(seed: int) -> Trial:
    """Every method at a quarter and at four times the sanity bound, and two-phase by the share of its first phase."""
    case = _case("1-way")
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
    people, whole = _people(), _case("classifier")
    parts = people.tables_by_fold(whole.sets)
    found = {f"{method} {what}": 0.0 for method in METHODS for what in ("error", "right")}
    for fold in range(FOLDS):
        tables = [table - part[fold] for table, part in zip(whole.tables, parts, strict=True)]
        case = Case.of(people, whole.sets, "0.03", tables)
        rows = np.flatnonzero(people.fold == fold)[:TOLD]
        epsilon = epsilons("classifier", case.records)[1]
        for method in METHODS:
            made = _noisy(case, method, epsilon, case.sanity, noise_of(seed, fold, method))
            found[f"{method} error"] += overall(case, values_of(made)) / FOLDS
            found[f"{method} right"] += accuracy(made, people, rows) / FOLDS
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


def _largest(names: Sequence[str], to: str) -> Callable[[Trial], float]:
    return lambda trial: trial[to] / min(trial[name] for name in names)


TWICE = (
    "iresamp pays for draws of scale s, 2 s, 4 s and so on, about 2 / s in all, and has about twice the error of "
    "oracle. Whether that is near equal depends on how far equal is from oracle, and on these tables it is far."
)
FEW_CELLS = (
    "Tables of few cells, one of them tiny: where that count happens to look large, its table keeps up to twice the "
    "scale that oracle gives it. Over more cells, or at a larger epsilon, such chances even out."
)


def _orders(prefix: str, place: str, setting: Setting) -> tuple[Claim, ...]:
    """What the paper says of figures 6 and 8 alike."""
    return (
        Claim(f"{prefix}-oracle", PAPER, place, "iReduct is almost equal to Oracle", setting, "ireduct / oracle",
              ratio("ireduct", "oracle"), below=ALMOST, reason=FEW_CELLS),
        Claim(f"{prefix}-two-phase", PAPER, place, "TwoPhase is worse than iReduct", setting, "two-phase / ireduct",
              ratio("two-phase", "ireduct"), above=1, reason=FEW_CELLS),
        Claim(f"{prefix}-rest", PAPER, place, "TwoPhase is better than iResamp and Dwork", setting,
              "two-phase / the better of iresamp and equal", _largest(("iresamp", "equal"), "two-phase"), below=1),
        Claim(f"{prefix}-iresamp", PAPER, place, "iResamp is comparable to Dwork", setting, "iresamp / equal",
              ratio("iresamp", "equal"), *COMPARABLE, reason=TWICE),
    )  # fmt: skip


CLAIMS = (
    *_orders("ireduct-1-way", "6", LARGEST),
    *_orders("ireduct-small", "6, smallest epsilon", SMALLEST),
    *_orders("ireduct-2-way", "8", PAIRS),
    Claim("ireduct-sanity", PAPER, "7", "errors fall as the sanity bound grows", VARIED,
          "error at four times the bound / at a quarter, the largest of 5 methods",
          lambda trial: max(trial[f"{method} 4"] / trial[f"{method} 1/4"] for method in METHODS), below=1),
    Claim("ireduct-bowl", PAPER, "5", "the error of TwoPhase falls with the first phase's share and then rises",
          VARIED, "error at a share of 0.07 / the smaller one of those at 0.005 and 0.5",
          _largest((f"share {LEAST_SHARE}", f"share {MOST_SHARE}"), f"share {SHARE}"), below=1),
    Claim("ireduct-classifier-error", PAPER, "10", "iReduct and Oracle have the smallest errors", CLASSES,
          "the worse of oracle and ireduct / the best of the others",
          lambda trial: max(trial[f"{method} error"] for method in METHODS[:2])
          / min(trial[f"{method} error"] for method in METHODS[2:]), below=1),
    Claim("ireduct-classifier-iresamp", PAPER, "10", "iResamp is worse than Dwork", CLASSES, "iresamp / equal",
          ratio("iresamp error", "equal error"), above=1, reason=TWICE),
    Claim("ireduct-classifier-right", PAPER, "11", "iReduct makes a more accurate classifier than Dwork", CLASSES,
          "share told rightly, ireduct - equal", lambda trial: trial["ireduct right"] - trial["equal right"], above=0),
    Claim("ireduct-classifier-two-phase", PAPER, "11", "so does TwoPhase", CLASSES,
          "share told rightly, two-phase - equal", lambda trial: trial["two-phase right"] - trial["equal right"],
          above=0),
)  # fmt: skip
