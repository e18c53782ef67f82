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
    from discreet.private.open_data import from_counts, open_data
    from discreet.queries import Estimate
    from discreet.release import Release, combine, load
    from discreet.schema import Nominal, Ordinal, Periods, Reading, Schema
    from discreet.spec import load_spec
    from discreet.tasks import Items, Marginals, Ranges, Table

    open = open_data
    __version__: str

#: public name -> the module that it comes from
_HOMES = {
    **dict.fromkeys(("Items", "Marginals", "Ranges", "Table"), "tasks"),
    **dict.fromkeys(("Nominal", "Ordinal", "Periods", "Reading", "Schema"), "schema"),
    **dict.fromkeys(("Release", "combine", "load"), "release"),
    **dict.fromkeys(("from_counts", "open"), "private.open_data"),
    "DiscreetError": "errors",
    "Estimate": "queries",
    "Unit": "privacy",
    "load_spec": "spec",
}

#: `discreet.open` is not among them: `from discreet import *` must not hide Python's own
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
]


def __getattr__(name: str) -> Any:
    if name == "__version__":
        from importlib.metadata import version

        return version("discreet")
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
    return [*__all__, "open"]
