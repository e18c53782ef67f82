"""One method on one table: its answers to many questions about ranges, and how far they are off."""

from __future__ import annotations

import time
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from discreet.mechanisms import Mechanism
from discreet.noise import Noise
from discreet.queries import Questions
from discreet.summaries import Summary
from experiments.shared.tables import Truth

LEVEL = 0.95
Floats = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Missed:
    """Per question the error with its sign, the stated standard error, and half the width of the interval."""

    off: Floats
    stderr: Floats
    half: Floats
    inside: NDArray[np.bool_]

    @property
    def covered(self) -> float:
        return float(self.inside.mean())

    @property
    def width(self) -> float:
        """Half the width of an interval over the error, both averaged; about 2.5 for normal noise that is known."""
        return float(self.half.mean() / np.abs(self.off).mean())

    @property
    def root_mean_square(self) -> float:
        return float(np.sqrt(np.mean(self.off**2)))


def measured(truth: Truth, made: Mechanism) -> tuple[Summary, float]:
    """A summary and the seconds that it took."""
    start = time.perf_counter()
    summary = made.measure(truth.counts, Noise())
    return summary, time.perf_counter() - start


def missed(summary: Summary, questions: Questions, true: NDArray[Any]) -> Missed:
    answers = summary.answer(questions, LEVEL)
    slack = 1e-6  # for sums of floats
    low, high = answers.low - slack, answers.high + slack
    off = np.asarray(answers.measured - true, np.float64)
    return Missed(off, answers.stderr, np.asarray((high - low) / 2, np.float64), (low <= true) & (true <= high))
