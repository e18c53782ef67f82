"""The method `auto`: chosen by public facts alone, and never by parameters, so that it hides no mistake."""

from __future__ import annotations

from fractions import Fraction

import pytest

from discreet.errors import BadParameter
from discreet.mechanisms import Request, mechanism_for, why_auto
from discreet.privacy import Unit
from discreet.schema import Ordinal, Schema
from discreet.tasks import Ranges, Table, Task

SMALL = Schema(a=Ordinal(0, 9))
LARGE = Schema(a=Ordinal(0, 2**40 - 1))


@pytest.mark.parametrize(
    ("task", "schema", "says"),
    [
        (Ranges(["a"], levels=[0]), LARGE, "levels, level 1: a has no hierarchy, so give a width from 1 to"),
        (Ranges(["a"], stop=["x", 1]), LARGE, "stop must be two numbers of at least 0"),
        (Ranges(["a"], total=2), LARGE, "total must be a number above 0 and below 1"),
        (Ranges(["a"], base=4), LARGE, "`base` is a parameter of dyadic, .*, but `auto` chose adaptive; set method"),
        (Ranges(["a"], stop=[2, 3]), SMALL, "`stop` is a parameter of adaptive, but `auto` chose weighted"),
        (
            Table(["a"], theta=3),
            SMALL,
            "`theta` is a parameter of filter, .*filter-threshold, but `auto` chose geometric",
        ),
        (Table(["a"], thtea=3), SMALL, "no method of task 'table' has .* 'thtea'. Did you mean 'theta'?"),
        (
            Ranges(["a"], direct=["a"]),
            LARGE,
            r"`direct` is .* privelet\*, privelet\+, but `auto` chose adaptive",
        ),
    ],
)
def test_auto_hides_no_mistake(task: Task, schema: Schema, says: str) -> None:
    request = Request(schema, Unit(), Fraction(1), task.asked())
    with pytest.raises(BadParameter, match=says):
        mechanism_for(task, request)


@pytest.mark.parametrize(
    ("kind", "cells", "method"),
    [
        (Table, 2**6, "geometric"),
        (Table, 2**6 + 1, "adaptive"),
        (Table, 2**60, "adaptive"),
        (Ranges, 2**7, "weighted"),
        (Ranges, 2**7 + 1, "adaptive"),
    ],
)
def test_auto_goes_by_the_number_of_cells(kind: type[Task], cells: int, method: str) -> None:
    schema = Schema(a=Ordinal(0, cells - 1))
    assert mechanism_for(kind(["a"]), Request(schema, Unit(), Fraction(1))).method == method


@pytest.mark.parametrize(
    ("rows", "epsilon", "cells", "method"),
    [
        (5 * 10**5, "1", 1000, "weighted"),
        (5000, "1", 1000, "weighted"),
        (4999, "1", 1000, "adaptive"),
        (5000, "0.1", 1000, "adaptive"),
        (50_000, "0.1", 1000, "weighted"),
        (10**12, "1", 2**16, "weighted"),
        (10**12, "1", 2**16 + 1, "adaptive"),
    ],
)
def test_a_guess_of_many_records_for_every_cell_decides_with_epsilon(
    rows: int, epsilon: str, cells: int, method: str
) -> None:
    task, schema = Ranges(["a"], guess={"rows": rows}), Schema(a=Ordinal(0, cells - 1))
    request = Request.of(task, schema, Unit(), epsilon)
    picked, why = why_auto(task, request)
    assert picked == mechanism_for(task, request).method == method
    assert why.startswith("auto takes it for ranges ")
    assert ("guess" in why) == (method == "weighted")


def test_whom_a_guess_protects_decides_with_it() -> None:
    """Noise is three times as large where a unit has three rows."""
    task, schema = Ranges(["a"], guess={"rows": 10_000}), Schema(a=Ordinal(0, 999))
    picked = [why_auto(task, Request.of(task, schema, unit, 1))[0] for unit in (Unit(), Unit("who", max_rows=3))]
    assert picked == ["weighted", "adaptive"]
