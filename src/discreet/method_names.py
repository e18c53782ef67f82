"""Which methods each task has and what they can be told, by name, so that a typo shows before any method is loaded.

The names stand in methods.json, which `python -m discreet.cli.reference` writes from the methods and their cards.
"""

from __future__ import annotations

from collections.abc import Iterable
from functools import cache
from pathlib import Path
from typing import Any, TypedDict

from discreet.errors import BadParameter
from discreet.naming import did_you_mean

FILE = Path(__file__).with_name("methods.json")


class MethodNames(TypedDict):
    """What the file says of a method: where it is, what its parameters are called, how somebody might ask for it."""

    module: str
    parameters: list[str]
    example: str


@cache
def named_methods(task: str) -> dict[str, MethodNames]:
    """The methods of a task by name."""
    import json

    found: dict[str, dict[str, MethodNames]] = json.loads(FILE.read_text(encoding="utf-8"))
    return found[task]


def refuse_unknown(task: str, method: Any, parameters: Iterable[str], others: Iterable[str]) -> None:
    """Refuses a method that the task lacks, and parameters that no such method has; `others` are its own arguments."""
    given = list(parameters)
    if method == "auto" and not given:
        return
    known = named_methods(task)
    if method != "auto" and (not isinstance(method, str) or method not in known):
        raise BadParameter(unknown_method(task, method, known))
    methods = known if method == "auto" else [method]
    taken = {name: None for one in methods for name in known[one]["parameters"]}
    found = []
    for name in given:
        if name in taken or name == "guess":  # which may stand beside any method, for plans
            continue
        hint = did_you_mean(name, [*taken, *others])
        if method == "auto":
            found.append(f"no method of task {task!r} has a parameter {name!r}.{hint}")
        else:
            found.append(f"method {method!r} has no parameter {name!r}.{hint} It takes {', '.join(taken) or 'none'}")
    if found:
        raise BadParameter("\n".join(found))


def unknown_method(task: str, method: object, known: Iterable[str]) -> str:
    """What to say of a method that a task lacks."""
    names = list(known)
    hint = did_you_mean(method, names)
    return f"task {task!r} has no method {method!r} in this version.{hint} Known methods: {', '.join(names)}"
