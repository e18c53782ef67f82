"""A typo in the name of a method or a parameter is refused when the task is made, with what was meant."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from discreet.errors import BadParameter
from discreet.mechanisms import registry
from discreet.method_names import named_methods
from discreet.tasks import TASKS, Items, Marginals, Ranges, Table, Task, task_from_dict


def test_the_names_are_those_of_all_methods() -> None:
    told = {(task, method): one["parameters"] for task in TASKS for method, one in named_methods(task).items()}
    assert told == {key: [parameter.name for parameter in kind.parameters] for key, kind in registry().items()}


@pytest.mark.parametrize(
    ("kind", "given", "said"),
    [
        (Table, {"method": "geometrc"}, "'table' has no method 'geometrc' in this version. Did you mean 'geometric'?"),
        (Table, {"method": "weighted"}, "'table' has no method 'weighted'"),
        (Table, {"method": 7}, "'table' has no method 7"),
        (Table, {"method": ["filter"]}, "'table' has no method ['filter']"),
        (Table, {"method": "privelet"}, "no method 'privelet' in this version. It is a method of 'ranges'. Known"),
        (Table, {"colour": 3}, "no method of task 'table' has a parameter 'colour'. Its methods take total, singles"),
        (Table, {"epsilon": 1}, "has a parameter 'epsilon'. It is said when a task is published: data.publish(task, "),
        (Ranges, {"levles": 3}, "no method of task 'ranges' has a parameter 'levles'. Did you mean 'levels'?"),
        (Table, {"metod": "geometric"}, "Did you mean 'method'?"),
        (Table, {"context": "b"}, "no method of task 'table' has a parameter 'context'"),
        (Items, {"contxt": ["b"]}, "Did you mean 'context'?"),
        (Marginals, {"way": 2, "knwon": []}, "Did you mean 'ways'?"),
        (Marginals, {"way": 2, "knwon": []}, "Did you mean 'known'?"),
        (Table, {"method": "filter", "thtea": 3}, "'filter' has no parameter 'thtea'. Did you mean 'theta'? It takes"),
        (Table, {"method": "geometric", "theta": 3}, "method 'geometric' has no parameter 'theta'"),
    ],
)
def test_a_typo_is_refused_at_once(kind: type[Task], given: dict[str, Any], said: str) -> None:
    with pytest.raises(BadParameter) as error:
        kind("a", **given)
    assert said in str(error.value)


def test_what_some_method_has_may_be_told_without_naming_it() -> None:
    names = {name for one in named_methods("table").values() for name in one["parameters"]}
    told: dict[str, Any] = dict.fromkeys(names)
    assert Table("a", **told).parameters.keys() == names


def test_a_guess_may_stand_beside_any_method() -> None:
    assert Table("a", method="geometric", guess=100).parameters == {"guess": 100}


@pytest.mark.parametrize("rest", [{}, {"context": ["b"], "known": [{"count": 7}]}])
def test_what_another_version_wrote_is_read(rest: dict[str, Any]) -> None:
    written = {"task": "items", "by": ["a"], "method": "once", "strength": 3, **rest}
    assert task_from_dict(written).to_dict() == written


@pytest.mark.parametrize(
    "asked",
    [
        lambda: Table({"age", "sex"}),
        lambda: Ranges(frozenset({"age"})),
        lambda: Marginals({"age", "sex"}, ways=2),
        lambda: Marginals([{"age", "sex"}]),
        lambda: Items("item", context={"age", "sex"}),
    ],
)
def test_a_set_of_names_is_refused(asked: Callable[[], Task]) -> None:
    """Its order is another one in every process, so that the same line would be another request, and cost again."""
    with pytest.raises(BadParameter, match="give a list, not a set"):
        asked()
