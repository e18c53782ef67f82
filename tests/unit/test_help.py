"""`help(discreet.Table)`: its methods with parameters and an example each; importing still costs next to nothing."""

from __future__ import annotations

import pydoc
import subprocess
import sys

import pytest

import discreet
from discreet.mechanisms import registry
from discreet.tasks import TASKS


@pytest.mark.parametrize("task", TASKS)
def test_help_of_a_task_has_all_methods_with_parameters_and_an_example(task: str) -> None:
    shown = pydoc.plain(pydoc.render_doc(getattr(discreet, TASKS[task].__name__)))
    lines = [line.lstrip(" |") for line in shown.splitlines()]
    methods = {method: kind for (name, method), kind in registry().items() if name == task}
    assert methods
    for method, kind in methods.items():
        place = lines.index(method) + 1
        said = lines[place : place + len(kind.parameters)]
        assert said == [f"{parameter.name}: {parameter}" for parameter in kind.parameters]
        example = eval(lines[place + len(kind.parameters)], {"discreet": discreet})
        assert (type(example), example.method) == (TASKS[task], method)
    others = {method for _, method in registry()} - methods.keys()
    assert not others & set(lines)


def test_help_starts_with_what_the_task_is() -> None:
    assert (discreet.Table.__doc__ or "").startswith("Any cell or subset of the contingency table")
    assert "method: 'auto', or one of these" in (discreet.Table.__doc__ or "")


def test_naming_a_task_loads_neither_numpy_nor_mechanisms() -> None:
    code = """
import sys, discreet
discreet.Table(["age"], size=5), discreet.Items("movie", method="sra"), discreet.Ranges, discreet.Marginals
print(sorted({"numpy", "discreet.mechanisms"} & set(sys.modules)))
discreet.Table.__doc__
print("discreet.mechanisms" in sys.modules)
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.split("\n")[:2] == ["[]", "True"]
