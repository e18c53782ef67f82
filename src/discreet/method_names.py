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
def _all_methods() -> dict[str, dict[str, MethodNames]]:
    import json

    found: dict[str, dict[str, MethodNames]] = json.loads(FILE.read_text(encoding="utf-8"))
    return found


def named_methods(task: str) -> dict[str, MethodNames]:
    """The methods of a task by name."""
    return _all_methods()[task]


def refuse_unknown(task: str, method: Any, parameters: Iterable[str], others: Iterable[str]) -> None:
    """Refuses a method that the task lacks, and parameters that no such method has; `others` are its own arguments."""
    given = list(parameters)
    if method == "auto" and not given:
        return
    known = named_methods(task)
    if method != "auto" and (not isinstance(method, str) or method not in known):
        raise BadParameter(unknown_method(task, method, known))
    if found := unknown_parameters(task, method, given, others):
        raise BadParameter("\n".join(found))


def unknown_method(task: str, method: object, known: Iterable[str]) -> str:
    """What to say of a method that a task lacks."""
    names = list(known)
    homes = [repr(other) for other, methods in _all_methods().items() if method in list(methods)]
    hint = f" It is a method of {' and '.join(homes)}." if homes else did_you_mean(method, names)
    return f"task {task!r} has no method {method!r} in this version.{hint} Known methods: {', '.join(names)}"


def unknown_parameters(task: str, method: str, given: Iterable[str], others: Iterable[str] = ()) -> list[str]:
    """What to say of each parameter that the method lacks; with "auto", that all methods of the task lack."""
    known = named_methods(task)
    taken = {name: None for one in (known if method == "auto" else [method]) for name in known[one]["parameters"]}
    found = []
    for name in given:
        if name in taken or name == "guess":  # which may stand beside any method, for plans
            continue
        hint = did_you_mean(name, [*taken, *others])
        if name == "epsilon":
            hint = " It is said when a task is published: data.publish(task, epsilon)."
        if method == "auto":
            hint = hint or f" Its methods take {', '.join(taken)}"
            found.append(f"no method of task {task!r} has a parameter {name!r}.{hint}")
        else:
            found.append(f"method {method!r} has no parameter {name!r}.{hint} It takes {', '.join(taken) or 'none'}")
    return found
