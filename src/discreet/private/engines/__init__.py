"""From private rows to `Counts`: the only rooms of the house in which rows are seen."""

from discreet.private.engines.count import check, count
from discreet.private.engines.count_sets import count_sets
from discreet.private.engines.histories import histories
from discreet.private.engines.session import Limits
from discreet.private.engines.source import Source, open_source

__all__ = ["Limits", "Source", "check", "count", "count_sets", "histories", "open_source"]
