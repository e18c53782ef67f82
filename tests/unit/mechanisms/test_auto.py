"""The method `auto`: chosen by the size of the table alone, so that it hides no mistake."""

from __future__ import annotations

from fractions import Fraction

import pytest

from discreet.errors import BadParameter
from discreet.mechanisms import Request, mechanism_for
from discreet.privacy import Unit
from discreet.schema import Ordinal, Schema
from discreet.tasks import Ranges, Table, Task

SMALL = Schema(a=Ordinal(0, 9))
LARGE = Schema(a=Ordinal(0, 2**40 - 1))


@pytest.mark.parametrize(
    ("task", "schema", "says"),
    [
        (Ranges(["a"], direct=["typo"]), SMALL, r"direct: 'typo' is not among the release's attributes"),
        (Ranges(["a"], workload=["a <"]), SMALL, "workload, question 1: "),
        (Ranges(["a"], write="cell"), SMALL, "write must be 'coefficients' or 'cells', not 'cell'"),
        (Ranges(["a"], base=4), SMALL, r"`base` is a parameter of dyadic, .*, but `auto` chose privelet\+; set method"),
        (
            Table(["a"], theta=3),
            SMALL,
            "`theta` is a parameter of filter, .*filter-threshold, but `auto` chose geometric",
        ),
        (Table(["a"], thtea=3), SMALL, "no method of task 'table' has .* 'thtea'. Did you mean 'theta'?"),
        (
            Ranges(["a"], direct=["a"]),
            LARGE,
            r"`direct` is .* privelet\*, privelet\+, but `auto` chose dyadic-filter-",
        ),
    ],
)
def test_auto_hides_no_mistake(task: Task, schema: Schema, says: str) -> None:
    request = Request(schema, Unit(), Fraction(1), task.asked())
    with pytest.raises(BadParameter, match=says):
        mechanism_for(task, request)


@pytest.mark.parametrize(
    ("task", "method"),
    [
        (Ranges(["a"], base=4), "dyadic-filter-priority"),
        (Table(["a"], theta=3), "filter-priority"),
    ],
)
def test_auto_goes_on_only_from_a_table_that_is_too_large(task: Task, method: str) -> None:
    assert mechanism_for(task, Request(LARGE, Unit(), Fraction(1), task.asked())).method == method
