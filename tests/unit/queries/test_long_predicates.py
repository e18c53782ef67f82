"""Predicates of any length: the work grows with what is written, and the cells are the right ones."""

from __future__ import annotations

import random
import sys
from collections.abc import Callable
from types import FrameType
from typing import Any

import pytest

from discreet.errors import BadParameter
from discreet.queries.binding import bind
from discreet.queries.where import And, Compare, Not, Or, Predicate
from discreet.schema import Nominal, Ordinal, Schema
from tests.unit.queries.selected_cells import cells_of

SCHEMA = Schema(age=Ordinal(0, 10**6), place=Nominal([f"p{i}" for i in range(100)]), sex=Nominal(["f", "m"]))

LONG: dict[str, Callable[[int], Any]] = {
    "or": lambda n: " or ".join(f"age = {3 * i}" for i in range(n)),
    "or of two": lambda n: " or ".join(f"age = {3 * i}" if i % 2 else f"place = 'p{i % 100}'" for i in range(n)),
    "or of ands": lambda n: " or ".join(f"(age = {3 * i} and sex = 'f')" for i in range(n)),
    "or of nots": lambda n: " or ".join(f"not age = {i}" for i in range(n)),
    "and of unequal": lambda n: " and ".join(f"age != {3 * i}" for i in range(n)),
    "and of ors": lambda n: " and ".join(f"(age = {i} or place = 'p1')" for i in range(n)),
    "and of other ors": lambda n: " and ".join(f"(age != {i} or place = 'p{i % 100}')" for i in range(n)),
    "in": lambda n: f"age in ({', '.join(map(str, range(0, 3 * n, 3)))})",
    "not in": lambda n: f"age not in ({', '.join(map(str, range(0, 3 * n, 3)))})",
    "list": lambda n: {"age": list(range(0, 3 * n, 3))},
    "ranges": lambda n: {"age": [(3 * i, 3 * i + 1) for i in range(n)]},
}


def lines_run(work: Callable[[], object]) -> int:
    """How many lines of Python are run: the same on every machine, unlike time."""
    count = 0

    def trace(frame: FrameType, event: str, _: Any) -> Any:
        nonlocal count
        count += event == "line"
        return trace

    before = sys.gettrace()
    sys.settrace(trace)
    try:
        work()
    finally:
        sys.settrace(before)
    return count


@pytest.mark.parametrize("kind", LONG)
def test_work_grows_with_the_length(kind: str) -> None:
    """Eight times the terms: eight times the lines, where in pairs it would be 64 times."""
    few, many = (lines_run(lambda n=n: bind(LONG[kind](n), SCHEMA)) for n in (100, 800))  # type: ignore[misc]
    assert many < 12 * few


def test_a_hundred_thousand_values_are_bound() -> None:
    assert cells_of(bind(LONG["list"](100_000), SCHEMA), SCHEMA.sizes) == 100_000 * 200
    assert cells_of(bind(LONG["and of unequal"](20_000), SCHEMA), SCHEMA.sizes) == (10**6 + 1 - 20_000) * 200


SMALL = Schema(a=Ordinal(0, 5), b=Ordinal(0, 4), c=Ordinal(0, 3))


def holds(predicate: Predicate, cell: dict[str, int]) -> bool:
    if isinstance(predicate, And):
        return all(holds(part, cell) for part in predicate.parts)
    if isinstance(predicate, Or):
        return any(holds(part, cell) for part in predicate.parts)
    if isinstance(predicate, Not):
        return not holds(predicate.part, cell)
    assert isinstance(predicate, Compare)
    return bool(cell[predicate.name] == predicate.value) == (predicate.operator == "=")


@pytest.mark.parametrize("seed", range(30))
def test_many_unions_met_are_the_cells_that_satisfy_them(seed: int) -> None:
    """More of them than are met in pairs; some of them single attributes, some nested."""
    dice = random.Random(seed)

    def comparison() -> Predicate:
        name = dice.choice(list(SMALL))
        return Compare(name, dice.choice(["=", "!=", "!="]), dice.randrange(SMALL[name].size))

    def union() -> Predicate:
        return Or((comparison(), comparison(), And((comparison(), comparison()))))

    predicate = And((*(union() for _ in range(dice.randrange(5, 14))), Not(comparison()), Compare("a", "!=", 1)))
    selected = {
        tuple(cell)
        for first, last in zip(*vars(bind(predicate, SMALL).boxes(SMALL.sizes)).values(), strict=True)
        for cell in every_cell(first.tolist(), last.tolist())
    }
    wanted = [cell for cell in every_cell([0] * 3, [5, 4, 3]) if holds(predicate, dict(zip(SMALL, cell, strict=True)))]
    assert selected == set(map(tuple, wanted))
    assert cells_of(bind(predicate, SMALL), SMALL.sizes) == len(wanted)


def every_cell(first: list[int], last: list[int]) -> list[list[int]]:
    if not first:
        return [[]]
    return [[code, *rest] for code in range(first[0], last[0] + 1) for rest in every_cell(first[1:], last[1:])]


@pytest.mark.parametrize(
    "text",
    ["(" * 10**5 + "age = 1" + ")" * 10**5, "not " * 10**5 + "age = 1", f"age = {'9' * 10**6}", f"age = 1e{'9' * 500}"],
    ids=["parentheses", "nots", "a long number", "a long exponent"],
)
def test_what_is_too_deep_or_too_long_is_refused(text: str) -> None:
    with pytest.raises(BadParameter, match="position"):
        bind(text, SCHEMA)


def test_a_tree_that_is_too_deep_is_refused() -> None:
    predicate: Predicate = Compare("age", "=", 1)
    for _ in range(100_000):
        predicate = Not(predicate)
    with pytest.raises(BadParameter, match="nested"):
        bind(predicate, SCHEMA)
