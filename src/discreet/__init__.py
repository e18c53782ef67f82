"""Discreet: publish counts, not people.

Count releases under pure epsilon-differential privacy, with honest error bars. Names load on first use, so that
importing the package costs next to nothing.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from discreet.errors import DiscreetError
    from discreet.privacy import Unit
    from discreet.private.publish import from_counts
    from discreet.private.publish import open_data as open
    from discreet.queries import Estimate
    from discreet.release import Release, combine, load
    from discreet.schema import Nominal, Ordinal, Periods, Reading, Schema
    from discreet.spec import load_spec
    from discreet.tasks import Items, Marginals, Ranges, Table

#: public name -> the module that it comes from
_HOMES = {
    **dict.fromkeys(("Items", "Marginals", "Ranges", "Table"), "tasks"),
    **dict.fromkeys(("Nominal", "Ordinal", "Periods", "Reading", "Schema"), "schema"),
    **dict.fromkeys(("Release", "combine", "load"), "release"),
    **dict.fromkeys(("from_counts", "open"), "private.publish"),
    "DiscreetError": "errors",
    "Estimate": "queries",
    "Unit": "privacy",
    "load_spec": "spec",
}

__all__ = [
    "DiscreetError",
    "Estimate",
    "Items",
    "Marginals",
    "Nominal",
    "Ordinal",
    "Periods",
    "Ranges",
    "Reading",
    "Release",
    "Schema",
    "Table",
    "Unit",
    "combine",
    "from_counts",
    "load",
    "load_spec",
    "open",
]


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module 'discreet' has no attribute {name!r}")
    module = _HOMES[name]
    value = getattr(importlib.import_module(f"discreet.{module}"), "open_data" if name == "open" else name)
    if module == "tasks":
        from discreet.help import explain

        explain(value)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return __all__
