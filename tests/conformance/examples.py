"""What every registered mechanism is tried on: the examples of its card, on a small schema of every kind."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

import discreet
from discreet.cli.reference import stem
from discreet.mechanisms import Mechanism, Request, mechanism_for, registry
from discreet.privacy import Unit
from discreet.tasks import Task

SCHEMA = discreet.Schema(
    age=discreet.Ordinal(0, 6),
    sex=discreet.Nominal(["f", "m"]),
    place=discreet.Nominal(hierarchy={"north": ["a", "b"], "south": ["c"]}),
)
CARDS = Path(__file__).parents[2] / "docs" / "mechanisms"


def examples() -> dict[tuple[str, str], list[Task]]:
    """(task, method) -> requests that a user might make: the examples of the method's card."""
    found: dict[tuple[str, str], list[Task]] = {}
    for _, method in registry():
        card = (CARDS / f"{stem(method)}.md").read_text(encoding="utf-8")
        block = re.search(r"## Examples\n\n```python\n(.*?)```", card, re.DOTALL)
        assert block is not None, f"the card of {method} has no examples"
        for line in block[1].splitlines():
            task: Task = eval(line, {"discreet": discreet})
            found.setdefault((task.name, task.method), []).append(task)
    return found


EXAMPLES = {key: list(dict.fromkeys(tasks)) for key, tasks in examples().items()}
CASES = [task for tasks in EXAMPLES.values() for task in tasks]
each_case = pytest.mark.parametrize("task", CASES, ids=[f"{task.method}-{i}" for i, task in enumerate(CASES)])


def made(task: Task, unit: Unit | None = None, epsilon: str = "0.3") -> Mechanism:
    return mechanism_for(task, Request.of(task, SCHEMA, unit or Unit(), epsilon))
