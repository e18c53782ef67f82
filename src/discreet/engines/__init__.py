"""From private rows to `Counts`: the only rooms of the house in which rows are seen."""

from discreet.engines.count import count
from discreet.engines.count_sets import count_sets
from discreet.engines.histories import histories
from discreet.engines.source import Source, open_source

__all__ = ["Source", "count", "count_sets", "histories", "open_source"]
