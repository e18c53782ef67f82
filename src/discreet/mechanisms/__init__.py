"""The registry. A mechanism is one file in this folder with one class; being there is all it takes."""

from __future__ import annotations

import importlib
import inspect
import pkgutil
from collections.abc import Iterator
from functools import cache

from discreet.errors import BadParameter
from discreet.mechanisms.base import Mechanism, Request
from discreet.naming import did_you_mean
from discreet.tasks import Task

__all__ = ["Mechanism", "Request", "mechanism_for", "registry"]

#: what "auto" means for each task, the first that accepts the request
AUTO = {
    "table": ("geometric", "filter-priority"),
    "ranges": ("privelet+", "dyadic-filter-priority"),
    "marginals": ("ireduct",),
    "items": ("sra",),
}


@cache
def registry() -> dict[tuple[str, str], type[Mechanism]]:
    """Every mechanism by (task, method)."""
    for module in pkgutil.iter_modules(__path__):
        importlib.import_module(f"{__name__}.{module.name}")
    found = {(task, kind.method): kind for kind in _concrete(Mechanism) for task in kind.tasks}  # type: ignore[type-abstract]
    return dict(sorted(found.items()))


def _concrete(kind: type[Mechanism]) -> Iterator[type[Mechanism]]:
    for inner in kind.__subclasses__():
        if not inspect.isabstract(inner) and hasattr(inner, "method"):
            yield inner
        yield from _concrete(inner)


def mechanism_for(task: Task, request: Request, method: str | None = None) -> Mechanism:
    """The mechanism a task (or `method`) names, or the one `auto` picks from public facts; refuses what cannot work."""
    known, method = registry(), method or task.method
    if method == "auto":
        return _first_that_accepts([known[task.name, method] for method in AUTO[task.name]], request)
    if (task.name, method) not in known:
        methods = [name for kind, name in known if kind == task.name]
        raise BadParameter(
            f"task {task.name!r} has no method {method!r} in this version.{did_you_mean(method, methods)} "
            f"Known methods: {', '.join(methods)}"
        )
    return known[task.name, method](request)


def _first_that_accepts(kinds: list[type[Mechanism]], request: Request) -> Mechanism:
    for kind in kinds[:-1]:
        try:
            return kind(request)
        except BadParameter:  # too large for it, or not its parameters
            continue
    return kinds[-1](request)
