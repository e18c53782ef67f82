"""Trees over the codes of an attribute, as arrays: the hierarchy of a nominal one, or equal parts of an ordinal one.

Nodes stand level by level, the root first, the children of one node side by side; within a level, groups of children
are in order of their number. Every inner node has at least two children: a node with one child is left out, as it
would only repeat that child's count.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from discreet.kernels import tree_shapes
from discreet.schema import Attribute, Nominal
from discreet.schema.hierarchy import Entries, Node

Integers = NDArray[np.int64]
#: of 63 bits, and the end
_MOST_LEVELS = 66
#: (first code, end, parts): what a branch covers and what it consists of
_Branch = tuple[int, int, "list[_Branch]"]


@dataclass(frozen=True, eq=False)
class Tree:
    """Node v covers codes first[v] to end[v] - 1; its children are child[v] to child[v] + fanout[v] - 1."""

    first: Integers
    end: Integers
    child: Integers
    fanout: Integers
    #: where each level starts, and the number of nodes
    starts: tuple[int, ...]

    @classmethod
    def of(cls, attribute: Attribute, base: int = 2) -> Tree:
        if isinstance(attribute, Nominal):
            return cls._of_branch(_branch(attribute.tree, 0))
        return cls._of_parts(attribute.size, base)

    @classmethod
    def _of_parts(cls, size: int, base: int) -> Tree:
        """Parts of base**k codes each, k falling by one per level; the last part may be smaller."""
        # every inner node has two children at least; pages that no node lies on are never touched
        first, end, child, fanout = (np.empty(2 * size, np.int64) for _ in range(4))
        starts = np.zeros(_MOST_LEVELS, np.int64)
        first[0], end[0] = 0, size
        levels = tree_shapes.grow(min(base, size + 1), first, end, child, fanout, starts)
        nodes = starts[levels]
        return cls(first[:nodes], end[:nodes], child[:nodes], fanout[:nodes], tuple(starts[: levels + 1].tolist()))

    @classmethod
    def _of_branch(cls, root: _Branch) -> Tree:
        levels, fanouts = [], []
        here = [root]
        while here:
            ends = np.array([[first, end] for first, end, _ in here], np.int64)
            levels.append((ends[:, 0].copy(), ends[:, 1].copy()))
            fanouts.append(np.array([len(parts) for _, _, parts in here], np.int64))
            here = [part for branch in sorted(here, key=lambda branch: len(branch[2])) for part in branch[2]]
        return cls._assembled(levels, fanouts)

    @classmethod
    def _assembled(cls, levels: list[tuple[Integers, Integers]], fanouts: list[Integers]) -> Tree:
        starts = np.cumsum([0, *(first.size for first, _ in levels)])
        children = []
        for fanout, below in zip(fanouts, starts[1:], strict=True):
            order = np.argsort(fanout, kind="stable")
            child = np.empty_like(fanout)
            child[order] = below + np.cumsum(fanout[order]) - fanout[order]
            children.append(np.where(fanout > 0, child, -1))
        first, end = (np.concatenate([level[i] for level in levels]) for i in (0, 1))
        return cls(first, end, np.concatenate(children), np.concatenate(fanouts), tuple(starts.tolist()))

    @property
    def nodes(self) -> int:
        return self.first.size

    @property
    def size(self) -> int:
        return int(self.end[0])

    @property
    def depth(self) -> int:
        """Levels below the root."""
        return len(self.starts) - 2

    @cached_property
    def parent(self) -> Integers:
        parents = np.empty(self.nodes, np.int64)
        tree_shapes.parents(self.child, self.fanout, parents)
        return parents

    @cached_property
    def leaves(self) -> Integers:
        """The node of each code."""
        leaves = np.flatnonzero(self.fanout == 0)
        nodes = np.empty_like(leaves)
        nodes[self.first[leaves]] = leaves
        return nodes

    @cached_property
    def levels(self) -> tuple[slice, ...]:
        return tuple(slice(start, stop) for start, stop in pairwise(self.starts))


def _branch(entries: Entries, first: int) -> _Branch:
    """A branch over entries; whatever has a single part is that part."""
    parts: list[_Branch] = []
    for entry in entries:
        start = parts[-1][1] if parts else first
        parts.append(_branch(entry.children, start) if isinstance(entry, Node) else (start, start + 1, []))
    return parts[0] if len(parts) == 1 else (first, parts[-1][1], parts)
