"""From a wanted error to the least epsilon that meets it: `plan` the other way round.

Epsilons are tried on a grid of ten per decade, by bisection. Where errors are ranges, the upper end has to meet the
goal.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from fractions import Fraction

from discreet.errors import BadParameter, CannotAnswer, CountOverflow
from discreet.mechanisms import Request, why_auto
from discreet.naming import did_you_mean
from discreet.plan import Classes, Progress, made, methods_of, needs_rehearsal, predicted, rehearsal_of, smaller
from discreet.planning.asked import asked_of
from discreet.planning.predicted import PlannedError, Rehearsal
from discreet.planning.stand_ins import StandIn
from discreet.privacy import as_text
from discreet.tasks import Task

_STEPS = ("1", "1.25", "1.6", "2", "2.5", "3.2", "4", "5", "6.3", "8")
#: what is tried, rising; more than the last of them protects nobody
GRID = [Fraction(step) * Fraction(10) ** power for power in range(-3, 1) for step in _STEPS] + [Fraction(10)]


@dataclass(frozen=True)
class Goal:
    """The standard error that answers should have at most; or, with a share, what that share of them keeps within."""

    error: float
    share: float | None = None

    def met(self, found: PlannedError) -> bool:
        return (found.high if self.share is None else found.reach_high) <= self.error

    def __str__(self) -> str:
        if self.share is None:
            return f"a standard error of at most {self.error:,g}"
        return f"{self.share:.4g} of the answers off by at most {self.error:,g}"


@dataclass(frozen=True)
class Needed:
    """The least epsilon of one method for each class of questions; None where no epsilon of the grid is enough."""

    method: str
    auto: str
    by_class: dict[str, Fraction | None]
    refused: str = ""

    @property
    def epsilon(self) -> Fraction | None:
        """What meets every goal."""
        known = [epsilon for epsilon in self.by_class.values() if epsilon is not None]
        return max(known) if known and len(known) == len(self.by_class) else None


def least_epsilons(
    task: Task,
    request: Request,
    goals: Mapping[str, Goal],
    *,
    like: StandIn | None = None,
    questions: object = None,
    progress: Progress = lambda stage: None,
) -> list[Needed]:
    """Of every method of the task. `goals` by class of questions; that of "" holds for all classes not named."""
    request = smaller(task, request) if like is None else request
    picked, why = why_auto(task, request)
    asked: Classes = []
    rehearsal: Rehearsal | None = None
    found = []
    for method in methods_of(task):
        auto = why if method == picked else ""
        try:
            mechanism = made(task, replace(request, epsilon=GRID[-1]), method)
            asked = asked or _wanted(asked_of(task, mechanism, questions), goals)
            if rehearsal is None and needs_rehearsal(mechanism, asked):
                rehearsal = rehearsal_of(task, request, asked, like)
            tries = _Tries(task, request, method, asked, rehearsal, progress)
            needed = {one.name: tries.least(one.name, _goal(goals, one.name)) for one in asked}
            found.append(Needed(method, auto, needed))
        except (BadParameter, CannotAnswer, CountOverflow) as error:
            if isinstance(error, UnknownClass):
                raise
            found.append(Needed(method, auto, {}, " ".join(str(error).split())))
    return found


class UnknownClass(BadParameter):
    """A goal for questions that a release has not."""


def _goal(goals: Mapping[str, Goal], name: str) -> Goal:
    return goals[name] if name in goals else goals[""]


def _wanted(asked: Classes, goals: Mapping[str, Goal]) -> Classes:
    """The classes that have a goal; lists of the top have no error."""
    counted = [one for one in asked if one.top is None]
    names = [one.name for one in counted]
    for name in goals:
        if name and name not in names:
            raise UnknownClass(
                f"within: no questions are called {name!r}.{did_you_mean(name, names)} They are: {', '.join(names)}"
            )
    return [one for one in counted if one.name in goals or "" in goals]


@dataclass(frozen=True)
class _Tries:
    """One method at several epsilons; what was tried is kept."""

    task: Task
    request: Request
    method: str
    asked: Classes
    rehearsal: Rehearsal | None
    progress: Progress
    known: dict[tuple[int, float], dict[str, PlannedError]] = field(default_factory=dict)

    def least(self, name: str, goal: Goal) -> Fraction | None:
        """By bisection: errors fall as epsilon rises."""

        def enough(place: int) -> bool:
            errors = self._errors(place, goal.share or 0.95)
            return name in errors and goal.met(errors[name])

        return _first(enough)

    def _errors(self, place: int, share: float) -> dict[str, PlannedError]:
        known = self.known
        if (place, share) not in known:
            self.progress(f"{self.method} at epsilon {as_text(GRID[place])}")
            try:
                mechanism = made(self.task, replace(self.request, epsilon=GRID[place]), self.method)
                known[place, share] = predicted(mechanism, self.asked, self.rehearsal, share)
            except (BadParameter, CannotAnswer, CountOverflow):
                known[place, share] = {}  # too small an epsilon for this method
        return known[place, share]


def _first(enough: Callable[[int], bool]) -> Fraction | None:
    """The least epsilon of the grid that is enough."""
    low, high = -1, len(GRID) - 1
    if not enough(high):
        return None
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if enough(middle) else (middle, high)
    return GRID[high]
