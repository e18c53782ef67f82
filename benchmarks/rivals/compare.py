"""Three jobs for discreet and for each rival: noise on a vector, a sparse table, users with many records.

Everyone starts from the same file and ends with noisy counts in memory. A rival that would not finish in its time does
as much as it can, and is compared per draw, cell or record. What a rival cannot do, or needs to do it, is in its row.
"""

from __future__ import annotations

import tempfile
from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks import items
from benchmarks.measure import Report, peak_bytes, seconds
from benchmarks.rivals.environments import Absent, Environments, Rival
from discreet.mechanisms import Request, registry
from discreet.noise import Noise
from discreet.privacy import Unit
from discreet.private.engines.counting_query import count
from discreet.schema import Ordinal, Schema

RIVALS = (
    Rival("OpenDP", ("opendp[polars]>=0.12",), "benchmarks.rivals.opendp_jobs"),
    # its forests import a name that later versions of scikit-learn no longer have
    Rival("diffprivlib", ("diffprivlib>=0.6.4", "scikit-learn<1.7"), "benchmarks.rivals.diffprivlib_jobs"),
    Rival("PipelineDP", ("pipeline-dp>=0.2",), "benchmarks.rivals.pipelinedp_jobs"),
    Rival("SmartNoise", ("smartnoise-sql>=1.0.10",), "benchmarks.rivals.smartnoise_jobs"),
    Rival("Tumult", ("tmlt.analytics>=0.20",), "benchmarks.rivals.tumult_jobs"),
)
DRAWS = 10**6
CELLS, OCCUPIED, MEAN = 10**7, 10**5, 10
USERS = 48_000
#: the noise of OpenDP is exact as well, so how much faster ours is has a limit
OPENDP_LIMIT = 300
#: seconds after which a rival is ended, not counting its start, and those it plans to use
LIMITS = {False: (300.0, 200.0), True: (60.0, 8.0)}
START_SECONDS = 30.0


@dataclass(frozen=True)
class Job:
    name: str
    title: str
    full: int
    #: what the size counts
    unit: str
    ours: Callable[[], Any]
    epsilon: str = "1"
    folder: str = "."
    least: dict[str, float] | None = None


def compare(quick: bool) -> Report:
    report = Report("rivals: from the same file to noisy counts in memory, two cores", quick)
    environments = Environments()
    for epsilon in ("1",) if quick else ("1", "0.1", "0.01"):
        scale = 1 / Fraction(epsilon)
        title = f"noise, {DRAWS:,} draws, epsilon {epsilon}"
        ours = partial(Noise().laplace, scale, DRAWS)
        _job(report, environments, Job("noise", title, DRAWS, "draw", ours, epsilon, least={"OpenDP": OPENDP_LIMIT}))
    with tempfile.TemporaryDirectory() as folder:
        _tables(report, environments, Path(folder))
    with tempfile.TemporaryDirectory() as folder:
        _users(report, environments, Path(folder))
    return report


def _job(report: Report, environments: Environments, job: Job) -> None:
    job.ours()
    ours = seconds(job.ours, 3)
    report.note(f"{job.title}, discreet: seconds", ours)
    report.note(f"{job.title}, discreet: peak memory in MB", peak_bytes(job.ours) / 1e6)
    limit, budget = LIMITS[report.quick]
    order = {"job": job.name, "full": job.full, "budget": budget, "epsilon": float(job.epsilon), "folder": job.folder}
    for rival in RIVALS:
        found = environments.ask(rival, order, limit + START_SECONDS)
        if isinstance(found, Absent):
            report.note(f"{job.title}, {rival.name}", str(found))
            continue
        size = found["size"]
        per = "" if size >= job.full else f", per {job.unit} at {size:,}"
        ratio = found["seconds"] / size / (ours / job.full)
        what = f"{job.title}, {rival.name} {found['version']} ({found['did']}): times slower than discreet{per}"
        if job.least and rival.name in job.least:
            report.at_least(what, ratio, job.least[rival.name])
        else:
            report.note(what, ratio)
        part = "" if found["largest"] >= job.full else f", at {found['largest']:,}"
        report.note(f"{job.title}, {rival.name}: peak memory in MB{part}", found["peak_bytes"] / 1e6)


def _tables(report: Report, environments: Environments, folder: Path) -> None:
    """All cells against `geometric`; those that a rival finds worth keeping against `filter`."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    dice = np.random.default_rng(1)
    places = dice.choice(CELLS, OCCUPIED, replace=False)
    cells = dice.permutation(np.repeat(places, 1 + dice.poisson(MEAN - 1, OCCUPIED)))
    np.save(folder / "cells.npy", cells)
    pq.write_table(pa.table({"cell": cells}), folder / "cells.parquet")
    schema = Schema(cell=Ordinal(0, CELLS - 1))

    def measure(method: str, parameters: dict[str, Any]) -> None:
        unit, noise = Unit(), Noise()
        counts = count(str(folder / "cells.parquet"), schema, unit, salt=noise.salt())
        registry()["table", method](Request(schema, unit, Fraction(1), parameters)).measure(counts, noise)

    title = f"{OCCUPIED:,} of {CELLS:,} cells"
    for name, against, method, parameters in (
        ("table", "all, against geometric", "geometric", {}),
        ("occupied", "those worth keeping, against filter", "filter", {"size": OCCUPIED}),
    ):
        ours = partial(measure, method, parameters)
        _job(report, environments, Job(name, f"{title}, {against}", CELLS, "cell", ours, folder=str(folder)))


def _users(report: Report, environments: Environments, folder: Path) -> None:
    import pyarrow.parquet as pq

    records = 10**6 if report.quick else 10**7
    file = folder / "ratings.parquet"
    items.write_ratings(file, records, USERS)
    for name in ("user", "film"):
        np.save(folder / f"{name}.npy", pq.read_table(file, columns=[name])[name].to_numpy())
    title = f"{records:,} records of {USERS:,} users, 10 of each, counts of {items.FILMS:,} items, against sra"
    ours = partial(items.publish, file, "sra")
    _job(report, environments, Job("items", title, records, "record", ours, folder=str(folder)))
