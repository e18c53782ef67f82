"""The registry. A mechanism is one file with one class in the folder of its task; being there is all it takes.

The other files of a task's folder are what its methods share. Their names start with what the task is about: `table_`,
`range_`, `marginal_`, `item_`.
"""

from __future__ import annotations

import importlib
import inspect
import math
import pkgutil
from collections.abc import Iterator
from dataclasses import replace
from functools import cache

from discreet.errors import BadParameter
from discreet.mechanisms.base import Mechanism, Request
from discreet.mechanisms.guesses import Guess
from discreet.method_names import named_methods, unknown_method, unknown_parameters
from discreet.parameters import problems
from discreet.tasks import Task

__all__ = ["FORMER_AUTO", "Mechanism", "Request", "mechanism_for", "methods_for", "registry", "why_auto"]

#: what "auto" means for each task, or job of it: the first method whose most cells are not fewer than the table's.
#: Where single cells are few, noise on each is little even in sums of them. Larger tables are for methods that buy a
#: noisy total, or are told a guess, and go by it. The numbers were chosen in the benchmark `regret`, with both
#: of its halves in view
AUTO: dict[str, tuple[tuple[str, float], ...]] = {
    "table": (("geometric", 2**6), ("adaptive", math.inf)),
    "ranges": (("weighted", 2**5), ("adaptive", math.inf)),
    "marginals": (("agreed", math.inf),),
    "items": (("even-shares", math.inf),),
    "pairs of items": (("sra", math.inf),),
}
#: what it was in versions whose digests do not record the choice; their releases are checked as what they are
FORMER_AUTO: dict[str, tuple[str, ...]] = {
    "table": ("geometric", "filter-priority", "adaptive"),
    "ranges": ("privelet+", "dyadic-filter-priority", "weighted", "adaptive"),
    "marginals": ("ireduct", "agreed"),
    "items": ("sra", "even-shares"),
}


@cache
def registry() -> dict[tuple[str, str], type[Mechanism]]:
    """Every mechanism by (task, method)."""
    for module in pkgutil.walk_packages(__path__, f"{__name__}."):
        importlib.import_module(module.name)
    found = {(task, kind.method): kind for kind in _concrete(Mechanism) for task in kind.tasks}  # type: ignore[type-abstract]
    return dict(sorted(found.items()))


def _concrete(kind: type[Mechanism]) -> Iterator[type[Mechanism]]:
    for inner in kind.__subclasses__():
        if not inspect.isabstract(inner) and hasattr(inner, "method"):
            yield inner
        yield from _concrete(inner)


def methods_for(task: Task) -> list[str]:
    """By name; none of them is loaded for that."""
    return list(named_methods(task.name))


def mechanism_for(task: Task, request: Request, method: str | None = None) -> Mechanism:
    """The mechanism a task (or `method`) names, or the one `auto` picks from public facts; refuses what cannot work."""
    method = method or task.method
    if method == "auto":
        return _picked(task, request)
    kind = _kind(task, method)
    return kind(_without_idle_guess(kind, request))


def _kind(task: Task, method: str) -> type[Mechanism]:
    """The class of a method. Of all methods only this one is loaded, unless they are all there already."""
    named = named_methods(task.name).get(method)
    if named is None or registry.cache_info().currsize:
        if (task.name, method) not in registry():
            raise BadParameter(unknown_method(task.name, method, methods_for(task)))
        return registry()[task.name, method]
    module = importlib.import_module(f"{__name__}.{named['module']}")
    return next(kind for kind in _concrete(Mechanism) if kind.__module__ == module.__name__)  # type: ignore[type-abstract]


def _without_idle_guess(kind: type[Mechanism], request: Request) -> Request:
    """A guess may stand beside any method, for `plan`; one that has no use for it does not see it."""
    if "guess" not in request.parameters:
        return request
    Guess.read(request.parameters["guess"])
    if "guess" in (parameter.name for parameter in kind.parameters):
        return request
    return replace(request, parameters={name: value for name, value in request.parameters.items() if name != "guess"})


def why_auto(task: Task, request: Request) -> tuple[str, str]:
    """What `auto` means for a table of this size, by public facts alone, and why."""
    choices, cells, said = AUTO[task.job], request.schema.cells, "tables" if task.job == "table" else task.job
    place = next(place for place, (_, most) in enumerate(choices) if cells <= most)
    method, most = choices[place]
    size = f" of at most {most:,} cells" if most < math.inf else ""
    if place and not size:
        size = f" of more than {choices[place - 1][1]:,} cells"
    return method, f"auto takes it for {said}{size}"


def _picked(task: Task, request: Request) -> Mechanism:
    """What `auto` means for this request. Parameters of methods never decide which one that is."""
    method, _ = why_auto(task, request)
    kind = _kind(task, method)
    request = _without_idle_guess(kind, request)
    _check_parameters(task, kind, request)
    return kind(request)


def _check_parameters(task: Task, kind: type[Mechanism], request: Request) -> None:
    """Refuses parameters that the method lacks, and says which methods of the task have them."""
    every = {method: names["parameters"] for method, names in named_methods(task.name).items()}
    lacking = [name for name in request.parameters if name not in every[kind.method]]
    if not lacking:
        return
    having = {name: given for name, given in request.parameters.items() if name not in lacking}
    found = problems(kind.method, kind.parameters, having)
    for name in lacking:
        if owners := [method for method, taken in every.items() if name in taken]:
            found.append(
                f"`{name}` is a parameter of {', '.join(owners)}, but `auto` chose {kind.method}; set method to one of "
                f"these, or leave `{name}` out"
            )
        else:
            found += unknown_parameters(task.name, "auto", [name])
    raise BadParameter("\n".join(found))
