"""`help(discreet.Table)`: its methods with parameters and an example each; importing still costs next to nothing."""

from __future__ import annotations

import inspect
import pydoc
import re
import subprocess
import sys
from datetime import date
from pathlib import Path
from typing import Any

import pytest

import discreet
from discreet.mechanisms import registry
from discreet.private.publish import Data
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
    assert all("known: a list such as" in (task.__doc__ or "") for task in (discreet.Table, discreet.Marginals))
    assert "known" not in (discreet.Items.__doc__ or "")


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


#: what somebody needs who says what the data is, opens it and publishes
FIRST_STEPS = (
    discreet.Schema,
    discreet.Ordinal,
    discreet.Nominal,
    discreet.Reading,
    discreet.Periods,
    discreet.Unit,
    discreet.open,
    Data.publish,
)


@pytest.mark.parametrize("thing", FIRST_STEPS, ids=lambda thing: thing.__qualname__)
def test_help_names_every_parameter_of_the_first_steps(thing: Any) -> None:
    said = set(re.findall(r"\w+", thing.__doc__))
    kinds = (inspect.Parameter.POSITIONAL_OR_KEYWORD, inspect.Parameter.KEYWORD_ONLY)
    taken = [name for name, parameter in inspect.signature(thing).parameters.items() if parameter.kind in kinds]
    assert [name for name in taken if name not in {*said, "self"}] == []


@pytest.mark.parametrize("thing", FIRST_STEPS, ids=lambda thing: thing.__qualname__)
def test_an_example_in_the_help_of_the_first_steps_runs(thing: Any, tmp_path: Path, monkeypatch: Any) -> None:
    monkeypatch.chdir(tmp_path)
    schema = discreet.Schema(age=discreet.Ordinal(0, 99), sex=discreet.Nominal(["Female", "Male"]))
    Path("people.csv").write_text("age,sex\n31,Female\n", encoding="utf-8")
    Path("out").mkdir()
    known = {"discreet": discreet, "schema": schema, "date": date, "data": discreet.open("people.csv", schema)}
    known |= {name: getattr(discreet, name) for name in discreet.__all__}
    examples = [one for one in re.findall(r"`([^`]+)`", thing.__doc__) if f"{thing.__name__}(" in one]
    assert examples
    for example in examples:
        eval(example, known)


def test_open_is_called_so_in_help_and_in_errors() -> None:
    assert pydoc.plain(pydoc.render_doc(discreet.open)).splitlines()[2].startswith("open(source: ")
    with pytest.raises(TypeError, match=r"^open\(\) missing 1 required positional argument: 'schema'"):
        discreet.open("people.csv")  # type: ignore[call-arg]
