"""Counts of items where users have many records: `even-shares` against every other method.

L1 relative to all records, mean squared error, KL divergence of the shares (half a record added to every answer), and
how many of the true top 10 and 100 are found; as ratios to the best other method's, and to `sra`'s. Precision has 0.05
added, for at epsilon 0.1 it may be 0. Coverage is that of single items where users are counted. With contexts the same
errors of single items in contexts, by records.
"""

from __future__ import annotations

from collections import defaultdict
from fractions import Fraction
from typing import Any

import numpy as np

from benchmarks.accuracy.item_sets import ItemSet, item_sets, sets_in_contexts
from benchmarks.accuracy.shapes import Floats
from benchmarks.measure import Report
from discreet.mechanisms import Request, registry
from discreet.noise import Noise
from discreet.privacy import Unit
from discreet.queries import Questions
from discreet.schema import Ordinal, Schema
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
ERRORS = ("L1", "MSE", "KL")
PRECISIONS = {"precision at 10": 10, "precision at 100": 100}
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
                best = min(mine[name] for mine in others.values())
                to_best[name].append(own[name] / max(best, 1e-12))
                to_sra[name].append(own[name] / max(others["sra"][name], 1e-12))
                said.append(f"{name} {to_best[name][-1]:.3g}")
            where = f"items in contexts, {one.name} (half {one.half}), epsilon {epsilon}"
            report.note(f"{where}: ratio to the best other", "; ".join(said))
            held.append(own["all items"])
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
            own = tried(one, OWN, {}, epsilon, trials)
            others = {name: tried(one, name.split(",")[0], asked, epsilon, trials) for name, asked in RIVALS.items()}
            where = f"items, {one.name} (half {one.half}), epsilon {epsilon}"
            said = []
            for name in (*ERRORS, *PRECISIONS):
                best = min(others, key=lambda other, name=name: others[other][name])  # type: ignore[misc]
                ratio = own[name] / max(others[best][name], 1e-12)
                to_best[name].append(ratio)
                to_sra[name].append(own[name] / max(others["sra"][name], 1e-12))
                said.append(f"{name} {ratio:.3g} ({best})")
            report.note(f"{where}: ratio to the best other", "; ".join(said))
            if one.name.endswith("users"):
                for part in ("all items", "top 10"):
                    held[part].append(own[part])
    for name in ERRORS:
        report.at_most(f"items: {name} / best other's, geometric mean", _mean(to_best[name]), 1.15)
        report.at_most(f"items: {name} / best other's, worst", max(to_best[name]), 1.5)
        report.at_most(f"items: {name} / sra's, geometric mean", _mean(to_sra[name]), AGAINST_SRA[name])
    for name in PRECISIONS:
        report.note(f"items: best other's {name} / own, geometric mean", _mean(to_best[name]))
    for part, found in held.items():
        report.at_least(f"items: users per item inside 95 % intervals, {part}", float(np.mean(found)), 0.95)


def _mean(ratios: list[float]) -> float:
    return float(np.exp(np.mean(np.log(ratios))))


def tried(one: ItemSet, method: str, asked: dict[str, Any], epsilon: str, trials: int) -> dict[str, float]:
    """Mean errors; a precision p as 1 / (p + 0.05), so that less is better in all of them."""
    count = {"count": "users"} if one.name.endswith("users") else {}
    schema = Schema({name: Ordinal(0, size - 1) for name, size in zip(("item", "context"), one.sizes, strict=False)})
    request = Request(schema, Unit("who", max_rows=one.most), Fraction(epsilon), {**count, **asked})
    each = np.indices(one.sizes).reshape(len(one.sizes), -1).T
    questions, true = Questions(each, each, len(each), np.arange(len(each))), one.true
    found: dict[str, list[float]] = defaultdict(list)
    for _ in range(trials):
        answers = (
            registry()["items", method](request)
            .measure(OnlyHistories(one), Noise())
            .answer(questions, 0.95)
            .of_counts()
        )
        for name, error in _errors(np.asarray(answers.value, np.float64), true.astype(np.float64)).items():
            found[name].append(error)
        holds = (answers.low <= true) & (true <= answers.high)
        found["all items"].append(float(holds.mean()))
        found["top 10"].append(float(holds[np.argsort(-true, kind="stable")[:10]].mean()))
    means = {name: float(np.mean(values)) for name, values in found.items()}
    return {name: 1 / (mean + 0.05) if name in PRECISIONS else mean for name, mean in means.items()}


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
