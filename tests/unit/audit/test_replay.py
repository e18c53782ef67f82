"""Whole releases of invented neighbours through the real engine: bounds that are not kept, and releases that hold."""

from __future__ import annotations

import itertools
from fractions import Fraction
from typing import Any
from zlib import crc32

import pytest

import discreet
from discreet.audit.neighbours import Invented, relations
from discreet.audit.replay import replay
from discreet.mechanisms import Request
from discreet.privacy import Unit
from discreet.private.engines import counting_query, users
from discreet.private.engines.base import USER
from discreet.private.open_data import open_data
from discreet.tasks import Task

SCHEMA = discreet.Schema(
    age=discreet.Ordinal(0, 9, outside="other"),
    place=discreet.Nominal(["a", "b"], outside="drop", null="other"),
    day=discreet.Ordinal("2024-01-01", "2024-03-31", "month"),
)
#: more labels than the crowd of invented users has rows
ITEMS = discreet.Schema(item=discreet.Nominal([f"i{code}" for code in range(40)]))


@pytest.mark.parametrize(
    ("task", "unit"),
    [
        (discreet.Table(["age", "place"], method="filter-priority", size=5), Unit("who", max_rows=4)),
        (discreet.Items("place", context="day", method="hpa"), Unit("who", max_rows=4)),
    ],
    ids=["table", "items"],
)
def test_the_whole_path_loses_what_is_charged(task: Task, unit: Unit) -> None:
    found = replay(task, Request.of(task, SCHEMA, unit, "0.7"))
    assert found.problems == []
    assert found.worst.epsilon == Fraction(7, 10)
    assert found.tightness == 1


@pytest.mark.parametrize(
    ("task", "schema"),
    [
        (discreet.Table(["age"]), SCHEMA),
        (discreet.Items("place", method="lpa"), SCHEMA),
        (discreet.Items("item", method="sra", bound=1), ITEMS),
    ],
    ids=["table", "items", "more labels than rows"],
)
def test_a_bound_that_is_kept_in_each_file_shows(
    task: Task, schema: discreet.Schema, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The users of every file are others. If they are not, the choice among a user's rows is no alarm."""
    honest, tables, places = users.with_users, Invented.tables, itertools.cycle(range(2))

    def apart(part: Any, engine: Any, column: str, kinds: Any) -> Any:
        found = honest(part, engine, column, kinds)
        return found.mutate(**{USER: found[USER].cast("float64") * 2 + next(places)})

    request = Request.of(task, schema, Unit("who", max_rows=3), 1)
    monkeypatch.setattr(Invented, "tables", lambda self: (one for one in list(tables(self)) if one.files))
    assert replay(task, request).problems == []
    monkeypatch.setattr(counting_query, "with_users", apart)
    assert any("in two files" in problem and "costs 2" in problem for problem in replay(task, request).problems)


@pytest.mark.parametrize("said", [Unit("who", max_rows=2), Unit("who", max_rows=3, max_rows_per_cell=1)])
def test_a_bound_that_is_not_kept_shows(said: Unit) -> None:
    """Rows are read with one more row of each user, or any number in a cell, than the request was told."""

    def one_more(table: Any, schema: discreet.Schema, unit: Unit) -> Any:
        wide = Unit("who", max_rows=unit.most + (unit.in_cell is None), neighbours=unit.neighbours)
        data = open_data(table, schema, unit=unit)
        honest = data.origin

        class Loose:
            has_rows = True
            check = staticmethod(honest.check)

            def bounded(self, schema: Any, _: Unit, salt: bytes, *, repeatable: bool = False) -> Any:
                return honest.bounded(schema, wide, salt, repeatable=repeatable)

        return type(data)(data.schema, unit, data.ledger, Loose())

    task = discreet.Items("place", method="lpa", count="users") if said.in_cell else discreet.Table(["age"])
    found = replay(task, Request.of(task, SCHEMA, said, 1), opened=one_more)
    if said.in_cell:  # fewer rows than the bound are in a cell in any case: nothing is lost
        assert found.problems == []
    else:
        assert any("one row above the bound" in problem or "costs 1.5" in problem for problem in found.problems)


def test_invented_neighbours_differ_in_one_unit() -> None:
    for unit in relations(Unit("who", max_rows=3)):
        for around in Invented(SCHEMA, unit).tables():
            if around.far:
                continue
            targets = ("target", crc32(b"target"))
            base = {str(row) for row in around.base.to_pylist() if row["who"] not in targets}
            for _, table in around.neighbours:
                assert {str(row) for row in table.to_pylist() if row["who"] not in targets} == base
                assert table != around.base


def test_every_cell_has_a_value_that_counts_in_it() -> None:
    for attribute in SCHEMA.values():
        values = [attribute.example(code) for code in range(attribute.size)]
        assert len(set(values)) == attribute.size
        assert [attribute.code(value) for value in values[: attribute.size - attribute.has_other]] == list(
            range(attribute.size - attribute.has_other)
        )
