"""Published claims as checks that can fail: what a claim is, and the rule by which trials decide on it.

A claim names a number that one trial gives, and the side of a bound on which that number lies if the paper is right.
Trials are independent of each other. Within a trial the methods see the same data and the same questions.

The rule is the sign test, turned into an interval: the median lies below the k-th smallest of n numbers with a chance
of at most that of fewer than k heads in n throws of a coin. This is exact for every law of the numbers, and it is the
same for a ratio and for its logarithm.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from functools import lru_cache
from statistics import median

from discreet.noise import Noise, SeededSource
from experiments.shared.chance import seed_of
from experiments.shared.records import Json, short

HOLDS, FAILS, OPEN = "holds", "does not hold", "undecided"
CONFIDENCE = 0.99
#: not the one that was tried while settings and numbers of trials were chosen
SEED = 20_262

Trial = Mapping[str, float]


def derived(seed: int, *words: object) -> int:
    """A seed for one purpose, the same on every machine."""
    return seed_of("|".join(str(word) for word in (seed, *words)))


def noise_of(seed: int, *words: object) -> Noise:
    return Noise(SeededSource(derived(seed, *words)))


@dataclass(frozen=True, eq=False)
class Setting:
    """An experiment at a reduced size. From a seed it gives all numbers of one trial, by name.

    Claims on the same setting share its trials. All numbers but seconds repeat.
    """

    key: str
    words: str
    measure: Callable[[int], Trial]
    trials: int
    run: Callable[[int], Trial] = field(init=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "run", lru_cache(maxsize=1)(self.measure))

    def seeds(self, seed: int, count: int) -> list[int]:
        return [derived(seed, self.key, number) for number in range(count)]


@dataclass(frozen=True, eq=False)
class Claim:
    """`figure` is computed from a trial; the claim is that it lies above and below these bounds.

    `shows` says what the figure is; `reason` why the claim fails, shown only if it does.
    """

    key: str
    paper: str
    place: str
    says: str
    setting: Setting
    shows: str
    figure: Callable[[Trial], float]
    above: float = -math.inf
    below: float = math.inf
    reason: str = ""

    def measure(self, seed: int) -> float:
        """The figure of the trial that has this seed."""
        return self.figure(self.setting.run(seed))


@dataclass(frozen=True)
class Decision:
    verdict: str
    estimate: float
    low: float
    high: float


def rank(count: int, confidence: float) -> int:
    """The largest k such that the k-th smallest of so many numbers is below the median, save by a chance of 1 - c.

    0 if there is none: the numbers are too few.
    """
    allowed, tail, k = Fraction(1 - confidence) * 2**count, 0, 0
    while k < count and tail + math.comb(count, k) <= allowed:
        tail += math.comb(count, k)
        k += 1
    return min(k, (count + 1) // 2)


def interval(values: Sequence[float], confidence: float) -> tuple[float, float]:
    """Bounds on the median, each of which is wrong with a chance of at most 1 - confidence."""
    ordered, k = sorted(values), rank(len(values), confidence)
    return (ordered[k - 1], ordered[-k]) if k else (-math.inf, math.inf)


def decide(values: Sequence[float], above: float, below: float, confidence: float = CONFIDENCE) -> Decision:
    """Holds if the whole interval lies between the bounds, does not hold if none of it does, else undecided."""
    low, high = interval(values, confidence)
    verdict = OPEN
    if above < low and high < below:
        verdict = HOLDS
    elif high <= above or below <= low:
        verdict = FAILS
    return Decision(verdict, float(median(values)), low, high)


def check(claim: Claim, values: Sequence[float], confidence: float) -> Json:
    """The verdict on one claim as it is recorded."""
    found = decide(values, claim.above, claim.below, confidence)
    return {
        "key": claim.key,
        "paper": claim.paper,
        "place": claim.place,
        "says": claim.says,
        "setting": claim.setting.key,
        "shows": claim.shows,
        "above": _finite(claim.above),
        "below": _finite(claim.below),
        "trials": len(values),
        "verdict": found.verdict,
        "estimate": short(found.estimate),
        "low": _finite(found.low),
        "high": _finite(found.high),
        **({"reason": claim.reason} if found.verdict == FAILS else {}),
    }


def _finite(value: float) -> float | None:
    return short(value) if math.isfinite(value) else None


def ratio(one: str, other: str) -> Callable[[Trial], float]:
    """The first number of a trial over the second."""
    return lambda trial: trial[one] / trial[other]


def largest_ratio(pairs: Sequence[tuple[str, str]]) -> Callable[[Trial], float]:
    return lambda trial: max(trial[one] / trial[other] for one, other in pairs)


def over_best(one: str, others: Sequence[str]) -> Callable[[Trial], float]:
    """One number of a trial over the least of others."""
    return lambda trial: trial[one] / min(trial[other] for other in others)


def most_over_least(names: Sequence[str]) -> Callable[[Trial], float]:
    return lambda trial: max(trial[name] for name in names) / min(trial[name] for name in names)
