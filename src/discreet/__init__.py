"""Discreet: publish counts, not people.

Count releases under pure epsilon-differential privacy, with honest error bars. Names load on first use, so that
importing the package costs next to nothing.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from discreet.privacy import Unit
    from discreet.private.publish import from_counts
    from discreet.private.publish import open_data as open
    from discreet.queries import Estimate
    from discreet.release import Release, load
    from discreet.schema import Nominal, Ordinal, Schema
    from discreet.spec import load_spec
    from discreet.tasks import Items, Marginals, Ranges, Table

_HOMES = {
    "Estimate": ("queries", "Estimate"),
    "Items": ("tasks", "Items"),
    "Marginals": ("tasks", "Marginals"),
    "Nominal": ("schema", "Nominal"),
    "Ordinal": ("schema", "Ordinal"),
    "Ranges": ("tasks", "Ranges"),
    "Release": ("release", "Release"),
    "Schema": ("schema", "Schema"),
    "Table": ("tasks", "Table"),
    "Unit": ("privacy", "Unit"),
    "from_counts": ("private.publish", "from_counts"),
    "load": ("release", "load"),
    "load_spec": ("spec", "load_spec"),
    "open": ("private.publish", "open_data"),
}

__all__ = [
    "Estimate",
    "Items",
    "Marginals",
    "Nominal",
    "Ordinal",
    "Ranges",
    "Release",
    "Schema",
    "Table",
    "Unit",
    "from_counts",
    "load",
    "load_spec",
    "open",
]


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module 'discreet' has no attribute {name!r}")
    module, attribute = _HOMES[name]
    value = getattr(importlib.import_module(f"discreet.{module}"), attribute)
    if module == "tasks":
        from discreet.help import explain

        explain(value)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted(__all__)
