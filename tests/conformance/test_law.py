"""The law of every registered mechanism on a tiny table, against that of a neighbour: all outcomes there are.

A method whose draws cannot all be enumerated (`NotEnumerable`) needs a test in `tests/law` that says so:
`@pytest.mark.law("method")`.
"""

from __future__ import annotations

import ast
import math
from fractions import Fraction
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import discreet
from discreet.errors import BadParameter
from discreet.mechanisms import Mechanism, Request, mechanism_for, registry
from discreet.noise import Noise
from discreet.privacy import Unit
from discreet.private.counts import Counts
from discreet.tasks import task_from_dict
from tests.conformance.enumerated import NotEnumerable, law_of
from tests.conformance.test_privacy import CHEATS

#: two cells; for methods that need two attributes, one with a single value beside them
TINY = [
    discreet.Schema(cell=discreet.Ordinal(0, 1)),
    discreet.Schema(cell=discreet.Ordinal(0, 1), only=discreet.Nominal(["this"])),
]
EPSILON = Fraction(1, 2)
#: neighbours: a record in an empty cell, in an occupied one, and the only one there is
PAIRS = [((0, 1), (1, 1)), ((1, 0), (1, 1)), ((1, 1), (2, 1)), ((0, 0), (1, 0))]
LAWS = Path(__file__).parents[1] / "law"


def made(kind: str, method: str) -> Mechanism:
    for schema in TINY:
        by = {"by": [], "ways": 1} if kind == "marginals" else {"by": list(schema)}
        task = task_from_dict({"task": kind, "method": method, **by})
        try:
            return mechanism_for(task, Request.of(task, schema, Unit(), EPSILON))
        except BadParameter as error:
            refused = error
    raise refused


def outcome(mechanism: Mechanism, counts: tuple[int, int], noise: Noise) -> str:
    sizes = mechanism.request.schema.sizes
    given = Counts.from_arrays(sizes, np.eye(2, len(sizes), -1, np.int64), np.array(counts))
    summary = mechanism.measure(given, noise)
    return repr((summary.facts(), summary.to_arrow().to_pylist()))


def worst_ratio(kind: str, method: str, window: int = 1) -> float:
    """The largest |log| of the ratio of an outcome's probabilities, over all neighbours."""
    mechanism = made(kind, method)

    @cache
    def law(counts: tuple[int, int]) -> dict[Any, float]:
        return law_of(lambda noise: outcome(mechanism, counts, noise), window)

    worst = 0.0
    for pair in PAIRS:
        first, second = map(law, pair)
        assert first.keys() == second.keys(), "an outcome of one table is impossible for its neighbour"
        worst = max(worst, *(abs(math.log(first[one] / second[one])) for one in first))
    return worst


def named_laws() -> set[str]:
    """The methods that tests in `tests/law` are marked with."""
    found: set[str] = set()
    for path in LAWS.glob("test_*.py"):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Call) and ast.unparse(node.func) == "pytest.mark.law":
                found |= {ast.literal_eval(argument) for argument in node.args}
    return found


@pytest.mark.parametrize(("kind", "method"), list(registry()), ids=lambda part: part)
def test_no_outcome_gives_a_neighbour_away(kind: str, method: str) -> None:
    """Draws that are not published themselves may hide some of what they cost, but never all."""
    worst = enumerated(kind, method)
    if worst is None:
        assert method in named_laws(), f"give {method} a test in tests/law, marked pytest.mark.law({method!r})"
    else:
        assert float(EPSILON) / 4 < worst <= float(EPSILON) + 1e-12


def enumerated(kind: str, method: str) -> float | None:
    try:
        return worst_ratio(kind, method)
    except NotEnumerable:
        return None


def test_only_what_cannot_be_enumerated_has_a_mark() -> None:
    methods = {method for _, method in registry()}
    assert named_laws() <= methods


@pytest.mark.parametrize("cheat", CHEATS, ids=lambda cheat: cheat.method)
def test_a_cheat_is_given_away(cheat: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(registry(), ("table", cheat.method), cheat)
    if cheat.method in ("floats", "clip", "hurry", "hide"):  # only large counts, or many, show it
        assert worst_ratio("table", cheat.method) <= float(EPSILON) + 1e-12
        return
    try:
        worst = enumerated("table", cheat.method)
    except (AssertionError, AttributeError):  # an outcome that is impossible, or a draw apart from what it is added to
        return
    assert worst is None or worst > float(EPSILON) + 0.01
    assert worst is not None or cheat.method not in named_laws(), "without a law test of its own it fails"
