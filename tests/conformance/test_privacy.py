"""What every registered mechanism costs, derived from its own recorded draws on neighbours, and never from its word."""

from __future__ import annotations

from contextlib import suppress
from fractions import Fraction
from typing import Any

import numpy as np
import pytest

import discreet
from discreet.audit.replay import Replayed, replay
from discreet.errors import BadParameter
from discreet.mechanisms import Mechanism, Request, registry
from discreet.mechanisms.table.filter import Filter
from discreet.mechanisms.table.geometric import Geometric
from discreet.noise import Noise
from discreet.privacy import Unit
from discreet.private.bounded import Bounded
from discreet.summaries import Summary
from discreet.summaries.dense_cells import DenseCells
from discreet.tasks import Task, task_from_dict
from tests.conformance.examples import CASES, SCHEMA, each_case, made
from tests.rows_in_memory import opened

UNITS = [Unit(), Unit("who", max_rows=3), Unit("who", max_rows=3, max_rows_per_cell=1)]


def replayed(task: Task, unit: Unit, epsilon: str = "0.3") -> Replayed:
    return replay(task, Request.of(task, SCHEMA, unit, epsilon), opened=opened)


@each_case
@pytest.mark.parametrize("unit", UNITS, ids=["row", "user", "user-once-per-cell"])
def test_the_recorded_loss_is_the_declared_cost(task: Task, unit: Unit) -> None:
    found = replayed(task, unit)
    assert found.problems == []
    assert found.declared == found.epsilon == Fraction(3, 10)
    assert {one.neighbours for one in found.tried} == {"add-remove", "replace"}
    if registry_class(task).spends_all:
        assert found.worst.epsilon == found.declared
    else:
        assert found.declared / 2 < found.worst.epsilon <= found.declared


def registry_class(task: Task) -> type[Mechanism]:
    return registry()[task.name, task.method]


def made_of_many_records() -> list[Task]:
    """Requests that only units of several records can make: pairs of items, and a probe of two records."""
    methods = [method for task, method in registry() if task == "items"]
    asked: list[Task] = [discreet.Items("age", context="age", method=method) for method in methods]
    asked += [task_from_dict({"task": "items", "by": ["age"], "method": method, "probe": 2}) for method in methods]
    found: list[Task] = []
    for task in asked:
        with suppress(BadParameter):
            made(task, Unit("who", max_rows=3))
            found.append(task)
    return found


@pytest.mark.parametrize("task", made_of_many_records(), ids=str)
def test_the_recorded_loss_of_many_records(task: Task) -> None:
    found = replayed(task, Unit("who", max_rows=3))
    assert found.problems == []
    assert found.worst.epsilon == found.declared == Fraction(3, 10)


def test_few_methods_spend_less_than_they_cost() -> None:
    """A method may say so of itself; it is told in its card, and most do not."""
    few = {kind.method for kind in registry().values() if not kind.spends_all}
    assert len(few) < len(registry()) / 4, few


# Mechanisms that cheat: each must fail by itself, in a test that knows nothing of it.


class Cheat(Geometric):
    """A tenth of the noise it charges for."""

    method = "cheat"

    def measure(self, data: Bounded, noise: Noise) -> DenseCells:
        table = data.table().dense()
        noise.add_into(table, self.scale / 10)
        return DenseCells(self.request.schema, table, self.alpha)


class Peek(Filter):
    """A threshold from the data: the median of the exact counts."""

    method = "peek"

    def measure(self, data: Bounded, noise: Noise) -> Summary:
        counts = data.table().counts
        self.theta = 1 + (int(np.median(counts)) if counts.size else 0)
        return super().measure(data, noise)


class Reuse(Geometric):
    """The same noise in every cell."""

    method = "reuse"

    def measure(self, data: Bounded, noise: Noise) -> DenseCells:
        table = data.table().dense()
        table += noise.laplace(self.scale)
        return DenseCells(self.request.schema, table, self.alpha)


class Retry(Geometric):
    """Draws again until nothing is below zero."""

    method = "retry"

    def measure(self, data: Bounded, noise: Noise) -> DenseCells:
        exact = data.table().dense()
        for _ in range(20):
            noisy = noise.add(exact, self.scale)
            if noisy.min() >= 0:
                break
        return DenseCells(self.request.schema, noisy, self.alpha)


class Rest(Geometric):
    """Noise everywhere but in the cells that nobody is in."""

    method = "rest"

    def measure(self, data: Bounded, noise: Noise) -> DenseCells:
        exact = data.table().dense()
        noisy = noise.add(exact, self.scale)
        return DenseCells(self.request.schema, np.where(exact > 0, noisy, 0), self.alpha)


class Floats(Geometric):
    """Counts as float32: above 2**24 one record moves them by two, or not at all."""

    method = "floats"

    def measure(self, data: Bounded, noise: Noise) -> DenseCells:
        table = data.table().dense().astype(np.float32).astype(np.int64)
        noise.add_into(table, self.scale)
        return DenseCells(self.request.schema, table, self.alpha)


class Hide(Geometric):
    """Small counts taken for none: at the limit one record moves a count by ten."""

    method = "hide"

    def measure(self, data: Bounded, noise: Noise) -> DenseCells:
        table = data.table().dense()
        table[table < 10] = 0
        noise.add_into(table, self.scale)
        return DenseCells(self.request.schema, table, self.alpha)


class Clip(Geometric):
    """No noise beyond twelve scales: what is further away cannot be behind it."""

    method = "clip"

    def measure(self, data: Bounded, noise: Noise) -> DenseCells:
        exact, most = data.table().dense(), int(12 * self.scale)
        drawn = noise.add(exact, self.scale) - exact
        return DenseCells(self.request.schema, exact + drawn.clip(-most, most), self.alpha)


class Hurry(Geometric):
    """Many occupied cells, and the empty ones get no noise."""

    method = "hurry"

    def measure(self, data: Bounded, noise: Noise) -> DenseCells:
        table = data.table().dense()
        if np.count_nonzero(table) < 10:
            return super().measure(data, noise)
        table[table > 0] = noise.add(table[table > 0], self.scale)
        return DenseCells(self.request.schema, table, self.alpha)


CHEATS = {
    Hide: "costs 3",
    Clip: "quite another table",
    Hurry: "another shape",
    Cheat: "costs 3",
    Peek: "another",
    Reuse: "another release",
    Retry: "costs",
    Rest: "another release",
    Floats: "costs 0.6",
}


@pytest.mark.parametrize("kind", CHEATS, ids=lambda kind: kind.method)
def test_a_cheating_mechanism_fails(kind: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(registry(), ("table", kind.method), kind)
    found = replayed(task_from_dict({"task": "table", "by": ["age", "sex"], "method": kind.method}), Unit())
    assert any(CHEATS[kind] in problem for problem in found.problems), found.problems


def test_the_cheats_are_honest_but_for_their_one_fault() -> None:
    assert {task.method for task in CASES}.isdisjoint(kind.method for kind in CHEATS)
    for method in ("geometric", "filter"):
        assert replayed(discreet.Table(["age", "sex"], method=method), Unit()).problems == []
