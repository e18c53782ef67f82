"""`python -m tests.coverage`: how often intervals hold the true count, and how wide they are, for every method.

Longer runs than those of `tests/conformance/test_coverage.py`, on the same data and questions, as a table for people;
with --write, docs/coverage.md.
"""

from __future__ import annotations

import argparse
import sys
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np

from discreet.mechanisms import Request, mechanism_for
from discreet.tasks import Task
from tests.conformance.examples import CASES, SCHEMA
from tests.conformance.kinds_of_data import LEVELS, Sample, questions, redrawn
from tests.conformance.test_coverage import DEFAULTS, EPSILONS, samples, truth_of

PAGE = Path(__file__).parents[1] / "docs" / "coverage.md"
INTRODUCTION = """# How often intervals hold the truth

Made by `python -m tests.coverage --write`: the examples of all cards and what `auto` chooses, on {kinds} kinds of data
(for items also rows of users with few and many records), at epsilon 0.1 and 1, {trials} releases of each. Questions: a
cell, the heaviest, an emptiest one, a roll-up, a range, a third of all cells, and everything.

The first three columns are shares of all answers whose interval of 80, 95 and 99 % held the true count. The fourth is
the class of questions that fared worst at 95 %, over all data. `width` is that of the 95 % interval over the narrowest
one around the same number that would have held the truth as often, had anyone known the errors: the median over data
and questions. Intervals that begin at zero cover more than they say where counts are small. `open` is the share of
answers without an upper end.

| method | example | 80 % | 95 % | 99 % | worst class at 95 % | width | open |
|---|---|---|---|---|---|---|---|
"""


@dataclass
class Tally:
    """What was seen of one task."""

    hits: dict[str, list[np.ndarray]] = field(default_factory=dict)
    widths: list[float] = field(default_factory=list)
    open_ended: list[float] = field(default_factory=list)

    def add(self, task: Task, sample: Sample, epsilon: str, trials: int) -> None:
        mechanism = mechanism_for(task, Request.of(task, SCHEMA, sample.unit, epsilon))
        if (truth := truth_of(mechanism, sample, SCHEMA)) is None:
            return
        asked = None
        off, wide = [], []
        for summary in redrawn(task, SCHEMA, sample, epsilon, trials):
            asked = asked or questions(mechanism.release_schema, truth, summary)
            names, together, true = asked
            found = [summary.answer(together, level).of_counts() for level in LEVELS]
            held = np.stack([(one.low <= true + 1e-6) & (true <= one.high + 1e-6) for one in found])
            for place, name in enumerate(names):
                self.hits.setdefault(name, []).append(held[:, place])
            off.append(np.abs(found[1].value - true))
            wide.append(np.asarray(found[1].high - found[1].low, np.float64))
        needed = 2 * np.quantile(np.array(off), 0.95, axis=0)
        widths = np.median(np.array(wide), axis=0)
        self.open_ended += np.isinf(widths).tolist()
        usable = np.isfinite(widths) & (needed > 0)
        self.widths += (widths[usable] / needed[usable]).tolist()

    def line(self, task: Task) -> str:
        by_class = {name: np.mean(some, axis=0) for name, some in self.hits.items()}
        every = np.mean([hit for some in self.hits.values() for hit in some], axis=0)
        worst = min(by_class, key=lambda name: by_class[name][1])
        shares = " | ".join(f"{share:.1%}" for share in every)
        width = f"{np.median(self.widths):.2f}" if self.widths else "-"
        said = f"{worst}, {by_class[worst][1]:.1%}"
        return f"| {task.method} | `{task}` | {shares} | {said} | {width} | {np.mean(self.open_ended):.0%} |"


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.coverage", description=__doc__)
    parser.add_argument("methods", nargs="*", help="all if none is named")
    parser.add_argument("--trials", type=int, default=100, help="releases of each task, kind of data and epsilon")
    parser.add_argument("--write", action="store_true", help="write docs/coverage.md")
    given = parser.parse_args()
    lines = []
    for task in [*DEFAULTS, *CASES]:
        if given.methods and task.method not in given.methods:
            continue
        tally = Tally()
        for _, sample in samples(task):
            for epsilon in EPSILONS:
                tally.add(task, sample, epsilon, given.trials)
        lines.append(tally.line(task))
        print(lines[-1], flush=True)
    if given.write:
        kinds = len(samples(DEFAULTS[0]))
        PAGE.write_text(
            INTRODUCTION.format(kinds=kinds, trials=given.trials) + "\n".join(lines) + "\n", encoding="utf-8"
        )
    return 0


if __name__ == "__main__":
    sys.exit(main())
