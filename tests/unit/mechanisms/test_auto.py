"""The method `auto`: chosen by public facts alone, and never by parameters, so that it hides no mistake."""

from __future__ import annotations

from fractions import Fraction

import pytest

from discreet.errors import BadParameter
from discreet.mechanisms import Request, mechanism_for
from discreet.privacy import Unit
from discreet.schema import Ordinal, Schema
from discreet.tasks import Ranges, Table, Task, task_from_dict

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
        (
            task_from_dict({"task": "table", "by": ["a"], "thtea": 3}),
            SMALL,
            "no method of task 'table' has .* 'thtea'. Did you mean 'theta'?",
        ),
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
        (Ranges, 2**5, "weighted"),
        (Ranges, 2**5 + 1, "adaptive"),
    ],
)
def test_auto_goes_by_the_number_of_cells(kind: type[Task], cells: int, method: str) -> None:
    schema = Schema(a=Ordinal(0, cells - 1))
    assert mechanism_for(kind(["a"]), Request(schema, Unit(), Fraction(1))).method == method
