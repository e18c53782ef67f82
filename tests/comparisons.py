"""`python -m tests.comparisons`: how often `compare` is right, beside how sure it says to be, over made-up populations.

Of each population counts are drawn, published and compared, so differences are those of the population, and noise that
of the method. `tests/conformance/test_comparisons.py` asks the same of fewer releases.
"""

from __future__ import annotations

import argparse
import math
import sys
from collections import defaultdict
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from discreet.mechanisms import Mechanism, Request, mechanism_for
from discreet.noise import Noise
from discreet.privacy import Unit
from discreet.private.open_data import from_counts
from discreet.schema import Nominal, Ordinal, Schema
from discreet.tasks import Marginals, Ranges, Table, Task
from tests.conformance.test_relations_coverage import released

Floats = NDArray[np.float64]
Dice = np.random.Generator
#: how sure it says to be, from each of these on
CLASSES = np.array([0.5, 0.6, 0.7, 0.8, 0.9, 0.95, 0.99])
METHODS: dict[str, Callable[[], Task]] = {
    "geometric": lambda: Table(["w", "s"], method="geometric"),
    "weighted": lambda: Ranges(["w", "s"], method="weighted"),
    "adaptive": lambda: Ranges(["w", "s"], method="adaptive"),
    "agreed": lambda: Marginals(["w", "s"], ways=2, method="agreed"),
}
EPSILONS = ("0.1", "1")
GROUPS = (2, 3, 5, 8, 50)
_ROOT = math.sqrt(2)
#: how far so many groups lie from their middle, in standard deviations of the noise of a difference
POPULATIONS: dict[str, Callable[[Dice, int], Floats]] = {
    "a tenth of the noise": lambda dice, many: dice.normal(0, 0.1 / _ROOT, many),
    "as the noise": lambda dice, many: dice.normal(0, 1 / _ROOT, many),
    "3 times the noise": lambda dice, many: dice.normal(0, 3 / _ROOT, many),
    "10 times the noise": lambda dice, many: dice.normal(0, 10 / _ROOT, many),
    "a fifth far, others alike": lambda dice, many: dice.normal(0, np.where(dice.random(many) < 0.8, 0.1, 5)),
    "one far, others alike": lambda dice, many: (
        dice.normal(0, 0.1, many) + 30 * (np.arange(many) == dice.integers(many))
    ),
    "of any size": lambda dice, many: dice.normal(0, 10 ** dice.uniform(-1, 1), many),
    "half of it, half as much": lambda dice, many: dice.choice([-0.5, 0.5], many),
    "Cauchy": lambda dice, many: np.clip(0.3 * dice.standard_cauchy(many), -60, 60),
    "powers": lambda dice, many: dice.permutation(60 / (1.0 + np.arange(many)) ** 1.5),
}


@dataclass(frozen=True)
class Setting:
    method: str
    epsilon: str
    groups: int
    ordered: bool

    @property
    def schema(self) -> Schema:
        return _schema(self.groups, self.ordered)


@lru_cache
def _schema(groups: int, ordered: bool) -> Schema:
    values = Ordinal(0, groups - 1) if ordered else Nominal([f"w{i}" for i in range(groups)])
    return Schema(w=values, s=Nominal(["f", "m"]))


@lru_cache
def _mechanism(setting: Setting) -> tuple[Mechanism, float]:
    """And how far off a difference of two of its counts is, of even counts."""
    task = METHODS[setting.method]()
    made = mechanism_for(task, Request.of(task, setting.schema, Unit(), setting.epsilon))
    even = np.full(setting.schema.sizes, 1000)
    return made, _compared(made, even, 0, 1)[2]


def _compared(made: Mechanism, counts: NDArray[np.int64], a: int, b: int) -> tuple[float, bool | None, float]:
    """How sure it is, nan if it cannot tell; whether that is right, None of a tie; and the error of the difference."""
    schema = made.request.schema
    codes = np.array(list(np.ndindex(schema.sizes)))
    bounded = from_counts(schema, codes, counts.ravel()).origin.bounded(schema, Unit(), b"")
    release = released(made.measure(bounded, Noise()), 1)
    one, two = ({"w": schema["w"].labels[code], "s": "f"} for code in (a, b))
    said, true = release.compare(one, two, level=0.8), int(counts[a, 0] - counts[b, 0])
    sure = math.nan if said.larger is None else max(said.probability, 1 - said.probability)
    return sure, None if true == 0 else (true > 0) == (said.larger == "a"), said.difference.stderr


@dataclass
class Tally:
    """By classes of how sure it was: how often it was right, the sum of what it said, and how many there are."""

    right: Floats = field(default_factory=lambda: np.zeros(len(CLASSES)))
    said: Floats = field(default_factory=lambda: np.zeros(len(CLASSES)))
    many: Floats = field(default_factory=lambda: np.zeros(len(CLASSES)))

    def add(self, sure: float, right: bool) -> None:
        place = int(np.searchsorted(CLASSES, sure, side="right")) - 1
        self.right[place] += right
        self.said[place] += sure
        self.many[place] += 1

    def __str__(self) -> str:
        cells = [
            f"{said / many:.2f}/{right / many:.2f} of {many:.0f}" if many else "-"
            for right, said, many in zip(self.right, self.said, self.many, strict=True)
        ]
        total = max(self.many.sum(), 1)
        return f"{' | '.join(cells)} | {self.said.sum() / total:.3f}/{self.right.sum() / total:.3f} of {total:.0f}"


def tried(populations: list[str], methods: list[str], each: int, dice: Dice) -> Iterator[tuple[str, Setting, Tally]]:
    """Of ties neither side is larger, so they are left out."""
    for population in populations:
        for method in methods:
            for epsilon in EPSILONS:
                for groups in GROUPS:
                    tally, setting = Tally(), Setting(method, epsilon, groups, False)
                    for number in range(each):
                        setting = Setting(method, epsilon, groups, groups > 2 and number % 3 == 2)
                        made, noise = _mechanism(setting)
                        away = noise * POPULATIONS[population](dice, groups) + dice.random(groups)
                        counts = np.full(setting.schema.sizes, 1000 if number % 2 else 3000)
                        counts[:, 0] = np.maximum(counts[:, 0] + np.floor(away).astype(np.int64), 0)
                        sure, right, _ = _compared(made, counts, *dice.choice(groups, 2, replace=False))
                        if right is not None and not math.isnan(sure):
                            tally.add(sure, right)
                    yield population, setting, tally


def summed(found: list[Tally]) -> Tally:
    return Tally(*(np.sum([getattr(one, name) for one in found], axis=0) for name in ("right", "said", "many")))


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.comparisons", description=__doc__)
    parser.add_argument("methods", nargs="*", help="all if none is named")
    parser.add_argument("--trials", type=int, default=20, help="releases of each population, method, epsilon, groups")
    given = parser.parse_args()
    by: dict[str, list[Tally]] = defaultdict(list)
    for population, setting, tally in tried(
        list(POPULATIONS), given.methods or list(METHODS), given.trials, np.random.default_rng()
    ):
        for name in (population, f"{setting.method}", f"epsilon {setting.epsilon}", f"{setting.groups} groups", "all"):
            by[name].append(tally)
    print("said / right, by classes from 0.5, 0.6, 0.7, 0.8, 0.9, 0.95, 0.99; all together")
    for name, tallies in by.items():
        print(f"{name:26} {summed(tallies)}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
