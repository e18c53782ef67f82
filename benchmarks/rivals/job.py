"""What the rivals' scripts share: sizes that grow while time allows, and one line of JSON. Needs no other package."""

from __future__ import annotations

import contextlib
import json
import os
import resource
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

#: the first step teaches what is fixed cost and what grows, so it may be taken when this many times as long would fit
_FIRST = 4


class Cannot(Exception):
    """The rival has no public way to do this job."""


@dataclass(frozen=True)
class Order:
    job: str
    #: records, cells or draws
    full: int
    #: seconds for all sizes together
    budget: float
    epsilon: float = 1.0
    folder: str = "."
    tried: list[int] = field(default_factory=list)

    def file(self, name: str) -> str:
        return str(Path(self.folder) / name)

    def grown(
        self, work: Callable[[int], Any], start: int | None = None, clock: Callable[[], float] = time.perf_counter
    ) -> tuple[int, float]:
        """Tries larger sizes, from a thousandth up, while the budget allows: the best per unit, and its seconds.

        The largest has the least of fixed costs; a small one may have had a busy machine for itself. Work of one thread
        can be timed by the clock of its process, which does not run while others have the processor.
        """
        size, begun = max(1, start or self.full // 1000), clock()
        found: list[tuple[int, float]] = []
        while True:
            self.tried.append(size)
            before = clock()
            work(size)
            after = clock()
            taken = after - before
            ahead = taken + 12 * max(taken - found[-1][1], 0.0) if found else _FIRST * taken
            found.append((size, taken))
            if size >= self.full or after - begun + ahead > self.budget:
                return min(found, key=lambda one: one[1] / one[0])
            size = min(10 * size, self.full)


Job = Callable[[Order], tuple[int, float, str]]


def answer(jobs: dict[str, Job], version: str) -> None:
    """Do the job of the command line; print what came of it: size, seconds, peak memory, and what was done."""
    order = Order(**json.loads(sys.argv[1]))
    found: dict[str, Any] = {"version": version}
    _forget_peak()
    before = _peak("self")
    try:
        if order.job not in jobs:
            raise Cannot("not compared")
        size, seconds, did = jobs[order.job](order)
        peak = _peak("self") - before + _children_peak()
        found |= {"size": size, "seconds": seconds, "did": did, "peak_bytes": peak, "largest": max(order.tried)}
    except Cannot as reason:
        found["cannot"] = str(reason)
    except Exception as error:
        found["failed"] = f"{type(error).__name__}: {' '.join(str(error).split())}"
    print(json.dumps(found))


def _forget_peak() -> None:
    """Start the peak anew from what is resident now: imports may have had a higher one."""
    with contextlib.suppress(OSError):
        Path("/proc/self/clear_refs").write_text("5", encoding="ascii")


def _peak(process: str) -> int:
    """By the system's status of it. Its own account of itself begins with the peak of whoever started it."""
    try:
        return _bytes(_status(process))
    except OSError:
        return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * (1 if sys.platform == "darwin" else 1024)


def _children_peak() -> int:
    """Of processes still running below this one, such as a Java machine; where the system shows them."""
    peak, parents = 0, {str(os.getpid())}
    for process in sorted(Path("/proc").glob("[0-9]*"), key=lambda path: int(path.name)):
        try:
            status = _status(process.name)
        except OSError:
            continue
        if status.get("PPid", "") in parents:
            parents.add(process.name)
            peak += _bytes(status)
    return peak


def _status(process: str) -> dict[str, str]:
    lines = (Path("/proc") / process / "status").read_text(encoding="utf-8").splitlines()
    return {key: value.strip() for key, _, value in (line.partition(":") for line in lines)}


def _bytes(status: dict[str, str]) -> int:
    return 1024 * int(status.get("VmHWM", "0 kB").split()[0])
