"""From private rows to `Counts`: the only rooms of the house in which rows are seen."""

from discreet.engines.count import count
from discreet.engines.source import Source, open_source

__all__ = ["Source", "count", "open_source"]
