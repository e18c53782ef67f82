"""One attribute cut into parts of neighbouring codes: equal parts by their width alone, others by their edges."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from discreet.transforms.axis import Floats, Integers


@dataclass(frozen=True, eq=False)
class LevelSplit:
    """Part i has the codes edges[i] to edges[i + 1] - 1. Of equal parts the last may reach beyond the attribute."""

    parts: int
    #: how many codes a part has, where all have as many; else None
    width: int | None
    _edges: Integers | None = None

    @classmethod
    def equal(cls, width: int, size: int) -> LevelSplit:
        """As many parts of this width as `size` codes need."""
        return cls(-(-size // width), width)

    @classmethod
    def between(cls, edges: Integers) -> LevelSplit:
        widths = np.diff(edges)
        even = bool((widths == widths[0]).all())
        return cls(widths.size, int(widths[0]) if even else None, None if even else edges)

    @property
    def edges(self) -> Integers:
        if self._edges is not None:
            return self._edges
        assert self.width is not None
        return np.arange(self.parts + 1) * self.width

    @property
    def widths(self) -> Integers:
        return np.diff(self.edges)

    @property
    def mean_width(self) -> float:
        return float(self.widths.mean()) if self.width is None else float(self.width)

    def shared(self, one: tuple[Integers, Integers], other: tuple[Integers, Integers]) -> Floats:
        """Of two ranges, from first code to before the end: the sum over parts of their codes there, multiplied,
        over the part's width. It is the product of both ranges when each is spread evenly within every part.
        """
        (a, b), (c, d) = one, other
        below = self._shared_below
        return below(b, d) - below(b, c) - below(a, d) + below(a, c)

    def _shared_below(self, one: Integers, other: Integers) -> Floats:
        """The same of all codes below `one` and all below `other`."""
        low, high = np.minimum(one, other), np.maximum(one, other)
        if self._edges is None:
            width: Any = self.width
            start = low - low % width
        else:
            part = np.minimum(np.searchsorted(self._edges, low, side="right") - 1, self.parts - 1)
            start, width = self._edges[part], self.widths[part]
        return np.asarray(start + (low - start) * (np.minimum(high - start, width) / width))

    def fractions(self, first: Integers, end: Integers) -> Floats:
        """How much of every part lies in each range: a row for each range."""
        edges = self.edges
        inside = np.minimum(end[:, None], edges[None, 1:]) - np.maximum(first[:, None], edges[None, :-1])
        return np.asarray(np.maximum(inside, 0) / self.widths)
