"""Questions about several counts at once, over L: a table of 10,000 groups with shares and intervals; single ones."""

from __future__ import annotations

from functools import partial

import numpy as np

import discreet
from benchmarks.measure import Report, seconds, yardstick
from discreet.release import Release
from discreet.tasks import Task

GROUPS = 10_000
SCHEMA = discreet.Schema(x=discreet.Ordinal(0, 99), y=discreet.Ordinal(0, 99), sex=discreet.Nominal(["f", "m"]))
TASKS: list[Task] = [
    discreet.Table(list(SCHEMA), method="geometric"),
    discreet.Ranges(list(SCHEMA), method="weighted"),
    discreet.Ranges(list(SCHEMA), method="adaptive"),
    discreet.Marginals(list(SCHEMA), ways=2, method="equal"),
]


def run(quick: bool) -> Report:
    report = Report(f"answers: {GROUPS:,} groups with shares and intervals, 20,000 cells, over L", quick)
    runs = 3 if quick else 5
    unit = yardstick(runs)
    report.note("L in seconds", unit)
    codes = np.array(list(np.ndindex(SCHEMA.sizes)))
    counts = np.random.default_rng(3).poisson(20.0 * np.exp(-codes[:, 0] / 30))
    data = discreet.from_counts(SCHEMA, codes, counts)
    for number, task in enumerate(TASKS):
        release = data.publish(task, 1, name=str(number))
        table, single = partial(_table, release), partial(_single, release)
        seconds(table, 1)  # compiled, and sums made once
        method, taken = release.manifest["method"], seconds(table, runs)
        report.at_most(f"{method}: a table by two attributes with shares / L", taken / unit, 1)
        report.note(f"{method}: share, mean and comparison, in milliseconds", 1000 * seconds(single, runs))
    return report


def _table(release: Release) -> None:
    assert len(release.table(["x", "y"], shares=True)) == GROUPS


def _single(release: Release) -> None:
    release.share("sex = 'f'", of="x < 30")
    release.mean("x", "sex = 'f'")
    release.compare("x < 30", "x >= 30")
