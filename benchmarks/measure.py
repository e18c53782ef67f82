"""Times, peaks and the table they are shown in. Times are the best of a few runs: the machine only ever adds."""

from __future__ import annotations

import os
import resource
import sys
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

YARDSTICK = 10_000_000
_listeners: list[Callable[[str], None]] = []


def seconds(work: Callable[[], Any], runs: int = 5, clock: Callable[[], float] = time.perf_counter) -> float:
    """The best of several runs."""
    best = float("inf")
    for _ in range(runs):
        start = clock()
        work()
        best = min(best, clock() - start)
    return best


def yardstick(runs: int = 5, clock: Callable[[], float] = time.perf_counter) -> float:
    """L: numpy's Generator.laplace for 10**7 values (not private, merely fast)."""
    generator = np.random.default_rng()
    return seconds(lambda: generator.laplace(size=YARDSTICK), runs, clock)


def growth(sizes: Sequence[float], taken: Sequence[float]) -> float:
    """The exponent of time over size: the slope of log over log, by least squares."""
    return float(np.polyfit(np.log(sizes), np.log(taken), 1)[0])


def peak_bytes(work: Callable[[], Any]) -> int:
    """How much the resident memory rises at its highest while the work is done, in a process of its own."""
    reading, writing = os.pipe()
    child = os.fork()
    if child == 0:
        unit = 1 if sys.platform == "darwin" else 1024
        before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
        work()
        rise = (resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before) * unit
        os.write(writing, str(rise).encode())
        os._exit(0)
    os.close(writing)
    rise = int(os.read(reading, 64))
    os.close(reading)
    os.waitpid(child, 0)
    return rise


def listen(listener: Callable[[str], None] | None) -> None:
    """Tell `listener` of every row as soon as it is measured; nobody else, and with None nobody at all."""
    _listeners[:] = [] if listener is None else [listener]


@dataclass(frozen=True)
class Row:
    """What was measured, or why it was not, and the most (or least) it may be."""

    what: str
    measured: float | str
    limit: float | None = None
    held: bool | None = None

    def cells(self) -> tuple[str, str, str, str]:
        """As shown: what, measured, limit, verdict."""
        measured = self.measured if isinstance(self.measured, str) else f"{self.measured:,.4g}"
        if self.limit is None:
            return self.what, measured, "", ""
        return self.what, measured, f"{self.limit:,.4g}", "held" if self.held else "MISSED"


@dataclass
class Report:
    """The rows of a benchmark. A limit is stated for the full size, so that with `quick` it is no more than a note."""

    title: str
    quick: bool = False
    rows: list[Row] = field(default_factory=list)

    @property
    def missed(self) -> int:
        return sum(row.held is False for row in self.rows)

    def at_most(self, what: str, value: float, limit: float, *, any_size: bool = False) -> None:
        self._limited(what, value, limit, value <= limit, any_size)

    def at_least(self, what: str, value: float, limit: float, *, any_size: bool = False) -> None:
        self._limited(what, value, limit, value >= limit, any_size)

    def note(self, what: str, value: float | str) -> None:
        self._add(Row(what, value if isinstance(value, str) else float(value)))

    def _limited(self, what: str, value: float, limit: float, held: bool, any_size: bool) -> None:
        if self.quick and not any_size:
            self.note(what, value)
        else:
            self._add(Row(what, float(value), float(limit), bool(held)))

    def _add(self, row: Row) -> None:
        self.rows.append(row)
        for listener in _listeners:
            listener(row.what)

    def markdown(self) -> str:
        lines = [f"## {self.title}", "", "| what | measured | limit | |", "|---|---:|---:|---|"]
        lines += ["| " + " | ".join(cell.replace("|", "\\|") for cell in row.cells()) + " |" for row in self.rows]
        return "\n".join(lines) + "\n"
