"""Times, peaks and the table they are printed in. Times are the best of a few runs: the machine only ever adds."""

from __future__ import annotations

import os
import resource
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import numpy as np

YARDSTICK = 10_000_000


def seconds(work: Callable[[], Any], runs: int = 5) -> float:
    """The best of several runs."""
    best = float("inf")
    for _ in range(runs):
        start = time.perf_counter()
        work()
        best = min(best, time.perf_counter() - start)
    return best


def yardstick() -> float:
    """L: numpy's Generator.laplace for 10**7 values (not private, merely fast)."""
    generator = np.random.default_rng()
    return seconds(lambda: generator.laplace(size=YARDSTICK))


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


@dataclass
class Report:
    """A Markdown table of what was measured, each row against the most (or least) it may be."""

    title: str
    rows: list[tuple[str, float, float | None, bool]] = field(default_factory=list)
    missed: int = 0

    def at_most(self, what: str, value: float, limit: float) -> None:
        self._add(what, value, limit, value <= limit)

    def at_least(self, what: str, value: float, limit: float) -> None:
        self._add(what, value, limit, value >= limit)

    def note(self, what: str, value: float) -> None:
        self._add(what, value, None, True)

    def _add(self, what: str, value: float, limit: float | None, held: bool) -> None:
        self.rows.append((what, value, limit, held))
        self.missed += not held

    def show(self) -> int:
        """Print the table; the number of limits that were missed."""
        print(f"\n## {self.title}\n\n| what | measured | limit | |\n|---|---:|---:|---|")
        for what, value, limit, held in self.rows:
            bound = "" if limit is None else f"{limit:,.4g}"
            print(f"| {what} | {value:,.4g} | {bound} | {'' if limit is None else 'held' if held else 'MISSED'} |")
        return self.missed
