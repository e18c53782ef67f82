"""Counts of items where users have many records: `even-shares` against every other method.

L1 relative to all records, mean squared error, KL divergence of the shares (half a record added to every answer), and
how many of the true top 10 and 100 are found; as ratios to the best other method's, and to `sra`'s. Which method is the
best other is decided in one half of the releases, and the ratio is that in the other half, both ways: the luckiest of
five would be no measure. Where the ratio is above what is wanted all are tried again, more often: among ten items that
are nearly alike a few releases tell luck. Precision has 0.05 added, for at epsilon 0.1 it may be 0; where users are
counted it is that of `top`, as who wants the largest would ask. Coverage is that of single items where users are
counted. With contexts the same errors of single items in contexts, by records.

How small L1 can be is shown by numbers that know the law of the true counts, though not which item has which: the means
of these given the same noisy weights.
"""

from __future__ import annotations

from collections import defaultdict
from fractions import Fraction
from typing import Any

import numpy as np

from benchmarks.accuracy.item_sets import ItemSet, item_sets, sets_in_contexts
from benchmarks.accuracy.shapes import Floats, Ints
from benchmarks.measure import Report
from discreet.mechanisms import Request, registry
from discreet.noise import Noise
from discreet.privacy import Unit
from discreet.queries import Questions
from discreet.schema import Ordinal, Schema
from discreet.summaries.shared_counts import SharedCounts
from experiments.shared.bounded import OnlyHistories

OWN = "even-shares"
RIVALS: dict[str, dict[str, Any]] = {
    "sra": {},
    "sra, rescaled": {"rescale": True},
    "hpa": {},
    "lpa": {},
    "gs": {"scale": "mean"},
}
IN_CONTEXTS = {name: RIVALS[name] for name in ("sra", "sra, rescaled", "hpa")}
EPSILONS = ("1", "0.1")
TRIALS, QUICK_TRIALS = 4, 1
SECOND_TRIALS = 40
WORST = 1.5
ERRORS = ("L1", "MSE", "KL")
PRECISIONS = {"precision at 10": 10, "precision at 100": 100}
KNOWN_LAW = "L1, if the law of counts were known"
#: errors of our own releases, and of every other method's
Releases = tuple[dict[str, Floats], dict[str, dict[str, Floats]]]
AGAINST_SRA = {"L1": 0.4, "MSE": 0.3, "KL": 0.3}


def run(report: Report) -> None:
    _items(report)
    _contexts(report)


def _contexts(report: Report) -> None:
    to_best: dict[str, list[float]] = defaultdict(list)
    to_sra: dict[str, list[float]] = defaultdict(list)
    held, trials = [], QUICK_TRIALS if report.quick else TRIALS
    for one in sets_in_contexts(report.quick):
        for epsilon in EPSILONS:
            own = tried(one, OWN, {}, epsilon, trials)
            others = {
                name: tried(one, name.split(",")[0], asked, epsilon, trials) for name, asked in IN_CONTEXTS.items()
            }
            said = []
            for name in ERRORS:
                to_best[name].append(_to_best(own[name], {other: mine[name] for other, mine in others.items()}))
                to_sra[name].append(_ratio(own[name], others["sra"][name]))
                said.append(f"{name} {to_best[name][-1]:.3g}")
            where = f"items in contexts, {one.name} (half {one.half}), epsilon {epsilon}"
            report.note(f"{where}: ratio to the best other", "; ".join(said))
            held.append(float(own["all items"].mean()))
    for name in ERRORS if held else ():
        report.at_most(f"items in contexts: {name} / best other's, worst", max(to_best[name]), 1.15)
        report.at_most(f"items in contexts: {name} / sra's, geometric mean", _mean(to_sra[name]), AGAINST_SRA[name])
    if held:
        report.at_least("items in contexts: counts inside 95 % intervals", float(np.mean(held)), 0.95)


def _items(report: Report) -> None:
    to_best: dict[str, list[float]] = defaultdict(list)
    to_sra: dict[str, list[float]] = defaultdict(list)
    held: dict[str, list[float]] = defaultdict(list)
    trials = QUICK_TRIALS if report.quick else TRIALS
    for one in item_sets(report.quick):
        for epsilon in EPSILONS:
            own, others = _releases(one, epsilon, trials)
            if one.name.endswith("users"):
                for part in ("all items", "top 10"):
                    held[part].append(float(own[part].mean()))
            again: Releases | None = None
            said = []
            for name in (*ERRORS, *PRECISIONS):
                ratio = _to_best(own[name], {other: mine[name] for other, mine in others.items()})
                if ratio > WORST and not report.quick:
                    again = again or _releases(one, epsilon, SECOND_TRIALS)
                    ratio = _to_best(again[0][name], {other: mine[name] for other, mine in again[1].items()})
                to_best[name].append(ratio)
                said.append(f"{name} {ratio:.3g}")
            for name in (*ERRORS, KNOWN_LAW):
                to_sra[name].append(_ratio(own[name], others["sra"][name.split(",")[0]]))
            where = f"items, {one.name} (half {one.half}), epsilon {epsilon}"
            report.note(f"{where}: ratio to the best other", "; ".join(said))
            report.note(f"{where}: ratio to sra", "; ".join(f"{name} {to_sra[name][-1]:.3g}" for name in to_sra))
    for name in ERRORS:
        report.at_most(f"items: {name} / best other's, geometric mean", _mean(to_best[name]), 1.15)
        report.at_most(f"items: {name} / best other's, worst", max(to_best[name]), WORST)
        report.at_most(f"items: {name} / sra's, geometric mean", _mean(to_sra[name]), AGAINST_SRA[name])
    report.note(f"items: {KNOWN_LAW} / sra's, geometric mean", _mean(to_sra[KNOWN_LAW]))
    for name in PRECISIONS:
        report.at_most(f"items: best other's {name} / own, geometric mean", _mean(to_best[name]), 1.15)
        report.at_most(f"items: best other's {name} / own, worst", max(to_best[name]), WORST)
    for part, found in held.items():
        report.at_least(f"items: users per item inside 95 % intervals, {part}", float(np.mean(found)), 0.95)


def _releases(one: ItemSet, epsilon: str, trials: int) -> Releases:
    own = tried(one, OWN, {}, epsilon, trials)
    if one.name.endswith("users"):
        for name, most in PRECISIONS.items():
            own[name] = tried(one, OWN, {"top": most}, epsilon, trials)[name]
    return own, {name: tried(one, name.split(",")[0], asked, epsilon, trials) for name, asked in RIVALS.items()}


def _mean(ratios: list[float]) -> float:
    return float(np.exp(np.mean(np.log(ratios))))


def _ratio(own: Floats, other: Floats) -> float:
    return float(own.mean() / max(float(other.mean()), 1e-12))


def _to_best(own: Floats, others: dict[str, Floats]) -> float:
    """To the other one that is best in every second release, in those between, and the other way round."""
    found = []
    for first, second in ((0, 1), (1, 0)):
        judging, judged = (np.arange(own.size) % 2 == min(half, own.size - 1) for half in (first, second))
        best = min(others.values(), key=lambda errors, some=judging: float(errors[some].mean()))  # type: ignore[misc]
        found.append(_ratio(own[judged], best[judged]))
    return _mean(found)


def tried(one: ItemSet, method: str, asked: dict[str, Any], epsilon: str, trials: int) -> dict[str, Floats]:
    """Errors of each release; a precision p as 1 / (p + 0.05), so that less is better in all of them."""
    count = {"count": "users"} if one.name.endswith("users") else {}
    schema = Schema({name: Ordinal(0, size - 1) for name, size in zip(("item", "context"), one.sizes, strict=False)})
    request = Request(schema, Unit("who", max_rows=one.most), Fraction(epsilon), {**count, **asked})
    each = np.indices(one.sizes).reshape(len(one.sizes), -1).T
    questions, true = Questions(each, each, len(each), np.arange(len(each))), one.true
    found: dict[str, list[float]] = defaultdict(list)
    for _ in range(trials):
        summary = registry()["items", method](request).measure(OnlyHistories(one), Noise())
        if isinstance(summary, SharedCounts):
            found[KNOWN_LAW].append(_errors(with_known_law(summary, true), true.astype(np.float64))["L1"])
        answers = summary.answer(questions, 0.95).of_counts()
        for name, error in _errors(np.asarray(answers.value, np.float64), true.astype(np.float64)).items():
            found[name].append(error)
        holds = (answers.low <= true) & (true <= answers.high)
        found["all items"].append(float(holds.mean()))
        found["top 10"].append(float(holds[np.argsort(-true, kind="stable")[:10]].mean()))
    every = {name: np.array(values) for name, values in found.items()}
    return {name: 1 / (values + 0.05) if name in PRECISIONS else values for name, values in every.items()}


def with_known_law(summary: SharedCounts, true: Ints) -> Floats:
    """Mean counts given the noisy weights, for who knows how many items have which count, and how many all have."""
    weights, many = np.unique(true, return_counts=True)
    some = np.linspace(0, weights.size - 1, min(weights.size, 1000)).astype(np.int64)
    counts, many = weights[some], np.add.reduceat(many, some)
    seen, each = summary.items.values / summary.items.units, true.sum() / summary.estimates.kept.sum()
    found = np.empty(seen.size)
    for part in np.array_split(np.arange(seen.size), -(-seen.size // 2000)):
        surprise = np.abs(seen[part, None] - counts / each) / summary.items.spread
        chances = many * np.exp(surprise.min(axis=1, keepdims=True) - surprise)
        found[part] = chances @ counts / chances.sum(axis=1)
    return found


def _errors(values: Floats, true: Floats) -> dict[str, float]:
    some, shares, guessed = true > 0, true / true.sum(), (values + 0.5) / (values + 0.5).sum()
    found = {
        "L1": float(np.abs(values - true).sum() / true.sum()),
        "MSE": float(((values - true) ** 2).mean()),
        "KL": float((shares[some] * np.log(shares[some] / guessed[some])).sum()),
    }
    for name, most in PRECISIONS.items():
        best, shown = (np.argsort(-counts, kind="stable")[:most] for counts in (true, values))
        found[name] = float(np.isin(shown, best).mean())
    return found
