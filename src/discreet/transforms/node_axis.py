"""One attribute's part of a map whose entries are never all written out: nodes of a tree, or Haar coefficients.

Nodes are numbered level by level, the root first, so a node's number is above that of every node it lies in. The
nodes that codes count in are found from the leaves up: `keys` stand for codes at the deepest level, and at each level
`places` tells their nodes and `above` their keys one level up. Keys that were sorted stay sorted. What a range of
codes needs is a `Cover`. Nothing here has as many entries as the attribute has codes.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from discreet.transforms.axis import Floats, Integers


@dataclass(frozen=True, eq=False)
class Cover:
    """What several ranges need; the entries of range i are starts[i] to starts[i + 1] - 1.

    In a tree they are all nodes that overlap the range and are not inside a smaller entry, parents before children.
    """

    starts: Integers
    nodes: Integers
    #: with which the node's count enters the sum over the range; zero for one that is only passed on the way down
    weights: Floats
    #: the next entry of the range that does not lie below this one
    skips: Integers

    @classmethod
    def of(cls, ranges: int, kernel: Callable[..., Any]) -> Cover:
        """From a kernel that counts entries at first, and then writes them."""
        starts = np.zeros(ranges + 1, np.int64)
        none = np.empty(0, np.int64), np.empty(0), np.empty(0, np.int64)
        kernel(starts, none)
        np.cumsum(starts, out=starts)
        found = np.empty(starts[-1], np.int64), np.empty(starts[-1]), np.empty(starts[-1], np.int64)
        kernel(starts, found)
        return cls(starts, *found)


class NodeAxis(ABC):
    """Nodes along one attribute."""

    kind: ClassVar[str]
    #: whether every weight in a cover is 0 or 1, so that counts of nodes add up
    plain: ClassVar[bool] = True

    #: how many codes, and how many nodes
    size: int
    length: int
    #: the deepest level; the root's is 0
    depth: int
    #: the most nodes that one code counts in, each time with +1 or -1
    weight: int

    @abstractmethod
    def places(self, level: int, keys: Integers) -> Integers:
        """The node of this level that each key counts in; -1 where there is none."""

    def signs(self, level: int, keys: Integers) -> Integers | None:
        """Whether each key is added or subtracted there; None if all are added and no two have the same node."""
        return None

    @abstractmethod
    def above(self, level: int, keys: Integers) -> Integers:
        """The keys of the next level towards the root."""

    @abstractmethod
    def cover(self, first: Integers, end: Integers) -> Cover:
        """For each range first <= code < end."""

    @property
    @abstractmethod
    def most_needed(self) -> int:
        """No cover of one range has more entries."""

    @abstractmethod
    def ends(self, nodes: Integers) -> tuple[Integers, Integers]:
        """First and last code that each node covers."""

    def to_dict(self) -> dict[str, Any]:
        """What, besides the attribute, is needed to make the axis again."""
        return {"kind": self.kind}
