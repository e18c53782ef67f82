"""How long commands take from nothing: each in a new process, with warm disks, over what importing Arrow alone takes.

P is `python -c "import numpy, pyarrow.parquet"`. Medians of several runs, in seconds of processors and on the clock.
"First" is a machine on which nothing was compiled yet: numba's cache is empty. Bytecode is there, as after an install.
Libraries that the default install does not bring, but that others load where they are there, are hidden.
"""

from __future__ import annotations

import os
import resource
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from itertools import count
from pathlib import Path

from benchmarks.measure import Report
from discreet.cli.demo import RELEASE, SPEC

BARE = ["-c", "import numpy, pyarrow.parquet"]
MORE = """
[releases.ages]
task = "ranges"
by = "age"
epsilon = 0.1

[releases.pairs]
task = "marginals"
ways = 2
epsilon = 0.1

[releases.districts]
task = "items"
by = "district"
epsilon = 0.1
"""
#: Arrow loads the one, numba the other
NOT_INSTALLED = ("pandas", "scipy")
QUICK = 1.5
ASKED = 2.0
PUBLISHED = 5.0
FIRST = 15.0
DEMO_SECONDS = 5.0
#: seconds of processors, seconds on the clock
Taken = tuple[float, float]


def run(quick: bool) -> Report:
    report = Report("start: new processes, over P", quick)
    runs = 3 if quick else 5
    with tempfile.TemporaryDirectory() as folder:
        place = Place(Path(folder))
        place.prepare()
        asked = {
            f"ledger {place.demo}/town.ledger": QUICK,
            f"check {place.demo}/town.toml": QUICK,
            f"query {place.demo}/{RELEASE} age<18": ASKED,
            f"query {place.demo}/{RELEASE} --by district": ASKED,
            f"quantile {place.demo}/ages age": ASKED,
            f"top {place.demo}/districts": ASKED,
        }
        for command, limit in asked.items():
            what = command.replace(f"{place.demo}/", "")
            _row(report, what, place, lambda command=command: place.discreet(command), runs, limit)  # type: ignore[misc]
        for suffix in ("csv", "parquet"):
            for name in (RELEASE, "ages", "pairs"):
                warm = lambda name=name, suffix=suffix: place.publish(name, suffix)  # noqa: E731
                _row(report, f"publish {name} from .{suffix}", place, warm, runs, PUBLISHED)
        for name in (RELEASE, "ages", "pairs"):
            first = lambda name=name: place.publish(name, "csv", fresh=True)  # noqa: E731
            _row(report, f"publish {name}, the first time on a machine", place, first, min(runs, 3), FIRST)
        whole = place.discreet(f"demo -f {place.folder}/another", fresh=True)
        report.at_most("demo, the first time on a machine: seconds on the clock", whole[1], DEMO_SECONDS, any_size=True)
    return report


class Place:
    """A folder with the demo's rows and releases, and a Python that keeps its bytecode and kernels there."""

    def __init__(self, folder: Path) -> None:
        self.folder, self.demo = folder, folder / "demo"
        self._turns = count()
        (folder / "hidden").mkdir()
        for library in NOT_INSTALLED:
            (folder / "hidden" / f"{library}.py").write_text("raise ImportError", encoding="utf-8")

    def prepare(self) -> None:
        self.discreet(f"demo -f {self.demo}")
        import pyarrow.csv
        import pyarrow.parquet as pq

        pq.write_table(pyarrow.csv.read_csv(self.demo / "people.csv"), self.demo / "people.parquet")
        (self.demo / "town.toml").write_text(SPEC + MORE, encoding="utf-8")
        for name in ("ages", "pairs", "districts"):
            self.discreet(f"publish {self.demo}/town.toml {name} -o {self.demo}/{name}")

    def publish(self, name: str, suffix: str, *, fresh: bool = False) -> Taken:
        """Each time from an account of its own, for a release is published once."""
        turn = f"{name}-{suffix}-{next(self._turns)}"
        text = (SPEC + MORE).replace("people.csv", f"people.{suffix}").replace("town.ledger", f"{turn}.ledger")
        spec = self.demo / f"{turn}.toml"
        spec.write_text(text, encoding="utf-8")
        return self.discreet(f"publish {spec} {name} -o {self.demo}/{turn}", fresh=fresh)

    def discreet(self, command: str, *, fresh: bool = False) -> Taken:
        return self.python(["-m", "discreet", *command.split()], fresh=fresh)

    def python(self, arguments: list[str], *, fresh: bool = False) -> Taken:
        compiled = self.folder / (f"numba-{next(self._turns)}" if fresh else "numba")
        settings = {
            "PYTHONPYCACHEPREFIX": str(self.folder / "bytecode"),
            "NUMBA_CACHE_DIR": str(compiled),
            "PYTHONPATH": os.pathsep.join(filter(None, [str(self.folder / "hidden"), os.environ.get("PYTHONPATH")])),
        }
        kept = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
        before, begun = resource.getrusage(resource.RUSAGE_CHILDREN), time.perf_counter()
        subprocess.run([sys.executable, *arguments], env=kept | settings, capture_output=True, check=True)
        taken, after = time.perf_counter() - begun, resource.getrusage(resource.RUSAGE_CHILDREN)
        return after.ru_utime - before.ru_utime + after.ru_stime - before.ru_stime, taken


def _row(report: Report, what: str, place: Place, work: Callable[[], Taken], runs: int, limit: float) -> None:
    """Of several runs, each beside one of P, for other work slows both; one before them finds nothing warm."""
    pairs = [(work(), place.python(BARE)) for _ in range(runs + 1)][1:]
    taken, bare = (_median([pair[which] for pair in pairs]) for which in (0, 1))
    report.at_most(f"{what}: / P, processors", taken[0] / bare[0], limit, any_size=True)
    report.at_most(f"{what}: / P, clock", taken[1] / bare[1], limit, any_size=True)
    report.note(f"{what}: seconds of processors", taken[0])
    report.note(f"{what}: seconds of processors of P", bare[0])


def _median(taken: list[Taken]) -> Taken:
    return statistics.median(cpu for cpu, _ in taken), statistics.median(wall for _, wall in taken)
