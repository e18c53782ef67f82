"""Questions about several counts at once, over L: a table of 10,000 groups with shares and intervals, also as SQL."""

from __future__ import annotations

import time
from functools import partial

import numpy as np

import discreet
from benchmarks.measure import Report, yardstick
from benchmarks.measure import seconds as best_of
from discreet.release import Release
from discreet.tasks import Task

GROUPS = 10_000
SCHEMA = discreet.Schema(x=discreet.Ordinal(0, 99), y=discreet.Ordinal(0, 99), sex=discreet.Nominal(["f", "m"]))
TASKS: list[Task] = [
    discreet.Table(list(SCHEMA), method="geometric"),
    discreet.Ranges(list(SCHEMA), method="weighted"),
    discreet.Ranges(list(SCHEMA), method="adaptive"),
    discreet.Marginals(list(SCHEMA), ways=2, method="equal"),
    discreet.Marginals(list(SCHEMA), ways=2),
]
SQL = "select x, y, count(*) as n, share() as s from release group by x, y"
#: what SQL may take more than the same questions asked by `table`
SQL_ADDS = 0.1
#: of all cores together, so that others at the same machine do not count
seconds = partial(best_of, clock=time.process_time)


def run(quick: bool) -> Report:
    report = Report(f"answers: {GROUPS:,} groups with shares and intervals, 20,000 cells, processor time over L", quick)
    runs = 3 if quick else 5
    unit = yardstick(runs, time.process_time)
    report.note("L in seconds", unit)
    codes = np.array(list(np.ndindex(SCHEMA.sizes)))
    counts = np.random.default_rng(3).poisson(20.0 * np.exp(-codes[:, 0] / 30))
    data = discreet.from_counts(SCHEMA, codes, counts)
    for number, task in enumerate(TASKS):
        release = data.publish(task, 1, name=str(number))
        table, sql, single = partial(_table, release), partial(_sql, release), partial(_single, release)
        seconds(table, 1)  # compiled, and sums made once
        seconds(sql, 1)
        method, taken = release.manifest["method"], seconds(table, runs)
        report.at_most(f"{method}: a table by two attributes with shares / L", taken / unit, 1)
        report.at_most(f"{method}: what the same by SQL takes more / L", (seconds(sql, runs) - taken) / unit, SQL_ADDS)
        report.note(f"{method}: share, mean and comparison, in milliseconds", 1000 * seconds(single, runs))
    return report


def _table(release: Release) -> None:
    assert len(release.table(["x", "y"], shares=True)) == GROUPS


def _sql(release: Release) -> None:
    assert len(release.sql(SQL)) == GROUPS


def _single(release: Release) -> None:
    release.share("sex = 'f'", of="x < 30")
    release.mean("x", "sex = 'f'")
    release.compare("x < 30", "x >= 30")
