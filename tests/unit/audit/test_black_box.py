"""Guesses about canaries: a bound that is a theorem, and a broken method that is proved to be one."""

from __future__ import annotations

import math
from fractions import Fraction

import pytest

import discreet
from discreet.audit.black_box import LowerBound, black_box, least_chance
from discreet.mechanisms import Request, registry
from discreet.noise import Noise, SeededSource
from discreet.privacy import Unit
from discreet.tasks import task_from_dict
from tests.conformance.test_privacy import Cheat

SCHEMA = discreet.Schema(cell=discreet.Ordinal(1, 400))


@pytest.mark.parametrize(("hits", "trials"), [(0, 5), (5, 5), (70, 100), (4000, 5000)])
def test_the_bound_is_where_so_many_hits_become_unlikely(hits: int, trials: int) -> None:
    chance = least_chance(hits, trials, 1e-3)
    ways = [math.comb(trials, k) for k in range(hits, trials + 1)]
    p = Fraction(chance)
    if trials <= 100:
        exact = sum(way * p**k * (1 - p) ** (trials - k) for way, k in zip(ways, range(hits, trials + 1), strict=True))
        assert float(exact) == pytest.approx(1e-3 if hits else 1)
    assert chance <= hits / trials


def test_an_honest_release_is_not_proved_broken_and_a_cheat_is(monkeypatch: pytest.MonkeyPatch) -> None:
    """An honest method is called broken with probability at most 1e-9."""
    monkeypatch.setitem(registry(), ("table", Cheat.method), Cheat)
    for method, broken in (("geometric", False), (Cheat.method, True)):
        task = task_from_dict({"task": "table", "by": ["cell"], "method": method})
        found = black_box(task, Request.of(task, SCHEMA, Unit("who", max_rows=2), 1), runs=6)
        assert found.broken is broken
        assert found.guesses <= 3 * 200


def test_noise_that_is_the_same_in_every_release_is_seen_through(monkeypatch: pytest.MonkeyPatch) -> None:
    honest = Noise.__init__
    monkeypatch.setattr(Noise, "__init__", lambda self, source=None: honest(self, source or SeededSource(7)))
    task = discreet.Table(["cell"], method="geometric")
    assert black_box(task, Request.of(task, SCHEMA, Unit(), "0.1"), runs=6).broken


def test_few_guesses_prove_nothing() -> None:
    assert LowerBound(Fraction(1), 2, 0, 0).bound == 0
    assert LowerBound(Fraction(1), 2, 10, 5).bound == 0
    assert LowerBound(Fraction(1), 2, 1000, 1000).bound > 3
