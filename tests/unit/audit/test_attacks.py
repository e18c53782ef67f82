"""One call for all attacks on a request, and what it says of an honest method and of a cheat."""

from __future__ import annotations

import json

import pytest

import discreet
from discreet.audit import audited
from discreet.mechanisms import registry
from discreet.tasks import task_from_dict
from tests.conformance.test_privacy import Cheat

SCHEMA = discreet.Schema(cell=discreet.Ordinal(1, 50))


def test_an_honest_method_holds() -> None:
    said: list[str] = []
    found = audited(discreet.Table(["cell"]), SCHEMA, "0.5", name="cells", progress=said.append)
    assert found.verdict == "HOLDS"
    assert next(iter(found.lines())) == "cells: table by geometric, epsilon 0.5: HOLDS"
    assert all(line.startswith("cells: ") for line in said)
    told = json.loads(json.dumps(found.to_dict()))
    assert told["replay"]["loss"] == told["replay"]["declared"] == told["epsilon"] == "0.5"
    assert {one["relation"] for one in told["replay"]["neighbours"]} == {"add-remove", "replace"}


def test_a_cheat_is_broken_and_it_is_said_by_what(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(registry(), ("table", Cheat.method), Cheat)
    found = audited(
        task_from_dict({"task": "table", "by": ["cell"], "method": Cheat.method}), SCHEMA, 1, guess=True, runs=4
    )
    assert found.verdict == found.to_dict()["verdict"] == "BROKEN"
    text = "\n".join(found.lines())
    assert "WRONG: one record in an empty cell" in text
    assert "costs 10, more than the 1 that is charged" in text
    assert "epsilon is at least" in text
