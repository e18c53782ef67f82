"""The time that `adaptive` takes, in L, beside the papers' methods at the same jobs: measuring, publishing, asking.

"Measuring alone" has the counts given; "published" is the whole path from ready counts to a folder on disk. Jobs by
home and work block are read from the folder that DISCREET_DATA names.
"""

from __future__ import annotations

import tempfile
from dataclasses import dataclass, replace
from itertools import count
from pathlib import Path

import numpy as np

from benchmarks.accuracy import commuting, grids, long_line
from benchmarks.accuracy.shapes import MADE_UP, Shape, folder
from benchmarks.accuracy.trials import Method
from benchmarks.accuracy.trials import known as known_methods
from benchmarks.measure import Report, peak_bytes, seconds, yardstick
from discreet.ledger import Ledger
from discreet.mechanisms import Request, mechanism_for
from discreet.noise import Noise
from discreet.private.publish import Data
from discreet.queries import Questions
from discreet.tasks import TASKS, Task

QUESTIONS = 1_000_000
QUICK = 10
ASKED_LIMIT = 30.0
OURS = "adaptive"


@dataclass(frozen=True, eq=False)
class Job:
    """Data, an epsilon, the methods to time, and the most that `adaptive` may take to publish, in L."""

    name: str
    data: Data
    epsilon: str
    methods: tuple[Method, ...]
    limit: float


def run(quick: bool) -> Report:
    report = Report("adaptive: time in L, beside the papers' methods", quick)
    length = yardstick()
    report.note("L in seconds", length)
    for job in _jobs(report):
        for method in known_methods(report, job.name, job.methods):
            _timed(report, job, method, length)
    for method in known_methods(report, "a million questions", _ranges("privelet")):
        _asking(report, method, length)
    return report


def _ranges(*others: str) -> tuple[Method, ...]:
    return tuple(Method("ranges", name) for name in (*others, OURS))


def _jobs(report: Report) -> list[Job]:
    records = long_line.QUICK_RECORDS if report.quick else long_line.RECORDS
    line = _grid((4096,), 10**5)
    square = _grid((256, 256), 10**6)
    long = long_line.made("lognormal", records, 1)[0]
    jobs = [
        Job("4,096 values", line, "0.1", _ranges("privelet"), 0.1),
        Job("256 x 256", square, "0.1", _ranges("privelet"), 0.2),
        Job(f"2^30 values, {records:,} records", long, "1", _ranges("dyadic-filter-priority"), 2.0),
    ]
    if (where := folder("lodes_ri_2019")) is None:
        report.note("jobs by home and work block", "not there; set DISCREET_DATA to the folder that has lodes_ri_2019")
    else:
        methods = tuple(commuting.METHODS)
        jobs.append(Job("jobs by home and work block", commuting.made(where)[0], "1", methods, 20.0))
    return jobs


def _grid(sizes: tuple[int, ...], records: int) -> Data:
    return grids.made(Shape("clusters", MADE_UP["clusters"](sizes)), records, 1)[0]


def _afresh(data: Data) -> Data:
    return replace(data, ledger=Ledger.open(None, "data", None))


def _task(data: Data, method: Method) -> Task:
    return TASKS[method.task](list(data.schema), method=method.name, **method.parameters)


def _timed(report: Report, job: Job, method: Method, length: float) -> None:
    data, task = job.data, _task(job.data, method)
    made = mechanism_for(task, Request.of(task, data.schema, data.unit, job.epsilon))
    counts = data.origin.bounded(data.schema, data.unit, b"")
    made.measure(counts, Noise())  # fills tables and compiles kernels
    runs = 3 if report.quick else 7
    measuring = seconds(lambda: made.measure(counts, Noise()), runs) / length
    with tempfile.TemporaryDirectory() as temporary:
        turns = count()

        def publish() -> None:
            data.publish(task, job.epsilon, to=Path(temporary) / str(next(turns)))

        publish()
        published = seconds(publish, runs) / length
        # an account in memory stays in its process, so the other one opens its own
        peak = peak_bytes(lambda: _afresh(data).publish(task, job.epsilon, to=Path(temporary) / "peak"))
    what = f"{job.name}, {method.said}"
    _row(report, f"{what}: measuring alone, time / L", measuring, job.limit, method)
    _row(report, f"{what}: published, time / L", published, job.limit, method)
    report.note(f"{what}: peak memory of publishing in MB", peak / 1e6)


def _asking(report: Report, method: Method, length: float) -> None:
    """Random ranges over 4,096 values, each with its interval: as boxes, and as texts in an Arrow table."""
    import pyarrow as pa

    many = QUESTIONS // QUICK if report.quick else QUESTIONS
    data = _grid((4096,), 10**5)
    release = data.publish(_task(data, method), "0.1")
    ends = np.sort(np.random.default_rng(2).integers(0, 4096, (many, 2)), axis=1)
    questions = Questions(ends[:, :1], ends[:, 1:], many, np.arange(many))
    release.summary.answer(questions, 0.95)
    taken = seconds(lambda: release.summary.answer(questions, 0.95), 2) / length
    what = f"{many:,} ranges of 4,096 values, with intervals, {method.said}"
    _row(report, f"{what}: time / L", taken, ASKED_LIMIT, method)
    frame = pa.table({"x0": [f"{low}..{high}" for low, high in ends.tolist()]})
    taken = seconds(lambda: release.ask(frame), 2) / length
    _row(report, f"{what}, from a table of texts: time / L", taken, ASKED_LIMIT, method)


def _row(report: Report, what: str, value: float, limit: float, method: Method) -> None:
    if method.name == OURS:
        report.at_most(what, value, limit)
    else:
        report.note(what, value)
