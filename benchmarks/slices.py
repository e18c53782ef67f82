"""A dense table in 16 slices by executors of Spark, on two threads, against one process that draws it as a whole.

Both publish the same rows of the same Spark. CPU seconds are those of this process, of Spark and of its Python workers.
"""

from __future__ import annotations

import os
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any
from unittest.mock import patch

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

import discreet
from benchmarks.measure import Report
from discreet.private import slices
from discreet.private.slice_files import SliceWriter
from tests import spark_session

CELLS, ROWS, SLICES = 10**8, 10**6, 16
_TICK = float(os.sysconf("SC_CLK_TCK"))
_MB = 1 << 20


def run(quick: bool) -> Report:
    cells = CELLS // 10 if quick else CELLS
    report = Report(f"slices: {cells:,} cells, {SLICES} slices on Spark local[2], CPU seconds", quick)
    with tempfile.TemporaryDirectory() as temporary:
        folder = Path(temporary) / "spark"
        folder.mkdir()
        try:
            with spark_session.running(folder, compiled=True) as spark:
                told = Path(temporary) / "told"
                told.mkdir()
                with patch.object(slices, "SliceWriter", _telling(told)):
                    _sliced(report, cells, spark, Path(temporary), told)
        except spark_session.NoSpark as absent:
            report.note("Spark", f"absent: {absent}")
    return report


def _sliced(report: Report, cells: int, spark: spark_session.Spark, folder: Path, told: Path) -> None:
    dice, side = np.random.default_rng(), cells // 10**4
    pq.write_table(pa.table({"a": dice.integers(0, side, ROWS), "b": dice.integers(0, 10**4, ROWS)}), folder / "rows")
    schema = discreet.Schema(a=discreet.Ordinal(0, side - 1), b=discreet.Ordinal(0, 10**4 - 1))
    data = discreet.open(spark.classic.read.parquet(str(folder / "rows")), schema)
    runs: list[Path] = []

    def published(**asked: int) -> None:
        runs.append(folder / f"release-{len(runs)}")
        data.publish(discreet.Table(["a", "b"], method="geometric", **asked), 1, to=runs[-1])

    def whole() -> None:
        published()

    def sliced() -> None:
        published(slices=SLICES)

    # slices first: memory that this process once had for the whole table would not be given back
    for work in (sliced, whole):
        published(**({"slices": 2} if work is sliced else {}))  # until kernels are there and workers have started
    in_slices, peak = _least(sliced, spark, told)
    worker = max(peak for _, peak in _workers(told))
    as_a_whole, whole_peak = _least(whole, spark, told)
    report.note("one process: CPU seconds", as_a_whole)
    report.at_most(f"{SLICES} slices: CPU seconds / one process", in_slices / as_a_whole, 2)
    report.note("one process: peak of the process that publishes, MB", whole_peak)
    report.note(f"{SLICES} slices: peak of the process that publishes, MB", peak)
    report.note(f"{SLICES} slices: peak of a worker, MB", worker)
    release = discreet.load(runs[2])
    report.note("one count over the files, CPU seconds", _least(lambda: release.count({"b": (5, 700)}), spark, told)[0])


def _least(work: Callable[[], Any], spark: spark_session.Spark, told: Path, runs: int = 2) -> tuple[float, float]:
    """The least CPU seconds of some runs, and how far the memory of this process rises, in MB."""
    taken, risen = [], []
    for _ in range(runs):
        Path("/proc/self/clear_refs").write_text("5")  # the peak is that from now on
        before, held = _cpu(spark, told), _peak(os.getpid())
        work()
        taken.append(_cpu(spark, told) - before)
        risen.append(_peak(os.getpid()) - held)
    return min(taken), max(risen)


def _cpu(spark: spark_session.Spark, told: Path) -> float:
    """Of this process, of Spark, and of all workers as far as these have told."""
    return sum(map(_seconds, (os.getpid(), spark.process))) + sum(seconds for seconds, _ in _workers(told))


def _seconds(process: int) -> float:
    numbers = Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()
    return sum(map(int, numbers[11:13])) / _TICK


def _workers(told: Path) -> list[tuple[float, float]]:
    """Of each worker, whether it still lives or not: CPU seconds since it started, and its peak in MB."""
    return [(float(one), float(other)) for one, other in (file.read_text().split() for file in told.iterdir())]


def _telling(told: Path) -> type[SliceWriter]:
    class Telling(SliceWriter):
        def __call__(self, place: int, counts: Any) -> dict[str, Any]:
            import resource
            import time

            done = SliceWriter.__call__(self, place, counts)
            peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
            (told / str(os.getpid())).write_text(f"{time.process_time()} {peak}")
            return done

    return Telling


def _peak(process: int) -> float:
    lines = Path(f"/proc/{process}/status").read_text().splitlines()
    return next(float(line.split()[1]) * 1024 / _MB for line in lines if line.startswith("VmHWM"))
