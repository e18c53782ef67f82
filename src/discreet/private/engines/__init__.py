"""From private rows to `Counts`: the only modules that see rows. What counts them loads on first use."""

import importlib
from typing import TYPE_CHECKING, Any

from discreet.private.engines.base import Source
from discreet.private.engines.opening import open_source
from discreet.private.engines.session import Limits

if TYPE_CHECKING:
    from discreet.private.engines.counting_query import check, count, count_sets
    from discreet.private.engines.row_histories import histories

__all__ = ["Limits", "Source", "check", "count", "count_sets", "histories", "open_source"]


def __getattr__(name: str) -> Any:
    if name not in __all__:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    home = "row_histories" if name == "histories" else "counting_query"
    return getattr(importlib.import_module(f"{__name__}.{home}"), name)
