"""Synthetic rows of adult, from all its two-way tables: time with labels and file, memory, what they add to the error
of the tables, and how well a model that learned from them tells incomes apart.

Two thirds of the persons are published, the others are what the model is tried on. What rows add is the mean over all
tables of the total variation to the truth, less that of the tables that rows were drawn to fit.
"""

from __future__ import annotations

import json
import tempfile
from pathlib import Path
from typing import Any

import numpy as np

import discreet
from benchmarks.accuracy.adult import COLUMNS, ORDERED
from benchmarks.accuracy.shapes import Floats, Ints, columns, dice, folder
from benchmarks.measure import Report, peak_bytes, seconds, yardstick
from discreet.release import Release
from discreet.schema import Nominal, Ordinal, Schema

INCOME = "income>50K"
ROWS = 50_000
MANY = 1_000_000
NUMBERS = (*ORDERED, "age", "fnlwgt", "capital-gain", "capital-loss", "hours-per-week")


def run(quick: bool) -> Report:
    report = Report("rows: synthetic rows from two-way tables, two cores", quick)
    if (where := folder("adult")) is None:
        report.note("adult", "absent: its folder is not there")
        return report
    length = yardstick()
    report.note("L in seconds", length)
    every = _sizes(where)
    few, all_of_them = list(COLUMNS), list(every)
    # first, while this process has not yet needed much memory for anything else
    _speed(report, _published(every, all_of_them, _people(where, all_of_them)[0], "equal", "1"), length, quick)
    for names in (few, all_of_them):
        train, test = _people(where, names)
        report.note(f"{len(names)} attributes, real rows: AUC of income", _auc(names, train, test))
        for epsilon in ("1",) if quick else ("1", "0.1"):
            for method in ("equal", "auto"):
                what = f"{len(names)} attributes, {method}, epsilon {epsilon}"
                release = _published(every, names, train, method, epsilon)
                demanded = (names, epsilon, method) == (few, "1", "equal")
                _fit(report, what, release, names, train, test, demanded=demanded)
    return report


def _fit(
    report: Report, what: str, release: Release, names: list[str], train: Ints, test: Ints, *, demanded: bool
) -> None:
    """What rows add to the tables' own error, and what a model learns from them."""
    rows, summary = _codes(release.rows(ROWS, seed=1), names), release.summary
    fitted: list[tuple[tuple[int, ...], Floats]] = summary.fitted_tables()  # type: ignore[attr-defined]
    of_tables, of_rows = [], []
    for places, table in fitted:
        truth = _table(train, places, table.shape)
        of_tables.append(_variation(table, truth))
        of_rows.append(_variation(_table(rows, places, table.shape), truth))
    report.note(f"{what}: total variation of the tables", float(np.mean(of_tables)))
    added, auc = float(np.mean(of_rows) - np.mean(of_tables)), _auc(names, rows, test)
    report.at_most(f"{what}: total variation that rows add", added, 0.018, any_size=True)
    if demanded:
        lost = _auc(names, train, test) - auc
        report.at_most(f"{what}: AUC of real rows less that of synthetic ones", lost, 0.015, any_size=True)
    report.note(f"{what}: AUC of income", auc)


def _speed(report: Report, release: Release, length: float, quick: bool) -> None:
    def made(rows: int, ending: str) -> None:
        with tempfile.TemporaryDirectory() as temporary:
            release.rows(rows, seed=1).save(Path(temporary) / f"rows.{ending}")

    made(1000, "csv")
    size = f"{ROWS:,} rows of {len(release.schema)} attributes"
    report.at_most(f"{size}: peak memory in MB", peak_bytes(lambda: made(ROWS, "csv")) / 1e6, 200)
    if not quick:
        report.at_most(f"{MANY:,} rows: peak memory in MB", peak_bytes(lambda: made(MANY, "parquet")) / 1e6, 1000)
        taken = seconds(lambda: made(MANY, "parquet"), 1)
        report.note(f"{MANY:,} rows, Parquet: time / L", taken / length)
    taken = seconds(lambda: made(ROWS, "csv"), 3)
    report.at_most(f"{size}, with labels and CSV: time / L", taken / length, 40)


def _sizes(where: Path) -> dict[str, int]:
    found: dict[str, int] = json.loads((where / "adult_discretised-domain.json").read_text(encoding="utf-8"))
    return found


def _people(where: Path, names: list[str]) -> tuple[Ints, Ints]:
    """Two thirds of the persons, and the rest."""
    read = columns(where / "adult_discretised.csv", names)
    codes = np.array([read[name] for name in names]).astype(np.int64).T
    order = dice("rows").permutation(len(codes))
    part = len(codes) * 2 // 3
    return codes[order[:part]], codes[order[part:]]


def _published(sizes: dict[str, int], names: list[str], codes: Ints, method: str, epsilon: str) -> Release:
    schema = Schema(
        {name: Ordinal(0, sizes[name] - 1) if name in NUMBERS else Nominal(list(range(sizes[name]))) for name in names}
    )
    data = discreet.from_counts(schema, codes, np.ones(len(codes), np.int64))
    return data.publish(discreet.Marginals(ways=2, method=method), epsilon)


def _codes(rows: Any, names: list[str]) -> Ints:
    """All labels are their own codes here."""
    frame = rows.to_pandas()
    return np.stack([frame[name].astype(str).astype(np.int64).to_numpy() for name in names], axis=1)


def _table(codes: Ints, places: tuple[int, ...], shape: tuple[int, ...]) -> Floats:
    numbers = np.ravel_multi_index(tuple(codes[:, place] for place in places), shape)
    return np.bincount(numbers, minlength=int(np.prod(shape))).reshape(shape).astype(np.float64)


def _variation(one: Floats, other: Floats) -> float:
    return 0.5 * float(np.abs(one / one.sum() - other / other.sum()).sum())


def _auc(names: list[str], train: Ints, test: Ints) -> float:
    """Of a logistic regression on all values of all other attributes."""
    from sklearn.linear_model import LogisticRegression
    from sklearn.metrics import roc_auc_score
    from sklearn.pipeline import make_pipeline
    from sklearn.preprocessing import OneHotEncoder

    target = names.index(INCOME)
    others = [place for place in range(len(names)) if place != target]
    model = make_pipeline(OneHotEncoder(handle_unknown="ignore"), LogisticRegression(C=0.1, max_iter=500))
    model.fit(train[:, others], train[:, target])
    return float(roc_auc_score(test[:, target], model.predict_proba(test[:, others])[:, 1]))
