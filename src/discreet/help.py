"""What `help(discreet.Table)` says: the task, its methods with their parameters as they declare them, and examples."""

from __future__ import annotations

from inspect import cleandoc
from typing import Any

from discreet.method_names import named_methods
from discreet.tasks import Task

_KNOWN = (
    'known: a list such as [{"where": "county = \'Kent\'", "count": 170363}], a CSV file or a data frame. Totals that '
    "are public anyway, with which answers will agree. Default: none."
)


class TaskHelp:
    """The docstring of a task's class, put together when somebody reads it: until then no method is loaded."""

    def __init__(self, task: type[Task]) -> None:
        self._said = cleandoc(task.__doc__ or "")
        self._task = task.name

    def __get__(self, instance: object, owner: object = None) -> str:
        from discreet.mechanisms import registry

        known = [_KNOWN, ""] if self._task != "items" else []  # which refuses them
        lines = [self._said, "", *known, "method: 'auto', or one of these, with its parameters and an example:", ""]
        for method, named in named_methods(self._task).items():
            parameters = registry()[self._task, method].parameters
            lines += [method, *(f"    {parameter.name}: {parameter}" for parameter in parameters)]
            lines += [f"    {named['example']}", ""]
        return "\n".join(lines)


def explain(task: type[Task]) -> None:
    """Let `help` of this task show its methods and their parameters."""
    if isinstance(vars(task).get("__doc__"), str):
        documented: Any = task
        documented.__doc__ = TaskHelp(task)
