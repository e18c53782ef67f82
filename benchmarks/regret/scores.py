"""The score of a method in one setting, and the regret of `auto`: its score over that of the best method."""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass

import numpy as np

from benchmarks.accuracy.shapes import Floats
from discreet.errors import BadParameter, CannotAnswer, CountOverflow
from discreet.mechanisms import Mechanism, Request, mechanism_for, registry
from discreet.noise import Noise
from discreet.private.bounded import Bounded
from discreet.queries import Questions
from discreet.tasks import Task

#: trials that look for the best method, and trials that then compare it with `auto`: at most so many, for at most so
#: many seconds of the processor for each method, but at least so many
SEARCH, JUDGE = (16, 0.5, 8), (120, 2.0, 8)
#: a ratio of more than this is judged again by fresh trials, which count in its place: the worst of hundreds of ratios
#: from few trials each would tell of luck
DOUBTFUL, AGAIN = 1.3, (120, 8.0, 40)
FIRST, QUICK = (2, 0.0, 2), (3, 0.0, 3)
#: a method that is worse than the best by more than this in two trials is not tried again
HOPELESS = 3.0
AUTO = "auto"


@dataclass(frozen=True, eq=False)
class Setting:
    """Data as if they were private, what is asked of them, and the error of answers in each class of questions."""

    name: str
    half: str
    task: Task
    request: Request
    data: Bounded
    asked: Questions
    #: the error in each class, of the values of all answers
    errors: Callable[[Floats], Mapping[str, float]]


@dataclass(frozen=True)
class Regret:
    """How much worse `auto` is than the best method, with the standard error of that ratio."""

    setting: str
    half: str
    picked: str
    best: str
    value: float
    chance: float
    #: the ratio to the best method in each class
    classes: Mapping[str, float]


def regret(setting: Setting, quick: bool = False) -> Regret:
    """The best is looked for in some trials; the comparison is made in others, so that luck does not choose."""
    methods = {AUTO: mechanism_for(setting.task, setting.request), **_every(setting)}
    picked = methods[AUTO].method
    alike = [name for name, one in methods.items() if _same(name, one, methods[AUTO])]
    first = {name: _trials(setting, one, FIRST) for name, one in methods.items() if name not in alike}
    least = min(map(score, first.values()))
    hopeful = [name for name, found in first.items() if score(found) <= HOPELESS * least]
    found = {name: _trials(setting, methods[name], FIRST if quick else SEARCH) for name in hopeful}
    best = min(found, key=lambda name: score(found[name]))
    if best == AUTO:
        return Regret(setting.name, setting.half, picked, picked, 1.0, 0.0, {})
    judged = _judged(setting, methods, best, picked, QUICK if quick else JUDGE)
    return _judged(setting, methods, best, picked, AGAIN) if judged.value > DOUBTFUL and not quick else judged


def _judged(
    setting: Setting, methods: Mapping[str, Mechanism], best: str, picked: str, wanted: tuple[int, float, int]
) -> Regret:
    ours, theirs = (_trials(setting, methods[name], wanted) for name in (AUTO, best))
    value, chance = score(ours) / score(theirs), math.hypot(_chance(ours), _chance(theirs))
    classes = {name: float(ours[name].mean() / theirs[name].mean()) for name in ours}
    return Regret(setting.name, setting.half, picked, best, max(1.0, value), chance, classes)


def _same(name: str, one: Mechanism, auto: Mechanism) -> bool:
    """Whether it is what `auto` does, under its own name."""
    return name != AUTO and one.method == auto.method and one.chosen == auto.chosen


def _every(setting: Setting) -> dict[str, Mechanism]:
    found = {}
    for task, method in registry():
        if task == setting.task.name:
            try:
                found[method] = mechanism_for(setting.task, setting.request, method)
            except (BadParameter, CannotAnswer, CountOverflow):
                continue
    return found


def _trials(setting: Setting, mechanism: Mechanism, wanted: tuple[int, float, int]) -> dict[str, Floats]:
    """For each class, the error of every trial."""
    rows: list[Mapping[str, float]] = []
    most, limit, least = wanted
    end = time.process_time() + limit
    while len(rows) < least or (len(rows) < most and time.process_time() < end):
        try:
            answers = mechanism.measure(setting.data, Noise()).answer(setting.asked, 0.5).of_counts()
        except (BadParameter, CannotAnswer, CountOverflow):
            return {"refused": np.array([math.inf])}
        rows.append(setting.errors(np.asarray(answers.value, np.float64)))
    return {name: np.array([row[name] for row in rows]) for name in rows[0]}


def score(found: Mapping[str, Floats]) -> float:
    """The geometric mean over families of classes of their mean errors; a family is what comes before a colon."""
    return math.exp(sum(weight * math.log(found[name].mean()) for name, weight in _weights(list(found)).items()))


def _weights(names: list[str]) -> dict[str, float]:
    families = [name.partition(":")[0] for name in names]
    return {name: 1 / len(set(families)) / families.count(mine) for name, mine in zip(names, families, strict=True)}


def _chance(found: Mapping[str, Floats]) -> float:
    """The relative standard error of the score; classes of one trial go together."""
    moves = sum(weight * found[name] / found[name].mean() for name, weight in _weights(list(found)).items())
    return float(np.std(moves, ddof=1) / math.sqrt(np.size(moves)))
