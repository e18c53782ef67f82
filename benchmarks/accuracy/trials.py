"""Trials: publish with fresh noise, ask, and see how far off the answers are."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from benchmarks.accuracy.asking import Asked
from benchmarks.accuracy.shapes import Floats
from benchmarks.measure import Report
from discreet.mechanisms import registry
from discreet.private.publish import Data
from discreet.tasks import TASKS

TRIALS = 20
QUICK_TRIALS = 3
QUESTIONS = 1000
QUICK_QUESTIONS = 200
LEVEL = 0.95
#: for sums of floats
SLACK = 1e-6


@dataclass(frozen=True)
class Method:
    """A method of a task; `said` is how it is called in rows."""

    task: str
    name: str
    parameters: dict[str, Any] = field(default_factory=dict, hash=False)
    #: its plain measurements in place of the best estimates, which are not below zero
    measured: bool = False

    @property
    def said(self) -> str:
        plain = ["as measured"] if self.measured else []
        return ", ".join([self.name, *(f"{key} {value}" for key, value in self.parameters.items()), *plain])

    @property
    def known(self) -> bool:
        return (self.task, self.name) in registry()


@dataclass(frozen=True, eq=False)
class Found:
    """Of one class of questions: the mean absolute error of each trial, and what intervals do."""

    errors: Floats
    held: float
    #: mean width of intervals that have an upper end
    width: float
    #: the share of intervals without one
    endless: float

    @property
    def error(self) -> float:
        return float(self.errors.mean())

    @property
    def chance(self) -> float:
        """The standard error of `error`, relative to it."""
        if self.errors.size < 2 or not self.error:
            return 0.0
        return float(self.errors.std(ddof=1) / np.sqrt(self.errors.size) / self.error)


def known(report: Report, case: str, methods: Sequence[Method]) -> list[Method]:
    """The methods that there are; of others it is said that they are not there."""
    for method in methods:
        if not method.known:
            report.note(f"{case}, {method.said}", f"skipped: task {method.task} has no such method in this version")
    return [method for method in methods if method.known]


def trials(quick: bool) -> int:
    return QUICK_TRIALS if quick else TRIALS


def questions(quick: bool) -> int:
    return QUICK_QUESTIONS if quick else QUESTIONS


def tried(data: Data, method: Method, epsilon: str, asked: Asked, count: int) -> dict[str, Found]:
    """What users are told, by class of questions, in so many releases."""
    task = TASKS[method.task](list(data.schema), method=method.name, **method.parameters)
    errors, held, widths = (np.empty((count, len(asked.true))) for _ in range(3))
    for trial in range(count):
        answers = data.publish(task, epsilon).ask(asked.frame, level=LEVEL, measured=method.measured)
        low, high = (np.asarray(answers[end], np.float64) for end in ("low", "high"))
        errors[trial] = np.abs(answers["count"] - asked.true)
        held[trial] = (low - SLACK <= asked.true) & (asked.true <= high + SLACK)
        widths[trial] = high - low
    return {name: _found(errors[:, rows], held[:, rows], widths[:, rows]) for name, rows in asked.classes.items()}


def _found(errors: Floats, held: Floats, widths: Floats) -> Found:
    finite = np.isfinite(widths)
    width = float(widths[finite].mean()) if finite.any() else float("inf")
    return Found(errors.mean(axis=1), float(held.mean()), width, float(1 - finite.mean()))
