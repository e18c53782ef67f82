"""From private rows to `Counts`: the only rooms of the house in which rows are seen."""

from discreet.engines.count import check, count
from discreet.engines.count_sets import count_sets
from discreet.engines.histories import histories
from discreet.engines.session import Limits
from discreet.engines.source import Source, open_source

__all__ = ["Limits", "Source", "check", "count", "count_sets", "histories", "open_source"]
