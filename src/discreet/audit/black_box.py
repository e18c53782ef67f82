"""Lower bounds on epsilon by guessing: the whole publish path, on the operating system's randomness.

Many canaries, units in cells of their own, are each in the data or not (or elsewhere), by the toss of a coin. A release
is published as anyone would, and an attacker who sees nothing else guesses for each canary which way its coin fell, or
passes. Under epsilon-differential privacy the number of right guesses is at most that of as many coins that fall right
with probability exp(epsilon) / (1 + exp(epsilon)), however canaries and guesses depend on each other (Steinke, Nasr and
Jagielski 2023). What each answer is like without its canary, and how sure an answer must be for a guess, is learned in
the first half of the runs and tried on the others. By the exact binomial bound of Clopper and Pearson, epsilon is then
at least log(p / (1 - p)), but for a chance of 1e-9. A bound above what is charged proves that the guarantee is broken.
One below it proves nothing, but shows how near an attacker comes.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from discreet.audit.neighbours import Cell, Invented
from discreet.mechanisms import Request
from discreet.noise import Noise, SystemSource
from discreet.numbers.intervals import Rational
from discreet.private.open_data import open_data
from discreet.queries import questions_of
from discreet.tasks import Task

Progress = Callable[[int, int], None]
Floats = NDArray[np.float64]

FALSE_ALARM = 1e-9
#: canaries of one release, and guesses that all runs together should make
_MOST_CANARIES = 200
_GUESSES = 6000
_MOST_RUNS = 400


@dataclass(frozen=True)
class LowerBound:
    """What the guesses of so many runs prove."""

    epsilon: Fraction
    runs: int
    guesses: int
    right: int

    @property
    def bound(self) -> float:
        chance = least_chance(self.right, self.guesses, FALSE_ALARM)
        return max(0.0, math.log(chance / (1 - chance))) if chance > 0 else 0.0

    @property
    def tightness(self) -> float:
        return self.bound / float(self.epsilon)

    @property
    def broken(self) -> bool:
        return self.bound > float(self.epsilon)


@dataclass(frozen=True)
class _Canary:
    """Where it is if its coin falls heads, and the question that is about it."""

    cell: Cell
    where: Any


def black_box(
    task: Task, request: Request, *, runs: int | None = None, progress: Progress = lambda done, every: None
) -> LowerBound:
    """Publishes invented canaries `runs` times and guesses. Reads no data; nothing is charged."""
    canaries = _canaries(task, request)
    runs = runs or min(_MOST_RUNS, max(8, -(-2 * _GUESSES // len(canaries))))
    invented, coins = Invented(request.schema, request.unit), Noise(SystemSource())
    heads, answers = np.empty((runs, len(canaries)), np.bool_), np.empty((runs, len(canaries)))
    for run in range(runs):
        heads[run] = coins.coin(Rational(Fraction(1, 2)), len(canaries))
        data = open_data(_table(invented, canaries, heads[run].tolist()), request.schema, unit=request.unit)
        release = data.publish(task, request.epsilon)
        answers[run] = [release.count(canary.where).value for canary in canaries]
        progress(run + 1, runs)
    learning = slice(None, runs // 2)
    answers -= _usual(heads[learning], answers[learning])
    low, high = _limits(heads[learning], answers[learning])
    tried = slice(runs // 2, None)
    said_in, said_out = answers[tried] >= high, answers[tried] < low
    right = int(np.sum(said_in & heads[tried]) + np.sum(said_out & ~heads[tried]))
    return LowerBound(request.epsilon, runs, int(said_in.sum() + said_out.sum()), right)


def least_chance(hits: int, trials: int, error: float) -> float:
    """The chance at which so many hits, or more, have probability `error`; a smaller chance is ruled out."""
    if hits == 0:
        return 0.0
    numbers = np.arange(hits, trials + 1)
    ways = np.array([math.lgamma(trials + 1) - math.lgamma(k + 1) - math.lgamma(trials - k + 1) for k in numbers])
    low, high = 0.0, 1.0
    for _ in range(60):
        middle = (low + high) / 2
        logs = ways + numbers * math.log(middle) + (trials - numbers) * math.log1p(-middle)
        low, high = (middle, high) if float(np.exp(logs).sum()) <= error else (low, middle)
    return low


def _canaries(task: Task, request: Request) -> list[_Canary]:
    """One for each query, or each in a cell of the table that the release answers about."""
    schema = request.schema
    if "queries" in request.parameters:
        queries = request.parameters["queries"]
        boxes = questions_of(queries, schema)
        first = [boxes.first[int(np.flatnonzero(boxes.owner == i)[0])] for i in range(boxes.count)]
        return [_Canary(tuple(cell.tolist()), where) for cell, where in zip(first, queries, strict=True)]
    names = _asked_together(request)
    most = min(_MOST_CANARIES, math.prod(schema[name].size for name in names))
    found: dict[tuple[int, ...], _Canary] = {}
    invented = Invented(schema, request.unit)
    for cell in invented.cells():
        if len(found) == most:
            break
        place = {name: schema[name].label(code) for name, code in zip(schema, cell, strict=True) if name in names}
        found.setdefault(tuple(schema[name].code(label) for name, label in place.items()), _Canary(cell, place))
    return list(found.values())


def _asked_together(request: Request) -> Sequence[str]:
    """Attributes that one answer may be about."""
    schema, asked = request.schema, request.parameters
    if "sets" in asked:
        return list(asked["sets"][0])
    return schema.names[: asked.get("ways", len(schema))]


def _table(invented: Invented, canaries: Sequence[_Canary], heads: Sequence[bool]) -> pa.Table:
    rows = []
    for number, (canary, there) in enumerate(zip(canaries, heads, strict=True)):
        cell = canary.cell
        if not there:
            if invented.unit.neighbours == "add-remove":
                continue
            cell = tuple((code + 1) % size for code, size in zip(cell, invented.schema.sizes, strict=True))
        rows += [(f"canary {number}", cell)] * invented.unit.most
    return invented.rows(rows)


def _usual(heads: NDArray[np.bool_], answers: Floats) -> Floats:
    """What each canary's answer is without it, on average: noise that is the same in all runs is seen through by it."""
    if heads.all() or not heads.any():
        return np.zeros(heads.shape[1])
    without: Floats = answers - (answers[heads].mean() - answers[~heads].mean()) * heads
    usual: Floats = without.mean(axis=0)
    return usual


def _limits(heads: NDArray[np.bool_], answers: Floats) -> tuple[float, float]:
    """Below the first guess "out", from the second on "in": those that proved most in the runs to learn from."""
    values, coins = answers.reshape(-1), heads.reshape(-1)
    tries = np.unique(np.quantile(values, np.linspace(0, 1, 41)))
    best = (0.0, float(np.median(values)), float(np.median(values)))
    for low in tries:
        for high in tries[tries >= low]:
            said_in, said_out = values >= high, values < low
            guesses = int(said_in.sum() + said_out.sum())
            right = int(np.sum(said_in & coins) + np.sum(said_out & ~coins))
            # what is left when luck of this size is taken off: about what the exact bound will do
            share = right / guesses - 6 * math.sqrt(0.25 / guesses) if guesses else 0.0
            best = max(best, (share, float(low), float(high)))
    return best[1:]
